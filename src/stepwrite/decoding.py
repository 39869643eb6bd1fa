"""Searching a network for its best actions: greedily for many words, or with a beam for one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stepwrite.network import HardNetwork, Ints
from stepwrite.vocabulary import END

BATCH = 128  # larger ones fall out of the cache
MOST_SYMBOLS = 20_000  # in one batch, so that long words do not fill the memory


@dataclass(frozen=True)
class Hypothesis:
    """A sequence of actions (ids), the positions attended at each, their log probability.

    `complete` is false where the limit came before the end.
    """

    actions: tuple[int, ...]
    positions: tuple[int, ...]
    score: float
    complete: bool


def limit_of(lemma: Sequence[int]) -> int:
    """After so many actions decoding stops: the authors' 150, or more for a long lemma."""
    return max(150, 4 * len(lemma))


def greedy(
    network: HardNetwork, lemmas: Sequence[Sequence[int]], features: Sequence[Sequence[int]]
) -> list[Hypothesis]:
    """The most probable action at each step, for each word (padded ids and feature rows)."""
    found: dict[int, Hypothesis] = {}
    order = sorted(range(len(lemmas)), key=lambda word: len(lemmas[word]))
    start = 0
    while start < len(order):
        # Words of about one length finish together; the longest of a batch sets its size.
        size = BATCH
        while (
            size > 1 and size * len(lemmas[order[min(start + size, len(order)) - 1]]) > MOST_SYMBOLS
        ):
            size //= 2
        words = order[start : start + size]
        batch = _greedy([lemmas[w] for w in words], [features[w] for w in words], network)
        found.update(zip(words, batch, strict=True))
        start += size
    return [found[word] for word in range(len(lemmas))]


def _greedy(
    lemmas: Sequence[Sequence[int]], features: Sequence[Sequence[int]], network: HardNetwork
) -> list[Hypothesis]:
    encoded = network.encode(lemmas, features)
    state = network.start(encoded)
    n_words = len(lemmas)
    limits = np.array([limit_of(lemma) for lemma in lemmas])
    scores = np.zeros(n_words)
    complete = np.zeros(n_words, bool)
    history: list[tuple[Ints, Ints, Ints]] = []
    step = 0
    while len(state.words):
        step += 1
        state, log_probabilities = network.step(encoded, state)
        actions = log_probabilities.argmax(axis=1)
        scores[state.words] += log_probabilities[np.arange(len(actions)), actions]
        history.append((state.words, actions, state.positions))
        complete[state.words[actions == END]] = True
        state = network.act(encoded, state, actions)
        going = (actions != END) & (step < limits[state.words])
        if not going.all():
            state = state.take(going)
    by_word: list[tuple[list[int], list[int]]] = [([], []) for _ in range(n_words)]
    for words, actions, positions in history:
        for word, action, position in zip(
            words.tolist(), actions.tolist(), positions.tolist(), strict=True
        ):
            by_word[word][0].append(action)
            by_word[word][1].append(position)
    return [
        Hypothesis(tuple(actions), tuple(positions), float(score), bool(done))
        for (actions, positions), score, done in zip(by_word, scores, complete, strict=True)
    ]


def beam(
    network: HardNetwork, lemma: Sequence[int], features: Sequence[int], width: int
) -> list[Hypothesis]:
    """Up to `width` complete hypotheses of one word, best first.

    Search ends when as many are complete and no open one can overtake them: log probabilities
    only fall. Where the limit comes before any is complete, the best open one is all there is.
    """
    encoded = network.encode([lemma], [features])
    state = network.start(encoded)
    scores = np.zeros(1)
    # What led to the open hypotheses after each step: rows before it, actions, positions.
    # Copying their whole past at each step instead would take time quadratic in it.
    trail: list[tuple[Ints, Ints, Ints]] = []
    ended: list[tuple[float, int, int, int]] = []  # score, then step, row and position of the end

    def hypothesis(score: float, step: int, row: int, end: tuple[int, ...] = ()) -> Hypothesis:
        actions, positions = [END] * len(end), list(end)
        for rows, acted, attended in reversed(trail[:step]):
            actions.append(int(acted[row]))
            positions.append(int(attended[row]))
            row = int(rows[row])
        return Hypothesis(tuple(actions[::-1]), tuple(positions[::-1]), score, complete=bool(end))

    for step in range(limit_of(lemma)):
        state, log_probabilities = network.step(encoded, state)
        totals = (scores[:, None] + log_probabilities).ravel()
        best = np.argsort(-totals, kind="stable")[:width]
        best = best[totals[best] != -np.inf]
        rows, actions = np.divmod(best, log_probabilities.shape[1])
        ends = actions == END
        for place, row in zip(best[ends].tolist(), rows[ends].tolist(), strict=True):
            ended.append((float(totals[place]), step, row, int(state.positions[row])))
        ended = sorted(ended, key=lambda end: -end[0])[:width]
        rows, actions, scores = rows[~ends], actions[~ends], totals[best[~ends]]
        if not len(rows) or (len(ended) == width and ended[-1][0] >= scores[0]):
            break
        trail.append((rows, actions, state.positions[rows]))
        state = network.act(encoded, state.take(rows), actions)
    if not ended:
        return [hypothesis(float(scores[0]), len(trail), 0)]
    return [hypothesis(score, step, row, (position,)) for score, step, row, position in ended]
