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
    """Hold a folder, made if need be, against other processes that would, until the block ends.

    The lock is on the folder itself: nothing is left behind, whatever ends the program.
    """
    import fcntl  # not on every system, and inference needs it not

    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise DataError(f"can't be made: {error.strerror}", path=str(folder)) from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise StepwriteError(f"{folder}: another process is at work on it") from None
    except OSError:
        pass  # some network file systems lock no folders: as good as it gets
    try:
        yield
    finally:
        os.close(handle)


def sweep(folder: Path) -> None:
    """Remove what processes that were killed while they wrote left in a folder."""
    for path in folder.glob(".*.????????"):
        path.unlink(missing_ok=True)
