"""Build the wheel of the current commit: the same bytes whenever and wherever that is done.

    python scripts/build_wheel.py dist

It is built from the committed files alone, with the time of the commit and permissions that do not
depend on the umask. Other versions of setuptools may give other bytes.
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = "import sys; from setuptools import build_meta as b; print(b.build_wheel(sys.argv[1]))"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where to put the wheel")
    folder = parser.parse_args().folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    source = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True)
    print(build(source.stdout, folder, commit_time()))


def commit_time() -> str:
    time = ["git", "log", "-1", "--format=%ct"]
    return subprocess.run(time, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def build(source: bytes, folder: Path, time: str) -> Path:
    """Build the wheel of a tar archive, all of whose files get a time, in seconds since 1970."""
    with tempfile.TemporaryDirectory() as home:
        umask = os.umask(0o022)
        try:
            with tarfile.open(fileobj=io.BytesIO(source)) as archive:
                archive.extractall(home, filter=readable)
            environment = {**os.environ, "SOURCE_DATE_EPOCH": time}
            command = [sys.executable, "-c", BUILD, str(folder)]
            built = subprocess.run(
                command, cwd=home, env=environment, check=True, stdout=subprocess.PIPE, text=True
            )
        finally:
            os.umask(umask)
    *_, name = built.stdout.splitlines()
    return folder / name


def readable(entry: tarfile.TarInfo, path: str) -> tarfile.TarInfo | None:
    """A file as tar's own filter has it, readable by all and executable if it was."""
    entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
    return tarfile.data_filter(entry, path)


if __name__ == "__main__":
    main()
