"""Beam search finds what a slow loop, or trying everything, finds."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from tests.inference.test_search import WORDS, inputs, network_of, score_of

from stepwrite.inference import beam as beam_search
from stepwrite.inference.beam import beam, top
from stepwrite.inference.hard import HardNetwork
from stepwrite.inference.hypothesis import Hypothesis
from stepwrite.inference.search import greedy
from stepwrite.kinds import kind_of
from stepwrite.model.directory import Model
from stepwrite.transducer.vocabulary import END

MakeModel = Callable[..., Model]


def one_beam(
    network: HardNetwork, lemma: list[int], features: list[int], width: int
) -> list[Hypothesis]:
    [found] = beam(network, [lemma], [features], width)
    return found


@pytest.mark.parametrize("copy", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_wide_beam_is_brute_force(
    random_model: MakeModel, monkeypatch: pytest.MonkeyPatch, seed: int, copy: bool
) -> None:
    model = random_model(words=(("a", "b"),), copy=copy, seed=seed, scale=1.0)
    network = network_of(model)
    [lemma], [features] = inputs(model, "a")
    limit = 5
    monkeypatch.setattr(beam_search, "limit_of", lambda lemma: limit)
    others = range(1, model.vocabulary.n_actions)
    everything = []
    for length in range(limit):
        for before in itertools.product(others, repeat=length):
            actions = (*before, END)
            score, positions = score_of(network, lemma, features, actions)
            if score > -np.inf:
                everything.append(Hypothesis(actions, positions, score, complete=True))
    everything.sort(key=lambda hypothesis: -hypothesis.score)
    found = one_beam(network, lemma, features, width=10_000)
    assert len(found) == len(everything)
    assert {h.actions: h.positions for h in found} == {h.actions: h.positions for h in everything}
    np.testing.assert_allclose(
        [h.score for h in found], [h.score for h in everything], rtol=0, atol=1e-4
    )


@pytest.mark.parametrize("width", [1, 2, 5, 20])
def test_beam(random_model: MakeModel, width: int) -> None:
    """Best first, no derivation twice, scores that forcing the actions gives."""
    model = random_model(layers=2)
    network = network_of(model, end=2.0)
    for lemma, features in zip(*inputs(model, *WORDS[:6]), strict=True):
        found = one_beam(network, lemma, features, width)
        assert len(found) == width
        scores = [hypothesis.score for hypothesis in found]
        assert scores == sorted(scores, reverse=True)
        assert len({hypothesis.actions for hypothesis in found}) == width
        for hypothesis in found:
            assert hypothesis.complete
            assert hypothesis.actions.index(END) == len(hypothesis.actions) - 1
            score, positions = score_of(network, lemma, features, hypothesis.actions)
            assert (hypothesis.score, hypothesis.positions) == (pytest.approx(score), positions)


def slow_beam(
    network: HardNetwork, lemma: list[int], features: list[int], width: int, limit: int
) -> list[tuple[int, ...]]:
    """Always to the limit, and each hypothesis from its start at each step."""
    open_: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    ended = []
    for _ in range(limit):
        longer = [
            ((*actions, action), score_of(network, lemma, features, (*actions, action))[0])
            for actions, _ in open_
            for action in range(network.vocabulary.n_actions)
        ]
        best = sorted(longer, key=lambda hypothesis: -hypothesis[1])[:width]
        ended += [hypothesis for hypothesis in best if hypothesis[0][-1] == END]
        open_ = [hypothesis for hypothesis in best if hypothesis[0][-1] != END]
    return [actions for actions, _ in sorted(ended, key=lambda ended: -ended[1])[:width]]


@pytest.mark.parametrize("seed", range(26, 32))
def test_beam_is_the_slow_beam(
    random_model: MakeModel, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Stopping early loses nothing: complete ones may still be overtaken by open ones."""
    model = random_model(words=(("a", "b"),), seed=seed, scale=1.5)
    network = network_of(model)
    [lemma], [features] = inputs(model, "ab")
    monkeypatch.setattr(beam_search, "limit_of", lambda lemma: 9)
    for width in (1, 2, 3, 5):
        found = [h.actions for h in one_beam(network, lemma, features, width) if h.complete]
        assert found == slow_beam(network, lemma, features, width, limit=9)


def test_beam_of_one_is_greedy(random_model: MakeModel) -> None:
    model = random_model(scale=1.0)
    network = network_of(model, end=1.0)
    lemmas, features = inputs(model, *WORDS)
    for lemma, rows, plain in zip(lemmas, features, greedy(network, lemmas, features), strict=True):
        [found] = one_beam(network, lemma, rows, width=1)
        assert found.actions == plain.actions
        assert found.score == pytest.approx(plain.score)


def test_a_wider_beam_finds_nothing_worse(random_model: MakeModel) -> None:
    for seed in range(5):
        model = random_model(seed=seed, scale=1.0)
        network = network_of(model, end=1.0)
        [lemma], [features] = inputs(model, "gosse")
        best = [one_beam(network, lemma, features, width)[0].score for width in (1, 200)]
        assert best[1] >= best[0] - 1e-6


@pytest.mark.parametrize("kind", ["edit", "hard", "soft"])
@pytest.mark.parametrize("width", [2, 3, 20])
def test_other_words_change_nothing(
    random_model: MakeModel, monkeypatch: pytest.MonkeyPatch, kind: str, width: int
) -> None:
    """Neither words under way at the same time nor those whose place a word takes."""
    monkeypatch.setattr(beam_search, "limit_of", lambda lemma: 8 + len(lemma))
    monkeypatch.setattr(beam_search, "ROWS", 4 * width)
    model = random_model(kind=kind, layers=2, scale=1.5, seed=3)
    network = kind_of(kind).network(model.members[0], model.network, model.vocabulary)
    lemmas, features = inputs(model, *WORDS, *WORDS[::-1])
    together = beam(network, lemmas, features, width)
    for found, lemma, rows in zip(together, lemmas, features, strict=True):
        [alone] = beam(network, [lemma], [rows], width)
        assert [h.actions for h in found] == [h.actions for h in alone]
        assert [h.positions for h in found] == [h.positions for h in alone]
        np.testing.assert_allclose([h.score for h in found], [h.score for h in alone], atol=1e-3)
    assert beam(network, [], [], width) == []


@pytest.mark.parametrize("number", [1, 3, 9, 12])
def test_top(number: int) -> None:
    """Of equal values the first column comes first, whichever way they are found."""
    values = np.random.default_rng(0).integers(0, 6, (50, 12)).astype(np.float32)
    expected = np.argsort(-values, axis=1, kind="stable")[:, :number]
    columns, best = top(values.copy(), number)
    assert np.array_equal(columns, expected)
    assert np.array_equal(best, np.take_along_axis(values, expected, axis=1))
