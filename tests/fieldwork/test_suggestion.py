"""Suggestions: the quick choice is the plain greedy one, and it covers what is missing."""

from __future__ import annotations

import random
from collections import Counter

from stepwrite.fieldwork.suggestion import LEAST_DOUBT, RETURNS, Pattern, _patterns, choose


def doubted(candidates: list, sure: list) -> Counter[Pattern]:
    """How much the model doubts all candidates of each pattern together."""
    total: Counter[Pattern] = Counter()
    for pair, probability in zip(candidates, sure, strict=True):
        for pattern in _patterns(pair):
            total[pattern] += 1 - probability + LEAST_DOUBT
    return total


def plain(candidates: list, known: list, n: int, sure: list) -> list[float]:
    """The worth of each choice by looking at all candidates again for each of them."""
    common = doubted(candidates, sure)
    counts = Counter(p for pair in known for p in _patterns(pair))
    left, worths = set(range(len(candidates))), []
    for _ in range(n):
        worth = {
            number: (1 - sure[number] + LEAST_DOUBT)
            * sum(common[p] / (1 + counts[p]) ** RETURNS for p in _patterns(candidates[number]))
            for number in left
        }
        best = max(worth, key=lambda number: worth[number])
        worths.append(worth[best])
        left.remove(best)
        counts.update(_patterns(candidates[best]))
    return worths


def test_the_best_is_taken_each_time() -> None:
    draw = random.Random(3)
    pairs = [
        ("".join(draw.choices("abc", k=draw.randint(1, 5))), draw.choice(["N;SG", "N;PL", "V"]))
        for _ in range(60)
    ]
    known, candidates = pairs[:10], pairs[10:]
    sure = [draw.random() for _ in candidates]
    common = doubted(candidates, sure)
    counts = Counter(p for pair in known for p in _patterns(pair))
    chosen = list(choose(candidates, known, 20, sure))
    worths = []
    for found in chosen:
        pair = candidates[found.candidate]
        doubt = 1 - sure[found.candidate] + LEAST_DOUBT
        worths.append(doubt * sum(common[p] / (1 + counts[p]) ** RETURNS for p in _patterns(pair)))
        counts.update(_patterns(pair))
    assert len({found.candidate for found in chosen}) == 20
    for quick, slow in zip(worths, plain(candidates, known, 20, sure), strict=True):
        assert abs(quick - slow) < 1e-9


def test_missing_cells_come_first() -> None:
    known = [(word, "N;SG") for word in ("hund", "katze", "maus")]
    candidates = [(word, cell) for word in ("rind", "laus") for cell in ("N;SG", "N;PL", "N;DU")]
    chosen = [candidates[found.candidate][1] for found in choose(candidates, known, 2)]
    assert sorted(chosen) == ["N;DU", "N;PL"]


def test_what_the_model_is_unsure_of_comes_first() -> None:
    candidates = [("aba", "N;PL"), ("obo", "N;PL")]
    for sure, best in (([0.9, 0.1], 1), ([0.1, 0.9], 0)):
        assert next(choose(candidates, [], 1, sure)).candidate == best


def test_what_answers_many_doubts_comes_first() -> None:
    candidates = [("aba", "N;PL"), ("ada", "N;PL"), ("obo", "N;DU"), ("odo", "N;DU")]
    for sure, best in (([0.5, 0.1, 0.5, 0.9], 1), ([0.5, 0.9, 0.5, 0.1], 3)):
        assert next(choose(candidates, [], 1, sure)).candidate == best
    for sure, cell in (([0.5, 0.5, 0.5, 0.9], "N;PL"), ([0.5, 0.9, 0.5, 0.5], "N;DU")):
        assert candidates[next(choose(candidates, [], 1, sure)).candidate][1] == cell


def test_no_more_than_there_are() -> None:
    assert len(list(choose([("a", "N;PL")], [], 5))) == 1
