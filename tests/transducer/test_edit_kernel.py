"""The dynamic oracle against brute force: every optimal action at every reachable state."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

pytest.importorskip("numba")
from stepwrite.transducer.edit_kernel import (
    completion_costs,
    mark_optimal,
    note_written,
)
from stepwrite.transducer.vocabulary import COPY, END, STEP

SYMBOLS = (3, 4)  # the ids of two symbols that forms contain
ONLY_IN_LEMMAS = 9
N_ACTIONS = 5

State = tuple[int, tuple[int, ...]]  # position, what was written


class Oracle:
    """The compiled oracle of one word pair, asked state by state."""

    def __init__(
        self, lemma: tuple[int, ...], form: tuple[int, ...], anchors: tuple[int, ...] = ()
    ) -> None:
        self.lemmas = np.array([[-5, *lemma, END]])
        self.lengths = np.array([len(lemma) + 2])
        self.forms = np.array([[*form, -1]])
        self.form_lengths = np.array([len(form)])
        self.anchors = np.array([[*(anchors or (0,) * len(form)), -1]])
        self.words = (self.lemmas, self.lengths, self.forms, self.form_lengths, self.anchors)
        self.costs = completion_costs(*self.words)

    def optimal(self, position: int, distances: np.ndarray) -> set[int]:
        found = np.zeros((1, N_ACTIONS), np.bool_)
        words, positions = np.array([0]), np.array([position])
        mark_optimal(
            words,
            positions,
            *self.words,
            *(self.costs, distances, found),
        )
        return set(found[0].nonzero()[0].tolist())

    def after(self, position: int, action: int, distances: np.ndarray) -> np.ndarray:
        new = distances.copy()
        arguments = (self.lemmas, self.forms, self.form_lengths, new)
        note_written(np.array([0]), np.array([position]), np.array([action]), *arguments)
        return new

    @property
    def start(self) -> np.ndarray:
        return np.arange(self.forms.shape[1] + 1, dtype=np.int32)[None]


def possible(lemma: tuple[int, ...], position: int) -> list[int]:
    inside = position <= len(lemma)
    return [*((STEP, COPY) if inside else (END,)), *SYMBOLS]


def slow_optimal(
    lemma: tuple[int, ...], form: tuple[int, ...], state: State, anchors: tuple[int, ...] = ()
) -> set[int]:
    """From the definition: the cheapest ways on from the nearest prefixes of the form."""

    def away(position: int, n_written: int) -> int:
        return abs(position - anchors[n_written]) if anchors else 0

    @cache
    def cost(position: int, n_written: int) -> int:
        ways = []
        if position <= len(lemma):
            ways.append(1 + cost(position + 1, n_written))
            if lemma[position - 1 : position] == form[n_written : n_written + 1]:
                ways.append(cost(position + 1, n_written + 1) + away(position, n_written))
        if n_written < len(form):
            ways.append(1 + away(position, n_written) + cost(position, n_written + 1))
        return min(ways, default=0)

    position, written = state
    distances = [Levenshtein.distance(written, form[:j]) for j in range(len(form) + 1)]
    nearest = [j for j, distance in enumerate(distances) if distance == min(distances)]
    least = min(cost(position, j) for j in nearest)
    actions: set[int] = set()
    for j in nearest:
        if cost(position, j) > least:
            continue
        if position > len(lemma):
            if j == len(form):
                actions.add(END)
        else:
            if 1 + cost(position + 1, j) == least:
                actions.add(STEP)
            copied = lemma[position - 1 : position] == form[j : j + 1]
            if copied and cost(position + 1, j + 1) + away(position, j) == least:
                actions.add(COPY)
        if j < len(form) and 1 + away(position, j) + cost(position, j + 1) == least:
            actions.add(form[j])
    return actions


LEMMAS = [w for n in (1, 2, 3) for w in product((*SYMBOLS, ONLY_IN_LEMMAS), repeat=n)]
FORMS = [w for n in (0, 1, 2, 3) for w in product(SYMBOLS, repeat=n)]


@pytest.mark.parametrize("anchored", [False, True])
@pytest.mark.parametrize("lemma", LEMMAS, ids=str)
def test_every_optimal_action_at_every_reachable_state(
    lemma: tuple[int, ...], anchored: bool
) -> None:
    """Whatever was done before, also mistakes: all states of up to four written symbols."""
    for form in FORMS:
        # Form symbols belong to the lemma's last ones, or to its only one.
        anchors = tuple(max(1, len(lemma) - len(form) + j) for j in range(1, len(form) + 1))
        anchors = anchors if anchored else ()
        oracle = Oracle(lemma, form, anchors)
        states: dict[State, np.ndarray] = {(1, ()): oracle.start}
        waiting: list[State] = [(1, ())]
        while waiting:
            state = waiting.pop()
            position, written = state
            distances = states[state]
            found = oracle.optimal(position, distances)
            assert found == slow_optimal(lemma, form, state, anchors), (form, state)
            assert found
            assert found <= set(possible(lemma, position))
            for action in possible(lemma, position):
                symbol = (
                    () if action < COPY else (lemma[position - 1] if action == COPY else action,)
                )
                new = (position + (action in (STEP, COPY)), (*written, *np.atleast_1d(symbol)))
                if action != END and len(new[1]) <= 4 and new not in states:
                    states[new] = oracle.after(position, action, distances)
                    waiting.append(new)


words = st.lists(st.sampled_from(SYMBOLS), min_size=1, max_size=8).map(tuple)


@given(words, words, st.data())
def test_optimal_actions_write_the_form_at_the_least_cost(
    lemma: tuple[int, ...], form: tuple[int, ...], data: st.DataObject
) -> None:
    oracle = Oracle(lemma, form)
    position, written, distances, cost = 1, [], oracle.start, 0
    while True:
        action = data.draw(st.sampled_from(sorted(oracle.optimal(position, distances))))
        if action == END:
            break
        distances = oracle.after(position, action, distances)
        cost += action != COPY
        if action >= COPY:
            written.append(lemma[position - 1] if action == COPY else action)
        position += action in (STEP, COPY)
    assert tuple(written) == form
    # Copy 0, insert and delete 1: the distance without substitutions.
    assert cost == oracle.costs[0, 1, 0] == Levenshtein.distance(lemma, form, weights=(1, 1, 2))
