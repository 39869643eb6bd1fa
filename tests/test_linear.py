"""Products with weights: exact forward, gradients that are exact or close."""

from __future__ import annotations

import pytest
import torch

from stepwrite.training import linear as module
from stepwrite.training.linear import gradient_product, linear


@pytest.mark.parametrize("biased", [False, True])
def test_gradients_in_double_precision(biased: bool) -> None:
    torch.manual_seed(0)
    sizes = [(2, 5, 3), (2, 3, 4), (2, 4)][: 3 if biased else 2]
    tensors = [torch.randn(size, dtype=torch.float64, requires_grad=True) for size in sizes]
    assert torch.autograd.gradcheck(linear, tensors)


def test_forward_keeps_all_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    inputs, weights, bias = torch.randn(1, 300, 100), torch.randn(1, 100, 200), torch.randn(1, 200)
    monkeypatch.setattr(module, "SHORT", True)
    assert torch.equal(
        linear(inputs, weights, bias)[0], torch.addmm(bias[0], inputs[0], weights[0])
    )


def test_short_factors_are_close(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    a, b = torch.randn(2, 200, 300).transpose(1, 2), torch.randn(2, 200, 100)
    exact = a.double() @ b.double()
    for short, error in ((True, 0.01), (False, 1e-6)):
        monkeypatch.setattr(module, "SHORT", short)
        found = gradient_product(a, b)
        assert found.dtype == torch.float32
        off = (found - exact).norm() / exact.norm()
        assert error / 100 < off < error


def test_small_products_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """So is the paper's preset, which takes one word at a time."""
    monkeypatch.setattr(module, "SHORT", True)
    a, b = torch.randn(1, 100, 24), torch.randn(1, 24, 400)
    assert torch.equal(gradient_product(a, b), torch.bmm(a, b))
