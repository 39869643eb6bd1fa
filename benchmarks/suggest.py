"""Is it better to ask for the cells that `stepwrite suggest` chooses than for any cells?

    python -m benchmarks.suggest --corpora DIR

Simulated on CoNLL 2017: 100 forms are known (the low training set), and the speaker is asked about
cells of the high training set, 50 at a time: what to ask next depends on the answers. Accuracy on
the test set after so many answers, for cells chosen by `suggest` and at random; of the rules, and
of a small network where --network is given. Figures that are in results/suggest/figures.json are
not measured again.
"""

from __future__ import annotations

import random
import tempfile
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import click

import stepwrite
from benchmarks.measured import Measured
from stepwrite import Example, Inflector
from stepwrite.evaluation.metrics import bundle
from stepwrite.evaluation.rules import RuleBaseline
from stepwrite.fieldwork.analogy import LEMMA, Analogies, paradigms
from stepwrite.fieldwork.suggestion import choose
from stepwrite.files import write_whole

LANGUAGES = ("albanian", "finnish", "hungarian", "russian", "spanish", "turkish")
ASKED = (50, 100, 250, 500)
BATCH = 50
"""Questions asked before the next ones are chosen: what `stepwrite suggest` lists by default."""
SEEDS = (1, 2, 3)
NETWORK: dict[str, Any] = {"hidden": 100, "batch": 4, "jobs": 1, "folds": 0, "progress": False}
SEEN = 24_000
"""Examples that a network sees in training, whatever the size of its training set: with the same
number of epochs, more forms would mean more updates."""


class Language:
    """The rows of a language, and what was chosen of them."""

    def __init__(self, corpora: Path, name: str) -> None:
        def rows(part: str) -> list[Example]:
            return stepwrite.read(corpora / f"conll2017/{name}-{part}", layout="unimorph")

        self.name = name
        self.known, self.test = rows("train-low"), rows("test")
        asked = {(row.lemma, row.features) for row in self.known}
        pool = {(row.lemma, row.features): row for row in rows("train-high")}
        self.pool = [row for pair, row in pool.items() if pair not in asked]

    def at_random(self, n: int, seed: int) -> list[Example]:
        return random.Random(seed).sample(self.pool, n)

    def suggested(self, n: int, model: Inflector | None = None) -> list[Example]:
        """Answers to n questions. Without a model, each batch is chosen by what the rules doubt."""
        pool, answers = list(self.pool), list[Example]()
        while len(answers) < n:
            pairs = [(row.lemma, row.features) for row in pool]
            rows = [*self.known, *answers]
            if model is None:
                sure = sureness(rows, pairs)
            else:
                sure = [prediction.probability for prediction in model.batch(pairs, warn=False)]
            known = [(row.lemma, row.features) for row in rows]
            found = choose(pairs, known, min(BATCH, n - len(answers)), sure)
            chosen = {choice.candidate for choice in found}
            answers += [pool[number] for number in sorted(chosen)]
            pool = [row for number, row in enumerate(pool) if number not in chosen]
        return answers

    def rules(self, answers: list[Example]) -> float:
        return 100 * RuleBaseline.fit([*self.known, *answers]).accuracy(self.test)

    def network(self, answers: list[Example], folder: Path) -> tuple[Inflector, float]:
        rows = [*self.known, *answers]
        model = stepwrite.train(rows, out=folder, epochs=SEEN // len(rows), **NETWORK)
        return model, 100 * stepwrite.evaluate(model, self.test).exact_match


def sureness(rows: list[Example], pairs: list[tuple[str, str]]) -> list[float]:
    """How sure endings of lemmas make the forms of pairs, by what the rows show."""
    analogies = Analogies(paradigms(rows))
    return [
        analogies.table(LEMMA, bundle(features)).opinion(tuple(lemma)).sureness
        for lemma, features in pairs
    ]


def measure_rules(language: Language, measured: Measured) -> None:
    name = f"{language.name}, rules"
    measured.get(f"{name}, 0", lambda: language.rules([]))
    for n in ASKED:
        measured.get(f"{name}, suggest {n}", partial(suggested, language, n))
        measured.get(f"{name}, random {n}", partial(at_random, language, n))


def suggested(language: Language, n: int) -> float:
    return language.rules(language.suggested(n))


def at_random(language: Language, n: int) -> float:
    return mean(language.rules(language.at_random(n, seed)) for seed in SEEDS)


def measure_networks(language: Language, measured: Measured) -> None:
    """The first model, random choice at the most questions, and `suggest` at half as many."""
    name = f"{language.name}, network"
    most, half = ASKED[-1], ASKED[-2]
    with tempfile.TemporaryDirectory() as folder:
        if f"{name}, suggest {half}" not in measured.figures:
            first, accuracy = language.network([], Path(folder) / "first")
            measured.add({f"{name}, 0": accuracy})
            answers = language.suggested(half, first)
            _, accuracy = language.network(answers, Path(folder) / "suggest")
            measured.add({f"{name}, suggest {half}": accuracy})
        if f"{name}, random {most}" not in measured.figures:
            answers = language.at_random(most, 1)
            _, accuracy = language.network(answers, Path(folder) / "random")
            measured.add({f"{name}, random {most}": accuracy})


def page(measured: Measured) -> str:
    lines = [
        "# Asking for what `stepwrite suggest` chooses, and asking at random",
        "",
        "Written by `python -m benchmarks.suggest`: exact match in % on the test sets of CoNLL",
        f"2017 with 100 known forms and so many answers, asked for {BATCH} at a time. Random",
        f"choice with the rules is the mean of {len(SEEDS)} draws, with networks (hidden size 100,",
        f"trained on {SEEN:,} examples of any training set) one draw.",
    ]
    ways = ["0", *(f"{way} {n}" for n in ASKED for way in ("random", "suggest"))]
    few = ["0", f"random {ASKED[-1]}", f"suggest {ASKED[-2]}"]
    for learner, columns in (("rules", ways), ("network", few)):
        figures = {}
        for name in LANGUAGES:
            row = [measured.figures.get(f"{name}, {learner}, {column}") for column in columns]
            if None not in row:
                figures[name] = [figure for figure in row if figure is not None]
        if figures:
            figures["mean"] = [mean(column) for column in zip(*figures.values(), strict=True)]
            lines += [
                "",
                f"| {learner} | {' | '.join(columns)} |",
                f"| --- |{' ---: |' * len(columns)}",
                *(
                    f"| {name} | {' | '.join(f'{figure:.1f}' for figure in row)} |"
                    for name, row in figures.items()
                ),
            ]
    return "\n".join(lines) + "\n"


@click.command()
@click.option("--corpora", type=click.Path(path_type=Path, exists=True), required=True)
@click.option("--network", is_flag=True, help="Train networks, too: some minutes per language.")
@click.option("--out", type=Path, default=Path("results/suggest"))
def main(corpora: Path, network: bool, out: Path) -> None:
    measured = Measured(out / "figures.json")
    for name in LANGUAGES:
        language = Language(corpora, name)
        measure_rules(language, measured)
        if network:
            measure_networks(language, measured)
        click.echo(f"{name}: done", err=True)
    with write_whole(out / "README.md") as file:
        file.write(page(measured))
    click.echo(page(measured), nl=False)


if __name__ == "__main__":
    main()
