"""The rows of a file, gone through twice in constant memory: to check them, and to inflect them.

So a bad row near the end of a large file is reported before hours of work, and nothing is written
for a file that can't be inflected as a whole. What can be read only once, like standard input, is
kept in a temporary file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from stepwrite.bulk.chunks import CHUNK, chunks_of
from stepwrite.data.examples import Example, ExampleFile, Layout
from stepwrite.errors import DataError, FeatureError, StepwriteError

Chunk = list[Example]


@dataclass(frozen=True)
class Rows:
    """The checked rows of a file. read: starts to read them again."""

    path: str
    layout: Layout
    n_rows: int
    read: Callable[[], Iterator[Example]]

    def chunks(self, skipped: int) -> Iterator[Chunk]:
        """The rows after the first `skipped`, in chunks."""
        n_read = skipped
        for chunk in chunks_of(islice(self.read(), skipped, None), CHUNK):
            n_read += len(chunk)
            yield chunk
        if n_read != self.n_rows:
            problem = f"changed while it was being read: it had {self.n_rows} rows, now {n_read}"
            raise DataError(problem, path=self.path)


@contextmanager
def checked_rows(
    path: str,
    open_file: Callable[[Layout | None], ExampleFile],
    check: Callable[[Example], object],
    progress: Callable[[int, int | None], None],
) -> Iterator[Rows]:
    """Check all rows of a file; a bad one raises, or is skipped, as `open_file` has it.

    open_file: opens the file, with the layout that was detected the first time. check: raises an
    error if a row can't be inflected.
    """
    source = open_file(None)
    if Path(path).is_file():
        n_rows = sum(map(len, _followed(source, check, progress)))
        yield Rows(source.path, source.layout, n_rows, lambda: iter(open_file(source.layout)))
        return
    with TemporaryFile() as file:
        n_rows = 0
        for chunk in _followed(source, check, progress):
            file.write(json.dumps(chunk).encode() + b"\n")
            n_rows += len(chunk)
        yield Rows(source.path, source.layout, n_rows, lambda: _kept(file))


def _followed(
    source: ExampleFile,
    check: Callable[[Example], object],
    progress: Callable[[int, int | None], None],
) -> Iterator[Chunk]:
    n_checked = 0
    for chunk in chunks_of(source, CHUNK):
        for number, example in enumerate(chunk, n_checked + 1):
            check_row(check, example, source.path, number)
        n_checked += len(chunk)
        yield chunk
        progress(source.n_rows, None)


def check_row(check: Callable[[Example], object], example: Example, path: str, number: int) -> None:
    """Check a row; an error names it."""
    try:
        check(example)
    except StepwriteError as error:
        hint = " (to go on: --unknown-features ignore)" if isinstance(error, FeatureError) else ""
        raise type(error)(f"{path}, row {number}: {error}{hint}") from None


def _kept(file: IO[bytes]) -> Iterator[Example]:
    file.seek(0)
    for line in file:
        yield from map(Example._make, json.loads(line))
