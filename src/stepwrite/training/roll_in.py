"""Roll-ins: words walked through by the network itself, with the oracle's advice at each step.

A network that only ever sees optimal actions never learns what to do after a mistake. So before
it is trained on a pool of examples, the NumPy decoder walks through their words with the weights
as they are: at each step it takes an action sampled from the network or, with a probability that
falls in the course of training, one of the optimal actions; and the dynamic oracle notes which
actions would be optimal there. As what was done is then known, the training step runs on all
steps at once, as ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepwrite.inference.network import Network
from stepwrite.transducer.edit_kernel import completion_costs, mark_optimal, note_written
from stepwrite.transducer.vocabulary import END

IntArray = NDArray[np.int64]
SLACK = 10  # actions beyond lemma and form, from which on only optimal ones are taken


@dataclass(frozen=True)
class Walks:
    """What was done on the way through many words, one row per action, word by word.

    first: (words + 1,) where each word's rows begin, and where the last one's end.
    positions, actions: (rows,); optimal: (rows, actions) the oracle's advice before each.
    """

    first: IntArray
    positions: IntArray
    actions: IntArray
    optimal: NDArray[np.bool_]

    def rows(self, word: int) -> slice:
        return slice(int(self.first[word]), int(self.first[word + 1]))


def roll_in(
    network: Network,
    lemmas: Sequence[IntArray],
    shown: Sequence[IntArray],
    features: Sequence[IntArray],
    forms: Sequence[IntArray],
    anchors: Sequence[IntArray],
    exploration: float,
    random: np.random.Generator,
) -> Walks:
    """Walk through all words.

    shown: the lemmas as the network sees them, with masked symbols; the oracle knows them all.
    anchors: where on the lemma each symbol of the form belongs, or 0.
    exploration: the probability of taking the network's own action, not an optimal one.
    """
    encoded = network.encode([lemma.tolist() for lemma in shown], [f.tolist() for f in features])
    lengths, table = _table(lemmas)
    form_lengths, form_table = _table(forms)
    _, anchor_table = _table(anchors)
    costs = completion_costs(table, lengths, form_table, form_lengths, anchor_table)
    distances = np.tile(np.arange(form_table.shape[1] + 1, dtype=np.int32), (len(lemmas), 1))
    limits = lengths + form_lengths + SLACK
    n_actions = network.vocabulary.n_actions
    state = network.start(encoded)
    history: list[tuple[IntArray, IntArray, IntArray, NDArray[np.bool_]]] = []
    while len(state.words):
        words, positions = state.words, state.positions
        state, scores = network.scores(encoded, state)
        optimal = np.zeros((len(words), n_actions), np.bool_)
        mark_optimal(
            words,
            positions,
            *(table, lengths, form_table, form_lengths, anchor_table),
            *(costs, distances, optimal),
        )
        # The largest score with Gumbel noise is a sample of the softmax.
        noise = random.random(scores.shape, np.float32)
        scores -= np.log(-np.log(noise + np.float32(1e-10)) + np.float32(1e-10))
        free = random.random(len(words)) < exploration
        free &= len(history) < limits[words]
        allowed = optimal | free[:, None]
        scores[~allowed] = -np.inf
        actions = scores.argmax(axis=1)
        history.append((words, positions, actions, optimal))
        note_written(words, positions, actions, table, form_table, form_lengths, distances)
        state = network.act(encoded, state, actions)
        going = actions != END
        if not going.all():
            state = state.take(going)
    all_words, all_positions, all_actions, all_optimal = map(
        np.concatenate, zip(*history, strict=True)
    )
    order = np.argsort(all_words, kind="stable")
    counts = np.bincount(all_words, minlength=len(lemmas))
    return Walks(
        first=np.concatenate([[0], np.cumsum(counts)]),
        positions=all_positions[order],
        actions=all_actions[order],
        optimal=all_optimal[order],
    )


def _table(rows: Sequence[IntArray]) -> tuple[IntArray, IntArray]:
    """The lengths of the rows, and the rows in one array, filled up with -1."""
    lengths = np.array([len(row) for row in rows])
    table = np.full((len(rows), max(1, lengths.max())), -1)
    table[np.arange(table.shape[1]) < lengths[:, None]] = np.concatenate(rows)
    return lengths, table
