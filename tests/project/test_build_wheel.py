"""The wheel has the same bytes whenever and wherever it is built."""

from __future__ import annotations

import io
import os
import sys
import tarfile
from pathlib import Path

import pytest

pytest.importorskip("setuptools")

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import build_wheel  # noqa: E402


def archive(mode: int, time: int) -> bytes:
    """The package's sources, as different machines would have them."""

    def entry(info: tarfile.TarInfo) -> tarfile.TarInfo | None:
        if "__pycache__" in info.name or ".egg-info" in info.name:
            return None
        info.mtime = time
        info.mode = 0o777 if info.isdir() else mode
        return info

    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as file:
        for name in ("pyproject.toml", "README.md", "LICENSE", "src"):
            file.add(ROOT / name, name, filter=entry)
    return content.getvalue()


@pytest.mark.slow
def test_the_same_bytes_twice(tmp_path: Path) -> None:
    wheels = []
    for mode, time, umask in ((0o644, 1_700_000_000, 0o022), (0o600, 1_800_000_000, 0o077)):
        folder = tmp_path / str(time)
        folder.mkdir()
        old = os.umask(umask)
        try:
            wheels.append(build_wheel.build(archive(mode, time), folder, "1750000000"))
        finally:
            os.umask(old)
    first, second = wheels
    assert first.name == second.name
    assert first.read_bytes() == second.read_bytes()
