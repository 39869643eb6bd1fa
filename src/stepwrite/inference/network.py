"""What search needs of a trained network, whatever its kind.

Shapes: B words, L symbols of the longest padded lemma, H hidden, A actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from stepwrite.inference.encoder import Reading
from stepwrite.inference.lstm import Floats
from stepwrite.inference.prefix_sharing import Ints
from stepwrite.transducer.actions import ActionSystem
from stepwrite.transducer.vocabulary import COPY, END, STEP, Vocabulary


@dataclass(frozen=True)
class Encoded:
    """Words, ready to be decoded.

    lemmas: (L, B) symbol ids, padded with END; lengths: (B,) of the padded lemmas.
    places: forward and backward, (L, B) which rows of the products belong to each position.
    products: what the decoder multiplies once per symbol or prefix; the network's own business.
    features: (4, B, H) what the features, and whatever else a word gives the decoder once, add
    to the gates of its first layer.
    """

    lemmas: Ints
    lengths: Ints
    places: tuple[Ints, Ints]
    products: tuple[Floats, ...]
    features: Floats


@dataclass(frozen=True)
class State:
    """The decoder between two actions, one row per hypothesis.

    words: (rows,) which word each row belongs to; positions: (rows,) the attended position;
    previous: (rows,) what was written or done last; hidden, cells: (rows, H) for each layer.
    """

    words: Ints
    positions: Ints
    previous: Ints
    hidden: tuple[Floats, ...]
    cells: tuple[Floats, ...]

    def take(self, rows: Ints | NDArray[np.bool_]) -> State:
        return State(
            self.words[rows],
            self.positions[rows],
            self.previous[rows],
            tuple(layer[rows] for layer in self.hidden),
            tuple(layer[rows] for layer in self.cells),
        )

    def put(self, rows: Ints, others: State) -> State:
        """Other hypotheses in these rows, which overwrite this state's hidden and cell states."""
        words, positions, previous = self.words.copy(), self.positions.copy(), self.previous.copy()
        words[rows] = others.words
        positions[rows] = others.positions
        previous[rows] = others.previous
        for layer, other in zip(
            self.hidden + self.cells, others.hidden + others.cells, strict=True
        ):
            layer[rows] = other
        return State(words, positions, previous, self.hidden, self.cells)


class Network(Protocol):
    """One trained member.

    words_at_once: how many words are best encoded together; the more, the more prefixes are
    shared.
    """

    vocabulary: Vocabulary
    words_at_once: int

    def read(self, lemmas: Sequence[Sequence[int]]) -> Reading:
        """Run the encoder over padded lemmas (ids), in both directions."""

    def encode(self, lemmas: Sequence[Sequence[int]], features: Sequence[Sequence[int]]) -> Encoded:
        """Encode padded lemmas (ids) with their feature rows."""

    def start(self, encoded: Encoded, words: Ints | None = None) -> State:
        """Before the first action: one row per word; all words if none are named."""

    def scores(self, encoded: Encoded, state: State) -> tuple[State, Floats]:
        """The decoder's next state, and (rows, A) log probabilities up to a constant per row.

        The state returned still has the old previous action: `act` replaces it.
        """

    def act(self, encoded: Encoded, state: State, actions: Ints) -> State:
        """Carry out one action per row: move the attention, note what was written."""

    def attention(
        self, lemma: Sequence[int], features: Sequence[int], actions: Sequence[int]
    ) -> list[list[float]] | None:
        """The weights of all positions at each of a word's actions; None of hard attention."""


class Rules:
    """What the actions of a system do, by their numbers.

    forbidden: the controls that are not possible everywhere, each with (3,) whether it is
    impossible on the begin symbol, inside the lemma, and on the end symbol.
    """

    def __init__(self, system: ActionSystem, vocabulary: Vocabulary) -> None:
        self.start = system.start
        self.copies_as_symbols = vocabulary.copy and not system.feeds_copies
        self.moves = np.array([action.moves for action in vocabulary.actions(system)])
        impossible = {
            number: np.array([number in numbers for numbers in system.impossible])
            for number in (END, STEP, COPY)[: 2 + vocabulary.copy]
        }
        self.forbidden = {number: where for number, where in impossible.items() if where.any()}

    def forbid(self, encoded: Encoded, words: Ints, positions: Ints, scores: Floats) -> None:
        """Give actions that are impossible at their positions a score of minus infinity."""
        last = encoded.lengths[words] - 1
        places = (positions > 0).astype(np.int64) + (positions == last)
        for number, where in self.forbidden.items():
            scores[where[places], number] = -np.inf

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
