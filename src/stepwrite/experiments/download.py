"""Fetching data: under its own name a file is whole and right, or it is not there at all.

What has arrived so far stands beside it in a `.part` file, from which the next attempt goes on,
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

PIECE_SIZE = 1 << 16
TIMEOUT = 30.0
WAITS = (0.5, 1.0, 2.0)  # seconds before the second, third, ... attempt
PASSING = {408, 429, 500, 502, 503, 504}  # what a server says that may do better in a moment

Progress = Callable[[int, int], None]


class BrokenOff(StepwriteError):
    """A transfer that did not come to its end; another attempt may."""


class Piece(NamedTuple):
    """Bytes of a file, where they belong in it, and its whole size if the server tells."""

    offset: int
    content: bytes
    size: int | None


def address(file: DataFile, base_url: str = "") -> str:
    """Where a file is: its own address, or its path below that of a mirror; "" if unknown.

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
    """Fetch a file into the data folder; one that is there is replaced."""
    url = address(file, base_url)
    if not url.startswith(("http://", "https://")):
        raise StepwriteError(f"{file.path}: its address {shown(url)} is not one of the web")
    target = folder / file.path
    part = target.with_name(f"{target.name}.part")
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        part.touch()
        with part.open("r+b") as content:
            went_on = _size(content) > 0
            _fetch(url, content, progress, waits)
            if went_on and _sha256(content) != file.sha256:
                # Perhaps only what an earlier run has left is wrong.
                content.truncate(0)
                _fetch(url, content, progress, waits)
            found = _sha256(content)
            os.fsync(content.fileno())
        if found != file.sha256:
            part.unlink()
            raise DataError(
                f"wrong checksum: SHA-256 {found}, expected {file.sha256}; not kept", path=url
            )
        part.replace(target)
    except OSError as error:  # of the disk: `_pieces` turns those of the network into its own
        raise DataError(f"can't be written: {error.strerror}", path=str(target)) from None
    finally:
        with suppress(OSError):
            if part.stat().st_size == 0:
                part.unlink()  # nothing to go on from


def _fetch(url: str, content: IO[bytes], progress: Progress, waits: Sequence[float]) -> None:
    """Append to `content` what it lacks, in several attempts if need be."""
    for wait in (*waits, None):
        try:
            for piece in _pieces(url, start=_size(content)):
                content.seek(piece.offset)
                content.truncate()  # a server that knows no ranges begins anew
                content.write(piece.content)
                if piece.size is not None:
                    progress(piece.offset + len(piece.content), piece.size)
            return
        except BrokenOff as error:
            if wait is None:
                raise BrokenOff(f"{error} ({len(waits) + 1} attempts)") from None
            time.sleep(wait)


def _pieces(url: str, start: int) -> Iterator[Piece]:
    """The bytes of the file from `start` on, or from 0 where the server gives only all."""
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
        if error.code == 416:  # nothing is left from `start` on; the checksum says if that is so
            return
        kind = BrokenOff if error.code in PASSING else StepwriteError
        raise kind(f"{url}: HTTP {error.code} {error.reason}") from None
    except (OSError, HTTPException) as error:
        cause = getattr(error, "reason", error)  # URLError, an OSError, wraps what has happened
        reason = getattr(cause, "strerror", None) or cause
        raise BrokenOff(f"{url}: no connection: {reason}") from None
    if size is not None and offset < size:
        raise BrokenOff(f"{url}: connection lost after {offset} of {size} bytes")


def _extent(response: HTTPResponse, start: int) -> tuple[int, int | None]:
    """Where in the file the answer's bytes begin, and the file's size."""
    ranged = response.headers.get("Content-Range", "").startswith(f"bytes {start}-")
    offset = start if response.status == 206 and ranged else 0
    return offset, None if response.length is None else offset + response.length


def _size(content: IO[bytes]) -> int:
    return content.seek(0, os.SEEK_END)


def _sha256(content: IO[bytes]) -> str:
    content.seek(0)
    return hashlib.file_digest(content, "sha256").hexdigest()  # type: ignore[arg-type]
