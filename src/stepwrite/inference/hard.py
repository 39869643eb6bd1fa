"""The hard-attention network in NumPy: all of inference, from a mapping of weights.

The weights' names and shapes are those of `stepwrite.training.hard`, where the network is
trained. What can be multiplied beforehand is: embeddings with input matrices once a model,
encoded prefixes and features with theirs once each. A decoder step is then one small product a
layer and one for the actions.

Shapes: B words, L symbols of the longest padded lemma, H hidden, A actions; N distinct prefixes
of the lemmas, of the reversed lemmas too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from stepwrite.inference.lstm import Floats, Layer, product
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.inference.prefix_sharing import Ints, Prefixes, padded
from stepwrite.transducer.vocabulary import COPY, END, STEP, Vocabulary

ROWS = 256  # go through a layer side by side; more fall out of the cache


@dataclass(frozen=True)
class Reading:
    """Lemmas, read by the encoder.

    lemmas, lengths: as below. onward, inward: (N, H) states after distinct prefixes of the
    lemmas and of the reversed lemmas; beginnings, ends: (L, B) which of these states are those
    of each position.
    """

    lemmas: Ints
    lengths: Ints
    onward: Floats
    inward: Floats
    beginnings: Ints
    ends: Ints

    @property
    def states(self) -> Floats:
        """(L, B, 2H): the encoded symbols."""
        return np.concatenate([self.onward[self.beginnings], self.inward[self.ends]], axis=2)


@dataclass(frozen=True)
class Encoded:
    """Words, ready to be decoded.

    lemmas: (L, B) symbol ids, padded with END; lengths: (B,) of the padded lemmas.
    places: onward and inward, (L, B) which of the products belong to each position.
    products: (4, N, H) what an attended prefix, onward or inward, gives the decoder's first layer.
    features: (4, B, H) what the features give it, and with soft attention the lemma's ends.
    """

    lemmas: Ints
    lengths: Ints
    places: tuple[Ints, Ints]
    products: tuple[Floats, ...]
    features: Floats


@dataclass(frozen=True)
class State:
    """The decoder between two actions, a row a hypothesis.

    words: (rows,) which word each row belongs to; positions: (rows,) the attended position;
    previous: (rows,) what was written or done last; hidden, cells: a (rows, H) each layer.
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


class HardNetwork:
    """One trained member.

    words_at_once: how many words are best encoded at once; the more, the more prefixes are shared.
    """

    words_at_once = 512

    def __init__(
        self, weights: Mapping[str, Floats], config: NetworkConfig, vocabulary: Vocabulary
    ) -> None:
        def stack(name: str, direction: int = 0) -> list[Layer]:
            return [Layer(weights, f"{name}.{k}", direction) for k in range(config.layers)]

        self.vocabulary = vocabulary
        self.onward, self.inward = stack("encoder", 0), stack("encoder", 1)
        self.decoder = stack("decoder")
        embedding, self.feature_table = weights["embedding"], weights["features"]
        self.output, self.output_bias = weights["output"], weights["output_bias"]
        of_decoder = self.decoder[0].input
        parts = [2 * config.hidden, of_decoder.shape[1] - config.embedding]
        self.by_state, self.by_features, by_previous = np.split(of_decoder, parts, axis=1)
        self.by_previous = embedding @ by_previous
        self.onward_table = embedding @ self.onward[0].input + self.onward[0].bias
        self.inward_table = embedding @ self.inward[0].input + self.inward[0].bias

    def encode(self, lemmas: Sequence[Sequence[int]], features: Sequence[Sequence[int]]) -> Encoded:
        """Encode padded lemmas (ids) with their feature rows."""
        read = self.read(lemmas)
        by_onward, by_inward = np.split(self.by_state, 2, axis=1)
        n_onward, hidden = read.onward.shape
        # In one array: the larger the piece, the more memory the C library keeps for the next
        # batch when it is freed. Pages fresh from the system would take 7 % of all the time.
        products = np.empty((4, n_onward + len(read.inward), hidden), np.float32)
        product(read.onward, by_onward, out=products[:, :n_onward])
        product(read.inward, by_inward, out=products[:, n_onward:])
        return Encoded(
            lemmas=read.lemmas,
            lengths=read.lengths,
            places=(read.beginnings, n_onward + read.ends),
            products=(products,),
            features=self._of_features(features),
        )

    def _of_features(self, features: Sequence[Sequence[int]]) -> Floats:
        """(4, B, H): what the features give the decoder's first layer."""
        numbers: dict[tuple[int, ...], int] = {}
        chosen = [numbers.setdefault(tuple(rows), len(numbers)) for rows in features]
        distinct = np.array(list(numbers), np.int64)
        embedded = self.feature_table[distinct].reshape(len(distinct), -1)
        found = product(embedded, self.by_features)
        found += self.decoder[0].bias
        return found.take(chosen, axis=1)

    def read(self, lemmas: Sequence[Sequence[int]]) -> Reading:
        """Run the encoder over the lemmas, in both directions."""
        lengths = np.array([len(lemma) for lemma in lemmas])
        onward = Prefixes.of(lemmas)
        inward = Prefixes.of([lemma[::-1] for lemma in lemmas])
        left = np.maximum(lengths - 1 - np.arange(lengths.max())[:, None], 0)
        return Reading(
            lemmas=padded(list(chain.from_iterable(lemmas)), lengths, END),
            lengths=lengths,
            onward=_run(self.onward, self.onward_table, onward),
            inward=_run(self.inward, self.inward_table, inward),
            beginnings=onward.numbers,
            ends=inward.numbers[left, np.arange(len(lemmas))],
        )

    def start(self, encoded: Encoded, words: Ints | None = None) -> State:
        """Before the first action: one row a word, attending the begin symbol."""
        if words is None:
            words = np.arange(len(encoded.lengths))
        zeros = tuple(layer.zeros(len(words)) for layer in self.decoder)
        return State(
            words=words,
            positions=np.zeros(len(words), np.int64),
            previous=np.full(len(words), self.vocabulary.begin),
            hidden=zeros,
            cells=zeros,
        )

    def step(self, encoded: Encoded, state: State) -> tuple[State, Floats]:
        """Read the attended symbol; return the new state and (rows, A) log probabilities.

        The state returned still has the old position and previous action: `act` moves them.
        """
        state, scores = self.scores(encoded, state)
        return state, log_softmax(scores)

    def scores(self, encoded: Encoded, state: State) -> tuple[State, Floats]:
        """As `step`, but what is returned differs from log probabilities by a constant a row."""
        at = state.positions, state.words
        (products,), (beginnings, ends) = encoded.products, encoded.places
        inputs = products.take(beginnings[at], axis=1)
        inputs += products.take(ends[at], axis=1)
        inputs += self.by_previous.take(state.previous, axis=1)
        inputs += encoded.features.take(state.words, axis=1)
        hidden, cells = self._advance(inputs, state)
        scores = hidden[-1] @ self.output
        scores += self.output_bias
        if self.vocabulary.copy:
            self._forbid_copying(encoded, state.words, state.positions, scores)
        return State(state.words, state.positions, state.previous, hidden, cells), scores

    def _advance(
        self, inputs: Floats, state: State
    ) -> tuple[tuple[Floats, ...], tuple[Floats, ...]]:
        """The layers' new hidden and cell states; inputs: (4, rows, H) the first layer's."""
        hidden: list[Floats] = []
        cells: list[Floats] = []
        for k, layer in enumerate(self.decoder):
            before = state.hidden[k], state.cells[k]
            new_hidden, new_cells = (
                layer.step_over(hidden[-1], *before) if k else layer.step(inputs, *before)
            )
            hidden.append(new_hidden)
            cells.append(new_cells)
        return tuple(hidden), tuple(cells)

    def _forbid_copying(
        self, encoded: Encoded, words: Ints, positions: Ints, scores: Floats
    ) -> None:
        """Begin and end can't be copied: they are no symbols."""
        boundary = (positions == 0) | (positions == encoded.lengths[words] - 1)
        scores[boundary, COPY] = -np.inf

    def act(self, encoded: Encoded, state: State, actions: Ints) -> State:
        """Carry out one action a row: move the attention, note what was written."""
        last = encoded.lengths[state.words] - 1
        positions = np.minimum(state.positions + (actions == STEP), last)
        previous = actions
        if self.vocabulary.copy:
            attended = encoded.lemmas[state.positions, state.words]
            previous = np.where(actions == COPY, attended, actions)
        return State(state.words, positions, previous, state.hidden, state.cells)


def log_softmax(scores: Floats) -> Floats:
    """Log probabilities, in place of the scores."""
    scores -= scores.max(axis=1, keepdims=True)
    scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return scores


def _run(stack: Sequence[Layer], table: Floats, prefixes: Prefixes) -> Floats:
    """(N, H): a stack's top states after each prefix.

    table: (4, symbols, H) what a symbol gives the first layer.
    """
    hidden, cells = states = np.empty((2, len(prefixes.symbols), table.shape[2]), np.float32)
    states[:, 0] = 0
    for k, layer in enumerate(stack):
        # Parents come first, so that a layer's states can overwrite those of the layer below.
        for block in prefixes.blocks(ROWS):
            before = states.take(prefixes.parents[block], axis=1)
            hidden[block], cells[block] = (
                layer.step_over(hidden[block], *before)
                if k
                else layer.step(table.take(prefixes.symbols[block], axis=1), *before)
            )
    return hidden
