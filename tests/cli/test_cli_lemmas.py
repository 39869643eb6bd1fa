"""`stepwrite lemmas`."""

from __future__ import annotations

from pathlib import Path

MODEL = "german-nouns"


def test_lemmas_and_features_of_forms(stepwrite) -> None:
    ran = stepwrite("lemmas", MODEL, "Häusern", "HÄUSER", "Blorf")
    assert ran.code == 0
    rows = [line.split("\t") for line in ran.out.splitlines()]
    assert rows[0] == ["Häusern", "Haus", "N;NEUT;DAT;PL"]
    assert {tuple(row[:2]) for row in rows[1:]} == {("HÄUSER", "Haus")}
    assert {row[2] for row in rows[1:]} == {f"N;NEUT;{case};PL" for case in ("ACC", "GEN", "NOM")}
    assert ran.err == "stepwrite: Blorf: not in the lexicon\n"


def test_forms_of_a_file_once_each(stepwrite, tmp_path: Path) -> None:
    path = tmp_path / "forms.tsv"
    path.write_text("Häusern\tx\nHäusern\n", "utf-8")
    ran = stepwrite("lemmas", MODEL, "--file", str(path))
    assert ran == (0, "Häusern\tHaus\tN;NEUT;DAT;PL\n", "")


def test_it_needs_forms_and_a_lexicon(stepwrite, trained_model: Path) -> None:
    assert stepwrite("lemmas", MODEL).code == 2
    ran = stepwrite("lemmas", str(trained_model), "x")
    assert (ran.code, ran.out) == (1, "")
    assert "has no lexicon: train it with --lexicon" in ran.err
