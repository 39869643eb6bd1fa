"""What training says at its end: the network's accuracy beside that of the rules."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from stepwrite import Example
from stepwrite.data.segmentation import Segmentation
from stepwrite.model.about import About
from stepwrite.training import assembly, folder
from stepwrite.training.config import preset
from stepwrite.training.display import outcome

PLAN = folder.Plan(preset("default", 100), Segmentation(), 1, 1, "train", "dev")
WAYS = "or use the rules"


def said(plan: folder.Plan, vote: float | None, rules: float | None) -> list[str]:
    about = About(vote_dev_accuracy=vote, rules_dev_accuracy=rules)
    return list(outcome(Path("mine"), plan, about))


def test_both_accuracies() -> None:
    line = "mine: 1 member(s), dev accuracy 66.50 % (rules 31.20 %)"
    assert said(PLAN, 0.665, 0.312) == [line]
    assert len(said(PLAN, 0.5, 0.5)) == 1


def test_without_dev_nothing_is_compared() -> None:
    assert said(PLAN, None, None) == ["mine: 1 member(s)"]


def test_rules_that_were_not_scored() -> None:
    assert said(PLAN, 0.665, None) == [
        "mine: 1 member(s), dev accuracy 66.50 % (rules not scored: many examples)"
    ]


@pytest.mark.parametrize(
    ("members", "hallucination", "ways"),
    [
        (1, 0.0, "--members 5, --hallucination 0.5, more training examples"),
        (5, 0.0, "--hallucination 0.5, more training examples"),
        (2, 0.3, "--members 5, more training examples"),
        (5, 0.3, "more training examples"),
    ],
)
def test_below_the_rules(members: int, hallucination: float, ways: str) -> None:
    config = replace(PLAN.config, hallucination=hallucination)
    _, advice = said(replace(PLAN, config=config, members=members), 0.312, 0.665)
    assert advice == f"mine: below the rules of stepwrite baseline: try {ways}, {WAYS}"


def test_rules_have_the_segmentation_of_the_run() -> None:
    """`sh` is one sound; rules that read the spaces between sounds would write `k a  ʃ`."""
    plan = replace(PLAN, segmentation=Segmentation(form_spaced=True))
    train = [Example("ash", "", "a ʃ"), Example("dish", "", "d i ʃ"), Example("dash", "", "d a ʃ")]
    gold = [Example("bash", "", "b  a ʃ")]  # two spaces are one
    train += [Example("b", "", "b")]
    assert assembly.rules_accuracy(plan, train, gold) == 1
    assert assembly.rules_accuracy(PLAN, train, gold) == 0


def test_rules_are_not_learnt_from_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [Example("go", "V;PST", "went")] * 3
    monkeypatch.setattr(assembly, "MOST_FOR_RULES", 3)
    assert assembly.rules_accuracy(PLAN, rows, rows) == 1
    assert assembly.rules_accuracy(PLAN, [*rows, rows[0]], rows) is None
