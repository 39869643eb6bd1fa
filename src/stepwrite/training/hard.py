"""The hard-attention network as a torch module, trained to mimic the oracle.

All attended positions are known before the step, and with them what the decoder reads.
Shapes: B words, T actions of the longest oracle.
"""

from __future__ import annotations

from torch import Tensor

from stepwrite.inference.network_config import NetworkConfig
from stepwrite.training.backbone import Backbone, Trainable, pointer_scores
from stepwrite.training.batches import Batch
from stepwrite.training.recipe import OracleRecipe, oracle_loss
from stepwrite.training.sequences import step_write_sequences
from stepwrite.transducer.vocabulary import Vocabulary


class HardAttention(Trainable):
    """A decoder that sees one encoded symbol at a time."""

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

    def forward(self, batch: Batch) -> Tensor:
        """(T * B, actions): the unnormalised log probability of each action."""
        return pointer_scores(self.backbone, batch)

    def loss(self, batch: Batch) -> Tensor:
        return oracle_loss(self(batch), batch, self.smoothing)


RECIPE = OracleRecipe(HardAttention, step_write_sequences)
