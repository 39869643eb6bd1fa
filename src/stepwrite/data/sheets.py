"""Tables whose columns are understood: the examples in them, row by row.

A long table has one form in each row. A wide one has one lemma in each row and one cell of the
paradigm in each column, whose heading is the feature bundle.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from stepwrite.data.examples import Example, RowError
from stepwrite.data.headers import bundle_of, role_of
from stepwrite.data.layouts import Layout, column_looks
from stepwrite.data.tables import WHOLE_ROW, Table, TableRow
from stepwrite.errors import shown

HEAD_ROWS = 200
NO_COLUMN = -1
FEATURES = ("tags", "key=value")
# What people write where there is no form, or where they do not know it.
PLACEHOLDER = re.compile(r"[-–—−?*xX/.…∅0#]+|n/?a\.?|none|null|nil", re.IGNORECASE)
SEVERAL_FORMS = re.compile(r"\w\s*[/;,]\s*\w|\(|\n")


class SheetCell(NamedTuple):
    """An example and where its form stands: `table.rows[row].cells[column]`.

    column: -1 if the table has no forms. line: the row's number in the file.
    """

    row: int
    column: int
    line: int
    example: Example


@dataclass(frozen=True)
class Sheet:
    """A table and what its columns mean.

    n_header: how many rows stand before the data, 0 or 1. bundles: the features of each column
    of cells, "" for other columns.
    """

    table: Table
    layout: Layout
    n_header: int
    bundles: tuple[str, ...] = ()

    @property
    def is_wide(self) -> bool:
        return "cell" in self.layout.columns

    def columns(self, name: str) -> list[int]:
        return [column for column, kind in enumerate(self.layout.columns) if kind == name]

    def cells(self) -> Iterator[SheetCell]:
        """All examples, those without a form among them; a bad one raises."""
        for cell in self.checked():
            if isinstance(cell, RowError):
                raise cell
            yield cell

    def checked(self) -> Iterator[SheetCell | RowError]:
        """All examples in order; in the place of a bad one what is wrong with it."""
        [lemma] = self.columns("lemma")
        columns = self.columns("cell") or self.columns("form") or [NO_COLUMN]
        for number, row in enumerate(self.table.rows[self.n_header :], self.n_header):
            try:
                self._check(number, row, [WHOLE_ROW, lemma, *self.columns("features")])
                if not row.cells[lemma]:
                    raise self._error(row, "an empty lemma", "empty lemma: fill it in on every row")
                features = self._features(row)
            except RowError as error:
                yield error
                continue
            for column in columns:
                try:
                    yield self._cell(number, row, lemma, column, features)
                except RowError as error:
                    yield error

    def _cell(
        self, number: int, row: TableRow, lemma: int, column: int, features: str
    ) -> SheetCell:
        if column == NO_COLUMN:
            return SheetCell(number, column, row.line, Example(row.cells[lemma], features))
        self._check(number, row, [column])
        form = row.cells[column]
        if PLACEHOLDER.fullmatch(form) and form != row.cells[lemma]:
            advice = "leave cells without a form empty" if self.is_wide else "delete such rows"
            problem = f"no form but a sign for a missing one: {advice}: {shown(form)}"
            raise self._error(row, "a sign for a missing form", problem)
        if SEVERAL_FORMS.search(form):
            problem = (
                f"several forms or a note in one cell: give each form its own row: {shown(form)}"
            )
            raise self._error(row, "several forms in one cell", problem)
        if self.is_wide:
            features = joined([features, self.bundles[column]])
        return SheetCell(number, column, row.line, Example(row.cells[lemma], features, form))

    def _check(self, number: int, row: TableRow, columns: Sequence[int]) -> None:
        """Raise what is wrong with cells that are used."""
        for column in columns:
            if problem := self.table.problems.get((number, column)):
                if column == WHOLE_ROW:
                    raise self._error(row, "a wrong number of columns", problem)
                raise self._error(row, "cells that are no text", f"column {column + 1}: {problem}")
            text = "" if column == WHOLE_ROW else row.cells[column]
            if "\ufffd" in text or looks_garbled(text):
                problem = f"letters were lost when the file was saved: {shown(text)}"
                raise self._error(row, "lost letters", f"{problem}; export it again as UTF-8")

    def _error(self, row: TableRow, reason: str, problem: str) -> RowError:
        return RowError(reason, problem, path=self.table.path, line=row.line)

    def _features(self, row: TableRow) -> str:
        """The bundle that a row's columns of features make up."""
        columns = self.columns("features")
        if not columns:
            return ""
        parts = []
        for column in columns:
            text = row.cells[column]
            if not text:
                continue
            key = self._keys[column]
            if key and re.search("[,=]", text) and not text.startswith(f"{key}="):
                problem = f"a comma or = in the value of {key}: {shown(text)}"
                raise self._error(row, "features that can't be read", problem)
            parts.append(f"{key}={text}" if key else self._translated.get(text, text))
        if not parts and not self.is_wide:
            raise self._error(row, "no features", "no features: fill them in on every row")
        return joined(parts)

    @cached_property
    def _keys(self) -> dict[int, str]:
        """The name of each column of features whose cells are values of one feature."""
        columns = self.columns("features")
        looks = self._looks
        if not self.n_header or any(looks[column] == "tags" for column in columns):
            return dict.fromkeys(columns, "")
        if self.is_wide and any("=" not in self.bundles[c] for c in self.columns("cell")):
            return dict.fromkeys(columns, "")
        headings = self.table.rows[0].cells
        return {
            column: re.sub(r"\s*[,;=]\s*", " ", headings[column])
            if looks[column] != "key=value"
            and (len(columns) > 1 or role_of(headings[column]) != "features")
            else ""
            for column in columns
        }

    @cached_property
    def _translated(self) -> dict[str, str]:
        """Descriptions such as "Dativ Plural" as tags, if all of a column can be understood."""
        found: dict[str, str] = {}
        for column in self.columns("features"):
            if self._looks[column] in FEATURES or self._keys[column]:
                continue
            texts = {row.cells[column] for row in self.table.rows[self.n_header :]} - {""}
            bundles = {text: bundle for text in texts if (bundle := bundle_of(text))}
            if len(bundles) == len(texts) == len(set(bundles.values())):
                found |= {text: bundle for text, bundle in bundles.items() if text != bundle}
        return found

    @cached_property
    def _looks(self) -> list[str]:
        return body_looks(self.table, self.n_header)

    def summary(self) -> list[str]:
        """What was understood, in three lines."""
        cells = [cell for cell in self.checked() if isinstance(cell, SheetCell)]
        examples = [cell.example for cell in cells]
        n_rows = len(self.table.rows) - self.n_header
        header = f"headings in row {self.table.rows[0].line}" if self.n_header else "no headings"
        notes = list(self.table.notes)
        n_empty = sum(not example.form for example in examples)
        if self.is_wide and n_empty:
            notes.append(f"{n_empty} cells are empty")
        return [
            f"{self.table.path}: {self.table.style}, {n_rows} rows, {header}",
            "  " + "; ".join(self._meanings()),
            "  " + "; ".join([*notes, *counted(examples)]),
        ]

    def _meanings(self) -> Iterator[str]:
        headings = self.table.rows[0].cells if self.n_header else ()

        def called(columns: Sequence[int]) -> str:
            return ", ".join(
                shown(headings[column]) if headings and headings[column] else f"column {column + 1}"
                for column in columns
            )

        for name in ("lemma", "form", "features"):
            if columns := self.columns(name):
                yield f"{name} = {called(columns)}"
        if cells := self.columns("cell"):
            translated = [
                f"{headings[column]} = {self.bundles[column]}"
                for column in cells
                if headings[column] != self.bundles[column]
            ] or [headings[column] for column in cells]
            more = ", ..." if len(translated) > 3 else ""
            yield f"{len(cells)} columns of forms ({', '.join(translated[:3])}{more})"
        for text, bundle in sorted(self._translated.items())[:1]:
            yield f"{text} = {bundle}"
        if ignored := self.columns("_"):
            yield f"ignored: {called(ignored)}"


def counted(examples: Sequence[Example]) -> Iterator[str]:
    """What examples there are, and the first of them.

    >>> list(counted([Example("Tag", "N;PL", "Tage")]))
    ['1 forms of 1 lemmas', 'first: Tag + N;PL -> Tage']
    """
    known = [example for example in examples if example.form]
    n_lemmas = len({example.lemma for example in examples})
    yield f"{len(known) or len(examples)} {'forms' if known else 'cells'} of {n_lemmas} lemmas"
    n_more = len(known) - len(set(known))
    if n_more:
        yield f"{n_more} rows occur more than once"
    for lemma, features, form in (known or examples)[:1]:
        yield f"first: {lemma} + {features or 'no features'} -> {form or '?'}"


def joined(parts: Sequence[str]) -> str:
    """Features from several columns as one bundle.

    >>> joined(["case=DAT", "number=PL"]), joined(["N", "DAT;PL"]), joined(["", "PL"])
    ('case=DAT,number=PL', 'N;DAT;PL', 'PL')
    """
    parts = [part for part in parts if part]
    return ("," if all("=" in part for part in parts) else ";").join(parts)


def looks_garbled(text: str) -> bool:
    """Whether text is UTF-8 that was once read as Windows-1252.

    >>> looks_garbled("HÃ¤user"), looks_garbled("Häuser"), looks_garbled("MANHÃ")
    (True, False, False)
    """
    if text.isascii():
        return False
    try:
        return len(text.encode("cp1252").decode()) < len(text)
    except UnicodeError:
        return False


def body_looks(table: Table, n_header: int) -> list[str]:
    """What the contents of each column look like, below the headings."""
    body = [row.cells for row in table.rows[n_header : n_header + HEAD_ROWS]]
    return column_looks(body or [table.rows[0].cells])
