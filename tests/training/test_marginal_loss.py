"""The loss of a dynamic oracle against torch's own operations."""

from __future__ import annotations

import torch

from stepwrite.training.kernels.marginal_loss import marginal_loss

POSSIBLE = torch.tensor([[True, True, True, False, True], [False, True, True, True, True]])


def reference(
    scores: torch.Tensor, used: torch.Tensor, place: torch.Tensor, optimal: torch.Tensor
) -> torch.Tensor:
    rows = scores[used].masked_fill(~POSSIBLE[place], -torch.inf)
    wanted = rows.masked_fill(~optimal, -torch.inf)
    return (torch.logsumexp(rows, 1) - torch.logsumexp(wanted, 1)).mean()


def test_loss_and_gradient_are_those_of_torch() -> None:
    torch.manual_seed(1)
    scores = (5 * torch.randn(12, 5)).requires_grad_()
    used, place = torch.tensor([0, 3, 4, 7, 11]), torch.tensor([0, 1, 1, 0, 1])
    optimal = (torch.rand(5, 5) < 0.5) & POSSIBLE[place]
    optimal[:, 1] = True
    loss = marginal_loss(scores, used, place, POSSIBLE, optimal)
    expected = reference(scores, used, place, optimal)
    torch.testing.assert_close(loss, expected)
    ours, theirs = (torch.autograd.grad(2 * each, scores)[0] for each in (loss, expected))
    torch.testing.assert_close(ours, theirs)
    assert not ours[[1, 2, 5, 6, 8, 9, 10]].any()


def test_scores_that_are_no_numbers_give_no_number() -> None:
    scores = torch.full((1, 5), torch.nan)
    optimal = torch.tensor([[False, True, False, False, False]])
    loss = marginal_loss(scores, torch.tensor([0]), torch.tensor([0]), POSSIBLE, optimal)
    assert torch.isnan(loss)
