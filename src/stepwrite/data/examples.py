"""Inflection examples and the plain files that hold them.

A plain file is tab-separated UTF-8 without a header; `stepwrite.data.reading` opens all others. A
`Layout` says what its columns mean; it is detected if the user does not give it. Cells are kept
exactly as they are, so that writing what was read gives the same rows; normalisation happens
where symbols are compared.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import IO, NamedTuple

from stepwrite.data.compressed import open_binary
from stepwrite.data.layouts import LAYOUTS as LAYOUTS
from stepwrite.data.layouts import Layout as Layout
from stepwrite.data.layouts import detect
from stepwrite.errors import DataError, StepwriteError, shown

HEAD_ROWS = 200
"""How many rows are used to detect the layout."""


class Example(NamedTuple):
    """One row, its cells exactly as they are in the file.

    `form` is empty if it is to be predicted, `features` if the task has none.
    """

    lemma: str
    features: str = ""
    form: str = ""


class Examples(list[Example]):
    """Examples in memory that remember the name and the layout of their file."""

    def __init__(
        self,
        rows: Iterable[Example] = (),
        path: str = "",
        layout: Layout = LAYOUTS["sigmorphon2016"],
    ) -> None:
        super().__init__(rows)
        self.path, self.layout = path, layout


class Row(NamedTuple):
    """An example and its line number; `extra` holds the cells beyond the layout's columns."""

    line: int
    example: Example
    extra: tuple[str, ...]


class RowError(DataError):
    """A bad row; `reason` is the same for all rows with the same kind of problem."""

    def __init__(self, reason: str, problem: str, *, path: str, line: int) -> None:
        super().__init__(problem, path=path, line=line)
        self.reason = reason


OnBad = Callable[[DataError], None]
Line = tuple[int, bytes]


@dataclass
class ExampleFile:
    """A file of examples, streamed once, so that it may be larger than memory.

    `n_rows` counts the rows read so far, including skipped ones.
    """

    path: str
    layout: Layout
    lines: Iterator[Line] = field(repr=False)
    detected: bool = False
    needs_form: bool = False
    allow_extra: bool = False
    on_bad: OnBad | None = field(default=None, repr=False)
    n_rows: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if self.needs_form and "form" not in self.layout.columns:
            raise DataError(
                f"forms are needed, but the layout {self.layout} has none", path=self.path
            )

    def __iter__(self) -> Iterator[Example]:
        return (row.example for row in self.rows())

    def rows(self) -> Iterator[Row]:
        """The good rows in order; a bad one raises, or is passed to `on_bad` if that is set."""
        if self.n_rows:
            raise RuntimeError(f"{self.path} is a stream and has already been read")
        first_bad: RowError | None = None
        n_good = 0
        for row in self.checked():
            self.n_rows += 1
            if isinstance(row, Row):
                n_good += 1
                yield row
            elif self.on_bad is None:
                raise row
            else:
                first_bad = first_bad or row
                self.on_bad(row)
        if self.n_rows == 0:
            raise DataError("no rows", path=self.path)
        if first_bad and n_good == 0:
            problem = f"none of the {self.n_rows} rows can be used; the first: {first_bad.problem}"
            raise DataError(problem, path=self.path, line=first_bad.line)

    def checked(self) -> Iterator[Row | RowError]:
        """All rows in order; in the place of a bad one what is wrong with it."""
        # In a bare list of forms an empty line is an empty prediction; elsewhere it is skipped.
        keep_blank = self.layout.columns == ("form",)
        for number, line in self.lines:
            if is_blank(line) and not keep_blank:
                continue
            try:
                yield self._row(number, line)
            except RowError as error:
                yield error

    def _row(self, number: int, line: bytes) -> Row:
        text = decode(line, self.path, number)
        cells = text.split("\t")
        columns = self.layout.columns
        width = len(columns)

        def bad(reason: str, problem: str) -> RowError:
            return RowError(reason, f"{problem}: {shown(text)}", path=self.path, line=number)

        if len(cells) < width or (len(cells) > width and not self.allow_extra):
            plural = "column" if len(cells) == 1 else "columns"
            expected = f"{width} or more" if self.allow_extra else str(width)
            problem = f"{len(cells)} {plural}, expected {expected} ({', '.join(columns)})"
            raise bad("a wrong number of columns", problem)
        named = dict(zip(columns, cells, strict=False))
        lemma, form = named.get("lemma", ""), named.get("form", "")
        if "lemma" in named and not lemma.strip():
            raise bad("an empty lemma", "empty lemma")
        if self.needs_form and not form.strip():
            raise bad("an empty form", "empty form")
        return Row(number, Example(lemma, named.get("features", ""), form), tuple(cells[width:]))


def open_examples(
    path: str | Path,
    layout: Layout | None = None,
    *,
    needs_form: bool = False,
    allow_extra: bool = False,
    on_bad: OnBad | None = None,
    lines: Iterator[Line] | None = None,
) -> ExampleFile:
    """Open a plain file (`-` is stdin), detecting its layout unless it is given.

    With `needs_form` a row without a form is bad; with `allow_extra` rows may have more columns
    than the layout, as n-best predictions do. Bad rows raise, or are passed to `on_bad` and
    skipped. lines: those of the file, if it is open already.
    """
    name, lines = name_of(path), read_lines(path) if lines is None else lines
    detected = layout is None
    if layout is None:
        # Blank lines can be dropped: they count only in a bare list of forms, never detected.
        head = list(islice((line for line in lines if not is_blank(line[1])), HEAD_ROWS))
        layout = detect(decodable(head, name), name, allow_extra)
        lines = chain(head, lines)
    return ExampleFile(name, layout, lines, detected, needs_form, allow_extra, on_bad)


def write_examples(file: IO[str], examples: Iterable[Example], layout: Layout) -> None:
    """Write examples so that reading them gives the same; ignored columns are left empty."""
    write_rows(file, (cells_of(example, layout) for example in examples))


def cells_of(example: Example, layout: Layout) -> list[str]:
    return [getattr(example, column, "") for column in layout.columns]


def write_rows(file: IO[str], rows: Iterable[Sequence[str]]) -> None:
    """Write tab-separated cells; cells that contain tabs or line breaks are an error."""
    for number, cells in enumerate(rows, 1):
        line = "\t".join(cells)
        # A final \r would be read as part of the line break.
        if line.count("\t") != len(cells) - 1 or "\n" in line or line.endswith("\r"):
            raise StepwriteError(
                f"can't write row {number}: a cell contains a tab or line break: {shown(line)}"
            )
        if number == 1 and line.startswith("\ufeff"):
            file.write("\ufeff")  # readers strip one
        file.write(line + "\n")


def name_of(path: str | Path) -> str:
    """The name of a file in messages."""
    return "<stdin>" if str(path) == "-" else str(path)


def read_lines(path: str | Path) -> Iterator[Line]:
    """The number and bytes of each line."""
    return numbered(raw_lines(path))


def raw_lines(path: str | Path) -> Iterator[bytes]:
    r"""The lines of a file with their ends. Only \n ends one: words may contain U+2028."""
    try:
        with nullcontext(sys.stdin.buffer) if str(path) == "-" else open_binary(path) as file:
            yield from file
    except OSError as error:
        raise DataError(f"can't be read: {error.strerror}", path=name_of(path)) from None


def numbered(lines: Iterable[bytes]) -> Iterator[Line]:
    r"""Lines with their numbers, without a byte order mark and their ends, \n or \r\n."""
    for number, line in enumerate(lines, 1):
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if line.endswith(b"\n"):
            line = line[:-1].removesuffix(b"\r")
        yield number, line


def is_blank(line: bytes) -> bool:
    return not line.strip(b" \r")


def decode(line: bytes, path: str, number: int) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        around = line[max(0, error.start - 20) : error.end + 20]
        problem = f"not UTF-8: byte {line[error.start]:#x} at offset {error.start + 1}: {around!r}"
        raise RowError("invalid UTF-8", problem, path=path, line=number) from None


def decodable(lines: Iterable[Line], path: str) -> list[tuple[int, str]]:
    """The lines that are valid UTF-8; the others are reported when they are read."""
    texts: list[tuple[int, str]] = []
    first_bad: RowError | None = None
    for number, line in lines:
        try:
            texts.append((number, decode(line, path, number)))
        except RowError as error:
            first_bad = first_bad or error
    if not texts:
        raise first_bad or DataError("no rows", path=path)
    return texts
