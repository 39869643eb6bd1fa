"""The LSTM scan compiled for the CPU: everything of a step but the products, fused.

All gates' inputs are computed beforehand (`inputs`), so only the recurrent products remain in
the loop over time, one small product a gate: BLAS multiplies blocks of that size without
packing them first, which for a hidden size of 200 is more than twice as fast as one product
for all four gates. The weights' gradients are left to the caller as one large product.

Gates are in the order input, forget, candidate, output. Shapes: T steps, B rows, H hidden.
The peephole cell (the supplement's equations) has three more recurrent matrices: from the old
cell state to the input and forget gates, from the new one to the output gate.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[Any]  # float32, or float64 in gradient checks

# Without these LLVM does not vectorise the gates' loops.
compiled = njit(cache=True, fastmath=True, error_model="numpy")

SMALL_PRODUCT = 1_000_000  # multiplications up to which OpenBLAS takes its path without packing


@compiled
def _tanh(x: Any, exact: bool) -> Any:
    """tanh, by default as a quotient of polynomials (within 3e-7 in single precision)."""
    if exact:
        return np.tanh(x)
    x = min(max(x, np.float32(-7.9)), np.float32(7.9))
    y = x * x
    p = np.float32(-2.76076847742355e-16)
    p = p * y + np.float32(2.00018790482477e-13)
    p = p * y + np.float32(-8.60467152213735e-11)
    p = p * y + np.float32(5.12229709037114e-08)
    p = p * y + np.float32(1.48572235717979e-05)
    p = p * y + np.float32(6.37261928875436e-04)
    p = p * y + np.float32(4.89352455891786e-03)
    q = np.float32(1.19825839466702e-06)
    q = q * y + np.float32(1.18534705686654e-04)
    q = q * y + np.float32(2.26843463243900e-03)
    q = q * y + np.float32(4.89352518554385e-03)
    return x * p / q


@compiled
def _sigmoid(x: Any, exact: bool) -> Any:
    half = np.float32(0.5)
    return half * _tanh(half * x, exact) + half


@compiled
def _multiply(a: Array, b: Array, out: Array) -> None:
    """out = a @ b, in blocks of rows that are small enough to need no packing."""
    n_rows = len(a)
    rows = max(1, SMALL_PRODUCT // (b.shape[0] * b.shape[1]))
    n_blocks = (n_rows + rows - 1) // rows
    rows = (n_rows + n_blocks - 1) // n_blocks
    for start in range(0, n_rows, rows):
        np.dot(a[start : start + rows], b, out[start : start + rows])


@compiled
def forward(
    exact: bool,
    inputs: Array,
    recurrent: Array,
    peepholes: Array,
    gates: Array,
    hidden: Array,
    cells: Array,
) -> None:
    """Run the scan.

    exact: whether to compute tanh itself, for double precision.
    inputs: (T, B, 4H) what each gate gets from outside, bias included.
    recurrent: (4, H, H) from the last hidden state to each gate.
    peepholes: (3, H, H) from the cell state to the gates input, forget, output; or (0, H, H).
    gates: (T, B, 4H), out: the gates' activations.
    hidden, cells: (T + 1, B, H), out: the states; entry 0 is given.
    """
    n_steps, n_rows, _ = inputs.shape
    size = hidden.shape[2]
    products = np.empty((4, n_rows, size), inputs.dtype)
    peeped = np.zeros((4, n_rows, size), inputs.dtype)
    for t in range(n_steps):
        for gate in range(4):
            _multiply(hidden[t], recurrent[gate], products[gate])
        if len(peepholes):
            _multiply(cells[t], peepholes[0], peeped[0])
            _multiply(cells[t], peepholes[1], peeped[1])
        for row in range(n_rows):
            for gate in range(3):
                given = inputs[t, row, gate * size : (gate + 1) * size]
                activation = gates[t, row, gate * size : (gate + 1) * size]
                product, peep = products[gate, row], peeped[gate, row]
                if gate == 2:
                    for k in range(size):
                        activation[k] = _tanh(given[k] + product[k], exact)
                else:
                    for k in range(size):
                        activation[k] = _sigmoid(given[k] + product[k] + peep[k], exact)
            i = gates[t, row, :size]
            f = gates[t, row, size : 2 * size]
            candidate = gates[t, row, 2 * size : 3 * size]
            old, new = cells[t, row], cells[t + 1, row]
            for k in range(size):
                new[k] = f[k] * old[k] + i[k] * candidate[k]
        if len(peepholes):
            _multiply(cells[t + 1], peepholes[2], peeped[3])
        for row in range(n_rows):
            given, o = inputs[t, row, 3 * size :], gates[t, row, 3 * size :]
            product, peep = products[3, row], peeped[3, row]
            cell, out = cells[t + 1, row], hidden[t + 1, row]
            for k in range(size):
                o[k] = _sigmoid(given[k] + product[k] + peep[k], exact)
            for k in range(size):
                out[k] = o[k] * _tanh(cell[k], exact)


@compiled
def backward(
    exact: bool,
    d_hidden: Array,
    gates: Array,
    cells: Array,
    recurrent_t: Array,
    peepholes_t: Array,
    d_inputs: Array,
) -> None:
    """Send gradients back through the scan.

    d_hidden: (T, B, H) of the loss by each hidden state, as far as it comes from outside.
    gates, cells: as `forward` left them.
    recurrent_t, peepholes_t: each matrix transposed.
    d_inputs: (T, B, 4H), out: of the loss by the gates' inputs.
    """
    n_steps, n_rows, _ = gates.shape
    size = cells.shape[2]
    one = np.float32(1)
    products = np.zeros((4, n_rows, size), gates.dtype)
    peeped = np.zeros((3, n_rows, size), gates.dtype)
    d_gates = np.empty((4, n_rows, size), gates.dtype)
    d_cells = np.zeros((n_rows, size), gates.dtype)
    for t in range(n_steps - 1, -1, -1):
        for row in range(n_rows):
            o, cell = gates[t, row, 3 * size :], cells[t + 1, row]
            outside, d_o, d_cell = d_hidden[t, row], d_gates[3, row], d_cells[row]
            by_i, by_f = products[0, row], products[1, row]
            by_candidate, by_o = products[2, row], products[3, row]
            peep_i, peep_f = peeped[0, row], peeped[1, row]
            for k in range(size):
                d_h = outside[k] + by_i[k] + by_f[k] + by_candidate[k] + by_o[k]
                squashed = _tanh(cell[k], exact)
                d_o[k] = d_h * squashed * o[k] * (one - o[k])
                d_cell[k] += d_h * o[k] * (one - squashed * squashed) + peep_i[k] + peep_f[k]
        if len(peepholes_t):
            _multiply(d_gates[3], peepholes_t[2], peeped[2])
        for row in range(n_rows):
            i = gates[t, row, :size]
            f = gates[t, row, size : 2 * size]
            candidate = gates[t, row, 2 * size : 3 * size]
            old, d_cell, peep_o = cells[t, row], d_cells[row], peeped[2, row]
            d_i, d_f, d_candidate = d_gates[0, row], d_gates[1, row], d_gates[2, row]
            for k in range(size):
                d_c = d_cell[k] + peep_o[k]
                d_i[k] = d_c * candidate[k] * i[k] * (one - i[k])
                d_f[k] = d_c * old[k] * f[k] * (one - f[k])
                d_candidate[k] = d_c * i[k] * (one - candidate[k] * candidate[k])
                d_cell[k] = d_c * f[k]
            for gate in range(4):
                d_inputs[t, row, gate * size : (gate + 1) * size] = d_gates[gate, row]
        for gate in range(4):
            _multiply(d_gates[gate], recurrent_t[gate], products[gate])
        if len(peepholes_t):
            _multiply(d_gates[0], peepholes_t[0], peeped[0])
            _multiply(d_gates[1], peepholes_t[1], peeped[1])
