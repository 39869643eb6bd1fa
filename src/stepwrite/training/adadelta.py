"""ADADELTA (Zeiler 2012) in one pass over the weights.

With one example an update, as in the paper, the optimiser is what takes the time: torch's own
passes over all weights nine times an update.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from stepwrite.training.products import Array, compiled


class Adadelta(torch.optim.Optimizer):
    """As `torch.optim.Adadelta`, for tensors on the CPU; each step leaves their gradients zero."""

    def __init__(self, params: Iterable[Tensor], lr: float, rho: float, eps: float) -> None:
        super().__init__(params, {"lr": lr, "rho": rho, "eps": eps})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Update the weights by their gradients; there is no use for a closure."""
        for group in self.param_groups:
            numbers = (group["lr"], group["rho"], 1 - group["rho"], group["eps"])
            # In single precision, or the whole loop would be in double.
            constants: tuple[Any, ...] = tuple(map(np.float32, numbers))
            for weights in group["params"]:
                state = self.state[weights]
                if not state:
                    state["square_avg"] = torch.zeros_like(weights)
                    state["acc_delta"] = torch.zeros_like(weights)
                arrays = (weights, weights.grad, state["square_avg"], state["acc_delta"])
                _update(*constants, *(array.view(-1).numpy() for array in arrays))


@compiled
def _update(
    rate: Any,
    rho: Any,
    rest: Any,
    epsilon: Any,
    weights: Array,
    gradients: Array,
    squares: Array,
    deltas: Array,
) -> None:
    for k in range(len(weights)):
        gradient = gradients[k]
        square = rho * squares[k] + rest * gradient * gradient
        delta = np.sqrt(deltas[k] + epsilon) / np.sqrt(square + epsilon) * gradient
        squares[k] = square
        deltas[k] = rho * deltas[k] + rest * delta * delta
        weights[k] -= rate * delta
        gradients[k] = 0
