"""Training words made anew in every epoch: spliced with others, or with hallucinated stems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

import numpy as np

from stepwrite.training.config import TrainingConfig
from stepwrite.training.hallucination import Letters, hallucinate
from stepwrite.training.splicing import splice
from stepwrite.transducer.alignment import Alignment, Pair
from stepwrite.transducer.vocabulary import Vocabulary


class Aligned(Protocol):
    """A training example of any kind: it knows the aligned word and features it was made of."""

    @property
    def alignment(self) -> Alignment: ...

    @property
    def bundle(self) -> str: ...


E = TypeVar("E", bound=Aligned)
Ordered = Callable[[tuple[Pair, ...]], tuple[Pair, ...]]


def augmented(
    examples: Sequence[E],
    to_example: Callable[[Alignment, str, Vocabulary], E],
    vocabulary: Vocabulary,
    config: TrainingConfig,
    random: np.random.Generator,
) -> Sequence[E]:
    """The examples in their order, a share of them changed as the settings say."""
    if not (config.splicing or config.hallucination):
        return examples
    words = augmented_words(
        [example.alignment for example in examples],
        random,
        splicing=config.splicing,
        hallucination=config.hallucination,
        harmony=bool(config.harmony),
        ordered=config.network.in_reading_order,
    )
    return [
        example if word is example.alignment else to_example(word, example.bundle, vocabulary)
        for example, word in zip(examples, words, strict=True)
    ]


def augmented_words(
    words: Sequence[Alignment],
    random: np.random.Generator,
    *,
    splicing: float = 0.0,
    hallucination: float = 0.0,
    harmony: bool = False,
    ordered: Ordered = lambda pairs: pairs,
) -> Sequence[Alignment]:
    """The words in their order, a share of them spliced, then a share with new stems.

    harmony: whether new stems keep their vowels.
    ordered: brings pairs into the order of spelling, and back.
    """
    if splicing:
        words = list(with_splices(words, splicing, random, ordered))
    if hallucination:
        words = list(with_stems(words, hallucination, random, ordered, harmony=harmony))
    return words


def with_splices(
    words: Sequence[Alignment], share: float, random: np.random.Generator, ordered: Ordered
) -> Iterator[Alignment]:
    """The words, a share of them with the beginning of another one."""
    known = {symbol for word in words for symbol in word.form}
    chosen = random.random(len(words)) < share
    others = random.integers(0, len(words), len(words))
    for word, is_chosen, other in zip(words, chosen, others, strict=True):
        if is_chosen:
            first, second = (Alignment(ordered(each.pairs)) for each in (words[other], word))
            yield Alignment(ordered(splice(first, second, known, random).pairs))
        else:
            yield word


def with_stems(
    words: Sequence[Alignment],
    share: float,
    random: np.random.Generator,
    ordered: Ordered,
    *,
    harmony: bool,
) -> Iterator[Alignment]:
    """The words, a share of them with hallucinated stems."""
    letters = Letters.of(words, harmony=harmony)
    chosen = random.random(len(words)) < share
    for word, is_chosen in zip(words, chosen, strict=True):
        if is_chosen and letters.every and not word.anchored:  # what is anchored is not copied
            spelt = Alignment(ordered(word.pairs))
            yield Alignment(ordered(hallucinate(spelt, letters, random).pairs))
        else:
            yield word
