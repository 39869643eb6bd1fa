"""The layer against formulas written out, for rows that fit into one block and for more."""

from __future__ import annotations

import numpy as np
import pytest

from stepwrite.inference.lstm import FEW, Layer, product


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("n_rows", [0, 1, FEW, FEW + 1, 99, 100, 250])
@pytest.mark.parametrize("size", [0, 1, 100, 130])
def test_product(n_rows: int, size: int) -> None:
    rows, matrices = normal(n_rows, size), normal(4, size, 100)
    found = product(rows, matrices)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, np.einsum("bi,gih->gbh", rows, matrices), atol=1e-4)
    out = np.full((4, n_rows + 2, 100), np.nan, np.float32)
    product(rows, matrices, out=out[:, 1:-1])
    assert np.array_equal(out[:, 1:-1], found)
    assert np.isnan(out[:, [0, -1]]).all()


@pytest.mark.parametrize("n_rows", [1, 300])
@pytest.mark.parametrize("cell", ["lstm", "peephole"])
def test_step(cell: str, n_rows: int) -> None:
    size = 70
    weights = {
        "layer.input": normal(1, 9, 4 * size),
        "layer.bias": normal(1, 4 * size),
        "layer.recurrent": normal(1, size, 4 * size) / 8,
        "layer.peepholes": normal(1, 3 if cell == "peephole" else 0, size, size) / 8,
    }
    below, hidden, cells = normal(n_rows, 9), normal(n_rows, size), normal(n_rows, size)
    layer = Layer(weights, "layer")
    before = hidden.copy(), cells.copy()
    new_hidden, new_cells = layer.step_over(np.concatenate([below, hidden], axis=1), cells)
    in_parts = layer.step(product(below, layer.input) + layer.bias, hidden, cells)
    np.testing.assert_allclose(in_parts, (new_hidden, new_cells), atol=1e-5)
    assert np.array_equal(before, (hidden, cells))

    def sigmoid(x: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(-x))

    (matrix, bias, recurrent, peepholes) = (array[0].astype(float) for array in weights.values())
    i, f, candidate, o = np.split(below @ matrix + bias + hidden @ recurrent, 4, axis=1)
    if cell == "peephole":
        i, f = i + cells @ peepholes[0], f + cells @ peepholes[1]
    expected_cells = sigmoid(f) * cells + sigmoid(i) * np.tanh(candidate)
    if cell == "peephole":
        o = o + expected_cells @ peepholes[2]
    np.testing.assert_allclose(new_cells, expected_cells, atol=1e-5)
    np.testing.assert_allclose(new_hidden, sigmoid(o) * np.tanh(expected_cells), atol=1e-5)
