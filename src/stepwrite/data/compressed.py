"""Files compressed with gzip or Zstandard, recognised by their names: .gz and .zst."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from stepwrite.errors import DataError, require

PIECE = 1 << 14  # compressed bytes read at once, so that little memory holds what comes out


@contextmanager
def open_binary(path: str | Path) -> Iterator[IO[bytes]]:
    """A file's content, decompressed; reading damaged data in the block is a `DataError`."""
    name = Path(path).suffix.lower()
    if name not in (".gz", ".zst"):
        with Path(path).open("rb") as file:
            yield file
        return
    damages: tuple[type[Exception], ...] = (EOFError, zlib.error, gzip.BadGzipFile)
    if name == ".zst":
        damages += (_zstandard().ZstdError,)
    try:
        with Path(path).open("rb") as raw:
            yield io.BufferedReader(gzip.GzipFile(fileobj=raw) if name == ".gz" else _ZstdFile(raw))
    except damages:
        raise DataError(f"damaged, cut short or not a {name} file", path=str(path)) from None


def compressor(path: str | Path) -> Callable[[bytes], bytes]:
    """Makes bytes a part of a file with that name; the parts of a file are simply joined.

    >>> compressor("words.tsv")(b"plain")
    b'plain'
    """
    match Path(path).suffix.lower():
        case ".gz":
            return lambda content: gzip.compress(content, 6, mtime=0)
        case ".zst":
            compress: Callable[[bytes], bytes] = _zstandard().ZstdCompressor().compress
            return compress
    return lambda content: content


def _zstandard() -> Any:
    return require("zstandard", extra="zstd", purpose="a .zst file")


class _ZstdFile(io.RawIOBase):
    """Frame after frame of a Zstandard file; a cut frame is an `EOFError`, unlike zstandard's."""

    def __init__(self, file: IO[bytes]) -> None:
        self._pieces = self._decompressed(file)
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._left = piece
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size

    @staticmethod
    def _decompressed(file: IO[bytes]) -> Iterator[bytes]:
        frames = _zstandard().ZstdDecompressor()
        frame = None
        while piece := file.read(PIECE):
            while piece:
                frame = frame or frames.decompressobj()
                yield frame.decompress(piece)
                piece = frame.unused_data
                frame = None if frame.eof else frame
        if frame:
            raise EOFError
