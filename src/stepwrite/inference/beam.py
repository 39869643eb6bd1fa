"""Beam search: the best sequences of actions for many words at once.

The open hypotheses of all words are the rows of one decoder state, those of a word side by side.
At each step every word keeps its best continuations; one that ends is put aside. A word is done
when as many as wanted have ended and no open one can overtake them: log probabilities only fall.
The next word then takes its place.

Shapes: W words under way, R rows, A actions; K actions of a row that may be among the best.
"""

from __future__ import annotations

from bisect import insort
from functools import partial

import numpy as np
from numpy.typing import NDArray

from stepwrite.inference.encoder import ROWS
from stepwrite.inference.hypothesis import Hypothesis
from stepwrite.inference.lstm import Floats
from stepwrite.inference.network import Network, State, step
from stepwrite.inference.prefix_sharing import Ints
from stepwrite.inference.search import Lists, in_batches, limit_of
from stepwrite.transducer.vocabulary import END

Doubles = NDArray[np.float64]
FEW = 8  # best actions that are faster found one by one than by sorting

End = tuple[float, int, int, bool]
"""Minus the score, the last node, the position attended at the end, whether it is complete."""


def beam(network: Network, lemmas: Lists, features: Lists, width: int) -> list[list[Hypothesis]]:
    """Up to `width` complete hypotheses of each word (padded ids and feature rows), best first.

    Where the limit comes before any is complete, the best open one is all there is.
    """
    search = partial(_beam, network, width)
    return in_batches(search, network.words_at_once, lemmas, features)


class Nodes:
    """What open hypotheses did: each node is one action, after that of its parent."""

    def __init__(self) -> None:
        self.n_nodes = 0
        self.parts: list[tuple[Ints, Ints, Ints]] = []

    def add(self, parents: Ints, actions: Ints, positions: Ints) -> Ints:
        """The numbers of new nodes; -1 as a parent is the start."""
        self.parts.append((parents, actions, positions))
        numbers = np.arange(self.n_nodes, self.n_nodes + len(parents))
        self.n_nodes += len(parents)
        return numbers

    def hypotheses(self, ends: list[End]) -> list[Hypothesis]:
        """What leads to these ends, all of them traced back together."""
        no_node = np.array([-1]), np.array([END]), np.array([0])  # where -1 leads to
        parents, actions, positions = (
            np.concatenate(parts) for parts in zip(*self.parts, no_node, strict=True)
        )
        last = np.array([node for _, node, _, _ in ends])
        trail = []
        while (last >= 0).any():
            trail.append(last)
            last = parents[last]
        table = np.array(trail[::-1], np.int64).reshape(len(trail), len(ends)).T
        first = (table < 0).sum(axis=1).tolist()
        found = []
        for end, start, acted, attended in zip(
            ends, first, actions[table].tolist(), positions[table].tolist(), strict=True
        ):
            cost, _, position, complete = end
            closing = ([END], [position]) if complete else ([], [])
            done, seen = (*acted[start:], *closing[0]), (*attended[start:], *closing[1])
            found.append(Hypothesis(done, seen, -cost, complete=complete))
        return found


def _beam(network: Network, width: int, lemmas: Lists, features: Lists) -> list[list[Hypothesis]]:
    encoded = network.encode(lemmas, features)
    limits = np.array([limit_of(lemma) for lemma in lemmas])
    most_words = max(1, ROWS // width)
    waiting = np.arange(len(lemmas))
    nodes = Nodes()
    ended: list[list[End]] = [[] for _ in lemmas]
    worst = np.full(len(lemmas), -np.inf)  # the last of the best that have ended
    n_done = np.zeros(len(lemmas), np.int64)
    # Words under way; of each row its word among these, its score and its last node.
    words, waiting = waiting[:most_words], waiting[most_words:]
    state = network.start(encoded, words)
    group, scores, last = np.arange(len(words)), np.zeros(len(words)), np.full(len(words), -1)
    while len(words):
        state, log_probabilities = step(network, encoded, state)
        rows, actions, group, scores = continuations(
            log_probabilities, group, scores, len(words), width
        )
        ends = actions == END
        if ends.any():
            at = rows[ends]
            for word, score, node, position in zip(
                words[group[ends]].tolist(),
                scores[ends].tolist(),
                last[at].tolist(),
                state.positions[at].tolist(),
                strict=True,
            ):
                insort(ended[word], (-score, node, position, True))
                if len(ended[word]) >= width:
                    worst[word] = -ended[word][width - 1][0]
            going = ~ends
            rows, actions, group, scores = rows[going], actions[going], group[going], scores[going]
        last = nodes.add(last[rows], actions, state.positions[rows])
        n_done[words] += 1
        best = np.full(len(words), -np.inf)
        best[group[::-1]] = scores[::-1]  # the first of each word is written last
        finished = (worst[words] >= best) | (n_done[words] >= limits[words])
        for w in (finished & (n_done[words] >= limits[words])).nonzero()[0].tolist():
            if not ended[words[w]]:
                row = int(np.searchsorted(group, w))
                ended[words[w]] = [(-float(best[w]), int(last[row]), 0, False)]
        if finished.any():
            kept = ~finished[group]
            rows, actions, scores, last = rows[kept], actions[kept], scores[kept], last[kept]
            group = (np.cumsum(~finished) - 1)[group[kept]]
            words = words[~finished]
        state = network.act(encoded, state.take(rows), actions)
        begun, waiting = np.split(waiting, [most_words - len(words)])
        if len(begun):
            state = joined(state, network.start(encoded, begun))
            group = np.concatenate([group, len(words) + np.arange(len(begun))])
            scores = np.concatenate([scores, np.zeros(len(begun))])
            last = np.concatenate([last, np.full(len(begun), -1)])
            words = np.concatenate([words, begun])
    best_ends = [found[:width] for found in ended]
    hypotheses = iter(nodes.hypotheses([end for found in best_ends for end in found]))
    return [[next(hypotheses) for _ in found] for found in best_ends]


def continuations(
    log_probabilities: Floats, group: Ints, scores: Doubles, n_words: int, width: int
) -> tuple[Ints, Ints, Ints, Doubles]:
    """Each word's best ways to go on, best first: rows, actions, words and scores.

    log_probabilities: (R, A); group, scores: (R,) the word and the score of each row.

    >>> rows = np.log(np.array([[0.1, 0.9], [0.5, 0.5], [0.2, 0.8]], np.float32))
    >>> found = continuations(rows, np.array([0, 0, 1]), np.log([0.6, 0.4, 1.0]), 2, width=2)
    >>> [part.tolist() for part in found[:3]], np.exp(found[3]).round(2).tolist()
    ([[0, 1, 2, 2], [1, 0, 1, 0], [0, 0, 1, 1]], [0.54, 0.2, 0.8, 0.2])
    """
    actions, best = top(log_probabilities, min(width, log_probabilities.shape[1]))
    n_best = actions.shape[1]
    first = np.searchsorted(group, np.arange(n_words))
    slots_of = np.arange(len(group)) - first[group]
    table = np.full((n_words, width * n_best), -np.inf)
    table.reshape(n_words, width, n_best)[group, slots_of] = scores[:, None] + best
    order = np.argsort(-table, axis=1, kind="stable")[:, :width]
    totals = np.take_along_axis(table, order, axis=1)
    possible = totals > -np.inf
    slots, ranks = np.divmod(order, n_best)
    rows = (first[:, None] + slots)[possible]
    return rows, actions[rows, ranks[possible]], possible.nonzero()[0], totals[possible]


def top(values: Floats, number: int) -> tuple[Ints, Floats]:
    """(R, number) columns and values of the largest in each row, best first; spoils the values."""
    if number > FEW:
        columns = np.argsort(-values, axis=1, kind="stable")[:, :number]
        return columns, np.take_along_axis(values, columns, axis=1)
    every = np.arange(len(values))
    found = np.empty((len(values), number), np.int64)
    best = np.empty((len(values), number), np.float32)
    for k in range(number):
        values.argmax(axis=1, out=found[:, k])
        best[:, k] = values[every, found[:, k]]
        values[every, found[:, k]] = -np.inf
    return found, best


def joined(state: State, others: State) -> State:
    """The rows of both states."""
    return State(
        np.concatenate([state.words, others.words]),
        np.concatenate([state.positions, others.positions]),
        np.concatenate([state.previous, others.previous]),
        np.concatenate([state.hidden, others.hidden]),
        tuple(np.concatenate(both) for both in zip(state.cells, others.cells, strict=True)),
    )
