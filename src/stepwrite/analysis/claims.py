"""The paper's claims about hard and soft attention, each expressed as a number and tested."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from stepwrite.analysis.estimates import difference, over_members
from stepwrite.evaluation.metrics import Estimate
from stepwrite.kinds import HARD


@dataclass(frozen=True)
class Claim:
    """A measure for which the paper claims that one model has the larger value.

    hard, soft: the values of the members; one of them may be missing. limit: the value to compare
    with if the claim is about one model alone.
    """

    text: str
    measure: str
    larger: str  # the kind; empty if a limit is to be reached
    hard: Sequence[float] = ()
    soft: Sequence[float] = ()
    limit: float = math.nan

    @property
    def estimates(self) -> tuple[Estimate | None, Estimate | None]:
        hard, soft = (over_members(side) if side else None for side in (self.hard, self.soft))
        return hard, soft

    @property
    def margin(self) -> Estimate | None:
        """By how much the claim is met, with its interval; None if a model is missing."""
        if not self.larger:
            [side] = [side for side in (self.hard, self.soft) if side]
            return difference(side, [self.limit] * len(side))
        if not self.hard or not self.soft:
            return None
        sides = (self.hard, self.soft) if self.larger == HARD.name else (self.soft, self.hard)
        return difference(*sides)

    @property
    def verdict(self) -> str:
        """The verdict given by the interval of the margin.

        >>> Claim("", "", HARD.name, hard=[0.9, 0.91], soft=[0.5, 0.51]).verdict
        'holds'
        >>> Claim("", "", "soft", hard=[0.9, 0.91], soft=[0.5, 0.51]).verdict
        'does not hold'
        >>> Claim("", "", HARD.name, hard=[0.5, 0.9], soft=[0.4, 0.8]).verdict
        'undecided'
        """
        margin = self.margin
        if margin is None:
            return "needs both models"
        if math.isnan(margin.low):
            return "undecided: one member"
        if margin.low > 0:
            return "holds"
        return "does not hold" if margin.high < 0 else "undecided"
