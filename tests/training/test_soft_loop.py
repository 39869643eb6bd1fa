"""Soft attention trained: what works for hard attention works for it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tests.conftest import train_model

from stepwrite import Inflector, UnknownFeatureWarning, load
from stepwrite.errors import StepwriteError
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.model.directory import Model, ModelError, load_model, save_model
from stepwrite.training.config import TrainingConfig, preset
from stepwrite.training.loop import Progress, Task, train_member
from stepwrite.training.sequences import write_sequences
from stepwrite.transducer.actions import Step
from stepwrite.transducer.alignment import EditDistanceAligner
from stepwrite.transducer.vocabulary import Vocabulary

MakeModel = Callable[..., Model]

STEMS = ["walk", "talk", "jump", "look", "help", "call", "work", "play", "turn", "move"]
TRAIN = [
    (tuple(stem), features, tuple(stem + ending))
    for stem in STEMS
    for features, ending in (("V;PST", "ed"), ("V;PRS", "s"), ("V;PTCP", "ing"))
]
TINY = NetworkConfig(layers=1, hidden=24, embedding=16, feature_embedding=4, kind="soft")


def tiny_task(**changes) -> Task:
    settings = {"network": TINY, "epochs": 80, "dropout": 0.1, "rate": 0.02, "batch": 4}
    config = TrainingConfig("tiny", **(settings | changes))
    pairs = [(lemma, form) for lemma, _, form in TRAIN]
    vocabulary = Vocabulary.fit(pairs, [f for _, f, _ in TRAIN], copy=config.copy != "never")
    examples = [
        write_sequences(alignment, features, vocabulary)
        for alignment, (_, features, _) in zip(
            EditDistanceAligner().align(pairs), TRAIN, strict=True
        )
    ]
    return Task(config, vocabulary, examples, TRAIN)


@pytest.mark.parametrize("copy", ["never", "unknown"])
def test_learns_a_small_set_by_heart(tmp_path: Path, copy: str) -> None:
    task = tiny_task(copy=copy, masking=0.0 if copy == "never" else 0.05, epochs=50)
    progress = train_member(task, seed=1, checkpoint=tmp_path / "checkpoint")
    assert progress.best_accuracy == 1.0


def test_the_papers_settings_learn(tmp_path: Path) -> None:
    plain = {"dropout": 0.0, "copy": "never", "masking": 0.0}
    network = replace(TINY, cell="peephole", layers=2)
    task = tiny_task(network=network, optimiser="adadelta", rate=1.0, batch=1, epochs=30, **plain)
    assert train_member(task, 1, tmp_path / "checkpoint").best_accuracy == 1.0


def test_presets_are_those_of_hard_attention_but_for_the_clipping() -> None:
    for name, clip in (("default", 1.0), ("paper", 0.0)):
        soft = preset(name, 2_000, kind="soft")
        assert (soft.network.kind, soft.clip) == ("soft", clip)
        hard = replace(soft, network=replace(soft.network, kind="hard"), clip=0.0)
        assert hard == preset(name, 2_000)
        assert TrainingConfig.from_json(soft.to_json()) == soft
    assert preset("default", 2_000, kind="soft", clip=5.0).clip == 5.0


def test_always_to_copy_is_refused() -> None:
    """A row of copies could be learnt by heart without a look at the lemma."""
    with pytest.raises(StepwriteError, match="copy is always"):
        preset("default", 2_000, kind="soft", copy="always")


class Killed(Exception):
    pass


def test_resumed_training_ends_with_the_same_bits(tmp_path: Path) -> None:
    task = tiny_task(epochs=5, average=0.9)
    whole = train_member(task, 5, tmp_path / "whole")

    def kill(epoch, progress: Progress) -> None:
        if epoch.epoch in (1, 3):
            raise Killed

    for _ in range(2):
        with pytest.raises(Killed):
            train_member(task, 5, tmp_path / "pieces", on_epoch=kill)
    pieces = train_member(task, 5, tmp_path / "pieces")
    assert len(pieces.history) == 5
    assert torch.equal(pieces.weights, whole.weights)
    assert torch.equal(pieces.average, whole.average)
    assert all(torch.equal(pieces.best[name], whole.best[name]) for name in whole.best)


# A trained model, as a user meets it.


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """It adds -ed for V;PST and -s for N;PL; two members."""
    path = tmp_path_factory.mktemp("models") / "soft"
    train_model(path, kind="soft")
    return path


@pytest.fixture(scope="module")
def inflector(folder: Path) -> Inflector:
    return load(folder)


def test_inflects(inflector: Inflector) -> None:
    prediction = inflector("tagen", "V;PST")
    assert (prediction.form, prediction.votes, prediction.attention) == ("tagened", 2, None)
    assert Step() not in prediction.actions
    several = inflector("tagen", "V;PST", n_best=3)
    assert several.form == "tagened"
    assert len(several.alternatives) == 2
    assert several.score >= prediction.score - 1e-6


def test_ignores_features_that_it_never_saw(folder: Path) -> None:
    inflector = load(folder, unknown_features="ignore")
    with pytest.warns(UnknownFeatureWarning):
        assert inflector("tagen", "V;PST;XYZ").form == "tagened"


@pytest.mark.parametrize("n_best", [1, 3])
def test_attention_on_request(inflector: Inflector, n_best: int) -> None:
    pairs = [("tagen", "V;PST"), ("ßo", "N;PL"), ("merodig", "N;PL")]
    plain = inflector.batch(pairs, n_best=n_best)
    predictions = inflector.batch(pairs, n_best=n_best, attention=True)
    assert [replace(p, attention=None) for p in predictions] == plain
    for prediction in predictions:
        weights = np.array(prediction.attention)
        assert weights.shape == (len(prediction.actions), len(prediction.lemma) + 2)
        np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-5)
        assert weights.argmax(axis=1).tolist() == list(prediction.positions)
        assert (weights.max(axis=1) > 0.5).mean() > 0.6  # it knows where to look


def test_unseen_symbols_survive(inflector: Inflector) -> None:
    """Wherever they stand; what is learnt, not given, need not be without a mistake."""
    letters = random.Random(5)
    words = []
    for _ in range(100):
        stem = letters.choices("abdeghiklmnoprtu", k=letters.randint(3, 6))
        stem[letters.randrange(len(stem))] = "ß"
        words.append("".join(stem))
    found = inflector.batch([(word, "V;PST") for word in words])
    assert sum(p.form == p.lemma + "ed" for p in found) >= 85


def test_explain(stepwrite, folder: Path) -> None:
    ran = stepwrite("inflect", str(folder), "--explain", "tag", "V;PST")
    assert ran.code == 0
    title, heading, *rows = ran.out.splitlines()
    assert title.startswith("tag + V;PST -> taged   probability 0.")
    assert heading.split() == ["attended", "weight", "action", "written"]
    cells = [row.split() for row in rows if row]
    assert [row[2] for row in cells] == [f"write({symbol})" for symbol in "taged"] + ["end"]
    assert all(0 < float(row[1]) <= 1 for row in cells)
    assert (cells[0][0], cells[4][3]) == ("t", "taged")
    columns = {row.index("write(") for row in rows[:5]}
    assert columns == {heading.index("action")}


def test_info_and_card(stepwrite, folder: Path) -> None:
    assert "soft attention, 1 layer(s) of 24" in stepwrite("info", str(folder)).out
    assert "with soft attention" in (folder / "README.md").read_text()


def test_evaluate(stepwrite, folder: Path, tmp_path: Path) -> None:
    test = tmp_path / "test.tsv"
    test.write_text("tagen\ttagened\tV;PST\nmerod\tmerods\tN;PL\nmerod\twrong\tN;PL\n")
    ran = stepwrite("evaluate", str(folder), str(test), "--format", "json")
    assert ran.code == 0
    assert json.loads(ran.out)["scores"]["exact_match"]["value"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(("ours", "theirs"), [("soft", "hard"), ("hard", "soft")])
def test_weights_of_the_other_attention(
    random_model: MakeModel, tmp_path: Path, ours: str, theirs: str
) -> None:
    model = random_model(kind=ours)
    save_model(tmp_path / "whole", model, "", "")
    assert load_model(tmp_path / "whole").network == model.network
    network = replace(model.network, kind=theirs)
    save_model(tmp_path / "mixed", replace(model, network=network), "", "")
    with pytest.raises(ModelError, match="do not fit"):
        load_model(tmp_path / "mixed")


def test_train_from_the_command_line(stepwrite, tmp_path: Path) -> None:
    train = tmp_path / "train.tsv"
    train.write_text("".join(f"{s}\t{s}ed\tV;PST\n" for s in STEMS))
    sizes = ("--hidden", "8", "--embedding", "4", "--epochs", "2", "--jobs", "1", "--folds", "0")
    out = tmp_path / "model"
    ran = stepwrite("train", str(train), "--out", str(out), "--model", "soft", *sizes)
    assert ran.code == 0, ran.err
    assert "soft attention" in ran.err
    assert load_model(out).network.kind == "soft"
