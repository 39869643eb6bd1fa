"""Atomic writes and folder locks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from stepwrite.errors import DataError, StepwriteError


@contextmanager
def write_whole(path: str | Path) -> Iterator[IO[str]]:
    """A text file that appears under its name only if the block ends without an error.

    An `OSError` in the block is reported as a failure to write this file: code that reads files
    raises `DataError` instead.
    """
    from tempfile import mkstemp  # takes a while to import, and inference writes nothing

    target = Path(path).resolve()  # symbolic links are kept
    temporary = None
    try:
        if Path(path).exists() and not (target.is_file() or target.is_dir()):
            # /dev/null, a terminal or a pipe must be written to, never replaced by a file.
            with Path(path).open("w", encoding="utf-8", newline="") as file:
                yield file
            return
        handle, name = mkstemp(dir=target.parent, prefix=f".{target.name}.")
        temporary = Path(name)
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes files private; give this one the permissions of a normal new file.
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
    """Lock a folder, created if necessary, against other processes until the block ends.

    The system releases the lock with the process, however that ends.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        release = lock(folder)
    except BlockingIOError:
        raise StepwriteError(f"{folder}: another process is using it") from None
    except OSError as error:
        raise DataError(f"can't be created: {error.strerror}", path=str(folder)) from None
    try:
        yield
    finally:
        release()


def lock(folder: Path) -> Callable[[], None]:
    """Lock a folder, or raise `BlockingIOError`; returns what unlocks it."""
    try:
        import fcntl
    except ModuleNotFoundError:
        return lock_beside(folder)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise
    except OSError:
        pass  # some network file systems cannot lock folders
    return lambda: os.close(handle)


def lock_beside(folder: Path) -> Callable[[], None]:
    """The same for Windows, which can lock only files: one beside the folder."""
    msvcrt: Any = import_module("msvcrt")
    path = folder.resolve()
    path = path.with_name(f".{path.name}.lock")
    handle = os.open(path, os.O_RDWR | os.O_CREAT)
    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    except OSError:
        os.close(handle)
        raise BlockingIOError from None

    def release() -> None:
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
        os.close(handle)
        with suppress(OSError):  # the next process may have opened it already
            path.unlink()

    return release


def sweep(folder: Path) -> None:
    """Remove temporary files left in a folder by processes killed while writing."""
    for path in folder.glob(".*.????????"):
        path.unlink(missing_ok=True)
