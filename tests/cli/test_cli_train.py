"""The options of `stepwrite train`."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from stepwrite.cli.train import train
from stepwrite.errors import StepwriteError
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.training.config import TrainingConfig, preset


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--epochs", "50", "--members", "5"], "--members, --epochs"),
        (["train.tsv", "--dev", "dev.tsv"], "TRAIN, --dev"),
        (["--members", "1", "--jobs", "2"], "--members"),  # though 1 is the default
        (["--lexicon", "--columns", "lemma,form"], "--lexicon, --columns"),
    ],
)
def test_resume_refuses_what_it_would_ignore(
    stepwrite, tmp_path: Path, arguments: list[str], named: str
) -> None:
    ran = stepwrite("train", *arguments, "--resume", str(tmp_path))
    assert ran.code == 2
    assert f"--resume takes no {named}: the run's own are used" in ran.err


def test_resume_takes_jobs(stepwrite, tmp_path: Path) -> None:
    ran = stepwrite("train", "--resume", str(tmp_path), "--jobs", "2")
    assert ran == (1, "", f"stepwrite: {tmp_path}: no training to resume\n")


def test_every_setting_has_an_option() -> None:
    settings = {field.name for kind in (TrainingConfig, NetworkConfig) for field in fields(kind)}
    settings -= {"preset", "network", "kind"}  # `kind` is `--model`
    options = {option for parameter in train.params for option in parameter.opts}
    assert {f"--{name.replace('_', '-')}" for name in settings} <= options


def test_an_optimiser_brings_its_own_rate() -> None:
    adam, adadelta = (preset("default", 5_000, optimiser=name) for name in ("adam", "adadelta"))
    assert adam == preset("default", 5_000)
    assert (adadelta.optimiser, adadelta.rate) == ("adadelta", 1.0)
    assert preset("paper", 5_000, optimiser="adam").rate == adam.rate
    assert preset("paper", 5_000, optimiser="adam", rate=0.1).rate == 0.1


@pytest.mark.parametrize("name", ["optimiser", "copy"])
def test_unknown_choices_are_rejected(name: str) -> None:
    with pytest.raises(StepwriteError, match=f"unknown {name} 'foo': use "):
        preset("default", 5_000, **{name: "foo"})
