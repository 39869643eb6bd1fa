"""Rules answer where a network is unsure, and only if that helps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from stepwrite.data.examples import Example
from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import StepwriteError
from stepwrite.evaluation.fallback import Fallback, best_limit
from stepwrite.inflector import Inflector
from stepwrite.model.directory import Model, load_model, save_model

EXAMPLES = tuple(
    Example(stem + "en", "V;PST", stem + "te") for stem in ("mach", "lach", "wach", "kauf")
)


def test_the_limit_is_where_rules_gain_most() -> None:
    unsure = [(0.35, False, True)] * 8 + [(0.35, True, False)] * 2
    surer = [(0.65, True, False)] * 5
    assert best_limit(unsure + surer + [(0.99, True, True)] * 85) == 0.4
    assert best_limit(surer * 20) == 0.0
    assert best_limit([(0.1, False, None)] * 50) == best_limit([]) == 0.0


def test_a_gain_that_may_be_chance_is_none() -> None:
    right = [(0.9, True, True)] * 999
    assert best_limit([(0.1, False, True), *right]) == 0.0
    assert best_limit([(0.1, False, True)] * 10 + right) == 0.3


@pytest.fixture
def unsure(random_model: Callable[..., Model]) -> Model:
    """Networks that were never trained, with rules."""
    return replace(random_model(members=2), fallback=Fallback(EXAMPLES, 1.0))


def test_rules_take_the_place_of_an_unsure_network(unsure: Model) -> None:
    inflector = Inflector(unsure)
    prediction = inflector.batch([("krachen", "V;PST")], n_best=3, warn=False)[0]
    assert (prediction.form, prediction.by, prediction.votes) == ("krachte", "rules", 0)
    assert "by rules: the network is unsure" in prediction.notes
    assert [move.written for move in prediction.steps if move.written] == list("krachte")
    alone = Inflector(replace(unsure, fallback=None))
    networks = alone.batch([("krachen", "V;PST")], n_best=3, warn=False)[0]
    assert prediction.forms[1:] == networks.forms[:2]
    assert prediction.to_json(explain=True)["explanation"]["by"] == "rules"
    assert inflector.each_and_vote([("krachen", "V;PST")])[1] == ["krachte"]
    assert inflector.each_and_vote([("krachen", "V;FUT")]) == alone.each_and_vote(
        [("krachen", "V;FUT")]
    )


def test_members_alone_have_no_rules(unsure: Model) -> None:
    assert {member.model.fallback for member in Inflector(unsure).members} == {None}


def test_rules_are_saved_and_loaded(unsure: Model, tmp_path: Path) -> None:
    save_model(tmp_path, unsure, "", "")
    assert load_model(tmp_path).fallback == unsure.fallback
    save_model(tmp_path / "plain", replace(unsure, fallback=None), "", "")
    assert load_model(tmp_path / "plain").fallback is None


@pytest.mark.parametrize(
    "data",
    [
        None,
        {"below": 2.0, "examples": []},
        {"below": 0.5},
        {"below": 0.5, "examples": [["a", "b"]]},
        {"below": 0.5, "examples": [["a", "b", 1]]},
        {"below": True, "examples": []},
    ],
)
def test_nonsense_is_refused(data: object) -> None:
    with pytest.raises(StepwriteError, match="rules: expected a limit and examples"):
        Fallback.from_json(data, Segmentation())
