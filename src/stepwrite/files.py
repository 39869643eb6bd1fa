"""Atomic writes, bounded reads and folder locks."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any, TextIO, cast

from stepwrite.errors import DataError, StepwriteError

TEMPORARY = re.compile(r"\..+\.[a-z0-9_]{8}")  # names that `tempfile` makes of ".NAME."


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
        _make_public(temporary, 0o666)
        temporary.replace(target)
        temporary = None
        sync_folder(target.parent)
    except OSError as error:
        raise DataError(f"can't be written: {error.strerror}", path=str(path)) from None
    finally:
        if temporary:
            with suppress(OSError):  # a disk that fails must not hide the error
                temporary.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A new folder that appears under its name only if the block ends without an error."""
    from tempfile import mkdtemp

    temporary = None
    try:
        temporary = Path(mkdtemp(dir=path.parent, prefix=f".{path.name}."))
        yield temporary
        _make_public(temporary, 0o777)
        temporary.rename(path)
        temporary = None
        sync_folder(path.parent)
    except OSError as error:
        raise DataError(f"can't be written: {error.strerror}", path=str(path)) from None
    finally:
        if temporary:
            _remove(temporary)


def _make_public(temporary: Path, mode: int) -> None:
    """Give what `tempfile` made private the permissions of a normal new file or folder."""
    umask = os.umask(0)
    os.umask(umask)
    temporary.chmod(mode & ~umask)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a binary file whole."""
    with write_whole(path) as file:
        cast(TextIO, file).buffer.write(content)


def sync_folder(folder: Path) -> None:
    """Have the names of a folder's files on the disk: a rename alone may be lost in a power cut."""
    if os.name != "nt":  # Windows can't open folders
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def read_bounded(path: Path, largest: int) -> bytes:
    """The content of a regular file, opened once.

    Pipes and devices, which may never end, and files of more than `largest` bytes are refused
    before anything is read.
    """
    try:
        # Without waiting for somebody to write to a pipe; Windows tells text from bytes here.
        flags = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(path, os.O_RDONLY | flags), "rb") as file:
            entry = os.fstat(file.fileno())
            if not stat.S_ISREG(entry.st_mode):
                raise DataError("can't be read: not a regular file", path=str(path))
            if entry.st_size > largest:
                raise DataError(f"larger than {largest} bytes", path=str(path))
            return file.read(entry.st_size)
    except OSError as error:
        raise DataError(f"can't be read: {error.strerror}", path=str(path)) from None


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Lock a folder, created if necessary, against other processes until the block ends.

    The system releases the lock with the process, however that ends. Folders that were created
    and are still empty when the block fails are removed.
    """
    created = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        release = lock(folder)
    except BlockingIOError:
        raise StepwriteError(f"{folder}: another process is using it") from None
    except OSError as error:
        _remove_empty(created)
        raise DataError(f"can't be created: {error.strerror}", path=str(folder)) from None
    try:
        yield
    except BaseException:
        _remove_empty(created)
        raise
    finally:
        release()


def _remove_empty(folders: Iterable[Path]) -> None:
    with suppress(OSError):
        for folder in folders:
            folder.rmdir()


def lock(folder: Path) -> Callable[[], None]:
    """Lock a folder, or raise `BlockingIOError`; returns what unlocks it."""
    try:
        import fcntl
    except ModuleNotFoundError:
        return lock_beside(folder)
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(handle), folder.stat()):
            raise BlockingIOError  # removed, and perhaps made again, by the one that held it
    except (BlockingIOError, FileNotFoundError):
        os.close(handle)
        raise BlockingIOError from None
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


def is_temporary(path: Path) -> bool:
    """Whether a file or folder has the name of one that was not finished."""
    return TEMPORARY.fullmatch(path.name) is not None


def sweep(folder: Path) -> None:
    """Remove temporary files and folders left in a folder by processes killed while writing."""
    for path in filter(is_temporary, folder.iterdir() if folder.is_dir() else ()):
        if path.is_dir() and not path.is_symlink():
            _remove(path)
        else:
            path.unlink(missing_ok=True)


def remove_folder(path: Path) -> None:
    """Remove a folder; killed in the middle, it leaves only what `sweep` removes."""
    from uuid import uuid4

    temporary = path.with_name(f".{path.name}.{uuid4().hex[:8]}")
    try:
        path.rename(temporary)
    except OSError as error:
        raise DataError(f"can't be removed: {error.strerror}", path=str(path)) from None
    _remove(temporary)


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
