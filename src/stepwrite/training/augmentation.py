"""Training words made anew in every epoch: spliced with others, or with hallucinated stems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

import numpy as np

from stepwrite.training.config import TrainingConfig
from stepwrite.training.hallucination import hallucinate, letters_of
from stepwrite.training.splicing import splice
from stepwrite.transducer.alignment import Alignment
from stepwrite.transducer.vocabulary import Vocabulary


class Aligned(Protocol):
    """A training example of any kind: it knows the aligned word and features it was made of."""

    @property
    def alignment(self) -> Alignment: ...

    @property
    def bundle(self) -> str: ...


E = TypeVar("E", bound=Aligned)


def augmented(
    examples: Sequence[E],
    to_example: Callable[[Alignment, str, Vocabulary], E],
    vocabulary: Vocabulary,
    config: TrainingConfig,
    random: np.random.Generator,
) -> Sequence[E]:
    """The examples in their order, a share of them changed as the settings say."""
    if config.splicing:
        examples = list(with_splices(examples, to_example, vocabulary, config, random))
    if config.hallucination:
        examples = list(with_stems(examples, to_example, vocabulary, config.hallucination, random))
    return examples


def with_splices(
    examples: Sequence[E],
    to_example: Callable[[Alignment, str, Vocabulary], E],
    vocabulary: Vocabulary,
    config: TrainingConfig,
    random: np.random.Generator,
) -> Iterator[E]:
    """The examples, a share of them with the beginning of another one."""

    def ordered(alignment: Alignment) -> Alignment:
        """As it is spelt, and back."""
        return Alignment(config.network.in_reading_order(alignment.pairs))

    known = set(vocabulary.form_symbols)
    chosen = random.random(len(examples)) < config.splicing
    others = random.integers(0, len(examples), len(examples))
    for example, is_chosen, other in zip(examples, chosen, others, strict=True):
        if is_chosen:
            words = ordered(examples[other].alignment), ordered(example.alignment)
            yield to_example(ordered(splice(*words, known, random)), example.bundle, vocabulary)
        else:
            yield example


def with_stems(
    examples: Sequence[E],
    to_example: Callable[[Alignment, str, Vocabulary], E],
    vocabulary: Vocabulary,
    share: float,
    random: np.random.Generator,
) -> Iterator[E]:
    """The examples, a share of them with hallucinated stems."""
    letters = letters_of(example.alignment for example in examples)
    chosen = random.random(len(examples)) < share
    for example, is_chosen in zip(examples, chosen, strict=True):
        if is_chosen and letters:
            new = hallucinate(example.alignment, letters, random)
            yield to_example(new, example.bundle, vocabulary)
        else:
            yield example
