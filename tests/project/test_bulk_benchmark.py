"""The benchmark of large files, on a small one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="not on Windows")

from benchmarks.bulk import ROOT, family, made_up, memory

from stepwrite import read

WORDS = str(ROOT / "examples/german-nouns/unseen.tsv")


def test_rows_are_made_up() -> None:
    rows, real = list(made_up(WORDS, 2000)), read(WORDS)
    assert len({lemma for lemma, _ in rows} - {row.lemma for row in real}) > 1900
    assert {features for _, features in rows} <= {row.features for row in real}
    assert rows == list(made_up(WORDS, 2000))


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="Linux alone has it")
def test_figures_are_written(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "60"]) as child:
        parent = Path("/proc/self").resolve().name
        assert {int(parent), child.pid} <= set(family(int(parent)))
        assert 0 < memory(child.pid) < memory(int(parent))
        child.kill()
    command = [sys.executable, "-m", "benchmarks.bulk", "--rows", "60", "--few", "20"]
    subprocess.run([*command, "--out", str(tmp_path)], check=True, cwd=ROOT)
    found = json.loads((tmp_path / "bulk.json").read_text("utf-8"))
    assert [found[name]["rows"] for name in ("greedy", "n_best", "1", "2")] == [20, 20, 60, 60]
    assert all(found[name]["memory"] > 10_000_000 for name in ("1", "2"))
    assert "| 60 rows, 2 jobs: rows/s |" in (tmp_path / "bulk.md").read_text("utf-8")
