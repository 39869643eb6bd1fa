"""The hard-attention network as a torch module, trained to mimic the oracle.

All attended positions are known before the step, and with them what the decoder reads.
Shapes: B words, T actions of the longest oracle.
"""

from __future__ import annotations

from torch import Tensor

from stepwrite.training.backbone import pointer_scores
from stepwrite.training.batches import Batch
from stepwrite.training.recipe import OracleNetwork, OracleRecipe
from stepwrite.training.sequences import step_write_sequences


class HardAttention(OracleNetwork):
    """A decoder that sees one encoded symbol at a time."""

    def forward(self, batch: Batch) -> Tensor:
        """(T * B, actions): the unnormalised log probability of each action."""
        return pointer_scores(self.backbone, batch)


RECIPE = OracleRecipe(HardAttention, step_write_sequences)
