"""Downloading data: a file appears under its name only when it is complete and verified.

What has arrived so far is kept beside it in a `.part` file, from which the next attempt resumes,
within one run or after a killed one.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import IO, NamedTuple
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from stepwrite import __version__
from stepwrite.errors import DataError, StepwriteError, shown
from stepwrite.experiments.definition import DataFile
from stepwrite.files import sync_folder

PIECE_SIZE = 1 << 16
TIMEOUT = 30.0
WAITS = (0.5, 1.0, 2.0)  # seconds before the second, third, ... attempt
TRANSIENT = {408, 429, 500, 502, 503, 504}  # HTTP errors that are worth another attempt

Progress = Callable[[int, int], None]


class BrokenOff(StepwriteError):
    """An interrupted transfer, which another attempt may complete."""


class Piece(NamedTuple):
    """Bytes of a file, their offset, and the size of the file if the server gives it."""

    offset: int
    content: bytes
    size: int | None


def address(file: DataFile, base_url: str = "") -> str:
    """The address of a file: its own, or its path on a mirror; "" if unknown.

    >>> address(DataFile("celex/fold 0", "0" * 64), "http://localhost:8000")
    'http://localhost:8000/celex/fold%200'
    """
    return f"{base_url.rstrip('/')}/{quote(file.path)}" if base_url else file.url


def download(
    file: DataFile,
    folder: Path,
    base_url: str = "",
    progress: Progress = lambda done, size: None,
    waits: Sequence[float] = WAITS,
) -> None:
    """Download a file into the data folder, replacing an existing one."""
    url = address(file, base_url)
    if not url.startswith(("http://", "https://")):
        raise StepwriteError(f"{file.path}: {shown(url)} is not an http(s) address")
    target = folder / file.path
    part = target.with_name(f"{target.name}.part")
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        part.touch()
        with part.open("r+b") as content:
            resumed = _size(content) > 0
            _fetch(url, content, progress, waits)
            if resumed and _sha256(content) != file.sha256:
                # Perhaps only the part left by an earlier run is wrong: start over.
                content.truncate(0)
                _fetch(url, content, progress, waits)
            found = _sha256(content)
            os.fsync(content.fileno())
        if found != file.sha256:
            part.unlink()
            raise DataError(
                f"wrong checksum: SHA-256 {found}, expected {file.sha256}; file deleted", path=url
            )
        part.replace(target)
        sync_folder(target.parent)
    except OSError as error:  # of the disk: `_pieces` converts network errors
        raise DataError(f"can't be written: {error.strerror}", path=str(target)) from None
    finally:
        with suppress(OSError):
            if part.stat().st_size == 0:
                part.unlink()  # nothing to resume from


def _fetch(url: str, content: IO[bytes], progress: Progress, waits: Sequence[float]) -> None:
    """Append the missing bytes to `content`, in several attempts if necessary."""
    for wait in (*waits, None):
        try:
            for piece in _pieces(url, start=_size(content)):
                content.seek(piece.offset)
                content.truncate()  # a server without range requests starts from the beginning
                content.write(piece.content)
                if piece.size is not None:
                    progress(piece.offset + len(piece.content), piece.size)
            return
        except BrokenOff as error:
            if wait is None:
                raise BrokenOff(f"{error} ({len(waits) + 1} attempts)") from None
            time.sleep(wait)


def _pieces(url: str, start: int) -> Iterator[Piece]:
    """The bytes of the file from `start` on, or from 0 if the server does not support ranges."""
    headers = {"User-Agent": f"stepwrite/{__version__}"}
    if start:
        headers["Range"] = f"bytes={start}-"
    try:
        with urlopen(Request(url, headers=headers), timeout=TIMEOUT) as response:
            offset, size = _extent(response, start)
            while content := response.read(PIECE_SIZE):
                yield Piece(offset, content, size)
                offset += len(content)
    except HTTPError as error:
        error.close()
        if error.code == 416:  # nothing left after `start`; the checksum will tell if that is true
            return
        kind = BrokenOff if error.code in TRANSIENT else StepwriteError
        raise kind(f"{url}: HTTP {error.code} {error.reason}") from None
    except (OSError, HTTPException) as error:
        cause = getattr(error, "reason", error)  # URLError, an OSError, wraps the cause
        reason = getattr(cause, "strerror", None) or cause
        raise BrokenOff(f"{url}: no connection: {reason}") from None
    if size is not None and offset < size:
        raise BrokenOff(f"{url}: connection lost after {offset} of {size} bytes")


def _extent(response: HTTPResponse, start: int) -> tuple[int, int | None]:
    """The offset of the response in the file, and the size of the file."""
    ranged = response.headers.get("Content-Range", "").startswith(f"bytes {start}-")
    offset = start if response.status == 206 and ranged else 0
    return offset, None if response.length is None else offset + response.length


def _size(content: IO[bytes]) -> int:
    return content.seek(0, os.SEEK_END)


def _sha256(content: IO[bytes]) -> str:
    content.seek(0)
    return hashlib.file_digest(content, "sha256").hexdigest()  # type: ignore[arg-type]
