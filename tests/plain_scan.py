"""The scan in plain torch, which the kernel is tested against."""

from __future__ import annotations

import torch
from torch import Tensor


def reference_scan(inputs: Tensor, recurrent: Tensor, peepholes: Tensor) -> Tensor:
    """The supplement's equations, step by step."""
    size = recurrent.shape[1]
    hidden = cell = inputs.new_zeros(len(inputs), inputs.shape[2], size)
    states = []
    for given in inputs.unbind(1):
        i, f, candidate, o = torch.split(given + hidden @ recurrent, size, dim=2)
        if peepholes.shape[1]:
            i, f = i + cell @ peepholes[:, 0], f + cell @ peepholes[:, 1]
        cell = cell * f.sigmoid() + candidate.tanh() * i.sigmoid()
        if peepholes.shape[1]:
            o = o + cell @ peepholes[:, 2]
        hidden = cell.tanh() * o.sigmoid()
        states.append(hidden)
    return torch.stack(states, dim=1)
