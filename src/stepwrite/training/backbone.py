"""What the networks of all kinds have in common, as a torch module: encoder, decoder, output.

With teacher forcing every action is known beforehand, so nothing loops over time in Python:
each LSTM layer is one scan. And nothing is multiplied twice: a product of an embedding and an
input matrix is a table with a row for each symbol of the batch, the products of the encoder's
states are computed once per symbol, the features' once per word.

A network of some kind is a module made of parts, the first of them a `Backbone`. The names of
its parameters in the model format are those within the parts: "backbone.embedding" is
"embedding" there.

Shapes: B words, L symbols of the longest padded lemma, T actions of the longest word.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from stepwrite.inference.network_config import NetworkConfig
from stepwrite.training.batches import Batch
from stepwrite.training.kernels.gather import gather_sum
from stepwrite.training.kernels.linear import linear, linear_parts
from stepwrite.training.kernels.scan import lstm_scan
from stepwrite.transducer.vocabulary import Vocabulary


class LSTMLayer(nn.Module):
    """The weights of D LSTMs side by side; gates in the order input, forget, candidate, output."""

    def __init__(self, n_lstms: int, n_inputs: int, hidden: int, *, peephole: bool) -> None:
        super().__init__()
        self.input = nn.Parameter(torch.empty(n_lstms, n_inputs, 4 * hidden))
        self.recurrent = nn.Parameter(torch.empty(n_lstms, hidden, 4 * hidden))
        self.bias = nn.Parameter(torch.zeros(n_lstms, 4 * hidden))
        self.peepholes = nn.Parameter(torch.empty(n_lstms, 3 if peephole else 0, hidden, hidden))
        for weights in (self.input.data, self.recurrent.data):
            for one in weights:
                for gate in torch.split(one, hidden, dim=1):
                    nn.init.xavier_uniform_(gate)
        for matrix in self.peepholes.data.flatten(0, 1):
            nn.init.xavier_uniform_(matrix)
        self.bias.data[:, hidden : 2 * hidden] = 1  # remember at first, as DyNet's LSTM does

    def products(self, inputs: Tensor) -> Tensor:
        """(D, rows, inputs) -> (D, rows, 4H): what the gates get from outside."""
        return linear(inputs, self.input, self.bias)

    def scan(self, products: Tensor) -> Tensor:
        """(D, T, B, 4H) -> (D, T, B, H)."""
        return lstm_scan(products, self.recurrent, self.peepholes)

    def forward(self, inputs: Tensor) -> Tensor:
        """(D, T, B, inputs) -> (D, T, B, H)."""
        products = self.products(inputs.flatten(1, 2))
        return self.scan(products.view(*inputs.shape[:3], -1))


class Backbone(nn.Module):
    """Embeddings, encoder, decoder and output; what the decoder reads is its owner's business.

    random: where dropout draws from; set before each epoch.
    """

    def __init__(self, config: NetworkConfig, vocabulary: Vocabulary, dropout: float = 0.0) -> None:
        super().__init__()
        hidden, embedding = config.hidden, config.embedding
        n_features = len(vocabulary.slots.slots) * config.feature_embedding
        self.dropout = dropout
        self.random = np.random.default_rng()
        self.embedding = nn.Parameter(torch.empty(vocabulary.size, embedding))
        self.features = nn.Parameter(
            torch.empty(vocabulary.n_feature_rows, config.feature_embedding)
        )
        for table in (self.embedding, self.features):
            nn.init.xavier_uniform_(table.data)

        def stack(n_lstms: int, n_inputs: int) -> nn.ModuleList:
            sizes = [n_inputs] + [hidden] * (config.layers - 1)
            peephole = config.cell == "peephole"
            return nn.ModuleList(
                LSTMLayer(n_lstms, size, hidden, peephole=peephole) for size in sizes
            )

        # Two separate stacks side by side: layer 2 of each direction sees only its own layer 1.
        self.encoder = stack(2, embedding)
        self.decoder = stack(1, 2 * hidden + n_features + embedding)
        self.output = nn.Parameter(torch.empty(hidden, vocabulary.n_actions))
        self.output_bias = nn.Parameter(torch.zeros(vocabulary.n_actions))
        nn.init.xavier_uniform_(self.output.data)

    def drop(self, values: Tensor) -> Tensor:
        """Dropout, with random bytes: torch's own took a tenth of the whole training time."""
        if not (self.training and self.dropout):
            return values
        kept = self.random.integers(0, 256, values.shape, np.uint8) >= round(256 * self.dropout)
        return values * torch.from_numpy(kept * np.float32(1 / (1 - self.dropout)))

    def embed(self, batch: Batch) -> tuple[Tensor, Batch]:
        """The embeddings of the batch's own symbols, and the batch with their rows as ids.

        What follows makes tables of products with all of them, and most symbols of an alphabet
        are not in a given batch.
        """
        ids = torch.cat([batch.lemmas.flatten(), batch.previous.flatten()])
        symbols, rows = torch.unique(ids, return_inverse=True)
        lemmas, previous = torch.split(rows, [batch.lemmas.numel(), batch.previous.numel()])
        batch = replace(
            batch, lemmas=lemmas.view_as(batch.lemmas), previous=previous.view_as(batch.previous)
        )
        return self.drop(functional.embedding(symbols, self.embedding)), batch

    def encode(self, embedding: Tensor, ids: Tensor) -> Tensor:
        """(2, L, B, H): the states of the symbols, by direction.

        The first layer's products with the embeddings are a table to look up.
        """
        first = layers(self.encoder)[0]
        table = first.products(embedding.expand(2, -1, -1))
        both = torch.stack([ids[0], ids[1] + len(embedding)])
        inputs = functional.embedding(both, table.flatten(0, 1))
        return self._upper(self.encoder, first.scan(inputs))

    def decode(self, embedding: Tensor, batch: Batch, encoded: Tensor, read: Tensor) -> Tensor:
        """(T, B, H): the decoder's states before each action.

        encoded: (2, rows, H) states of the encoder, by direction; read: (2, T * B) which of them
        the decoder reads before each action.
        """
        first = layers(self.decoder)[0]
        features = self.drop(functional.embedding(batch.features, self.features).flatten(1))
        n_steps, n_words = batch.previous.shape
        words = torch.arange(n_words).expand(n_steps, -1)
        by_state, by_features, by_previous = linear_parts(
            first.input[0], encoded, features[None], embedding[None]
        )
        inputs = gather_sum(
            torch.cat([read, words.reshape(1, -1), batch.previous.view(1, -1)]),
            *(by_state, by_features + first.bias, by_previous),
        )
        return self._upper(self.decoder, first.scan(inputs.view(1, n_steps, n_words, -1)))[0]

    def choose(self, hidden: Tensor) -> Tensor:
        """(T, B, H) -> (T * B, actions)."""
        states = self.drop(hidden).flatten(0, 1)
        return linear(states[None], self.output[None], self.output_bias[None])[0]

    def _upper(self, stack: nn.ModuleList, states: Tensor) -> Tensor:
        for layer in layers(stack)[1:]:
            states = layer(self.drop(states))
        return states


def layers(stack: nn.ModuleList) -> list[LSTMLayer]:
    return [layer for layer in stack if isinstance(layer, LSTMLayer)]


def pointer_scores(parts: Backbone, batch: Batch) -> Tensor:
    """(T * B, actions): unnormalised log probabilities by a decoder that reads one encoded symbol
    at each action, that of the attended position."""
    embedding, batch = parts.embed(batch)
    encoded = parts.drop(parts.encode(embedding, batch.lemmas)).flatten(1, 2)
    return parts.choose(parts.decode(embedding, batch, encoded, batch.attended))


class Trainable(nn.Module):
    """A network of some kind, in training. `loss` is the kind's own."""

    backbone: Backbone

    def loss(self, batch: Any) -> Tensor:
        """What is minimised: the mean over the batch's actions."""
        raise NotImplementedError


def format_names(network: nn.Module) -> dict[str, nn.Parameter]:
    """The parameters of a network by their names in the model format.

    Those of LSTM layers come last, whatever part they are in: sums over all parameters, such as
    the length of the gradient, depend on the order in their last bits.
    """
    named = {name.partition(".")[2]: weights for name, weights in network.named_parameters()}
    return {name: named[name] for name in sorted(named, key=lambda name: "." in name)}
