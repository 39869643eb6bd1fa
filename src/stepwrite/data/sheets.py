"""Tables whose columns are understood: which one holds the lemma, the form and the features.

A long table has one form in each row. A wide one has one lemma in each row and one cell of the
paradigm in each column, whose heading is the feature bundle. Columns are found by their headings
or, without these, by their contents; whatever is doubtful is an error that says what to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from stepwrite.data.examples import Example, RowError
from stepwrite.data.features import DIMENSIONS
from stepwrite.data.headers import Role, bundle_of, role_of
from stepwrite.data.layouts import Layout, cell_look, column_looks, layout_of
from stepwrite.data.tables import WHOLE_ROW, Table, TableRow
from stepwrite.errors import DataError, shown

HEAD_ROWS = 200
NO_COLUMN = -1
HELP = "name the columns lemma, form and features in the first row, or give --columns LIST"
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


def understand(table: Table, layout: Layout | None = None) -> Sheet:
    """Find out what the columns of a table mean; `layout` is what the user says about them.

    >>> from stepwrite.data.tables import table_of
    >>> sheet = understand(table_of(b"Grundform,Nom. Pl.\\nTag,Tage\\n", "days.csv"))
    >>> [cell.example for cell in sheet.cells()]
    [Example(lemma='Tag', features='NOM;PL', form='Tage')]
    """
    if table.width == 1 and layout is None:
        raise _doubt(table, "a single column")
    first = table.rows[0]
    if sum(map(bool, first.cells)) == 1 < table.width and len(table.rows) > 1:
        problem = "only one cell is filled; delete titles and notes above the table"
        raise DataError(f"{problem}: {shown(max(first.cells))}", path=table.path, line=first.line)
    if uneven := table.problems.get((0, WHOLE_ROW)):
        raise DataError(uneven, path=table.path, line=first.line)
    headings = Headings.of(table)
    if layout is not None:
        return _as_told(table, layout, headings)
    return _by_headings(table, headings) if headings.found else _by_contents(table)


@dataclass(frozen=True)
class Headings:
    """What the cells of the first row say, if they are headings at all.

    roles and bundles: what each cell means as the name of a column, and as features.
    is_cell: whether it is the heading of a column of forms: a bundle above words.
    named: whether the first row names its columns, two of them at least.
    A bundle among bundles shows that it is none: `form, forms, N;PL` is a row of English nouns.
    """

    texts: tuple[str, ...]
    roles: tuple[Role, ...]
    bundles: tuple[str, ...]
    looks: tuple[str, ...]
    is_cell: tuple[bool, ...]
    named: bool

    @classmethod
    def of(cls, table: Table) -> Headings:
        texts = table.rows[0].cells
        roles = tuple(map(role_of, texts))
        bundles = tuple(bundle_of(text) or "" for text in texts)
        looks = tuple(body_looks(table, 1))
        has_body = len(table.rows) > 1
        among_bundles = any(
            look in FEATURES and cell_look(text) in FEATURES
            for text, look in zip(texts, looks, strict=True)
        )
        may_be = has_body and not among_bundles
        is_cell = tuple(
            may_be and bool(bundle) and not role and look not in FEATURES
            for bundle, role, look in zip(bundles, roles, looks, strict=True)
        )
        # Words such as "present" are names of cells, too: without a named lemma, all must be.
        if not {"lemma", "word"} & set(roles) and not all(
            cell or role or not text
            for cell, role, text in list(zip(is_cell, roles, texts, strict=True))[1:]
        ):
            is_cell = (False,) * len(texts)
        named = may_be and len(set(roles) - {"", "other"}) > 1
        return cls(texts, roles, bundles, looks, is_cell, named)

    @property
    def found(self) -> bool:
        return self.named or any(self.is_cell)

    @property
    def unknown(self) -> bool:
        """Whether the first row stands above features without being features."""
        return not self.found and any(
            look in FEATURES and text and cell_look(text) not in FEATURES
            for text, look in zip(self.texts, self.looks, strict=True)
        )


def body_looks(table: Table, n_header: int) -> list[str]:
    body = [row.cells for row in table.rows[n_header : n_header + HEAD_ROWS]]
    return column_looks(body or [table.rows[0].cells])


def _by_headings(table: Table, found: Headings) -> Sheet:
    headings, roles, is_wide, looks = found.texts, found.roles, found.is_cell, found.looks
    columns = ["_"] * len(roles)
    for column, role in enumerate(roles):
        if role in ("lemma", "form", "features"):
            columns[column] = role
        elif role == "feature":
            columns[column] = "features"
    for column in [column for column, role in enumerate(roles) if role == "word"]:
        missing = [name for name in ("lemma", "form") if name not in columns]
        if any(is_wide) and "lemma" in missing:
            missing = ["lemma"]
        if len(missing) != 1:
            raise _doubt(table, f"{shown(headings[column])} may be the lemma or the form")
        columns[column] = missing[0]
    for name in ("lemma", "form", "features"):
        same = [column for column, kind in enumerate(columns) if kind == name]
        if len(same) > 1 and (name != "features" or sum(roles[c] == name for c in same) > 1):
            names = " and ".join(shown(headings[column]) for column in same)
            raise _doubt(table, f"{names} may both be the {name}")
    unknown = [
        c for c, role in enumerate(roles) if not role and not is_wide[c] and any_text(table, c)
    ]
    if any(is_wide) and "form" not in columns:
        columns = ["cell" if wide else kind for wide, kind in zip(is_wide, columns, strict=True)]
        if "lemma" not in columns and unknown == [0]:
            columns[0], unknown = "lemma", []
        if "lemma" not in columns:
            raise _doubt(table, "which column is the lemma?")
        if unknown:
            names = ", ".join(shown(headings[column]) for column in unknown)
            raise _doubt(
                table,
                f"unknown headings {names}: write the features of each column there, such as "
                "N;DAT;PL, or _ to ignore it with --columns lemma,cell,_",
            )
        return _wide(table, columns, found.bundles)
    if any(is_wide):
        names = ", ".join(shown(headings[c]) for c, wide in enumerate(is_wide) if wide)
        raise _doubt(table, f"a column of forms beside columns of cells ({names})")
    if "features" not in columns:
        tagged = [column for column in unknown if looks[column] in FEATURES]
        if len(tagged) == 1:
            columns[tagged[0]] = "features"
            unknown.remove(tagged[0])
        elif unknown:
            names = ", ".join(shown(headings[column]) for column in unknown)
            raise _doubt(table, f"no column of features, but unknown headings {names}")
    if "lemma" not in columns:
        raise _doubt(table, "no column of lemmas among " + ", ".join(map(shown, headings)))
    if "form" not in columns and (unknown or "features" not in columns):
        raise _doubt(table, "no column of forms among " + ", ".join(map(shown, headings)))
    return Sheet(table, Layout("columns", tuple(columns)), 1)


def any_text(table: Table, column: int) -> bool:
    return any(row.cells[column] for row in table.rows)


def _wide(table: Table, columns: Sequence[str], bundles: Sequence[str]) -> Sheet:
    """A wide table, all of whose cells must have different features."""
    headings = table.rows[0].cells
    first: dict[str, int] = {}
    for column, kind in enumerate(columns):
        if kind != "cell":
            continue
        if not headings[column]:
            raise _doubt(table, f"column {column + 1} has no heading")
        if (other := first.setdefault(bundles[column], column)) != column:
            both = f"{shown(headings[other])} and {shown(headings[column])}"
            raise _doubt(table, f"{both} have the same features {bundles[column]}")
    kept = tuple(b if kind == "cell" else "" for b, kind in zip(bundles, columns, strict=True))
    return Sheet(table, Layout("columns", tuple(columns)), 1, kept)


def _by_contents(table: Table) -> Sheet:
    """A table without headings, whose columns are told by what they look like."""
    looks = body_looks(table, 0)
    if len(table.rows) > 2 and Headings.of(table).unknown:
        names = ", ".join(map(shown, table.rows[0].cells))
        raise _doubt(table, f"headings that are not known: {names}")
    # Neighbouring columns of tags are one bundle: N | DAT | PL.
    looks = ["tags" if are_tags(table, c) else look for c, look in enumerate(looks)]
    follows = [look == "tags" == before for before, look in pairwise(["", *looks])]
    layout = layout_of([look for look, more in zip(looks, follows, strict=True) if not more])
    if layout is None:
        raise _doubt(table, f"the columns look like ({', '.join(looks)})")
    kinds = iter(layout.columns)
    columns = tuple("features" if more else next(kinds) for more in follows)
    return Sheet(table, Layout(layout.name, columns, layout.form_spaced), 0)


def are_tags(table: Table, column: int) -> bool:
    """Whether all cells of a column are tags of UniMorph's schema."""
    cells = {row.cells[column] for row in table.rows} - {""}
    return bool(cells) and cells <= DIMENSIONS.keys()


def _as_told(table: Table, layout: Layout, headings: Headings) -> Sheet:
    """A table whose columns the user names; its headings, if it has them, are recognised."""
    if len(layout.columns) != table.width:
        problem = (
            f"{table.width} columns, expected {len(layout.columns)} ({', '.join(layout.columns)})"
        )
        raise DataError(problem, path=table.path, line=table.rows[0].line)
    if "cell" in layout.columns:
        bundles = [bundle_of(text) or ";".join(text.split()) for text in headings.texts]
        return _wide(table, layout.columns, bundles)
    return Sheet(table, layout, int(headings.named))


def _doubt(table: Table, problem: str) -> DataError:
    line = table.rows[0].line
    return DataError(
        f"can't tell what the columns are: {problem}; {HELP}", path=table.path, line=line
    )
