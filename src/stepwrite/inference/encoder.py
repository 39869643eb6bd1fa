"""The bidirectional encoder in NumPy; each distinct prefix of the lemmas is read once.

Shapes: B words, L symbols of the longest padded lemma, H hidden; N distinct prefixes of the
lemmas, or of the reversed lemmas.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from stepwrite.inference.lstm import Floats, Layer, stack
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.inference.prefix_sharing import Ints, Prefixes, padded
from stepwrite.transducer.vocabulary import END

ROWS = 512  # go through a layer side by side; many more would fall out of the cache


@dataclass(frozen=True)
class Reading:
    """Lemmas, read by the encoder.

    lemmas: (L, B) symbol ids, padded with END; lengths: (B,) of the padded lemmas.
    forward, backward: (N, H) states after distinct prefixes of the lemmas and of the reversed
    lemmas; beginnings, ends: (L, B) which of these states belong to each position.
    """

    lemmas: Ints
    lengths: Ints
    forward: Floats
    backward: Floats
    beginnings: Ints
    ends: Ints

    @property
    def places(self) -> Ints:
        """(L, B): 0 on begin symbols, 1 inside lemmas, 2 on end symbols."""
        found = np.zeros(self.lemmas.shape, np.int64)
        found[1:] = 1
        found[self.lengths - 1, np.arange(len(self.lengths))] = 2
        return found

    @property
    def states(self) -> Floats:
        """(L, B, 2H): the encoded symbols."""
        return np.concatenate([self.forward[self.beginnings], self.backward[self.ends]], axis=2)


class Encoder:
    """Two stacks of LSTM layers side by side, one for each direction."""

    def __init__(self, weights: Mapping[str, Floats], config: NetworkConfig) -> None:
        self.forward = stack(weights, "encoder", config.layers, 0)
        self.backward = stack(weights, "encoder", config.layers, 1)
        # The products of the embeddings with the first layer's input matrix, as a table.
        self.forward_table, self.backward_table = (
            weights["embedding"] @ layers[0].input + layers[0].bias
            for layers in (self.forward, self.backward)
        )

    def read(self, lemmas: Sequence[Sequence[int]], first: int = 0) -> Reading:
        """Run over padded lemmas (ids), in both directions.

        first: the first position that is attended; backward states before it are not computed,
        and have no meaning.
        """
        lengths = np.array([len(lemma) for lemma in lemmas])
        forward = Prefixes.of(lemmas)
        backward = Prefixes.of([lemma[first:][::-1] for lemma in lemmas])
        left = lengths - 1 - np.arange(lengths.max())[:, None]
        left = left.clip(0, len(backward.numbers) - 1)
        return Reading(
            lemmas=padded(list(chain.from_iterable(lemmas)), lengths, END),
            lengths=lengths,
            forward=_run(self.forward, self.forward_table, forward),
            backward=_run(self.backward, self.backward_table, backward),
            beginnings=forward.numbers,
            ends=backward.numbers[left, np.arange(len(lemmas))],
        )


def _run(layers: Sequence[Layer], table: Floats, prefixes: Prefixes) -> Floats:
    """(N, H): the top layer's states after each prefix.

    table: (4, symbols, H) what a symbol gives the first layer.
    """
    hidden, cells = states = np.empty((2, len(prefixes.symbols), table.shape[2]), np.float32)
    states[:, 0] = 0
    for k, layer in enumerate(layers):
        # Parents come first, so that a layer's states can overwrite those of the layer below.
        for block in prefixes.blocks(ROWS):
            out = hidden[block], cells[block]
            before, cells_before = states.take(prefixes.parents[block], axis=1)
            if k:
                layer.step_over(np.concatenate([out[0], before], axis=1), cells_before, out)
            else:
                inputs = table.take(prefixes.symbols[block], axis=1)
                layer.step(inputs, before, cells_before, out)
    return hidden
