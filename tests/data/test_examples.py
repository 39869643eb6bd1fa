"""Reading and writing examples: nothing lost, nothing guessed, every error located."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepwrite.data.examples import (
    LAYOUTS,
    Example,
    Layout,
    RowError,
    open_examples,
    write_examples,
)
from stepwrite.errors import DataError, StepwriteError

FORMS = Layout("columns", ("form",))
CUSTOM = Layout("columns", ("_", "form", "lemma", "_", "features"))


@pytest.fixture
def tsv(tmp_path):
    """Write bytes or text to a file and return its path."""

    def write(content: str | bytes, name: str = "train.tsv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def read(path: Path, layout: Layout | None = None, **options) -> list[Example]:
    return list(open_examples(path, layout, **options))


def written(examples: Iterable[Example], layout: Layout) -> str:
    file = io.StringIO(newline="")
    write_examples(file, examples, layout)
    return file.getvalue()


# Writing and reading

# No tab and no line feed; \r is allowed except at the end, where it would end the line.
cells = st.text(st.characters(exclude_characters="\t\n", exclude_categories=["Cs"])).filter(
    lambda cell: not cell.endswith("\r")
)
lemmas = cells.filter(str.strip)
examples = st.lists(st.builds(Example, lemmas, cells, cells), min_size=1)


@given(examples, st.sampled_from([*LAYOUTS.values(), CUSTOM, FORMS]))
def test_what_is_written_reads_back_the_same(tmp_path_factory, rows, layout):
    rows = [
        Example(*(cell if field in layout.columns else "" for field, cell in row._asdict().items()))
        for row in rows
    ]
    path = tmp_path_factory.getbasetemp() / "round-trip.tsv"
    path.write_bytes(written(rows, layout).encode())
    assert read(path, layout) == rows


ODD_ROWS = [
    "a la carte\tADJ;ABL; PL\tà la carte",
    "ev\tN;INS(SG;PSS(2,SG))\tevinle",
    "et\tN;NOM(DEF;SG)\tet",
    "yad\tN;{A/B};V+N;LGSPEC1\tyod",
    "e\u0301te\u0301\tN;non{NOM};3rd_PERSON_PLURAL\tété",  # not NFC
    " x \tN; SG \t x\u2028y ",
    "a\x0bb\tN;SG\ta\x85b\x1c",
    "a\rb\tN;SG\ta\x00b",
]


def test_rows_of_real_files_are_kept_as_they_stand(tsv):
    text = "\n".join(ODD_ROWS) + "\n"
    file = open_examples(tsv(text))
    assert file.layout == LAYOUTS["sigmorphon2023"]
    rows = list(file)
    assert written(rows, file.layout) == text
    assert rows[5] == Example(" x ", "N; SG ", " x\u2028y ")


def test_crlf_bom_blank_lines_and_a_missing_last_line_end(tsv):
    path = tsv(
        b"\xef\xbb\xbf\r\nHaus\tN;PL\tH\xc3\xa4user\r\n \r\n\nTag\tN;PL\tTage\r\n\nHut\tN;SG\tHut"
    )
    rows = list(open_examples(path).rows())
    assert [row.example.form for row in rows] == ["Häuser", "Tage", "Hut"]
    assert [row.line for row in rows] == [2, 5, 7]


@pytest.mark.parametrize("cell", ["a\tb", "a\nb", "b\r"])
def test_a_cell_that_would_break_the_file_is_not_written(cell):
    with pytest.raises(StepwriteError, match="can't write row 2: a cell contains a tab"):
        written([Example("x", "y", "z"), Example("x", "y", cell)], LAYOUTS["sigmorphon2016"])


def test_a_lemma_that_starts_like_a_bom_survives_as_the_first(tsv):
    rows = [Example("\ufeffTag", "N;PL", "Tage")]
    assert read(tsv(written(rows, LAYOUTS["unimorph"]))) == rows


def test_ignored_columns_are_written_empty():
    assert written([Example("Tag", "N;PL", "Tage")], CUSTOM) == "\tTage\tTag\t\tN;PL\n"


def test_a_list_of_forms_keeps_its_empty_answers(tsv):
    rows = list(open_examples(tsv("Tage\n\nHüte\n"), FORMS).rows())
    assert [(row.line, row.example.form) for row in rows] == [(1, "Tage"), (2, ""), (3, "Hüte")]


def test_reading_streams(monkeypatch):
    """The first rows are available before the rest has been read."""
    asked = 0

    def endless():
        nonlocal asked
        while True:
            asked += 1
            yield b"Tag\tTage\tN;PL\n"

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=endless()))
    file = open_examples("-")
    assert file.path == "<stdin>"
    assert next(iter(file)) == Example("Tag", "N;PL", "Tage")
    assert asked <= 201


def test_a_second_reading_is_refused(tsv):
    file = open_examples(tsv("Tag\tTage\tN;PL\n"))
    assert len(list(file)) == 1
    with pytest.raises(RuntimeError, match="already been read"):
        list(file)


# Layouts

DETECTED = [
    ("sigmorphon2016", "gehen\tpos=V,tense=PST\tging"),
    ("sigmorphon2016", "ktb\tpos=V,num={DU/PL},arg=ARGNO1P+ARGDA3SM\tktbn"),
    ("sigmorphon2016", "gehen\tpos=V,tense=PST\t"),
    ("unimorph", "gehen\tging\tV;PST;3;SG"),
    ("unimorph", "gehen\tgehen\tV"),
    ("unimorph", "gehen\t\tV;PST;3;SG"),
    ("unimorph", "xizmat\txizmatlar\tN; PL;3rd_PERSON_PLURAL"),
    ("unimorph", "give up\tg a v e\tV;PST"),
    ("sigmorphon2023", "gehen\tV;PRS;NOM(3,SG)\tgeht"),
    ("sigmorphon2023", "ev\tN;INS(SG;PSS(2,SG))\t"),
    ("covered", "gehen\tV;PST;3;SG"),
    ("covered", "gehen\tpos=V"),
    ("g2p", "cheese\tt ʃ iː z"),
    ("g2p", "cheese\tCH IY1 Z"),
]


@pytest.mark.parametrize(("name", "row"), DETECTED)
@pytest.mark.parametrize("allow_extra", [False, True])
def test_detection(tsv, name, row, allow_extra):
    file = open_examples(tsv(f"{row}\n" * 3), allow_extra=allow_extra)
    assert file.detected
    assert file.layout == LAYOUTS[name]
    assert [row.extra for row in file.rows()] == [()] * 3


@pytest.mark.parametrize(("name", "row"), [case for case in DETECTED if case[0] != "covered"])
def test_guesses_beyond_the_layout_do_not_disturb_detection(tsv, name, row):
    path = tsv(f"{row}\tc h i z\t\n" * 3)
    file = open_examples(path, allow_extra=True)
    assert file.layout == LAYOUTS[name]
    assert [row.extra for row in file.rows()] == [("c h i z", "")] * 3
    with pytest.raises(DataError):
        read(path)


def test_unimorph_with_segmentation(tsv):
    file = open_examples(tsv("walk\twalked\tV;PST\twalk|ed\nsheep\tsheep\tN;PL\t-\n"))
    assert file.layout == Layout("unimorph", ("lemma", "form", "features", "_"))
    assert list(file) == [Example("walk", "V;PST", "walked"), Example("sheep", "N;PL", "sheep")]


@pytest.mark.parametrize(
    "text",
    [
        "gehen\n",
        "gehen\tging\n",
        "gehen\t\n",
        "gehen\tging\tgegangen\n",
        "gehen\tV;PST\tV;PST\n",
        "gehen\tging\tpos=V,tense=PST\n",
        "V;PST\tgehen\tging\n",
        "gehen\tV;PST\tging\ngehen\tging\tV;PST\n",
        "gehen\tging\tV;PST\n" * 2 + "gehen\tV;PST\n" * 2,
        "gehen\tging\tV;PST\t17\n",
        "a\tb\tc\td\te\n",
    ],
)
def test_what_is_not_sure_is_not_guessed(tsv, text):
    with pytest.raises(DataError, match=r"train.tsv, line 2: can't detect .* --layout.*--columns"):
        open_examples(tsv("\n" + text))


def test_a_few_odd_rows_do_not_change_the_layout(tsv):
    path = tsv("Tag\tTage\tN;PL\n" * 9 + "Tag\tN;PL\tTage\n" + "x\ty\n")
    assert open_examples(path).layout == LAYOUTS["unimorph"]


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        (("lemma", "tags"), "unknown column 'tags'"),
        (("lemma", "form", "form"), "named twice"),
        (("features", "form"), "no lemma"),
        (("_",), "no lemma"),
        (("",), "unknown column ''"),
    ],
)
def test_layouts_that_make_no_sense(columns, problem):
    with pytest.raises(ValueError, match=problem):
        Layout("columns", columns)


# Bad input: each error with file, line and value

BAD_ROWS = [
    ("aalen\tV;PST", r"2 columns, expected 3 \(lemma, form, features\): 'aalen\\tV;PST'"),
    ("a\tb\tV;PST\td", r"4 columns, expected 3 .*: 'a\\tb\\tV;PST\\td'"),
    ("aalen", r"1 column, expected 3"),
    ("\taalte\tV;PST", r"empty lemma: '\\taalte\\tV;PST'"),
    (" \taalte\tV;PST", r"empty lemma: ' \\taalte"),
    ("\t\t", r"empty lemma: '\\t\\t'"),
    ("aalen\t\tV;PST", r"empty form: 'aalen\\t\\tV;PST'"),
    (b"K\xe4se\tK\xe4se\tN;SG", r"not UTF-8: byte 0xe4 at offset 2: b'K\\xe4se\\tK\\xe4se"),
    (b"Tag\tTage\tN;PL\xc3", r"not UTF-8: byte 0xc3"),
    ("a" * 1000, r"1 column, .*: 'a{59}…'$"),
]
GOOD = b"Tag\tTage\tN;PL\n"


@pytest.mark.parametrize(("row", "problem"), BAD_ROWS)
@pytest.mark.parametrize("n_before", [4, 300])  # within the rows used for detection, and after
def test_a_bad_row_is_named_or_skipped(tsv, row, problem, n_before):
    row = row.encode() if isinstance(row, str) else row
    path = tsv(GOOD * n_before + b"\n" + row + b"\n" + GOOD)
    with pytest.raises(RowError, match=problem) as caught:
        read(path, needs_form=True)
    assert str(caught.value).startswith(f"{path}, line {n_before + 2}: ")

    bad: list[DataError] = []
    file = open_examples(path, needs_form=True, on_bad=bad.append)
    rows = list(file.rows())
    assert [row.line for row in rows] == [*range(1, n_before + 1), n_before + 3]
    assert [str(error) for error in bad] == [str(caught.value)]
    assert file.n_rows == n_before + 2


def test_too_few_columns_are_bad_even_where_more_are_allowed(tsv):
    with pytest.raises(DataError, match=r"line 2: 2 columns, expected 3 or more"):
        read(tsv("a\tb\tc\td\na\tb\n"), LAYOUTS["unimorph"], allow_extra=True)


@pytest.mark.parametrize("layout", [None, LAYOUTS["unimorph"]])
@pytest.mark.parametrize("on_bad", [None, lambda error: None])
def test_files_that_cannot_be_read_at_all(tsv, tmp_path, layout, on_bad):
    def problem(path: Path) -> str:
        with pytest.raises(DataError) as caught:
            read(path, layout, on_bad=on_bad)
        assert str(path) in str(caught.value)
        return caught.value.problem

    assert problem(tmp_path / "none.tsv") == "can't be read: No such file or directory"
    assert problem(tmp_path) == "can't be read: Is a directory"
    assert problem(tsv("")) == "no rows"
    assert problem(tsv(b"\xef\xbb\xbf\r\n \n\n")) == "no rows"
    assert "not UTF-8: byte 0xff at offset 1" in problem(tsv("Tag\tTage".encode("utf-16")))


def test_nothing_but_bad_rows_is_an_error_even_when_they_are_skipped(tsv):
    bad: list[DataError] = []
    with pytest.raises(DataError, match=r"line 2: none of the 2 rows can be used; .* empty form"):
        read(tsv("\na\t\tN;SG\nb\t\tN;PL\n"), needs_form=True, on_bad=bad.append)
    assert len(bad) == 2


def test_forms_are_needed_where_the_layout_has_none(tsv):
    with pytest.raises(DataError, match="forms are needed, but the layout covered"):
        open_examples(tsv("Tag\tN;PL\n"), needs_form=True)


# The benchmark files

DATA = os.environ.get("STEPWRITE_DATA")
FILES = sorted(Path(DATA).glob("*/*")) if DATA else []


@pytest.mark.skipif(not DATA, reason="STEPWRITE_DATA does not name the benchmark data")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_benchmark_files_are_detected_and_read_without_loss(path):
    file = open_examples(path, needs_form=True)
    assert file.layout == LAYOUTS["sigmorphon2016"]
    assert written(file, file.layout).rstrip("\n") == path.read_bytes().decode().rstrip("\n")
