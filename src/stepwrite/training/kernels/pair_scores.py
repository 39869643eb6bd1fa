"""Luong's "concat" scores of all pairs of an action and a symbol, as one differentiable operation.

There are some ten times as many pairs as actions, and each has a vector of its own. By torch's
operations these vectors pass through memory a dozen times; here they do twice.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from stepwrite.training.kernels.products import Array, arrays, compiled
from stepwrite.training.kernels.scan_kernel import tanh


def pair_scores(queries: Tensor, keys: Tensor, pick: Tensor) -> Tensor:
    """(B, T, L): pick by the tanh of a query plus a key.

    queries: (T, B, H), keys: (B, L, H), pick: (H, 1).

    >>> keys = torch.tensor([[[0.0, 0.0], [9.0, 9.0]]])
    >>> pair_scores(torch.zeros(1, 1, 2), keys, torch.ones(2, 1))
    tensor([[[0.0000, 2.0000]]])
    """
    scores: Tensor = PairScores.apply(queries, keys, pick)  # type: ignore[no-untyped-call]
    return scores


class PairScores(torch.autograd.Function):
    """The compiled kernel as an operation of torch."""

    @staticmethod
    def forward(ctx: Any, queries: Tensor, keys: Tensor, pick: Tensor) -> Tensor:
        (n_steps, n_words, size), n_symbols = queries.shape, keys.shape[1]
        pairs = queries.new_empty(n_words, n_steps, n_symbols, size)
        scores = queries.new_empty(n_words, n_steps, n_symbols)
        exact = queries.dtype == torch.float64
        _forward(exact, *arrays(queries, keys, pick[:, 0], pairs, scores))
        ctx.save_for_backward(pairs, pick)
        return scores

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        pairs, pick = ctx.saved_tensors
        n_words, n_steps, n_symbols, size = pairs.shape
        d_queries = pairs.new_empty(n_steps, n_words, size)
        d_keys = pairs.new_zeros(n_words, n_symbols, size)
        d_pick = pairs.new_zeros(size)
        _backward(*arrays(gradients[0], pairs, pick[:, 0], d_queries, d_keys, d_pick))
        return d_queries, d_keys, d_pick[:, None]


@compiled
def _forward(
    exact: bool, queries: Array, keys: Array, pick: Array, pairs: Array, scores: Array
) -> None:
    """pairs: (B, T, L, H), out: the tanh of each pair's sum."""
    n_words, n_steps, n_symbols, size = pairs.shape
    for word in range(n_words):
        for step in range(n_steps):
            query = queries[step, word]
            for symbol in range(n_symbols):
                key, pair = keys[word, symbol], pairs[word, step, symbol]
                score = pick[0] * 0
                for k in range(size):
                    pair[k] = tanh(query[k] + key[k], exact)
                    score += pick[k] * pair[k]
                scores[word, step, symbol] = score


@compiled
def _backward(
    d_scores: Array, pairs: Array, pick: Array, d_queries: Array, d_keys: Array, d_pick: Array
) -> None:
    n_words, n_steps, n_symbols, size = pairs.shape
    for word in range(n_words):
        for step in range(n_steps):
            d_query = d_queries[step, word]
            d_query[:] = 0
            for symbol in range(n_symbols):
                pair, d_key = pairs[word, step, symbol], d_keys[word, symbol]
                d_score = d_scores[word, step, symbol]
                for k in range(size):
                    d_pick[k] += d_score * pair[k]
                    d_sum = d_score * pick[k] * (1 - pair[k] * pair[k])
                    d_query[k] += d_sum
                    d_key[k] += d_sum
