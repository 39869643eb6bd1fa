"""Paradigms as grammars print them: tenses by persons, cases by numbers, each group a table.

A feature bundle says what a cell is, not where a grammar would put it. Here each slot gets a role
by the part of speech: verbs have tenses in rows, persons in columns, and one table per mood, voice
and polarity; nouns and adjectives have cases in rows and numbers in columns, and one table per
degree, definiteness or possessor. What the data say twice, in more and in less detail, is shown
once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from stepwrite.morphology.cells import values_of
from stepwrite.morphology.doubles import Key, Slots, without_doubles
from stepwrite.morphology.paradigms import Cell, Paradigm
from stepwrite.morphology.terms import Label, Tags, Terms

# Other names of slots, in the notation `pos=N,num=PL`.
SLOTS = {
    "pos": "part of speech", "num": "number", "gen": "gender", "per": "person",
    "def": "definiteness", "poss": "possession", "polar": "polarity", "comp": "comparison",
    "anim": "animacy", "fin": "finiteness", "asp": "aspect",
}  # fmt: skip
ORDER = (  # of the values of a slot
    "NFIN INF FIN V.MSDR V.CVB V.PTCP IND SBJV COND OPT POT IMP IRR ACT PASS MID POS NEG DECL INT "
    "INTR POSITIVE CMPR SPRL AB INDF DEF SPEC PSSD PRS PST FUT IPFV PFV PROG HAB PRF PROSP "
    "1 2 3 0 SG DU PL MASC MASC+FEM FEM NEUT ANIM HUM INAN NHUM NOM ACC/NOM NOM/ACC GEN DAT/GEN "
    "GEN/DAT DAT ACC PRT ERG INS ESS LOC IN+ESS IN+ABL IN+ALL ON+ESS ON+ABL ON+ALL AT+ESS AT+ABL "
    "AT+ALL ABL ALL FRML TRANS TERM PRIV COM VOC PSS1S PSS2S PSS3S PSS1P PSS2P PSS3P INFM POL FORM"
)
RANKS = {value: rank for rank, value in enumerate(ORDER.split())}
POSITIVE = "POSITIVE"  # the degree of adjectives that the data leave out
# A verb without mood is in the indicative; other absent values come first.
ABSENT = {"mood": (RANKS["IND"], "~"), "case": (len(RANKS), ""), "tense": (len(RANKS), "")}
NON_FINITE = ("NFIN", "INF", "V.PTCP", "V.CVB", "V.MSDR")
NOMINAL = ("N", "ADJ", "PROPN", "PRO", "DET", "NUM", "ART")
# How tables, rows and columns are sorted: by these slots first, where they are absent at the start.
SORTED = (
    "verb form", "comparison", "mood", "voice", "polarity", "valency", "interrogativity",
    "possession", "definiteness", "case", "tense", "aspect", "number", "person", "gender",
    "animacy",
)  # fmt: skip
SPECIFIC = "language-specific"
SIMPLE = (("verb form", "*"),)  # the table of infinitives, and of participles without cases
STYLES = ("COL", "LIT")  # ways to speak, which concern every person alike
WIDEST = 8  # columns; a wider table is transposed

Rows = dict[Key, dict[Key, list[int]]]  # by row and column, the cells


@dataclass(frozen=True)
class Line:
    """A row: its label, and by column the places of its cells in the paradigm.

    There are several cells where the data attest several forms.
    """

    label: Label
    cells: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Grid:
    """One table of a paradigm; its title is empty where there is nothing to tell it from."""

    title: Label
    columns: tuple[Label, ...]
    rows: tuple[Line, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "title": self.title._asdict(),
            "columns": [column._asdict() for column in self.columns],
            "rows": [
                {"label": row.label._asdict(), "cells": [list(cell) for cell in row.cells]}
                for row in self.rows
            ],
        }


@dataclass(frozen=True)
class _Place:
    """Where a cell goes: its table, row and column, each by the values that tell it apart."""

    cell: int
    group: Key
    row: Key
    column: Key


def grids(paradigm: Paradigm, language: str | None = None) -> tuple[Grid, ...]:
    """The tables of a paradigm. language: its ISO 639-3 code, for the names of its grammar.

    >>> cells = [Cell(f"V;IND;{tense};{person};SG", "", 0.0, 1)
    ...          for tense in ("PST", "PRS") for person in (1, 2, 3)]
    >>> paradigm = Paradigm("gehen", "V", {}, (), (Cell("V;NFIN", "", 0.0, 1), *cells))
    >>> infinitive, grid = grids(paradigm, "deu")
    >>> grid.title
    Label(name='indicative', native='Indikativ')
    >>> [row.label.native for row in grid.rows], [column.native for column in grid.columns]
    (['Präsens', 'Präteritum'], ['ich', 'du', 'er/sie/es'])
    """
    values = without_doubles(paradigm, _values(paradigm))
    places = [_place(cell, paradigm.pos, values[cell]) for cell in sorted(values)]
    tables = _folded(_grouped(_animacy_in_columns(_genders_in_columns(places))))
    terms = Terms.of(language)
    drawn: dict[Label, list[tuple[Key, Rows]]] = defaultdict(list)
    for groups, rows in tables:
        drawn[_title(groups, terms)].append((groups[0] if len(groups) == 1 else (), rows))
    return tuple(_grid(title, same, paradigm.cells, terms) for title, same in drawn.items())


def _values(paradigm: Paradigm) -> dict[int, Slots]:
    """Of each cell what tells it from others: neither the part of speech nor what is lexical."""
    parsed = values_of([cell.features for cell in paradigm.cells])
    shared = {SLOTS.get(slot, slot) for slot, value in paradigm.values.items() if value}
    found: dict[int, Slots] = {}
    for number, cell in enumerate(paradigm.cells):
        named = {SLOTS.get(slot, slot): value for slot, value in parsed[cell.features].items()}
        pos = named.pop("part of speech", "")
        if "." in pos:
            named["verb form"] = pos
        elif named.get("finiteness") in NON_FINITE:
            named["verb form"] = named.pop("finiteness")
        found[number] = {slot: value for slot, value in named.items() if slot not in shared}
    if any("comparison" in values for values in found.values()):
        return {k: {"comparison": POSITIVE, **values} for k, values in found.items()}
    return found


def _place(cell: int, pos: str, values: Slots) -> _Place:
    form = values.get("verb form", "")
    personal = "person" in values
    declines = not personal and bool({"case", "gender", "number"} & values.keys())
    if form and not personal and not (declines and form not in ("NFIN", "INF")):
        return _Place(cell, SIMPLE, tuple(sorted(values.items(), key=_by_rank)), ())
    if (declines and form) or (pos in NOMINAL and not personal):
        row = _some(values, ("case", "animacy"))
        if "case" not in values:  # spoken without an ending, or a case that has no tag
            row = (*row, *_some(values, ("politeness", SPECIFIC)))
        column = _some(values, ("gender", "number"))
        return _Place(cell, _rest(values, row, column), row, column)
    slots = ["person", "number"] if personal else ["gender", "number"]
    if values.get("politeness") not in STYLES:
        slots.append("politeness")
    if personal and "number" not in values:
        slots.append(SPECIFIC)  # a person that has no tag
    column = _some(values, slots)
    if pos in NOMINAL:  # a noun as a predicate, which has a table of its own
        slots.append(SPECIFIC)
    row = _some(values, ("tense", "aspect", SPECIFIC, "gender", "animacy"), but=slots)
    return _Place(cell, _rest(values, row, column), row, column)


def _some(values: Slots, slots: Iterable[str], but: Iterable[str] = ()) -> Key:
    return tuple((slot, values[slot]) for slot in slots if slot in values and slot not in but)


def _rest(values: Slots, *used: Key) -> Key:
    taken = {slot for key in used for slot, _ in key}
    return tuple(sorted(((s, v) for s, v in values.items() if s not in taken), key=_by_rank))


def _genders_in_columns(places: list[_Place]) -> list[_Place]:
    """Where some persons of a tense have gender and others do not, it belongs to the person."""
    persons: dict[tuple[Key, Key], dict[bool, set[Key]]] = defaultdict(lambda: defaultdict(set))
    for p in places:
        if _has("person", p.column):
            tense = _without(p.row, "gender", "animacy")
            persons[p.group, tense][_has("gender", p.row)].add(p.column)
    if not any(found[True] and found[False] - found[True] for found in persons.values()):
        return places
    return [
        _Place(p.cell, p.group, *_moved(p, "gender")) if _has("person", p.column) else p
        for p in places
    ]


def _animacy_in_columns(places: list[_Place]) -> list[_Place]:
    """An animacy that all cases tell apart, and not only the accusative, is a gender."""
    cases: dict[tuple[Key, Key, Key], set[Key]] = defaultdict(set)
    for p in places:
        if _has("animacy", p.row):
            cases[p.group, p.column, _only(p.row, "animacy")].add(_only(p.row, "case"))
    genders = {kind for kind, found in cases.items() if len(found) > 2}
    return [
        _Place(p.cell, p.group, *_moved(p, "animacy"))
        if (p.group, p.column, _only(p.row, "animacy")) in genders
        else p
        for p in places
    ]


def _moved(place: _Place, slot: str) -> tuple[Key, Key]:
    """Row and column, with a slot of the row in the column."""
    gender, others = _only(place.column, "gender"), _without(place.column, "gender")
    return _without(place.row, slot), (*gender, *_only(place.row, slot), *others)


def _grouped(places: list[_Place]) -> list[tuple[Key, Rows]]:
    """The tables in their order; persons and genders are not mixed in the columns of one."""
    with_persons = {p.group for p in places if _has("person", p.column)}
    with_genders = {(p.group, p.row) for p in places if _has("gender", p.column)}
    found: dict[tuple[bool, Key], Rows] = {}
    for p in places:
        own = (p.group, p.row) not in with_genders
        personal = _has("person", p.column) or (p.group in with_persons and own)
        rows = found.setdefault((not personal, p.group), {})
        rows.setdefault(p.row, {}).setdefault(p.column, []).append(p.cell)

    def order(name: tuple[bool, Key]) -> tuple[bool, bool, Any, bool]:
        impersonal, group = name
        return group != SIMPLE, _has("verb form", group), _rank(group), impersonal

    return [(name[1], _turned(found[name])) for name in sorted(found, key=order)]


def _turned(rows: Rows) -> Rows:
    """A table that is better read otherwise: without rows, or with a single person of its own."""
    columns = {column for row in rows.values() for column in row}
    if () in columns and len(columns) == 2:  # goes, beside go and went
        return {(*row, *column): {(): c} for row in rows for column, c in rows[row].items()}
    return _genders_in_rows(rows)


def _genders_in_rows(rows: Rows) -> Rows:
    """A table of genders and numbers that has no rows yet."""
    if list(rows) != [()] or not all(len(column) > 1 for column in rows[()]):
        return rows
    turned: Rows = {}
    for (first, *others), cells in rows[()].items():
        turned.setdefault((first,), {})[tuple(others)] = cells
    return turned if all(slot == "gender" for ((slot, _),) in turned) else rows


def _folded(tables: list[tuple[Key, Rows]]) -> list[tuple[tuple[Key, ...], Rows]]:
    """Tables of one row each become one table, where their columns are of one kind."""
    folded: list[tuple[tuple[Key, ...], Rows]] = []
    singles: dict[str, int] = {}  # by kind of columns, the place of the table that gathers them
    for group, rows in tables:
        if len(rows) > 1 or group == SIMPLE:
            folded.append(((group,), rows))
            continue
        [(row, columns)] = rows.items()
        name = (*group, *row)
        kind = next((s for c in columns for s, _ in c if s in ("person", "gender")), "")
        if kind in singles:
            groups, gathered = folded[singles[kind]]
            gathered.setdefault(name, {}).update(columns)
            folded[singles[kind]] = ((*groups, name), gathered)
        else:
            singles[kind] = len(folded)
            folded.append(((name,), {name: columns}))
    return folded


def _title(groups: tuple[Key, ...], terms: Terms) -> Label:
    if groups == (SIMPLE,):
        return terms.label(("NON-FINITE",))
    return terms.title([_tags(group) for group in groups])


def _grid(
    title: Label, tables: Sequence[tuple[Key, Rows]], cells: Sequence[Cell], terms: Terms
) -> Grid:
    """One table of those with the same title; rows and columns with the same name are one."""
    columns = sorted({c for _, rows in tables for row in rows.values() for c in row}, key=_rank)
    if all(_has("number", c, "SG") for c in columns if _has("gender", c)):
        names = {c: _without(c, "number") if _has("gender", c) else c for c in columns}
    else:
        names = {c: c for c in columns}
    table: dict[Label, dict[Label, list[int]]] = {}
    across = dict.fromkeys(terms.label(_tags(names[c])) for c in columns)
    slots = {slot for _, rows in tables for row in rows for slot, _ in row}
    bare = ("NO-CASE",) if "case" in slots else ("NO-GENDER",) if "gender" in slots else ()
    for group, rows in tables:
        for row in sorted(rows, key=_rank):
            alone = row == group and len(rows) == 1  # its name is the title
            label = Label() if alone else terms.label(_tags(row) or bare, _tags(group))
            line = table.setdefault(label, {})
            for column, found in rows[row].items():
                line.setdefault(terms.label(_tags(names[column])), []).extend(found)
    lines = [[_best(line.get(c, ()), cells) for c in across] for line in table.values()]
    labels, headings = tuple(table), tuple(across)
    if len(headings) > WIDEST and len(headings) > len(labels):
        lines = [list(line) for line in zip(*lines, strict=True)]
        labels, headings = headings, labels
    return Grid(title, headings, tuple(map(Line, labels, map(tuple, lines))))


def _best(places: Iterable[int], cells: Sequence[Cell]) -> tuple[int, ...]:
    """Of cells in one place those that are attested, or else the likeliest one; no form twice."""
    found = sorted(places, key=lambda place: (not cells[place].attested, -cells[place].score))
    attested = [place for place in found if cells[place].attested]
    forms = {cells[place].form: place for place in reversed(attested or found[:1])}
    return tuple(sorted(forms.values()))


def _has(slot: str, key: Key, value: str | None = None) -> bool:
    return any(name == slot and value in (None, own) for name, own in key)


def _without(key: Key, *slots: str) -> Key:
    return tuple(item for item in key if item[0] not in slots)


def _only(key: Key, slot: str) -> Key:
    return tuple(item for item in key if item[0] == slot)


def _tags(key: Key) -> Tags:
    return tuple(value for _, value in key)


def _by_rank(item: tuple[str, str]) -> tuple[int, str]:
    return (RANKS.get(item[1], len(RANKS)), item[1])


def _rank(key: Key) -> list[tuple[int, str]]:
    known = dict(key)
    first = [
        _by_rank((slot, known[slot])) if slot in known else ABSENT.get(slot, (-1, ""))
        for slot in SORTED
    ]
    return [*first, *(_by_rank(item) for item in key)]
