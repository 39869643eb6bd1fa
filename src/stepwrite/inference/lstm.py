"""An LSTM layer in NumPy, one step at a time.

What is said of the four gates has them first, (4, B, H): then each gate of all rows lies in one
piece of memory, which NumPy goes through twice as fast as through slices of (B, 4H).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
States = tuple[Floats, Floats]
"""(B, H) hidden states, (B, H) cell states."""

HALF = np.float32(0.5)
FEW = 16  # rows that are not worth dividing
SMALL = 1_000_000  # multiplications up to which OpenBLAS has a kernel that packs nothing
LEAST = 32  # rows in a block; with fewer, matrices this large are better packed


def product(rows: Floats, matrices: Floats, out: Floats | None = None) -> Floats:
    """(B, I) rows by (gates, I, H) matrices -> (gates, B, H), in blocks of rows that are fast."""
    n_gates, size, hidden = matrices.shape
    block = SMALL // max(1, size * hidden) // 8 * 8
    if len(rows) <= FEW or block < LEAST:
        found: Floats = np.matmul(rows, matrices, out=out)
        return found
    found = np.empty((n_gates, len(rows), hidden), np.float32) if out is None else out
    for start in range(0, len(rows), block):
        stop = start + block
        np.matmul(rows[start:stop], matrices, out=found[:, start:stop])
    return found


class Layer:
    """One LSTM layer.

    A sigmoid is a tanh of half its argument, moved; with the halving inside the weights, all
    four gates are one call of tanh. Gates are reordered to input, forget, output, candidate.
    """

    def __init__(self, weights: Mapping[str, Floats], name: str, direction: int = 0) -> None:
        def gates_first(matrix: Floats) -> Floats:
            i, f, candidate, o = np.split(matrix, 4, axis=-1)
            return np.stack([i * HALF, f * HALF, o * HALF, candidate])

        parts = [weights[f"{name}.{part}"][direction] for part in ("input", "recurrent")]
        self.both = gates_first(np.concatenate(parts))
        self.input, self.recurrent = np.split(self.both, [len(parts[0])], axis=1)
        self.bias = gates_first(weights[f"{name}.bias"][direction])[:, None]
        peepholes = weights[f"{name}.peepholes"][direction] * HALF
        self.peephole = len(peepholes) > 0
        if self.peephole:
            self.to_input_and_forget, self.to_output = peepholes[:2], peepholes[2]

    @property
    def size(self) -> int:
        """H, the number of hidden states."""
        return int(self.recurrent.shape[2])

    def step(
        self, inputs: Floats, hidden: Floats, cells: Floats, out: States | None = None
    ) -> States:
        """One step: (4, B, H) inputs, (B, H) states -> new hidden and cell states.

        out: arrays for these, which may be the old ones.
        """
        gates = product(hidden, self.recurrent)
        gates += inputs
        return self._through(gates, cells, out)

    def step_over(self, states: Floats, cells: Floats, out: States | None = None) -> States:
        """As `step`, with the states of the layer below as input: (B, I + H), the new ones of
        that layer and the old ones of this.

        Input and recurrence are one product, which spares a pass over the gates.
        """
        gates = product(states, self.both)
        gates += self.bias
        return self._through(gates, cells, out)

    def _through(self, gates: Floats, cells: Floats, out: States | None) -> States:
        """New hidden and cell states from what is said of the gates, which is overwritten."""
        new_hidden, new_cells = out or (np.empty_like(cells), np.empty_like(cells))
        i, f, o, candidate = gates
        if self.peephole:
            gates[:2] += product(cells, self.to_input_and_forget)
            output = o.copy()
        np.tanh(gates, out=gates)
        sigmoids = gates[:3]
        sigmoids *= HALF
        sigmoids += HALF
        f *= cells
        i *= candidate
        np.add(f, i, out=new_cells)
        if self.peephole:
            output += new_cells @ self.to_output
            o[:] = np.tanh(output) * HALF + HALF
        np.multiply(o, np.tanh(new_cells, out=candidate), out=new_hidden)
        return new_hidden, new_cells


def stack(
    weights: Mapping[str, Floats], name: str, n_layers: int, direction: int = 0
) -> list[Layer]:
    """The layers of an encoder or decoder, the lowest first."""
    return [Layer(weights, f"{name}.{k}", direction) for k in range(n_layers)]
