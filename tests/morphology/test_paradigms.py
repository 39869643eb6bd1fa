"""Paradigms: the cells of the training data, those of one word, and their table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepwrite import Inflector
from stepwrite.errors import StepwriteError
from stepwrite.model.directory import Model, load_model, save_model
from stepwrite.morphology.cells import Cells, values_of
from stepwrite.morphology.endings import Endings
from stepwrite.morphology.paradigms import Cell, Paradigm

NOUNS = {"Hund": "MASC", "Maus": "FEM", "Haus": "NEUT", "Laus": "FEM", "Baum": "MASC"}
CASES, NUMBERS = ("NOM", "GEN", "DAT", "ACC"), ("SG", "PL")
ROWS = [
    *(
        (lemma, f"N;{gender};{case};{number}")
        for lemma, gender in NOUNS.items()
        for case, number in product(CASES, NUMBERS)
    ),
    *((lemma, cell) for lemma in ("gehen", "sehen") for cell in ("V;NFIN", "V;PST", "V.PTCP;PST")),
]

words = st.text("abA", min_size=1, max_size=5)
labelled = st.dictionaries(words, st.sampled_from("xyz"), min_size=1, max_size=30)


def slow_guess(labels: dict[str, str], word: str) -> str:
    """By the definition: the majority of all words with the longest ending that any word has."""

    def spelt(word: str) -> str:
        return f"^{word}{'A' if word[0].isupper() else 'a'}"

    best = ""
    for size in range(len(spelt(word)) + 1):
        ending = spelt(word)[len(spelt(word)) - size :]
        counts = Counter(label for w, label in labels.items() if spelt(w).endswith(ending))
        if counts:
            most = max(counts.values())
            winners = sorted(label for label in counts if counts[label] == most)
            best = best if best in winners else winners[0]
    return best


@given(labelled, words)
def test_endings_by_their_definition(labels: dict[str, str], word: str) -> None:
    assert Endings.fit(labels).guess(word) == slow_guess(labels, word)


@given(labelled)
def test_endings_are_right_about_the_words_they_learnt(labels: dict[str, str]) -> None:
    endings = Endings.fit(labels)
    assert {word: endings.guess(word) for word in labels} == labels


def test_rules_are_few_and_words_may_be_long() -> None:
    labels = {f"{k}ung": "FEM" for k in range(1000)} | {"x" * 5000: "NEUT", "y" + "x" * 4999: "FEM"}
    endings = Endings.fit(labels)
    assert len(endings.rules) < 5
    assert [endings.guess(word) for word in ("Zeitung", "x" * 5000)] == ["FEM", "NEUT"]


def test_gender_belongs_to_the_word_and_case_does_not() -> None:
    cells = Cells.fit(ROWS)
    assert {pos: list(slots) for pos, slots in cells.lexical.items()} == {"N": ["gender"], "V": []}


def test_a_few_homonyms_do_not_make_gender_free() -> None:
    """Der Band and das Band."""
    rows = [(f"{k}{lemma}", features) for k in range(20) for lemma, features in ROWS]
    homonym = [("Band", f"N;{gender};NOM;SG") for gender in ("MASC", "NEUT")]
    assert list(Cells.fit(rows + homonym).lexical["N"]) == ["gender"]


def test_nothing_is_said_from_too_few_cells() -> None:
    assert Cells.fit([("Haus", "N;NEUT"), ("Haus", "N;NEUT;SG"), ("Maus", "N;FEM")]).lexical == {
        "N": {}
    }


def test_the_cells_of_a_word() -> None:
    cells = Cells.fit(ROWS)
    haus = cells.choose("Haus")
    assert haus.pos == "N"
    assert haus.values == {"gender": "NEUT"}
    assert haus.guessed == ("part of speech", "gender")
    assert set(haus.bundles) == {f"N;NEUT;{c};{n}" for c, n in product(CASES, NUMBERS)}
    assert cells.choose("Blaus").values == {"gender": "FEM"}
    assert cells.choose("Haus", "N", {"gender": "MASC", "case": "DAT"}).bundles == (
        "N;MASC;DAT;PL",
        "N;MASC;DAT;SG",
    )
    assert set(cells.choose("drehen").bundles) == {"V;NFIN", "V;PST", "V.PTCP;PST"}


def test_polarity_belongs_to_no_verb() -> None:
    """Even where each verb's rows happen to have one."""
    rows = [
        (f"verb{k}", f"V;{tense};{'POS' if k % 2 else 'NEG'}")
        for k in range(20)
        for tense in ("PST", "PRS", "FUT")
    ]
    assert Cells.fit(rows).lexical == {"V": {}}


def test_a_cell_without_the_lexical_slot_is_of_all_words() -> None:
    rows = [
        (f"{k}{aspect}", features)
        for k, aspect in product(range(12), ("PFV", "IPFV"))
        for features in ("V;NFIN", f"V;{aspect};PST", f"V;{aspect};PRS")
    ]
    chosen = Cells.fit(rows).choose("XPFV", fixed={"aspect": "PFV"})
    assert set(chosen.bundles) == {"V;NFIN", "V;PFV;PST", "V;PFV;PRS"}
    assert set(Cells.fit(rows).choose("1IPFV").bundles) == {"V;NFIN", "V;IPFV;PST", "V;IPFV;PRS"}


def test_bundles_that_say_the_same_are_one_cell() -> None:
    cells = Cells.fit([("a", "N;SG;NOM"), ("b", "N;NOM;SG"), ("c", "N;NOM;SG"), ("d", "N;PL")])
    assert cells.counts == {"N;NOM;SG": 3, "N;PL": 1}


@pytest.mark.parametrize(
    ("pos", "fixed", "complaint"),
    [
        ("ADJ", {}, "unknown part of speech 'ADJ': use N, V"),
        ("N", {"tense": "PST"}, "unknown feature 'tense' for N: use case, gender, number"),
        ("N", {"case": "ERG"}, "unknown value 'ERG' of case for N: use ACC, DAT, GEN, NOM"),
    ],
)
def test_what_training_never_showed(pos: str, fixed: dict[str, str], complaint: str) -> None:
    with pytest.raises(StepwriteError, match=complaint):
        Cells.fit(ROWS).choose("Haus", pos, fixed)


def test_cells_round_trip() -> None:
    cells = Cells.fit(ROWS)
    assert Cells.from_json(json.loads(json.dumps(cells.to_json()))) == cells


@pytest.mark.parametrize(
    "data",
    [None, {}, {"counts": {"N": "1"}, "pos": {}, "lexical": {}}, {"counts": {}, "pos": {}},
     {"counts": {}, "pos": {"a": 1}, "lexical": {}}, {"counts": {}, "pos": {}, "lexical": {"N": 1}},
     {"counts": {}, "pos": {}, "lexical": {"N": {"gender": [1]}}}],
)  # fmt: skip
def test_what_are_no_cells(data: object) -> None:
    with pytest.raises(StepwriteError, match="cells"):
        Cells.from_json(data)


@given(
    st.sets(
        st.tuples(*map(st.sampled_from, (("NOM", "DAT", ""), ("SG", "PL", ""), ("DEF", "")))),
        min_size=1,
    )
)
def test_every_cell_is_once_in_the_table(bundles: set[tuple[str, ...]]) -> None:
    features = [";".join(filter(None, ("N", *bundle))) for bundle in sorted(bundles)]
    cells = tuple(Cell(bundle, f"form {bundle}", -0.1, 1) for bundle in features)
    table = Paradigm("Haus", "N", {}, (), cells).layout()
    placed = [
        (values, column, cell)
        for row in table.rows
        for column, cell in zip(table.columns, row.cells, strict=True)
        for values in [row.values]
        if cell
    ]
    assert Counter(cell for _, _, cell in placed) == Counter(cells)
    values = values_of(features)
    for names, column, cell in placed:
        said = values[cell.features]
        assert tuple(said.get(slot, "") for slot in table.slots) == names
        assert table.column_slot is None or said.get(table.column_slot, "") == column
    assert len({row.values for row in table.rows}) == len(table.rows)


@pytest.fixture
def model(random_model: Callable[..., Model]) -> Model:
    bundles = tuple(features for _, features in ROWS)
    made = random_model(words=(("Haus", "Häusern"), ("sehen", "sah")), bundles=bundles, members=2)
    return replace(made, cells=Cells.fit(ROWS))


def test_paradigm_is_a_batch_of_its_cells(model: Model) -> None:
    inflector = Inflector(model)
    assert inflector.cells == Counter(features for _, features in ROWS)
    [haus, maus] = inflector.paradigms(["Haus", "Maus"], number="PL")
    assert [cell.features for cell in maus.cells] == [f"N;FEM;{c};PL" for c in sorted(CASES)]
    for cell in haus.cells:
        prediction = inflector("Haus", cell.features)
        assert (cell.form, cell.votes) == (prediction.form, prediction.votes)
        assert cell.score == pytest.approx(prediction.score, rel=1e-4)
    assert inflector.paradigm("Haus", pos="N", number="PL").cells == haus.cells


def test_a_model_that_knows_no_cells(random_model: Callable[..., Model]) -> None:
    with pytest.raises(StepwriteError, match="does not know its cells"):
        Inflector(random_model()).paradigm("go")


def test_cells_in_the_model_directory(model: Model, tmp_path: Path) -> None:
    save_model(tmp_path, model, "", "")
    assert load_model(tmp_path).cells == model.cells
    path = tmp_path / "cells.json.gz"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(StepwriteError, match=r"cells\.json\.gz: cut short or altered"):
        load_model(tmp_path)


@pytest.fixture
def folder(model: Model, tmp_path: Path) -> str:
    save_model(tmp_path / "model", model, "", "")
    return str(tmp_path / "model")


def test_table_on_the_command_line(stepwrite, folder: str) -> None:
    ran = stepwrite("paradigm", folder, "Haus", "Maus", "--feature", "gender=NEUT")
    assert ran.code == 0, ran.err
    haus, maus = ran.out.split("\n\n")
    heading, columns, *rows = haus.splitlines()
    assert heading == "Haus, N (guessed), gender=NEUT"
    assert columns.split() == ["case", "SG", "PL"]
    assert [row.split()[0] for row in rows] == ["NOM", "GEN", "DAT", "ACC"]
    assert maus.startswith("Maus, N (guessed), gender=NEUT\n")


def test_tsv_and_json_lines_from_stdin(stepwrite, folder: str) -> None:
    lemmas = "Haus\nsehen\tignored\n"
    tsv = stepwrite("paradigm", folder, "--file", "-", "--format", "tsv", stdin=lemmas)
    rows = [line.split("\t") for line in tsv.out.splitlines()]
    assert [row[0] for row in rows] == ["Haus"] * 8 + ["sehen"] * 3
    assert all(0 <= float(row[3]) <= 1 and row[4] == "" for row in rows)
    lines = stepwrite("paradigm", folder, "--file", "-", "--format", "jsonl", stdin=lemmas)
    found = [json.loads(line) for line in lines.out.splitlines()]
    assert [(p["lemma"], p["pos"], len(p["cells"])) for p in found] == [
        ("Haus", "N", 8),
        ("sehen", "V", 3),
    ]
    assert [c["form"] for p in found for c in p["cells"]] == [row[2] for row in rows]


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        ((), 2, "either LEMMA or --file"),
        (("Haus", "--feature", "case"), 2, "expected NAME=VALUE"),
        (("Haus", "--pos", "X"), 1, "unknown part of speech 'X': use N, V"),
        (("Haus", "--file", "absent.txt"), 2, "either LEMMA or --file"),
        (("--file", "absent.txt"), 1, "absent.txt: can't be read"),
        (("",), 1, "the lemma is empty"),
    ],
)
def test_mistakes_on_the_command_line(
    stepwrite, folder: str, arguments: tuple[str, ...], code: int, complaint: str
) -> None:
    ran = stepwrite("paradigm", folder, *arguments)
    assert (ran.code, ran.out) == (code, "")
    assert complaint in ran.err
