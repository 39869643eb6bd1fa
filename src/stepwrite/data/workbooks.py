"""Cells in xlsx workbooks, read and written with openpyxl (the extra `sheets`)."""

from __future__ import annotations

import datetime
import io
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from stepwrite.errors import DataError, require

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

MARK = "FFF2CC"  # a pale yellow
AS_TEXT = "format its column as text and type it again"


@dataclass
class Grid:
    """The cells of one sheet as text, from its first row on, empty ones as "".

    problems: what is wrong with cells that are no text, by row and column from 0.
    filled: how many empty cells got the text of the cell that they are merged with.
    """

    sheet: str = ""
    rows: list[list[str]] = field(default_factory=list)
    problems: dict[tuple[int, int], str] = field(default_factory=dict)
    filled: int = 0

    @property
    def is_empty(self) -> bool:
        return not any(cell.strip() for row in self.rows for cell in row)


def read_workbook(data: bytes, path: str) -> list[Grid]:
    """All sheets of a workbook."""
    openpyxl = require("openpyxl", extra="sheets", purpose="reading xlsx files")
    book = open_workbook(openpyxl, data, path)
    computed = None
    if any(cell.data_type == "f" for sheet in book.worksheets for row in sheet for cell in row):
        computed = open_workbook(openpyxl, data, path, data_only=True)
    return [
        grid_of(sheet, sheet if computed is None else computed[sheet.title], path)
        for sheet in book.worksheets
    ]


def open_workbook(openpyxl: Any, data: bytes, path: str, **options: Any) -> Any:
    try:
        return openpyxl.load_workbook(io.BytesIO(data), **options)
    except (BadZipFile, KeyError, ValueError, TypeError, SyntaxError, OSError) as error:
        raise DataError(f"can't be read as xlsx ({error}): save it again", path=path) from None


def grid_of(sheet: Worksheet, computed: Worksheet, path: str) -> Grid:
    """One sheet; `computed` is the same with the results of formulas in their place."""
    grid = Grid(sheet.title)
    for number, row in enumerate(computed.iter_rows()):
        grid.rows.append([])
        for column, cell in enumerate(row):
            text, problem = text_of(cell.value)
            if sheet.cell(number + 1, column + 1).data_type == "f" and cell.value is None:
                problem = "a formula without a result: paste its value instead"
            elif cell.data_type == "e":
                problem = f"the error {text}: {AS_TEXT}"
            grid.rows[-1].append(text)
            if problem:
                grid.problems[number, column] = problem
    for merged in sheet.merged_cells.ranges:
        left, top, right, bottom = merged.bounds
        merge(grid, (top - 1, left - 1), (bottom - 1, right - 1), path, str(merged))
    return grid


def merge(grid: Grid, first: tuple[int, int], last: tuple[int, int], path: str, name: str) -> None:
    """Give the text of a merged cell to all rows that it covers.

    A cell merged over several rows stands for each of them; one merged over columns may mean
    anything.
    """
    (top, left), (bottom, right) = first, last
    text = grid.rows[top][left]
    if not text.strip():
        return
    if right > left:
        problem = f"merged cells {name} with {text!r}: unmerge them and fill in each cell"
        raise DataError(problem, path=path, line=top + 1)
    for row in range(top + 1, bottom + 1):
        grid.rows[row][left] = text
        grid.filled += 1


def text_of(value: object) -> tuple[str, str]:
    """The text of a cell's value, and what is wrong with it where it is no text.

    >>> text_of("Haus"), text_of(None), text_of(3), text_of(3.0)
    (('Haus', ''), ('', ''), ('3', ''), ('3', ''))
    >>> text_of(True)
    ('TRUE', 'a truth value, not text: format its column as text and type it again')
    """
    match value:
        case None:
            return "", ""
        case str():
            return value, ""
        case bool():
            return str(value).upper(), f"a truth value, not text: {AS_TEXT}"
        case int() | float() if value == int(value):
            return str(int(value)), ""
        case datetime.datetime() | datetime.date() | datetime.time():
            return value.isoformat(), f"a date, not text: {AS_TEXT}"
    return str(value), f"a number, not text: {AS_TEXT}"


def write_workbook(
    rows: Sequence[Sequence[str]], sheet: str, marked: Collection[tuple[int, int]]
) -> bytes:
    """A workbook with one sheet, all of whose cells are text; `marked` ones have a colour."""
    openpyxl = require("openpyxl", extra="sheets", purpose="writing xlsx files")
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    from openpyxl.styles import PatternFill

    book = openpyxl.Workbook()
    page = book.active
    page.title = sheet or "Sheet1"
    fill = PatternFill("solid", start_color=MARK, end_color=MARK)
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            if ILLEGAL_CHARACTERS_RE.search(text):
                raise DataError(f"a cell with a control character: {text!r:.60}", path=sheet)
            if not text and (number, column) not in marked:
                continue
            cell = page.cell(number + 1, column + 1)
            cell.value = text
            cell.data_type = "s"  # "=a" is a word here, too
            cell.number_format = "@"
            if (number, column) in marked:
                cell.fill = fill
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()
