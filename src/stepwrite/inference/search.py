"""Greedy search: a network's most probable action at each step, for many words at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from stepwrite.inference.hypothesis import Hypothesis
from stepwrite.inference.lstm import Floats
from stepwrite.inference.network import Network
from stepwrite.inference.prefix_sharing import Ints
from stepwrite.transducer.vocabulary import END

T = TypeVar("T")
Lists = Sequence[Sequence[int]]

MOST_SYMBOLS = 8_000  # in one batch, so that long words do not fill the memory


def limit_of(lemma: Sequence[int]) -> int:
    """The number of actions after which decoding stops: 150, as the authors', or more."""
    return max(150, 4 * len(lemma))


def greedy(network: Network, lemmas: Lists, features: Lists) -> list[Hypothesis]:
    """The most probable action at each step, for each word (padded ids and feature rows)."""
    if len(lemmas) == 1:
        alone = network.greedy_alone(lemmas[0], features[0], limit_of(lemmas[0]))
        if alone is not None:
            return [alone]
    return in_batches(partial(_greedy, network), network.words_at_once, lemmas, features)


def in_batches(
    search: Callable[[Lists, Lists], list[T]], most_words: int, lemmas: Lists, features: Lists
) -> list[T]:
    """What a search finds for each word, the longest words first: what comes last ends soon.

    Words of one length follow each other in alphabetical order, so that they share prefixes.
    """
    found: dict[int, T] = {}
    order = sorted(range(len(lemmas)), key=lambda word: (-len(lemmas[word]), lemmas[word]))
    start = 0
    while start < len(order):
        size = min(most_words, max(1, MOST_SYMBOLS // len(lemmas[order[start]])))
        words = order[start : start + size]
        batch = search([lemmas[w] for w in words], [features[w] for w in words])
        found.update(zip(words, batch, strict=True))
        start += size
    return [found[word] for word in range(len(lemmas))]


def _greedy(network: Network, lemmas: Lists, features: Lists) -> list[Hypothesis]:
    encoded = network.encode(lemmas, features)
    limits = np.array([limit_of(lemma) for lemma in lemmas])
    state = network.start(encoded)
    history: list[tuple[Ints, Ints, Ints, Floats]] = []
    ones = np.ones(network.vocabulary.n_actions, np.float32)  # a product adds up faster than `sum`
    step = 0
    while len(state.words):
        step += 1
        state, scores = network.scores(encoded, state)
        actions = scores.argmax(axis=1)
        scores -= scores[np.arange(len(actions)), actions, None]
        # The best action's probability is now one by the sum.
        sums = np.exp(scores, out=scores) @ ones
        history.append((state.words, actions, state.positions, sums))
        state = network.act(encoded, state, actions)
        going = ((actions != END) & (step < limits)).nonzero()[0]
        if len(going) < len(actions):
            state, limits = state.take(going), limits[going]
    return _by_word(history)


def _by_word(history: Sequence[tuple[Ints, Ints, Ints, Floats]]) -> list[Hypothesis]:
    """Hypotheses from what each step did: words, actions, positions, inverse probabilities."""
    words, all_actions, all_positions, sums = map(np.concatenate, zip(*history, strict=True))
    order = np.argsort(words, kind="stable")
    actions, positions = all_actions[order].tolist(), all_positions[order].tolist()
    scores = -np.bincount(words, weights=np.log(sums))
    stops = np.cumsum(np.bincount(words)).tolist()
    return [
        Hypothesis(
            tuple(actions[start:stop]),
            tuple(positions[start:stop]),
            score,
            complete=actions[stop - 1] == END,
        )
        for start, stop, score in zip([0, *stops], stops, scores.tolist(), strict=False)
    ]
