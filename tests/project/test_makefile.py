from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")
def test_clean_removes_compiled_kernels(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    caches = [tmp_path / "src/stepwrite/kernels/__pycache__", tmp_path / "benchmarks/__pycache__"]
    for cache in caches:
        cache.mkdir(parents=True)
        for name in ("scan.scan-12.py311.nbi", "scan.scan-12.py311.1.nbc", "scan.cpython-311.pyc"):
            (cache / name).touch()
    kept = tmp_path / "src/stepwrite/kernels/scan.py"
    kept.touch()
    subprocess.run(["make", "clean"], cwd=tmp_path, check=True, capture_output=True)
    assert kept.exists()
    assert not [cache for cache in caches if cache.exists()]
