"""Greedy decoding of a single word with hard attention: the shortest way through NumPy.

For one row the arithmetic takes less time than calling it, so that everything here is about few
calls on small contiguous arrays: no prefixes to share, no rows to pick, positions and actions as
plain numbers. Both directions of the encoder go through each call together, layer by layer; what
the decoder needs of the positions, and of the features, is multiplied in one product.

The four gates lie one after the other as output, input, forget, candidate, followed by the cell
states: then input and forget gates are multiplied by candidate and old cell states in one call.

Shapes: n symbols of the padded lemma, H hidden, A actions, V symbols and actions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stepwrite.inference.decoder import Decoder
from stepwrite.inference.encoder import Encoder
from stepwrite.inference.hypothesis import Hypothesis
from stepwrite.inference.lstm import HALF, Floats
from stepwrite.inference.network import Rules
from stepwrite.transducer.vocabulary import COPY, END

ORDER = [2, 0, 1, 3]  # of the gates, in those of `lstm.Layer`


def gates_last(matrix: Floats) -> Floats:
    """(4, I, H) -> (I, 4H), the gates in the order of this module."""
    n_gates, n_rows, size = matrix.shape
    return np.ascontiguousarray(matrix[ORDER].swapaxes(0, 1)).reshape(n_rows, n_gates * size)


class Gates:
    """The working memory of one LSTM layer with `size` states, all of it contiguous."""

    def __init__(self, size: int) -> None:
        memory = np.zeros(5 * size, np.float32)
        self.size = size
        self.all = memory[: 4 * size]
        self.sigmoids = memory[: 3 * size]
        self.halves = np.full(3 * size, HALF)  # an array is added faster than a scalar
        self.output, self.input, self.forget, self.candidate, self.cells = memory.reshape(5, size)
        self.input_and_forget = memory[size : 3 * size]
        self.candidate_and_cells = memory[3 * size :]

    def through(self, hidden: Floats) -> None:
        """Write the new hidden states; what is said of the gates is overwritten."""
        np.tanh(self.all, self.all)
        sigmoids = self.sigmoids
        np.multiply(sigmoids, self.halves, sigmoids)
        np.add(sigmoids, self.halves, sigmoids)
        np.multiply(self.input_and_forget, self.candidate_and_cells, self.input_and_forget)
        np.add(self.forget, self.input, self.cells)
        np.tanh(self.cells, self.candidate)
        np.multiply(self.output, self.candidate, hidden)


class OneWord:
    """The weights of a network without peepholes, arranged for single words.

    table: (V, 4, 2, H) what a symbol gives the encoder's first layer, in either direction.
    recurrent, inputs: (4, 2, H, H) for each of its layers, inputs and biases from the second on.
    by_state: (2H, 4H), by_features: (·, 4H), by_previous: (V, 4H), the decoder's first layer.
    output_bias: (3, A), with what is impossible on the begin symbol, inside, and on the end.
    """

    def __init__(
        self, encoder: Encoder, decoder: Decoder, rules: Rules, output: Floats, output_bias: Floats
    ) -> None:
        both = list(zip(encoder.forward, encoder.backward, strict=True))
        tables = encoder.forward_table[ORDER], encoder.backward_table[ORDER]
        self.table = np.ascontiguousarray(np.stack(tables, axis=2).swapaxes(0, 1))
        self.recurrent = [
            np.stack([layer.recurrent[ORDER] for layer in pair], axis=1) for pair in both
        ]
        self.inputs = [
            np.stack([layer.input[ORDER] for layer in pair], axis=1) for pair in both[1:]
        ]
        self.biases = [np.stack([layer.bias[ORDER] for layer in pair], axis=1) for pair in both[1:]]
        self.by_state = gates_last(decoder.by_state)
        self.by_features = gates_last(decoder.by_features)
        self.by_previous = gates_last(decoder.by_previous)
        self.feature_table = decoder.feature_table
        first, *upper = decoder.layers
        self.matrices = [gates_last(first.recurrent), *(gates_last(u.both) for u in upper)]
        self.first_bias, *self.upper_biases = (
            gates_last(layer.bias).ravel() for layer in decoder.layers
        )
        self.hidden = first.size
        self.start, self.moves = rules.start, rules.moves.tolist()
        self.copied = COPY if rules.copies_as_symbols else None
        self.output = output
        self.output_bias = output_bias

    def encode(self, lemma: Sequence[int], features: Sequence[int]) -> Floats:
        """(n, 4H): what each position and the features give the decoder's first layer."""
        n_symbols, size = len(lemma), self.hidden
        ids = np.array(lemma)
        inputs = np.empty((n_symbols, 4, 2, size), np.float32)
        inputs[:, :, 0] = self.table[ids, :, 0]
        inputs[:, :, 1] = self.table[ids[::-1], :, 1]
        states = self._read(inputs, 0)
        for k, (matrix, bias) in enumerate(zip(self.inputs, self.biases, strict=True), 1):
            np.matmul(states[:, :, 0].swapaxes(0, 1), matrix, out=inputs.transpose(1, 2, 0, 3))
            inputs += bias[:, :, 0]
            states = self._read(inputs, k)
        symbols = np.concatenate([states[:, 0, 0], states[::-1, 1, 0]], axis=1)
        found = symbols @ self.by_state
        of_features = self.feature_table[np.array(features, np.int64)].ravel() @ self.by_features
        of_features += self.first_bias
        found += of_features
        return found

    def _read(self, inputs: Floats, k: int) -> Floats:
        """(n, 2, 1, H): the states of layer k after each symbol, from (n, 4, 2, H) inputs."""
        n_symbols, size = len(inputs), self.hidden
        gates, matrix = Gates(2 * size), self.recurrent[k]
        rows = gates.all.reshape(4, 2, 1, size)
        states = np.empty((n_symbols, 2, 1, size), np.float32)
        rows[:, :, 0] = inputs[0]
        gates.through(states[0].reshape(-1))
        of_symbols = inputs.reshape(n_symbols, -1)
        for t in range(1, n_symbols):
            np.matmul(states[t - 1], matrix, rows)
            np.add(gates.all, of_symbols[t], gates.all)
            gates.through(states[t].reshape(-1))
        return states

    def greedy(
        self, lemma: Sequence[int], features: Sequence[int], begin: int, limit: int
    ) -> Hypothesis:
        """The most probable action at each step. begin: what stands before the first action."""
        of_positions = self.encode(lemma, features)
        size, last = self.hidden, len(lemma) - 1
        states = np.zeros((len(self.matrices), size), np.float32)
        bottom, top = states[0], states[-1]
        first, *upper = [Gates(size) for _ in self.matrices]
        # The new states of a layer lie before the old ones of the next: both are its input.
        chain = [
            (states[k : k + 2].ravel(), matrix, bias, gates, states[k + 1])
            for k, (matrix, bias, gates) in enumerate(
                zip(self.matrices[1:], self.upper_biases, upper, strict=True)
            )
        ]
        position, previous, action = self.start, begin, -1
        actions: list[int] = []
        positions: list[int] = []
        rows: list[Floats] = []
        while action != END and len(actions) < limit:
            bottom.dot(self.matrices[0], first.all)
            np.add(first.all, of_positions[position], first.all)
            np.add(first.all, self.by_previous[previous], first.all)
            first.through(bottom)
            for source, matrix, bias, gates, target in chain:
                source.dot(matrix, gates.all)
                np.add(gates.all, bias, gates.all)
                gates.through(target)
            scores = top.dot(self.output)
            scores += self.output_bias[(position > 0) + (position == last)]
            action = int(scores.argmax())
            rows.append(scores)
            actions.append(action)
            positions.append(position)
            previous = lemma[position] if action == self.copied else action
            position = min(position + self.moves[action], last)
        table = np.array(rows)
        table -= table.max(axis=1, keepdims=True)
        score = -float(np.log(np.exp(table, out=table).sum(axis=1)).sum(dtype=np.float64))
        return Hypothesis(tuple(actions), tuple(positions), score, complete=action == END)
