"""Adam and ADADELTA, each in one pass over the weights.

At small batches training waits for memory, and most of what passes through it is not the states
of the batch but the weights, their gradients and what optimisers keep of them. So each is read
and written once per update: clipping, the update and the moving average are one loop over the
gradient that torch has just made, where torch's own functions would need up to nine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from stepwrite.training.kernels.products import Array, compiled

MEAN, SQUARE, EPSILON = 0.9, 0.999, 1e-8  # Adam's: how slowly either average moves
RHO, ADDED = 0.95, 1e-6  # ADADELTA's, as DyNet has them and so the authors


class OnePass:
    """For parameters on the CPU that lie side by side in one row.

    state: what is kept for each weight, a row each, under the names of torch's own optimiser.
    average: a row that follows the weights, or an empty one.
    update: the compiled pass, over constants, weights, gradients, quantities and average.
    """

    quantities: ClassVar[tuple[str, ...]]
    update: ClassVar[Callable[..., None]]

    def __init__(
        self,
        parameters: Iterable[Tensor],
        average: Tensor | None = None,
        state: dict[str, Tensor] | None = None,
    ) -> None:
        self.parameters = list(parameters)
        self.average = torch.empty(0) if average is None else average
        n_weights = sum(parameter.numel() for parameter in self.parameters)
        self.state = state or {name: torch.zeros(n_weights) for name in self.quantities}

    def constants(self) -> Sequence[float]:
        """What the update takes besides the rates."""
        raise NotImplementedError

    @torch.no_grad()
    def step(self, rate: float, clip: float = 0.0, decay: float = 1.0) -> None:
        """Update the weights by their gradients, which are gone afterwards.

        clip: the length that longer gradients are cut to; 0 leaves them as they are.
        decay: how much of the average stays.
        """
        gradients = [
            torch.zeros_like(weights) if weights.grad is None else weights.grad.contiguous()
            for weights in self.parameters
        ]
        scale = 1.0
        if clip:
            length = float(nn.utils.get_total_norm(gradients))
            # If it is not a number, the weights will not be either, and the loop notices.
            scale = clip / (length + 1e-6) if not length <= clip else 1.0
        # In single precision, or the whole loop would be in double.
        constants = [np.float32(n) for n in (rate, scale, 1 - decay, *self.constants())]
        rows = [*(self.state[name].numpy() for name in self.quantities), self.average.numpy()]
        start = 0
        for weights, gradient in zip(self.parameters, gradients, strict=True):
            end = start + weights.numel()
            both = (weights.detach().view(-1).numpy(), gradient.view(-1).numpy())
            type(self).update(*constants, *both, *(row[start:end] for row in rows))
            # Not zero but gone: then torch hands over the next gradient instead of adding it.
            weights.grad = None
            start = end


@compiled
def _adam(
    rate: Any,
    scale: Any,
    moved: Any,
    mean_correction: Any,
    square_correction: Any,
    new_mean: Any,
    new_square: Any,
    epsilon: Any,
    weights: Array,
    gradients: Array,
    means: Array,
    squares: Array,
    average: Array,
) -> None:
    averaged = len(average) > 0
    step = rate * mean_correction
    for k in range(len(weights)):
        gradient = scale * gradients[k]
        mean = means[k] + new_mean * (gradient - means[k])
        square = squares[k] + new_square * (gradient * gradient - squares[k])
        means[k] = mean
        squares[k] = square
        weight = weights[k] - step * mean / (np.sqrt(square) * square_correction + epsilon)
        weights[k] = weight
        if averaged:
            average[k] += moved * (weight - average[k])


class Adam(OnePass):
    """As `torch.optim.Adam` (Kingma and Ba 2015)."""

    quantities = ("exp_avg", "exp_avg_sq")
    update = _adam

    def constants(self) -> Sequence[float]:
        number = int(self.state.setdefault("step", torch.zeros(())).add_(1))
        mean, square = 1 - MEAN**number, 1 - SQUARE**number
        return 1 / mean, square**-0.5, 1 - MEAN, 1 - SQUARE, EPSILON


@compiled
def _adadelta(
    rate: Any,
    scale: Any,
    moved: Any,
    rho: Any,
    rest: Any,
    added: Any,
    weights: Array,
    gradients: Array,
    squares: Array,
    deltas: Array,
    average: Array,
) -> None:
    averaged = len(average) > 0
    for k in range(len(weights)):
        gradient = scale * gradients[k]
        square = rho * squares[k] + rest * gradient * gradient
        delta = np.sqrt(deltas[k] + added) / np.sqrt(square + added) * gradient
        squares[k] = square
        deltas[k] = rho * deltas[k] + rest * delta * delta
        weight = weights[k] - rate * delta
        weights[k] = weight
        if averaged:
            average[k] += moved * (weight - average[k])


class Adadelta(OnePass):
    """As `torch.optim.Adadelta` (Zeiler 2012)."""

    quantities = ("square_avg", "acc_delta")
    update = _adadelta

    def constants(self) -> Sequence[float]:
        return RHO, 1 - RHO, ADDED
