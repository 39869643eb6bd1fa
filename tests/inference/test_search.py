"""Greedy search finds what a slow loop finds."""

from __future__ import annotations

import itertools
import random
import tracemalloc
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from stepwrite.inference import search as decoding
from stepwrite.inference.beam import beam
from stepwrite.inference.hard import HardNetwork
from stepwrite.inference.network import step
from stepwrite.inference.search import greedy, limit_of
from stepwrite.model.directory import Model
from stepwrite.transducer.vocabulary import END, STEP

MakeModel = Callable[..., Model]


def network_of(model: Model, **biases: float) -> HardNetwork:
    """The first member; `end=-50.0` makes ending as good as impossible."""
    weights = {**model.members[0], "output_bias": model.members[0]["output_bias"].copy()}
    for name, bias in biases.items():
        weights["output_bias"][{"end": END, "step": STEP}[name]] = bias
    return HardNetwork(weights, model.network, model.vocabulary)


def inputs(model: Model, *words: str) -> tuple[list[list[int]], list[list[int]]]:
    bundles = itertools.cycle(["V;PST", "V;PRS", "N", ""])
    vocabulary = model.vocabulary
    return (
        [vocabulary.lemma_ids(word) for word in words],
        [vocabulary.feature_rows(next(bundles)) for _ in words],
    )


def score_of(
    network: HardNetwork, lemma: list[int], features: list[int], actions: tuple[int, ...]
) -> tuple[float, tuple[int, ...]]:
    """Log probability of the actions, and the positions attended, by forcing them."""
    encoded = network.encode([lemma], [features])
    state = network.start(encoded)
    total, positions = 0.0, []
    for action in actions:
        positions.append(int(state.positions[0]))
        state, log_probabilities = step(network, encoded, state)
        total += float(log_probabilities[0, action])
        state = network.act(encoded, state, np.array([action]))
    return total, tuple(positions)


def slow_greedy(network: HardNetwork, lemma: list[int], features: list[int]) -> tuple[int, ...]:
    encoded = network.encode([lemma], [features])
    state = network.start(encoded)
    actions: list[int] = []
    while END not in actions and len(actions) < limit_of(lemma):
        state, log_probabilities = step(network, encoded, state)
        actions.append(int(log_probabilities[0].argmax()))
        state = network.act(encoded, state, np.array(actions[-1:]))
    return tuple(actions)


WORDS = ("go", "s", "see" * 20, "gehen", "", "ß", "wonnegossen", "og", "eeeee", "G" * 50)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("end", [4.0, -50.0])
def test_greedy_is_the_slow_loop(random_model: MakeModel, seed: int, end: float) -> None:
    model = random_model(seed=seed, scale=1.0)
    network = network_of(model, end=end)
    lemmas, features = inputs(model, *WORDS)
    found = greedy(network, lemmas, features)
    for lemma, rows, hypothesis in zip(lemmas, features, found, strict=True):
        assert hypothesis.actions == slow_greedy(network, lemma, rows)
        score, positions = score_of(network, lemma, rows, hypothesis.actions)
        assert hypothesis.score == pytest.approx(score, abs=1e-4)
        assert hypothesis.positions == positions
        assert hypothesis.complete == (hypothesis.actions[-1] == END)
    assert any(h.complete for h in found) == (end > 0)


def test_small_batches_change_nothing(
    random_model: MakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = random_model(scale=1.0)
    network = network_of(model, end=1.5)
    lemmas, features = inputs(model, *WORDS * 3)
    found = greedy(network, lemmas, features)
    sizes = []
    encode = network.encode
    monkeypatch.setattr(network, "encode", lambda *a: sizes.append(len(a[0])) or encode(*a))
    monkeypatch.setattr(network, "words_at_once", 8)
    monkeypatch.setattr(decoding, "MOST_SYMBOLS", 100)
    again = greedy(network, lemmas, features)
    assert [h.actions for h in again] == [h.actions for h in found]
    assert sum(sizes) == len(lemmas)
    assert {1, 8} <= set(sizes)  # long words by themselves, short ones together
    assert greedy(network, [], []) == []


def test_memory_does_not_grow_with_the_number_of_words(random_model: MakeModel) -> None:
    """At the peak there are one batch's products and, of one direction, the encoder's states."""
    model = random_model(hidden=64)
    network = network_of(model, end=50.0)
    chance = random.Random(1)
    lemmas, features = inputs(model, *("".join(chance.choices("goes", k=30)) for _ in range(1500)))
    greedy(network, lemmas[:2], features[:2])
    tracemalloc.start()
    try:
        greedy(network, lemmas, features)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    n_prefixes = 2 * decoding.MOST_SYMBOLS  # at the most: hardly any are shared here
    products = n_prefixes * 4 * 64 * 4  # gates, hidden, bytes
    assert 0.5 * products < peak < 1.2 * products


@pytest.mark.parametrize(("word", "limit"), [("go", 150), ("go" * 50, 408)])
def test_what_never_ends_stops(random_model: MakeModel, word: str, limit: int) -> None:
    model = random_model()
    network = network_of(model, end=-1000.0)
    [lemma], [features] = inputs(model, word)
    assert limit_of(lemma) == limit
    [found] = greedy(network, [lemma], [features])
    assert (len(found.actions), len(found.positions), found.complete) == (limit, limit, False)
    [[searched]] = beam(network, [lemma], [features], 1)
    assert searched == replace(found, score=pytest.approx(found.score))


@pytest.mark.parametrize("width", [1, 3])
def test_work_grows_with_length_only_linearly(
    random_model: MakeModel, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    """An action takes one look at the network, which sees no more rows in longer words."""
    model = random_model(hidden=16)
    network = network_of(model, end=-50.0)
    rows: list[int] = []
    scores = network.scores

    def counting(encoded, state):
        rows.append(len(state.previous))
        return scores(encoded, state)

    monkeypatch.setattr(network, "scores", counting)
    for length in (10, 100, 1000):
        [lemma], [features] = inputs(model, "g" * length)
        rows.clear()
        if width == 1:
            found, _ = greedy(network, [lemma] * 2, [features] * 2)
        else:
            found = beam(network, [lemma], [features], width)[0][0]
        assert len(found.actions) == len(rows) == limit_of(lemma)
        assert max(rows) <= max(2, width)
