"""`stepwrite evaluate` from files to report: what it prints, rejects and skips."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stepwrite import __version__
from stepwrite.data.examples import Example
from stepwrite.model.about import DataFile
from stepwrite.model.directory import data_checksum, load_model, save_model
from stepwrite.morphology.lexicon import Lexicon

GOLD = (
    "Haus\tpos=N,num=PL\tHäuser\n"
    "Maus\tpos=N,num=PL\tMäuse\n"
    "gehen\tpos=V,tense=PST\tging\n"
    "Bank\tpos=N,num=PL\tBanken\n"
    "Bank\tpos=N,num=PL\tBänke\n"
)
PREDICTIONS = (
    "Haus\tpos=N,num=PL\tHäuser\n"
    "Maus\tpos=N,num=PL\tMause\tMäuse\n"
    "gehen\tpos=V,tense=PST\t\n"
    "Bank\tpos=N,num=PL\tBanken\n"
    "Bank\tpos=N,num=PL\tBanken\tBanks\tBänke\n"
)


Run = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stepwrite: Run) -> Run:
    """Run the command in a folder with gold.tsv and p.tsv."""
    monkeypatch.chdir(tmp_path)
    Path("gold.tsv").write_text(GOLD, "utf-8")
    Path("p.tsv").write_text(PREDICTIONS, "utf-8")

    def run(*options: str, gold: str = "gold.tsv", predictions: str = "p.tsv") -> Any:
        return stepwrite("evaluate", "--gold", gold, "--predictions", predictions, *options)

    return run


def value(scores: dict[str, dict[str, float]], name: str) -> float:
    return scores[name]["value"]


def test_scores_by_hand(run: Run) -> None:
    ran = run("--format", "json")
    report = json.loads(ran.out)
    scores = report["scores"]
    assert ran.code == 0
    assert scores["rows"] == 5
    assert value(scores, "exact_match") == 2 / 5
    assert value(scores, "edit_distance") == (0 + 1 + 4 + 0 + 2) / 5
    assert value(scores, "normalised_edit_distance") == pytest.approx((1 / 5 + 1 + 2 / 6) / 5)
    assert value(scores, "reciprocal_rank") == pytest.approx((1 + 1 / 2 + 0 + 1 + 1 / 3) / 5)
    assert report["breakdown"]["part_of_speech"]["V"]["edit_distance"]["high"] is None
    assert report["against"] is None


def test_text_is_plain_aligned_and_signed(run: Run) -> None:
    ran = run()
    lines = ran.out.splitlines()
    digest = hashlib.sha256(GOLD.encode()).hexdigest()[:12]
    assert lines[:3] == [
        "                           score     95 % interval",
        "rows                           5",
        "exact match (%)            40.00    11.76 to 76.93",
    ]
    assert "N                  4      2            50.00  15.00 to 85.00    0.7500" in lines
    assert lines[-1] == (
        f"stepwrite|version:{__version__}|gold:{digest}|rows:5|symbols:nfc-codepoints"
    )
    assert "\x1b" not in ran.out
    assert ran.err.splitlines() == ["gold.tsv: layout sigmorphon2016 (lemma, features, form)"]


def test_only_the_costliest_bundles_are_in_the_text(run: Run) -> None:
    rows = [(f"w{n}", f"pos=N,case=C{n % 40:02}", n % 40 < 20 and n >= 40) for n in range(80)]
    table = "".join(f"{lemma}\t{features}\tx\n" for lemma, features, _ in rows)
    guesses = "".join(f"{lemma}\t{features}\t{'xy'[wrong]}\n" for lemma, features, wrong in rows)
    Path("many.tsv").write_text(table, "utf-8")
    Path("guesses.tsv").write_text(guesses, "utf-8")
    text = run(gold="many.tsv", predictions="guesses.tsv").out
    assert "(the 15 of 40 with the most errors)" in text
    shown = [line.split() for line in text.splitlines() if line.startswith("pos=N,case=C")]
    assert len(shown) == 15
    assert all(line[1:3] == ["2", "1"] for line in shown)
    full = run("--format", "json", gold="many.tsv", predictions="guesses.tsv")
    assert len(json.loads(full.out)["breakdown"]["features"]) == 40


def test_json_lines_score_like_the_table(run: Run) -> None:
    lines = []
    for number, row in enumerate(PREDICTIONS.splitlines()):
        lemma, features, form, *others = row.split("\t")
        alternatives = others if number % 2 else [{"form": form}, *({"form": o} for o in others)]
        lines.append(
            json.dumps(
                {"lemma": lemma, "features": features, "form": form, "alternatives": alternatives}
            )
        )
    Path("p.jsonl").write_text("\n" + "\n".join(lines), "utf-8")
    assert run(predictions="p.jsonl").out == run().out


def test_unimorph_layout_with_further_guesses(run: Run) -> None:
    Path("g.tsv").write_text("Haus\tHäuser\tN;PL\nMaus\tMäuse\tN;PL\n", "utf-8")
    Path("q.tsv").write_text("Haus\tHaus\tN;PL\tHäuser\nMaus\tMäuse\tN;PL\n", "utf-8")
    scores = json.loads(run("--format", "json", gold="g.tsv", predictions="q.tsv").out)["scores"]
    assert (value(scores, "exact_match"), value(scores, "reciprocal_rank")) == (0.5, 0.75)


def test_spaced_symbols_show_in_scores_and_signature(run: Run) -> None:
    Path("g.tsv").write_text("cheese\tt ʃ iː z\n", "utf-8")
    Path("q.tsv").write_text("cheese\tt ʃ i z\n", "utf-8")
    ran = run("--layout", "g2p", "--format", "json", gold="g.tsv", predictions="q.tsv")
    report = json.loads(ran.out)
    assert value(report["scores"], "edit_distance") == 1
    assert report["breakdown"] == {}
    assert report["signature"].endswith("|symbols:nfc-spaced")


def test_training_data_split_the_scores(run: Run) -> None:
    Path("train.tsv").write_text("Haus\tpos=N,num=SG\tHaus\nBank\tpos=N,num=PL\tBanken\n", "utf-8")
    groups = json.loads(run("--train", "train.tsv", "--format", "json").out)["breakdown"]
    assert {label: group["rows"] for label, group in groups["lemma"].items()} == {
        "seen": 3,
        "unseen": 2,
    }
    assert {label: group["rows"] for label, group in groups["bundle"].items()} == {
        "seen": 4,
        "unseen": 1,
    }


def test_two_systems(run: Run) -> None:
    Path("copy.tsv").write_text(
        "".join("\t".join([*row.split("\t")[:2], "x"]) + "\n" for row in GOLD.splitlines()),
        "utf-8",
    )
    against = json.loads(run("--against", "copy.tsv", "--format", "json").out)["against"]
    assert value(against["scores"], "exact_match") == 0
    assert against["mcnemar"] == {"only_a": 2, "only_b": 0, "p_value": 0.5}
    assert against["bootstrap"]["difference"]["value"] == 2 / 5
    text = run("--against", "copy.tsv").out
    assert "McNemar's exact test, only this system right 2, only the other 0: p = 0.5" in text
    assert "difference (points)  +40.00" in text


def test_errors_are_written(run: Run) -> None:
    assert run("--errors", "errors.tsv").code == 0
    assert Path("errors.tsv").read_text("utf-8") == (
        "lemma\tfeatures\tgold\tpredicted\tdistance\n"
        "Maus\tpos=N,num=PL\tMäuse\tMause\t1\n"
        "gehen\tpos=V,tense=PST\tging\t\t4\n"
        "Bank\tpos=N,num=PL\tBänke\tBanken\t2\n"
    )


def lines(text: str, *drop: int) -> str:
    return "".join(row for n, row in enumerate(text.splitlines(True), 1) if n not in drop)


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        (
            lines(PREDICTIONS, 5),
            "bad.tsv: 4 rows, but gold.tsv has 5: its line 5 is missing, "
            "lemma 'Bank' features 'pos=N,num=PL'",
        ),
        (
            lines(PREDICTIONS, 2),
            "bad.tsv: 4 rows, but gold.tsv has 5: its line 2 is missing, "
            "lemma 'Maus' features 'pos=N,num=PL'",
        ),
        (
            PREDICTIONS + "\nTag\tpos=N,num=PL\tTage\n",
            "bad.tsv, line 7: 6 rows, but gold.tsv has 5: too many from here, "
            "lemma 'Tag' features 'pos=N,num=PL'",
        ),
        (
            PREDICTIONS.replace("gehen", "stehen"),
            "bad.tsv, line 3: lemma 'stehen' features 'pos=V,tense=PST', "
            "but gold.tsv, line 3, has lemma 'gehen' features 'pos=V,tense=PST'",
        ),
        (
            PREDICTIONS.replace("Maus\tpos=N,num=PL", "Maus\tpos=N,num=SG"),
            "bad.tsv, line 2: lemma 'Maus' features 'pos=N,num=SG', "
            "but gold.tsv, line 2, has lemma 'Maus' features 'pos=N,num=PL'",
        ),
        (
            PREDICTIONS.replace("\tHäuser", ""),
            "bad.tsv, line 1: 2 columns, expected 3 or more (lemma, features, form): "
            r"'Haus\tpos=N,num=PL'",
        ),
        (lines(PREDICTIONS, 5) + "Bank\n", "bad.tsv, line 5: 1 column, expected 3 or more"),
        ("", "bad.tsv: no rows"),
        ('{"lemma": "Haus", "form": ', "bad.tsv, line 1: Expecting value"),
        ('{"lemma": "Haus"}\n', "bad.tsv, line 1: lemma, features, form and alternatives must be"),
        ('{"lemma": "Haus", "form": "a\\tb"}\n', "bad.tsv, line 1: tab, line break or lone"),
        ('{"lemma": "Haus", "form": "\\ud800"}\n', "bad.tsv, line 1: tab, line break or lone"),
        ('{"lemma": "Haus", "form": "", "alternatives": 3}\n', "line 1: alternatives must be a"),
        ('{"lemma": "Haus", "form": ""}\n[]\n', "bad.tsv, line 2: not a JSON object: '[]'"),
        ('{"lemma": "Haus", "form": ""}\n', "bad.tsv: 1 rows, but gold.tsv has 5: its line 1"),
    ],
)
def test_bad_predictions_cost_one_line(run: Run, predictions: str, message: str) -> None:
    Path("bad.tsv").write_text(predictions, "utf-8")
    for skip in ([], ["--skip-bad"]):
        ran = run("--errors", "errors.tsv", *skip, predictions="bad.tsv")
        assert ran.code == 1
        assert ran.out == ""
        assert ran.err.splitlines()[-1].startswith("stepwrite: ")
        assert message in ran.err.splitlines()[-1]
        assert sorted(path.name for path in Path().iterdir()) == ["bad.tsv", "gold.tsv", "p.tsv"]


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        (GOLD.replace("ging", ""), "bad.tsv, line 3: empty form"),
        (GOLD.replace("\tging", ""), "bad.tsv, line 3: 2 columns, expected 3"),
        (GOLD.replace("gehen", ""), "bad.tsv, line 3: empty lemma"),
        ("", "bad.tsv: no rows"),
    ],
)
def test_bad_gold_costs_one_line(run: Run, gold: str, message: str) -> None:
    Path("bad.tsv").write_text(gold, "utf-8")
    ran = run("--errors", "errors.tsv", "--layout", "sigmorphon2016", gold="bad.tsv")
    assert (ran.code, ran.out) == (1, "")
    assert message in ran.err
    assert not Path("errors.tsv").exists()


def test_files_that_are_none(run: Run) -> None:
    Path("folder").mkdir()
    Path("latin1.tsv").write_bytes(PREDICTIONS.encode("latin-1"))
    for name, message in [
        ("missing.tsv", "missing.tsv: can't be read: No such file"),
        ("folder", "folder: can't be read: Is a directory"),
        ("latin1.tsv", "latin1.tsv, line 1: not UTF-8"),
    ]:
        for ran in (run(gold=name), run(predictions=name), run("--against", name)):
            assert (ran.code, ran.out) == (1, "")
            assert message in ran.err


def test_errors_file_that_cannot_be_written(run: Run) -> None:
    ran = run("--errors", "no/such/folder/errors.tsv")
    assert (ran.code, ran.out) == (1, "")
    assert "no/such/folder/errors.tsv: can't be written" in ran.err


@pytest.mark.parametrize(
    "predictions",
    [PREDICTIONS, lines(PREDICTIONS, 3), PREDICTIONS.replace("gehen\tpos=V,tense=PST\t", "broken")],
    ids=["predicted", "left out there too", "broken there too"],
)
def test_skipped_gold_rows_take_their_predictions_along(run: Run, predictions: str) -> None:
    Path("bad.tsv").write_text(GOLD.replace("ging", ""), "utf-8")
    Path("q.tsv").write_text(predictions, "utf-8")
    ran = run("--skip-bad", "--format", "json", gold="bad.tsv", predictions="q.tsv")
    scores = json.loads(ran.out)["scores"]
    assert (scores["rows"], value(scores, "exact_match")) == (4, 0.5)
    assert "bad.tsv: skipped 1 of 5 rows: 1 with an empty form (line 3)" in ran.err


@pytest.mark.parametrize(
    "options",
    [["--format", "xml"], ["--errors", "."], ["--layout", "nonsense"], ["--against"]],
)
def test_usage_mistakes(run: Run, options: list[str]) -> None:
    ran = run(*options)
    assert (ran.code, ran.out) == (2, "")
    assert "Error: " in ran.err


def test_standard_input_is_only_one_file(run: Run) -> None:
    assert run(gold="-", predictions="-").code == 2


@pytest.mark.parametrize("as_json", [False, True])
def test_predictions_from_standard_input(run: Run, as_json: bool) -> None:
    predictions = PREDICTIONS
    if as_json:
        names = ("lemma", "features", "form")
        predictions = "".join(
            json.dumps(dict(zip(names, row.split("\t"), strict=False))) + "\n"
            for row in PREDICTIONS.splitlines()
        )
    arguments = ["evaluate", "--gold", "gold.tsv", "--predictions", "-", "--format", "json"]
    ran = subprocess.run(
        [sys.executable, "-m", "stepwrite", *arguments],
        input=predictions.encode(),
        capture_output=True,
        env=os.environ | {"PYTHONUTF8": "1"},
        check=True,
    )
    assert value(json.loads(ran.stdout)["scores"], "edit_distance") == 7 / 5


def test_a_model_on_a_test_file(tmp_path: Path, stepwrite: Run, trained_model: Path) -> None:
    """The same scores as from writing its predictions to a file and scoring that."""
    test, predictions = tmp_path / "test.tsv", tmp_path / "predictions.tsv"
    test.write_text("gal\tgaled\tV;PST\nbulo\tbulos\tN;PL\nmer\twrong\tN;PL\n", "utf-8")
    by_model = stepwrite("evaluate", str(trained_model), str(test), "--format", "json")
    predictions.write_text(
        stepwrite("inflect", str(trained_model), "--file", str(test)).out, "utf-8"
    )
    by_file = stepwrite(
        "evaluate", "--gold", str(test), "--predictions", str(predictions), "--format", "json"
    )
    assert by_model.code == by_file.code == 0
    assert json.loads(by_model.out) == json.loads(by_file.out)
    assert value(json.loads(by_model.out)["scores"], "exact_match") == pytest.approx(2 / 3)


KNOWN = [Example("gal", "V;PST", "galed"), Example("Bär", "N;PL", "Bärs")]


@pytest.mark.parametrize(
    ("lexicon", "data", "message"),
    [
        (None, {}, ""),
        (KNOWN[:1], {}, "1 of 2 rows are in the model's lexicon"),
        (KNOWN, {}, "2 of 2 rows are in the model's lexicon"),
        ([Example("gal", "V;PST", "gol")], {}, ""),
        (None, {"train": KNOWN}, "these are the rows of train.tsv: the model was trained on them"),
        (None, {"dev": KNOWN}, "these are the rows of dev.tsv: its best epoch was chosen on them"),
        (None, {"train": KNOWN[::-1], "dev": KNOWN[:1]}, ""),
    ],
)
def test_rows_of_the_training_data_are_noticed(
    tmp_path: Path, stepwrite: Run, trained_model: Path, lexicon, data, message: str
) -> None:
    model = load_model(trained_model)
    fingerprints = {
        part: DataFile(f"{part}.tsv", len(rows), data_checksum(rows)) for part, rows in data.items()
    }
    about = replace(model.about, data=fingerprints)
    known = None if lexicon is None else Lexicon.fit(lexicon)
    save_model(tmp_path / "model", replace(model, about=about, lexicon=known), "", "")
    test = tmp_path / "test.tsv"
    test.write_text("gal\tgaled\tV;PST\nBär\tBärs\tN;PL\n", "utf-8")
    ran = stepwrite("evaluate", str(tmp_path / "model"), str(test), "--layout", "unimorph")
    assert ran.code == 0, ran.err
    assert ran.err.startswith(f"stepwrite: {test}: {message}" if message else "")
    assert bool(ran.err) == bool(message)


def test_unknown_features_warn_once(tmp_path: Path, stepwrite: Run, trained_model: Path) -> None:
    test = tmp_path / "test.tsv"
    test.write_text("gal\tgaled\tV;PST;ERG\nbulo\tbulos\tN;PL;ERG\n", "utf-8")
    options = ("--layout", "unimorph", "--format", "json")
    ran = stepwrite("evaluate", str(trained_model), str(test), *options)
    assert ran.code == 0
    assert ran.err == "stepwrite: the model has never seen the feature 'case=ERG': it is ignored\n"


@pytest.mark.parametrize(
    "arguments",
    ["", "model", "--gold g", "--predictions p", "model --gold g", "model test --gold g"],
)
def test_either_a_model_or_predictions(stepwrite: Run, arguments: str) -> None:
    ran = stepwrite("evaluate", *arguments.split())
    assert ran.code == 2
    assert "either MODEL and TEST, or --gold and --predictions" in ran.err
