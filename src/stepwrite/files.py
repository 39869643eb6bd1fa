"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from stepwrite.errors import DataError, StepwriteError


@contextmanager
def write_whole(path: str | Path) -> Iterator[IO[str]]:
    """A text file that appears under its name only when the block ends without an error.

    An `OSError` in the block is taken for a failure to write it: those who read files turn
    theirs into `DataError`.
    """
    target = Path(path).resolve()  # a link stays a link
    temporary = None
    try:
        if Path(path).exists() and not (target.is_file() or target.is_dir()):
            # /dev/null, a terminal, a pipe: to be written to, never to be replaced by a file.
            with Path(path).open("w", encoding="utf-8", newline="") as file:
                yield file
            return
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        temporary = Path(name)
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes files private; give this one the permissions any new file gets.
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        temporary.replace(target)
    except OSError as error:
        raise DataError(f"can't be written: {error.strerror}", path=str(path)) from None
    finally:
        if temporary:
            temporary.unlink(missing_ok=True)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold a folder against other processes that would hold it, until the block ends.

    A process that is killed lets go of it: no lock file is left behind.
    """
    import fcntl  # not on every system, and only those who train need it

    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise StepwriteError(f"{folder}: another process is at work on it") from None
    finally:
        os.close(handle)


def sweep(folder: Path) -> None:
    """Remove what processes that were killed while they wrote left in a folder."""
    for path in folder.glob(".*.????????"):
        path.unlink(missing_ok=True)
