"""Predicted forms, where they come from, and how they look as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import exp
from typing import Any

from stepwrite.data.segmentation import Segmentation, Symbols
from stepwrite.inference.network_config import Direction
from stepwrite.morphology.doubts import doubts_about
from stepwrite.transducer.actions import Action, Move, trace


@dataclass(frozen=True)
class Alternative:
    """Another form. score: the logarithm of its probability."""

    form: str
    score: float

    @property
    def probability(self) -> float:
        return exp(self.score)


@dataclass(frozen=True)
class Prediction:
    """An inflected form and where it comes from.

    score: the logarithm of the form's probability, averaged over the members (a member that did
    not find the form counts as zero).
    votes: how many members chose it.
    actions, positions: those of the member with the highest probability; positions are on the
    padded lemma, with soft attention those of the largest weights. `steps` has both, and what
    was attended and written.
    direction: that member's; backward starts at the end of the word.
    complete: false where the limit on the number of actions cut the form off.
    attention: of a soft model, on request: that member's weights, one row per action.
    alternatives: further forms, best first, on request.
    attested: whether the model's lexicon has the form for this lemma and these features; None
    where it was not consulted. A form of the lexicon comes with the score of certainty, 0, and
    without votes and actions, unless the network was asked and wrote the same. Other attested
    forms of the cell are among the alternatives.
    notes: what the request left open and how it was filled in, such as `gender=NEUT (lexicon)`.
    segmentation: how the lemma falls into symbols.
    read: the lemma as the model read it, where its capitals are others (`go` for `Go`).
    """

    lemma: str
    features: str
    form: str
    score: float
    votes: int
    actions: tuple[Action, ...]
    positions: tuple[int, ...]
    alternatives: tuple[Alternative, ...] = ()
    attention: tuple[tuple[float, ...], ...] | None = None
    attested: bool | None = None
    direction: Direction = "forward"
    complete: bool = True
    notes: tuple[str, ...] = ()
    segmentation: Segmentation = field(default=Segmentation(), repr=False)
    read: str | None = field(default=None, repr=False)

    @property
    def probability(self) -> float:
        return exp(self.score)

    @property
    def forms(self) -> list[str]:
        """The form and its alternatives."""
        return [self.form, *(other.form for other in self.alternatives)]

    @property
    def symbols(self) -> Symbols:
        """The lemma's symbols, as the model read them."""
        return self.segmentation.lemma(self.lemma if self.read is None else self.read)

    @property
    def doubts(self) -> tuple[str, ...]:
        """What speaks against a form that is not attested: it repeats itself, for example."""
        if self.attested:
            return ()
        return doubts_about(
            self.lemma, self.form, complete=self.complete, probability=self.probability
        )

    @cached_property
    def steps(self) -> tuple[Move, ...]:
        """Each action with the position and symbol attended and the symbol written.

        Of a form that no network wrote, but the lexicon or rules, the shortest way to it.
        """
        if not self.actions:
            from stepwrite.transducer.shortest import shortest_walk

            walk = shortest_walk(self.symbols, self.segmentation.form(self.form))
            return trace(self.symbols, *walk)
        return trace(self.symbols, self.actions, self.positions)

    @property
    def by(self) -> str:
        """Who wrote the form: the network, or else the lexicon or rules."""
        return "network" if self.actions else "lexicon" if self.attested else "rules"

    def to_json(self, *, explain: bool = False) -> dict[str, Any]:
        """Plain data, the same in JSON lines and in the service's answers.

        explain: with the steps, and the attention where it is known.
        """
        plain: dict[str, Any] = {
            "lemma": self.lemma,
            "features": self.features,
            "form": self.form,
            "score": self.score,
            "probability": self.probability,
            "votes": self.votes,
            "attested": self.attested,
            "complete": self.complete,
            "notes": list(self.notes),
            "doubts": list(self.doubts),
            "direction": self.direction,
            "actions": [str(action) for action in self.actions],
            "positions": list(self.positions),
            "alternatives": [
                {"form": other.form, "score": other.score, "probability": other.probability}
                for other in self.alternatives
            ],
        }
        if explain:
            plain["explanation"] = self.explanation()
        return plain

    def explanation(self) -> dict[str, Any]:
        """The steps as plain data, and who took them."""
        rows = self.attention or [None] * len(self.steps)
        return {
            "by": self.by,
            "symbols": ["", *self.symbols, ""],
            "direction": self.direction if self.actions else "forward",
            "steps": [
                {
                    "action": move.action.name,
                    "position": move.position,
                    "attended": move.attended,
                    "symbol": move.written or None,
                    "attention": None if row is None else [round(weight, 4) for weight in row],
                }
                for move, row in zip(self.steps, rows, strict=True)
            ],
        }
