"""Are errors in the data among the first rows that the report lists as doubtful?

    python -m benchmarks.planted --corpora DIR

In paradigms of UniMorph 1 % of the forms are replaced by what another inflection class makes of the
lemma, or else get a slip of the pen. Measured is how many of these are among the first 2 % of the
rows, in the order in which `stepwrite report --suspects` lists them; here without a network, by
analogy alone.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from statistics import mean

import click

from benchmarks.complete import words
from benchmarks.measured import Measured
from stepwrite import Example
from stepwrite.fieldwork.changes import Change
from stepwrite.fieldwork.suspects import suspects
from stepwrite.files import write_whole

WORDS = {
    "German nouns": ("deu", "N", 400),
    "Icelandic nouns": ("isl", "N", 200),
    "Finnish nouns": ("fin", "N", 1000),
    "Spanish verbs": ("spa", "V", 60),
    "Russian nouns": ("rus", "N", 2000),
    "Latin verbs": ("lat", "V", 600),
}
"""ISO code, part of speech and number of lemmas."""
MOST_ROWS = 3000
SEEDS = (1, 2, 3)
PLANTED, LISTED = 0.01, 0.02


Mistakes = Callable[[Sequence[Example], random.Random], Callable[[Example], str | None]]
"""Of all rows and a source of chance: what makes a wrong form of a row, if it can."""


def of_other_classes(
    rows: Sequence[Example], generator: random.Random
) -> Callable[[Example], str | None]:
    """The lemma with the change that another row of the same cell has."""
    changes: dict[str, list[Change]] = defaultdict(list)
    for row in rows:
        changes[row.features].append(Change.of(tuple(row.lemma), tuple(row.form)))

    def mistake(row: Example) -> str | None:
        for _ in range(20):
            form = generator.choice(changes[row.features]).apply(tuple(row.lemma))
            if form and "".join(form) != row.form:
                return "".join(form)
        return None

    return mistake


def slips(rows: Sequence[Example], generator: random.Random) -> Callable[[Example], str | None]:
    """The form with one symbol left out, doubled or replaced by another."""
    symbols = sorted({symbol for row in rows for symbol in row.form})

    def mistake(row: Example) -> str | None:
        place = generator.randrange(len(row.form))
        before, symbol, after = row.form[:place], row.form[place], row.form[place + 1 :]
        middle = generator.choice(["", 2 * symbol, generator.choice(symbols)])
        form = before + middle + after
        return form if form and form != row.form else None

    return mistake


MISTAKES: dict[str, Mistakes] = {"another class": of_other_classes, "slips": slips}


def plant(
    rows: Sequence[Example], generator: random.Random, mistakes: Mistakes
) -> tuple[list[Example], set[int]]:
    """The rows with wrong forms among them, and which these are."""
    mistake = mistakes(rows, generator)
    spoilt, planted = list(rows), set[int]()
    order = list(range(len(rows)))
    generator.shuffle(order)
    for number in order:
        if len(planted) >= PLANTED * len(rows):
            break
        if form := mistake(rows[number]):
            spoilt[number] = rows[number]._replace(form=form)
            planted.add(number)
    return spoilt, planted


def found(corpora: Path, name: str, seed: int, mistakes: Mistakes) -> float:
    """The share of planted errors among the first rows, in %."""
    iso, pos, n_lemmas = WORDS[name]
    by_lemma = words(corpora, iso, pos)
    generator = random.Random(seed)
    lemmas = sorted(by_lemma)
    generator.shuffle(lemmas)
    rows = [row for lemma in lemmas[:n_lemmas] for row in by_lemma[lemma]][:MOST_ROWS]
    spoilt, planted = plant(rows, generator, mistakes)
    first = suspects(spoilt)[: round(LISTED * len(rows))]
    return 100 * len(planted & {suspect.row for suspect in first}) / len(planted)


def page(measured: Measured) -> str:
    lines = [
        "# Planted errors",
        "",
        "Written by `python -m benchmarks.planted`: 1 % of the forms are made by another class, or",
        "get a slip of the pen; how many % of these are among the first 2 % of the doubtful rows,",
        "by seed.",
    ]
    for kind in MISTAKES:
        lines += [
            "",
            f"| {kind} | {' | '.join(f'seed {seed}' for seed in SEEDS)} | mean |",
            f"| --- |{' ---: |' * (len(SEEDS) + 1)}",
        ]
        for name in WORDS:
            shares = [measured.figures[f"{name}, {kind}, seed {seed}"] for seed in SEEDS]
            figures = " | ".join(f"{share:.0f}" for share in (*shares, mean(shares)))
            lines.append(f"| {name} | {figures} |")
    return "\n".join(lines) + "\n"


@click.command()
@click.option("--corpora", type=click.Path(path_type=Path, exists=True), required=True)
@click.option("--out", type=Path, default=Path("results/planted"))
def main(corpora: Path, out: Path) -> None:
    measured = Measured(out / "figures.json")
    for (kind, mistakes), name, seed in product(MISTAKES.items(), WORDS, SEEDS):
        measure = partial(found, corpora, name, seed, mistakes)
        measured.get(f"{name}, {kind}, seed {seed}", measure)
    with write_whole(out / "README.md") as file:
        file.write(page(measured))
    click.echo(page(measured), nl=False)


if __name__ == "__main__":
    main()
