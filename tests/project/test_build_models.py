"""The data of the pretrained models, and how they are built."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from stepwrite.data.examples import Example
from stepwrite.errors import StepwriteError
from stepwrite.model import pretrained as shipped
from stepwrite.model.about import About, Member
from stepwrite.model.directory import Model, load_model, save_model
from stepwrite.training.config import TrainingConfig, preset

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
import build_models
from make_demo_data import sample


def test_german_nouns_know_nothing_of_the_demos_dev_and_test() -> None:
    every = [
        [Example(lemma, features, lemma) for features in ("N;NOM;SG", "N;NOM;PL")]
        for lemma in (f"{letter}{'o' * (k % 12)}{k}" for k in range(40) for letter in "ab")
    ]
    demo = sample(every, {"train": 10, "dev": 5, "test": 5})
    sizes = {"train": 40, "dev": 6, "test": 6}
    plain = sample(every, sizes)
    parts = build_models.noun_parts(every, sizes, {part: len(demo[part]) // 2 for part in demo})
    held_out = {example.lemma for part in ("dev", "test") for example in demo[part]}
    assert {example.lemma for example in plain["train"]} >= held_out  # or there was nothing to do
    for part in ("train", "lexicon"):
        assert held_out.isdisjoint(example.lemma for example in parts[part])
    assert len(parts["train"]) == len(plain["train"])
    assert [parts[part] for part in ("dev", "test")] == [plain[part] for part in ("dev", "test")]
    lemmas = [{example.lemma for example in parts[part]} for part in ("train", "dev", "test")]
    assert all(one.isdisjoint(other) for one, other in combinations(lemmas, 2))


PARTS = {
    "train": [Example("go", "V;PST", "went"), Example("see", "V;PRS", "see")],
    "dev": [Example("go", "V;PRS", "go")],
    "test": [Example("see", "V;PST", "saw")],
    "lexicon": [Example("go", "V;PST", "went")],
}
RECIPE = build_models.Recipe("eng", "Some English", "a test", "CC0", lambda: PARTS)


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for module in (shipped, build_models):
        monkeypatch.setattr(module, "MODELS", tmp_path / "models")
    return tmp_path / "models"


def test_a_run_that_has_ended_ships(
    random_model: Callable[..., Model],
    models: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    member = Member(seed=1, epochs=1, best_epoch=1, dev_accuracy=0.7, seconds=1.0)
    about = About({}, {"preset": "default"}, (member,), vote_dev_accuracy=0.7)
    made = replace(random_model(), about=about)
    save_model(tmp_path / "runs" / "shipped" / "some", made, "member\tepoch\n1\t1\n", "")
    monkeypatch.setitem(build_models.RECIPES, "some", RECIPE)
    build_models.build("some", tmp_path / "runs")
    loaded = load_model(models / "some")
    kept, trained = loaded.members[0]["output"], made.members[0]["output"]
    assert 0 < abs(kept - trained).max() < 0.001
    assert (models / "some" / "history.tsv").read_text() == "member\tepoch\n1\t1\n"
    [listed] = shipped.available()
    assert (listed.name, listed.iso, listed.n_test, listed.pos) == ("some", "eng", 1, ("V",))
    assert listed.accuracy == 0


def test_half_precision_that_costs_accuracy_is_refused(
    random_model: Callable[..., Model], models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    accuracies = iter([0.95, 0.94])
    monkeypatch.setattr(build_models, "accuracy", lambda model, examples: next(accuracies))
    with pytest.raises(StepwriteError, match=r"dev 0\.95 in single precision, 0\.94 in half"):
        build_models.write("some", RECIPE, random_model(), "", PARTS)


@pytest.mark.parametrize("name", build_models.RECIPES)
def test_a_model_has_its_recipes_settings(name: str) -> None:
    about = load_model(shipped.MODELS / name).about
    changes = build_models.SMALL | build_models.RECIPES[name].settings
    found = TrainingConfig.from_json(about.training)
    changes |= {"precision": found.precision}  # decided by the processor, not by the recipe
    assert found == preset("default", about.data["train"].rows, **changes)
