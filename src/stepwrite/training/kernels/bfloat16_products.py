"""Matrix products of factors with 16 bits (bfloat16), where the processor has an instruction.

vdpbf16ps multiplies 32 pairs of bfloat16 at once and adds the products up in single precision:
twice what it does with 32 bits. BLAS has no such product for small matrices, so here is one.
A step of the sum takes two terms, so the factors are stored in pairs, as 32 bits each: the left
one's neighbours in a row, the right one's neighbours in a column.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stepwrite.training.kernels.bfloat16_tile import LANES, ROWS, VECTORS, tile
from stepwrite.training.kernels.products import Array, compiled

Pairs = NDArray[np.uint32]


@compiled
def add_by(a: Array, b: Array, out: Array) -> None:
    """out += a @ b."""
    product(side_by_side(a), above_each_other(b), out, True)


@compiled
def transposed_by(a: Array, b: Array, out: Array) -> None:
    """out[:] = a.T @ b."""
    product(above_each_other(a).T, above_each_other(b), out, False)


@compiled
def by_transposed(a: Array, b: Array, out: Array) -> None:
    """out[:] = a @ b.T."""
    product(side_by_side(a), transposed_factor(b), out, False)


@compiled
def _rounded(bits: Any) -> Any:
    """To the nearest number whose lower half is zero, in the upper half; ties to even."""
    return bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))


@compiled
def side_by_side(matrix: Array) -> Pairs:
    """(rows, terms) -> (rows, half the terms): a left factor."""
    n_rows, n_terms = matrix.shape
    halves = np.zeros((n_rows, (n_terms + 1) // 2 * 2), np.uint16)
    bits = matrix.view(np.uint32)
    for row in range(n_rows):
        given, out = bits[row], halves[row]
        for k in range(n_terms):
            out[k] = _rounded(given[k]) >> np.uint32(16)
    return halves.view(np.uint32)


@compiled
def above_each_other(matrix: Array) -> Pairs:
    """(terms, columns) -> (half the terms, columns, and some to fill the last vector)."""
    n_terms, n_columns = matrix.shape
    pairs = np.zeros(((n_terms + 1) // 2, _whole(n_columns)), np.uint32)
    bits = matrix.view(np.uint32)
    for k in range(n_terms // 2):
        low, high, out = bits[2 * k], bits[2 * k + 1], pairs[k]
        for j in range(n_columns):
            upper = _rounded(high[j]) & np.uint32(0xFFFF0000)
            out[j] = upper | (_rounded(low[j]) >> np.uint32(16))
    if n_terms % 2:
        low, out = bits[n_terms - 1], pairs[n_terms // 2]
        for j in range(n_columns):
            out[j] = _rounded(low[j]) >> np.uint32(16)
    return pairs


@compiled
def _whole(n_columns: int) -> int:
    return (n_columns + LANES - 1) // LANES * LANES


@compiled
def transposed_factor(matrix: Array) -> Pairs:
    """(columns, terms) -> the right factor matrix.T; four columns at once, for the cache."""
    pairs = side_by_side(matrix)
    n_columns, n_terms = pairs.shape
    out = np.zeros((n_terms, _whole(n_columns)), np.uint32)
    n_fours = n_columns // 4 * 4
    for j in range(0, n_fours, 4):
        first, second, third, fourth = pairs[j], pairs[j + 1], pairs[j + 2], pairs[j + 3]
        for k in range(n_terms):
            row = out[k]
            row[j], row[j + 1], row[j + 2], row[j + 3] = first[k], second[k], third[k], fourth[k]
    for j in range(n_fours, n_columns):
        for k in range(n_terms):
            out[k, j] = pairs[j, k]
    return out


@compiled
def product(a: Pairs, b: Pairs, out: Array, add: bool) -> None:
    """out = a @ b, or out += a @ b, in tiles that stay in the registers while they are summed up.

    There must be at least one term.
    """
    n_rows, n_columns = out.shape
    n_terms, width = b.shape
    strides = a.strides[0] // 4, a.strides[1] // 4, width, out.strides[0] // 4
    column = 0
    while column < n_columns:
        n_left = _whole(n_columns - column) // LANES
        n_tiles = (n_left + VECTORS - 1) // VECTORS
        n_vectors = (n_left + n_tiles - 1) // n_tiles  # alike: a tile of one would only wait
        last = min(LANES, n_columns - column - LANES * (n_vectors - 1))
        row = 0
        while row < n_rows:
            n = ROWS if row + ROWS <= n_rows else 1
            left, right, target = a[row:], b[:, column:], out[row:, column:]
            places = left.ctypes.data, right.ctypes.data, target.ctypes.data
            tile(places, strides, (n_terms, n, n_vectors, last, int(add)))
            row += n
        column += LANES * n_vectors
