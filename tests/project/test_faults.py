"""Some of the faults and of the hostile input that `make faults` and `make fuzz` try."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(module: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", module, *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
@pytest.mark.skipif(sys.platform != "linux", reason="needs LD_PRELOAD and /proc")
def test_faults_lose_nothing(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    ran = run("scripts.faults", "--every", 29, "--out", tmp_path / "figures.json")
    assert ran.returncode == 0, ran.stderr
    figures = json.loads((tmp_path / "figures.json").read_text())
    for command in ("train", "reproduce", "data get"):
        assert figures[command]["failures"] == 0
        assert figures[command]["faults"] >= 3


@pytest.mark.parametrize(("target", "count"), [("rows", 5_000), ("model_directories", 200)])
def test_hostile_input_ends_in_clear_errors(target: str, count: int, tmp_path: Path) -> None:
    ran = run("scripts.fuzz", target, "--count", count, "--seed", 3, "--out", tmp_path / "f.json")
    assert ran.returncode == 0, ran.stderr
    assert ", 0 failures" in ran.stdout
    figures = json.loads((tmp_path / "f.json").read_text())[target]
    assert figures["tried"] >= count
