"""How good a model is on lemmas that it has not seen, told from its training data alone.

Networks are trained on some of the lemmas and asked for the forms of the others; what they answer
is kept, row by row, beside what the rules answer. The rows of one lemma are right or wrong
together, so intervals count lemmas, not rows.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from stepwrite.data.examples import Example
from stepwrite.errors import DataError
from stepwrite.evaluation.metrics import Estimate, wilson
from stepwrite.files import write_whole

ROWS, SUMMARY = "validation.tsv", "validation.json"


class ValidatedRow(NamedTuple):
    """A row of the training data and what models that never saw its lemma made of it.

    row: its number in the training data, from 0. fold: from 1.
    predicted, probability: the network's form. gold_probability: that of the row's own form by
    the network, 0 if it is not among its best. rules: the rule baseline's form.
    correct, rules_correct: whether these are the row's form.
    """

    row: int
    fold: int
    example: Example
    predicted: str
    probability: float
    gold_probability: float
    rules: str
    correct: bool
    rules_correct: bool


@dataclass(frozen=True)
class Summary:
    """What is reported of a model that was trained on all lemmas.

    folds: 1 is one split; more are cross-validation, in which every row was held out once.
    lemmas: of the training data. rows: how many were held out.
    gain: what the lemmas that the folds did without are worth, in accuracy: estimated, and
    included in accuracy and rules.
    inflation: by how much the variance is larger than that of independent lemmas, as the rows of
    all folds are learnt from the same few.
    accuracy, rules: exact match on unseen lemmas of one network and of the rules.
    """

    folds: int
    lemmas: int
    rows: int
    gain: float
    inflation: float
    accuracy: Estimate
    rules: Estimate

    @classmethod
    def of(
        cls, rows: Sequence[ValidatedRow], n_examples: int, n_lemmas: int, gain: float
    ) -> Summary:
        """The estimates are shifted by the gain, half of which counts as its standard error.

        The inflation is Nadeau and Bengio's (2003, "Inference for the generalization error"): one
        plus the number of folds times the ratio of rows held out to rows trained on.
        """
        n_folds = max(row.fold for row in rows)
        held_out = len(rows) / n_folds
        inflation = 1 + n_folds * held_out / max(1.0, n_examples - held_out)

        def estimate(correct: list[bool]) -> Estimate:
            found = clustered(correct, map(lemma_of, rows), inflation, extra=(gain / 2) ** 2)
            return Estimate(*(min(1.0, value + gain) for value in astuple(found)))

        return cls(
            folds=n_folds,
            lemmas=n_lemmas,
            rows=len(rows),
            gain=gain,
            inflation=inflation,
            accuracy=estimate([row.correct for row in rows]),
            rules=estimate([row.rules_correct for row in rows]),
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Summary:
        estimates = {name: Estimate(**data[name]) for name in ("accuracy", "rules")}
        return cls(**{**data, **estimates})


@dataclass(frozen=True)
class Validation:
    """All rows that were held out, in the order of the training data, and what they sum up to."""

    rows: tuple[ValidatedRow, ...]
    summary: Summary


def accuracy_of(rows: Sequence[ValidatedRow], inflation: float = 1.0) -> Estimate:
    """The network's exact match on some rows, of which there must be one.

    inflation: the summary's, for an interval that counts what the folds have in common.
    """
    return clustered([row.correct for row in rows], map(lemma_of, rows), inflation)


def in_percent(share: Estimate) -> str:
    """A share with its interval.

    >>> in_percent(Estimate(0.5, 0.4, 0.6))
    '50.0 % (40.0 to 60.0)'
    """
    return f"{100 * share.value:.1f} % ({100 * share.low:.1f} to {100 * share.high:.1f})"


def lemma_of(row: ValidatedRow) -> str:
    return lemma_key(row.example.lemma)


def lemma_key(lemma: str) -> str:
    """What lemmas are compared by: both encodings of `é` are one lemma.

    >>> lemma_key("e\\u0301te\\u0301 ") == lemma_key("été")
    True
    """
    return normalize("NFC", lemma).strip()


def clustered(
    correct: Sequence[bool] | NDArray[np.bool_],
    clusters: Iterable[Hashable],
    inflation: float = 1.0,
    extra: float = 0.0,
) -> Estimate:
    """The share of right rows with a 95 % interval that allows for rows being alike in a cluster.

    Wilson's interval for as many independent rows as would have the variance of the clusters'
    sums (Kish's effective sample size). inflation: a factor of that variance; extra: a further
    variance.

    >>> clustered([True, False] * 50, range(100))  # doctest: +ELLIPSIS
    Estimate(value=0.5, low=0.403..., high=0.596...)
    >>> clustered([True] * 50 + [False] * 50, [i // 10 for i in range(100)])  # doctest: +ELLIPSIS
    Estimate(value=0.5, low=0.2..., high=0.7...)
    """
    right = np.asarray(correct, dtype=np.float64)
    of = list(clusters)
    numbers = {cluster: number for number, cluster in enumerate(dict.fromkeys(of))}
    n_rows, n_clusters = len(right), len(numbers)
    if not n_rows:
        raise ValueError("no rows")
    share = float(right.mean())
    sums = np.zeros(n_clusters)
    np.add.at(sums, [numbers[cluster] for cluster in of], right - share)
    variance = float((sums**2).sum()) / n_rows**2 * n_clusters / max(1, n_clusters - 1)
    spread = share * (1 - share)
    # All right or all wrong shows no variance: then each lemma counts once.
    effective = min(n_rows, spread / variance) if variance > 0 else n_clusters
    effective /= inflation
    if extra > 0 and spread > 0:
        effective = spread / (spread / effective + extra)
    return wilson(share * effective, effective)


HEADER = (
    "row",
    "fold",
    "lemma",
    "features",
    "form",
    "predicted",
    "probability",
    "gold_probability",
    "rules",
    "correct",
    "rules_correct",
)


def write_validation(folder: Path, validation: Validation) -> None:
    """Write it beside a model; the summary comes last and makes it complete."""
    with write_whole(folder / ROWS) as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(HEADER)
        for row in validation.rows:
            numbers = (f"{row.probability:.6g}", f"{row.gold_probability:.6g}")
            flags = (int(row.correct), int(row.rules_correct))
            writer.writerow(
                [row.row, row.fold, *row.example, row.predicted, *numbers, row.rules, *flags]
            )
    with write_whole(folder / SUMMARY) as file:
        json.dump(asdict(validation.summary), file, indent=1)


def read_validation(folder: str | Path) -> Validation | None:
    """What is known of a model's accuracy on unseen lemmas; None if it was not measured."""
    path = Path(folder) / SUMMARY
    if not path.exists():
        return None
    try:
        summary = Summary.from_json(json.loads(path.read_text(encoding="utf-8")))
        path = path.with_name(ROWS)
        with path.open(encoding="utf-8", newline="") as file:
            header, *lines = csv.reader(file, delimiter="\t")
        if tuple(header) != HEADER or not lines:
            raise ValueError("unknown columns or no rows")
        return Validation(tuple(map(_row, lines)), summary)
    except (OSError, ValueError, KeyError, TypeError, csv.Error) as error:
        raise DataError(f"can't be read: {error}", path=str(path)) from None


def _row(cells: Sequence[str]) -> ValidatedRow:
    row, fold, lemma, features, form, predicted, probability, gold, rules, right, by_rules = cells
    return ValidatedRow(
        row=int(row),
        fold=int(fold),
        example=Example(lemma, features, form),
        predicted=predicted,
        probability=float(probability),
        gold_probability=float(gold),
        rules=rules,
        correct=right == "1",
        rules_correct=by_rules == "1",
    )
