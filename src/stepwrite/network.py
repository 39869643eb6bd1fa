"""The hard-attention network in NumPy: all of inference, from a mapping of weights.

The weights' names and shapes are those of `stepwrite.training.modules`, where the network is
trained. What can be multiplied beforehand is: embeddings with input matrices once a model,
encoded symbols and features with theirs once a word. A decoder step is then one small product
a layer and one for the actions.

Shapes: B words, L symbols of the longest padded lemma, H hidden, A actions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepwrite.config import NetworkConfig
from stepwrite.vocabulary import COPY, END, STEP, Vocabulary

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


class Layer:
    """One LSTM layer.

    A sigmoid is a tanh of half its argument, moved; with the halving inside the weights, all
    four gates are one call of tanh. Gates are reordered to input, forget, output, candidate.
    """

    def __init__(self, weights: Mapping[str, Floats], name: str, direction: int = 0) -> None:
        def gates_last(matrix: Floats) -> Floats:
            i, f, candidate, o = np.split(matrix, 4, axis=-1)
            half = np.float32(0.5)
            return np.concatenate([i * half, f * half, o * half, candidate], axis=-1)

        self.input = gates_last(weights[f"{name}.input"][direction])
        self.bias = gates_last(weights[f"{name}.bias"][direction])
        self.recurrent = gates_last(weights[f"{name}.recurrent"][direction])
        self.hidden = len(self.recurrent)
        peepholes = weights[f"{name}.peepholes"][direction] * np.float32(0.5)
        self.peephole = len(peepholes) > 0
        if self.peephole:
            self.to_input_and_forget = np.concatenate([peepholes[0], peepholes[1]], axis=1)
            self.to_output = np.ascontiguousarray(peepholes[2])

    def step(self, inputs: Floats, hidden: Floats, cells: Floats) -> tuple[Floats, Floats]:
        """One step: (B, 4H) inputs, (B, H) states -> new hidden and cell states."""
        size = self.hidden
        gates = hidden @ self.recurrent
        gates += inputs
        if self.peephole:
            gates[:, : 2 * size] += cells @ self.to_input_and_forget
            output = gates[:, 2 * size : 3 * size].copy()
        np.tanh(gates, out=gates)
        sigmoids = gates[:, : 3 * size]
        sigmoids *= np.float32(0.5)
        sigmoids += np.float32(0.5)
        new_cells = sigmoids[:, size : 2 * size] * cells
        new_cells += sigmoids[:, :size] * gates[:, 3 * size :]
        if self.peephole:
            output += new_cells @ self.to_output
            sigmoids[:, 2 * size :] = np.tanh(output) * np.float32(0.5) + np.float32(0.5)
        new_hidden = np.tanh(new_cells)
        new_hidden *= sigmoids[:, 2 * size :]
        return new_hidden, new_cells

    def scan(self, inputs: Floats) -> Floats:
        """(L, B, 4H) inputs -> (L, B, H) hidden states, from zeros."""
        n_steps, n_rows, _ = inputs.shape
        states = np.empty((n_steps, n_rows, self.hidden), np.float32)
        hidden = cells = np.zeros((n_rows, self.hidden), np.float32)
        for t in range(n_steps):
            hidden, cells = self.step(inputs[t], hidden, cells)
            states[t] = hidden
        return states


@dataclass(frozen=True)
class Encoded:
    """Words, ready to be decoded.

    lemmas: (L, B) symbol ids, padded with END; lengths: (B,) of the padded lemmas.
    states: (L, B, 2H) encoded symbols.
    products: (L, B, 4H) what each symbol gives the decoder's first layer when attended.
    features: (B, 4H) what the features give it.
    """

    lemmas: Ints
    lengths: Ints
    states: Floats
    products: Floats
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


class HardNetwork:
    """One trained member."""

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
        first, two = self.decoder[0], 2 * config.hidden
        self.by_state = np.ascontiguousarray(first.input[:two])
        self.by_features = np.ascontiguousarray(
            first.input[two : len(first.input) - config.embedding]
        )
        self.by_previous = embedding @ first.input[len(first.input) - config.embedding :]
        self.onward_table = embedding @ self.onward[0].input + self.onward[0].bias
        self.inward_table = embedding @ self.inward[0].input + self.inward[0].bias

    def encode(self, lemmas: Sequence[Sequence[int]], features: Sequence[Sequence[int]]) -> Encoded:
        """Encode padded lemmas (ids) with their feature rows."""
        lengths = np.array([len(lemma) for lemma in lemmas])
        ids = np.full((lengths.max(), len(lemmas)), END)
        for column, lemma in enumerate(lemmas):
            ids[: len(lemma), column] = lemma
        place = np.arange(len(ids))[:, None]
        reversal = np.where(place < lengths, lengths - 1 - place, place)
        words = np.arange(len(lemmas))
        onward = _run(self.onward, self.onward_table[ids])
        inward = _run(self.inward, self.inward_table[ids[reversal, words]])
        states = np.concatenate([onward, inward[reversal, words]], axis=2)
        rows = np.array(features, np.int64).reshape(len(lemmas), -1)
        embedded = self.feature_table[rows].reshape(len(lemmas), -1)
        return Encoded(
            lemmas=ids,
            lengths=lengths,
            states=states,
            products=states @ self.by_state,
            features=embedded @ self.by_features + self.decoder[0].bias,
        )

    def start(self, encoded: Encoded) -> State:
        """Before the first action: one row a word, attending the begin symbol."""
        n_words = len(encoded.lengths)
        zeros = tuple(np.zeros((n_words, layer.hidden), np.float32) for layer in self.decoder)
        return State(
            words=np.arange(n_words),
            positions=np.zeros(n_words, np.int64),
            previous=np.full(n_words, self.vocabulary.begin),
            hidden=zeros,
            cells=zeros,
        )

    def step(self, encoded: Encoded, state: State) -> tuple[State, Floats]:
        """Read the attended symbol; return the new state and (rows, A) log probabilities.

        The state returned still has the old position and previous action: `act` moves them.
        """
        inputs = encoded.products[state.positions, state.words]
        inputs += self.by_previous[state.previous]
        inputs += encoded.features[state.words]
        hidden: list[Floats] = []
        cells: list[Floats] = []
        for k, layer in enumerate(self.decoder):
            if k:
                inputs = hidden[-1] @ layer.input
                inputs += layer.bias
            new_hidden, new_cells = layer.step(inputs, state.hidden[k], state.cells[k])
            hidden.append(new_hidden)
            cells.append(new_cells)
        scores = hidden[-1] @ self.output
        scores += self.output_bias
        if self.vocabulary.copy:
            # Begin and end can't be copied: they are no symbols.
            boundary = (state.positions == 0) | (
                state.positions == encoded.lengths[state.words] - 1
            )
            scores[boundary, COPY] = -np.inf
        scores -= scores.max(axis=1, keepdims=True)
        scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
        moved = State(state.words, state.positions, state.previous, tuple(hidden), tuple(cells))
        return moved, scores

    def act(self, encoded: Encoded, state: State, actions: Ints) -> State:
        """Carry out one action a row: move the attention, note what was written."""
        last = encoded.lengths[state.words] - 1
        positions = np.minimum(state.positions + (actions == STEP), last)
        previous = actions
        if self.vocabulary.copy:
            attended = encoded.lemmas[state.positions, state.words]
            previous = np.where(actions == COPY, attended, actions)
        return State(state.words, positions, previous, state.hidden, state.cells)


def _run(stack: Sequence[Layer], inputs: Floats) -> Floats:
    """A stack's top states from its first layer's inputs."""
    states = stack[0].scan(inputs)
    for layer in stack[1:]:
        inputs = states @ layer.input
        inputs += layer.bias
        states = layer.scan(inputs)
    return states
