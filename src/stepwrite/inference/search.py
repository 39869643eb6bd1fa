"""Searching a network for its best actions: greedily for many words, or with a beam for one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stepwrite.inference.encoder import ROWS
from stepwrite.inference.hypothesis import Hypothesis as Hypothesis
from stepwrite.inference.lstm import Floats
from stepwrite.inference.network import Network, step
from stepwrite.inference.prefix_sharing import Ints
from stepwrite.transducer.vocabulary import END

MOST_SYMBOLS = 20_000  # in one batch, so that long words do not fill the memory


def limit_of(lemma: Sequence[int]) -> int:
    """The number of actions after which decoding stops: 150, as the authors', or more."""
    return max(150, 4 * len(lemma))


def greedy(
    network: Network, lemmas: Sequence[Sequence[int]], features: Sequence[Sequence[int]]
) -> list[Hypothesis]:
    """The most probable action at each step, for each word (padded ids and feature rows)."""
    if len(lemmas) == 1:
        alone = network.greedy_alone(lemmas[0], features[0], limit_of(lemmas[0]))
        if alone is not None:
            return [alone]
    found: dict[int, Hypothesis] = {}
    order = sorted(range(len(lemmas)), key=lambda word: -len(lemmas[word]))
    start = 0
    while start < len(order):
        # The longest first: what is decoded last then ends soon.
        size = min(network.words_at_once, max(1, MOST_SYMBOLS // len(lemmas[order[start]])))
        words = order[start : start + size]
        batch = _greedy([lemmas[w] for w in words], [features[w] for w in words], network)
        found.update(zip(words, batch, strict=True))
        start += size
    return [found[word] for word in range(len(lemmas))]


def _greedy(
    lemmas: Sequence[Sequence[int]], features: Sequence[Sequence[int]], network: Network
) -> list[Hypothesis]:
    """Where a word ends the next one takes its row, so that hardly a step is for a few rows."""
    encoded = network.encode(lemmas, features)
    limits = np.array([limit_of(lemma) for lemma in lemmas])
    waiting = np.arange(len(lemmas))
    state, waiting = network.start(encoded, waiting[:ROWS]), waiting[ROWS:]
    ends = limits[state.words]  # the step after which each row stops, whatever it has come to
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
        ended = ((actions == END) | (step >= ends)).nonzero()[0]
        if len(ended):
            begun, waiting = waiting[: len(ended)], waiting[len(ended) :]
            if len(begun):
                free, ended = ended[: len(begun)], ended[len(begun) :]
                state = state.put(free, network.start(encoded, begun))
                ends[free] = step + limits[begun]
            if len(ended):
                going = np.delete(np.arange(len(ends)), ended)
                state, ends = state.take(going), ends[going]
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


def beam(
    network: Network, lemma: Sequence[int], features: Sequence[int], width: int
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
    ended: list[tuple[float, int, int, int]] = []  # score, actions before it, row, position

    def hypothesis(score: float, n_done: int, row: int, end: tuple[int, ...] = ()) -> Hypothesis:
        actions, positions = [END] * len(end), list(end)
        for rows, acted, attended in reversed(trail[:n_done]):
            actions.append(int(acted[row]))
            positions.append(int(attended[row]))
            row = int(rows[row])
        return Hypothesis(tuple(actions[::-1]), tuple(positions[::-1]), score, complete=bool(end))

    for n_done in range(limit_of(lemma)):
        state, log_probabilities = step(network, encoded, state)
        totals = (scores[:, None] + log_probabilities).ravel()
        best = np.argsort(-totals, kind="stable")[:width]
        best = best[totals[best] != -np.inf]
        rows, actions = np.divmod(best, log_probabilities.shape[1])
        ends = actions == END
        for place, row in zip(best[ends].tolist(), rows[ends].tolist(), strict=True):
            ended.append((float(totals[place]), n_done, row, int(state.positions[row])))
        ended = sorted(ended, key=lambda end: -end[0])[:width]
        rows, actions, scores = rows[~ends], actions[~ends], totals[best[~ends]]
        if not len(rows) or (len(ended) == width and ended[-1][0] >= scores[0]):
            break
        trail.append((rows, actions, state.positions[rows]))
        state = network.act(encoded, state.take(rows), actions)
    if not ended:
        return [hypothesis(float(scores[0]), len(trail), 0)]
    return [hypothesis(score, n_done, row, (place,)) for score, n_done, row, place in ended]
