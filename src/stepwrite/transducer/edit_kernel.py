"""The dynamic oracle of the edit transducer, compiled with Numba.

At every state (position on the lemma, what was written so far) it gives the set of actions that
lead to the form at the least cost: copy costs 0, insert and delete 1. `completion_costs` is a
table for each word pair: C[i, j] is the cost of writing the form from its j-th symbol on with the
pointer on position i. If what was written is no prefix of the form, the prefixes nearest to it in
edit distance take its place; `distances`, one row of the distance table, is kept up to date as
symbols are written.

Where words are not inflected but rewritten in other symbols, nothing is copied, and any order of
inserts and deletes would do. There a symbol has an anchor, the position on the lemma that it
belongs to, and writing it costs one more for each position away from there.

Arrays: W word pairs, L symbols of the longest padded lemma, M of the longest form. Lemmas and
forms are symbol ids by word; a padded lemma has its symbols at positions 1 to n and its end at
n + 1; anchors, (W, M), are positions, or 0 where there is none. Actions have the numbers of
`transducer.vocabulary`: END, DELETE, COPY, then inserts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stepwrite.transducer.vocabulary import COPY, END, STEP

DELETE = STEP  # moves on without writing, as a step does
FAR = 1 << 20  # more than any cost

Ints = NDArray[np.int64]
Costs = NDArray[np.int32]


def compiled(function: Any) -> Any:
    return njit(cache=True, nogil=True)(function)


@compiled
def _away(position: int, anchor: int) -> int:
    """What writing a symbol costs that belongs elsewhere."""
    return abs(position - anchor) if anchor else 0


@compiled
def completion_costs(
    lemmas: Ints, lengths: Ints, forms: Ints, form_lengths: Ints, anchors: Ints
) -> Costs:
    """(W, L + 1, M + 1): the cost of completing each form from each state.

    lengths: (W,) of the padded lemmas.
    """
    n_words, longest = lemmas.shape
    costs = np.full((n_words, longest + 1, forms.shape[1] + 1), FAR, np.int32)
    for w in range(n_words):
        last, m = lengths[w] - 1, form_lengths[w]
        lemma, form, table = lemmas[w], forms[w], costs[w]
        for i in range(last, 0, -1):
            for j in range(m, -1, -1):
                best = 0 if i == last and j == m else FAR
                if i < last:
                    best = min(best, table[i + 1, j] + 1)
                    if j < m and lemma[i] == form[j]:
                        best = min(best, table[i + 1, j + 1] + _away(i, anchors[w, j]))
                if j < m:
                    best = min(best, table[i, j + 1] + 1 + _away(i, anchors[w, j]))
                table[i, j] = best
    return costs


@compiled
def mark_optimal(
    words: Ints,
    positions: Ints,
    lemmas: Ints,
    lengths: Ints,
    forms: Ints,
    form_lengths: Ints,
    anchors: Ints,
    costs: Costs,
    distances: Costs,
    optimal: NDArray[np.bool_],
) -> None:
    """Set in `optimal`, (rows, actions), the actions that are optimal in each row's state.

    words, positions: (rows,) the state; distances: (W, M + 1) from what each word has written to
    each prefix of its form.
    """
    for row in range(len(words)):
        w, i = words[row], positions[row]
        last, m = lengths[w] - 1, form_lengths[w]
        form, table, distance, marks = forms[w], costs[w], distances[w], optimal[row]
        nearest = distance[: m + 1].min()
        best = FAR
        for j in range(m + 1):
            if distance[j] == nearest:
                best = min(best, table[i, j])
        for j in range(m + 1):
            if distance[j] != nearest or table[i, j] != best:
                continue
            if i == last and j == m:
                marks[END] = True
            if i < last:
                if table[i + 1, j] + 1 == best:
                    marks[DELETE] = True
                if j < m and lemmas[w, i] == form[j]:
                    marks[COPY] |= table[i + 1, j + 1] + _away(i, anchors[w, j]) == best
            if j < m and table[i, j + 1] + 1 + _away(i, anchors[w, j]) == best:
                marks[form[j]] = True


@compiled
def note_written(
    words: Ints,
    positions: Ints,
    actions: Ints,
    lemmas: Ints,
    forms: Ints,
    form_lengths: Ints,
    distances: Costs,
) -> None:
    """Bring the distances up to date with what each row's action writes."""
    for row in range(len(words)):
        w, action = words[row], actions[row]
        if action < COPY:
            continue
        symbol = lemmas[w, positions[row]] if action == COPY else action
        form, distance = forms[w], distances[w]
        diagonal = distance[0]
        distance[0] += 1
        for j in range(1, form_lengths[w] + 1):
            above = distance[j]
            substituted = diagonal + (form[j - 1] != symbol)
            distance[j] = min(above + 1, distance[j - 1] + 1, substituted)
            diagonal = above
