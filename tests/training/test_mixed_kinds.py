"""Members of several kinds in one model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepwrite import Example, Inflector, StepwriteError, api
from stepwrite.data.segmentation import Segmentation
from stepwrite.model.directory import ModelError, load_model
from stepwrite.training import folder as run
from stepwrite.training.config import TrainingConfig

Run = Callable[..., Any]
STEMS = ["Wald", "Tal", "Saal", "Kind", "Haus", "Ding", "Vers", "Lied"]
ROWS = [
    Example(stem, features, stem + ending)
    for stem in STEMS
    for features, ending in (("N;PL", "er"), ("N;SG", ""), ("N;GEN", "es"))
]
TINY = {
    "hidden": 12,
    "embedding": 8,
    "feature_embedding": 4,
    "epochs": 2,
    "batch": 8,
}


def train(folder: Path, **options: object) -> Inflector:
    settings: dict[str, Any] = {"dev": ROWS, "progress": False, "jobs": 1, **TINY, **options}
    settings["rules"] = False
    return api.train(ROWS, out=folder, **settings)


def test_members_of_two_kinds_vote(tmp_path: Path) -> None:
    mixed = train(tmp_path / "m", members={"edit": 2, "soft": 1}, direction="alternate")
    model = load_model(tmp_path / "m")
    assert [(n.kind, n.direction) for n in model.networks] == [
        ("edit", "forward"),
        ("edit", "backward"),
        ("soft", "forward"),
    ]
    assert model.kinds == {"edit": 2, "soft": 1}
    pairs = [(row.lemma, row.features) for row in ROWS]
    alone, together = api.load(tmp_path / "m").each_and_vote(pairs)
    assert together == mixed.each_and_vote(pairs)[1]
    for member, forms in zip(mixed.members, alone, strict=True):
        assert [p.form for p in member.batch(pairs)] == forms
    assert json.loads((tmp_path / "m" / "config.json").read_text())["format"] == 3


def test_each_member_is_what_it_would_be_in_a_model_of_one_kind(tmp_path: Path) -> None:
    mixed = train(tmp_path / "m", members={"edit": 1, "soft": 1})
    edit, soft = train(tmp_path / "edit"), train(tmp_path / "soft", kind="soft", seed=2)
    for member, alone in zip(mixed.model.members, (edit, soft), strict=True):
        [weights] = alone.model.members
        assert {name: a.tobytes() for name, a in member.items()} == {
            name: a.tobytes() for name, a in weights.items()
        }
    assert json.loads((tmp_path / "edit" / "config.json").read_text())["format"] == 2


def test_plans_with_other_kinds_survive_the_way_through_json(tmp_path: Path) -> None:
    train(tmp_path / "m", members={"edit": 1, "soft": 2})
    about = load_model(tmp_path / "m").about
    assert [settings["network"]["kind"] for settings in about.other_training] == ["soft", "soft"]
    config = TrainingConfig.from_json(about.training)
    others = tuple(map(TrainingConfig.from_json, about.other_training))
    plan = run.Plan(config, Segmentation(), 3, 1, "t", "d", others=others)
    assert run.Plan.from_json(json.loads(json.dumps(plan.to_json()))) == plan


def test_a_configuration_with_too_many_other_networks_is_refused(tmp_path: Path) -> None:
    train(tmp_path / "m", members={"edit": 1, "soft": 1})
    path = tmp_path / "m" / "config.json"
    config = json.loads(path.read_text())
    del config["checksum"]
    config["others"] *= 2
    from stepwrite.model.directory import json_checksum

    path.write_text(json.dumps({**config, "checksum": json_checksum(config)}))
    with pytest.raises(ModelError, match="2 other networks of 2 members"):
        load_model(tmp_path / "m")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("0", "expected a number, or numbers of kinds"),
        ("edit:3,2", "expected a number, or numbers of kinds"),
        ("edit:3,edit:2", "expected a number, or numbers of kinds"),
        ("edit:3,fuzzy:2", "no kind 'fuzzy'; use edit, hard, soft"),
    ],
)
def test_wrong_numbers_of_members(stepwrite: Run, value: str, message: str) -> None:
    outcome = stepwrite("train", "t.tsv", "--out", "m", "--members", value)
    assert outcome.code == 2
    assert message in outcome.err


def test_kinds_are_named_once(tmp_path: Path, stepwrite: Run) -> None:
    arguments = ["train", "t.tsv", "--out", "m", "--members", "edit:1,soft:1", "--model", "soft"]
    outcome = stepwrite(*arguments)
    assert outcome.code == 2
    assert "leave --model out" in outcome.err
    with pytest.raises(StepwriteError, match="either by itself or with the members"):
        train(tmp_path / "m", members={"edit": 1}, kind="edit")


def test_the_command_line_trains_and_describes_one(tmp_path: Path, stepwrite: Run) -> None:
    data = tmp_path / "train.tsv"
    api.write(data, ROWS)
    sizes = [f"--{name.replace('_', '-')}={value}" for name, value in TINY.items()]
    arguments = ["train", str(data), "--dev", str(data), "--out", str(tmp_path / "m"), *sizes]
    outcome = stepwrite(*arguments, "--members", "edit:1,soft:1")
    assert outcome.code == 0, outcome.err
    assert "1 member(s), edit transducer" in outcome.err
    assert "1 member(s), soft attention" in outcome.err
    described = stepwrite("info", str(tmp_path / "m")).out
    assert "network:   edit transducer" in described
    assert "network:   soft attention" in described
    card = (tmp_path / "m" / "README.md").read_text()
    assert "with edit transducer and soft attention" in card
