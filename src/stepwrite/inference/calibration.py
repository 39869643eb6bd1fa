"""Calibrated probabilities: what a network says, corrected by how often it was right on dev."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from stepwrite.errors import StepwriteError

FEWEST = 30  # words in a group, so that a few lucky ones do not make certainty
PRIOR = 0.5  # Jeffreys: half a word right and half a word wrong in every group


@dataclass(frozen=True)
class Calibration:
    """A rising curve from the network's probabilities to shares of right forms.

    points: the mean probability of a group of dev words, and the share of them that were right;
    between them the curve is straight, beyond them level.

    >>> sure = [(0.99, number % 5 > 0) for number in range(100)]  # right in 80 of 100
    >>> calibration = Calibration.fit([*sure, *((0.3, number % 5 > 3) for number in range(100))])
    >>> round(calibration(0.99), 2), round(calibration(0.1), 2), round(calibration(0.645), 2)
    (0.8, 0.2, 0.5)
    """

    points: tuple[tuple[float, float], ...]

    @classmethod
    def fit(cls, outcomes: Iterable[tuple[float, bool]]) -> Calibration:
        """Isotonic regression (pool adjacent violators) of probabilities and whether it was right.

        Words of equal probability stay together, and no group is smaller than `FEWEST`.
        """
        groups: list[list[float]] = []  # words, sum of probabilities, words that were right
        last = -1.0
        for probability, right in sorted(outcomes):
            if not groups or (groups[-1][0] >= FEWEST and probability != last):
                groups.append([0, 0.0, 0])
            words, total, n_right = groups[-1]
            groups[-1] = [words + 1, total + probability, n_right + right]
            last = probability
        if len(groups) > 1 and groups[-1][0] < FEWEST:
            _merge_last(groups)
        pooled: list[list[float]] = []
        for group in groups:
            pooled.append(group)
            while len(pooled) > 1 and _share(pooled[-2]) >= _share(pooled[-1]):
                _merge_last(pooled)
        return cls(
            tuple((round(total / words, 8), round(_share(group), 6))
                  for group in pooled for words, total, _ in [group])
        )  # fmt: skip

    def __call__(self, probability: float) -> float:
        xs, ys = self._axes
        if not xs:
            return probability
        place = bisect_left(xs, probability)
        if place == 0:
            return ys[0]
        if place == len(xs):
            return ys[-1]
        (x0, x1), (y0, y1) = xs[place - 1 : place + 1], ys[place - 1 : place + 1]
        return y0 + (y1 - y0) * (probability - x0) / (x1 - x0)

    @cached_property
    def _axes(self) -> tuple[list[float], list[float]]:
        return [x for x, _ in self.points], [y for _, y in self.points]

    def to_json(self) -> list[list[float]]:
        return [list(point) for point in self.points]

    @classmethod
    def from_json(cls, data: object) -> Calibration:
        points: list[tuple[float, float]] = []
        for pair in data if isinstance(data, list) else [data]:
            match pair:
                case [int() | float() as x, int() | float() as y] if (
                    0 <= min(x, y) <= max(x, y) <= 1
                ):
                    points.append((x, y))
                case _:
                    raise StepwriteError(f"calibration: not a point: {pair!r:.100}")
        if any(x0 >= x1 or y0 > y1 for (x0, y0), (x1, y1) in pairwise(points)):
            raise StepwriteError("calibration: the curve does not rise")
        return cls(tuple(points))


def calibration_error(outcomes: Sequence[tuple[float, bool]], bins: int = 10) -> float:
    """Expected calibration error: by how much probability and accuracy differ, over equal bins.

    >>> calibration_error([(0.95, True)] * 8 + [(0.95, False)] * 2)
    0.15
    """
    by_bin: dict[int, list[tuple[float, bool]]] = {}
    for probability, right in outcomes:
        by_bin.setdefault(min(int(probability * bins), bins - 1), []).append((probability, right))
    gaps = (abs(sum(p - right for p, right in inside)) for inside in by_bin.values())
    return round(sum(gaps) / len(outcomes), 6)


def _share(group: Sequence[float]) -> float:
    """The share of right words in a group, with the prior."""
    words, _, n_right = group
    return (n_right + PRIOR) / (words + 2 * PRIOR)


def _merge_last(groups: list[list[float]]) -> None:
    last = groups.pop()
    groups[-1] = [one + other for one, other in zip(groups[-1], last, strict=True)]
