"""Significance tests for the difference between two systems on the same gold rows.

Both tests take, for each row, whether system A and whether system B got it right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepwrite.errors import StepwriteError
from stepwrite.evaluation.metrics import Estimate, RowScores, Scores

Correct = Sequence[bool] | NDArray[np.bool_]


@dataclass(frozen=True)
class McNemar:
    """The numbers of rows that only one of the systems got right, and their p-value."""

    only_a: int
    only_b: int
    p_value: float


@dataclass(frozen=True)
class Bootstrap:
    """The exact match of A minus that of B, and its p-value."""

    difference: Estimate
    p_value: float
    samples: int
    seed: int


@dataclass(frozen=True)
class Comparison:
    """The scores of B, and tests of A's exact match against B's on the same rows."""

    scores: Scores
    mcnemar: McNemar
    bootstrap: Bootstrap


def compare(a: RowScores, b: RowScores) -> Comparison:
    return Comparison(
        b.summary(), mcnemar(a.correct, b.correct), paired_bootstrap(a.correct, b.correct)
    )


def mcnemar(correct_a: Correct, correct_b: Correct) -> McNemar:
    """McNemar's exact test, two-sided.

    If the systems were equally good, each row that only one of them got right would be a fair
    coin toss. The p-value is the probability of a result at least as uneven, computed in integers
    and rounded once, at the end.

    >>> mcnemar([True, True, True, True, True, False], [False] * 6)
    McNemar(only_a=5, only_b=0, p_value=0.0625)
    """
    only_a, only_b = discordant(correct_a, correct_b)
    tosses = only_a + only_b
    ways, tail = 1, 0
    for heads in range(min(only_a, only_b) + 1):
        tail += ways
        ways = ways * (tosses - heads) // (heads + 1)
    return McNemar(only_a, only_b, min(1.0, 2 * tail / 2**tosses))


def paired_bootstrap(
    correct_a: Correct, correct_b: Correct, samples: int = 10_000, seed: int = 0
) -> Bootstrap:
    """The difference in exact match under resampling of rows (Efron; Koehn 2004).

    The difference of a row is -1, 0 or 1, so a resample is determined by how many of each it
    draws: one multinomial draw has the same distribution as drawing the rows one by one, at a
    cost that does not depend on their number. The interval is the middle 95 % of the resampled
    differences. The p-value is twice the share of resamples on or beyond zero, counting the
    observed sample, so that it is never 0.

    >>> result = paired_bootstrap([True, True, True, False], [True, False, False, False])
    >>> result.difference
    Estimate(value=0.5, low=0.0, high=1.0)
    """
    only_a, only_b = discordant(correct_a, correct_b)
    rows = len(correct_a)
    if not rows:
        raise StepwriteError("nothing to compare: no rows")
    shares = np.array([only_a, only_b, rows - only_a - only_b]) / rows
    draws = np.random.default_rng(seed).multinomial(rows, shares, size=samples)  # (samples, 3)
    differences = (draws[:, 0] - draws[:, 1]) / rows
    low, high = np.quantile(differences, [0.025, 0.975])
    other_side = min((differences <= 0).sum(), (differences >= 0).sum())
    return Bootstrap(
        Estimate((only_a - only_b) / rows, float(low), float(high)),
        min(1.0, 2 * float(other_side + 1) / (samples + 1)),
        samples,
        seed,
    )


def discordant(correct_a: Correct, correct_b: Correct) -> tuple[int, int]:
    """The number of rows that only A got right, and that only B got right."""
    a, b = np.asarray(correct_a, dtype=bool), np.asarray(correct_b, dtype=bool)
    if len(a) != len(b):
        raise StepwriteError(f"{len(a)} rows and {len(b)} rows: not the same gold file")
    return int((a & ~b).sum()), int((b & ~a).sum())
