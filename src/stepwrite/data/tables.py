"""Tables as people have them: text with commas, semicolons or tabs, xlsx and ods.

A table is rows of text. What its columns mean is found out elsewhere (`stepwrite.data.sheets`).
What only spreadsheets need is imported when there is one: most files are text.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from stepwrite.data.delimited import SEPARATORS, read_delimited, usual_width, write_delimited
from stepwrite.data.examples import name_of
from stepwrite.errors import DataError, shown

if TYPE_CHECKING:
    from stepwrite.data.workbooks import Grid

WHOLE_ROW = -1
"""In the place of a column: a problem of the row as such."""


@dataclass(frozen=True)
class TableStyle:
    """How a table is written, so that another one can be written in the same way.

    sheet: its name in a workbook. The rest is of text files alone.
    """

    kind: Literal["text", "xlsx", "ods"] = "text"
    separator: str = "\t"
    encoding: str = "utf-8"
    newline: str = "\n"
    sheet: str = ""

    def __str__(self) -> str:
        if self.kind != "text":
            return f"{self.kind}, sheet {shown(self.sheet)}"
        separated = SEPARATORS.get(self.separator, shown(self.separator))
        return f"text separated by {separated}, {self.encoding.upper().removesuffix('-SIG')}"


SPREADSHEETS = {
    ".xlsx": TableStyle("xlsx", sheet="Sheet1"),
    ".ods": TableStyle("ods", sheet="Sheet1"),
    # Without a byte order mark, Excel takes a file to be in the encoding of the system.
    ".csv": TableStyle(separator=",", encoding="utf-8-sig", newline="\r\n"),
}
"""The styles of tables with headings, by the endings of their names."""


class TableRow(NamedTuple):
    """A row and its number in the file, as spreadsheet programs count."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """The rows of a table that are not empty, all with the same number of cells.

    problems: what is wrong with a cell, by its row (from 0, in `rows`) and its column; it matters
    only if the column is used. notes: what was done to the cells.
    """

    path: str
    rows: tuple[TableRow, ...]
    style: TableStyle
    problems: Mapping[tuple[int, int], str] = field(default_factory=dict, repr=False)
    notes: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        return len(self.rows[0].cells)


def read_table(path: str | Path, sheet: str | None = None) -> Table:
    """Read a table; `-` is standard input. What is doubtful raises `DataError`.

    sheet: the name of the sheet to read, for a workbook that has several.
    """
    name = name_of(path)
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else Path(path).read_bytes()
    except OSError as error:
        raise DataError(f"can't be read: {error.strerror}", path=name) from None
    return table_of(data, name, sheet)


def table_of(data: bytes, path: str, sheet: str | None = None) -> Table:
    """The table in the content of a file, whatever its name ends in."""
    if data.startswith(b"PK\x03\x04"):
        from stepwrite.data.opendocument import TYPE, read_opendocument
        from stepwrite.data.workbooks import read_workbook

        kind: Literal["xlsx", "ods"] = "ods" if TYPE.encode() in data[:200] else "xlsx"
        grids = read_opendocument(data, path) if kind == "ods" else read_workbook(data, path)
        grid = chosen(grids, sheet, path)
        rows = [(number, cells) for number, cells in enumerate(grid.rows, 1)]
        style = TableStyle(kind, sheet=grid.sheet)
        return _table(path, rows, style, grid.problems, grid.filled)
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise DataError("an old Excel file (.xls): save it as .xlsx", path=path)
    if data.startswith(b"%PDF"):
        raise DataError("a PDF file: save the table as .xlsx or as CSV", path=path)
    if sheet is not None:
        raise DataError(f"a text file has no sheet {shown(sheet)}", path=path)
    text = read_delimited(data, path)
    style = TableStyle("text", text.separator, text.encoding, text.newline)
    return _table(path, text.records, style, {}, 0)


def chosen(grids: Sequence[Grid], sheet: str | None, path: str) -> Grid:
    """The sheet of that name, or the only one that is not empty."""
    names = ", ".join(shown(grid.sheet) for grid in grids)
    if sheet is not None:
        found = [grid for grid in grids if grid.sheet == sheet]
        if not found:
            raise DataError(f"no sheet {shown(sheet)}: there are {names}", path=path)
    else:
        found = [grid for grid in grids if not grid.is_empty]
    if len(found) > 1:
        names = ", ".join(shown(grid.sheet) for grid in found)
        problem = f"{len(found)} sheets: give --sheet with one of {names}"
        raise DataError(problem, path=path)
    if not found or found[0].is_empty:
        raise DataError("no rows", path=path)
    return found[0]


def _table(
    path: str,
    rows: Sequence[tuple[int, Sequence[str]]],
    style: TableStyle,
    problems: Mapping[tuple[int, int], str],
    n_filled: int,
) -> Table:
    """Drop empty rows and empty columns at the end; strip cells; note rows of another length."""
    is_text = style.kind == "text"
    filled = [
        (number, line, cells, [cell.strip() for cell in cells])
        for number, (line, cells) in enumerate(rows)
        if any(cell.strip() for cell in cells)
    ]
    if not filled:
        raise DataError("no rows", path=path)
    # A row that is longer than the others is bad; it must not widen the table.
    most = usual_width(cells for *_, cells in filled) if is_text else len(filled[0][2])
    ends = (column for *_, cells in filled for column, cell in enumerate(cells[:most]) if cell)
    width = max(ends) + 1
    found: dict[tuple[int, int], str] = {}
    table_rows = []
    n_stripped = 0
    for index, (number, line, before, cells) in enumerate(filled):
        if len(cells) < width or any(cells[width:]):
            found[index, WHOLE_ROW] = (
                f"{len(cells)} cells, but most rows have {most}: put quotes around cells that "
                f"contain the separator: {shown(style.separator.join(before))}"
            )
        for column in range(width):
            if problem := problems.get((number, column)):
                found[index, column] = problem
        n_stripped += sum(old != new for old, new in zip(before, cells, strict=True))
        table_rows.append(TableRow(line, tuple([*cells, *[""] * (width - len(cells))][:width])))
    notes = []
    if n_stripped:
        notes.append(f"spaces removed around {n_stripped} cells")
    if n_filled:
        notes.append(f"merged cells filled in {n_filled} rows")
    return Table(path, tuple(table_rows), style, found, tuple(notes))


def style_for(path: str | Path) -> TableStyle:
    """The style that a file's ending asks for.

    >>> style_for("a.csv").separator, style_for("b.tsv").separator, style_for("c.xlsx").kind
    (',', '\\t', 'xlsx')
    """
    return SPREADSHEETS.get(Path(path).suffix.lower(), TableStyle())


def write_table(
    path: str | Path,
    rows: Sequence[Sequence[str]],
    style: TableStyle | None = None,
    *,
    marked: Collection[tuple[int, int]] = (),
) -> None:
    """Write a table, whole or not at all, by default in the style of the file's ending.

    marked: cells to show with a coloured background, by row and column from 0; text has no colours.
    """
    from stepwrite.data.opendocument import write_opendocument
    from stepwrite.data.workbooks import write_workbook
    from stepwrite.files import write_whole

    style = style or style_for(path)
    try:
        if style.kind == "text":
            text = write_delimited(rows, style.separator, style.newline)
            data = text.encode(style.encoding)
        else:
            write = write_workbook if style.kind == "xlsx" else write_opendocument
            data = write(rows, style.sheet, marked)
    except DataError as error:
        raise DataError(error.problem, path=str(path)) from None
    with write_whole(path) as file:
        cast(io.TextIOWrapper, file).buffer.write(data)
