"""Scores of predicted forms: how many are right, how far off the others are, and where.

Every row of the gold file counts, even if several rows share lemma and features. Words are
compared as symbols after NFC, so different encodings of the same word are equal.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from stepwrite.data.examples import Example
from stepwrite.data.features import part_of_speech
from stepwrite.data.segmentation import Segmentation, Symbols
from stepwrite.errors import StepwriteError

Z95 = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class Estimate:
    """A score with its 95 % confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Scores:
    """The scores of a set of rows; proportions are between 0 and 1."""

    rows: int
    exact_match: Estimate
    edit_distance: Estimate
    normalised_edit_distance: Estimate
    reciprocal_rank: Estimate

    @property
    def wrong(self) -> int:
        """Rows whose best guess is not the gold form."""
        return self.rows - round(self.exact_match.value * self.rows)


@dataclass(frozen=True)
class RowScores:
    """The scores of each row, arrays of shape (rows,), from which any group is summarised."""

    distance: NDArray[np.int64]
    normalised: NDArray[np.float64]
    reciprocal_rank: NDArray[np.float64]

    @property
    def correct(self) -> NDArray[np.bool_]:
        return np.equal(self.distance, 0)

    def summary(self, rows: Sequence[int] | None = None) -> Scores:
        """The scores of some rows, by default of all; an empty selection is an error."""
        chosen = slice(None) if rows is None else np.asarray(rows, dtype=np.intp)
        distance = self.distance[chosen]
        if not len(distance):
            raise StepwriteError("nothing to score: no rows")
        return Scores(
            rows=len(distance),
            exact_match=wilson(int((distance == 0).sum()), len(distance)),
            edit_distance=mean(distance, limit=math.inf),
            normalised_edit_distance=mean(self.normalised[chosen], limit=1.0),
            reciprocal_rank=mean(self.reciprocal_rank[chosen], limit=1.0),
        )


def score(
    gold: Sequence[Example],
    predictions: Sequence[Sequence[str]],
    segmentation: Segmentation = Segmentation(),
) -> Scores:
    """Score each row's guesses, best first, against its gold form.

    >>> gold = [Example("Haus", "N;PL", "Häuser"), Example("Maus", "N;PL", "Mäuse")]
    >>> scores = score(gold, [["Häuser"], ["Mause", "Mäuse"]])
    >>> scores.exact_match.value, scores.edit_distance.value, scores.reciprocal_rank.value
    (0.5, 0.5, 0.75)
    """
    return score_rows(gold, predictions, segmentation).summary()


def score_rows(
    gold: Sequence[Example],
    predictions: Sequence[Sequence[str]],
    segmentation: Segmentation = Segmentation(),
) -> RowScores:
    """The edit distance of each row's best guess, and the rank of its first right one.

    A missing guess counts as the empty word. The normalised distance is divided by the length
    of the longer word, so it is at most 1. A repeated guess takes up no rank.
    """
    if len(gold) != len(predictions):
        raise StepwriteError(f"{len(predictions)} predictions for {len(gold)} gold rows")
    distances, normalised, ranks = [], [], []
    for number, (example, guesses) in enumerate(zip(gold, predictions, strict=True), start=1):
        form = segmentation.form(example.form)
        if not form:
            raise StepwriteError(f"row {number}: no gold form for {example.lemma!r}")
        ranked = list(dict.fromkeys(map(segmentation.form, guesses))) or [()]
        distance = Levenshtein.distance(form, ranked[0])
        distances.append(distance)
        normalised.append(distance / max(len(form), len(ranked[0])))
        ranks.append(reciprocal_rank(form, ranked))
    return RowScores(
        np.array(distances, dtype=np.int64),
        np.array(normalised, dtype=np.float64),
        np.array(ranks, dtype=np.float64),
    )


def reciprocal_rank(form: Symbols, ranked: Sequence[Symbols]) -> float:
    """1 if the best guess is right, 1/2 if the second is, ..., 0 if none is."""
    return 1 / (ranked.index(form) + 1) if form in ranked else 0.0


def wilson(successes: float, trials: float) -> Estimate:
    """A proportion with the Wilson score interval, accurate near 0 and 1 and in small samples.

    Wilson (1927): all proportions p for which the observed one lies within z standard errors
    of p, the standard error being that of p. Numbers that are not whole are effective ones.

    >>> estimate = wilson(10, 10)
    >>> estimate.value, round(estimate.low, 3), estimate.high
    (1.0, 0.722, 1.0)
    """
    share, z2 = successes / trials, Z95**2
    centre = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    half = Z95 * math.sqrt(share * (1 - share) / trials + z2 / (4 * trials**2)) / (1 + z2 / trials)
    # Rounding may push a bound past the proportion itself if that is 0 or 1.
    return Estimate(share, max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half)))


def mean(values: NDArray[np.int64] | NDArray[np.float64], limit: float) -> Estimate:
    """A mean with its normal interval, clipped to the possible range from 0 to `limit`.

    A single value says nothing about the variance: its interval is the whole range. If all
    values are equal, the interval has no width, as the sample's variance is all that is known;
    exact match, with its Wilson interval, is the score to look at in that case.

    >>> mean(np.array([0, 0, 1, 1]), limit=1.0)
    Estimate(value=0.5, low=0.0, high=1.0)
    """
    value = float(values.mean())
    spread = float(values.std(ddof=1)) if len(values) > 1 else math.inf
    half = Z95 * spread / math.sqrt(len(values))
    return Estimate(value, max(0.0, value - half), min(limit, value + half))


def breakdown(
    gold: Sequence[Example],
    rows: RowScores,
    train: Iterable[Example] | None = None,
    segmentation: Segmentation = Segmentation(),
) -> dict[str, dict[str, Scores]]:
    """The scores of groups of rows, the largest group first.

    `part_of_speech` and `features` are omitted if no row has features. With the training
    examples there are also `lemma` and `bundle`, each split into `seen` in training and
    `unseen`: what a model remembers, and what it generalises to.

    >>> gold = [Example("Haus", "N;PL", "Häuser"), Example("Maus", "N;PL", "Mäuse")]
    >>> groups = breakdown(gold, score_rows(gold, [["Häuser"], ["Maus"]]), train=gold[:1])
    >>> {label: scores.exact_match.value for label, scores in groups["lemma"].items()}
    {'seen': 1.0, 'unseen': 0.0}
    """
    labels: dict[str, list[str]] = {}
    if any(example.features for example in gold):
        labels["part_of_speech"] = [part_of_speech(example.features) for example in gold]
        labels["features"] = [bundle(example.features) for example in gold]
    if train is not None:
        lemmas: set[Symbols] = set()
        bundles: set[str] = set()
        for example in train:
            lemmas.add(segmentation.lemma(example.lemma))
            bundles.add(bundle(example.features))
        labels["lemma"] = [seen(segmentation.lemma(e.lemma) in lemmas) for e in gold]
        labels["bundle"] = [seen(bundle(e.features) in bundles) for e in gold]
    return {name: summaries(rows, column) for name, column in labels.items()}


def summaries(rows: RowScores, labels: Sequence[str]) -> dict[str, Scores]:
    """The scores of the rows with each label, the most frequent label first."""
    members: dict[str, list[int]] = {}
    for row, label in enumerate(labels):
        members.setdefault(label, []).append(row)
    ordered = sorted(members.items(), key=lambda item: (-len(item[1]), item[0]))
    return {label: rows.summary(chosen) for label, chosen in ordered}


def seen(known: bool) -> str:
    return "seen" if known else "unseen"


def bundle(features: str) -> str:
    """A feature string without the spaces that some files have around tags.

    >>> bundle("ADJ;ABL; PL")
    'ADJ;ABL;PL'
    """
    return re.sub(r"\s*([;,()])\s*", r"\1", features.strip())
