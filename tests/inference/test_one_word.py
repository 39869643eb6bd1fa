"""A word alone is decoded as it is among others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stepwrite.inference import search
from stepwrite.inference.search import greedy
from stepwrite.kinds import kind_of
from stepwrite.model.directory import Model

MakeModel = Callable[..., Model]
WORDS = ("go", "s", "see" * 20, "gehen", "", "ß", "wonnegossen", "og", "eeeee", "G" * 50)
BUNDLES = ("V;PST", "V;PRS", "N", "")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("bundles", [("V;PST", "V;PRS"), ()], ids=["features", "no slots"])
@pytest.mark.parametrize(("kind", "copy"), [("edit", True), ("hard", True), ("hard", False)])
def test_one_word_is_one_of_many(
    random_model: MakeModel,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    copy: bool,
    bundles: tuple[str, ...],
    layers: int,
    seed: int,
) -> None:
    # In endless derivations differences of rounding grow until they matter.
    monkeypatch.setattr(search, "limit_of", lambda lemma: 25)
    model = random_model(bundles=bundles, kind=kind, copy=copy, layers=layers, seed=seed)
    network = kind_of(kind).network(model.members[0], model.network, model.vocabulary)
    lemmas = [model.vocabulary.lemma_ids(word) for word in WORDS for _ in BUNDLES]
    features = [model.vocabulary.feature_rows(bundle) for _ in WORDS for bundle in BUNDLES]
    for lemma, rows, expected in zip(
        lemmas, features, greedy(network, lemmas, features), strict=True
    ):
        assert network.greedy_alone(lemma, rows, limit=1) is not None
        [found] = greedy(network, [lemma], [rows])
        assert (found.actions, found.positions) == (expected.actions, expected.positions)
        assert found.score == pytest.approx(expected.score, abs=1e-3)
        assert found.complete == expected.complete


@pytest.mark.parametrize(("kind", "cell"), [("soft", "lstm"), ("hard", "peephole")])
def test_other_networks_take_the_way_of_many_words(
    random_model: MakeModel, kind: str, cell: str
) -> None:
    model = random_model(kind=kind, cell=cell, scale=1.0)
    network = kind_of(kind).network(model.members[0], model.network, model.vocabulary)
    lemma, rows = model.vocabulary.lemma_ids("go"), model.vocabulary.feature_rows("V;PST")
    assert network.greedy_alone(lemma, rows, search.limit_of(lemma)) is None
    [found], [expected, _] = (greedy(network, [lemma] * n, [rows] * n) for n in (1, 2))
    assert found.actions == expected.actions
