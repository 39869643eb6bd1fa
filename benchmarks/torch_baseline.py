"""The same network built on `torch.nn.LSTM`, as the baseline for training speed.

It reads the same batches, gathers the attended states the same way and is trained by the same
loop, so that only the network differs. `load` copies stepwrite's weights, with which the benchmark
checks that both give the same output before it times them.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from stepwrite.inference.network_config import NetworkConfig
from stepwrite.training.backbone import Backbone, layers
from stepwrite.training.batches import Batch
from stepwrite.training.hard import HardAttention
from stepwrite.training.recipe import oracle_loss
from stepwrite.transducer.vocabulary import Vocabulary


class TorchBackbone(nn.Module):
    """Two separate encoder stacks, and a decoder that reads [attended, features, previous]."""

    def __init__(self, config: NetworkConfig, vocabulary: Vocabulary, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = dropout
        self.random = np.random.default_rng()  # set by the training loop; torch has its own
        self.embedding = nn.Embedding(vocabulary.size, config.embedding)
        self.features = nn.Embedding(vocabulary.n_feature_rows, config.feature_embedding)

        def stack(n_inputs: int) -> nn.LSTM:
            return nn.LSTM(n_inputs, config.hidden, config.layers, dropout=dropout)

        n_features = len(vocabulary.slots.slots) * config.feature_embedding
        self.forwards, self.backwards = stack(config.embedding), stack(config.embedding)
        self.decoder = stack(2 * config.hidden + n_features + config.embedding)
        self.output = nn.Linear(config.hidden, vocabulary.n_actions)

    def drop(self, values: Tensor) -> Tensor:
        return functional.dropout(values, self.dropout, self.training)

    def forward(self, batch: Batch) -> Tensor:
        """(T * B, actions): the unnormalised log probability of each action."""
        forwards, _ = self.forwards(self.drop(self.embedding(batch.lemmas[0])))
        backwards, _ = self.backwards(self.drop(self.embedding(batch.lemmas[1])))
        n_steps, n_rows = batch.previous.shape
        attended = [
            self.drop(states).flatten(0, 1).index_select(0, places).view(n_steps, n_rows, -1)
            for states, places in zip((forwards, backwards), batch.attended, strict=True)
        ]
        features = self.drop(self.features(batch.features).flatten(1))
        previous = self.drop(self.embedding(batch.previous))
        inputs = torch.cat([*attended, features.expand(n_steps, -1, -1), previous], dim=2)
        hidden, _ = self.decoder(inputs)
        logits: Tensor = self.output(self.drop(hidden).flatten(0, 1))
        return logits

    @torch.no_grad()
    def load(self, parts: Backbone) -> None:
        """Copy stepwrite's weights; torch has two biases per gate, the second becomes zero."""
        self.embedding.weight.copy_(parts.embedding)
        self.features.weight.copy_(parts.features)
        self.output.weight.copy_(parts.output.T)
        self.output.bias.copy_(parts.output_bias)
        pairs = (
            (self.forwards, parts.encoder, 0),
            (self.backwards, parts.encoder, 1),
            (self.decoder, parts.decoder, 0),
        )
        for mine, theirs, direction in pairs:
            for k, layer in enumerate(layers(theirs)):
                getattr(mine, f"weight_ih_l{k}").copy_(layer.input[direction].T)
                getattr(mine, f"weight_hh_l{k}").copy_(layer.recurrent[direction].T)
                getattr(mine, f"bias_ih_l{k}").copy_(layer.bias[direction])
                getattr(mine, f"bias_hh_l{k}").zero_()


class TorchHardAttention(nn.Module):
    """The network as the training loop expects it: a backbone and a loss."""

    def __init__(self, config: NetworkConfig, vocabulary: Vocabulary, dropout: float = 0.0) -> None:
        super().__init__()
        self.backbone = TorchBackbone(config, vocabulary, dropout)

    def forward(self, batch: Batch) -> Tensor:
        logits: Tensor = self.backbone(batch)
        return logits

    def loss(self, batch: Batch) -> Tensor:
        return oracle_loss(self(batch), batch, smoothing=0.0)


def check_same(config: NetworkConfig, vocabulary: Vocabulary, batch: Batch) -> None:
    """Check that both networks have the same parameters, except a second bias, and output."""
    theirs = HardAttention(config, vocabulary).eval()
    mine = TorchHardAttention(config, vocabulary).eval()
    mine.backbone.load(theirs.backbone)
    second_biases = 3 * config.layers * 4 * config.hidden
    counts = [sum(p.numel() for p in network.parameters()) for network in (theirs, mine)]
    if counts[0] + second_biases != counts[1]:
        raise RuntimeError(f"{counts} parameters: torch's should have {second_biases} more")
    with torch.no_grad():
        torch.testing.assert_close(mine(batch), theirs(batch), rtol=0, atol=1e-5)
