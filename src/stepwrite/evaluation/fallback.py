"""Rules that answer where a network is unsure.

With few training examples, prefix and suffix rules are often right where a network hesitates. How
unsure it has to be is decided on words that neither has seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from stepwrite.data.examples import Example
from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import StepwriteError

if TYPE_CHECKING:
    from stepwrite.evaluation.rules import RuleBaseline

MOST_EXAMPLES = 1_500  # with more, a network knows better even where it is unsure
LIMITS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
GAIN = 0.005  # of all words, at least; less may be chance


@dataclass(frozen=True)
class Fallback:
    """The rules, as the examples that they are learnt from, and when they answer.

    below: where the network's probability is below this.

    >>> words = ("machen", "gemacht"), ("lachen", "gelacht"), ("wachen", "gewacht")
    >>> examples = tuple(Example(lemma, "V.PTCP", form) for lemma, form in words)
    >>> fallback = Fallback(examples, below=0.4)
    >>> fallback("krachen", "V.PTCP", 0.3), fallback("krachen", "V.PTCP", 0.5)
    ('gekracht', None)
    >>> fallback("krachen", "V;PST", 0.3)  # of a bundle that they never saw, rules know less
    """

    examples: tuple[Example, ...]
    below: float
    segmentation: Segmentation = Segmentation()

    def __call__(self, lemma: str, features: str, probability: float) -> str | None:
        """The rules' form of a word that the network has a form of that probability for."""
        return self.form(lemma, features) if probability < self.below else None

    def form(self, lemma: str, features: str) -> str | None:
        return self._rules.predict(lemma, features) if features in self._rules.ends else None

    @cached_property
    def _rules(self) -> RuleBaseline:
        from stepwrite.evaluation.rules import RuleBaseline  # most models need none

        return RuleBaseline.fit(self.examples, self.segmentation)

    def to_json(self) -> dict[str, object]:
        return {"below": self.below, "examples": [list(example) for example in self.examples]}

    @classmethod
    def from_json(cls, data: object, segmentation: Segmentation) -> Fallback:
        match data:
            case {"below": float(below), "examples": list(rows)} if 0 <= below <= 1:
                if all(
                    isinstance(row, list) and len(row) == 3 and all(isinstance(t, str) for t in row)
                    for row in rows
                ):
                    return cls(tuple(Example(*row) for row in rows), below, segmentation)
        raise StepwriteError(f"rules: expected a limit and examples, got {data!r:.100}")


def best_limit(outcomes: Sequence[tuple[float, bool, bool | None]]) -> float:
    """Below which probability rules should answer; 0 where they do not help enough.

    outcomes: of words that were not trained on, the network's probability, whether it is right, and
    whether the rules are; None where they have no answer.

    >>> best_limit([(0.2, False, True)] * 10 + [(0.9, True, False)] * 90)
    0.3
    >>> best_limit([(0.2, True, False)] * 10 + [(0.9, True, None)] * 90)
    0.0
    """
    gains = {
        limit: sum(
            by_rules - right
            for p, right, by_rules in outcomes
            if p < limit and by_rules is not None
        )
        for limit in LIMITS
    }
    best = max(LIMITS, key=lambda limit: (gains[limit], -limit))
    return best if gains[best] > GAIN * len(outcomes) else 0.0
