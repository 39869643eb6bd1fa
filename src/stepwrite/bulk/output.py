"""An output file that is written in pieces and can be resumed after an interruption.

Until it is complete the file is called NAME.part. Beside it, NAME.part.json says how many rows and
bytes of it count, and what they were made from; it is replaced after every piece, when the piece
is on the disk. Whatever a killed process or machine leaves behind the counted bytes is cut off.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from stepwrite.errors import DataError, StepwriteError
from stepwrite.files import write_whole

Origin = Mapping[str, Any]
"""What an output is made from, as JSON: a resumed one must be made from the same."""


class Output:
    """The file under way; `n_rows` are written already."""

    def __init__(self, path: Path, part: IO[bytes], origin: Origin, n_rows: int) -> None:
        self._path, self._part, self._origin = path, part, origin
        self.n_rows = n_rows

    def append(self, content: bytes, n_rows: int) -> None:
        """Write a piece and count it once it is safe."""
        self._part.write(content)
        self._part.flush()
        os.fsync(self._part.fileno())
        self.n_rows += n_rows
        self._count()

    def _count(self) -> None:
        progress = {"rows": self.n_rows, "bytes": self._part.tell(), "origin": dict(self._origin)}
        with write_whole(journal_of(self._path)) as file:
            json.dump(progress, file, ensure_ascii=False)


def part_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")


def journal_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.part.json")


def is_complete(path: Path) -> bool:
    return path.exists() and not part_of(path).exists()


@contextmanager
def open_output(path: Path, origin: Origin, *, resume: bool) -> Iterator[Output]:
    """The output of that name, which it gets when the block ends without an error."""
    path = path.resolve()  # symbolic links are kept
    if path.exists() and not path.is_file():
        raise StepwriteError(f"{path}: not a regular file; without --out, stdout is written to")
    part, journal = part_of(path), journal_of(path)
    if not resume and journal.exists():
        raise StepwriteError(
            f"{part}: an earlier run was interrupted: add --resume, or delete it and {journal.name}"
        )
    n_rows, n_bytes = _counted(journal, part, origin) if journal.exists() else (0, 0)
    try:
        with part.open("r+b" if n_bytes else "wb") as file:
            file.truncate(n_bytes)
            file.seek(n_bytes)
            output = Output(path, file, origin, n_rows)
            yield output
        part.replace(path)
        journal.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"can't be written: {error.strerror}", path=str(part)) from None
    finally:
        if not journal.exists():
            part.unlink(missing_ok=True)  # nothing of it counts


def _counted(journal: Path, part: Path, origin: Origin) -> tuple[int, int]:
    """The rows and bytes of a part that count."""
    advice = f"delete it and {part.name} to start again"
    try:
        progress = json.loads(journal.read_text("utf-8"))
        n_rows, n_bytes, before = progress["rows"], progress["bytes"], progress["origin"]
        size = part.stat().st_size
    except (OSError, ValueError, KeyError, TypeError):
        raise StepwriteError(f"{journal}: can't be resumed: {advice}") from None
    if type(n_rows) is not int or type(n_bytes) is not int or not 0 <= n_bytes <= size:
        raise StepwriteError(f"{journal}: does not fit to {part.name}: {advice}")
    if before != dict(origin):
        changed = sorted(name for name in origin if before.get(name) != origin[name])
        raise StepwriteError(f"{journal}: made with another {', '.join(changed)}: {advice}")
    return n_rows, n_bytes
