"""The decoder's LSTM layers in NumPy, with what all kinds of networks feed into them.

What can be multiplied beforehand is: the embedding of the previous action with its part of the
input matrix once per model, the features with theirs once per word. A step is then one small
product per layer.

Shapes: B words, H hidden.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from stepwrite.inference.lstm import Floats, product, stack
from stepwrite.inference.network import State
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.inference.prefix_sharing import Ints


class Decoder:
    """by_state: (4, 2H, H) the part of the input matrix that multiplies the encoder's states."""

    def __init__(self, weights: Mapping[str, Floats], config: NetworkConfig) -> None:
        self.layers = stack(weights, "decoder", config.layers)
        self.feature_table = weights["features"]
        matrix = self.layers[0].input
        parts = [2 * config.hidden, matrix.shape[1] - config.embedding]
        self.by_state, self.by_features, by_previous = np.split(matrix, parts, axis=1)
        self.by_previous = weights["embedding"] @ by_previous

    def of_features(self, features: Sequence[Sequence[int]]) -> Floats:
        """(4, B, H): what the features give the first layer, its bias included."""
        numbers: dict[tuple[int, ...], int] = {}
        chosen = [numbers.setdefault(tuple(rows), len(numbers)) for rows in features]
        distinct = np.array(list(numbers), np.int64)
        embedded = self.feature_table[distinct].reshape(len(distinct), -1)
        found = product(embedded, self.by_features)
        found += self.layers[0].bias
        return found.take(chosen, axis=1)

    def start(self, words: Ints, position: int, previous: int) -> State:
        """Before the first action, one row per word."""
        n_rows, size = len(words), self.layers[0].size
        return State(
            words=words,
            positions=np.full(n_rows, position),
            previous=np.full(n_rows, previous),
            hidden=np.zeros((n_rows, len(self.layers) * size), np.float32),
            cells=tuple(np.zeros((n_rows, size), np.float32) for _ in self.layers),
        )

    def advance(self, inputs: Floats, state: State) -> Floats:
        """Take a step; the state's hidden and cell states are overwritten.

        inputs: (4, rows, H) the first layer's. Returns (rows, H), the last layer's states.
        """
        first, *upper = self.layers
        size, hidden = first.size, state.hidden
        top = hidden[:, :size]
        first.step(inputs, top, state.cells[0], out=(top, state.cells[0]))
        for k, (layer, cells) in enumerate(zip(upper, state.cells[1:], strict=True)):
            # The new states of the layer below lie beside the old ones of this layer.
            both = hidden[:, k * size : (k + 2) * size]
            top = both[:, size:]
            layer.step_over(both, cells, out=(top, cells))
        return top
