"""How good a model is on lemmas that it has not seen, told from its training data alone.

Networks are trained on some of the lemmas and asked for the forms of the others; what they answer
is kept, row by row, beside what the rules answer. The rows of one lemma are right or wrong
together, so intervals count lemmas, not rows.
"""

from __future__ import annotations

import csv
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from stepwrite.data.examples import Example
from stepwrite.errors import DataError
from stepwrite.evaluation.metrics import Estimate, wilson
from stepwrite.files import write_whole

VALIDATION = "validation.tsv"


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
class Validation:
    """All rows that were held out, in the order of the training data."""

    rows: tuple[ValidatedRow, ...]

    @cached_property
    def folds(self) -> int:
        """1: one split. More: cross-validation, in which every row was held out once."""
        return max(row.fold for row in self.rows)

    @property
    def accuracy(self) -> Estimate:
        """The network's exact match."""
        return accuracy_of(self.rows)

    @property
    def rules(self) -> Estimate:
        """The exact match of the rules."""
        return clustered([row.rules_correct for row in self.rows], map(lemma_of, self.rows))


def accuracy_of(rows: Sequence[ValidatedRow]) -> Estimate:
    """The network's exact match on some rows; none is an error."""
    return clustered([row.correct for row in rows], map(lemma_of, rows))


def lemma_of(row: ValidatedRow) -> str:
    return lemma_key(row.example.lemma)


def lemma_key(lemma: str) -> str:
    """What lemmas are compared by: both encodings of `é` are one lemma.

    >>> lemma_key("e\\u0301te\\u0301 ") == lemma_key("été")
    True
    """
    return normalize("NFC", lemma).strip()


def clustered(
    correct: Sequence[bool] | NDArray[np.bool_], clusters: Iterable[Hashable], extra: float = 0.0
) -> Estimate:
    """The share of right rows with a 95 % interval that allows for rows being alike in a cluster.

    Wilson's interval for as many independent rows as would have the variance of the clusters'
    sums (Kish's effective sample size). extra: a further variance of the share.

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


def write_validation(path: Path, rows: Iterable[ValidatedRow]) -> None:
    """Write the rows, whole or not at all."""
    with write_whole(path) as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(HEADER)
        for row in rows:
            writer.writerow(
                [
                    row.row,
                    row.fold,
                    *row.example,
                    row.predicted,
                    f"{row.probability:.6g}",
                    f"{row.gold_probability:.6g}",
                    row.rules,
                    int(row.correct),
                    int(row.rules_correct),
                ]
            )


def read_validation(folder: str | Path) -> Validation | None:
    """What a model directory says about unseen lemmas; None if it was trained without."""
    path = Path(folder) / VALIDATION
    if not path.exists():
        return None
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header, *lines = csv.reader(file, delimiter="\t")
        if tuple(header) != HEADER or not lines:
            raise ValueError("unknown columns or no rows")
        return Validation(tuple(_row(cells) for cells in lines))
    except (OSError, ValueError, csv.Error) as error:
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
