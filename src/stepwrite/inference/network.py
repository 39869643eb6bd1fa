"""What search needs of a trained network, whatever its kind.

Shapes: B words, L symbols of the longest padded lemma, H hidden, A actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from stepwrite.inference.hypothesis import Hypothesis
from stepwrite.inference.lstm import Floats
from stepwrite.inference.prefix_sharing import Ints
from stepwrite.transducer.actions import ActionSystem
from stepwrite.transducer.vocabulary import COPY, Vocabulary


@dataclass(frozen=True)
class Encoded:
    """Words, ready to be decoded.

    lemmas: (L, B) symbol ids, padded with END; lengths: (B,) of the padded lemmas.
    places: (L, B) 0 on begin symbols, 1 inside lemmas, 2 on end symbols.
    beginnings, ends: (L, B) which rows of the products belong to each position.
    products: what the decoder multiplies once per symbol or prefix; the network's own business.
    features: (4, B, H) what the features, and whatever else a word gives the decoder once, add
    to the gates of its first layer.
    """

    lemmas: Ints
    lengths: Ints
    places: Ints
    beginnings: Ints
    ends: Ints
    products: tuple[Floats, ...]
    features: Floats

    def at(self, words: Ints, positions: Ints) -> Ints:
        """The index of each row's position in the flattened arrays of all positions.

        A `take` there is faster than an index of two arrays.
        """
        found: Ints = positions * len(self.lengths)
        found += words
        return found


@dataclass(frozen=True)
class State:
    """The decoder between two actions, one row per hypothesis.

    words: (rows,) which word each row belongs to; positions: (rows,) the attended position;
    previous: (rows,) what was written or done last; hidden: (rows, layers * H) of all layers, one
    beside the other; cells: (rows, H) for each layer.
    """

    words: Ints
    positions: Ints
    previous: Ints
    hidden: Floats
    cells: tuple[Floats, ...]

    def take(self, rows: Ints | NDArray[np.bool_]) -> State:
        return State(
            self.words[rows],
            self.positions[rows],
            self.previous[rows],
            self.hidden[rows],
            tuple([layer[rows] for layer in self.cells]),
        )


class Network(Protocol):
    """One trained member.

    words_at_once: how many words are best encoded together; the more, the more prefixes are
    shared, and the more memory is needed.
    """

    vocabulary: Vocabulary
    words_at_once: int

    def read(self, lemmas: Sequence[Sequence[int]]) -> Floats:
        """(L, B, 2H): the symbols of padded lemmas (ids), encoded in both directions."""

    def encode(self, lemmas: Sequence[Sequence[int]], features: Sequence[Sequence[int]]) -> Encoded:
        """Encode padded lemmas (ids) with their feature rows."""

    def start(self, encoded: Encoded, words: Ints | None = None) -> State:
        """Before the first action: one row per word; all words if none are named."""

    def scores(self, encoded: Encoded, state: State) -> tuple[State, Floats]:
        """The decoder's next state, and (rows, A) log probabilities up to a constant per row.

        The state returned still has the old previous action: `act` replaces it. It may hold the
        arrays of the state given, which is not to be used again.
        """

    def act(self, encoded: Encoded, state: State, actions: Ints) -> State:
        """Carry out one action per row: move the attention, note what was written."""

    def greedy_alone(
        self, lemma: Sequence[int], features: Sequence[int], limit: int
    ) -> Hypothesis | None:
        """The best action at each step for one word, if there is a faster way than `scores`."""

    def attention(
        self, lemma: Sequence[int], features: Sequence[int], actions: Sequence[int]
    ) -> list[list[float]] | None:
        """The weights of all positions at each of a word's actions; None of hard attention."""


class Rules:
    """What the actions of a system do, by their numbers."""

    def __init__(self, system: ActionSystem, vocabulary: Vocabulary) -> None:
        self.start = system.start
        self.copies_as_symbols = vocabulary.copy and not system.feeds_copies
        self.moves = np.array([action.moves for action in vocabulary.actions(system)])
        n_controls = 2 + vocabulary.copy
        self.impossible = [[n for n in numbers if n < n_controls] for numbers in system.impossible]

    def bias_by_place(self, bias: Floats) -> Floats:
        """(3, A): the output's bias on the begin symbol, inside the lemma, and on the end symbol.

        That of an action which is impossible there is minus infinity.
        """
        biases = np.stack([bias] * 3)
        for of_place, numbers in zip(biases, self.impossible, strict=True):
            of_place[numbers] = -np.inf
        return biases

    def position_after(self, encoded: Encoded, state: State, actions: Ints) -> Ints:
        """Where each row's attention is after its action."""
        last = encoded.lengths[state.words] - 1
        moved: Ints = np.minimum(state.positions + self.moves[actions], last)
        return moved

    def previous_after(self, encoded: Encoded, state: State, actions: Ints) -> Ints:
        """What each row did last: the action's number, or of a copy the symbol that it wrote."""
        if not self.copies_as_symbols:
            return actions
        attended = encoded.lemmas[state.positions, state.words]
        return np.where(actions == COPY, attended, actions)


def step(network: Network, encoded: Encoded, state: State) -> tuple[State, Floats]:
    """The decoder's next state and (rows, A) log probabilities."""
    state, scores = network.scores(encoded, state)
    return state, log_softmax(scores)


def log_softmax(scores: Floats) -> Floats:
    """Log probabilities, in place of the scores."""
    scores -= scores.max(axis=1, keepdims=True)
    scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return scores
