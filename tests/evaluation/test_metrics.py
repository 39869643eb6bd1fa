"""Scores compared with hand-computed cases and with slow, independent implementations."""

from __future__ import annotations

import itertools
import math
import os
import random
import unicodedata
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepwrite.data.examples import Example
from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import StepwriteError
from stepwrite.evaluation.metrics import breakdown, mean, score, score_rows, wilson
from stepwrite.evaluation.significance import mcnemar, paired_bootstrap

WORDS = st.text(alphabet="abä\u0308", max_size=6)
PAIRS = st.lists(
    st.tuples(WORDS.filter(bool), st.lists(WORDS, max_size=4)), min_size=1, max_size=12
)
FLAGS = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=40)


def examples(forms: list[str], features: str = "N;PL") -> list[Example]:
    return [Example(f"lemma{number}", features, form) for number, form in enumerate(forms)]


def slow_distance(a: str, b: str) -> int:
    """Levenshtein's recurrence over the whole table."""
    table = {(i, j): i + j for i in range(len(a) + 1) for j in range(len(b) + 1) if not i * j}
    for i, j in itertools.product(range(1, len(a) + 1), range(1, len(b) + 1)):
        table[i, j] = min(
            table[i - 1, j] + 1,
            table[i, j - 1] + 1,
            table[i - 1, j - 1] + (a[i - 1] != b[j - 1]),
        )
    return table[len(a), len(b)]


def slow_p_value(only_a: int, only_b: int) -> Fraction:
    """All outcomes of fair coin tosses at least as far from the middle as the observed one."""
    n = only_a + only_b
    ways = sum(math.comb(n, k) for k in range(n + 1) if abs(2 * k - n) >= abs(only_a - only_b))
    return Fraction(ways, 2**n)


# Scores


def test_scores_computed_by_hand() -> None:
    gold = examples(["Häuser", "Mäuse", "Tage", "ab"])
    scores = score(gold, [["Häuser"], ["Mause", "Maus", "Mäuse"], ["Tagen", "Tag"], ["xyz"]])
    assert scores.rows == 4
    assert scores.wrong == 3
    assert scores.exact_match.value == 1 / 4
    assert scores.edit_distance.value == (0 + 1 + 1 + 3) / 4
    assert scores.normalised_edit_distance.value == pytest.approx((0 + 1 / 5 + 1 / 5 + 1) / 4)
    assert scores.reciprocal_rank.value == pytest.approx((1 + 1 / 3 + 0 + 0) / 4)


@given(PAIRS)
def test_scores_equal_a_slow_implementation(pairs: list[tuple[str, list[str]]]) -> None:
    scores = score(examples([form for form, _ in pairs]), [guesses for _, guesses in pairs])
    exact = distance = normalised = reciprocal = 0.0
    for form, guesses in pairs:
        form = unicodedata.normalize("NFC", form)
        ranked: list[str] = []
        for guess in guesses or [""]:
            guess = unicodedata.normalize("NFC", guess)
            if guess not in ranked:
                ranked.append(guess)
        edits = slow_distance(form, ranked[0])
        exact += form == ranked[0]
        distance += edits
        normalised += edits / max(len(form), len(ranked[0]))
        reciprocal += sum(1 / rank for rank, guess in enumerate(ranked, 1) if guess == form)
    rows = len(pairs)
    assert scores.exact_match.value == pytest.approx(exact / rows)
    assert scores.edit_distance.value == pytest.approx(distance / rows)
    assert scores.normalised_edit_distance.value == pytest.approx(normalised / rows)
    assert scores.reciprocal_rank.value == pytest.approx(reciprocal / rows)


@given(PAIRS)
def test_estimates_lie_in_their_intervals_and_ranges(pairs: list[tuple[str, list[str]]]) -> None:
    scores = score(examples([form for form, _ in pairs]), [guesses for _, guesses in pairs])
    exact, distance = scores.exact_match, scores.edit_distance
    normalised, reciprocal = scores.normalised_edit_distance, scores.reciprocal_rank
    for estimate in (exact, normalised, reciprocal):
        assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    assert 0 <= distance.low <= distance.value <= distance.high
    assert exact.value <= reciprocal.value
    assert normalised.value <= 1 - exact.value + 1e-12


def test_two_encodings_of_a_word_are_equal() -> None:
    assert score(examples(["Häuser"]), [["Ha\u0308user"]]).exact_match.value == 1


def test_spaced_symbols_are_compared_whole() -> None:
    scores = score(examples(["t ʃ iː z"]), [["t  ʃ i z"]], Segmentation(form_spaced=True))
    assert scores.edit_distance.value == 1
    assert scores.normalised_edit_distance.value == 1 / 4


def test_repeated_keys_are_all_scored() -> None:
    gold = [Example("Bank", "N;PL", "Banken"), Example("Bank", "N;PL", "Bänke")]
    scores = score(gold, [["Banken"], ["Banken"]])
    assert (scores.rows, scores.exact_match.value) == (2, 0.5)


def test_a_repeated_guess_takes_up_no_rank() -> None:
    assert score(examples(["c"]), [["a", "a", "b", "c"]]).reciprocal_rank.value == 1 / 3


def test_no_guess_is_the_empty_word() -> None:
    assert score(examples(["abc"]), [[]]) == score(examples(["abc"]), [[""]])


@pytest.mark.parametrize(
    ("gold", "predictions", "message"),
    [
        ([], [], "nothing to score"),
        (examples(["a", "b"]), [["a"]], "1 predictions for 2 gold rows"),
        (examples(["a", ""]), [["a"], [""]], "row 2: no gold form for 'lemma1'"),
    ],
)
def test_what_cannot_be_scored(
    gold: list[Example], predictions: list[list[str]], message: str
) -> None:
    with pytest.raises(StepwriteError, match=message):
        score(gold, predictions)


# Intervals


def test_wilson_as_published() -> None:
    # Newcombe (1998), table I, method 3.
    for successes, trials, low, high in [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ]:
        estimate = wilson(successes, trials)
        assert (round(estimate.low, 4), round(estimate.high, 4)) == (low, high)


def test_wilson_bounds_solve_the_score_equation() -> None:
    for trials in range(1, 30):
        for successes in range(trials + 1):
            estimate = wilson(successes, trials)
            for bound in {estimate.low, estimate.high} - {0.0, 1.0}:
                error = math.sqrt(bound * (1 - bound) / trials)
                assert abs(estimate.value - bound) / error == pytest.approx(1.959964, abs=1e-5)


def test_mean_interval_by_hand() -> None:
    estimate = mean(np.array([1, 2, 3, 4, 5]), limit=math.inf)
    half = 1.959964 * math.sqrt(2.5) / math.sqrt(5)
    assert estimate.value == 3
    assert (estimate.low, estimate.high) == pytest.approx((3 - half, 3 + half))


def test_one_value_has_the_whole_range_for_interval() -> None:
    estimate = mean(np.array([0.25]), limit=1.0)
    assert (estimate.value, estimate.low, estimate.high) == (0.25, 0, 1)


# Breakdown


def test_breakdown_by_hand() -> None:
    gold = [
        Example("Haus", "N;PL", "Häuser"),
        Example("Maus", "N; PL", "Mäuse"),
        Example("gut", "ADJ;CMPR", "besser"),
        Example("Haus", "N;SG", "Haus"),
    ]
    train = [Example("Haus", "N;PL", "Häuser"), Example("gut", "ADJ;SUP", "beste")]
    rows = score_rows(gold, [["Häuser"], ["Maus"], ["guter"], ["Haus"]])
    found = {
        name: {label: (scores.rows, scores.wrong) for label, scores in groups.items()}
        for name, groups in breakdown(gold, rows, train).items()
    }
    assert found == {
        "part_of_speech": {"N": (3, 1), "ADJ": (1, 1)},
        "features": {"N;PL": (2, 1), "ADJ;CMPR": (1, 1), "N;SG": (1, 0)},
        "lemma": {"seen": (3, 1), "unseen": (1, 1)},
        "bundle": {"seen": (2, 1), "unseen": (2, 1)},
    }
    assert list(found["part_of_speech"]) == ["N", "ADJ"]


@given(PAIRS, st.randoms(use_true_random=False))
def test_groups_partition_the_rows(
    pairs: list[tuple[str, list[str]]], random: random.Random
) -> None:
    gold = [
        Example(random.choice("xyz"), random.choice(["N;SG", "N;PL", "V"]), form)
        for form, _ in pairs
    ]
    rows = score_rows(gold, [guesses for _, guesses in pairs])
    for groups in breakdown(gold, rows, train=gold[:2]).values():
        assert sum(scores.rows for scores in groups.values()) == len(gold)
        assert sum(scores.wrong for scores in groups.values()) == rows.summary().wrong
        total = sum(scores.rows * scores.edit_distance.value for scores in groups.values())
        assert total == pytest.approx(int(rows.distance.sum()))


def test_no_features_no_breakdown_by_them() -> None:
    gold = examples(["a", "b"], features="")
    assert breakdown(gold, score_rows(gold, [["a"], ["a"]])) == {}


# Significance


@given(FLAGS)
def test_mcnemar_equals_the_direct_sum(flags: list[tuple[bool, bool]]) -> None:
    counts = Counter(flags)
    result = mcnemar([a for a, _ in flags], [b for _, b in flags])
    assert (result.only_a, result.only_b) == (counts[True, False], counts[False, True])
    assert result.p_value == pytest.approx(float(slow_p_value(result.only_a, result.only_b)))


def test_mcnemar_does_not_depend_on_the_order_of_systems() -> None:
    a, b = [True] * 9 + [False] * 3, [False] * 8 + [True] * 4
    assert mcnemar(a, b).p_value == mcnemar(b, a).p_value


def test_mcnemar_of_twenty_thousand_rows() -> None:
    a = np.arange(20_000) % 2 == 0
    assert mcnemar(a, ~a).p_value == 1
    assert mcnemar(np.arange(20_000) < 10_200, np.arange(20_000) >= 10_200).p_value < 0.01


def test_bootstrap_has_the_distribution_of_naive_resampling() -> None:
    generator = np.random.default_rng(5)
    a, b = generator.random(60) < 0.7, generator.random(60) < 0.55
    result = paired_bootstrap(a, b, samples=20_000, seed=1)
    rows = generator.integers(60, size=(20_000, 60))
    naive = a[rows].mean(axis=1) - b[rows].mean(axis=1)
    low, high = np.quantile(naive, [0.025, 0.975])
    assert result.difference.value == pytest.approx(a.mean() - b.mean())
    # Differences are multiples of 1/60; a quantile may fall on the neighbouring one.
    assert result.difference.low == pytest.approx(low, abs=1 / 60 + 1e-9)
    assert result.difference.high == pytest.approx(high, abs=1 / 60 + 1e-9)
    expected = 2 * min((naive <= 1e-12).mean(), (naive >= -1e-12).mean())
    assert result.p_value == pytest.approx(expected, abs=0.02)


@given(FLAGS.filter(bool), st.integers(0, 9))
def test_bootstrap_turns_its_sign_with_the_systems(
    flags: list[tuple[bool, bool]], seed: int
) -> None:
    a, b = [a for a, _ in flags], [b for _, b in flags]
    result = paired_bootstrap(a, b, samples=200, seed=seed)
    assert result == paired_bootstrap(a, b, samples=200, seed=seed)
    assert 0 < result.p_value <= 1
    assert -1 <= result.difference.low <= result.difference.high <= 1
    assert paired_bootstrap(b, a, samples=200).difference.value == -result.difference.value


def test_equal_systems_do_not_differ() -> None:
    flags = [True, False, True]
    assert mcnemar(flags, flags).p_value == 1
    assert paired_bootstrap(flags, flags).p_value == 1


def test_a_clear_difference_is_significant() -> None:
    a, b = [True] * 400, [True] * 340 + [False] * 60
    assert mcnemar(a, b).p_value < 1e-15
    result = paired_bootstrap(a, b, samples=1000)
    assert result.p_value == 2 / 1001
    assert 0.11 < result.difference.low < 0.15 < result.difference.high < 0.19


def test_systems_are_compared_on_the_same_rows() -> None:
    with pytest.raises(StepwriteError, match="2 rows and 1 rows"):
        mcnemar([True, False], [True])
    with pytest.raises(StepwriteError, match="nothing to compare"):
        paired_bootstrap([], [])


# Real data


@pytest.mark.skipif("STEPWRITE_DATA" not in os.environ, reason="STEPWRITE_DATA is not set")
def test_copying_the_lemma_on_real_data() -> None:
    path = Path(os.environ["STEPWRITE_DATA"]) / "sigmorphon2016" / "german-task1-dev"
    lines = [line.split("\t") for line in path.read_text("utf-8").split("\n") if line]
    gold = [Example(*line) for line in lines]
    rows = score_rows(gold, [[lemma] for lemma, _, _ in lines])
    assert rows.summary().wrong == sum(lemma != form for lemma, _, form in lines)
    for row, (lemma, _, form) in list(enumerate(lines))[::50]:
        assert rows.distance[row] == slow_distance(lemma, form)
