"""Feature embeddings of a trained network in as few numbers as they need.

Wide embeddings help to learn from few examples, but all that the decoder ever reads of a slot is
the product of a value's embedding and the slot's part of the input matrix. These products are few:
with one-hot rows as embeddings they are the input matrix itself. The network stays the same.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stepwrite.inference.network_config import NetworkConfig
from stepwrite.model.directory import Weights
from stepwrite.transducer.vocabulary import Vocabulary

INPUT = "decoder.0.input"


def one_hot_width(vocabulary: Vocabulary) -> int:
    """The size of one-hot feature embeddings: the values of the largest slot, and none."""
    return 1 + max(map(len, vocabulary.slots.values), default=0)


def compact_network(network: NetworkConfig, vocabulary: Vocabulary) -> NetworkConfig:
    """The configuration of `compact_weights`."""
    width = min(one_hot_width(vocabulary), network.feature_embedding)
    return replace(network, feature_embedding=width)


def compact_weights(weights: Weights, network: NetworkConfig, vocabulary: Vocabulary) -> Weights:
    """The same network with one-hot feature embeddings, where these are narrower.

    Members of an assembled model, to which others are added, have them already.
    """
    width, old_width = one_hot_width(vocabulary), weights["features"].shape[1]
    if width >= old_width:
        return weights
    slots = vocabulary.slots.values
    after_states = 2 * network.hidden
    by_states, by_slots, by_previous = np.split(
        weights[INPUT][0], [after_states, after_states + len(slots) * old_width]
    )
    table = np.zeros((vocabulary.n_feature_rows, width), np.float32)
    table[0, 0] = 1  # no value, or an unknown one
    products = np.zeros((len(slots), width, by_slots.shape[1]), np.float32)
    first = 1
    for slot, values in enumerate(slots):
        rows = [0, *range(first, first + len(values))]
        table[rows, range(len(rows))] = 1
        matrix = by_slots[slot * old_width : (slot + 1) * old_width]
        products[slot, : len(rows)] = weights["features"][rows] @ matrix
        first += len(values)
    parts = [by_states, products.reshape(len(slots) * width, by_slots.shape[1]), by_previous]
    return {**weights, "features": table, INPUT: np.concatenate(parts)[None]}
