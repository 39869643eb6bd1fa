"""Matrix products for compiled code: added to what is there, and of any part of an array.

OpenBLAS multiplies small matrices without packing them first, which at the sizes of training
is faster than any way with packing. So large products are handed to it in blocks.

Compiled callers are cached with a copy of what is here, and the cache does not notice a change:
after one, delete `__pycache__/*.nb?`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numpy.typing import NDArray
from torch import Tensor

Array = NDArray[Any]  # float32, or float64 in gradient checks

# Without these LLVM does not vectorise loops over a row.
compiled = njit(cache=True, fastmath=True, error_model="numpy")

SMALL = 1_000_000  # multiplications up to which OpenBLAS takes its path without packing

# BLAS as `np.dot` calls it in compiled code; np.dot itself takes whole arrays only and adds
# nothing up. Column-major: kind, transposed?, transposed?, three sizes, then
# alpha, A and its stride, B and its stride, beta, C and its stride.
_char, _size, _pointer = types.char, types.intp, types.voidptr
_gemm: Any = types.ExternalFunction(
    "numba_xxgemm",
    types.intc(
        *(_char, _char, _char, _size, _size, _size),
        *(_pointer, _pointer, _size, _pointer, _size, _pointer, _pointer, _size),
    ),
)


def arrays(*tensors: Tensor) -> tuple[Any, ...]:
    """Tensors as compiled code takes them: contiguous, not copied where they are so already."""
    return tuple(tensor.detach().contiguous().numpy() for tensor in tensors)


@compiled
def add_product(a: Array, b: Array, out: Array, transposed: bool = False) -> None:
    """out += a @ b, or a.T @ b if `transposed`; each row's elements must lie side by side.

    >>> out = np.ones((1, 2))
    >>> add_product(np.array([[1.0, 2.0]]), np.array([[10.0, 20.0], [30.0, 40.0]]), out)
    >>> out
    array([[ 71., 101.]])
    """
    n_rows, n_columns = out.shape
    n_terms = len(b)
    rows, columns, terms = n_rows, n_columns, max(1, n_terms)
    while rows * columns * terms > SMALL:
        longest = max(rows, columns, terms)
        if columns == longest:
            columns = (columns + 1) // 2
        elif terms == longest:
            terms = (terms + 1) // 2
        else:
            rows = (rows + 1) // 2
    kind = np.int8(ord("d") if out.itemsize == 8 else ord("s"))
    plain = np.int8(ord("N"))
    order = np.int8(ord("T")) if transposed else plain
    one = np.ones(1, out.dtype)
    # A single row's stride means nothing, but BLAS refuses one that is too short.
    a_stride = max(a.strides[0] // a.itemsize, a.shape[1])
    b_stride = max(b.strides[0] // b.itemsize, n_columns)
    stride = max(out.strides[0] // out.itemsize, n_columns)
    for row in range(0, n_rows, rows):
        height = min(rows, n_rows - row)
        for column in range(0, n_columns, columns):
            width = min(columns, n_columns - column)
            for term in range(0, n_terms, terms):
                depth = min(terms, n_terms - term)
                block = a[term:, row:] if transposed else a[row:, term:]
                _gemm(
                    *(kind, plain, order, width, height, depth, one.ctypes),
                    *(b[term:, column:].ctypes, b_stride, block.ctypes, a_stride),
                    *(one.ctypes, out[row:, column:].ctypes, stride),
                )
