"""The soft-attention baseline as a torch module: Luong's global attention, no input feeding.

The decoder's LSTM reads the lemma's ends, the features and the previous symbol. What it attends
to never comes back into it: its scan needs no attention inside, and attention over a whole batch
is a few operations after it. What each encoded symbol gives the score and the context is
multiplied once per symbol, not once per action.

Shapes: as in `backbone`; soft attention has no steps, so T is the length of the longest form,
and its end.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from stepwrite.inference.network_config import NetworkConfig
from stepwrite.training.batches import Batch
from stepwrite.training.kernels.gather import gather_sum
from stepwrite.training.kernels.linear import linear
from stepwrite.training.kernels.pair_scores import pair_scores
from stepwrite.training.recipe import OracleNetwork, OracleRecipe
from stepwrite.training.sequences import write_sequences
from stepwrite.transducer.vocabulary import Vocabulary


class Attention(nn.Module):
    """Luong's score and what comes of it.

    score: (2H, H) and query: (H, H) W, for a symbol and for the decoder's state; pick: (H, 1) v.
    combine: (3H, H) from state and context to what the actions are chosen by.
    """

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.score = nn.Parameter(torch.empty(2 * hidden, hidden))
        self.query = nn.Parameter(torch.empty(hidden, hidden))
        self.pick = nn.Parameter(torch.empty(hidden, 1))
        self.combine = nn.Parameter(torch.empty(3 * hidden, hidden))
        for matrix in (self.score, self.query, self.pick, self.combine):
            nn.init.xavier_uniform_(matrix.data)

    def forward(self, encoded: Tensor, hidden: Tensor, lengths: Tensor) -> Tensor:
        """(T, B, H): the decoder's states combined with what they attend to.

        encoded: (2, L, B, H) by direction; hidden: (T, B, H); lengths: (B,) of the padded lemmas.
        """
        size = hidden.shape[2]
        by_state, by_context = torch.split(self.combine, [size, 2 * size])
        of_symbols = torch.cat([self.score, by_context], dim=1).view(2, size, 2 * size)
        of_states = torch.cat([self.query, by_state], dim=1)[None]
        n_symbols, n_words = encoded.shape[1:3]
        encoded = linear(encoded.flatten(1, 2), of_symbols)
        symbols = gather_sum(places(lengths, n_symbols), encoded)
        keys, values = torch.split(symbols.view(n_words, n_symbols, -1), size, dim=2)
        states = linear(hidden.flatten(0, 1)[None], of_states).view(-1, n_words, 2 * size)
        queries, given = torch.split(states, size, dim=2)
        weights = attend(pair_scores(queries, keys, self.pick), lengths)
        return torch.tanh(given + (weights @ values).transpose(0, 1))


class SoftAttention(OracleNetwork):
    """A decoder that sees all of the lemma.

    Where the hard network's decoder reads the attended symbol's state, this one always reads
    those that the encoder ends with, one for each direction. The score of a symbol is Luong's
    "concat" one, v^T tanh(W [h; s]). On dev sets both were better than without them, and than
    the cheaper score "general", h^T W s.
    """

    def __init__(
        self,
        config: NetworkConfig,
        vocabulary: Vocabulary,
        dropout: float = 0.0,
        smoothing: float = 0.0,
    ) -> None:
        super().__init__(config, vocabulary, dropout, smoothing)
        self.attention = Attention(config.hidden)

    def forward(self, batch: Batch) -> Tensor:
        """(T * B, actions): the unnormalised log probability of each action."""
        parts = self.backbone
        embedding, batch = parts.embed(batch)
        encoded = parts.drop(parts.encode(embedding, batch.lemmas))
        words = torch.arange(len(batch.lengths))
        ends = encoded[:, batch.lengths - 1, words]
        hidden = parts.decode(embedding, batch, ends, words.repeat(2, len(batch.previous)))
        return parts.choose(self.attention(encoded, hidden, batch.lengths))


RECIPE = OracleRecipe(SoftAttention, write_sequences)


def attend(scores: Tensor, lengths: Tensor) -> Tensor:
    """(B, T, L): how much of its attention each state gives to each symbol; 0 to padding.

    scores: (B, T, L); lengths: (B,) of the padded lemmas.

    >>> attend(torch.zeros(1, 1, 3), torch.tensor([2]))
    tensor([[[0.5000, 0.5000, 0.0000]]])
    """
    padding = torch.arange(scores.shape[2]) >= lengths[:, None]
    return scores.masked_fill(padding[:, None], -torch.inf).softmax(dim=2)


def places(lengths: Tensor, longest: int) -> Tensor:
    """(2, B * L): for each word and position its place, row * B + word, in lemmas read either way.

    >>> places(torch.tensor([3, 2]), longest=3)
    tensor([[0, 2, 4, 1, 3, 5],
            [4, 2, 0, 3, 1, 5]])
    """
    n_words = len(lengths)
    forward = torch.arange(longest).expand(n_words, -1)
    last = lengths[:, None] - 1
    backward = torch.where(forward <= last, last - forward, forward)
    return (torch.stack([forward, backward]) * n_words + torch.arange(n_words)[:, None]).flatten(1)
