"""Training examples as arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepwrite.transducer.actions import execute, oracle
from stepwrite.transducer.alignment import Alignment
from stepwrite.transducer.vocabulary import STEP, Vocabulary

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Sequences:
    """One training example: the padded lemma, the feature rows, and the oracle by action.

    positions: the attended position; previous: what was written or done before;
    targets: what is to be done; alignment, bundle: the word and its features they were made of.
    """

    lemma: IntArray
    features: IntArray
    positions: IntArray
    previous: IntArray
    targets: IntArray
    alignment: Alignment
    bundle: str

    @property
    def length(self) -> int:
        return len(self.targets)


def step_write_sequences(alignment: Alignment, bundle: str, vocabulary: Vocabulary) -> Sequences:
    """The arrays of one example, with the oracle's steps and writes."""
    actions = oracle(alignment)
    positions = execute(alignment.lemma, actions).positions
    targets = [vocabulary.action_id(action) for action in actions]
    return _sequences(alignment, bundle, vocabulary, targets, positions)


def write_sequences(alignment: Alignment, bundle: str, vocabulary: Vocabulary) -> Sequences:
    """The arrays of one example without steps: what is left of the oracle is the form and its end.

    The positions stay, to know which symbols are copied.
    """
    actions = oracle(alignment)
    positions = execute(alignment.lemma, actions).positions
    kept = [(vocabulary.action_id(a), p) for a, p in zip(actions, positions, strict=True)]
    kept = [(target, position) for target, position in kept if target != STEP]
    targets, positions = zip(*kept, strict=True)
    return _sequences(alignment, bundle, vocabulary, targets, positions)


def _sequences(
    alignment: Alignment,
    bundle: str,
    vocabulary: Vocabulary,
    targets: Sequence[int],
    positions: Sequence[int],
) -> Sequences:
    return Sequences(
        lemma=np.array(vocabulary.lemma_ids(alignment.lemma)),
        features=np.array(vocabulary.feature_rows(bundle), np.int64),
        positions=np.array(positions),
        previous=np.array([vocabulary.begin, *targets[:-1]]),
        targets=np.array(targets),
        alignment=alignment,
        bundle=bundle,
    )


ToSequences = Callable[[Alignment, str, Vocabulary], Sequences]
"""How a kind turns an aligned word and its features into arrays."""
