"""Adam (Kingma and Ba 2015) in one pass over the weights, which clears the gradients too.

torch's own spends as much time in Python as in its kernel.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from stepwrite.training.products import Array, compiled

MEAN, SQUARE, EPSILON = 0.9, 0.999, 1e-8  # the paper's: how slowly either average moves


class Adam(torch.optim.Optimizer):
    """As `torch.optim.Adam`, for tensors on the CPU; each step leaves their gradients zero."""

    def __init__(self, params: Iterable[Tensor], lr: float) -> None:
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Update the weights by their gradients; there is no use for a closure."""
        for group in self.param_groups:
            for weights in group["params"]:
                state = self.state[weights]
                if not state:
                    state["step"] = torch.zeros(())
                    state["exp_avg"] = torch.zeros_like(weights)
                    state["exp_avg_sq"] = torch.zeros_like(weights)
                state["step"] += 1
                number = int(state["step"])
                numbers = (
                    group["lr"] / (1 - MEAN**number),
                    (1 - SQUARE**number) ** -0.5,
                    *(1 - MEAN, 1 - SQUARE, EPSILON),
                )
                # In single precision, or the whole loop would be in double.
                constants: tuple[Any, ...] = tuple(map(np.float32, numbers))
                arrays = (weights, weights.grad, state["exp_avg"], state["exp_avg_sq"])
                _update(*constants, *(array.view(-1).numpy() for array in arrays))


@compiled
def _update(
    rate: Any,
    correction: Any,
    new_mean: Any,
    new_square: Any,
    epsilon: Any,
    weights: Array,
    gradients: Array,
    means: Array,
    squares: Array,
) -> None:
    for k in range(len(weights)):
        gradient = gradients[k]
        mean = means[k] + new_mean * (gradient - means[k])
        square = squares[k] + new_square * (gradient * gradient - squares[k])
        means[k] = mean
        squares[k] = square
        weights[k] -= rate * mean / (np.sqrt(square) * correction + epsilon)
        gradients[k] = 0
