"""The fused scan against plain torch, in value and in gradient."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.plain_scan import reference_scan
from torch import Tensor

from stepwrite.training.kernels import products, scan_kernel
from stepwrite.training.kernels.gather import gather_sum
from stepwrite.training.kernels.scan import lstm_scan


def arguments(
    n_peepholes: int, steps: int, rows: int, size: int, dtype: torch.dtype
) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(steps + rows + size)

    def random(*shape: int) -> Tensor:
        values = torch.randn(shape, generator=generator, dtype=dtype) * 0.5
        return values.requires_grad_()

    # Two LSTMs side by side, as in the encoder.
    return (
        random(2, steps, rows, 4 * size),
        random(2, size, 4 * size),
        random(2, n_peepholes, size, size),
    )


CELLS = pytest.mark.parametrize("n_peepholes", [0, 3], ids=["lstm", "peephole"])


@CELLS
@pytest.mark.parametrize(("steps", "rows", "size"), [(1, 1, 1), (5, 3, 4), (7, 1, 5), (2, 40, 3)])
def test_values_and_gradients_equal_plain_torch(n_peepholes, steps, rows, size) -> None:
    tensors = arguments(n_peepholes, steps, rows, size, torch.float64)
    fused, plain = lstm_scan(*tensors), reference_scan(*tensors)
    torch.testing.assert_close(fused, plain, rtol=1e-12, atol=1e-12)
    weights = torch.randn_like(fused)
    used = tensors if n_peepholes else tensors[:2]
    for ours, theirs in zip(
        torch.autograd.grad(fused, used, weights),
        torch.autograd.grad(plain, used, weights),
        strict=True,
    ):
        torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-12)


@CELLS
def test_gradient_check_in_double_precision(n_peepholes) -> None:
    inputs, recurrent, peepholes = arguments(n_peepholes, 4, 2, 3, torch.float64)
    if not n_peepholes:
        peepholes = peepholes.detach()
    assert torch.autograd.gradcheck(lstm_scan, (inputs, recurrent, peepholes))


@CELLS
def test_single_precision_is_close(n_peepholes) -> None:
    """The clamped rational tanh stays within a few units of single precision over many steps."""
    tensors = arguments(n_peepholes, 30, 16, 100, torch.float32)
    scaled = [tensors[0], tensors[1] * 0.2, tensors[2] * 0.2]
    double = [tensor.double() for tensor in scaled]
    with torch.no_grad():
        found, expected = lstm_scan(*scaled), reference_scan(*double)
    torch.testing.assert_close(found.double(), expected, rtol=1e-4, atol=2e-5)


def test_products_in_blocks_equal_products_at_once() -> None:
    """Hidden 200 with 60 rows is too large for one block."""
    assert products.SMALL < 60 * 200 * 800
    inputs, recurrent, peepholes = arguments(0, 3, 60, 200, torch.float64)
    torch.testing.assert_close(
        lstm_scan(inputs, recurrent * 0.1, peepholes),
        reference_scan(inputs, recurrent * 0.1, peepholes),
    )


def test_fast_tanh() -> None:
    x = np.linspace(-12, 12, 20_001, dtype=np.float32)
    ours = np.array([scan_kernel.tanh(value, False) for value in x], np.float32)
    assert np.abs(ours - np.tanh(x.astype(np.float64))).max() < 3e-7


def test_inputs_that_are_not_contiguous() -> None:
    inputs, recurrent, peepholes = arguments(0, 4, 3, 2, torch.float64)
    turned = inputs.detach().transpose(1, 2).contiguous().transpose(1, 2)
    torch.testing.assert_close(
        lstm_scan(turned, recurrent, peepholes), reference_scan(inputs, recurrent, peepholes)
    )


SIZES = [(1, 1, 1), (3, 5, 2), (4, 6, 0), (130, 90, 101), (70, 10, 3_000)]


@pytest.mark.parametrize(("dtype", "error"), [(np.float32, 1e-3), (np.float64, 1e-10)])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("n_rows", "n_columns", "n_terms"), SIZES)
def test_products_of_parts_of_arrays(n_rows, n_columns, n_terms, turned, dtype, error) -> None:
    """Each matrix lies inside a larger one, whose other elements stay as they are."""
    random = np.random.default_rng(n_rows)

    def inside(rows: int, columns: int):
        return random.standard_normal((rows + 1, columns + 2)).astype(dtype)[:rows, 1:-1]

    a = inside(n_terms, n_rows) if turned else inside(n_rows, n_terms)
    b, out = inside(n_terms, n_columns), inside(n_rows, n_columns)
    expected = out.base.copy()
    expected[:n_rows, 1:-1] += (a.T if turned else a) @ b
    products.add_product(a, b, out, turned)
    np.testing.assert_allclose(out.base, expected, rtol=0, atol=error)


def test_gather_sum_equals_plain_torch() -> None:
    """Tables of different sizes, the second of them two in a stack."""
    generator = torch.Generator().manual_seed(1)
    tables = [
        torch.randn(*shape, 5, generator=generator, dtype=torch.float64, requires_grad=True)
        for shape in ((1, 3), (2, 4), (1, 7))
    ]
    each = [table for stack in tables for table in stack]
    indices = torch.stack([torch.randint(len(t), (20,), generator=generator) for t in each])
    plain = sum(table[index] for table, index in zip(each, indices, strict=True))
    total = gather_sum(indices, *tables)
    torch.testing.assert_close(total, plain)
    weights = torch.randn_like(total)
    for ours, theirs in zip(
        torch.autograd.grad(total, tables, weights),
        torch.autograd.grad(plain, tables, weights),
        strict=True,
    ):
        torch.testing.assert_close(ours, theirs)
    assert torch.autograd.gradcheck(lambda *given: gather_sum(indices, *given), tables)
