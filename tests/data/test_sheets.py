"""Tables as people have them: read right, or refused with a message that says what to change."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.awkward_files import HEADED, NOUNS, Awkward, everything, text, wide, workbook

from stepwrite.data.columns import understand
from stepwrite.data.examples import Example
from stepwrite.data.layouts import Layout
from stepwrite.data.reading import SheetFile, open_file
from stepwrite.data.tables import TableStyle, read_table, style_for, table_of, write_table
from stepwrite.errors import DataError, MissingExtraError

AWKWARD = list(everything())


def test_there_are_enough_awkward_files():
    assert len(AWKWARD) >= 40
    assert len({file.name for file in AWKWARD}) == len(AWKWARD)
    assert sum(bool(file.refusal) for file in AWKWARD) >= 15
    assert all(bool(file.rows) != bool(file.refusal) for file in AWKWARD)


@pytest.mark.parametrize("awkward", AWKWARD, ids=lambda awkward: awkward.name)
def test_an_awkward_file_is_read_right_or_refused(awkward: Awkward, tmp_path: Path):
    path = tmp_path / awkward.name
    path.write_bytes(awkward.content)
    if awkward.refusal:
        with pytest.raises(DataError, match=awkward.refusal) as raised:
            list(open_file(path, needs_form=True))
        assert raised.value.path == str(path)
        assert "\n" not in str(raised.value)
    else:
        assert list(open_file(path, needs_form=True)) == [Example(*row) for row in awkward.rows]


# Round trips

anything = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), max_size=6).map(str.strip)
tables = (
    st.integers(2, 4)
    .flatmap(
        lambda width: st.lists(
            st.lists(anything, min_size=width, max_size=width), min_size=2, max_size=6
        )
    )
    .filter(
        lambda rows: all(any(row) for row in rows) and all(any(c) for c in zip(*rows, strict=True))
    )
)


@settings(max_examples=25, deadline=None)
@given(tables, st.sampled_from(["a.xlsx", "a.ods"]))
def test_spreadsheets_lose_nothing(tmp_path_factory, rows, name):
    path = tmp_path_factory.getbasetemp() / name
    write_table(path, rows)
    assert [list(row.cells) for row in read_table(path).rows] == rows


STYLES = [
    style_for("a.csv"),
    style_for("a.tsv"),
    TableStyle(separator=";", encoding="utf-16", newline="\r\n"),
    TableStyle(separator="\t", encoding="utf-16-be"),
]


@pytest.mark.parametrize("style", STYLES, ids=str)
def test_text_is_written_in_the_same_style(tmp_path, style):
    notes = ["", 'say "so"', "a, b; c", "two\nlines\tand a tab", "=1+1", '"']
    rows = [["lemma", "form", "features", "notes"]]
    rows += [[*row, note] for row, note in zip(HEADED[1:], notes, strict=False)]
    write_table(tmp_path / "out", rows, style)
    table = read_table(tmp_path / "out")
    assert [list(row.cells) for row in table.rows] == rows
    assert table.style == style


def test_the_same_kind_of_file_comes_back(tmp_path):
    for style in (
        TableStyle("xlsx", sheet="Nomen & mehr"),
        TableStyle("ods", sheet="Nomen & mehr"),
    ):
        write_table(tmp_path / "any", HEADED, style)
        table = read_table(tmp_path / "any")
        assert table.style == style
        assert [list(row.cells) for row in table.rows] == HEADED


def test_marked_cells_have_a_colour(tmp_path):
    import openpyxl

    rows = [["a", "b"], ["c", "d"]]
    write_table(tmp_path / "marked.xlsx", rows, marked={(1, 0)})
    page = openpyxl.load_workbook(tmp_path / "marked.xlsx").active
    colours = {cell.coordinate: cell.fill.fgColor.rgb for row in page for cell in row}
    assert colours["A2"] == "00FFF2CC"
    assert colours["A1"] == colours["B2"] == "00000000"
    write_table(tmp_path / "marked.ods", rows, marked={(1, 0)})
    assert read_table(tmp_path / "marked.ods").rows[1].cells == ("c", "d")


def test_nothing_is_left_of_a_table_that_cannot_be_written(tmp_path):
    for name in ("a.xlsx", "a.ods"):
        with pytest.raises(DataError, match=f"{name}: a cell with a control character"):
            write_table(tmp_path / name, [["a"], ["b\x00"]])
    assert not list(tmp_path.iterdir())


def test_without_openpyxl_the_extra_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtraError, match=r"stepwrite\[sheets\]"):
        table_of(workbook(HEADED), "a.xlsx")


# What was understood


def summary(content: bytes, layout: Layout | None = None) -> list[str]:
    return understand(table_of(content, "nouns.csv"), layout).summary()


def test_three_lines_say_what_was_understood():
    rows = [[*row, "x"] for row in HEADED]
    rows[0][3] = "Anmerkung"
    assert summary(text([*rows, rows[1]], ",").encode()) == [
        "nouns.csv: text separated by commas, UTF-8, 61 rows, headings in row 1",
        "  lemma = 'lemma'; form = 'form'; features = 'features'; ignored: 'Anmerkung'",
        "  61 forms of 30 lemmas; 1 rows occur more than once; first: Aak + N;NEUT;GEN;PL -> Aake",
    ]


def test_three_lines_of_a_wide_table():
    table = wide(lambda case, number: f"{case}. {number}.")
    assert summary(workbook(table))[1:] == [
        "  lemma = 'Grundform'; 8 columns of forms (NOM. SG. = NOM;SG, GEN. SG. = GEN;SG, "
        "DAT. SG. = DAT;SG, ...)",
        "  180 cells are empty; 60 forms of 30 lemmas; first: Aak + NOM;PL -> Aake",
    ]


def test_cells_know_where_they_stand():
    table = table_of(text(wide(lambda case, number: f"{case};{number}"), ",").encode(), "w.csv")
    cells = list(understand(table).cells())
    assert len(cells) == 30 * 8
    for cell in cells:
        assert table.rows[cell.row].cells[cell.column] == cell.example.form
        assert table.rows[cell.row].line == cell.line == cell.row + 1
    assert sum(bool(cell.example.form) for cell in cells) == len(NOUNS)


def test_the_user_names_columns():
    layout = Layout("columns", ("lemma", "cell", "_", "cell"))
    table = table_of(b"x,Fall eins,?,N;PL\nTag,Tages,7,Tage\n", "t.csv")
    assert [cell.example for cell in understand(table, layout).cells()] == [
        Example("Tag", "Fall;eins", "Tages"),
        Example("Tag", "N;PL", "Tage"),
    ]
    with pytest.raises(DataError, match="line 1: 4 columns, expected 2"):
        understand(table, Layout("columns", ("lemma", "form")))


def test_a_row_of_headings_is_recognised_under_given_columns(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(text(HEADED, ",").encode())
    layout = Layout("columns", ("lemma", "form", "features"))
    assert list(open_file(path, layout)) == [Example(*row) for row in NOUNS]


def test_a_sheet_is_chosen_by_its_name(tmp_path):
    def verbs(book, page):
        book.create_sheet("Verben").append(["lemma", "form", "tags"])
        book["Verben"].append(["gehen", "ging", "V;PST"])

    path = tmp_path / "both.xlsx"
    path.write_bytes(workbook(HEADED, verbs))
    assert list(open_file(path, sheet="Verben")) == [Example("gehen", "V;PST", "ging")]
    with pytest.raises(DataError, match="no sheet 'Adverbien': there are 'Nomen', 'Verben'"):
        open_file(path, sheet="Adverbien")


def test_bad_rows_of_a_table_can_be_skipped(tmp_path):
    rows = [list(row) for row in HEADED]
    rows[3][1], rows[5][0] = "?", ""
    path = tmp_path / "bad.csv"
    path.write_bytes(text(rows, ",").encode())
    bad: list[DataError] = []
    file = open_file(path, needs_form=True, on_bad=bad.append)
    assert isinstance(file, SheetFile)
    assert len(list(file)) == len(NOUNS) - 2
    assert [error.line for error in bad] == [4, 6]
    assert file.n_rows == len(NOUNS)


def test_plain_files_are_still_streams(tmp_path):
    path = tmp_path / "plain.tsv"
    path.write_bytes(text(HEADED[1:], "\t").encode())
    file = open_file(path)
    assert not isinstance(file, SheetFile)
    assert file.layout.name == "unimorph"
    assert list(file) == [Example(*row) for row in NOUNS]
