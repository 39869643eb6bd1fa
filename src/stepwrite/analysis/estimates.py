"""Means over members, and differences between two models, with confidence intervals.

Members differ only in their seeds, so an interval over them shows how much a number may vary with
another training run; it does not include the variance from the choice of words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, variance

from stepwrite.evaluation.metrics import Z95, Estimate

# Student's t, 97.5 %, for 1 to 20 degrees of freedom: five members are too few for 1.96.
T95 = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
)


def over_members(values: Sequence[float], most: float = math.inf) -> Estimate:
    """The mean over members with its 95 % interval; NaN bounds for a single member.

    most: the largest possible value, such as 100 %, where the interval is clipped.

    >>> over_members([1.0, 2.0, 3.0])  # doctest: +ELLIPSIS
    Estimate(value=2.0, low=-0.484..., high=4.484...)
    """
    if len(values) < 2:
        return Estimate(fmean(values), math.nan, math.nan)
    around = _around(fmean(values), variance(values) / len(values), len(values) - 1)
    return Estimate(around.value, around.low, min(around.high, most))


def difference(a: Sequence[float], b: Sequence[float]) -> Estimate:
    """The mean of `a` minus that of `b`, with Welch's interval: variances may differ.

    >>> difference([3.0, 4.0, 5.0], [1.0, 2.0, 3.0])  # doctest: +ELLIPSIS
    Estimate(value=2.0, low=-0.266..., high=4.266...)
    """
    value = fmean(a) - fmean(b)
    if min(len(a), len(b)) < 2:
        return Estimate(value, math.nan, math.nan)
    parts = [(variance(x) / len(x), len(x) - 1) for x in (a, b)]
    squared = sum(part for part, _ in parts)
    freedom = squared**2 / (sum(part**2 / n for part, n in parts) or math.inf)
    return _around(value, squared, max(1, int(freedom)))


def _around(value: float, squared_error: float, freedom: int) -> Estimate:
    half = (T95[freedom - 1] if freedom <= len(T95) else Z95) * math.sqrt(squared_error)
    return Estimate(value, value - half, value + half)
