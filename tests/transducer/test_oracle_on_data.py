"""The oracle on files: `scripts/check_oracle.py` at work, and a sample of the benchmark data."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("numba")  # for the aligner

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_oracle.py"
needs_data = pytest.mark.skipif(
    "STEPWRITE_DATA" not in os.environ, reason="STEPWRITE_DATA is not set"
)


def check(*arguments: str, code: str = "") -> subprocess.CompletedProcess[str]:
    """Run the script, after some code if there is any."""
    run = f"{code}\nimport runpy; runpy.run_path({str(SCRIPT)!r}, run_name='__main__')"
    return subprocess.run(
        [sys.executable, "-c", run, *arguments], capture_output=True, text=True, timeout=120
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "README.md").write_text("not data")
    (tmp_path / "de").write_text("legen\tlegt\tV;PRS;3;SG\nhart\thärter\tADJ;CMPR\n", "utf-8")
    return tmp_path


def test_good_rows(folder: Path) -> None:
    ran = check(str(folder))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "2 rows  11.50 actions per row 0 failures  de\n" in ran.stdout
    assert "\n2 rows, 0 failures" in ran.stdout


FORGETFUL = """
import stepwrite.transducer.actions as actions
right = actions.oracle
actions.oracle = lambda alignment: right(alignment)[2:]
"""
STUCK = """
import stepwrite.transducer.actions as actions
right = actions.execute
def execute(lemma, done):
    execution = right(lemma, done)
    return actions.Execution(execution.form, execution.positions[::-1])
actions.execute = execute
"""


@pytest.mark.parametrize("broken", [FORGETFUL, STUCK], ids=["wrong form", "positions go back"])
def test_a_broken_oracle_is_noticed(folder: Path, broken: str) -> None:
    ran = check(str(folder), code=broken)
    assert ran.returncode == 1
    assert "\n2 rows, 2 failures" in ran.stdout
    assert "l e g e n -> l e g t" in ran.stdout


def test_a_file_that_cant_be_read_is_noticed(folder: Path) -> None:
    (folder / "broken").write_text("legen\n")
    ran = check(str(folder))
    assert ran.returncode == 1
    assert f"{folder / 'broken'}, line 1" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_no_files(tmp_path: Path) -> None:
    assert check(str(tmp_path)).returncode == 1


@needs_data
def test_sample_of_every_file() -> None:
    ran = check(os.environ["STEPWRITE_DATA"], "--every", "50")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    n_rows = int(ran.stdout.rpartition(" rows, 0 failures")[0].splitlines()[-1].replace(",", ""))
    assert n_rows > 10_000


@needs_data
def test_mean_oracle_length_of_german(tmp_path: Path) -> None:
    """At most 22.7: each action reads or writes one symbol, and none is wasted."""
    german = Path(os.environ["STEPWRITE_DATA"], "sigmorphon2016", "german-task1-train")
    (tmp_path / german.name).symlink_to(german.resolve())
    ran = check(str(tmp_path))
    [line] = [line for line in ran.stdout.splitlines() if "actions per row" in line]
    assert float(line.partition(" rows ")[2].split()[0]) <= 22.7
    assert f"aligning {german.name}: " in ran.stdout
