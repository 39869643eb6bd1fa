"""The paper's claims about hard and soft attention, each turned into a number and judged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from stepwrite.analysis.estimates import difference, over_members
from stepwrite.evaluation.metrics import Estimate
from stepwrite.kinds import HARD


@dataclass(frozen=True)
class Claim:
    """A measure of which the paper says that one side has more.

    hard, soft: the members' values; one of them may be missing. limit: what the number is held
    against where it is about one model alone.
    """

    text: str
    measure: str
    larger: str  # the kind; empty where a limit is to be reached
    hard: Sequence[float] = ()
    soft: Sequence[float] = ()
    limit: float = math.nan

    @property
    def estimates(self) -> tuple[Estimate | None, Estimate | None]:
        hard, soft = (over_members(side) if side else None for side in (self.hard, self.soft))
        return hard, soft

    @property
    def margin(self) -> Estimate | None:
        """By how much the claim is met, with its interval; None where a side is missing."""
        if not self.larger:
            [side] = [side for side in (self.hard, self.soft) if side]
            return difference(side, [self.limit] * len(side))
        if not self.hard or not self.soft:
            return None
        sides = (self.hard, self.soft) if self.larger == HARD.name else (self.soft, self.hard)
        return difference(*sides)

    @property
    def verdict(self) -> str:
        """As the interval of the margin has it.

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
