"""Which column of a table holds the lemma, the form and the features.

Columns are found by their headings or, without these, by their contents; whatever is doubtful is an
error that says what to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from stepwrite.data.features import DIMENSIONS
from stepwrite.data.headers import Role, bundle_of, role_of
from stepwrite.data.layouts import Layout, cell_look, layout_of
from stepwrite.data.sheets import FEATURES, Sheet, body_looks
from stepwrite.data.tables import WHOLE_ROW, Table
from stepwrite.errors import DataError, shown

HELP = "name the columns lemma, form and features in the first row, or give --columns LIST"


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
