"""The same experiment on a Ray cluster: two nodes on this machine, one of which is killed."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.tiny_experiment import make_experiment, tables

from stepwrite.cli.results import write_tables
from stepwrite.errors import StepwriteError
from stepwrite.experiments.cluster import Parcel, pack, train_away, train_on_cluster, train_parcel
from stepwrite.experiments.definition import load_experiment
from stepwrite.experiments.plan import Choice, Run, plan_runs
from stepwrite.experiments.run import Executor, carry_out, opened
from stepwrite.model.tensors import load_tensors
from stepwrite.training.folder import checkpoint_path
from stepwrite.training.kernels import precision
from stepwrite.training.workers import Unit, Update, train_unit, train_units


def plan(folder: Path, out: str) -> list[Run]:
    places = (folder / "data", folder / out / "runs", folder / out / "results")
    choice = Choice(*places, ("one",), ("hard",), "default", 2)
    return plan_runs(load_experiment(str(folder / "tiny.toml")), choice)


def reproduce(folder: Path, out: str, executor: Executor) -> list[Update]:
    runs = plan(folder, out)
    with opened(runs) as units:
        news = [item for item in carry_out(runs, units, executor) if isinstance(item, Update)]
    write_tables(load_experiment(str(folder / "tiny.toml")), folder / out / "results")
    return news


def test_a_parcel_needs_nothing_but_itself(tmp_path: Path) -> None:
    """Remote training in two parts, the second from the checkpoint sent back by the first."""
    make_experiment(tmp_path, epochs=3)
    with opened(plan(tmp_path, "home")) as [unit, _]:
        parcel = pack(unit)
        checkpoints: list[bytes] = []
        news: list[Update] = []

        def send(update: Update, checkpoint: bytes) -> None:
            if update.loss is not None:  # an epoch's end
                news.append(update)
                checkpoints.append(checkpoint)

        _, whole = train_away(parcel, send, checkpoint_seconds=0)
        assert all(checkpoints)
        assert {update.unit for update in news} == {unit}
        checkpoint_path(unit.folder, unit.member).write_bytes(checkpoints[0])
        n_before = len(news)
        end, pieces = train_away(pack(unit), send, checkpoint_seconds=3600)
        assert end.ended
        assert [update.epoch for update in news[n_before:]] == [2, 3]
        assert not any(checkpoints[n_before:])
        here = checkpoint_path(unit.folder, unit.member)
        here.unlink()
        train_unit(unit, lambda update: None)
        for content in (whole, pieces):
            (tmp_path / "away").write_bytes(content)
            assert weights(tmp_path / "away") == weights(here)


def weights(path: Path) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in load_tensors(path)[0].items()}


def test_another_version_is_refused(tmp_path: Path) -> None:
    make_experiment(tmp_path)
    with opened(plan(tmp_path, "home")) as [unit, _]:
        parcel = pack(unit)
    old = replace(parcel, stepwrite="0.0.1")
    with pytest.raises(StepwriteError, match=r"the driver has stepwrite 0\.0\.1"):
        train_parcel(old, None, 0)


def test_a_machine_without_the_plans_precision_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toml = make_experiment(tmp_path)
    text = toml.read_text("utf-8")
    toml.write_text(text.replace("hidden = 24", 'hidden = 24, precision = "bfloat16"'), "utf-8")
    with opened(plan(tmp_path, "home")) as [unit, _]:
        parcel = pack(unit)
    monkeypatch.setattr(precision, "AVAILABLE", False)
    with pytest.raises(StepwriteError, match="precision is bfloat16, but the processor of"):
        train_parcel(parcel, None, 0)


@pytest.mark.cluster
def test_a_node_is_lost_and_the_tables_are_the_same(
    tmp_path: Path, two_nodes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_experiment(tmp_path, epochs=120)
    reproduce(tmp_path, "local", lambda units: train_units(units, jobs=2))
    sent: list[Parcel] = []
    began: set[int] = set()

    def counted(unit: Unit) -> Parcel:
        sent.append(pack(unit))
        return sent[-1]

    monkeypatch.setattr("stepwrite.experiments.cluster.pack", counted)

    def executor(units):
        with closing(train_on_cluster(units, two_nodes.address, checkpoint_seconds=0)) as news:
            for update in news:
                if len(began) < 2 and update.loss is not None:
                    began.add(update.member)
                    if len(began) == 2:
                        two_nodes.remove_node(two_nodes.nodes[0], allow_graceful=False)
                yield update

    news = reproduce(tmp_path, "cluster", executor)
    assert sorted(update.member for update in news if update.ended) == [1, 2]
    # One unit was sent out again, with the latest checkpoint received.
    assert [f"member-{parcel.unit.member}.safetensors" in parcel.files for parcel in sent] == [
        False,
        False,
        True,
    ]
    assert tables(tmp_path, "cluster") == tables(tmp_path, "local")


def test_no_cluster_is_a_clear_error() -> None:
    pytest.importorskip("ray", reason="ray is not installed: pip install 'stepwrite[cluster]'")
    with pytest.raises(StepwriteError, match=r"no Ray cluster at 127\.0\.0\.1:1"):
        next(train_on_cluster([], "127.0.0.1:1"))
