"""Is the accuracy on unseen lemmas that training reports that of a test set?

    python -m benchmarks.validation --data DIR --runs DIR
    python -m benchmarks.validation --data DIR --rules

`DIR` contains CoNLL-SIGMORPHON 2017 (`conll2017/german-train-low`, `german-test`, ...). A model is
trained on each training set without a dev set, and what training reports is compared with the
accuracy on the rows of the test set whose lemmas are not in the training set. Models that are
trained already are used, and an interrupted one is resumed.

With `--rules` the same is done with the rules in the place of networks, for all languages, and also
for random samples of `train-high`, tested on its other rows: the official training sets are no
random samples. This takes some minutes.

Writes networks.tsv or rules.tsv, and README.md from both, in results/validation.
"""

from __future__ import annotations

import csv
import os
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import click

import stepwrite
from stepwrite import Example
from stepwrite.data.segmentation import Segmentation
from stepwrite.evaluation.rules import RuleBaseline
from stepwrite.evaluation.validation import (
    Summary,
    ValidatedRow,
    Validation,
    accuracy_of,
    lemma_key,
    read_validation,
)
from stepwrite.files import write_whole
from stepwrite.model.directory import CONFIG, TRAINING
from stepwrite.training.validation import gain_of, make_folds, usual_folds

# The ten with the most rows of unseen lemmas in their test sets at the size medium.
LANGUAGES = (
    "finnish",
    "english",
    "russian",
    "hungarian",
    "serbo-croatian",
    "german",
    "swedish",
    "kurmanji",
    "italian",
    "latin",
)
SIZES = ("low", "medium")
SPLIT = Segmentation()
ENOUGH = 200  # test rows of unseen lemmas, to count a language
MOST_TESTED = 2_000  # rows


@dataclass(frozen=True)
class Result:
    """What training reported and what is true, in percent.

    source: "official" training sets or "random" ones. size: low or medium.
    measured: what the folds showed, before the gain was added.
    narrow_low, narrow_high: the interval without the variance that the folds have in common.
    unseen: exact match on the test rows of unseen lemmas. whole: on all test rows.
    """

    source: str
    language: str
    size: str
    folds: int
    lemmas: int
    measured: float
    reported: float
    low: float
    high: float
    narrow_low: float
    narrow_high: float
    unseen: float
    unseen_rows: int
    whole: float

    @property
    def is_covered(self) -> bool:
        return self.low <= self.unseen <= self.high

    @property
    def is_covered_narrowly(self) -> bool:
        return self.narrow_low <= self.unseen <= self.narrow_high


def network_result(data: Path, runs: Path, language: str, size: str) -> Result:
    """Train a network without a dev set, or load it, and test it."""
    folder = runs / f"{language}-{size}"
    train = stepwrite.read(data / f"conll2017/{language}-train-{size}")
    if (folder / TRAINING).exists():
        model = stepwrite.train(resume=folder, jobs=1)
    elif (folder / CONFIG).exists():
        model = stepwrite.load(folder)
    else:
        model = stepwrite.train(train, out=folder, jobs=1)
    validation = read_validation(folder)
    assert validation is not None
    test = stepwrite.read(data / f"conll2017/{language}-test")
    forms = [prediction.form for prediction in model.batch(test, warn=False)]
    return result("official", language, size, validation, train, test, forms)


def rules_results(data: Path, size: str, language: str, seeds: int) -> Iterator[Result]:
    """The same with the rules in the place of a network, several times."""
    folder = data / "conll2017"
    train = stepwrite.read(folder / f"{language}-train-{size}")
    test = stepwrite.read(folder / f"{language}-test")
    high = folder / f"{language}-train-high"
    pool = list(stepwrite.read(high)) if high.exists() else []
    for seed in range(1, seeds + 1):
        yield by_rules("official", language, size, train, test, seed)
        if pool:
            random.Random(f"{language} {seed}").shuffle(pool)
            sample, rest = pool[: len(train)], pool[len(train) :][:MOST_TESTED]
            yield by_rules("random", language, size, sample, rest, seed)


def by_rules(
    source: str,
    language: str,
    size: str,
    train: Sequence[Example],
    test: Sequence[Example],
    seed: int,
) -> Result:
    folds = make_folds(train, usual_folds(train), seed)
    rows = []
    for fold in folds:
        rules = RuleBaseline.fit([train[row] for row in fold.train])
        for row in fold.held_out:
            form = rules.predict(*train[row][:2])
            right = SPLIT.form(form) == SPLIT.form(train[row].form)
            rows.append(
                ValidatedRow(row, fold.number, train[row], form, 1.0, 1.0, form, right, right)
            )
    lemmas = {lemma_key(example.lemma) for example in train}
    summary = Summary.of(rows, len(train), len(lemmas), gain_of(train, folds, SPLIT))
    rules = RuleBaseline.fit(train)
    forms = [rules.predict(example.lemma, example.features) for example in test]
    return result(source, language, size, Validation(tuple(rows), summary), train, test, forms)


def result(
    source: str,
    language: str,
    size: str,
    validation: Validation,
    train: Sequence[Example],
    test: Sequence[Example],
    forms: Sequence[str],
) -> Result:
    summary, narrow = validation.summary, accuracy_of(validation.rows)
    known = {lemma_key(example.lemma) for example in train}
    right = [
        (lemma_key(example.lemma) in known, SPLIT.form(form) == SPLIT.form(example.form))
        for example, form in zip(test, forms, strict=True)
    ]
    unseen = [is_right for is_known, is_right in right if not is_known]

    def percent(share: float) -> float:
        return round(100 * share, 2)

    return Result(
        source=source,
        language=language,
        size=size,
        folds=summary.folds,
        lemmas=summary.lemmas,
        measured=percent(summary.accuracy.value - summary.gain),
        reported=percent(summary.accuracy.value),
        low=percent(summary.accuracy.low),
        high=percent(summary.accuracy.high),
        narrow_low=percent(narrow.low + summary.gain),
        narrow_high=percent(narrow.high + summary.gain),
        unseen=percent(sum(unseen) / max(1, len(unseen))),
        unseen_rows=len(unseen),
        whole=percent(sum(is_right for _, is_right in right) / len(right)),
    )


def table(results: Iterable[Result]) -> Iterator[str]:
    yield "| language | size | lemmas | folds | reported | 95 % interval | test | inside |"
    yield "|---|---|---|---|---|---|---|---|"
    for r in results:
        yield (
            f"| {r.language} | {r.size} | {r.lemmas} | {r.folds} | {r.reported:.1f} | "
            f"{r.low:.1f} to {r.high:.1f} | {r.unseen:.1f} | {'yes' if r.is_covered else 'no'} |"
        )


def summed_up(name: str, results: Sequence[Result]) -> Iterator[str]:
    for size in SIZES:
        found = [r for r in results if r.size == size]
        if found:
            before, after = (
                sum(getattr(r, part) - r.unseen for r in found) / len(found)
                for part in ("measured", "reported")
            )
            yield (
                f"- {name}, {size}: {sum(r.is_covered for r in found)} of {len(found)} inside "
                f"(without the variance that folds have in common: "
                f"{sum(r.is_covered_narrowly for r in found)}); on average the folds differ from "
                f"the test set by {before:+.1f} points, the report by {after:+.1f}"
            )


def read_results(path: Path) -> list[Result]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    kinds = {"int": int, "float": float, "str": str}
    return [
        Result(**{f.name: kinds[str(f.type)](row[f.name]) for f in fields(Result)}) for row in rows
    ]


def write(path: Path, results: Sequence[Result]) -> None:
    with write_whole(path) as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow([field.name for field in fields(Result)])
        writer.writerows(map(astuple, results))


@click.command()
@click.option("--data", type=Path, default=os.environ.get("STEPWRITE_CORPORA"), required=True)
@click.option("--runs", type=Path, default=Path("runs/validation"), show_default=True)
@click.option("--size", "sizes", type=click.Choice(SIZES), multiple=True, default=SIZES)
@click.option("--language", "languages", multiple=True, default=LANGUAGES)
@click.option("--rules", is_flag=True, help="Measure the rules, on all languages.")
@click.option("--seeds", default=3, show_default=True, help="Samples and folds, for the rules.")
@click.option("--out", type=Path, default=Path("results/validation"), show_default=True)
def main(
    data: Path,
    runs: Path,
    sizes: Sequence[str],
    languages: Sequence[str],
    rules: bool,
    seeds: int,
    out: Path,
) -> None:
    """Compare the reported accuracy on unseen lemmas with that on test sets."""
    out.mkdir(parents=True, exist_ok=True)
    found: list[Result] = []
    path = out / ("rules.tsv" if rules else "networks.tsv")
    if rules:
        languages = [
            train.name.removesuffix("-train-medium")
            for train in sorted((data / "conll2017").glob("*-train-medium"))
            if train.with_name(train.name.replace("-train-medium", "-test")).exists()
        ]
    for size in sizes:
        for language in languages:
            if rules:
                found += rules_results(data, size, language, seeds)
            else:
                found.append(network_result(data, runs, language, size))
                print(*table(found[-1:]), sep="\n")
            write(path, [result for result in found if result.unseen_rows >= ENOUGH])
    with write_whole(out / "README.md") as file:
        file.write(page(read_results(out / "networks.tsv"), read_results(out / "rules.tsv")))


def page(networks: Sequence[Result], rules: Sequence[Result]) -> str:
    official, sampled = (
        [result for result in rules if result.source == source] for source in ("official", "random")
    )
    lines = [
        "# Accuracy on unseen lemmas: reported and true",
        "Written by `python -m benchmarks.validation`, which describes it. CoNLL-SIGMORPHON 2017,",
        "training without a dev set. *test* is the exact match on the rows of the test set whose",
        "lemmas are not in the training set, in percent.",
        "",
        *(table(networks) if networks else ["No network has been measured yet."]),
        "",
        *summed_up("networks", networks),
        *summed_up("rules, official training sets", official),
        *summed_up("rules, random training sets", sampled),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
