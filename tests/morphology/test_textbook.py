"""Paradigms as grammars print them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from math import log

import pytest

from stepwrite import load
from stepwrite.model.pretrained import available
from stepwrite.morphology.paradigms import Cell, Paradigm
from stepwrite.morphology.textbook import Grid, grids

SHIPPED = [model.name for model in available()]


def cell(features: str, form: str = "", *, attested: bool = False, probability: float = 1) -> Cell:
    return Cell(features, form or features, log(probability), 1, attested)


def paradigm(pos: str, cells: Iterable[Cell], **values: str) -> Paradigm:
    return Paradigm("word", pos, values, (), tuple(cells))


def texts(grid: Grid, cells: Paradigm) -> list[list[str]]:
    return [
        ["/".join(cells.cells[place].form for place in places) for places in row.cells]
        for row in grid.rows
    ]


def rows(grid: Grid) -> list[str]:
    return [row.label.name for row in grid.rows]


def columns(grid: Grid) -> list[str]:
    return [column.name for column in grid.columns]


def test_cases_by_numbers() -> None:
    bundles = [f"N;{c};{n}" for c, n in product(("DAT", "NOM", "ACC"), ("PL", "SG"))]
    [grid] = grids(paradigm("N", map(cell, bundles)))
    assert columns(grid) == ["singular", "plural"]
    assert rows(grid) == ["nominative", "dative", "accusative"]


def test_tenses_by_persons_and_a_table_for_each_mood() -> None:
    persons = [f"{p};{n}" for n, p in product(("SG", "PL"), "123")]
    finite = [
        f"V;{mood};{tense};{person}"
        for mood, tense, person in product(("SBJV", "IND"), ("PST", "PRS"), persons)
    ]
    others = ["V;NFIN", "V.PTCP;PST", "V;IMP;2;SG", "V;IMP;2;PL"]
    tables = grids(paradigm("V", map(cell, [*finite, *others])), "deu")
    names = [table.title.name for table in tables]
    assert names == ["non-finite forms", "indicative", "subjunctive", "imperative"]
    assert rows(tables[0]) == ["infinitive", "past participle"]
    assert [row.label.native for row in tables[1].rows] == ["Präsens", "Präteritum"]
    assert columns(tables[1])[:4] == [
        "1st singular",
        "2nd singular",
        "3rd singular",
        "1st plural",
    ]


def test_genders_of_the_singular_stand_beside_the_plural() -> None:
    bundles = [f"ADJ;{g};{c};SG" for g, c in product(("MASC", "FEM"), ("NOM", "GEN"))]
    [grid] = grids(paradigm("ADJ", map(cell, [*bundles, "ADJ;NOM;PL", "ADJ;GEN;PL"])))
    assert columns(grid) == ["masculine", "feminine", "plural"]


def test_genders_by_numbers_where_there_is_no_case() -> None:
    bundles = [f"ADJ;{g};{n}" for g, n in product(("MASC", "FEM"), ("SG", "PL"))]
    [grid] = grids(paradigm("ADJ", map(cell, bundles)))
    assert (rows(grid), columns(grid)) == (["masculine", "feminine"], ["singular", "plural"])


def test_degrees_are_one_table() -> None:
    [grid] = grids(paradigm("ADJ", map(cell, ["ADJ;SPRL", "ADJ", "ADJ;CMPR"])))
    assert grid.title.name == "degrees of comparison"
    assert rows(grid) == ["positive", "comparative", "superlative"]


def test_persons_with_gender_are_rows_when_they_are_many() -> None:
    others = [f"{g};{p};{n}" for g, p, n in product(("MASC", "FEM"), "23", ("SG", "PL"))]
    persons = ["1;SG", *others]
    bundles = [f"V;{tense};{person}" for tense, person in product(("PST", "PRS"), persons)]
    [grid] = grids(paradigm("V", map(cell, bundles)))
    assert columns(grid) == ["present", "past"]
    assert "1st singular" in rows(grid)
    assert len(grid.rows) == len(persons)


def test_a_single_person_is_a_row() -> None:
    [grid] = grids(paradigm("V", map(cell, ["V;PST", "V;PRS;3;SG", "V;PRS"])))
    assert (rows(grid), columns(grid)) == (["present", "present 3rd singular", "past"], [""])


def test_what_is_said_twice_is_shown_once() -> None:
    """V;PST says less than V;PST;1;SG with the same form; a different form stays."""
    went = [cell("V;PST", "went"), cell("V;PST;1;SG", "went"), cell("V;PST;PL", "went")]
    [grid] = grids(paradigm("V", went))
    assert columns(grid) == ["1st singular", "plural"]
    other = paradigm("V", [*went[1:], cell("V;PST", "wended", attested=True)])
    assert "wended" in str([texts(grid, other) for grid in grids(other)])


def test_lexical_values_do_not_double_rows() -> None:
    nouns = [cell("N;INAN;GEN;PL", "домов", attested=True), cell("N;MASC;INAN;GEN;PL", "домов")]
    both = paradigm("N", nouns, gender="MASC", animacy="INAN")
    [grid] = grids(both)
    assert texts(grid, both) == [["домов"]]
    [[[places]]] = [[row.cells for row in grid.rows]]
    assert [both.cells[place].attested for place in places] == [True]


def test_a_noun_has_the_gender_of_its_attested_forms() -> None:
    cells = [
        cell("N;MASC;NOM;SG", "a", attested=True),
        cell("N;FEM;NOM;SG", "b", probability=0.9),
        cell("N;FEM;NOM;PL", "c", probability=0.9),
        cell("N;MASC;NOM;PL", "d", probability=0.1),
    ]
    noun = paradigm("N", cells)
    [grid] = grids(noun)
    assert texts(grid, noun) == [["a", "d"]]


def test_all_attested_forms_of_a_place_are_shown_and_guesses_beside_them_are_not() -> None:
    cells = [
        cell("N;MASC;SG", "chat", attested=True),
        cell("N;FEM;SG", "chatte", attested=True),
        cell("N;MASC+FEM;SG", "chats"),
    ]
    noun = paradigm("N", cells)
    [grid] = grids(noun)
    assert [text for line in texts(grid, noun) for text in line if text] == ["chat", "chatte"]


@pytest.mark.parametrize("name", SHIPPED)
def test_every_cell_of_every_model_has_one_place_with_a_plain_name(name: str) -> None:
    model = load(name).model
    assert model.cells is not None
    assert model.about.shipped is not None
    for pos in model.cells.parts_of_speech:
        bundles = model.cells.choices("word", pos, lexicon=model.lexicon)[0].bundles
        noun = paradigm(pos, [cell(features, attested=True) for features in bundles])
        tables = grids(noun, model.about.shipped.iso)
        placed = [k for table in tables for row in table.rows for c in row.cells for k in c]
        assert sorted(placed) == list(range(len(bundles)))
        labels = [
            label.name
            for table in tables
            for label in (table.title, *table.columns, *(row.label for row in table.rows))
        ]
        assert [text for text in labels if text != text.strip() or text.isupper()] == []
        assert not any("lgspec" in text.lower() or ";" in text for text in labels)
        for table in tables:
            assert len(set(rows(table))) == len(table.rows)
            assert len(set(columns(table))) == len(table.columns)
