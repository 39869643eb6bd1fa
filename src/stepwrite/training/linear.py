"""Products with weights as one differentiable operation, with cheaper gradients.

Two thirds of training's multiplications are for gradients. Where the processor multiplies
numbers of 16 bits (bfloat16) itself, it does so twice as fast as with 32, and large products of
gradients are computed in them: the sums are still of 32 bits, each factor is within 0.4 %,
which is little beside how much the gradients of two batches differ. What goes forward keeps all
its bits, so that training sees the network that inference runs.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

SHORT = getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)()
LARGE = 4_000_000  # multiplications from which shortening the factors pays; no single word has them


def linear(inputs: Tensor, weights: Tensor, bias: Tensor | None = None) -> Tensor:
    """(D, rows, I) by (D, I, O), plus a bias of (D, O) -> (D, rows, O)."""
    found: Tensor = Linear.apply(inputs, weights, bias)  # type: ignore[no-untyped-call]
    return found


def gradient_product(a: Tensor, b: Tensor) -> Tensor:
    """(D, rows, I) by (D, I, O), as precise as a gradient has to be.

    >>> gradient_product(torch.tensor([[[1.0, 2.0]]]), torch.tensor([[[3.0], [4.0]]]))
    tensor([[[11.]]])
    """
    left, right = shortened(a.shape[1] * b.shape[1] * b.shape[2], a, b)
    return torch.bmm(left, right).to(a.dtype)


def shortened(n_products: int, *factors: Tensor) -> list[Tensor]:
    """The factors of a gradient, with half their bits where that pays for so many products."""
    pays = SHORT and n_products >= LARGE and factors[0].dtype == torch.float32
    return [factor.bfloat16() for factor in factors] if pays else list(factors)


class Linear(torch.autograd.Function):
    """`linear` as an operation of torch."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, weights: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(inputs, weights)
        ctx.has_bias = bias is not None
        if bias is None:
            return torch.bmm(inputs, weights)
        return torch.baddbmm(bias[:, None], inputs, weights)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        inputs, weights = ctx.saved_tensors
        [exact] = gradients
        n_products = inputs.shape[1] * weights.shape[1] * weights.shape[2]
        gradient, inputs, weights = shortened(n_products, exact, inputs, weights)
        return (
            torch.bmm(gradient, weights.transpose(1, 2)).to(exact.dtype),
            torch.bmm(inputs.transpose(1, 2), gradient).to(exact.dtype),
            exact.sum(1) if ctx.has_bias else None,
        )
