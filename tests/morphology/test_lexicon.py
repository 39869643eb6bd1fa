"""The lexicon: attested forms in a compact format."""

from __future__ import annotations

import gzip
import hashlib
import json
import pickle
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepwrite import Inflector
from stepwrite.errors import StepwriteError
from stepwrite.model.directory import Model, load_model, save_model
from stepwrite.morphology.lexicon import Lexicon

ROWS = [
    ("go", "V;PST", "went"),
    ("go", "V;PRS", "go"),
    ("see", "V;PST", "saw"),
    ("see", "V;PST", "seed"),
]
# What a cell of a file can contain: anything except tabs and line breaks.
texts = st.text(st.characters(exclude_characters="\t\n", exclude_categories=["Cs"]), max_size=6)
rows = st.lists(st.tuples(texts, st.sampled_from(["V;PST", "V;PRS", "", "pos=N"]), texts))


@given(rows)
def test_every_form_is_found_and_no_other(rows: list[tuple[str, str, str]]) -> None:
    from unicodedata import normalize

    lexicon = Lexicon.from_text(Lexicon.fit(rows).to_text())
    attested = defaultdict(set)
    for lemma, features, form in rows:
        attested[normalize("NFC", lemma), features].add(normalize("NFC", form))
    for lemma, features, _ in rows:
        assert set(lexicon.forms(lemma, features)) == attested[normalize("NFC", lemma), features]
    assert lexicon.forms("no such lemma", "V;PST") == ()
    assert len(lexicon) == sum(map(len, attested.values()))
    every = {(*cell, form) for cell, forms in attested.items() for form in forms}
    assert {(lemma, *row) for lemma in lexicon.lemmas for row in lexicon.rows(lemma)} == every
    for wanted in {form for *_, form in every}:
        cells = {(lemma, features) for lemma, features, form in every if form == wanted}
        assert set(lexicon.lemmas_of(wanted)) == cells


def test_order_of_tags_and_spelling_of_letters_play_no_part() -> None:
    lexicon = Lexicon.fit([("e\u0301t", "N;NOM;PL", "e\u0301ts")])
    assert lexicon.forms("ét", "PL;NOM;N") == ("éts",)
    assert lexicon.forms("ét", "N;NOM;SG") == ()


def test_a_gender_of_two_is_the_same_in_either_order() -> None:
    lexicon = Lexicon.fit([("datter", "N;MASC+FEM;INDF;PL", "døtre")])
    assert lexicon.forms("datter", "N;FEM+MASC;INDF;PL") == ("døtre",)
    assert lexicon.values("datter", "N", "gender") == ("MASC+FEM",)


def test_forms_and_parts_of_speech_keep_the_order_of_the_rows() -> None:
    rows = [
        ("saw", "V;PST", "sawed"),
        ("saw", "N;PL", "saws"),
        ("saw", "V.PTCP;PST", "sawn"),
        ("saw", "V.PTCP;PST", "sawed"),
    ]
    lexicon = Lexicon.fit(rows)
    assert lexicon.parts_of_speech("saw") == ("V", "N")
    assert lexicon.forms("saw", "PST;V.PTCP") == ("sawn", "sawed")
    assert Lexicon.fit(rows[::-1]).parts_of_speech("saw") == ("V", "N")
    assert Lexicon.fit(rows[::-1]).forms("saw", "V.PTCP;PST") == ("sawed", "sawn")
    assert Lexicon.fit(rows[1:]).parts_of_speech("saw") == ("N", "V")


def test_what_else_it_knows_of_a_lemma() -> None:
    rows = [("See", f"N;{gender};NOM;SG", "See") for gender in ("MASC", "FEM")]
    lexicon = Lexicon.fit([*rows, ("tun", "V;PST;1;SG", "tat")], {"tun": 5})
    assert lexicon.values("See", "N", "gender") == ("MASC", "FEM")
    assert lexicon.values("See", "V", "gender") == lexicon.values("tun", "V", "gender") == ()
    assert "See" in lexicon
    assert "see" not in lexicon
    assert [lexicon.frequency(lemma) for lemma in ("tun", "See", "Meer")] == [5, 0, 0]
    assert list(lexicon.lemmas) == ["See", "tun"]


def test_lemmas_that_change_in_the_same_way_share_a_class() -> None:
    verbs = {"machen": "gemacht", "lachen": "gelacht", "tanzen": "getanzt"}
    text = Lexicon.fit((lemma, "V.PTCP;PST", form) for lemma, form in verbs.items()).to_text()
    assert text.split("\n")[1:] == [
        *("1", "V.PTCP;PST"),
        *("1", "^ 0 ge\t2 2 t"),
        *("1", "0 0"),
        *("3", "lachen\t0\t0", "machen\t0\t0", "tanzen\t0\t0"),
    ]


def test_the_first_format_is_still_read() -> None:
    lexicon = Lexicon.from_text("2\nN;NOM;PL\nN;NOM;SG\nBau\t0 0 ten\t1 0 \nTag\t0 0 e")
    rows = [("Bau", "N;NOM;PL", "Bauten"), ("Bau", "N;NOM;SG", "Bau"), ("Tag", "N;NOM;PL", "Tage")]
    assert lexicon == Lexicon.fit(rows)


@pytest.fixture
def model(random_model: Callable[..., Model]) -> Model:
    return replace(random_model(), lexicon=Lexicon.fit(ROWS))


def test_flag_says_what_is_attested_and_changes_no_form(
    model: Model, random_model: Callable[..., Model]
) -> None:
    pairs = [("go", "V;PST"), ("see", "V;PST"), ("walk", "V;PST")]
    plain = Inflector(random_model()).batch(pairs)
    flagged = Inflector(model).batch(pairs)
    assert [p.form for p in flagged] == [p.form for p in plain]
    assert {p.attested for p in plain} == {None}
    assert [p.attested for p in flagged] == [False] * 3  # random weights
    alone = Inflector(random_model())("go", "V;PST")
    known = replace(model, lexicon=Lexicon.fit([("go", "V;PST", alone.form)]))
    assert Inflector(known)("go", "V;PST") == replace(alone, attested=True)
    assert Inflector(known, lexicon="off")("go", "V;PST") == alone


def test_prefer_puts_attested_forms_first(model: Model) -> None:
    guess = Inflector(model, lexicon="off")("go", "V;PST", n_best=3)
    found = Inflector(model, lexicon="prefer")("go", "V;PST", n_best=3)
    assert (found.form, found.score, found.votes, found.attested) == ("went", 0.0, 0, True)
    assert found.actions == found.positions == ()
    assert [a.form for a in found.alternatives] == [
        guess.form,
        *(a.form for a in guess.alternatives[:1]),
    ]
    assert Inflector(model, lexicon="prefer")("go", "V;PST").alternatives == ()
    unknown = Inflector(model, lexicon="prefer")("walk", "V;PST")
    assert unknown.attested is False
    assert unknown.votes == 1


@pytest.mark.parametrize("first", [True, False])
def test_prefer_gives_all_attested_forms_in_their_order(model: Model, first: bool) -> None:
    """The network's own form keeps its actions, but does not come before the usual one."""
    form = Inflector(model, lexicon="off")("see", "V;PST").form
    own = [("see", "V;PST", form)]
    attested = Lexicon.fit(ROWS).forms("see", "V;PST")
    rows = [*own, *ROWS] if first else [*ROWS, *own]
    inflector = Inflector(replace(model, lexicon=Lexicon.fit(rows)), lexicon="prefer")
    found = inflector("see", "V;PST", attention=True)
    forms = (found.form, *(other.form for other in found.alternatives))
    assert forms == ((form, *attested) if first else (*attested, form))
    assert (found.votes, bool(found.actions), found.attested) == (int(first), first, True)
    looked_up = inflector("see", "V;PST")
    assert (looked_up.form, *(other.form for other in looked_up.alternatives)) == forms
    assert (looked_up.votes, looked_up.actions, looked_up.attested) == (0, (), True)


def test_in_the_model_directory(model: Model, tmp_path: Path) -> None:
    save_model(tmp_path, model, "", "")
    assert load_model(tmp_path).lexicon == model.lexicon
    first = (tmp_path / "lexicon.tsv.gz").read_bytes()
    save_model(tmp_path, model, "", "")
    assert (tmp_path / "lexicon.tsv.gz").read_bytes() == first
    (tmp_path / "lexicon.tsv.gz").write_bytes(first[:-1])
    with pytest.raises(StepwriteError, match=r"lexicon\.tsv\.gz: cut short or altered"):
        load_model(tmp_path)


def test_other_processes_get_it_packed(model: Model, tmp_path: Path) -> None:
    """`inflect --jobs` sends the model to each."""
    save_model(tmp_path, model, "", "")
    loaded = load_model(tmp_path).lexicon
    packed = pickle.dumps(loaded)
    assert loaded == model.lexicon  # unpacked now
    assert pickle.dumps(loaded) == packed
    for lexicon in (model.lexicon, loaded):
        assert pickle.loads(pickle.dumps(lexicon)) == model.lexicon


@pytest.mark.parametrize(
    "content",
    [
        b"no gzip",
        gzip.compress(b"", mtime=0),
        gzip.compress(b"\xff", mtime=0),
        gzip.compress(b"0\ngo", mtime=0),
        gzip.compress(b"1\nV\ngo\t0 0 es", mtime=0)[:-4],
    ],
    ids=["no gzip", "empty", "no text", "no cells", "cut short"],
)
def test_forged(model: Model, tmp_path: Path, content: bytes) -> None:
    """A bad lexicon with matching checksums."""
    save_model(tmp_path, model, "", "")
    (tmp_path / "lexicon.tsv.gz").write_bytes(content)
    config = json.loads((tmp_path / "config.json").read_text("utf-8"))
    del config["checksum"]
    config["sha256"]["lexicon.tsv.gz"] = hashlib.sha256(content).hexdigest()
    config["checksum"] = hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()
    (tmp_path / "config.json").write_text(json.dumps(config), "utf-8")
    lexicon = load_model(tmp_path).lexicon  # which is not unpacked before it is asked
    assert lexicon is not None
    with pytest.raises(StepwriteError) as caught:
        lexicon.forms("go", "V;PST")
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("tables", "problem"),
    [
        (["1\t0\t7"], "bad entry of 'go'"),
        (["1\t0\tx"], "bad entry of 'go'"),
        (["1\tx\t0"], "bad entry of 'go'"),
        (["1\t0"], "bad entry of 'go'"),
        (["7 0", "go\t0\t0"], "bad cell of 'go'"),
        (["0 7", "go\t0\t0"], "bad cell of 'go'"),
        (["0", "go\t0\t0"], "bad cell of 'go'"),
        (["x 0", "go\t0\t0"], "bad cell of 'go'"),
        (["3 1 x", "0 0", "go\t0\t0"], "bad cell of 'go'"),
        (["x 1 x", "0 0", "go\t0\t0"], "bad cell of 'go'"),
    ],
)
def test_forged_cells_are_found_when_looked_at(tables: list[str], problem: str) -> None:
    change, cells, lemma = [*["^ 2 went", "0 0", "go\t0\t0"][: 3 - len(tables)], *tables]
    lemma = lemma.replace("1\t", "go\t", 1)
    text = ["stepwrite lexicon 2", "1", "V;PST", "1", change, "1", cells, "1", lemma]
    lexicon = Lexicon.from_text("\n".join(text))
    with pytest.raises(StepwriteError, match=f"lexicon: {problem}"):
        lexicon.forms("go", "V;PST")


def test_only_the_cells_that_are_asked_for_are_made() -> None:
    """Of large paradigms that saves most of the time."""
    changes, cells = ["^ 2 went", "9 1 x"], "0 0 1 1"  # the second can't be carried out
    text = ["stepwrite lexicon 2", "2", "V;PST", "V;PRS", "2", *changes, "1", cells]
    lexicon = Lexicon.from_text("\n".join([*text, "1", "go\t0\t0"]))
    assert lexicon.forms("go", "V;PST") == ("went",)
    with pytest.raises(StepwriteError, match="bad cell of 'go'"):
        lexicon.forms("go", "V;PRS")
    with pytest.raises(StepwriteError, match="bad cell of 'go'"):
        list(lexicon.rows("go"))


def test_on_the_command_line(stepwrite, model: Model, tmp_path: Path) -> None:
    save_model(tmp_path / "model", model, "", "")
    word = ("inflect", str(tmp_path / "model"), "go", "V;PST")
    assert stepwrite(*word, "--lexicon", "prefer").out == "went\n"
    assert stepwrite(*word).out == stepwrite(*word, "--lexicon", "off").out != "went\n"
    for use, attested in (("prefer", True), ("flag", False), ("off", None)):
        line = stepwrite(*word, "--lexicon", use, "--format", "jsonl").out
        assert json.loads(line)["attested"] is attested
    assert (
        "1.0000, 0 of 1 votes, attested" in stepwrite(*word, "--lexicon", "prefer", "--explain").out
    )


def test_evaluation_with_its_help(stepwrite, model: Model, tmp_path: Path) -> None:
    save_model(tmp_path / "model", model, "", "")
    gold = tmp_path / "gold.tsv"
    gold.write_text("go\tV;PST\twent\nsee\tV;PST\tsaw\n", "utf-8")
    scored = ("evaluate", str(tmp_path / "model"), str(gold), "--layout", "sigmorphon2016")
    for options, exact in (((), 0), (("--lexicon", "prefer"), 1)):
        report = json.loads(stepwrite(*scored, "--format", "json", *options).out)
        assert report["scores"]["exact_match"]["value"] == exact
    files = ("--gold", str(gold), "--predictions", str(gold))
    assert stepwrite("evaluate", *files, "--lexicon", "flag").code == 2


def test_a_model_without_one(stepwrite, random_model: Callable[..., Model], tmp_path: Path) -> None:
    save_model(tmp_path, random_model(), "", "")
    ran = stepwrite("inflect", str(tmp_path), "go", "V;PST", "--lexicon", "prefer")
    assert (ran.code, ran.out) == (1, "")
    assert "the model has no lexicon" in ran.err
    assert stepwrite("inflect", str(tmp_path), "go", "V;PST", "--lexicon", "off").code == 0


def test_training_keeps_it_when_asked(stepwrite, tmp_path: Path) -> None:
    train = tmp_path / "train.tsv"
    train.write_text("".join(f"{row[0]}\t{row[1]}\t{row[2]}\n" for row in ROWS), "utf-8")
    out = tmp_path / "model"
    options = ("--lexicon", "--folds", "0", "--epochs", "1", "--hidden", "4", "--embedding", "4")
    ran = stepwrite("train", str(train), "--layout", "sigmorphon2016", "--out", str(out), *options)
    assert ran.code == 0, ran.err
    model = load_model(out)
    assert model.lexicon == Lexicon.fit(ROWS)
    assert model.cells is not None
    assert model.cells.counts == {"V;PRS": 1, "V;PST": 3}
