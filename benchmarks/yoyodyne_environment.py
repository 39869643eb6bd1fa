"""A separate virtual environment for Yoyodyne, whose dependencies differ from ours."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("requirements-yoyodyne.txt")


def make(folder: Path) -> Path:
    """Its Python; installs (about 1.2 GB) unless these requirements are already installed."""
    python = folder / "bin" / "python"
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    ready = folder / "requirements.sha256"
    if ready.exists() and ready.read_text() == wanted:
        return python
    print("installing Yoyodyne ...", file=sys.stderr)
    venv.create(folder, clear=True, with_pip=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # Torch with its dependencies, at the pinned versions; the rest exactly as listed.
    for choice in (["torch", "--constraint"], ["--no-deps", "--requirement"]):
        arguments = [*choice, str(REQUIREMENTS)]
        if subprocess.run([*pip, *arguments], check=False).returncode:
            raise SystemExit(f"{folder}: Yoyodyne can't be installed; use --no-yoyodyne")
    ready.write_text(wanted)
    return python


def version() -> str:
    """The pinned version."""
    lines = REQUIREMENTS.read_text().splitlines()
    return next(line for line in lines if line.startswith("yoyodyne==")).removeprefix("yoyodyne==")
