"""Name and shape of every array of a member's weights, by kind of network."""

from __future__ import annotations

from stepwrite.inference.network_config import NetworkConfig
from stepwrite.transducer.vocabulary import Vocabulary

Shapes = dict[str, tuple[int, ...]]


def hard_shapes(network: NetworkConfig, vocabulary: Vocabulary) -> Shapes:
    return {**_output_shapes(network, vocabulary), **_lstm_shapes(network, vocabulary)}


def soft_shapes(network: NetworkConfig, vocabulary: Vocabulary) -> Shapes:
    hidden = network.hidden
    attention: Shapes = {
        "score": (2 * hidden, hidden),
        "query": (hidden, hidden),
        "pick": (hidden, 1),
        "combine": (3 * hidden, hidden),
    }
    return {
        **_output_shapes(network, vocabulary),
        **attention,
        **_lstm_shapes(network, vocabulary),
    }


def _output_shapes(network: NetworkConfig, vocabulary: Vocabulary) -> Shapes:
    """Embeddings and output."""
    return {
        "embedding": (vocabulary.size, network.embedding),
        "features": (vocabulary.n_feature_rows, network.feature_embedding),
        "output": (network.hidden, vocabulary.n_actions),
        "output_bias": (vocabulary.n_actions,),
    }


def _lstm_shapes(network: NetworkConfig, vocabulary: Vocabulary) -> Shapes:
    """Encoder and decoder."""
    hidden, embedding = network.hidden, network.embedding
    n_features = len(vocabulary.slots.slots) * network.feature_embedding
    stacks = {"encoder": (2, embedding), "decoder": (1, 2 * hidden + n_features + embedding)}
    shapes: Shapes = {}
    n_peepholes = 3 if network.cell == "peephole" else 0
    for stack, (n_lstms, n_inputs) in stacks.items():
        for k in range(network.layers):
            name = f"{stack}.{k}"
            shapes[f"{name}.input"] = (n_lstms, hidden if k else n_inputs, 4 * hidden)
            shapes[f"{name}.recurrent"] = (n_lstms, hidden, 4 * hidden)
            shapes[f"{name}.bias"] = (n_lstms, 4 * hidden)
            shapes[f"{name}.peepholes"] = (n_lstms, n_peepholes, hidden, hidden)
    return shapes
