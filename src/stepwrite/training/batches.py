"""The way of training examples into padded batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from stepwrite.training.augmentation import augmented
from stepwrite.training.config import TrainingConfig
from stepwrite.training.sequences import IntArray, Sequences, ToSequences
from stepwrite.transducer.vocabulary import COPY, END, Vocabulary

IGNORED = -1  # the target of padding
POOL = 64  # batches that are sorted by length together, so that little is padding


@dataclass(frozen=True)
class Batch:
    """Words and their oracles, padded, time first.

    lemmas: (2, L, B) symbol ids of the padded lemmas; the second time each read from its end.
    lengths: (B,) of the padded lemmas.
    features: (B, slots) rows of the feature table.
    attended: (2, T * B) for each action the attended place, position * B + word, in the lemmas
    read either way.
    previous: (T, B) what was written or done before each action.
    targets: (T, B) the oracle's actions, IGNORED after the end.
    """

    lemmas: Tensor
    lengths: Tensor
    features: Tensor
    attended: Tensor
    previous: Tensor
    targets: Tensor


def epoch_batches(
    examples: Sequence[Sequences],
    to_sequences: ToSequences,
    vocabulary: Vocabulary,
    config: TrainingConfig,
    random: np.random.Generator,
) -> Iterator[Batch]:
    """All examples once, in random order, in batches of words of about the same length.

    to_sequences: makes the arrays of examples that augmentation changes.
    """
    size = config.batch
    order = random.permutation(len(examples))
    examples = augmented(examples, to_sequences, vocabulary, config, random)
    batches: list[IntArray] = []
    for start in range(0, len(order), POOL * size):
        pool = order[start : start + POOL * size]
        lengths = [(examples[k].length, len(examples[k].lemma)) for k in pool]
        pool = pool[np.lexsort(np.transpose(lengths))]
        batches += np.split(pool, range(size, len(pool), size))
    for number in random.permutation(len(batches)):
        chosen = [examples[k] for k in batches[number]]
        longest = max(len(example.lemma) for example in chosen)
        masked = random.random((longest, len(chosen))) < config.masking
        yield collate(chosen, vocabulary, masked, copy_always=config.copy == "always")


def collate(
    examples: Sequence[Sequences],
    vocabulary: Vocabulary,
    masked: NDArray[np.bool_] | None = None,
    *,
    copy_always: bool = False,
) -> Batch:
    """Pad the examples to one batch.

    masked: (L, B) which symbols of the lemmas are shown as unknown. Where such a symbol is
    written while it is attended, the target becomes `Copy`: so the network learns what to do
    with symbols that it has never seen. With `copy_always` that holds for all symbols.
    """
    n_words = len(examples)
    words = np.arange(n_words)
    lengths = np.array([len(example.lemma) for example in examples])
    lemmas = padded([example.lemma for example in examples], END)
    positions = padded([example.positions for example in examples], 0)
    previous = padded([example.previous for example in examples], END)
    targets = padded([example.targets for example in examples], IGNORED)
    place = np.arange(len(lemmas))[:, None]
    if vocabulary.copy:
        inside = (place > 0) & (place < lengths - 1)
        hidden = inside & masked if masked is not None else np.zeros_like(inside)
        copied = inside[positions, words] & (targets == lemmas[positions, words])
        unknown = copied & hidden[positions, words]
        targets[copied if copy_always else unknown] = COPY
        # What was written by copying an unknown symbol is unknown to the decoder, too.
        previous[1:][unknown[:-1]] = vocabulary.unknown
        lemmas[hidden] = vocabulary.unknown
    features = np.stack([example.features for example in examples])
    return _batch(lemmas, lengths, features, positions, previous, targets)


def place_batch(
    lemmas: Sequence[IntArray],
    features: Sequence[IntArray],
    positions: Sequence[IntArray],
    previous: Sequence[IntArray],
) -> Batch:
    """A batch without targets, of words with what is attended and was done at each action."""
    attended = padded(positions, 0)
    return _batch(
        padded(lemmas, END),
        np.array([len(lemma) for lemma in lemmas]),
        np.stack(features),
        attended,
        padded(previous, END),
        np.full_like(attended, IGNORED),
    )


def _batch(
    lemmas: IntArray,
    lengths: IntArray,
    features: IntArray,
    positions: IntArray,
    previous: IntArray,
    targets: IntArray,
) -> Batch:
    """All as in `Batch`, but positions: (T, B) the attended position at each action."""
    n_words = len(lengths)
    words = np.arange(n_words)
    place = np.arange(len(lemmas))[:, None]
    reversal = np.where(place < lengths, lengths - 1 - place, place)
    attended = np.stack([positions, reversal[positions, words]]) * n_words + words
    return Batch(
        lemmas=tensor(np.stack([lemmas, lemmas[reversal, words]])),
        lengths=tensor(lengths),
        features=tensor(features),
        attended=tensor(attended.reshape(2, -1)),
        previous=tensor(previous),
        targets=tensor(targets),
    )


def padded(rows: Sequence[IntArray], value: int) -> IntArray:
    """(longest row, rows): the rows as columns, filled up at the end."""
    array = np.full((max(map(len, rows)), len(rows)), value)
    for column, row in enumerate(rows):
        array[: len(row), column] = row
    return array


def tensor(array: NDArray[Any]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array))
