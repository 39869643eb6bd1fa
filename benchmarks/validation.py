"""Is the accuracy on unseen lemmas that training reports that of a test set?

    python -m benchmarks.validation --data DIR --runs DIR [--size low] [--language german]...

`DIR` contains CoNLL-SIGMORPHON 2017 (`conll2017/german-train-low`, `german-test`, ...). A model is
trained on each training set without a dev set, and what training reports is compared with the
accuracy on the rows of the test set whose lemmas are not in the training set. The same is done
with the rules alone, for all languages, which takes seconds. Models that are trained already are
used, and an interrupted one is resumed. Writes results/validation/README.md, networks.tsv and
rules.tsv.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import click

import stepwrite
from stepwrite import Example
from stepwrite.data.segmentation import Segmentation
from stepwrite.evaluation.metrics import Estimate
from stepwrite.evaluation.rules import RuleBaseline
from stepwrite.evaluation.validation import Summary, ValidatedRow, lemma_key, read_validation
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


@dataclass(frozen=True)
class Result:
    """What training reported and what is true, in percent.

    unseen: exact match on the test rows of unseen lemmas. whole: on all test rows.
    measured: what the folds showed, before the gain was added.
    """

    language: str
    size: str
    folds: int
    lemmas: int
    measured: float
    reported: float
    low: float
    high: float
    unseen: float
    unseen_rows: int
    whole: float

    @property
    def is_covered(self) -> bool:
        return self.low <= self.unseen <= self.high


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
    summary = validation.summary
    return result(language, size, summary, summary.accuracy, train, test, forms)


def rules_result(data: Path, language: str, size: str, seed: int) -> Result:
    """The same with the rules in the place of a network."""
    train = stepwrite.read(data / f"conll2017/{language}-train-{size}")
    test = stepwrite.read(data / f"conll2017/{language}-test")
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
    return result(language, size, summary, summary.rules, train, test, forms)


def result(
    language: str,
    size: str,
    summary: Summary,
    reported: Estimate,
    train: Sequence[Example],
    test: Sequence[Example],
    forms: Sequence[str],
) -> Result:
    known = {lemma_key(example.lemma) for example in train}
    right = [
        (lemma_key(example.lemma) in known, SPLIT.form(form) == SPLIT.form(example.form))
        for example, form in zip(test, forms, strict=True)
    ]
    unseen = [is_right for is_known, is_right in right if not is_known]
    return Result(
        language,
        size,
        summary.folds,
        summary.lemmas,
        *(
            round(100 * share, 2)
            for share in (
                reported.value - summary.gain,
                reported.value,
                reported.low,
                reported.high,
                sum(unseen) / max(1, len(unseen)),
            )
        ),
        len(unseen),
        round(100 * sum(is_right for _, is_right in right) / len(right), 2),
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
            inside = sum(r.is_covered for r in found)
            before, after = (
                sum(getattr(r, part) - r.unseen for r in found) / len(found)
                for part in ("measured", "reported")
            )
            yield (
                f"- {name}, {size}: {inside} of {len(found)} inside; on average the folds differ "
                f"from the test set by {before:+.1f} points, the report by {after:+.1f}."
            )


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
@click.option("--seeds", default=5, show_default=True, help="Divisions into folds, for the rules.")
@click.option("--out", type=Path, default=Path("results/validation"), show_default=True)
def main(
    data: Path,
    runs: Path,
    sizes: Sequence[str],
    languages: Sequence[str],
    seeds: int,
    out: Path,
) -> None:
    """Compare the reported accuracy on unseen lemmas with that on test sets."""
    out.mkdir(parents=True, exist_ok=True)
    names = sorted(
        path.name.removesuffix("-train-medium")
        for path in (data / "conll2017").glob("*-train-medium")
        if path.with_name(path.name.replace("-train-medium", "-test")).exists()
    )
    rules = [
        found
        for size in sizes
        for name in names
        for seed in range(1, seeds + 1)
        if (found := rules_result(data, name, size, seed)).unseen_rows >= 200
    ]
    write(out / "rules.tsv", rules)
    networks: list[Result] = []
    for size in sizes:
        for language in languages:
            networks.append(network_result(data, runs, language, size))
            write(out / "networks.tsv", networks)
            with write_whole(out / "README.md") as file:
                print(page(networks, rules, seeds), file=file)
            print(*table(networks[-1:]), sep="\n")


def page(networks: Sequence[Result], rules: Sequence[Result], seeds: int) -> str:
    return "\n".join(
        [
            "# Accuracy on unseen lemmas: reported and true",
            "Written by `python -m benchmarks.validation`. CoNLL-SIGMORPHON 2017, training without "
            "a dev set. *test* is the exact match on the rows of the test set whose lemmas are not "
            "in the training set, in percent.",
            "",
            *table(networks),
            "",
            *summed_up("networks", networks),
            *summed_up(f"rules, {seeds} divisions into folds per language", rules),
        ]
    )


if __name__ == "__main__":
    main()
