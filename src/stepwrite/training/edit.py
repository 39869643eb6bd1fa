"""The edit transducer: hard attention that copies, deletes and inserts, taught by roll-ins.

The network has the parts of the hard one; what differs is how it is trained: no alignment is
fixed beforehand, and the loss is minus the log of the summed probability of all actions that a
dynamic oracle finds optimal in the states that the network itself reaches (Makarov & Clematide
2018).

Shapes: B words, T actions of the longest walk, A actions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from stepwrite.data.segmentation import Symbols
from stepwrite.errors import StepwriteError
from stepwrite.inference.hard import HardNetwork
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.training.augmentation import augmented
from stepwrite.training.backbone import Backbone, Trainable, pointer_scores
from stepwrite.training.batches import Batch, padded, place_batch, tensor
from stepwrite.training.config import TrainingConfig
from stepwrite.training.kernels.marginal_loss import marginal_loss
from stepwrite.training.recipe import Pass
from stepwrite.training.roll_in import Walks, roll_in
from stepwrite.training.sequences import IntArray
from stepwrite.transducer.actions import EDIT
from stepwrite.transducer.alignment import (
    Alignment,
    ChineseRestaurantAligner,
    EditDistanceAligner,
    positions_of,
)
from stepwrite.transducer.vocabulary import Vocabulary

POOL = 1024  # examples that are walked through with the same weights
COPIED = 0.67  # of the symbols of lemmas, at least, where words are inflected
RISE = 0.3  # the share of training over which the exploration rises


@dataclass(frozen=True)
class EditExample:
    """One training example: the padded lemma, the feature rows and the form, as ids.

    anchors: for each symbol of the form the position on the lemma that it belongs to, or 0.
    """

    lemma: IntArray
    features: IntArray
    form: IntArray
    anchors: IntArray
    alignment: Alignment
    bundle: str


@dataclass(frozen=True)
class EditBatch:
    """Walks through words, padded, time first.

    words: what the network reads. used: (N,) which of its T * B rows of scores are real actions.
    at_end: (N,) whether the end symbol is attended there; optimal: (N, A) the oracle's advice.
    """

    words: Batch
    used: Tensor
    at_end: Tensor
    optimal: Tensor


class EditTransducer(Trainable):
    """A decoder that sees one encoded symbol at a time, with the loss of a dynamic oracle."""

    def __init__(self, config: NetworkConfig, vocabulary: Vocabulary, dropout: float = 0.0) -> None:
        super().__init__()
        self.backbone = Backbone(config, vocabulary, dropout)
        # (2, A): which actions there are inside the lemma, and on its end symbol.
        self.possible = torch.ones(2, vocabulary.n_actions, dtype=torch.bool)
        for where, numbers in enumerate(EDIT.impossible[1:]):
            self.possible[where, list(numbers)] = False

    def loss(self, batch: EditBatch) -> Tensor:
        scores = pointer_scores(self.backbone, batch.words)
        return marginal_loss(scores, batch.used, batch.at_end, self.possible, batch.optimal)


class EditRecipe:
    """How edit transducers are trained."""

    def align(self, pairs: Sequence[tuple[Symbols, Symbols]], seed: int) -> list[Alignment]:
        """What is copied; augmentation looks at it. The oracle needs no alignment, unless little is
        copied, as in grapheme-to-phoneme conversion: then alignments are learnt, and anchor it."""
        alignments = EditDistanceAligner().align(pairs)
        copied = sum(one == other for word in alignments for one, other in word.pairs)
        if copied >= COPIED * sum(len(lemma) for lemma, _ in pairs):
            return alignments
        learnt = ChineseRestaurantAligner(seed=seed).align(pairs)
        return [Alignment(alignment.pairs, anchored=True) for alignment in learnt]

    def example(self, alignment: Alignment, features: str, vocabulary: Vocabulary) -> EditExample:
        positions = positions_of(alignment)
        anchors = positions if alignment.anchored else [0] * len(positions)
        return EditExample(
            lemma=np.array(vocabulary.lemma_ids(alignment.lemma)),
            features=np.array(vocabulary.feature_rows(features), np.int64),
            form=np.array([vocabulary.symbol_id(symbol) for symbol in alignment.form], np.int64),
            anchors=np.array(anchors, np.int64),
            alignment=alignment,
            bundle=features,
        )

    def network(self, config: TrainingConfig, vocabulary: Vocabulary) -> Trainable:
        if config.smoothing:
            raise StepwriteError("smoothing is not for models of kind edit: leave it 0")
        return EditTransducer(config.network, vocabulary, config.dropout)

    def batches(self, this: Pass) -> Iterator[EditBatch]:
        """Pool by pool: walked through, sorted by length, and batched in random order."""
        config, vocabulary, random = this.config, this.vocabulary, this.random
        order = random.permutation(len(this.examples))
        examples = augmented(this.examples, self.example, vocabulary, config, random)
        exploration = config.exploration * min(1.0, (this.epoch - 1) / (RISE * config.epochs))
        size = config.batch
        per_pool = max(1, POOL // size) * size
        for start in range(0, len(order), per_pool):
            pool = [examples[k] for k in order[start : start + per_pool]]
            shown = [_masked(example.lemma, config.masking, vocabulary, random) for example in pool]
            network = HardNetwork(this.weights(), config.network, vocabulary, EDIT)
            walks = roll_in(
                network,
                [example.lemma for example in pool],
                shown,
                [example.features for example in pool],
                [example.form for example in pool],
                [example.anchors for example in pool],
                exploration,
                random,
            )
            lengths = np.diff(walks.first)
            by_length = np.lexsort(np.stack([[len(lemma) for lemma in shown], lengths]))
            batches = np.split(by_length, range(size, len(by_length), size))
            for number in random.permutation(len(batches)):
                yield collate(pool, shown, walks, batches[number], vocabulary)


def _masked(
    lemma: IntArray, share: float, vocabulary: Vocabulary, random: np.random.Generator
) -> IntArray:
    """A padded lemma with some of its symbols shown as unknown."""
    chosen = random.random(len(lemma)) < share
    chosen[[0, -1]] = False
    return np.where(chosen, vocabulary.unknown, lemma)


def collate(
    pool: Sequence[EditExample],
    shown: Sequence[IntArray],
    walks: Walks,
    chosen: IntArray,
    vocabulary: Vocabulary,
) -> EditBatch:
    """The chosen words of a pool as one batch."""
    rows = [walks.rows(int(word)) for word in chosen]
    lemmas = [shown[word] for word in chosen]

    words = place_batch(
        lemmas,
        [pool[word].features for word in chosen],
        [walks.positions[word_rows] for word_rows in rows],
        [np.concatenate([[vocabulary.begin], walks.actions[r][:-1]]) for r in rows],
    )
    numbers = padded([np.arange(word_rows.start, word_rows.stop) for word_rows in rows], -1)
    used = numbers.ravel() >= 0
    taken = numbers.ravel()[used]
    last = np.array([len(lemma) - 1 for lemma in lemmas])
    at_end = padded([walks.positions[word_rows] for word_rows in rows], 0) == last
    return EditBatch(
        words=words,
        used=tensor(used.nonzero()[0]),
        at_end=tensor(at_end.ravel()[used].astype(np.int64)),
        optimal=tensor(walks.optimal[taken]),
    )


RECIPE = EditRecipe()
