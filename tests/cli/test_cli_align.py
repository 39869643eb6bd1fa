"""`stepwrite align` from file to output: what it prints, rejects and skips."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from stepwrite.terminal import progress_bar
from stepwrite.transducer.actions import execute, oracle
from stepwrite.transducer.alignment import Alignment

ROWS = "legen\tlegt\tV;PRS;3;SG\nhart\thärter\tADJ;CMPR\n"
LAYOUT = "<stdin>: layout unimorph (lemma, form, features)\n"


@pytest.fixture
def align(stepwrite):
    return lambda *arguments, stdin=ROWS: stepwrite("align", *arguments, stdin=stdin)


def rows_of(out: str) -> list[dict]:
    return [json.loads(line) for line in out.splitlines()]


def test_text_shows_aligned_lines(align) -> None:
    ran = align("-", "--aligner", "edit", "--actions")
    assert ran.code == 0
    assert ran.err == LAYOUT
    assert ran.out == (
        "legen + V;PRS;3;SG -> legt\n"
        "  l e g e n\n"
        "  l e g t ·\n"
        "  step write(l) step write(e) step write(g) step write(t) step step end\n"
        "\n"
        "hart + ADJ;CMPR -> härter\n"
        "  h a r t · ·\n"
        "  h ä r t e r\n"
        "  step write(h) step write(ä) step write(r) step write(t) write(e) write(r) step end\n"
        "\n"
    )


def test_without_features(align) -> None:
    ran = align("-", "--columns", "lemma,form", "--aligner", "edit", stdin="ab\tac\n")
    assert ran.out == "ab + - -> ac\n  a b\n  a c\n\n"


@pytest.mark.parametrize("aligner", ["crp", "edit"])
def test_jsonl_holds_row_alignment_and_actions(align, aligner: str) -> None:
    ran = align("-", "--aligner", aligner, "--format", "jsonl", "--actions")
    rows = rows_of(ran.out)
    assert [(row["lemma"], row["features"], row["form"]) for row in rows] == [
        ("legen", "V;PRS;3;SG", "legt"),
        ("hart", "ADJ;CMPR", "härter"),
    ]
    for row in rows:
        alignment = Alignment(tuple((left, right) for left, right in row["alignment"]))
        assert "".join(alignment.lemma) == row["lemma"]
        assert "".join(execute(row["lemma"], oracle(alignment)).form) == row["form"]
        assert row["actions"] == [str(action) for action in oracle(alignment)]


def test_actions_only_where_asked_for(align) -> None:
    assert all("actions" not in row for row in rows_of(align("-", "--format", "jsonl").out))
    assert "step" not in align("-").out


def test_seed_decides(align) -> None:
    words = "abcab\tbcabc\nbcbca\tcabca\ncabba\tabbac\n"
    options = ["-", "--columns", "lemma,form", "--sweeps", "1"]
    outputs = [align(*options, "--seed", str(seed), stdin=words).out for seed in range(8)]
    assert len(set(outputs)) > 1
    assert align(*options, "--seed", "5", stdin=words).out == outputs[5]


def test_spaced_symbols(align) -> None:
    ran = align("-", "--aligner", "edit", "--format", "jsonl", stdin="cheese\tt ʃ iː z\n")
    [row] = rows_of(ran.out)
    assert [right for _, right in row["alignment"] if right] == ["t", "ʃ", "iː", "z"]


@pytest.mark.parametrize(
    ("lemma", "form", "upper", "lower"),
    [
        ("日本", "日a", "日 本", "日 a"),  # wide characters take two columns
        ("ab", "日b", "a  b", "日 b"),
        ("x\u0301y", "xy", "x  \u0301 y", "x · y"),  # a combining mark is put on a space
    ],
)
def test_columns_stand_below_each_other(align, lemma, form, upper, lower) -> None:
    ran = align("-", "--aligner", "edit", "--columns", "lemma,form", stdin=f"{lemma}\t{form}\n")
    assert ran.out.splitlines()[1:3] == [f"  {upper}", f"  {lower}"]


GOOD = b"legen\tlegt\tV;PRS;3;SG\n"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (GOOD + b"b\xe4r\tx\tN\n", "line 2: not UTF-8: byte 0xe4 at offset 2"),
        (GOOD * 2 + b"a\tb\n", "line 3: 2 columns, expected 3 (lemma, form, features): 'a\\tb'"),
        (GOOD + b"\tlegt\tV\n", "line 2: empty lemma: '\\tlegt"),
        (GOOD + b"legen\t\tV\n", "line 2: empty form: 'legen"),
        (b"", "no rows"),
        (b"\n\n", "no rows"),
        (b"a\tb\tc\n", "line 1: can't detect the layout"),
        (b"legen\tV;PRS\n", "forms are needed, but the layout covered (lemma, features) has none"),
    ],
)
def test_bad_input_costs_one_line(align, tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "train.tsv"
    path.write_bytes(content)
    ran = align(str(path))
    *said_before, message = ran.err.splitlines()
    assert ran.code == 1
    assert ran.out == ""
    assert message.startswith(f"stepwrite: {path}")
    assert problem in message
    assert all("layout" in line for line in said_before)


@pytest.mark.parametrize(
    ("name", "problem"), [("missing.tsv", "No such file or directory"), ("", "Is a directory")]
)
def test_what_is_no_file(align, tmp_path: Path, name: str, problem: str) -> None:
    path = tmp_path / name
    ran = align(str(path))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == f"stepwrite: {path}: can't be read: {problem}\n"


def test_skip_bad_goes_on_and_counts(align) -> None:
    bad = b"b\xe4r\tx\tN;SG\n\tlegt\tV;SG\nlegen\t\tV;SG\nlegen\n"
    ran = align("-", "--skip-bad", "--format", "jsonl", stdin=GOOD + bad + GOOD)
    assert ran.code == 0
    assert [row["form"] for row in rows_of(ran.out)] == ["legt", "legt"]
    assert ran.err == LAYOUT + (
        "<stdin>: skipped 4 of 6 rows: 1 with invalid UTF-8 (line 2); "
        "1 with an empty lemma (line 3); 1 with an empty form (line 4); "
        "1 with a wrong number of columns (line 5)\n"
    )


def test_skipping_everything_is_a_mistake(align) -> None:
    ran = align("-", "--skip-bad", "--layout", "unimorph", stdin="a\nb\n")
    assert (ran.code, ran.out) == (1, "")
    assert "line 1: none of the 2 rows can be used; the first: 1 column" in ran.err


@pytest.mark.parametrize(
    "options",
    [["--sweeps", "-1"], ["--aligner", "giza"], ["--format", "xml"], ["--seed", "x"], ["-", "-"]],
)
def test_usage_mistakes(align, options: list[str]) -> None:
    ran = align("-", *options)
    assert (ran.code, ran.out) == (2, "")


def test_without_numba_one_line_says_what_to_install(align, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "numba", None)
    ran = align("-")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == LAYOUT + (
        "stepwrite: the Chinese-restaurant-process aligner needs numba: "
        "pip install 'stepwrite[train]' (without CUDA: "
        "PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu pip install 'stepwrite[train]')\n"
    )
    assert align("-", "--aligner", "edit").code == 0


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "drawn"), [(Terminal(), True), (io.StringIO(), False)])
def test_progress_is_for_terminals_only(monkeypatch, stream: io.StringIO, drawn: bool) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    with progress_bar("aligning") as progress:
        progress(1, 2)
    assert ("aligning" in stream.getvalue()) == drawn
    assert drawn or stream.getvalue() == ""
