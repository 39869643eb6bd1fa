"""The LSTM scan compiled for the CPU: everything of a step but the products, fused.

All gates' inputs are computed beforehand (`inputs`), so only the recurrent products remain in
the loop over time; BLAS adds them straight to the inputs. The first step has none, as the
states before it are zero. The recurrent weights' gradient is left to the caller.

Gates are in the order input, forget, candidate, output. Shapes: D LSTMs, T steps, B rows,
H hidden. The peephole cell (the supplement's equations) has three more recurrent matrices:
from the old cell state to the input and forget gates, from the new one to the output gate.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stepwrite.training.kernels.bfloat16_products import (
    above_each_other,
    product,
    side_by_side,
    transposed_factor,
)
from stepwrite.training.kernels.products import Array, add_product, compiled


@compiled
def tanh(x: Any, exact: bool) -> Any:
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
    return half * tanh(half * x, exact) + half


@compiled
def _copy(given: Array, out: Array) -> None:
    """out[:] = given takes four times as long."""
    for row in range(len(out)):
        source, target = given[row], out[row]
        for k in range(len(target)):
            target[k] = source[k]


@compiled
def forward(
    exact: bool,
    bfloat16: bool,
    inputs: Array,
    recurrent: Array,
    peepholes: Array,
    gates: Array,
    hidden: Array,
    cells: Array,
) -> None:
    """Run the scan.

    exact: whether to compute tanh itself, for double precision.
    bfloat16: whether to multiply in bfloat16; the processor must have it.
    inputs: (D, T, B, 4H) what each gate gets from outside, bias included.
    recurrent: (D, H, 4H) from the last hidden state to the gates.
    peepholes: (D, 3, H, H) from the cell state to the gates input, forget, output; or
    (D, 0, H, H).
    gates: (D, T, B, 4H), out: the gates' activations.
    hidden, cells: (D, T, B, H), out: the states.
    """
    n_lstms, n_steps, n_rows, size = hidden.shape
    n_peepholes = peepholes.shape[1]
    for d in range(n_lstms):
        old_cells = np.zeros((n_rows, size), hidden.dtype)
        pairs = above_each_other(recurrent[d, : size if bfloat16 else 0])
        for t in range(n_steps):
            now, new_cells = gates[d, t], cells[d, t]
            _copy(inputs[d, t], now)
            if t and bfloat16:
                product(side_by_side(hidden[d, t - 1]), pairs, now, True)
            elif t:
                add_product(hidden[d, t - 1], recurrent[d], now)
            if t and n_peepholes:
                add_product(old_cells, peepholes[d, 0], now[:, :size])
                add_product(old_cells, peepholes[d, 1], now[:, size : 2 * size])
            for row in range(n_rows):
                i, f = now[row, :size], now[row, size : 2 * size]
                candidate = now[row, 2 * size : 3 * size]
                old, new = old_cells[row], new_cells[row]
                for k in range(2 * size):
                    now[row, k] = _sigmoid(now[row, k], exact)
                for k in range(size):
                    candidate[k] = tanh(candidate[k], exact)
                for k in range(size):
                    new[k] = f[k] * old[k] + i[k] * candidate[k]
            if n_peepholes:
                add_product(new_cells, peepholes[d, 2], now[:, 3 * size :])
            for row in range(n_rows):
                o, cell, out = now[row, 3 * size :], new_cells[row], hidden[d, t, row]
                for k in range(size):
                    o[k] = _sigmoid(o[k], exact)
                for k in range(size):
                    out[k] = o[k] * tanh(cell[k], exact)
            old_cells = new_cells


@compiled
def backward(
    exact: bool,
    bfloat16: bool,
    d_hidden: Array,
    gates: Array,
    hidden: Array,
    cells: Array,
    recurrent: Array,
    peepholes: Array,
    d_inputs: Array,
    d_peepholes: Array,
) -> None:
    """Send gradients back through the scan; `exact` and `bfloat16` as in `forward`.

    d_hidden: (D, T, B, H) of the loss by each hidden state, as far as it comes from outside.
    gates, hidden, cells: as `forward` left them.
    recurrent, peepholes: as `forward` took them.
    d_inputs: (D, T, B, 4H), out: of the loss by the gates' inputs.
    d_peepholes: (D, 3, H, H) or (D, 0, H, H), added to.
    """
    n_lstms, n_steps, n_rows, size = hidden.shape
    n_peepholes = peepholes.shape[1]
    one = np.float32(1)
    d_h = np.empty((n_rows, size), gates.dtype)
    nothing = np.zeros((n_rows, size), gates.dtype)
    for d in range(n_lstms):
        d_cells = np.zeros((n_rows, size), gates.dtype)
        # BLAS is slow with a transposed second factor.
        recurrent_t = recurrent[d, : 0 if bfloat16 else size].T.copy()
        pairs_t = transposed_factor(recurrent[d, : size if bfloat16 else 0])
        peepholes_t = peepholes[d].transpose(0, 2, 1).copy()
        for t in range(n_steps - 1, -1, -1):
            now, d_now = gates[d, t], d_inputs[d, t]
            _copy(d_hidden[d, t], d_h)
            if t + 1 < n_steps and bfloat16:
                product(side_by_side(d_inputs[d, t + 1]), pairs_t, d_h, True)
            elif t + 1 < n_steps:
                add_product(d_inputs[d, t + 1], recurrent_t, d_h)
            for row in range(n_rows):
                o, cell = now[row, 3 * size :], cells[d, t, row]
                d_o, d_cell, d_out = d_now[row, 3 * size :], d_cells[row], d_h[row]
                for k in range(size):
                    squashed = tanh(cell[k], exact)
                    d_o[k] = d_out[k] * squashed * o[k] * (one - o[k])
                    d_cell[k] += d_out[k] * o[k] * (one - squashed * squashed)
            if n_peepholes:
                add_product(d_now[:, 3 * size :], peepholes_t[2], d_cells)
            old_cells = cells[d, t - 1] if t else nothing
            for row in range(n_rows):
                i, f = now[row, :size], now[row, size : 2 * size]
                candidate = now[row, 2 * size : 3 * size]
                d_i, d_f = d_now[row, :size], d_now[row, size : 2 * size]
                d_candidate = d_now[row, 2 * size : 3 * size]
                old, d_cell = old_cells[row], d_cells[row]
                for k in range(size):
                    d_c = d_cell[k]
                    d_i[k] = d_c * candidate[k] * i[k] * (one - i[k])
                    d_f[k] = d_c * old[k] * f[k] * (one - f[k])
                    d_candidate[k] = d_c * i[k] * (one - candidate[k] * candidate[k])
                    d_cell[k] = d_c * f[k]
            if n_peepholes:
                add_product(d_now[:, :size], peepholes_t[0], d_cells)
                add_product(d_now[:, size : 2 * size], peepholes_t[1], d_cells)
        if n_peepholes:
            # Rows of all steps as one product; of the old states but the first, which were zero.
            n_later = (n_steps - 1) * n_rows
            flat = d_inputs[d].reshape(n_steps * n_rows, 4 * size)
            states, later = cells[d].reshape(-1, size), flat[n_rows:]
            add_product(states[:n_later], later[:, :size], d_peepholes[d, 0], True)
            add_product(states[:n_later], later[:, size : 2 * size], d_peepholes[d, 1], True)
            add_product(states, flat[:, 3 * size :], d_peepholes[d, 2], True)
