"""Paradigms: all cells of a word, and their layout as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp
from typing import Any

from stepwrite.morphology.cells import values_of
from stepwrite.terminal import columns_of, html_table, visible

# Values with a customary order; the others follow alphabetically.
ORDER = (
    "NFIN INF FIN IND SBJV COND IMP PRS PST FUT IPFV PFV PRF ACT PASS POS NEG CMPR SPRL INDF DEF "
    "MASC FEM NEUT NOM GEN DAT ACC ABL LOC INS VOC ANIM INAN 1 2 3 SG DU PL"
)
RANKS = {value: rank for rank, value in enumerate(ORDER.split())}


@dataclass(frozen=True)
class Cell:
    """One form of a paradigm; the rest is as in a prediction. others: more attested forms."""

    features: str
    form: str
    score: float
    votes: int
    attested: bool | None = None
    complete: bool = True
    others: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()

    @property
    def probability(self) -> float:
        return exp(self.score)


@dataclass(frozen=True)
class Row:
    """One row of a table: the values of its slots ("" if absent) and one cell per column."""

    values: tuple[str, ...]
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True)
class Table:
    """Cells in rows and columns.

    slots: the slots whose values label the rows. column_slot: the slot whose values are the
    columns, None if the cells differ in at most one slot and form a single column.
    """

    slots: tuple[str, ...]
    column_slot: str | None
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, repr=False)
class Paradigm:
    """The cells of a lemma that the model's training data has for words like it; prints as a table.

    values: features that all cells share, because they are lexical (gender) or because the user
    fixed them. guessed: which of them, and of "part of speech", were guessed from the ending.
    also: further paradigms, where the lexicon has the lemma with other parts of speech or genders.
    """

    lemma: str
    pos: str
    values: Mapping[str, str]
    guessed: tuple[str, ...]
    cells: tuple[Cell, ...]
    also: tuple[Paradigm, ...] = ()

    def layout(self) -> Table:
        """The cells as a table.

        The columns are the values of the slot that leaves the fewest gaps or, of several, the one
        with the fewest values; the other slots in which cells differ label the rows, the one with
        the most values last, since it changes from row to row.

        >>> forms = {"NOM;SG": "Haus", "DAT;SG": "Haus", "NOM;PL": "Häuser", "DAT;PL": "Häusern",
        ...          "GEN;SG": "Hauses"}
        >>> cells = tuple(Cell(f"N;{features}", form, 0.0, 1) for features, form in forms.items())
        >>> table = Paradigm("Haus", "N", {}, (), cells).layout()
        >>> table.slots, table.columns
        (('case',), ('SG', 'PL'))
        >>> for row in table.rows:
        ...     print(*row.values, *(cell.form if cell else "-" for cell in row.cells))
        NOM Haus Häuser
        GEN Hauses -
        DAT Haus Häusern
        """
        values = values_of([cell.features for cell in self.cells])
        taken: dict[str, set[str]] = {
            slot: {said.get(slot, "") for said in values.values()}
            for slot in sorted({slot for said in values.values() for slot in said})
        }
        varying = sorted((s for s in taken if len(taken[s]) > 1), key=lambda s: (len(taken[s]), s))

        def place(features: str, slots: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(values[features].get(slot, "") for slot in slots)

        def others(slot: str | None) -> tuple[str, ...]:
            return tuple(other for other in varying if other != slot)

        def size(slot: str) -> int:
            return len(taken[slot]) * len({place(f, others(slot)) for f in values})

        column_slot = min(varying, key=size) if len(varying) > 1 else None
        slots = others(column_slot)
        columns = sorted(taken[column_slot], key=_rank) if column_slot else [""]
        at = {
            (place(c.features, slots), values[c.features].get(column_slot or "", "")): c
            for c in self.cells
        }
        names = sorted({row for row, _ in at}, key=lambda row: [_rank(value) for value in row])
        return Table(
            slots=slots,
            column_slot=column_slot,
            columns=tuple(columns),
            rows=tuple(Row(row, tuple(at.get((row, c)) for c in columns)) for row in names),
        )

    def __str__(self) -> str:
        """A heading and a table; * marks forms that the model's lexicon attests."""
        own = "\n".join(visible(line) for line in (self._heading(), *columns_of(self._texts())))
        return "\n\n".join([own, *map(str, self.also)])

    __repr__ = __str__  # so that an interpreter shows the table

    def _repr_html_(self) -> str:
        """For notebooks."""
        own = html_table(self._heading(), self._texts())
        return "\n".join([own, *(paradigm._repr_html_() for paradigm in self.also)])

    def _heading(self) -> str:
        """The word, its part of speech and features, and which of these were guessed."""
        named = {"part of speech": self.pos, **self.values}
        said = (
            (value if name == "part of speech" else f"{name}={value}")
            + (" (guessed)" if name in self.guessed else "")
            for name, value in named.items()
            if value
        )
        return ", ".join([self.lemma, *said])

    def _texts(self) -> list[list[str]]:
        """The cells of the table as text: a row of headings, then the rows."""
        table = self.layout()
        headings = [*table.slots, *(column or "-" for column in table.columns)]
        if table.column_slot is None:
            headings[-1] = "form"
        return [
            headings,
            *([*(v or "-" for v in row.values), *map(_text, row.cells)] for row in table.rows),
        ]

    def to_json(self) -> dict[str, Any]:
        """Plain data, the same in JSON lines and in the service's answers."""
        values = values_of([cell.features for cell in self.cells])
        places = {cell.features: place for place, cell in enumerate(self.cells)}
        table = self.layout()
        return {
            "lemma": self.lemma,
            "pos": self.pos,
            "values": dict(self.values),
            "guessed": list(self.guessed),
            "cells": [
                {
                    "features": cell.features,
                    "values": values[cell.features],
                    "form": cell.form,
                    "score": cell.score,
                    "probability": cell.probability,
                    "votes": cell.votes,
                    "attested": cell.attested,
                    "complete": cell.complete,
                    "others": list(cell.others),
                    "doubts": list(cell.doubts),
                }
                for cell in self.cells
            ],
            "also": [paradigm.to_json() for paradigm in self.also],
            "table": {
                "slots": list(table.slots),
                "column_slot": table.column_slot,
                "columns": list(table.columns),
                "rows": [
                    {
                        "values": list(row.values),
                        "cells": [cell and places[cell.features] for cell in row.cells],
                    }
                    for row in table.rows
                ],
            },
        }


def _text(cell: Cell | None) -> str:
    return f"{cell.form} {cell.probability:.2f}{'*' * bool(cell.attested)}" if cell else ""


def _rank(value: str) -> tuple[int, str]:
    return (RANKS.get(value, len(RANKS)), value)
