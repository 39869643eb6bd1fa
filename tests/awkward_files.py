"""Awkward files: the same German nouns in all the ways in which people keep such tables.

    python -m tests.awkward_files FOLDER

writes them all. A file is to be read as `rows`, or refused with a message that matches `refusal`.
"""

from __future__ import annotations

import csv
import datetime
import io
import re
import sys
import unicodedata
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openpyxl

from stepwrite.data.opendocument import write_opendocument

SOURCE = Path(__file__).parents[1] / "examples" / "german-nouns" / "train.tsv"
Row = tuple[str, str, str]  # lemma, features, form


@dataclass(frozen=True)
class Awkward:
    name: str
    content: bytes
    rows: Sequence[Row] = ()
    refusal: str = ""


def nouns() -> list[Row]:
    """Sixty rows of two cells each, some of whose words have umlauts."""
    lines = SOURCE.read_text("utf-8").splitlines()[:60]
    return [(lemma, bundle, form) for lemma, form, bundle in (line.split("\t") for line in lines)]


NOUNS = nouns()
HEADED = [["lemma", "form", "features"], *([lemma, form, tags] for lemma, tags, form in NOUNS)]


def text(
    rows: Sequence[Sequence[str]], separator: str, newline: str = "\n", quote_all: bool = False
) -> str:
    file = io.StringIO(newline="")
    quoting: Any = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    csv.writer(file, delimiter=separator, lineterminator=newline, quoting=quoting).writerows(rows)
    return file.getvalue()


def headed(*names: str) -> list[list[str]]:
    return [list(names), *HEADED[1:]]


def workbook(
    rows: Sequence[Sequence[object]], change: Callable[[Any, Any], None] = lambda book, page: None
) -> bytes:
    """An xlsx file; `change` gets the workbook and its sheet."""
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    page.title = "Nomen"
    for row in rows:
        page.append(list(row))
    change(book, page)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def columns_of(bundle: str) -> list[str]:
    return bundle.split(";")  # N, gender, case, number


CASES = {"NOM": "Nominativ", "GEN": "Genitiv", "DAT": "Dativ", "ACC": "Akkusativ"}
NUMBERS = {"SG": "Singular", "PL": "Plural"}


def in_german() -> list[list[str]]:
    rows = [["Grundform", "Kasus", "Numerus", "Form", "Anmerkung"]]
    for lemma, bundle, form in NOUNS:
        _, _, case, number = columns_of(bundle)
        rows.append([lemma, CASES[case], NUMBERS[number], form, "vgl. Duden, S. 3"])
    return rows


def as_german() -> list[Row]:
    return [(row[0], f"Kasus={row[1]},Numerus={row[2]}", row[3]) for row in in_german()[1:]]


def wide(heading: Callable[[str, str], str], gender: bool = False) -> list[list[str]]:
    """One row for each lemma; `heading` makes a column's of case and number."""
    cells = [(case, number) for number in NUMBERS for case in CASES]
    rows = [["Grundform", *(["Genus"] if gender else []), *(heading(*cell) for cell in cells)]]
    for lemma in dict.fromkeys(lemma for lemma, _, _ in NOUNS):
        known = {b[-6:]: (b, form) for other, b, form in NOUNS if other == lemma}
        forms = [known.get(f"{case};{number}", ("", ""))[1] for case, number in cells]
        genders = [columns_of(bundle)[1] for bundle, _ in known.values()]
        rows.append([lemma, *(genders[:1] if gender else []), *forms])
    return rows


def from_wide(bundle: Callable[[str, str, str], str]) -> list[Row]:
    """What a wide table holds: by lemma, then by column; `bundle` gets gender, case, number."""
    cells = [f"{case};{number}" for number in NUMBERS for case in CASES]
    lemmas = list(dict.fromkeys(lemma for lemma, _, _ in NOUNS))
    order = sorted(NOUNS, key=lambda row: (lemmas.index(row[0]), cells.index(row[1][-6:])))
    return [(lemma, bundle(*columns_of(tags)[1:]), form) for lemma, tags, form in order]


def key_values(bundle: str) -> str:
    _, gender, case, number = columns_of(bundle)
    return f"pos=N,gen={gender},case={case},num={number}"


def everything() -> Iterator[Awkward]:
    yield from texts()
    yield from headings()
    yield from wide_tables()
    yield from spreadsheets()
    yield from odd_cells()
    yield from refused()


def texts() -> Iterator[Awkward]:
    """Encodings, separators, quotes and line ends."""
    yield Awkward("comma.csv", text(HEADED, ",").encode(), NOUNS)
    yield Awkward("semicolon.csv", text(HEADED, ";").encode(), NOUNS)
    yield Awkward("tab.tsv", text(HEADED, "\t").encode(), NOUNS)
    yield Awkward("quoted.csv", text(HEADED, ",", quote_all=True).encode(), NOUNS)
    yield Awkward("quoted.tsv", text(HEADED, "\t", quote_all=True).encode(), NOUNS)
    yield Awkward("bom.csv", text(HEADED, ";").encode("utf-8-sig"), NOUNS)
    yield Awkward("bom-quoted.csv", text(HEADED, ",", "\r\n", True).encode("utf-8-sig"), NOUNS)
    yield Awkward("utf16-le.txt", text(HEADED, "\t", "\r\n").encode("utf-16"), NOUNS)
    big_endian = "\ufeff".encode("utf-16-be") + text(HEADED, ";").encode("utf-16-be")
    yield Awkward("utf16-be.csv", big_endian, NOUNS)
    yield Awkward("utf16-unmarked.csv", text(HEADED, ",").encode("utf-16-le"), NOUNS)
    yield Awkward("utf32.csv", text(HEADED, ",").encode("utf-32"), NOUNS)
    yield Awkward("crlf.csv", text(HEADED, ",", "\r\n").encode(), NOUNS)
    yield Awkward("cr.csv", text(HEADED, ";", "\r").encode(), NOUNS)
    yield Awkward("sep.csv", b"sep=;\r\n" + text(HEADED, ";", "\r\n").encode(), NOUNS)
    trailing = [[*row, "", ""] for row in HEADED]
    yield Awkward("trailing-commas.csv", text(trailing, ",").encode(), NOUNS)
    spread = [line for row in HEADED for line in (row, ["", "", ""])]
    yield Awkward("empty-rows.csv", text(spread, ",").encode() + b"\n\n", NOUNS)
    padded = [[f" {cell}\u00a0" for cell in row] for row in HEADED]
    yield Awkward("padded.csv", text(padded, ",").encode(), NOUNS)
    valued = [(lemma, key_values(bundle), form) for lemma, bundle, form in NOUNS]
    rows = [["lemma", "features", "form"], *valued]
    # Excel's tab-separated text has quotes around cells with commas only.
    quoted = "\n".join("\t".join(f'"{c}"' if "," in c else c for c in row) for row in rows)
    yield Awkward("excel-tabs.txt", quoted.encode(), valued)
    yield Awkward("key-value.csv", text(rows, ";").encode(), valued)
    yield Awkward("named.xlsx", text(HEADED, ",").encode(), NOUNS)


def headings() -> Iterator[Awkward]:
    """Columns by name, in several languages, or by content."""
    names = {
        "german": ("Grundform", "Flektierte Form", "Merkmale"),
        "french": ("lemme", "forme fléchie", "traits"),
        "spanish": ("Lema", "Forma", "Rasgos"),
        "russian": ("Лемма", "Словоформа", "Признаки"),
        "finnish": ("perusmuoto", "taivutusmuoto", "piirteet"),
        "capital": (" LEMMA ", "Word_Form", "Tags:"),
        "word": ("lemma", "Wort", "Tag"),
        "word-lemma": ("word", "form", "msd"),
        "by-content": ("Lemma", "Form", "Spalte C"),
    }
    for name, heads in names.items():
        yield Awkward(f"{name}.csv", text(headed(*heads), ";").encode(), NOUNS)
    turned = [[tags, form, "x", lemma] for lemma, form, tags in headed("lemma", "form", "tags")]
    turned[0] = ["tags", "form", "Anmerkung", "lemma"]
    yield Awkward("order.csv", text(turned, ",").encode(), NOUNS)
    yield Awkward("no-headings.csv", text(HEADED[1:], ",").encode(), NOUNS)
    apart = "".join(f"{lemma};{form};{bundle}\n" for lemma, bundle, form in NOUNS)
    yield Awkward("tags-apart.csv", apart.encode(), NOUNS)
    yield Awkward("features-apart.csv", text(in_german(), ",").encode(), as_german())
    with_pos = [["Wortart", "lemma", "form", "features"]]
    with_pos += [["N", lemma, form, bundle[2:]] for lemma, bundle, form in NOUNS]
    yield Awkward("pos-apart.csv", text(with_pos, ",").encode(), NOUNS)
    dotted = [[lemma, ".".join(columns_of(b)[2:]), form] for lemma, b, form in NOUNS]
    expected = [(lemma, b[-6:], form) for lemma, b, form in NOUNS]
    rows = [["Lemma", "Merkmale", "Form"], *dotted]
    yield Awkward("glosses.csv", text(rows, ",").encode(), expected)
    english = [("form", "N;PL", "forms"), ("word", "N;PL", "words"), ("case", "N;PL", "cases")]
    plain = "".join(f"{lemma}\t{form}\t{bundle}\n" for lemma, bundle, form in english)
    yield Awkward("form-is-a-word.tsv", plain.encode(), english)


def wide_tables() -> Iterator[Awkward]:
    def tags(case: str, number: str) -> str:
        return f"N;{case};{number}"

    def short(case: str, number: str) -> str:
        return f"{case.title()}. {number.title()}."

    def long(case: str, number: str) -> str:
        return f"{CASES[case]} {NUMBERS[number]}"

    bare = from_wide(lambda gender, case, number: f"{case};{number}")
    with_pos = from_wide(lambda gender, case, number: f"N;{case};{number}")
    with_gender = from_wide(lambda gender, case, number: f"{gender};{case};{number}")
    yield Awkward("wide-tags.csv", text(wide(tags), ";").encode(), with_pos)
    yield Awkward("wide-short.csv", text(wide(short), ",").encode(), bare)
    yield Awkward("wide-long.xlsx", workbook(wide(long)), bare)
    yield Awkward("wide-gender.xlsx", workbook(wide(long, gender=True)), with_gender)
    yield Awkward("wide-gender.ods", write_opendocument(wide(tags), "A", ()), with_pos)
    unnamed = wide(tags)
    unnamed[0][0] = ""
    yield Awkward("wide-unnamed.csv", text(unnamed, ",").encode(), with_pos)
    unknown = wide(short)
    unknown[0][3] = "Fall drei"
    yield Awkward("wide-unknown.csv", text(unknown, ",").encode(), refusal="'Fall drei'.*--columns")
    same = wide(short)
    same[0][2] = "Nominativ Singular"
    yield Awkward("wide-same.csv", text(same, ",").encode(), refusal="the same features NOM;SG")


def spreadsheets() -> Iterator[Awkward]:
    yield Awkward("simple.xlsx", workbook(HEADED), NOUNS)
    yield Awkward("simple.ods", write_opendocument(HEADED, "Nomen", ()), NOUNS)
    yield Awkward("named.csv", workbook(HEADED), NOUNS)

    def merge_lemmas(book: Any, page: Any) -> None:
        for first in range(2, len(NOUNS) + 2, 2):
            page.merge_cells(start_row=first, end_row=first + 1, start_column=1, end_column=1)

    yield Awkward("merged-lemmas.xlsx", workbook(HEADED, merge_lemmas), NOUNS)

    def merge_heading(book: Any, page: Any) -> None:
        page.merge_cells("A1:B1")

    message = "merged cells A1:B1 .*unmerge"
    yield Awkward("merged-heading.xlsx", workbook(HEADED, merge_heading), refusal=message)

    def second_sheet(book: Any, page: Any) -> None:
        book.create_sheet("Verben").append(["lemma", "form"])

    message = "2 sheets: give --sheet with one of 'Nomen', 'Verben'"
    yield Awkward("two-sheets.xlsx", workbook(HEADED, second_sheet), refusal=message)

    def empty_sheet(book: Any, page: Any) -> None:
        book.create_sheet("Tabelle2")

    yield Awkward("empty-sheet.xlsx", workbook(HEADED, empty_sheet), NOUNS)

    def spread(book: Any, page: Any) -> None:
        page.insert_rows(2, 3)
        page.insert_rows(9)
        page.insert_cols(2)

    yield Awkward("gaps.xlsx", workbook(HEADED, spread), NOUNS)

    def title(book: Any, page: Any) -> None:
        page.insert_rows(1, 2)
        page["A1"] = "Deutsche Nomen, Feldforschung 2024"

    message = "row 1|line 1: only one cell is filled; delete titles"
    yield Awkward("title.xlsx", workbook(HEADED, title), refusal=message)
    persons = [["lemma", "Person", "Numerus", "form"], ["gehen", 1, "Sg", "gehe"]]
    persons += [["gehen", 2, "Sg", "gehst"], ["gehen", 3, "Sg", "geht"]]
    expected = [
        ("gehen", f"Person={number},Numerus=Sg", form)
        for number, form in ((1, "gehe"), (2, "gehst"), (3, "geht"))
    ]
    yield Awkward("persons.xlsx", workbook(persons), expected)
    dates: list[Sequence[object]] = [[*row, datetime.date(2024, 3, 1)] for row in HEADED]
    dates[0] = [*HEADED[0], "Datum"]
    yield Awkward("ignored-dates.xlsx", workbook(dates), NOUNS)


def odd_cells() -> Iterator[Awkward]:
    """Cells that spreadsheet programs or people have changed."""

    def with_cell(value: object, row: int = 4, column: int = 2) -> list[list[object]]:
        rows: list[list[object]] = [list(cells) for cells in HEADED]
        rows[row][column - 1] = value
        return rows

    date = datetime.date(2024, 3, 1)
    yield Awkward(
        "date.xlsx", workbook(with_cell(date)), refusal="line 5: column 2: a date, not text"
    )
    yield Awkward("true.xlsx", workbook(with_cell(True)), refusal="line 5: .*truth value, not text")
    yield Awkward("number.xlsx", workbook(with_cell(1.5)), refusal="line 5: .*a number, not text")
    formula = workbook(with_cell('=A5&"e"'))
    yield Awkward("formula.xlsx", formula, refusal="line 5: .*formula without a result")
    for name, value, message in (
        ("two-forms", "Äster/Aste", "line 5: several forms .*its own row: 'Äster/Aste'"),
        ("optional", "Äst(er)", "line 5: several forms"),
        ("placeholder", "—", "line 5: .*sign for a missing one: delete such rows: '—'"),
        ("question", "?", "line 5: .*missing one"),
        ("lost", "\ufffdster", "line 5: letters were lost when the file was saved"),
        ("garbled", "Äster".encode().decode("cp1252"), "line 5: letters were lost"),
        ("empty-form", "", "line 5: empty form"),
        ("line-break", "Äster\nAste", "line 5: several forms"),
    ):
        rows = [[str(cell) for cell in row] for row in with_cell(value)]
        yield Awkward(f"{name}.csv", text(rows, ",").encode(), refusal=message)
    below = [[("" if i % 2 == 0 and i else row[0]), *row[1:]] for i, row in enumerate(HEADED)]
    message = "line 3: empty lemma: fill it in on every row"
    yield Awkward("lemma-once.csv", text(below, ",").encode(), refusal=message)
    bare = [[str(cell) for cell in row] for row in with_cell("", column=3)]
    yield Awkward("no-features.csv", text(bare, ",").encode(), refusal="line 5: no features")
    yield Awkward("doubled.csv", text([*HEADED, *HEADED[1:4]], ",").encode(), NOUNS + NOUNS[:3])
    mixed = [
        (lemma, bundle, unicodedata.normalize("NFD", form) if i % 2 else form)
        for i, (lemma, bundle, form) in enumerate(NOUNS)
    ]
    rows = [["lemma", "features", "form"], *map(list, mixed)]
    yield Awkward("normal-forms.csv", text(rows, ",").encode(), mixed)


def refused() -> Iterator[Awkward]:
    """Files that can't be understood as they are."""
    yield Awkward("latin1.csv", text(HEADED, ";").encode("latin-1"), refusal="not UTF-8.*CSV UTF-8")
    lines = text(HEADED, ",").splitlines()
    ragged = [*lines[:4], "Aast,Äster,Aste,N;NEUT;GEN;PL", *lines[5:]]
    message = "line 5: 4 cells, but most rows have 3: put quotes"
    yield Awkward("ragged.csv", "\n".join(ragged).encode(), refusal=message)
    stray = [*lines[:4], '"Aast,Äster,N;NEUT;GEN;PL', *lines[5:]]
    yield Awkward("stray-quote.csv", "\n".join(stray).encode(), refusal="quotes|separated")
    message = "headings that are not known: 'A', 'B', 'C'; name the columns"
    yield Awkward("unknown.csv", text(headed("A", "B", "C"), ",").encode(), refusal=message)
    yield Awkward("unknown.tsv", text(headed("A", "B", "C"), "\t").encode(), refusal=message)
    message = "'Form' and 'Wortform' may both be the form"
    twice = [[*row, row[1]] for row in headed("Lemma", "Form", "Merkmale")]
    twice[0][3] = "Wortform"
    yield Awkward("two-forms-columns.csv", text(twice, ",").encode(), refusal=message)
    no_form = [[row[0], row[2], "x"] for row in headed("Lemma", "", "Merkmale")]
    no_form[0][2] = "Sonstiges"
    yield Awkward("no-form.csv", text(no_form, ",").encode(), refusal="no column of forms")
    loose = [[lemma, form, f"{b[-2:]} usw"] for lemma, b, form in NOUNS]
    loose.insert(0, ["Lemma", "Form", "Sonstiges"])
    message = "no column of features, but unknown headings 'Sonstiges'"
    yield Awkward("no-features-column.csv", text(loose, ",").encode(), refusal=message)
    message = "old Excel file .*save it as .xlsx"
    yield Awkward("old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), refusal=message)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("word/document.xml", "<document/>")
    yield Awkward("letter.docx", archive.getvalue(), refusal="can't be read as xlsx")
    broken = workbook(HEADED)[:3000]
    yield Awkward("broken.xlsx", broken, refusal="can't be read as xlsx")
    yield Awkward("paper.pdf", b"%PDF-1.7\n\x00\x01", refusal="a PDF file")
    yield Awkward("empty.csv", b"\n\n", refusal="no rows")
    yield Awkward("words.txt", "\n".join(row[0] for row in NOUNS).encode(), refusal="detect|column")


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for awkward in everything():
        (folder / awkward.name).write_bytes(awkward.content)
    print(f"{len(list(everything()))} files in {re.escape(str(folder))}")
