"""Adam and ADADELTA, each in one pass over the weights, which clears the gradients too.

torch's own Adam spends as much time in Python as in its kernel. Its ADADELTA passes over all
weights nine times per update, and with a batch size of one, as in the paper, that is what
takes the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from stepwrite.training.kernels.products import Array, compiled

MEAN, SQUARE, EPSILON = 0.9, 0.999, 1e-8  # Adam's: how slowly either average moves


class OnePass(torch.optim.Optimizer):
    """For tensors on the CPU; each step leaves their gradients zero.

    quantities: what is kept for each weight, under the names of torch's own optimiser.
    update: the compiled pass, over constants, weights, gradients and quantities.
    """

    quantities: ClassVar[tuple[str, ...]]
    update: ClassVar[Callable[..., None]]

    def constants(self, group: dict[str, Any], state: dict[str, Tensor]) -> Sequence[float]:
        raise NotImplementedError

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Update the weights by their gradients; there is no use for a closure."""
        for group in self.param_groups:
            for weights in group["params"]:
                state = self.state[weights]
                if not state:
                    state.update({name: torch.zeros_like(weights) for name in self.quantities})
                # In single precision, or the whole loop would be in double.
                constants: list[Any] = [np.float32(n) for n in self.constants(group, state)]
                arrays = (weights, weights.grad, *(state[name] for name in self.quantities))
                type(self).update(*constants, *(array.view(-1).numpy() for array in arrays))


@compiled
def _adam(
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


class Adam(OnePass):
    """As `torch.optim.Adam` (Kingma and Ba 2015)."""

    quantities = ("exp_avg", "exp_avg_sq")
    update = _adam

    def __init__(self, params: Iterable[Tensor], lr: float) -> None:
        super().__init__(params, {"lr": lr})

    def constants(self, group: dict[str, Any], state: dict[str, Tensor]) -> Sequence[float]:
        number = int(state.setdefault("step", torch.zeros(())).add_(1))
        return (
            group["lr"] / (1 - MEAN**number),
            (1 - SQUARE**number) ** -0.5,
            *(1 - MEAN, 1 - SQUARE, EPSILON),
        )


@compiled
def _adadelta(
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


class Adadelta(OnePass):
    """As `torch.optim.Adadelta` (Zeiler 2012)."""

    quantities = ("square_avg", "acc_delta")
    update = _adadelta

    def __init__(self, params: Iterable[Tensor], lr: float, rho: float, eps: float) -> None:
        super().__init__(params, {"lr": lr, "rho": rho, "eps": eps})

    def constants(self, group: dict[str, Any], state: dict[str, Tensor]) -> Sequence[float]:
        return group["lr"], group["rho"], 1 - group["rho"], group["eps"]
