"""Products with weights as differentiable operations, cheaper in training.

Where training is in bfloat16 (`kernels.precision`) its large products are computed with factors
of 16 bits, twice as fast as with 32. The sums still have 32 bits, each factor is within 0.4 %,
which is little beside dropout, and beside how much the gradients of two batches differ. Small
products are in single precision always, and so are all without gradients, as in inference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from stepwrite.training.kernels import bfloat16_products
from stepwrite.training.kernels.precision import is_bfloat16

LARGE = 3_000_000  # multiplications from which bfloat16 pays; few single words have them


def linear(inputs: Tensor, weights: Tensor, bias: Tensor | None = None) -> Tensor:
    """(D, rows, I) by (D, I, O), plus a bias of (D, O) -> (D, rows, O)."""
    training = torch.is_grad_enabled()
    found: Tensor = Linear.apply(inputs, weights, bias, training)  # type: ignore[no-untyped-call]
    return found


def linear_parts(weights: Tensor, *inputs: Tensor) -> tuple[Tensor, ...]:
    """Products of several inputs, each with its own rows of one weight matrix.

    weights: (I, O), rows for the first input, then for the second, ...; inputs: (D, rows, its
    share of I / D) each. Returns (D, rows, O) each. Splitting the weights would make torch join
    their gradients again.

    >>> one, other = torch.ones(1, 1, 2), torch.ones(2, 1, 1)
    >>> linear_parts(torch.tensor([[1.0], [2.0], [3.0], [4.0]]), one, other)
    (tensor([[[3.]]]), tensor([[[3.]],
    <BLANKLINE>
            [[4.]]]))
    """
    training = torch.is_grad_enabled()
    found: tuple[Tensor, ...] = LinearParts.apply(training, weights, *inputs)  # type: ignore[no-untyped-call]
    return found


def parts(weights: Tensor, inputs: Sequence[Tensor]) -> list[Tensor]:
    """The weights for each input: (D, its share of I / D, O)."""
    rows = torch.split(weights, [len(given) * given.shape[2] for given in inputs])
    return [
        part.view(len(given), given.shape[2], weights.shape[1])
        for part, given in zip(rows, inputs, strict=True)
    ]


def by(a: Tensor, b: Tensor, bias: Tensor | None = None, *, training: bool) -> Tensor:
    """(D, rows, I) by (D, I, O), plus a bias of (D, O) -> (D, rows, O)."""
    if not (training and in_bfloat16(a, a.shape[1] * b[0].numel())):
        return torch.bmm(a, b) if bias is None else torch.baddbmm(bias[:, None], a, b)
    shape = len(a), a.shape[1], b.shape[2]
    out = a.new_zeros(shape) if bias is None else bias[:, None].expand(shape).contiguous()
    for each in matrices(a, b, out):
        bfloat16_products.add_by(*each)
    return out


def transposed_by(a: Tensor, b: Tensor, out: Tensor | None = None) -> Tensor:
    """(D, rows, I) transposed, by (D, rows, O) -> (D, I, O), in bfloat16 if it is large.

    >>> transposed_by(torch.tensor([[[1.0, 2.0]]]), torch.tensor([[[3.0, 4.0]]]))
    tensor([[[3., 4.],
             [6., 8.]]])
    """
    if out is None:
        out = a.new_empty(len(a), a.shape[2], b.shape[2])
    if not in_bfloat16(a, a.shape[1] * a.shape[2] * b.shape[2]):
        return torch.bmm(a.transpose(1, 2), b, out=out)
    for each in matrices(a, b, out):
        bfloat16_products.transposed_by(*each)
    return out


def by_transposed(a: Tensor, b: Tensor) -> Tensor:
    """(D, rows, O) by (D, I, O) transposed -> (D, rows, I), in bfloat16 if it is large.

    >>> by_transposed(torch.tensor([[[1.0, 2.0]]]), torch.tensor([[[3.0, 4.0]]]))
    tensor([[[11.]]])
    """
    if not in_bfloat16(a, a.shape[1] * a.shape[2] * b.shape[1]):
        return torch.bmm(a, b.transpose(1, 2))
    out = a.new_empty(len(a), a.shape[1], b.shape[1])
    for each in matrices(a, b, out):
        bfloat16_products.by_transposed(*each)
    return out


def matrices(*stacks: Tensor) -> Iterator[tuple[Any, ...]]:
    """Matrix by matrix, as contiguous arrays, without a copy where they are so already."""
    for each in zip(*(stack.detach().numpy() for stack in stacks), strict=True):
        yield tuple(np.ascontiguousarray(matrix) for matrix in each)


def in_bfloat16(factor: Tensor, n_products: int) -> bool:
    """Whether a product of so many multiplications is computed in bfloat16 in training."""
    return is_bfloat16() and factor.dtype == torch.float32 and n_products >= LARGE


class Linear(torch.autograd.Function):
    """`linear` as an operation of torch."""

    @staticmethod
    def forward(
        ctx: Any, inputs: Tensor, weights: Tensor, bias: Tensor | None, training: bool
    ) -> Tensor:
        ctx.save_for_backward(inputs, weights)
        ctx.has_bias = bias is not None
        return by(inputs, weights, bias, training=training)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        inputs, weights = ctx.saved_tensors
        [gradient] = gradients
        return (
            by_transposed(gradient, weights),
            transposed_by(inputs, gradient),
            gradient.sum(1) if ctx.has_bias else None,
            None,
        )


class LinearParts(torch.autograd.Function):
    """`linear_parts` as an operation of torch."""

    @staticmethod
    def forward(ctx: Any, training: bool, weights: Tensor, *inputs: Tensor) -> tuple[Tensor, ...]:
        ctx.save_for_backward(weights, *inputs)
        pairs = zip(inputs, parts(weights, inputs), strict=True)
        return tuple(by(given, part, training=training) for given, part in pairs)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        weights, *inputs = ctx.saved_tensors
        d_weights = torch.empty_like(weights)
        for given, gradient, out in zip(inputs, gradients, parts(d_weights, inputs), strict=True):
            transposed_by(given, gradient, out)
        return None, d_weights, *map(by_transposed, gradients, parts(weights, inputs))
