"""The soft-attention baseline as a torch module: Luong's global attention, no input feeding.

The decoder's LSTM reads the previous symbol and the features only, so what it attends to never
comes back into it: its scan needs no attention inside, and attention over a whole batch is two
batched products after it. What each encoded symbol gives the score and the context is
multiplied once a symbol, not once an action.

Shapes: as in `modules`; soft attention has no steps, so T is the length of the longest form,
and its end.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from stepwrite.config import NetworkConfig
from stepwrite.training.gather import gather_sum
from stepwrite.training.linear import linear
from stepwrite.training.modules import Batch, HardAttention
from stepwrite.vocabulary import Vocabulary


class SoftAttention(HardAttention):
    """The hard network's encoder, sizes and output; a decoder that sees all of the lemma.

    The score of a symbol is Luong's "general" one, h^T W s: the decoder's state has half the
    size of an encoded symbol, so that their plain product ("dot") does not exist, and "concat"
    would need a tanh for each pair of an action and a symbol.

    score: (2H, H) W; combine: (3H, H) from state and context to what the actions are chosen by.
    """

    def __init__(self, config: NetworkConfig, vocabulary: Vocabulary, dropout: float = 0.0) -> None:
        super().__init__(config, vocabulary, dropout)
        self.score = nn.Parameter(torch.empty(2 * config.hidden, config.hidden))
        self.combine = nn.Parameter(torch.empty(3 * config.hidden, config.hidden))
        for matrix in (self.score, self.combine):
            nn.init.xavier_uniform_(matrix.data)

    def forward(self, batch: Batch) -> Tensor:
        """(T * B, actions): the unnormalised log probability of each action."""
        embedding, batch = self._embed(batch)
        encoded = self.drop(self._encode(embedding, batch.lemmas))
        hidden = self._decode(embedding, batch)
        size = hidden.shape[2]
        by_state, by_context = torch.split(self.combine, [size, 2 * size])
        both = torch.cat([self.score, by_context], dim=1).view(2, size, 2 * size)
        n_symbols, n_words = encoded.shape[1:3]
        symbols = gather_sum(places(batch.lengths, n_symbols), linear(encoded.flatten(1, 2), both))
        keys, values = torch.split(symbols.view(n_words, n_symbols, -1), size, dim=2)
        context = attend(hidden.transpose(0, 1), keys, batch.lengths) @ values
        combined = torch.tanh(hidden @ by_state + context.transpose(0, 1))
        return self._choose(combined)


def attend(hidden: Tensor, keys: Tensor, lengths: Tensor) -> Tensor:
    """(B, T, L): how much of its attention each state gives to each symbol; 0 to padding.

    hidden: (B, T, H); keys: (B, L, H); lengths: (B,) of the padded lemmas.

    >>> attend(torch.zeros(1, 1, 2), torch.ones(1, 3, 2), torch.tensor([2]))
    tensor([[[0.5000, 0.5000, 0.0000]]])
    """
    padding = torch.arange(keys.shape[1]) >= lengths[:, None]
    scores = hidden @ keys.transpose(1, 2)
    return scores.masked_fill(padding[:, None], -torch.inf).softmax(dim=2)


def places(lengths: Tensor, longest: int) -> Tensor:
    """(2, B * L): for each word and position its place, row * B + word, in lemmas read either way.

    >>> places(torch.tensor([3, 2]), longest=3)
    tensor([[0, 2, 4, 1, 3, 5],
            [4, 2, 0, 3, 1, 5]])
    """
    n_words = len(lengths)
    onward = torch.arange(longest).expand(n_words, -1)
    last = lengths[:, None] - 1
    inward = torch.where(onward <= last, last - onward, onward)
    return (torch.stack([onward, inward]) * n_words + torch.arange(n_words)[:, None]).flatten(1)
