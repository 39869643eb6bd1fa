"""`stepwrite inflect` and `stepwrite info`: their output, and one line for each error."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from stepwrite import load
from stepwrite.data.examples import LAYOUTS, Example, Layout, write_examples
from stepwrite.data.segmentation import Segmentation
from stepwrite.model.directory import Model, read_about, save_model

MODULE = [sys.executable, "-m", "stepwrite"]
ROWS = [
    Example("garden", "N;PL", "gardens"),
    Example("hunt", "V;PST", "hunted"),
    Example("жук", "N;PL", "жукs"),
]
WRONG = [example._replace(form=example.lemma[::-1]) for example in ROWS]


@pytest.fixture
def model(trained_model: Path) -> str:
    return str(trained_model)


def table(layout: Layout, rows: list[Example], path: Path) -> str:
    with path.open("w", encoding="utf-8") as file:
        write_examples(file, rows, layout)
    return str(path)


def test_one_word(stepwrite, model: str) -> None:
    assert stepwrite("inflect", model, "garden", "N;PL") == (0, "gardens\n", "")
    assert stepwrite("inflect", model, "garden", "V;PST") == (0, "gardened\n", "")
    assert stepwrite("inflect", model, "garden").code == 0


def test_features_that_were_never_together(stepwrite, model: str) -> None:
    """With few training examples the network may combine values in a new way."""
    ran = stepwrite("inflect", model, "garden", "N;PST")
    assert (ran.code, ran.out) == (0, f"{load(model)('garden', 'N;PST').form}\n")
    assert "never showed the features 'N;PST' together" in ran.err
    assert ran.err.endswith("did: N;PL\n")


def test_words_for_features_need_no_quotes(stepwrite) -> None:
    quoted = stepwrite("inflect", "german-nouns", "Haus", "dative plural")
    assert stepwrite("inflect", "german-nouns", "Haus", "dative", "plural") == quoted


@pytest.mark.parametrize(
    ("lemma", "features", "out", "err"),
    [
        ("Haus", "PL;DAT;NEUT;N", "Häusern", ""),
        ("Haus", "dative plural", "Häusern", "N;NEUT;DAT;PL: gender=NEUT (lexicon)"),
        ("HAUS", "dative plural", "HÄUSERN", "N;NEUT;DAT;PL: gender=NEUT (lexicon)"),
        ("haus", "N;NEUT;DAT;PL", "Häusern", ""),
        (
            "Haus",
            "dative",
            "Haus",
            "N;NEUT;DAT;SG: gender=NEUT (lexicon), number=SG (assumed)",
        ),
    ],
)
def test_what_is_left_open_is_said(
    stepwrite, lemma: str, features: str, out: str, err: str
) -> None:
    ran = stepwrite("inflect", "german-nouns", lemma, features)
    assert ran == (0, f"{out}\n", f"stepwrite: {err}\n" if err else "")


def test_guesses_say_so(stepwrite) -> None:
    ran = stepwrite("inflect", "german-nouns", "Blorf", "dative plural")
    assert ran.code == 0
    filled_in, guess, *_ = ran.err.splitlines()
    assert filled_in.endswith("(guessed)")
    assert "a guess, not in the lexicon; probability 0." in guess


def test_the_lemma_is_named_where_another_form_was_given(stepwrite) -> None:
    hint = "stepwrite: Häuser is a form of the lemma Haus (N;NEUT;ACC;PL, N;NEUT;GEN;PL, ...)"
    assert hint in stepwrite("inflect", "german-nouns", "Häuser", "dative plural").err
    assert stepwrite("paradigm", "german-nouns", "Häuser").err == f"{hint}\n"
    assert "HÄUSERN is a form of" in stepwrite("inflect", "german-nouns", "HÄUSERN", "dative").err
    for lemma, *options in (("Haus",), ("Blorf",), ("Häuser", "--lexicon", "off")):
        ran = stepwrite("inflect", "german-nouns", lemma, "dative plural", *options)
        assert "is a form of" not in ran.err


@pytest.mark.parametrize(
    ("lemma", "features", "message"),
    [
        ("Haus", "N;ERG;PL", "unknown value ERG of case: use ACC, DAT, GEN, NOM; nearest: N;FEM"),
        ("Haus", "V;PST", "unknown value V of part of speech: use N"),
        ("Haus", "past participle", r"unknown feature PST (tense): the language uses"),
        ("Haus", "dativ plural", "unknown feature 'dativ': did you mean dative?"),
        ("Haus", "NOUN|Case=Dativ", "unknown value 'Dativ' of Case: use Abe, Abl"),
        ("дом", "N;DAT;PL", "'дом' is in Cyrillic script, which the model never saw: write it in"),
    ],
)
def test_what_the_language_does_not_have(
    stepwrite, tmp_path: Path, lemma: str, features: str, message: str
) -> None:
    ran = stepwrite("inflect", "german-nouns", lemma, features)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"stepwrite: {message}")
    rows = tmp_path / "rows.tsv"
    rows.write_text(f"Haus\tdative plural\n{lemma}\t{features}\n", "utf-8")
    ran = stepwrite("inflect", "german-nouns", "--file", str(rows), "--layout", "covered")
    assert (ran.code, ran.out) == (1, "")
    assert f"{rows}, row 2: {message}" in ran.err
    options = ["--unknown-features", "ignore", "--any-script"]
    assert stepwrite("inflect", "german-nouns", lemma, features, *options).code == 0


def test_n_best_and_beam(stepwrite, model: str) -> None:
    ran = stepwrite("inflect", model, "garden", "N;PL", "--n-best", "4")
    forms = ran.out.splitlines()
    assert forms[0] == "gardens"
    assert 1 < len(set(forms)) == len(forms) <= 4
    assert stepwrite("inflect", model, "garden", "N;PL", "--beam", "4").out == "gardens\n"
    wider = stepwrite("inflect", model, "garden", "N;PL", "--n-best", "2", "--beam", "8")
    assert wider.out.splitlines()[0] == "gardens"
    assert len(wider.out.splitlines()) == 2


def test_json_lines(stepwrite, model: str) -> None:
    ran = stepwrite(
        "inflect", model, "жук", "N;PL", "--format", "jsonl", "--n-best", "2", "--any-script"
    )
    [found] = map(json.loads, ran.out.splitlines())
    assert list(found) == [
        *("lemma", "features", "form", "score", "probability", "votes", "attested", "complete"),
        *("notes", "doubts", "direction", "actions", "positions", "alternatives"),
    ]
    assert (found["lemma"], found["features"], found["form"]) == ("жук", "N;PL", "жукs")
    assert found["score"] < 0
    assert found["votes"] == 2
    assert found["actions"] == [
        "step",
        "copy",
        "step",
        "copy",
        "step",
        "copy",
        "write(s)",
        "step",
        "end",
    ]
    assert found["positions"] == [0, 1, 1, 2, 2, 3, 3, 3, 4]
    [other] = found["alternatives"]
    assert other["score"] < found["score"]


def test_explain(stepwrite, model: str) -> None:
    ran = stepwrite("inflect", model, "ab", "N;PL", "--explain")
    first, head, *rows, last = ran.out.splitlines()
    assert first.startswith("ab + N;PL -> abs   probability 0.")
    assert first.endswith(", 2 of 2 votes")
    assert [row.split() for row in (head, *rows)] == [
        ["attended", "action", "written"],
        ["(begin)", "step"],
        ["a", "write(a)", "a"],
        ["a", "step", "a"],
        ["b", "write(b)", "ab"],
        ["b", "write(s)", "abs"],
        ["b", "step", "abs"],
        ["(end)", "end", "abs"],
    ]
    assert last == ""


def test_explain_names_the_row_that_it_can_not_inflect(stepwrite, tmp_path: Path) -> None:
    words = tmp_path / "words.tsv"
    words.write_text("Haus\tN;DAT;PL\nHaus\tN;ERG;PL\n")
    ran = stepwrite("inflect", "german", "--explain", "--file", str(words))
    assert (ran.code, ran.out) == (1, "")
    assert f"{words}, row 2: unknown value ERG of case" in ran.err
    assert "--unknown-features ignore" in ran.err


def test_explain_keeps_its_lines(stepwrite, model: str) -> None:
    options = ["--explain", "--n-best", "2", "--any-script"]
    ran = stepwrite("inflect", model, "a\n\t\x1b[1m字", "N;PL", *options)
    lines = ran.out.splitlines()
    assert lines[0].startswith(r"a\n\t\x1b[1m字 + N;PL -> a\n\t\x1b[1m字s ")
    assert not set("\t\x1b") & set(ran.out)
    assert sum(line.startswith("or ") for line in lines) == 1
    # Wide characters take two columns, and the next column is still aligned.
    [row] = [line for line in lines if line.startswith("字") and "copy" in line]
    assert row.index("copy") == lines[1].index("action") - 1


def test_explain_long_words(stepwrite, model: str) -> None:
    """The table must not grow quadratically with the length of the word."""
    ran = stepwrite("inflect", model, "ab" * 1000, "N;PL", "--explain")
    assert max(map(len, ran.out.splitlines()[1:])) < 80


def test_unknown_features_warn_once(stepwrite, model: str, tmp_path: Path) -> None:
    rows = [Example("garden", "N;PL;ERG"), Example("hunt", "N;ERG;PL")]
    file = table(LAYOUTS["covered"], rows, tmp_path / "covered.tsv")
    options = ["--layout", "covered", "--unknown-features", "ignore"]
    ran = stepwrite("inflect", model, "--file", file, *options)
    assert [line.split("\t")[2] for line in ran.out.splitlines()] == ["gardens", "hunts"]
    assert ran.err == "stepwrite: the model has never seen the feature 'case=ERG': it is ignored\n"


LAYOUT_NAMES = ["sigmorphon2016", "unimorph", "sigmorphon2023"]


@pytest.mark.parametrize("output", [[], ["--n-best", "3"], ["--format", "jsonl"]], ids=str)
@pytest.mark.parametrize("name", LAYOUT_NAMES)
def test_predictions_can_be_scored(
    stepwrite, model: str, tmp_path: Path, name: str, output: list[str]
) -> None:
    """Any layout is read, and the forms in the file are ignored."""
    reading = ["--layout", name] if name == "sigmorphon2016" else []  # its tags are not these
    gold = table(LAYOUTS[name], ROWS, tmp_path / "gold.tsv")
    wrong = table(LAYOUTS[name], WRONG, tmp_path / "wrong.tsv")
    ran = stepwrite("inflect", model, "--file", wrong, "--any-script", *reading, *output)
    assert ran.code == 0
    predictions = tmp_path / "predictions"
    predictions.write_text(ran.out, "utf-8")
    if not output:
        assert ran.out == Path(gold).read_text("utf-8")
    scored = stepwrite(
        *("evaluate", "--gold", gold, "--predictions", str(predictions), "--format", "json"),
        *reading,
    )
    assert scored.code == 0
    assert json.loads(scored.out)["scores"]["exact_match"]["value"] == 1


def test_covered_file_gets_a_form_column(stepwrite, model: str, tmp_path: Path) -> None:
    file = table(LAYOUTS["covered"], ROWS, tmp_path / "covered.tsv")
    ran = stepwrite("inflect", model, "--file", file, "--any-script")
    assert ran.out == "garden\tN;PL\tgardens\nhunt\tV;PST\thunted\nжук\tN;PL\tжукs\n"
    assert ran.err == f"{file}: layout covered (lemma, features)\n"


def test_grapheme_to_phoneme(stepwrite, random_model: Callable[..., Model], tmp_path: Path) -> None:
    """Without features and with spaced phones, the output reads back correctly."""
    words = (("cheese", "tʃ iː z"), ("sees", "s iː z"))
    segmentation = Segmentation(form_spaced=True)
    nonsense = random_model(words=words, bundles=("",), segmentation=segmentation)
    save_model(tmp_path / "model", nonsense, "", "")
    gold = table(
        LAYOUTS["g2p"], [Example(word, "", phones) for word, phones in words], tmp_path / "gold.tsv"
    )
    ran = stepwrite("inflect", str(tmp_path / "model"), "--file", gold, "--n-best", "2")
    assert [line.split("\t")[0] for line in ran.out.splitlines()] == ["cheese", "sees"]
    predictions = tmp_path / "predictions.tsv"
    predictions.write_text(ran.out, "utf-8")
    assert stepwrite("evaluate", "--gold", gold, "--predictions", str(predictions)).code == 0


def test_stdin_and_other_columns(stepwrite, model: str) -> None:
    ran = stepwrite(
        *("inflect", model, "--file", "-", "--columns", "_,features,lemma"),
        stdin="1\tN;PL\tgarden\r\n\n2\tV;PST\thunt\r\n",
    )
    assert ran == (0, "\tN;PL\tgarden\tgardens\n\tV;PST\thunt\thunted\n", "")


def test_bad_rows(stepwrite, model: str) -> None:
    """A bad last row: nothing is written before all rows have been read."""
    rows = "garden\tN;PL\n" * 3000 + "hunt\n"
    ran = stepwrite("inflect", model, "--file", "-", "--layout", "covered", stdin=rows)
    assert (ran.code, ran.out) == (1, "")
    assert (
        ran.err == "stepwrite: <stdin>, line 3001: 1 column, expected 2 (lemma, features): 'hunt'\n"
    )
    ran = stepwrite(
        "inflect", model, "--file", "-", "--layout", "covered", "--skip-bad", stdin=rows[-18:]
    )
    assert ran.out == "garden\tN;PL\tgardens\n"
    assert ran.err.startswith("<stdin>: skipped ")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["garden", "N;PL", "--file", "x.tsv"],
        ["garden", "--n-best", "0"],
        ["garden", "--beam", "0"],
        ["garden", "--format", "xml"],
        ["garden", "--tie", "coin"],
        ["garden", "--explain", "--format", "jsonl"],
        ["garden", "--spaced", "form"],
        ["--file", "x.tsv", "--layout", "covered", "--columns", "lemma"],
    ],
    ids=" ".join,
)
def test_usage_mistakes(stepwrite, model: str, arguments: list[str]) -> None:
    ran = stepwrite("inflect", model, *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Usage: stepwrite inflect")


@pytest.mark.parametrize("verb", [["inflect"], ["info"], ["info", "--format", "json"]])
def test_bad_models(stepwrite, model: str, tmp_path: Path, verb: list[str]) -> None:
    word = ["garden", "N;PL"] if verb == ["inflect"] else []

    def complaint(path: Path) -> str:
        ran = stepwrite(*verb, str(path), *word)
        assert (ran.code, ran.out) == (1, "")
        [line] = ran.err.splitlines()
        assert line.startswith(f"stepwrite: {path}")
        return line

    assert "no such model directory" in complaint(tmp_path / "absent")
    assert "not a model?" in complaint(tmp_path)
    copied = Path(shutil.copytree(model, tmp_path / "copied"))
    weights = copied / "member-2.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    assert "cut short or altered" in complaint(copied)


def test_lemmas_that_no_table_can_hold(stepwrite, model: str) -> None:
    for lemma in ("a\tb", "a\nb", "\n"):
        ran = stepwrite("inflect", model, lemma, "N;PL")
        assert (ran.code, ran.out) == (1, "")
        assert len(ran.err.splitlines()) == 1
        ran = stepwrite("inflect", model, lemma, "N;PL", "--format", "jsonl")
        [line] = ran.out.splitlines()
        assert json.loads(line)["form"] == f"{lemma}s"
    assert stepwrite("inflect", model, "a\0b", "N;PL").out == "a\0bs\n"
    assert stepwrite("inflect", model, "", "N;PL").err == "stepwrite: the lemma is empty: ''\n"


@pytest.mark.parametrize("arguments", [[b"a\xff", b"N;PL"], [b"a", b"N;\xff"]])
def test_bytes_that_are_no_text(model: str, arguments: list[bytes]) -> None:
    for options in ([], [b"--explain"], [b"--format", b"jsonl"]):
        ran = subprocess.run(
            [*map(os.fsencode, [*MODULE, "inflect", model]), *arguments, *options],
            capture_output=True,
            text=True,
        )
        assert (ran.returncode, ran.stdout) == (1, "")
        [line] = ran.stderr.splitlines()
        assert "UTF-8" in line


def test_reader_that_has_seen_enough(model: str, tmp_path: Path) -> None:
    file = table(LAYOUTS["covered"], ROWS * 3000, tmp_path / "covered.tsv")
    with subprocess.Popen(
        [*MODULE, "inflect", model, "--file", file, "--layout", "covered", "--any-script"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "garden\tN;PL\tgardens\n"
        process.stdout.close()
        assert process.stderr.read() == ""


def test_imports_nothing_heavy(model: str) -> None:
    code = (
        f"import sys; sys.argv = ['stepwrite', 'inflect', {model!r}, 'garden', 'N;PL']\n"
        "import atexit; atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
        "from stepwrite.cli import main; main()"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "gardens\n"
    loaded = set(ran.stderr.split())
    assert {"numpy", "stepwrite.inflector"} <= loaded
    assert not {"torch", "numba", "scipy", "rapidfuzz", "rich"} & loaded


def test_info(stepwrite, model: str) -> None:
    ran = stepwrite("info", model)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == model
    rules = f"{100 * read_about(Path(model)).rules_dev_accuracy:.2f} %"
    for text in (
        "2 member(s)",
        "train:     train.tsv, 250 rows, sha256 ",
        "dev:       dev.tsv, 50 rows, sha256 ",
        "1 layer(s) of 24, cell lstm",
        "member 2:  dev ",
        "vote:      dev ",
        f"rules:     dev {rules}",
        "number:    PL",
        "part of speech: N, V",
        "symbols:   a b d e g h i k l m n o p r s t u",
    ):
        assert text in ran.out
    card = (Path(model) / "README.md").read_text("utf-8")
    assert f"(prefix and suffix rules: {rules})" in card


def test_info_as_json(stepwrite, model: str) -> None:
    found = json.loads(stepwrite("info", model, "--format", "json").out)
    assert found["n_members"] == len(found["members"]) == 2
    assert found["data"]["train"]["rows"] == 250
    assert found["network"]["hidden"] == 24
    assert found["features"]["tense"] == ["PST"]
    assert found["copy"] is True
    assert found["bytes"] == 4 * 2 * found["parameters"]


def test_info_on_a_model_that_tells_nothing(
    stepwrite, random_model: Callable[..., Model], tmp_path: Path
) -> None:
    save_model(tmp_path, random_model(), "", "")
    ran = stepwrite("info", str(tmp_path))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        f"stepwrite: {tmp_path}: no description of its training; try --format json\n"
    )
    assert stepwrite("info", str(tmp_path), "--format", "json").code == 0
