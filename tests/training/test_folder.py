"""Run folders: starts that fail, damaged files, divergence, older runs."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from safetensors.numpy import save_file

import stepwrite
from stepwrite import Example
from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import StepwriteError
from stepwrite.files import held
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.model.directory import load_model
from stepwrite.training import folder as run
from stepwrite.training.assembly import assemble
from stepwrite.training.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from stepwrite.training.config import TrainingConfig
from stepwrite.training.workers import Unit, train_unit, unfinished

ROWS = [Example(stem, "V;PST", f"{stem}ed") for stem in ("walk", "talk", "jump", "look", "help")]
NETWORK = NetworkConfig(layers=1, hidden=8, embedding=6, feature_embedding=3)


def plan(**changes) -> run.Plan:
    settings = {"network": NETWORK, "epochs": 4, "average": 0.9} | changes
    return run.Plan(TrainingConfig("tiny", **settings), Segmentation(), 1, 1, "train.tsv", "dev")


def train(folder: Path, stop_after: int = 0) -> None:
    """Train the first member here, to its end or so many epochs."""

    class Stopped(Exception):
        pass

    def report(update) -> None:
        if update.loss is not None and update.epoch == stop_after:
            raise Stopped

    if stop_after:
        with pytest.raises(Stopped):
            train_unit(Unit(folder, 1), report)
    else:
        train_unit(Unit(folder, 1), report)


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run after two of four epochs, not to be changed."""
    from stepwrite.training import loop

    folder = tmp_path_factory.mktemp("runs") / "run"
    run.create(folder, plan(), ROWS, ROWS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "BETWEEN_CHECKPOINTS", 0)
        patch.setattr(loop, "CHECKPOINT_COST", 1e9)
        train(folder, stop_after=2)
    return folder


@pytest.fixture
def begun(interrupted: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(interrupted, tmp_path / "run"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model of the same run, never interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    run.create(folder, plan(), ROWS, ROWS)
    train(folder)
    assemble(folder)
    return folder


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("out", ["model", "new/folder/model"])
def test_a_start_that_fails_leaves_nothing_behind(
    tmp_path: Path, stepwrite: Callable[..., tuple[int, str, str]], out: str
) -> None:
    """A lone carriage return at the end of a row can't be written to the run's own copy."""
    source = tmp_path / "train.tsv"
    source.write_bytes(b"a\tN;SG\tb\r\r\n")
    ran = stepwrite("train", str(source), "--out", str(tmp_path / out))
    assert ran[0] == 1
    assert "line break" in ran[2]
    assert names(tmp_path) == {"train.tsv"}


def test_an_empty_folder_stays_when_a_start_fails(tmp_path: Path) -> None:
    out = tmp_path / "model"
    out.mkdir()
    with pytest.raises(StepwriteError, match="line break"):
        stepwrite.train([Example("a", "N", "b\n")], out=out)
    assert names(out) == set()


def test_remnants_of_a_killed_start_are_replaced(tmp_path: Path) -> None:
    (tmp_path / ".training.ab12cd_4").mkdir()
    (tmp_path / ".training.ab12cd_4" / "train.tsv").write_text("half a")
    run.create(tmp_path, plan(), ROWS, ROWS)
    assert names(tmp_path) == {"training"}
    assert names(tmp_path / "training") == {"plan.json", "train.tsv", "dev.tsv"}


def test_a_folder_called_training_is_not_taken_for_a_remnant(tmp_path: Path) -> None:
    """It may hold the user's own data."""
    (tmp_path / "training").mkdir()
    (tmp_path / "training" / "train.tsv").write_text("mine")
    with pytest.raises(StepwriteError, match="exists"):
        run.create(tmp_path, plan(), ROWS, ROWS)
    with pytest.raises(StepwriteError, match="no training to resume"):
        stepwrite.train(resume=tmp_path)
    assert (tmp_path / "training" / "train.tsv").read_text() == "mine"


def test_one_process_at_a_time(begun: Path, tmp_path: Path) -> None:
    with held(begun), pytest.raises(StepwriteError, match="run: another process is using it"):
        stepwrite.train(resume=begun)
    new = tmp_path / "new"
    with held(new), pytest.raises(StepwriteError, match="new: another process is using it"):
        stepwrite.train(ROWS, out=new, epochs=1)
    assert names(new) == set()


def use_everything(folder: Path) -> None:
    """All that a resumed run reads."""
    with run.resumed(folder) as found:
        run.prepare(folder, 1)
        unfinished(folder, found)


@pytest.mark.parametrize("name", ["plan.json", "train.tsv", "dev.tsv", "member-1.safetensors"])
def test_a_flipped_bit_or_a_cut_file_is_an_error(begun: Path, name: str) -> None:
    path = begun / "training" / name
    content = path.read_bytes()
    chance = random.Random(name)
    # Most bits of a checkpoint are weights: its header is as interesting.
    places = [chance.randrange(len(content)) for _ in range(60)]
    places += [chance.randrange(min(len(content), 1500)) for _ in range(60)]
    damaged = [
        content[:place] + bytes([content[place] ^ 1 << chance.randrange(8)]) + content[place + 1 :]
        for place in places
    ]
    # Without its last line break a table has the same rows.
    damaged += [content[:place] for place in (0, 1, 8, len(content) // 2, len(content) - 2)]
    for wrong in damaged:
        path.write_bytes(wrong)
        with pytest.raises(StepwriteError) as caught:
            use_everything(begun)
        assert str(path) in str(caught.value)
        assert "delete" in str(caught.value)
        assert len(str(caught.value).splitlines()) == 1
    path.unlink()
    if name != "member-1.safetensors":  # without it the member starts again
        with pytest.raises(StepwriteError):
            use_everything(begun)
    path.write_bytes(content)
    use_everything(begun)


def test_a_run_without_checksums_resumes_to_the_same_weights(begun: Path, whole: Path) -> None:
    """As versions before 0.3 wrote them."""
    path = run.checkpoint_path(begun, 1)
    checkpoint = read_checkpoint(path)
    notes = {"history": json.dumps(checkpoint.history), "best_epoch": str(checkpoint.best_epoch)}
    save_file(dict(checkpoint.tensors), path, metadata=notes)
    written = json.loads(run.plan_path(begun).read_text("utf-8"))
    del written["checksum"], written["rows"], written["others"]
    run.plan_path(begun).write_text(json.dumps(written), "utf-8")
    train(begun)
    assemble(begun)
    for name in ("member-1.safetensors", "vocabulary.json", "cells.json.gz"):
        assert (begun / name).read_bytes() == (whole / name).read_bytes()
    assert names(begun) == names(whole)


def test_a_member_without_its_checkpoint_starts_again(begun: Path, whole: Path) -> None:
    run.checkpoint_path(begun, 1).unlink()
    train(begun)
    assemble(begun)
    weights = "member-1.safetensors"
    assert (begun / weights).read_bytes() == (whole / weights).read_bytes()


def test_checkpoints_hold_what_they_were_given(tmp_path: Path, begun: Path) -> None:
    checkpoint = read_checkpoint(run.checkpoint_path(begun, 1))
    assert (len(checkpoint.history), checkpoint.stopped) == (2, "")
    assert {"weights", "average", "best/output", "optimiser/step"} <= checkpoint.tensors.keys()
    changed = Checkpoint(checkpoint.tensors, checkpoint.history, 1, 'odd "sha256":"0"')
    write_checkpoint(tmp_path / "other", changed)
    found = read_checkpoint(tmp_path / "other")
    assert (found.best_epoch, found.stopped) == (1, 'odd "sha256":"0"')


def test_epochs_that_take_no_time_share_a_checkpoint(tmp_path: Path, whole: Path) -> None:
    """The first is written, and the last; in between, training resumes from the first."""
    folder = tmp_path / "run"
    run.create(folder, plan(), ROWS, ROWS)
    train(folder, stop_after=3)
    assert len(read_checkpoint(run.checkpoint_path(folder, 1)).history) < 3
    train(folder)
    assert len(read_checkpoint(run.checkpoint_path(folder, 1)).history) == 4
    assemble(folder)
    weights = "member-1.safetensors"
    assert (folder / weights).read_bytes() == (whole / weights).read_bytes()


def diverge_at(monkeypatch: pytest.MonkeyPatch, epoch: int, loss: float) -> None:
    from stepwrite.training import loop

    run_epoch = loop.run_epoch

    def diverging(*arguments):
        number = arguments[5]
        return loss if number == epoch else run_epoch(*arguments)

    monkeypatch.setattr(loop, "run_epoch", diverging)


@pytest.mark.parametrize("loss", [float("nan"), float("inf")])
def test_divergence_keeps_the_last_good_epoch(
    begun: Path, monkeypatch: pytest.MonkeyPatch, loss: float
) -> None:
    diverge_at(monkeypatch, 4, loss)
    with pytest.raises(StepwriteError) as caught:
        train(begun)
    message = str(caught.value)
    assert message.startswith(f"{begun}: member 1: training diverged in epoch 4 (loss {loss})")
    assert "lower --rate (it is 0.002) or with --clip 1" in message
    assert message.endswith(f"with: stepwrite train --resume {begun}")
    checkpoint = read_checkpoint(run.checkpoint_path(begun, 1))
    assert len(checkpoint.history) == 3
    assert unfinished(begun, run.read_plan(begun)) == []
    model = stepwrite.train(resume=begun, progress=False).model
    assert model.about.members[0].epochs == 3
    load_model(begun)


def test_divergence_at_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run"
    run.create(folder, plan(), ROWS, ROWS)
    diverge_at(monkeypatch, 1, float("nan"))
    with pytest.raises(StepwriteError, match=r"diverged in epoch 1 \(loss nan\); .*--clip 1$"):
        train(folder)
    assert not run.checkpoint_path(folder, 1).exists()


def test_a_rate_that_is_far_too_high_diverges(
    tmp_path: Path, stepwrite: Callable[..., tuple[int, str, str]]
) -> None:
    source = tmp_path / "train.tsv"
    source.write_text("".join("\t".join(row) + "\n" for row in ROWS))
    sizes = ("--hidden", "8", "--embedding", "6", "--epochs", "9", "--rate", "1e38", "--jobs", "1")
    ran = stepwrite("train", str(source), "--out", str(tmp_path / "model"), *sizes, "--clip", "0")
    assert ran[0] == 1
    assert "training diverged in epoch" in ran[2]
    assert "Traceback" not in ran[2]
    assert not (tmp_path / "model" / "config.json").exists()
