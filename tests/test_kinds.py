"""The table of model kinds, and a kind of somebody else's, from training to explanation."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from stepwrite.errors import StepwriteError
from stepwrite.kinds import BUILT_IN, all_kinds, kind_of
from stepwrite.model.directory import load_model, save_model
from stepwrite.transducer.actions import End

MODULE = '''
"""A third kind: the hard network, trained on the mean over words instead of actions."""

from dataclasses import dataclass

import torch
from torch.nn import functional

from stepwrite.inference.hard import HardNetwork
from stepwrite.inference.shapes import hard_shapes
from stepwrite.kinds import Kind
from stepwrite.training.batches import IGNORED
from stepwrite.training.hard import HardAttention
from stepwrite.training.recipe import OracleRecipe
from stepwrite.training.sequences import step_write_sequences
from stepwrite.transducer.actions import STEP_WRITE


class ByWord(HardAttention):
    def loss(self, batch):
        targets = batch.targets.flatten()
        losses = functional.cross_entropy(
            self(batch), targets, ignore_index=IGNORED, reduction="none"
        ).view_as(batch.targets)
        return (losses.sum(0) / (batch.targets != IGNORED).sum(0)).mean()


RECIPE = OracleRecipe(ByWord, step_write_sequences)
KIND = Kind(
    name="by-word",
    title="hard attention by words",
    summary="the mean over words",
    system=STEP_WRITE,
    network=HardNetwork,
    shapes=hard_shapes,
    recipe="third_kind:RECIPE",
)
'''


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder that holds another package as pip would install it."""
    pytest.importorskip("torch")
    folder = tmp_path / "site"
    about = folder / "third_kind-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "third_kind.py").write_text(MODULE)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: third-kind\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[stepwrite.kinds]\nby-word = third_kind:KIND\n")
    return folder


def run(site: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(site), *filter(None, sys.path)])
    return subprocess.run(
        [sys.executable, "-m", "stepwrite", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_kind_from_outside_trains_inflects_and_explains(installed: Path, tmp_path: Path) -> None:
    rows = [(stem, stem + "ed", "V;PST") for stem in ("walk", "talk", "look", "cook", "jump")]
    train = tmp_path / "train.tsv"
    train.write_text("".join("\t".join(row) + "\n" for row in rows))
    sizes = ("--hidden", 40, "--embedding", 20, "--batch", 1, "--dropout", 0)
    learning = ("--epochs", 100, "--rate", 0.01, "--average", 0, "--folds", 0)
    model = tmp_path / "model"
    trained = run(
        installed, "train", train, "--out", model, "--model", "by-word", *sizes, *learning
    )
    assert trained.returncode == 0, trained.stderr
    assert "hard attention by words" in trained.stderr
    assert run(installed, "inflect", model, "walk", "V;PST").stdout == "walked\n"
    explained = run(installed, "inflect", model, "--explain", "walk", "V;PST").stdout
    assert "write(w)" in explained
    assert "hard attention by words" in run(installed, "info", model).stdout
    assert json.loads((model / "config.json").read_text())["network"]["kind"] == "by-word"
    # Where its package is not installed, the model says what it needs.
    without = run(tmp_path, "inflect", model, "walk", "V;PST")
    assert without.returncode == 1
    assert "unknown model kind 'by-word': known are edit, hard, soft" in without.stderr


def test_an_entry_point_that_is_no_kind(installed: Path, tmp_path: Path) -> None:
    points = installed / "third_kind-1.0.dist-info" / "entry_points.txt"
    points.write_text("[stepwrite.kinds]\nother-name = third_kind:KIND\n")
    ran = run(installed, "train", "--help")
    assert ran.returncode == 1
    assert "third_kind:KIND is not a Kind of that name" in ran.stderr


def test_the_table_is_consistent() -> None:
    assert set(BUILT_IN) <= set(all_kinds())
    for name, kind in BUILT_IN.items():
        assert kind.name == name == kind_of(name).name
        assert isinstance(kind.system.controls[0], End)
        pytest.importorskip("torch")
        assert kind.load_recipe()


def test_unknown_kinds(random_model: Callable[..., object], tmp_path: Path) -> None:
    with pytest.raises(StepwriteError, match="unknown model kind 'medium': known are edit, hard"):
        kind_of("medium")
    save_model(tmp_path / "model", random_model(), "", "")
    assert load_model(tmp_path / "model").network.kind == "hard"
