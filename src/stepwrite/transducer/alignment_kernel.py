"""The compiled part of the Chinese-restaurant-process aligner: trellis, sampler, counts.

Words are rows of integers, laid end to end. A path is a row of moves from the trellis'
corner (0, 0) to (len(lemma), len(form)): MATCH pairs two symbols, DELETE a lemma symbol with
nothing, INSERT nothing with a form symbol.

Probabilities of words too long for a double's range are kept as logarithms, so words may be
as long as memory allows (the trellis of two words of 5,000 symbols takes 200 MB). The counts
of pairs live in an open-addressing hash table: with a small alphabet it is large enough to be
a plain two-dimensional table (no collisions), with a large one it grows with the pairs that
occur and not with their square.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, log
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from stepwrite.data.segmentation import Symbols

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

MATCH, DELETE, INSERT = 0, 1, 2
LEAST_LOG = -650.0  # exp of it is a normal double, with room for one more factor
SCATTER = 0x4F1BBCDCBFA53E0B  # an odd number near 2^63 / golden ratio: multiplicative hashing


class Corpus(NamedTuple):
    """Word pairs as integers, and the current path of each.

    lemmas, forms: all words' symbol ids, end to end.
    lemma_starts, form_starts: (words + 1,) where each word begins; the last entry is the end.
    moves: (lemmas + forms,) room for each word's longest possible path, at the sum of its starts.
    n_moves: (words,) how many of them each path uses.
    """

    lemmas: IntArray
    lemma_starts: IntArray
    forms: IntArray
    form_starts: IntArray
    n_lemma_symbols: int
    n_form_symbols: int
    moves: NDArray[np.int8]
    n_moves: IntArray

    def path(self, word: int) -> NDArray[np.int8]:
        start = self.lemma_starts[word] + self.form_starts[word]
        return self.moves[start : start + self.n_moves[word]]


def corpus_of(pairs: Sequence[tuple[Symbols, Symbols]]) -> Corpus:
    lemmas, lemma_starts, n_lemma_symbols = _flatten([lemma for lemma, _ in pairs])
    forms, form_starts, n_form_symbols = _flatten([form for _, form in pairs])
    return Corpus(
        lemmas=lemmas,
        lemma_starts=lemma_starts,
        forms=forms,
        form_starts=form_starts,
        n_lemma_symbols=n_lemma_symbols,
        n_form_symbols=n_form_symbols,
        moves=np.zeros(len(lemmas) + len(forms), np.int8),
        n_moves=np.zeros(len(pairs), np.int64),
    )


def _flatten(words: Sequence[Symbols]) -> tuple[IntArray, IntArray, int]:
    ids: dict[str, int] = {}
    flat = [ids.setdefault(symbol, len(ids)) for word in words for symbol in word]
    starts = np.concatenate([[0], np.cumsum([len(word) for word in words])])
    return np.array(flat, np.int64), starts.astype(np.int64), len(ids)


class PairCounts(NamedTuple):
    """How often each pair of symbols is used, as an open-addressing hash table.

    keys: (slots,) the pair's number (`_key`), or -1 where the slot is free.
    counts: (slots,) of each pair; a pair that is not in the table has count 0.
    total: (1,) the sum of all counts.
    scatter: 1 where every possible key has a slot of its own, else the hash multiplier.
    """

    keys: IntArray
    counts: IntArray
    total: IntArray
    prior: float
    n_possible: int
    scatter: int


def empty_counts(corpus: Corpus, sweeps: int, prior: float) -> PairCounts:
    n_keys = (corpus.n_lemma_symbols + 1) * (corpus.n_form_symbols + 1)
    # Each of a word's paths, one at the start and one a sweep, brings at most so many pairs.
    n_slots = 1 << min(n_keys, 2 * (sweeps + 1) * len(corpus.moves)).bit_length()
    return PairCounts(
        keys=np.full(n_slots, -1, np.int64),
        counts=np.zeros(n_slots, np.int64),
        total=np.zeros(1, np.int64),
        prior=prior,
        n_possible=n_keys - 1,
        scatter=1 if n_slots >= n_keys else SCATTER,
    )


@njit(cache=True)
def seat_left_aligned(corpus: Corpus, counts: PairCounts) -> None:
    """The sampler's start: symbols paired from the left, the longer word's rest with nothing."""
    for word in range(len(corpus.n_moves)):
        n_lemma = corpus.lemma_starts[word + 1] - corpus.lemma_starts[word]
        n_form = corpus.form_starts[word + 1] - corpus.form_starts[word]
        start = corpus.lemma_starts[word] + corpus.form_starts[word]
        shorter, longer = min(n_lemma, n_form), max(n_lemma, n_form)
        corpus.moves[start : start + shorter] = MATCH
        corpus.moves[start + shorter : start + longer] = DELETE if n_lemma > n_form else INSERT
        corpus.n_moves[word] = longer
        _count_path(corpus, counts, word, 1)


@njit(cache=True)
def sample_sweep(corpus: Corpus, counts: PairCounts, uniforms: FloatArray) -> None:
    """Sample a new path for every word from its posterior given all the others' paths.

    uniforms: (lemmas + forms,) random numbers in [0, 1), one for each possible move.
    """
    for word in range(len(corpus.n_moves)):
        _count_path(corpus, counts, word, -1)
        _find_path(corpus, counts, word, uniforms)
        _count_path(corpus, counts, word, 1)


@njit(cache=True)
def best_paths(corpus: Corpus, counts: PairCounts) -> None:
    """Replace every word's path by the cheapest under the counts as they stand."""
    for word in range(len(corpus.n_moves)):
        _find_path(corpus, counts, word, np.empty(0))


@njit(cache=True)
def _find_path(corpus: Corpus, counts: PairCounts, word: int, uniforms: FloatArray) -> None:
    """Give the word a path: sampled by the random numbers, or the cheapest if there are none."""
    lemma = corpus.lemmas[corpus.lemma_starts[word] : corpus.lemma_starts[word + 1]]
    form = corpus.forms[corpus.form_starts[word] : corpus.form_starts[word + 1]]
    start = corpus.lemma_starts[word] + corpus.form_starts[word]
    n_possible_moves = len(lemma) + len(form)
    norm = counts.total[0] + counts.prior * counts.n_possible
    # No path is less likely than this; where a double can hold it, no logarithm is needed.
    linear = n_possible_moves * (log(counts.prior) - log(norm)) > LEAST_LOG

    weights = np.empty((len(lemma) + 1, len(form) + 1))
    _weigh(weights, lemma, form, counts.keys, counts.counts, counts.scatter, corpus.n_form_symbols)
    weights = (weights + counts.prior) / norm
    if not linear:
        weights = np.log(weights)
    best = len(uniforms) == 0
    trellis = np.empty((len(lemma) + 1, len(form) + 1))
    _fill(trellis, weights, linear, best)
    moves = corpus.moves[start : start + n_possible_moves]
    corpus.n_moves[word] = _retrace(
        moves, trellis, weights, linear, uniforms[start : start + n_possible_moves]
    )


@njit(cache=True)
def _fill(trellis: FloatArray, weights: FloatArray, linear: bool, best: bool) -> None:
    """Forward filtering: the sum, or the best, of all paths from (0, 0) to each (i, j)."""
    trellis[0, 0] = 1.0 if linear else 0.0
    for i in range(trellis.shape[0]):
        for j in range(trellis.shape[1]):
            if i + j > 0:
                match, delete, insert = _arrivals(trellis, weights, i, j, linear)
                highest = max(match, delete, insert)
                if best:
                    trellis[i, j] = highest
                elif linear:
                    trellis[i, j] = match + delete + insert
                else:
                    total = exp(match - highest) + exp(delete - highest) + exp(insert - highest)
                    trellis[i, j] = highest + log(total)


@njit(cache=True)
def _retrace(
    moves: NDArray[np.int8],
    trellis: FloatArray,
    weights: FloatArray,
    linear: bool,
    uniforms: FloatArray,
) -> int:
    """Go back from the last corner and note the moves; return how many there are.

    Backward sampling takes a predecessor in proportion to the probability that came from it;
    without random numbers it is the best one, a 1-1 pair before a deletion before an insertion.
    """
    i, j, n_moves = trellis.shape[0] - 1, trellis.shape[1] - 1, 0
    while i + j > 0:
        match, delete, insert = _arrivals(trellis, weights, i, j, linear)
        highest = max(match, delete, insert)
        if len(uniforms) == 0:
            move = MATCH if match == highest else DELETE if delete == highest else INSERT
        else:
            if not linear:
                match, delete, insert = (
                    exp(match - highest),
                    exp(delete - highest),
                    exp(insert - highest),
                )
            point = uniforms[n_moves] * (match + delete + insert)
            move = MATCH if point < match else DELETE if point < match + delete else INSERT
            if j == 0:
                move = DELETE  # the only way, whatever the rounding says
        i -= move != INSERT
        j -= move != DELETE
        moves[n_moves] = move
        n_moves += 1
    moves[:n_moves] = moves[:n_moves][::-1].copy()
    return n_moves


@njit(cache=True)
def _arrivals(
    trellis: FloatArray, weights: FloatArray, i: int, j: int, linear: bool
) -> tuple[float, float, float]:
    """What comes to (i, j) by MATCH, by DELETE and by INSERT: probabilities or logarithms."""
    if linear:
        return (
            trellis[i - 1, j - 1] * weights[i, j] if i > 0 and j > 0 else 0.0,
            trellis[i - 1, j] * weights[i, 0] if i > 0 else 0.0,
            trellis[i, j - 1] * weights[0, j] if j > 0 else 0.0,
        )
    return (
        trellis[i - 1, j - 1] + weights[i, j] if i > 0 and j > 0 else -inf,
        trellis[i - 1, j] + weights[i, 0] if i > 0 else -inf,
        trellis[i, j - 1] + weights[0, j] if j > 0 else -inf,
    )


@njit(cache=True)
def _weigh(
    weights: FloatArray,
    lemma: IntArray,
    form: IntArray,
    keys: IntArray,
    counts: IntArray,
    scatter: int,
    n_form_symbols: int,
) -> None:
    """Look up the count of every pair of the word; row 0 and column 0 are pairs with nothing."""
    weights[0, 0] = 0.0
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            if i + j > 0:
                key = _key(lemma[i - 1] if i else -1, form[j - 1] if j else -1, n_form_symbols)
                weights[i, j] = counts[_slot(keys, scatter, key)]


@njit(cache=True)
def _key(lemma_symbol: int, form_symbol: int, n_form_symbols: int) -> int:
    """The number of a pair; -1 stands for nothing."""
    return (lemma_symbol + 1) * (n_form_symbols + 1) + form_symbol + 1


@njit(cache=True)
def _slot(keys: IntArray, scatter: int, key: int) -> int:
    """Where the key is in the hash table, or the free slot (count 0) where it would go."""
    last = len(keys) - 1
    slot = (key if scatter == 1 else key * scatter >> 20) & last
    while keys[slot] != key and keys[slot] != -1:
        slot = (slot + 1) & last
    return slot


@njit(cache=True)
def _count_path(corpus: Corpus, counts: PairCounts, word: int, change: int) -> None:
    """Add the word's pairs to the counts (`change` 1) or take them away (-1)."""
    i, j = corpus.lemma_starts[word], corpus.form_starts[word]
    start = i + j
    for move in corpus.moves[start : start + corpus.n_moves[word]]:
        key = _key(
            corpus.lemmas[i] if move != INSERT else -1,
            corpus.forms[j] if move != DELETE else -1,
            corpus.n_form_symbols,
        )
        slot = _slot(counts.keys, counts.scatter, key)
        counts.keys[slot] = key
        counts.counts[slot] += change
        i += move != INSERT
        j += move != DELETE
    counts.total[0] += change * corpus.n_moves[word]
