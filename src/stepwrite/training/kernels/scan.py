"""An LSTM layer's run over time as one differentiable operation."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from stepwrite.training.kernels import scan_kernel
from stepwrite.training.kernels.bfloat16_tile import ROWS
from stepwrite.training.kernels.linear import in_bfloat16, transposed_by
from stepwrite.training.kernels.products import arrays


def lstm_scan(inputs: Tensor, recurrent: Tensor, peepholes: Tensor) -> Tensor:
    """All hidden states of D independent LSTMs (the encoder's two directions) from zeros.

    inputs: (D, T, B, 4H) what the gates input, forget, candidate, output get from outside.
    recurrent: (D, H, 4H) from the last hidden state to the gates.
    peepholes: (D, 3, H, H) from the cell state to the gates input, forget, output;
    (D, 0, H, H) makes it a standard LSTM.
    Returns (D, T, B, H).
    """
    # Fewer rows than a tile has would not be faster.
    training = torch.is_grad_enabled() and inputs.shape[2] >= ROWS
    bfloat16 = training and in_bfloat16(inputs, inputs[0].numel() * recurrent.shape[1])
    hidden: Tensor = FusedScan.apply(inputs, recurrent, peepholes, bfloat16)  # type: ignore[no-untyped-call]
    return hidden


class FusedScan(torch.autograd.Function):
    """The compiled kernel as an operation of torch; double precision is exact, for checks."""

    @staticmethod
    def forward(
        ctx: Any, inputs: Tensor, recurrent: Tensor, peepholes: Tensor, bfloat16: bool
    ) -> Tensor:
        gates = torch.empty_like(inputs, memory_format=torch.contiguous_format)
        hidden = inputs.new_empty(*inputs.shape[:3], recurrent.shape[1])
        cells = torch.empty_like(hidden)
        exact = inputs.dtype == torch.float64
        given = (inputs, recurrent, peepholes)
        scan_kernel.forward(exact, bfloat16, *arrays(*given, gates, hidden, cells))
        ctx.bfloat16 = bfloat16
        ctx.save_for_backward(recurrent, peepholes, gates, hidden, cells)
        return hidden

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        recurrent, peepholes, gates, hidden, cells = ctx.saved_tensors
        given = (*gradients, gates, hidden, cells, recurrent, peepholes)
        d_inputs, d_peepholes = torch.empty_like(gates), torch.zeros_like(peepholes)
        exact = gates.dtype == torch.float64
        scan_kernel.backward(exact, ctx.bfloat16, *arrays(*given, d_inputs, d_peepholes))
        # Of all steps at once, but the first, whose last states were zero.
        before, later = hidden[:, :-1].flatten(1, 2), d_inputs[:, 1:].flatten(1, 2)
        return d_inputs, transposed_by(before, later), d_peepholes, None
