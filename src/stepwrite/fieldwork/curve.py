"""How accuracy grows with the number of lemmas, and how it may go on.

Only the rules are quick enough to be learnt from many parts of the data. Their error falls like a
power of the number of lemmas; the projection lets the network's error fall by the same power.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from stepwrite.data.examples import Example
from stepwrite.data.segmentation import Segmentation
from stepwrite.evaluation.rules import RuleBaseline

SHARES = (0.1, 0.2, 0.4, 0.8)
"""Parts of the lemmas that the rules are learnt from; a fifth is kept to measure on."""
ROUNDS = 5
FEWEST = 20
"""Lemmas below which there is no curve."""
MOST_ROWS = 20_000
LEAST_ERROR = 0.002


@dataclass(frozen=True)
class Curve:
    """points: numbers of lemmas, and the accuracy of the rules learnt from so many.

    power: of the number of lemmas, by which the error falls; 0 where it does not.
    """

    points: tuple[tuple[int, float], ...]
    power: float

    def projected(self, accuracy: float, times: float) -> float:
        """What becomes of an accuracy with so many times the lemmas.

        >>> Curve((), 0.5).projected(0.6, 4)
        0.8
        """
        return float(1 - (1 - accuracy) * times**-self.power)


def learning_curve(
    examples: Sequence[Example], segmentation: Segmentation = Segmentation(), seed: int = 0
) -> Curve | None:
    """The rules' learning curve on unseen lemmas; None if there are too few lemmas."""
    lemmas = sorted({example.lemma for example in examples})
    if len(lemmas) < FEWEST:
        return None
    generator = random.Random(seed)
    right: dict[int, list[float]] = {round(share * len(lemmas)): [] for share in SHARES}
    for _ in range(ROUNDS):
        generator.shuffle(lemmas)
        ranks = {lemma: rank for rank, lemma in enumerate(lemmas)}
        sample = list(examples)
        if len(sample) > MOST_ROWS:
            sample = generator.sample(sample, MOST_ROWS)
        unseen = [row for row in sample if ranks[row.lemma] >= 0.8 * len(lemmas)]
        for size, accuracies in right.items():
            seen = [row for row in sample if ranks[row.lemma] < size]
            if seen and unseen:
                accuracies.append(RuleBaseline.fit(seen, segmentation).accuracy(unseen))
    points = tuple((size, sum(found) / len(found)) for size, found in right.items() if found)
    return Curve(points, fitted_power(points))


def fitted_power(points: Sequence[tuple[int, float]]) -> float:
    """The power that fits best by least squares of logarithms, between 0 and 1.

    >>> round(fitted_power([(n, 1 - n**-0.5) for n in (10, 20, 40)]), 6)
    0.5
    """
    xs = [log(size) for size, _ in points]
    ys = [log(max(1 - accuracy, LEAST_ERROR)) for _, accuracy in points]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((a - x) ** 2 for a in xs)
    slope = sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / spread if spread else 0.0
    return min(1.0, max(0.0, -slope))
