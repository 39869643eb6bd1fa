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
class Lemmas:
    """Lemmas side by side, ready to be read.

    ids: (L, B) symbol ids, padded with END; lengths: (B,) of the padded lemmas.
    forward, backward: the distinct prefixes of the lemmas and of the reversed lemmas;
    beginnings, ends: (L, B) which of these prefixes belong to each position.
    """

    ids: Ints
    lengths: Ints
    forward: Prefixes
    backward: Prefixes
    beginnings: Ints
    ends: Ints

    @classmethod
    def of(cls, lemmas: Sequence[Sequence[int]], first: int = 0) -> Lemmas:
        """From padded lemmas (ids).

        first: the first position that is attended; backward prefixes before it are left out, and
        their numbers have no meaning.
        """
        lengths = np.array([len(lemma) for lemma in lemmas])
        forward = Prefixes.of(lemmas)
        backward = Prefixes.of([lemma[first:][::-1] for lemma in lemmas])
        left = lengths - 1 - np.arange(lengths.max())[:, None]
        left = left.clip(0, len(backward.numbers) - 1)
        return cls(
            ids=padded(list(chain.from_iterable(lemmas)), lengths, END),
            lengths=lengths,
            forward=forward,
            backward=backward,
            beginnings=forward.numbers,
            ends=backward.numbers[left, np.arange(len(lemmas))],
        )

    @property
    def places(self) -> Ints:
        """(L, B): 0 on begin symbols, 1 inside lemmas, 2 on end symbols."""
        found = np.zeros(self.ids.shape, np.int64)
        found[1:] = 1
        found[self.lengths - 1, np.arange(len(self.lengths))] = 2
        return found


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

    def read_forward(self, lemmas: Lemmas) -> Floats:
        """(N, H): the states after the distinct prefixes of the lemmas."""
        return _run(self.forward, self.forward_table, lemmas.forward)

    def read_backward(self, lemmas: Lemmas) -> Floats:
        """(N, H): the states after the distinct prefixes of the reversed lemmas."""
        return _run(self.backward, self.backward_table, lemmas.backward)

    def read(self, lemmas: Lemmas) -> Floats:
        """(L, B, 2H): the encoded symbols."""
        both = [
            self.read_forward(lemmas)[lemmas.beginnings],
            self.read_backward(lemmas)[lemmas.ends],
        ]
        return np.concatenate(both, axis=2)


def _run(layers: Sequence[Layer], table: Floats, prefixes: Prefixes) -> Floats:
    """(N, H): the top layer's states after each prefix.

    table: (4, symbols, H) what a symbol gives the first layer.
    """
    # Two arrays, so that the cell states, which nobody asks for later, are freed at the end.
    hidden, cells = (
        np.empty((len(prefixes), table.shape[2]), np.float32) for _ in ("hidden", "cells")
    )
    hidden[0] = cells[0] = 0
    for k, layer in enumerate(layers):
        # Parents come first, so that a layer's states can overwrite those of the layer below.
        for block in prefixes.blocks(ROWS):
            out = hidden[block], cells[block]
            parents = prefixes.parents[block]
            before, cells_before = hidden.take(parents, axis=0), cells.take(parents, axis=0)
            if k:
                layer.step_over(np.concatenate([out[0], before], axis=1), cells_before, out)
            else:
                inputs = table.take(prefixes.symbols[block], axis=1)
                layer.step(inputs, before, cells_before, out)
    return hidden
