"""What training needs to know of a model kind.

The loop knows nothing of attention or actions: it asks the kind's recipe for alignments, arrays,
a network with its loss, and the batches of each epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from torch import Tensor
from torch.nn import functional

from stepwrite.data.segmentation import Symbols
from stepwrite.inference.lstm import Floats
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.training.backbone import Backbone, Trainable
from stepwrite.training.batches import IGNORED, Batch, epoch_batches
from stepwrite.training.config import TrainingConfig
from stepwrite.training.sequences import Sequences, ToSequences
from stepwrite.transducer.alignment import Alignment, ChineseRestaurantAligner
from stepwrite.transducer.vocabulary import Vocabulary


@dataclass(frozen=True)
class Pass:
    """One pass over the training set, as a recipe sees it.

    epoch: its number, from 1. random: where all its randomness comes from.
    weights: gives the weights as they are now, by their names in the model format.
    """

    config: TrainingConfig
    vocabulary: Vocabulary
    examples: Sequence[Any]
    epoch: int
    random: np.random.Generator
    weights: Callable[[], Mapping[str, Floats]]


class Recipe(Protocol):
    """How models of a kind are trained."""

    def align(self, pairs: Sequence[tuple[Symbols, Symbols]], seed: int) -> list[Alignment]:
        """Align lemmas with forms."""

    def example(self, alignment: Alignment, features: str, vocabulary: Vocabulary) -> Any:
        """The arrays of one training example."""

    def network(self, config: TrainingConfig, vocabulary: Vocabulary) -> Trainable:
        """A new network."""

    def batches(self, this: Pass) -> Iterator[Any]:
        """All examples once, in batches that the network's `loss` takes."""


class OracleNetwork(Trainable):
    """A network that imitates the oracle's actions: `forward` gives (T * B, actions) scores."""

    def __init__(
        self,
        config: NetworkConfig,
        vocabulary: Vocabulary,
        dropout: float = 0.0,
        smoothing: float = 0.0,
    ) -> None:
        super().__init__()
        self.smoothing = smoothing
        self.backbone = Backbone(config, vocabulary, dropout)

    def loss(self, batch: Batch) -> Tensor:
        return oracle_loss(self(batch), batch, self.smoothing)


@dataclass(frozen=True)
class OracleRecipe:
    """For networks that mimic one sequence of actions per word, from an alignment found before.

    The member's seed is the aligner's, too: members that learnt from alignments of their own make
    mistakes of their own, which is what a vote lives on.
    """

    module: Callable[[NetworkConfig, Vocabulary, float, float], Trainable]
    to_sequences: ToSequences

    def align(self, pairs: Sequence[tuple[Symbols, Symbols]], seed: int) -> list[Alignment]:
        return ChineseRestaurantAligner(seed=seed).align(pairs)

    def example(self, alignment: Alignment, features: str, vocabulary: Vocabulary) -> Sequences:
        return self.to_sequences(alignment, features, vocabulary)

    def network(self, config: TrainingConfig, vocabulary: Vocabulary) -> Trainable:
        return self.module(config.network, vocabulary, config.dropout, config.smoothing)

    def batches(self, this: Pass) -> Iterator[Batch]:
        return epoch_batches(
            this.examples, self.to_sequences, this.vocabulary, this.config, this.random
        )


def oracle_loss(scores: Tensor, batch: Batch, smoothing: float) -> Tensor:
    """Cross-entropy on the oracle's actions; scores: (T * B, actions)."""
    return functional.cross_entropy(
        scores, batch.targets.flatten(), ignore_index=IGNORED, label_smoothing=smoothing
    )
