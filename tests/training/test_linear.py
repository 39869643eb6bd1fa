"""Products with weights: in single precision in inference, in either precision in training."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from stepwrite.errors import StepwriteError
from stepwrite.training.kernels import bfloat16_products, precision
from stepwrite.training.kernels.linear import by_transposed, linear, linear_parts, transposed_by
from stepwrite.training.kernels.precision import AVAILABLE, native, set_precision
from stepwrite.training.kernels.scan import lstm_scan

needs_bfloat16 = pytest.mark.skipif(
    not AVAILABLE, reason="needs a processor with AVX512-BF16, not named to Numba as another"
)


@pytest.fixture(autouse=True)
def processors_own_precision() -> Iterator[None]:
    set_precision(None)
    yield
    set_precision("single")


@pytest.mark.parametrize("biased", [False, True])
def test_gradients_in_double_precision(biased: bool) -> None:
    torch.manual_seed(0)
    sizes = [(2, 5, 3), (2, 3, 4), (2, 4)][: 3 if biased else 2]
    tensors = [torch.randn(size, dtype=torch.float64, requires_grad=True) for size in sizes]
    assert torch.autograd.gradcheck(linear, tensors)


def test_gradients_of_parts_in_double_precision() -> None:
    torch.manual_seed(0)
    sizes = [(2 * 3 + 4, 5), (2, 7, 3), (1, 6, 4)]
    tensors = [torch.randn(size, dtype=torch.float64, requires_grad=True) for size in sizes]
    assert torch.autograd.gradcheck(linear_parts, tensors)


def test_parts_equal_products_with_slices() -> None:
    torch.manual_seed(0)
    weights, one, other = torch.randn(300, 150), torch.randn(2, 90, 100), torch.randn(1, 90, 100)
    found = linear_parts(weights, one, other)
    expected = linear(one, weights[:200].view(2, 100, -1)), linear(other, weights[200:][None])
    for ours, theirs in zip(found, expected, strict=True):
        assert torch.equal(ours, theirs)


def test_inference_keeps_all_bits() -> None:
    torch.manual_seed(0)
    inputs, weights, bias = torch.randn(1, 300, 100), torch.randn(1, 100, 200), torch.randn(1, 200)
    exact = torch.addmm(bias[0], inputs[0], weights[0])
    with torch.no_grad():
        assert torch.equal(linear(inputs, weights, bias)[0], exact)
    off = (linear(inputs, weights, bias)[0] - exact).norm() / exact.norm()
    assert 1e-4 < off < 0.01 if AVAILABLE else off < 1e-6


@needs_bfloat16
@pytest.mark.parametrize("sizes", [(1, 1, 1), (7, 13, 31), (5, 3, 50), (66, 150, 97)])
def test_bfloat16_products(sizes: tuple[int, int, int]) -> None:
    """Sums of rounded factors; odd numbers of terms, tiles of all widths."""
    rows, n_inputs, n_outputs = sizes
    torch.manual_seed(0)
    inputs = torch.randn(rows, n_inputs)
    weights, gradient = torch.randn(n_inputs, n_outputs), torch.randn(rows, n_outputs)
    rounded = [tensor.bfloat16().double() for tensor in (inputs, weights, gradient)]
    d_inputs, d_weights = torch.ones_like(inputs), torch.ones_like(weights)
    bfloat16_products.by_transposed(gradient.numpy(), weights.numpy(), d_inputs.numpy())
    bfloat16_products.transposed_by(inputs.numpy(), gradient.numpy(), d_weights.numpy())
    torch.testing.assert_close(d_inputs.double(), rounded[2] @ rounded[1].T, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(d_weights.double(), rounded[0].T @ rounded[2], rtol=1e-5, atol=1e-5)


@needs_bfloat16
def test_a_sum_inside_a_larger_array() -> None:
    a, b = np.ones((6, 5), np.float32), np.ones((5, 21), np.float32)
    around = np.zeros((8, 30), np.float32)
    around[1:7, 4:25] = 2
    pairs = bfloat16_products.side_by_side(a), bfloat16_products.above_each_other(b)
    bfloat16_products.product(*pairs, around[1:7, 4:25], True)
    inside = around[1:7, 4:25].copy()
    assert (inside == 7).all()
    assert around.sum() == inside.sum()


@pytest.mark.parametrize(
    ("chosen", "error"),
    [pytest.param("bfloat16", 0.01, marks=needs_bfloat16), ("single", 1e-6)],
)
def test_products_are_close(chosen, error: float) -> None:
    set_precision(chosen)
    torch.manual_seed(0)
    a, b, weights = torch.randn(2, 200, 300), torch.randn(2, 200, 100), torch.randn(2, 150, 300)
    for found, exact in (
        (transposed_by(a, b), a.double().transpose(1, 2) @ b.double()),
        (by_transposed(a, weights), a.double() @ weights.double().transpose(1, 2)),
    ):
        assert found.dtype == torch.float32
        off = (found - exact).norm() / exact.norm()
        assert error / 100 < off < error


@needs_bfloat16
def test_a_scan_in_bfloat16_and_its_gradients_are_close() -> None:
    found = {}
    for chosen in ("bfloat16", "single"):
        set_precision(chosen)
        torch.manual_seed(0)
        inputs = torch.randn(2, 12, 18, 400, requires_grad=True)
        recurrent = (0.1 * torch.randn(2, 100, 400)).requires_grad_()
        states = lstm_scan(inputs, recurrent, torch.empty(2, 0, 100, 100))
        weights = torch.randn_like(states)
        found[chosen] = [states, *torch.autograd.grad(states, [inputs, recurrent], weights)]
    with torch.no_grad():
        set_precision("bfloat16")
        assert torch.equal(lstm_scan(inputs, recurrent, torch.empty(2, 0, 100, 100)), states)
    for ours, exact in zip(found["bfloat16"], found["single"], strict=True):
        assert 1e-5 < (ours - exact).norm() / exact.norm() < 0.01


def test_small_products_are_exact() -> None:
    """So is the paper's preset, which takes one word at a time."""
    a, b = torch.randn(1, 60, 100), torch.randn(1, 60, 400)
    assert torch.equal(transposed_by(a, b), torch.bmm(a.transpose(1, 2), b))
    weights = torch.randn(1, 100, 400)
    assert torch.equal(by_transposed(b, weights), torch.bmm(b, weights.transpose(1, 2)))


def test_other_processors_train_in_single_precision(tmp_path: Path) -> None:
    """Numba told to compile for any processor: nothing may need an instruction that some lack."""
    code = """
import torch
from stepwrite.training.kernels.precision import is_bfloat16, set_precision
from stepwrite.training.kernels.scan import lstm_scan
from tests.plain_scan import reference_scan
set_precision(None)
assert not is_bfloat16()
given = torch.randn(1, 6, 20, 400, requires_grad=True), torch.randn(1, 100, 400) / 10
none = torch.empty(1, 0, 100, 100)
scans = lstm_scan, reference_scan
ours, plain = (torch.autograd.grad(scan(*given, none).sum(), given[0])[0] for scan in scans)
torch.testing.assert_close(ours, plain, rtol=1e-3, atol=1e-5)
"""
    environment = {**os.environ, "NUMBA_CPU_NAME": "generic", "NUMBA_CACHE_DIR": str(tmp_path)}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_bfloat16_is_only_taken_where_it_is_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "AVAILABLE", True)
    for has_amx, expected in ((False, "bfloat16"), (True, "single")):
        monkeypatch.setattr(precision, "HAS_AMX", has_amx)
        assert native() == expected


def test_a_precision_that_the_processor_lacks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "AVAILABLE", False)
    assert native() == "single"
    set_precision(None)
    assert not precision.is_bfloat16()
    with pytest.raises(StepwriteError, match=r"AVX512-BF16.*--precision single"):
        set_precision("bfloat16")
    assert not precision.is_bfloat16()
