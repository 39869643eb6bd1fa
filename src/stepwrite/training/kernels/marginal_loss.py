"""Minus the log of the optimal actions' summed probability, as one differentiable operation.

By torch, the scores would pass through memory a dozen times: rows without actions left out,
impossible actions masked, two sums of exponentials, and all that once more backward.
"""

from __future__ import annotations

from math import exp, log
from typing import Any

import torch
from torch import Tensor

from stepwrite.training.kernels.products import Array, arrays, compiled


def marginal_loss(
    scores: Tensor, used: Tensor, place: Tensor, possible: Tensor, optimal: Tensor
) -> Tensor:
    """The mean over rows of scores.

    scores: (R, A) unnormalised log probabilities; used: (N,) the rows that count; place: (N,) the
    kind of place that each of them is at. possible: (places, A) which actions there are at each
    kind of place; optimal: (N, A) which of them are wanted.

    >>> scores = torch.tensor([[0.0, 0.0, 0.0], [9.0, 9.0, 9.0]])
    >>> first, possible = torch.tensor([0]), torch.tensor([[True, True, False]])
    >>> marginal_loss(scores, first, first, possible, torch.tensor([[True, False, False]]))
    tensor(0.6931)
    """
    loss: Tensor = MarginalLoss.apply(  # type: ignore[no-untyped-call]
        scores, used, place, possible, optimal
    )
    return loss


class MarginalLoss(torch.autograd.Function):
    """The compiled kernel as an operation of torch; the gradient is made on the way forward."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, *about: Tensor) -> Tensor:
        gradient = torch.zeros_like(scores)
        loss = _loss(*arrays(scores, gradient, *about))
        ctx.save_for_backward(gradient)
        return scores.new_tensor(loss)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        [gradient] = ctx.saved_tensors
        return gradients[0] * gradient, None, None, None, None


@compiled
def _loss(
    scores: Array, gradient: Array, used: Array, place: Array, possible: Array, optimal: Array
) -> float:
    n_actions = scores.shape[1]
    total_loss = 0.0
    for n in range(len(used)):
        row, slope, there = scores[used[n]], gradient[used[n]], possible[place[n]]
        highest = -1e30
        for a in range(n_actions):
            if there[a] and row[a] > highest:
                highest = row[a]
        total = wanted = 0.0
        for a in range(n_actions):
            if there[a]:
                share = exp(row[a] - highest)
                slope[a] = share
                total += share
                if optimal[n, a]:
                    wanted += share
        wanted = max(wanted, 1e-30)
        total_loss += log(total) - log(wanted)
        for a in range(n_actions):
            outside = slope[a] / total
            inside = slope[a] / wanted if optimal[n, a] else 0.0
            slope[a] = (outside - inside) / len(used)
    return total_loss / len(used)
