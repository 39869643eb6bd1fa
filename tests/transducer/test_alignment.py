"""Both aligners: invariants, the sampler's distribution, reproducibility, no limits."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepwrite.transducer import alignment_kernel as kernel
from stepwrite.transducer.alignment import Aligner, ChineseRestaurantAligner, EditDistanceAligner

ALIGNERS: tuple[ChineseRestaurantAligner | EditDistanceAligner, ...] = (
    ChineseRestaurantAligner(sweeps=3),
    EditDistanceAligner(),
)
words = st.lists(st.sampled_from("abcdé \u0301"), max_size=6).map(tuple)
GERMAN = [
    ("fliegen", "flog"),
    ("biegen", "bog"),
    ("hart", "härtestem"),
    ("legen", "gelegt"),
    ("sagen", "gesagt"),
    ("fragen", "gefragt"),
]
PAIRS = [(tuple(lemma), tuple(form)) for lemma, form in GERMAN]


@pytest.mark.parametrize("aligner", ALIGNERS)
@given(pairs=st.lists(st.tuples(words, words), max_size=5))
def test_alignment_keeps_both_words(aligner: Aligner, pairs) -> None:
    alignments = aligner.align(pairs)
    assert [(a.lemma, a.form) for a in alignments] == pairs
    assert all(pair != (None, None) for a in alignments for pair in a.pairs)


@given(lemma=words, form=words)
def test_edit_distance_aligner_uses_the_fewest_edits(lemma, form) -> None:
    [alignment] = EditDistanceAligner().align([(lemma, form)])
    assert sum(a != b for a, b in alignment.pairs) == slow_edit_distance(lemma, form)


def slow_edit_distance(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


def paths(n_lemma: int, n_form: int):
    """Every path through a trellis."""
    if n_lemma == n_form == 0:
        yield ()
    for move in range(3):
        i, j = n_lemma - (move != kernel.INSERT), n_form - (move != kernel.DELETE)
        if i >= 0 and j >= 0:
            for path in paths(i, j):
                yield (*path, move)


def counted(pairs, sweeps: int = 10) -> tuple[kernel.Corpus, kernel.PairCounts]:
    corpus = kernel.corpus_of(pairs)
    counts = kernel.empty_counts(corpus, sweeps, prior=0.1)
    kernel.seat_left_aligned(corpus, counts)
    return corpus, counts


def path_probability(path, pair, others) -> float:
    """By hand: each move's (count + prior) / (total + prior * possible pairs)."""
    seen: Counter[tuple[str, str]] = Counter()
    for lemma, form in others:
        seen.update(itertools.zip_longest(lemma, form, fillvalue=""))
    lemma_symbols = {s for lemma, _ in [pair, *others] for s in lemma}
    form_symbols = {s for _, form in [pair, *others] for s in form}
    possible = (len(lemma_symbols) + 1) * (len(form_symbols) + 1) - 1
    left, right = iter(pair[0]), iter(pair[1])
    probability = 1.0
    for move in path:
        key = ("" if move == kernel.INSERT else next(left), "" if move == 1 else next(right))
        probability *= (seen[key] + 0.1) / (seen.total() + 0.1 * possible)
    return probability


@pytest.mark.parametrize("least_log", [-650.0, math.inf], ids=["linear", "logarithms"])
def test_sampler_draws_from_the_exact_posterior(least_log: float, monkeypatch) -> None:
    """Chi-square of 20,000 sampled paths of one word against the enumerated posterior."""
    pair, others = (("a", "b"), ("b", "a")), [(("a",), ("b",)), (("b", "b"), ("b",))]
    every = list(paths(2, 2))
    expected = np.array([path_probability(path, pair, others) for path in every])
    expected /= expected.sum()
    corpus, counts = counted([pair, *others])
    kernel._count_path(corpus, counts, 0, -1)
    # The compiled function froze its constant; its Python source reads the patched one.
    monkeypatch.setattr(kernel, "LEAST_LOG", least_log)
    random = np.random.default_rng(1)
    drawn: Counter[tuple[int, ...]] = Counter()
    for _ in range(20_000):
        kernel._find_path.py_func(corpus, counts, 0, random.random(len(corpus.moves)))
        drawn[tuple(corpus.path(0).tolist())] += 1
    observed = np.array([drawn[path] for path in every])
    assert observed.sum() == 20_000
    chi_square = ((observed - 20_000 * expected) ** 2 / (20_000 * expected)).sum()
    assert chi_square < 32.9  # 99.9 % point with 12 degrees of freedom
    assert len(every) == 13


def test_last_path_is_the_cheapest_by_enumeration() -> None:
    corpus, counts = counted(PAIRS)
    total = int(counts.total[0]) + 0.1 * counts.n_possible
    table = dict(zip(counts.keys.tolist(), counts.counts.tolist(), strict=True))

    def cost(word: int, path) -> float:
        i, j = int(corpus.lemma_starts[word]), int(corpus.form_starts[word])
        result = 0.0
        for move in path:
            left = -1 if move == kernel.INSERT else int(corpus.lemmas[i])
            right = -1 if move == kernel.DELETE else int(corpus.forms[j])
            key = kernel._key(left, right, corpus.n_form_symbols)
            result -= math.log((table.get(key, 0) + 0.1) / total)
            i, j = i + (left >= 0), j + (right >= 0)
        return result

    kernel.best_paths(corpus, counts)
    for word in (0, 1, 3):
        cheapest = min(cost(word, path) for path in paths(*map(len, PAIRS[word])))
        assert cost(word, corpus.path(word).tolist()) == pytest.approx(cheapest)


def test_counts_always_match_the_paths() -> None:
    corpus, counts = counted(PAIRS)
    random = np.random.default_rng(0)
    for _ in range(5):
        kernel.sample_sweep(corpus, counts, random.random(len(corpus.moves)))
        assert counts.total[0] == counts.counts.sum() == corpus.n_moves.sum()
        assert (counts.counts >= 0).all()


def test_learns_to_align_the_stem() -> None:
    """ge- is inserted in front of the stem, which forms without it have shown to be kept."""
    random = np.random.default_rng(0)
    letters = list("abdfghiklmnoprstuwz")
    stems = ["".join(random.choice(letters, size)) for size in random.integers(3, 8, size=300)]
    present = [(tuple(f"{stem}en"), tuple(f"{stem}t")) for stem in stems]
    past = [(tuple(f"{stem}en"), tuple(f"ge{stem}t")) for stem in stems]
    for stem, alignment in zip(
        stems, ChineseRestaurantAligner().align(past + present), strict=False
    ):
        assert alignment.pairs[:2] == ((None, "g"), (None, "e"))
        assert alignment.pairs[2 : 2 + len(stem)] == tuple(zip(stem, stem, strict=True))


PRINT_ALIGNMENTS = """
from stepwrite.transducer.alignment import ChineseRestaurantAligner
pairs = [(tuple(a), tuple(b)) for a, b in {pairs!r}]
print([a.pairs for a in ChineseRestaurantAligner(seed=7).align(pairs)])
"""


def test_same_seed_same_result_in_every_process_and_call() -> None:
    aligner = ChineseRestaurantAligner(seed=7)
    here = [a.pairs for a in aligner.align(PAIRS)]
    assert here == [a.pairs for a in aligner.align(PAIRS)]
    for hash_seed in "1", "2":
        printed = subprocess.run(
            [sys.executable, "-c", PRINT_ALIGNMENTS.format(pairs=GERMAN)],
            env=os.environ | {"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert printed.strip() == str(here)


def test_long_pair() -> None:
    lemma = tuple("abcde" * 1000)
    form = ("x", *lemma[:-7], "y")
    [alignment] = ChineseRestaurantAligner(sweeps=1).align([(lemma, form)])
    assert (alignment.lemma, alignment.form) == (lemma, form)


def test_large_alphabet() -> None:
    symbols = [chr(0x4E00 + k) for k in range(5000)]
    pairs = [((s, symbols[k - 1]), (s, "-")) for k, s in enumerate(symbols)]
    alignments = ChineseRestaurantAligner(sweeps=2).align(pairs)
    assert [(a.lemma, a.form) for a in alignments] == pairs
    counts = kernel.empty_counts(kernel.corpus_of(pairs), sweeps=2, prior=0.1)
    assert counts.scatter == kernel.SCATTER
    assert len(counts.keys) < 200_000


def test_no_pairs_and_empty_words() -> None:
    for aligner in ALIGNERS:
        assert aligner.align([]) == []
        both_empty, no_lemma, no_form = aligner.align([((), ()), ((), ("a",)), (("a",), ())])
        assert both_empty.pairs == ()
        assert no_lemma.pairs == ((None, "a"),)
        assert no_form.pairs == (("a", None),)


def test_progress_reaches_the_end() -> None:
    for aligner in ALIGNERS:
        calls: list[tuple[int, int]] = []
        aligner.align(PAIRS, progress=lambda *counts: calls.append(counts))  # noqa: B023
        assert calls[-1][0] == calls[-1][1]
