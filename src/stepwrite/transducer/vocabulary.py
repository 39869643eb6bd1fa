"""Symbols, actions and feature values as the integers that a network knows.

One numbering serves lemma symbols, written symbols and the actions themselves, as one
embedding table does in the paper:

    end, step, [copy], symbols that forms contain | begin, unknown, symbols of lemmas only

What stands before the bar are the actions: writing a symbol has that symbol's number. `end`
is also the padding after a lemma, `begin` the padding before it and the action before the
first. In a model with the action `copy`, symbols never seen in training are `unknown` to the
encoder and can still be written, by copying.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from stepwrite.data.features import FeatureSlots
from stepwrite.data.segmentation import Symbols
from stepwrite.errors import StepwriteError
from stepwrite.transducer.actions import STEP_WRITE, Action, ActionSystem

END, STEP, COPY = 0, 1, 2  # COPY only in a vocabulary that has it


@dataclass(frozen=True)
class Vocabulary:
    """What the training data contained.

    >>> words = [(tuple("go"), tuple("went"))]
    >>> vocabulary = Vocabulary.fit(words, ["V;PST"], copy=True)
    >>> vocabulary.form_symbols, vocabulary.lemma_only
    (('e', 'n', 't', 'w'), ('g', 'o'))
    >>> vocabulary.lemma_ids("goX") == [vocabulary.begin, 9, 10, vocabulary.unknown, END]
    True
    >>> str(vocabulary.actions(STEP_WRITE)[vocabulary.symbol_id("w")])
    'write(w)'
    """

    form_symbols: Symbols
    lemma_only: Symbols
    slots: FeatureSlots
    copy: bool

    @classmethod
    def fit(
        cls, pairs: Iterable[tuple[Symbols, Symbols]], bundles: Iterable[str], *, copy: bool
    ) -> Vocabulary:
        lemma_symbols: set[str] = set()
        form_symbols: set[str] = set()
        for lemma, form in pairs:
            lemma_symbols.update(lemma)
            form_symbols.update(form)
        return cls(
            form_symbols=tuple(sorted(form_symbols)),
            lemma_only=tuple(sorted(lemma_symbols - form_symbols)),
            slots=FeatureSlots.fit(bundles),
            copy=copy,
        )

    @property
    def _n_controls(self) -> int:
        return 3 if self.copy else 2

    @cached_property
    def n_actions(self) -> int:
        return self._n_controls + len(self.form_symbols)

    @cached_property
    def begin(self) -> int:
        return self.n_actions

    @cached_property
    def unknown(self) -> int:
        return self.n_actions + 1

    @property
    def size(self) -> int:
        return self.n_actions + 2 + len(self.lemma_only)

    @cached_property
    def _ids(self) -> dict[str, int]:
        ids = {symbol: k for k, symbol in enumerate(self.form_symbols, self._n_controls)}
        return ids | {symbol: k for k, symbol in enumerate(self.lemma_only, self.unknown + 1)}

    def actions(self, system: ActionSystem = STEP_WRITE) -> tuple[Action, ...]:
        """Every action of a system, by its number."""
        return system.actions(self.form_symbols, copy=self.copy)

    @cached_property
    def _action_ids(self) -> dict[Action, int]:
        return {action: k for k, action in enumerate(self.actions())}

    def action_id(self, action: Action) -> int:
        """The number of an action of the paper's system, which its oracle gives."""
        return self._action_ids[action]

    def symbol_id(self, symbol: str) -> int:
        return self._ids.get(symbol, self.unknown)

    def lemma_ids(self, lemma: Sequence[str]) -> list[int]:
        """The padded lemma: begin, its symbols, end."""
        ids, unknown = self._ids, self.unknown
        return [self.begin, *[ids.get(symbol, unknown) for symbol in lemma], END]

    @cached_property
    def _writes(self) -> tuple[str, ...]:
        """What each action writes by itself, by its number."""
        return ("",) * self._n_controls + self.form_symbols

    def written(
        self, lemma: Sequence[str], actions: Iterable[int], positions: Iterable[int]
    ) -> list[str]:
        """The form that actions write: `actions.written` for their numbers.

        >>> vocabulary = Vocabulary.fit([("go", "went")], [], copy=True)
        >>> vocabulary.written("go", [STEP, COPY, vocabulary.symbol_id("e"), END], [0, 1, 1, 1])
        ['g', 'e']
        """
        writes = self._writes
        return [
            writes[action] or lemma[position - 1]
            for action, position in zip(actions, positions, strict=True)
            if action > STEP
        ]

    @cached_property
    def _first_rows(self) -> tuple[int, ...]:
        """For each slot, the row of the feature table that holds its first known value."""
        rows, row = [], 1
        for size in self.slots.sizes:
            rows.append(row)
            row += size - 2
        return tuple(rows)

    @property
    def n_feature_rows(self) -> int:
        return 1 + sum(size - 2 for size in self.slots.sizes)

    def feature_rows(self, features: str) -> list[int]:
        """One row of the feature table a slot; absent and unknown values share row 0."""
        ids = self.slots.encode(features)
        return [
            first + value - 2 if value >= 2 else 0
            for first, value in zip(self._first_rows, ids, strict=True)
        ]

    def to_json(self) -> dict[str, Any]:
        return {
            "form_symbols": list(self.form_symbols),
            "lemma_only_symbols": list(self.lemma_only),
            "features": self.slots.to_json(),
            "copy": self.copy,
        }

    @classmethod
    def from_json(cls, data: Any) -> Vocabulary:
        """What `to_json` gave; anything else is an error."""
        match data:
            case {
                "form_symbols": [*form_symbols],
                "lemma_only_symbols": [*lemma_only],
                "features": features,
                "copy": bool(copy),
            }:
                symbols = form_symbols + lemma_only
            case _:
                raise StepwriteError("vocabulary: symbols, features or copy are missing or wrong")
        if not all(isinstance(symbol, str) and symbol for symbol in symbols):
            raise StepwriteError("vocabulary: a symbol is no string, or empty")
        if len(set(symbols)) != len(symbols):
            raise StepwriteError("vocabulary: a symbol occurs twice")
        return cls(tuple(form_symbols), tuple(lemma_only), FeatureSlots.from_json(features), copy)
