"""Sums of looked-up rows as one differentiable operation.

The decoder's inputs are sums of rows from four tables (the attended symbol's two products, the
previous action's, the features'). Looked up and added by torch, they pass through memory a
dozen times, forward and backward; here they do twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from stepwrite.training.kernels.products import Array, arrays, compiled


def gather_sum(indices: Tensor, *tables: Tensor) -> Tensor:
    """(R, width): row r is the sum of one row of each table, given by indices[:, r].

    indices: (all tables, R); tables: stacked where they have as many rows, (tables, rows, width).

    >>> tables = torch.eye(2)[None], 10 * torch.eye(2)[None]
    >>> gather_sum(torch.tensor([[0, 0, 1], [0, 1, 1]]), *tables)
    tensor([[11.,  0.],
            [ 1., 10.],
            [ 0., 11.]])
    """
    total: Tensor = GatherSum.apply(indices, *tables)  # type: ignore[no-untyped-call]
    return total


class GatherSum(torch.autograd.Function):
    """The compiled kernel as an operation of torch."""

    @staticmethod
    def forward(ctx: Any, indices: Tensor, *tables: Tensor) -> Tensor:
        ctx.save_for_backward(indices)
        ctx.shapes = [table.shape for table in tables]
        total = tables[0].new_empty(indices.shape[1], tables[0].shape[2])
        _add_up(_each(tables), *arrays(indices, total))
        return total

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        [indices] = ctx.saved_tensors
        parts = [gradients[0].new_zeros(shape) for shape in ctx.shapes]
        _share_out(_each(parts), *arrays(indices, gradients[0]))
        return None, *parts


def _each(stacks: Iterable[Tensor]) -> tuple[Any, ...]:
    return tuple(table for stack in arrays(*stacks) for table in stack)


@compiled
def _add_up(tables: tuple[Array, ...], indices: Array, total: Array) -> None:
    width = total.shape[1]
    for row in range(len(total)):
        out = total[row]
        first = tables[0][indices[0, row]]
        for j in range(width):
            out[j] = first[j]
        for k in range(1, len(tables)):
            part = tables[k][indices[k, row]]
            for j in range(width):
                out[j] += part[j]


@compiled
def _share_out(parts: tuple[Array, ...], indices: Array, gradient: Array) -> None:
    width = gradient.shape[1]
    for row in range(len(gradient)):
        given = gradient[row]
        for k in range(len(parts)):
            part = parts[k][indices[k, row]]
            for j in range(width):
                part[j] += given[j]
