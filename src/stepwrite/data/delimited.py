"""Cells in text files: encodings, separators and quotes, recognised or refused.

Spreadsheets export text in many ways: with commas, semicolons or tabs, with or without quotes, in
UTF-8 or UTF-16, with or without a byte order mark. Whatever is not certain is an error that says
what to do.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from stepwrite.errors import DataError, shown

if TYPE_CHECKING:
    from _csv import Reader

SEPARATORS = {"\t": "tabs", ";": "semicolons", ",": "commas"}
# The longer marks first: that of UTF-32 begins like that of UTF-16.
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
HEAD_ROWS = 200
SEPARATOR_LINE = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)
"""What Excel writes before the table to name its separator."""


class Record(NamedTuple):
    """The cells of one row and the line on which it begins."""

    line: int
    cells: list[str]


class Delimited(NamedTuple):
    """A text file taken apart: its rows and how it is written."""

    records: list[Record]
    separator: str
    encoding: str
    newline: str


def read_delimited(data: bytes, path: str) -> Delimited:
    """The rows of a text file.

    >>> read_delimited(b'Haus;"N;PL"\\nTag;"N;PL"\\n', "nouns.csv").records
    [Record(line=1, cells=['Haus', 'N;PL']), Record(line=2, cells=['Tag', 'N;PL'])]
    """
    text, encoding = decode_text(data, path)
    first_line = 1
    separator = None
    if named := SEPARATOR_LINE.match(text):
        separator, text, first_line = named[1], text[named.end() :], 2
    if separator is None:
        separator = separator_of(text, path)
    records = list(records_of(text, separator, path, first_line))
    newline = "\r\n" if "\r\n" in text else "\n" if "\n" in text or "\r" not in text else "\r"
    return Delimited(records, separator, encoding, newline)


def write_delimited(rows: Sequence[Sequence[str]], separator: str, newline: str) -> str:
    """Rows as text that reads back the same, with quotes where cells need them.

    Tab-separated text has none, as most programs of the field expect, unless it must: then every
    cell has them.
    """
    # Python 3.11 and 3.12 quote only those line breaks that they end rows with.
    quote_all = any(re.search("[\r\n]", cell) for row in rows for cell in row)
    if separator == "\t":
        plain = newline.join("\t".join(row) for row in rows) + newline
        if [record.cells for record in records_of(plain, separator, "")] == list(map(list, rows)):
            return plain
        quote_all = True
    file = io.StringIO(newline="")
    quoting: Literal[0, 1] = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    writer = csv.writer(file, delimiter=separator, lineterminator=newline, quoting=quoting)
    writer.writerows(rows)
    return file.getvalue()


def decode_text(data: bytes, path: str) -> tuple[str, str]:
    """The text of a file and its encoding, by its byte order mark or else UTF-8.

    >>> decode_text("Häuser".encode("utf-16"), "a.txt"), decode_text(b"a", "a.txt")
    (('Häuser', 'utf-16'), ('a', 'utf-8'))
    >>> decode_text("Häuser".encode("utf-16-be"), "a.txt")[1]
    'utf-16-be'
    """
    encoding = next((name for mark, name in MARKS if data.startswith(mark)), None)
    encoding = encoding or unmarked_utf16(data) or "utf-8"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        around = data[max(0, error.start - 20) : error.end + 20]
        problem = (
            f"not {encoding.upper().removesuffix('-SIG')}: {around!r}; save the file as UTF-8 "
            "(Excel: 'CSV UTF-8'; LibreOffice: 'Edit filter settings') or as .xlsx"
        )
        raise DataError(problem, path=path, line=line) from None
    if "\0" in text:
        raise DataError("not a text file: it contains the character NUL", path=path)
    return text, encoding


def unmarked_utf16(data: bytes) -> str | None:
    """UTF-16 without a byte order mark shows in its zeros: every other byte of ASCII letters."""
    head = data[:4000]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if even + odd == 0 or len(data) % 2 or min(even, odd) > 0:
        return None
    return "utf-16-be" if even else "utf-16-le"


def separator_of(text: str, path: str) -> str:
    """The separator of a table, or an error if there is none or more than one candidate.

    >>> separator_of("Haus,Häuser,N;PL\\nTag,Tage,N;PL\\n", "nouns.csv")
    ','
    """
    lines = [line for line in text.splitlines()[:HEAD_ROWS] if line.strip()]
    if not lines:
        raise DataError("no rows", path=path)
    if 2 * sum("\t" in line for line in lines) >= len(lines):
        return "\t"
    even = [separator for separator in ";," if evenness(text, separator)]
    # Headings as wide as the rows decide, then cells that would be several.
    even = [s for s in even if evenness(text, s) > 1] or even
    if len(even) > 1:
        even = [s for s in even if not splits_further(text, s)] or even
    if len(even) == 1:
        return even[0]
    if even:
        problem = "cells may be separated by semicolons or by commas; save the file with tabs or "
        raise DataError(f"{problem}as .xlsx: {shown(lines[0])}", path=path, line=1)
    if not any(separator in text for separator in SEPARATORS):
        raise DataError(f"a single column: {shown(lines[0])}", path=path, line=1)
    problem = (
        "can't tell how cells are separated: split at commas, semicolons or tabs, rows differ in "
        "their number of cells; put quotes around cells that contain the separator, or save the "
        "file as .xlsx"
    )
    raise DataError(f"{problem}: {shown(lines[0])}", path=path, line=1)


def head_of(text: str, separator: str) -> list[list[str]]:
    """The cells of the first rows; none if quotes don't match."""
    try:
        records = islice(records_of(text, separator, ""), HEAD_ROWS)
        return [record.cells for record in records]
    except DataError:
        return []


def evenness(text: str, separator: str) -> int:
    """Whether rows have equally many cells: 0 no, 1 nine in ten have, 2 the first one, too."""
    head = head_of(text, separator)
    width = usual_width(head) if head else 1
    n_even = sum(len(cells) == width for cells in head)
    if width == 1 or 10 * n_even < 9 * len(head):
        return 0
    return 2 if len(head[0]) == width else 1


def splits_further(text: str, separator: str) -> bool:
    """Whether the other separator separates cells, too: it is in most, which are no bundles."""
    head = head_of(text, separator)
    width, other = usual_width(head), ";" if separator == "," else ","
    for column in zip(*(cells for cells in head if len(cells) == width), strict=True):
        several = [cell for cell in column if other in cell and not is_bundle(cell, other)]
        if 2 * len(several) > len(column):
            return True
    return False


def is_bundle(cell: str, separator: str) -> bool:
    """Whether all parts of a cell are features.

    >>> is_bundle("N;DAT;PL", ";"), is_bundle("pos=N,num=PL", ","), is_bundle("PL,Tage,Tag", ",")
    (True, True, False)
    """
    parts = [part.strip() for part in cell.split(separator)]
    return all(re.fullmatch(r"[A-Z0-9.+/{}()]*|[^=]+=.*", part) for part in parts)


def usual_width(rows: Iterable[Sequence[str]]) -> int:
    """The most common number of cells in a row."""
    return Counter(map(len, rows)).most_common(1)[0][0]


def has_quotes(lines: Sequence[str]) -> bool:
    """Whether the cells of tab-separated lines are in quotes as spreadsheets write them.

    Elsewhere quotes are letters like any others. Spreadsheets quote whole columns, or just the
    cells that contain commas or quotes, of which none may then be without quotes.

    >>> has_quotes(['"Haus"\\tN', '"Tag"\\tN']), has_quotes(['"Haus"\\tN', 'Tag\\tN'])
    (True, False)
    >>> has_quotes(['Haus\\t"pos=N,num=PL"', 'schön\\tpos=ADJ'])
    True
    """
    rows = [line.split("\t") for line in lines]
    cells = [cell for row in rows for cell in row if cell]
    inside = [cell[1:-1] for cell in cells if len(cell) > 1 and cell[0] == cell[-1] == '"']
    bare = [cell for cell in cells if not (len(cell) > 1 and cell[0] == cell[-1] == '"')]
    if not inside or any('"' in text.replace('""', "") for text in inside):
        return False
    if any("," in cell or '"' in cell for cell in bare):
        return False
    return all("," in text or '"' in text for text in inside) or any(
        all(len(cell) > 1 and cell[0] == cell[-1] == '"' for cell in column)
        for column in zip(*rows, strict=False)
    )


def needs_quotes(text: str) -> bool:
    """Whether tab-separated text is even only if quotes enclose tabs and line breaks."""
    if '"' not in text:
        return False
    try:
        widths = [
            {len(cells) for cells in reader_of(text, "\t", quoted) if cells}
            for quoted in (False, True)
        ]
    except csv.Error:
        return False
    return len(widths[0]) > 1 and len(widths[1]) == 1


def reader_of(text: str, separator: str, quoted: bool) -> Reader:
    return csv.reader(
        io.StringIO(text, newline=""),
        delimiter=separator,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        quotechar='"' if quoted else None,
        strict=True,
    )


def records_of(text: str, separator: str, path: str, first_line: int = 1) -> Iterator[Record]:
    """The rows of a text, without those that are empty.

    Raises `DataError` where quotes don't match.
    """
    quoted = separator != "\t" or has_quotes(text.splitlines()) or needs_quotes(text)
    reader = reader_of(text, separator, quoted)
    while True:
        line = reader.line_num + first_line
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problem = f"quotes that don't match ({error}): check the quotes of this row"
            raise DataError(problem, path=path, line=line) from None
        if any(cell.strip() for cell in cells):
            yield Record(line, cells)
