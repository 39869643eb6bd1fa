"""`stepwrite report`, `suggest` and `complete`: what they print and write, and their errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepwrite import read
from stepwrite.data.tables import read_table, write_table

ROOT = Path(__file__).parents[2]
NOUNS = ROOT / "examples" / "german-nouns"
PARTIAL = [
    ["lemma", "N;NEUT;NOM;PL", "N;NEUT;DAT;PL", "note"],
    ["Haus", "Häuser", "", "common"],
    ["Wagenrad", "", "Wagenrädern", ""],
]


@pytest.fixture
def data(tmp_path: Path) -> str:
    """A few hundred rows of training data: the whole takes longer."""
    path = tmp_path / "train.tsv"
    lines = (NOUNS / "train.tsv").read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:600]), "utf-8")
    return str(path)


@pytest.mark.parametrize("ending", ["csv", "tsv", "ods"])
def test_complete_writes_the_same_kind_of_table(stepwrite, data, tmp_path, ending) -> None:
    table = tmp_path / f"partial.{ending}"
    write_table(table, PARTIAL)
    ran = stepwrite("complete", "german-nouns", str(table), "--data", data)
    full = tmp_path / f"partial-completed.{ending}"
    assert (ran.code, ran.out) == (0, f"{full}\n")
    header, house, wheel = (row.cells for row in read_table(full).rows)
    assert header == (*PARTIAL[0], "certainty")
    assert house[:4] == ("Haus", "Häuser", "Häusern", "common")
    assert wheel[:3] == ("Wagenrad", "Wagenräder", "Wagenrädern")
    assert house[4].startswith("N;NEUT;DAT;PL 0.") or house[4] == "N;NEUT;DAT;PL 1.00"
    assert read_table(full).style == read_table(table).style


def test_complete_leaves_doubtful_cells_empty(stepwrite, data, tmp_path) -> None:
    table, full = tmp_path / "partial.csv", tmp_path / "full.csv"
    write_table(table, PARTIAL)
    arguments = ["--data", data, "--out", str(full), "--least", "1"]
    ran = stepwrite("complete", "german-nouns", str(table), *arguments)
    assert ran.code == 0
    assert "2 left empty" in ran.err
    assert [row.cells[:4] for row in read_table(full).rows[1:]] == [tuple(r) for r in PARTIAL[1:]]


def test_complete_has_to_find_something_to_do(stepwrite, tmp_path) -> None:
    table = tmp_path / "full.csv"
    write_table(table, [["lemma", "features", "form"], ["Haus", "N;NEUT;DAT;PL", "Häusern"]])
    ran = stepwrite("complete", "german-nouns", str(table))
    assert (ran.code, ran.out) == (1, "")
    assert "nothing to fill" in ran.err


def test_suggest_makes_a_table_to_fill_in(stepwrite, data, tmp_path) -> None:
    words, asked = tmp_path / "words.txt", tmp_path / "ask.csv"
    words.write_text("Strauß\nVogel\nKamera\n", "utf-8")
    common = ["suggest", "german-nouns", "--lemmas", str(words), "--data", data, "-n", "5"]
    ran = stepwrite(*common, "--out", str(asked))
    assert (ran.code, ran.out) == (0, f"{asked}\n")
    header, *rows = (row.cells for row in read_table(asked).rows)
    assert header[:3] == ("lemma", "features", "form")
    assert len({row[:2] for row in rows}) == 5
    assert all(row[0] in ("Strauß", "Vogel", "Kamera") and not row[2] for row in rows)
    printed = stepwrite(*common).out.splitlines()
    assert len(printed) == 6
    assert printed[1].startswith(rows[0][0])
    filled = [header, *((*row[:2], "Formen", *row[3:]) for row in rows)]
    write_table(asked, filled)
    assert [row.form for row in read(asked)] == ["Formen"] * 5


def test_suggest_asks_for_given_cells_and_nothing_known(stepwrite, data, tmp_path) -> None:
    lemma, _, features = Path(data).read_text("utf-8").splitlines()[0].split("\t")
    words, cells = tmp_path / "words.txt", tmp_path / "cells.txt"
    words.write_text(f"{lemma}\nVogel\tN;MASC;DAT;PL\n", "utf-8")
    cells.write_text(f"{features}\n", "utf-8")
    common = ["suggest", "german-nouns", "--data", data, "--cells", str(cells)]
    ran = stepwrite(*common, "--lemmas", str(words))
    assert [line.split()[:2] for line in ran.out.splitlines()[1:]] == [["Vogel", "N;MASC;DAT;PL"]]
    words.write_text(f"{lemma}\n", "utf-8")
    ran = stepwrite(*common, "--lemmas", str(words))
    assert (ran.code, ran.out) == (1, "")
    assert "nothing to ask" in ran.err


def test_suggest_needs_the_training_data(stepwrite, trained_model, tmp_path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("garden\n", "utf-8")
    ran = stepwrite("suggest", str(trained_model), "--lemmas", str(words))
    assert ran.code == 1
    assert "(train.tsv) can't be found or has changed: give it with --data FILE" in ran.err


def test_report(stepwrite, data, tmp_path) -> None:
    page, doubtful, test = (tmp_path / name for name in ("report.html", "doubtful.csv", "test.tsv"))
    lines = (NOUNS / "unseen.tsv").read_text("utf-8").splitlines(keepends=True)
    test.write_text("".join(lines[:100]), "utf-8")
    ran = stepwrite(
        *("report", "german-nouns", "--data", data, "--test", str(test)),
        *("--out", str(page), "--suspects", str(doubtful)),
    )
    assert ran.code == 0
    assert "german-nouns: 600 forms of" in ran.out
    assert "measured on 100 forms of 100 lemmas" in ran.out
    titles = [line for line in ran.out.splitlines() if line.startswith("# ")]
    assert len(titles) == 7
    html = page.read_text("utf-8")
    assert all(f"<h2>{title[2:]}</h2>" in html for title in titles)
    assert read_table(doubtful).rows[0].cells[:4] == ("row", "lemma", "features", "form")


def test_report_without_validation_says_what_to_do(stepwrite, data) -> None:
    ran = stepwrite("report", "german-nouns", "--data", data)
    assert ran.code == 0
    assert "Not known: the model was trained with its own dev set" in ran.out
