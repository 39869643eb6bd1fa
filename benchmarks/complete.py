"""Do given forms help to fill a paradigm, beside the lemma?

    python -m benchmarks.complete --corpora DIR

Small networks are trained on some words of UniMorph; of other words three forms are given and up to
six more are to be filled in. Compared are the network alone, which knows lemma and features, and
`stepwrite complete`, which knows the given forms, too; with no form given, it is the network with
the analogies of the lemma. Figures in results/complete/figures.json are not measured again.
"""

from __future__ import annotations

import gzip
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import stepwrite
from benchmarks.measured import Measured
from stepwrite import Example, Inflector
from stepwrite.evaluation.metrics import wilson
from stepwrite.evaluation.rules import RuleBaseline
from stepwrite.evaluation.significance import mcnemar
from stepwrite.fieldwork.analogy import LEMMA, paradigms
from stepwrite.fieldwork.completion import Completer, network_opinions
from stepwrite.files import write_whole

LANGUAGES = {
    "Latin verbs": ("lat", "V", 250),
    "Russian nouns": ("rus", "N", 600),
    "Icelandic nouns": ("isl", "N", 60),
    "German nouns": ("deu", "N", 120),
}
"""ISO code, part of speech, and number of lemmas to train on: about 1,000 forms each."""
TEST_LEMMAS, GIVEN, MOST_TARGETS = 300, 3, 6
NETWORK: dict[str, Any] = {
    "hidden": 100,
    "epochs": 40,
    "batch": 4,
    "jobs": 1,
    "folds": 0,
    "progress": False,
}
COLUMNS = ("rules", "network", "no form given", "three forms given")


def words(corpora: Path, iso: str, pos: str) -> dict[str, list[Example]]:
    """The rows of each lemma."""
    found = defaultdict(list)
    with gzip.open(corpora / f"unimorph/{iso}.tsv.gz", "rt", encoding="utf-8") as file:
        for line in file:
            lemma, form, features = line.rstrip("\n").split("\t")
            if features.partition(";")[0] == pos and " " not in lemma:
                found[lemma].append(Example(lemma, features, form))
    return dict(found)


def measure(corpora: Path, name: str, measured: Measured, folder: Path) -> None:
    iso, pos, n_train = LANGUAGES[name]
    by_lemma = words(corpora, iso, pos)
    generator = random.Random(1)
    lemmas = sorted(by_lemma)
    generator.shuffle(lemmas)
    full = [lemma for lemma in lemmas if len({row.features for row in by_lemma[lemma]}) > GIVEN]
    test = full[:TEST_LEMMAS]
    train = [row for lemma in set_minus(lemmas, test)[:n_train] for row in by_lemma[lemma]]
    if (folder / iso / "config.json").exists():
        model = stepwrite.load(folder / iso)
    else:
        model = stepwrite.train(train, out=folder / iso, **NETWORK)
    right = compared(model, train, [by_lemma[lemma] for lemma in test], generator)
    n = len(right["network"])
    figures: dict[str, float] = {f"{name}, forms": n, f"{name}, trained on": len(train)}
    for column in COLUMNS:
        estimate = wilson(sum(right[column]), n)
        figures[f"{name}, {column}"] = 100 * estimate.value
    for column in ("network", "no form given"):
        test_of = mcnemar(right["three forms given"], right[column])
        figures[f"{name}, p against {column}"] = test_of.p_value
    measured.add(figures)


def set_minus(lemmas: Sequence[str], others: Sequence[str]) -> list[str]:
    left = set(others)
    return [lemma for lemma in lemmas if lemma not in left]


def compared(
    model: Inflector, train: list[Example], test: list[list[Example]], generator: random.Random
) -> dict[str, list[bool]]:
    """Which of the forms to fill in each way gets right."""
    segmentation = model.model.segmentation
    completer, rules = Completer(train, segmentation), RuleBaseline.fit(train, segmentation)
    right: dict[str, list[bool]] = {column: [] for column in COLUMNS}
    for rows in test:
        [(_, forms)] = paradigms(rows, segmentation, completer.cell_of).items()
        cells = [cell for cell in forms if cell != LEMMA]
        generator.shuffle(cells)
        lemma = {LEMMA: forms[LEMMA][0]}
        given = lemma | {cell: forms[cell][0] for cell in cells[:GIVEN]}
        wanted = cells[GIVEN : GIVEN + MOST_TARGETS]
        targets = [
            next(row for row in rows if completer.cell_of(row.features) == cell) for cell in wanted
        ]
        for row, cell, opinion in zip(
            targets, wanted, network_opinions(model, targets), strict=True
        ):
            guesses = {
                "rules": segmentation.form(rules.predict(row.lemma, row.features)),
                "network": max(opinion.shares, key=lambda form: opinion.shares[form]),
                "no form given": next(iter(completer.shares(lemma, cell, opinion))),
                "three forms given": next(iter(completer.shares(given, cell, opinion))),
            }
            for column, guess in guesses.items():
                right[column].append(guess in forms[cell])
    return right


def page(measured: Measured) -> str:
    lines = [
        "# Filling paradigms from given forms",
        "",
        "Written by `python -m benchmarks.complete`: exact match in % on cells of words that were",
        "not trained on. The rules and the network know lemma and features; `stepwrite complete`",
        "adds analogies, from the lemma alone (no form given) and from three forms. p: McNemar's",
        "test of three given forms against the network.",
        "",
        f"| words | trained on | cells | {' | '.join(COLUMNS)} | p |",
        f"| --- | ---: | ---: |{' ---: |' * len(COLUMNS)} ---: |",
    ]
    for name in LANGUAGES:
        if f"{name}, forms" in measured.figures:
            figures = [f"{measured.figures[f'{name}, {column}']:.1f}" for column in COLUMNS]
            sizes = [
                f"{measured.figures[f'{name}, {what}']:.0f}" for what in ("trained on", "forms")
            ]
            p = f"{measured.figures[f'{name}, p against network']:.2g}"
            lines.append(f"| {' | '.join([name, *sizes, *figures, p])} |")
    return "\n".join(lines) + "\n"


@click.command()
@click.option("--corpora", type=click.Path(path_type=Path, exists=True), required=True)
@click.option("--runs", type=Path, default=Path("runs/complete"), help="Of the networks.")
@click.option("--out", type=Path, default=Path("results/complete"))
def main(corpora: Path, runs: Path, out: Path) -> None:
    measured = Measured(out / "figures.json")
    for name in LANGUAGES:
        if f"{name}, forms" not in measured.figures:
            measure(corpora, name, measured, runs)
        click.echo(f"{name}: done", err=True)
    with write_whole(out / "README.md") as file:
        file.write(page(measured))
    click.echo(page(measured), nl=False)


if __name__ == "__main__":
    main()
