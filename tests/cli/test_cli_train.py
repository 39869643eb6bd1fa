"""The options of `stepwrite train`."""

from __future__ import annotations

from pathlib import Path

import pytest


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
