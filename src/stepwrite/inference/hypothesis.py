"""What search finds: a sequence of actions, and how probable it is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Hypothesis:
    """A sequence of actions (ids), the positions attended at each, their log probability.

    `complete` is false where the limit came before the end.
    """

    actions: tuple[int, ...]
    positions: tuple[int, ...]
    score: float
    complete: bool
