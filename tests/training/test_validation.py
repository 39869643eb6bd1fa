"""Accuracy on unseen lemmas without a dev set: folds, estimates, and training around them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stepwrite
from stepwrite.data.examples import Example
from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import DataError, StepwriteError
from stepwrite.evaluation.metrics import Estimate, wilson
from stepwrite.evaluation.validation import (
    ROWS,
    SUMMARY,
    Summary,
    ValidatedRow,
    Validation,
    accuracy_of,
    clustered,
    read_validation,
    write_validation,
)
from stepwrite.training import folder as run
from stepwrite.training.validation import (
    folds_left,
    gain_of,
    make_folds,
    train_folds,
    usual_folds,
)

LETTERS = random.Random(3)
STEMS = ["".join(LETTERS.choices("abdeghiklmnoprtu", k=4)) for _ in range(14)]
PAIRS = [
    Example(stem, tags, stem + ending)
    for stem in STEMS
    for tags, ending in (("V;PST", "ed"), ("V;PRS;3;SG", "s"))
]
TINY: dict[str, Any] = {"epochs": 1, "hidden": 4, "embedding": 4, "jobs": 1}


def validated(row: int, lemma: str, correct: bool, fold: int = 1) -> ValidatedRow:
    example = Example(lemma, "N", "x")
    return ValidatedRow(row, fold, example, "y", 0.5, 0.25, "z", correct, not correct)


# Folds


@pytest.mark.parametrize("n_folds", [1, 2, 5, 14])
def test_no_lemma_is_on_both_sides(n_folds: int) -> None:
    folds = make_folds(PAIRS, n_folds, seed=1)
    assert len(folds) == n_folds
    for fold in folds:
        trained, held_out = (
            {PAIRS[row].lemma for row in rows} for rows in (fold.train, fold.held_out)
        )
        assert held_out
        assert trained
        assert not trained & held_out
        assert sorted(fold.train + fold.held_out) == list(range(len(PAIRS)))
    if n_folds > 1:
        assert sorted(row for fold in folds for row in fold.held_out) == list(range(len(PAIRS)))
        sizes = [len(fold.held_out) for fold in folds]
        assert max(sizes) - min(sizes) <= 2


def test_folds_depend_on_the_seed_alone() -> None:
    assert make_folds(PAIRS, 5, 1) == make_folds(PAIRS, 5, 1) != make_folds(PAIRS, 5, 2)


def test_both_encodings_of_a_lemma_stay_together() -> None:
    rows = [Example("été", "SG", "été"), Example("e\u0301te\u0301", "PL", "étés"), *PAIRS]
    for fold in make_folds(rows, 5, seed=1):
        assert (0 in fold.train) == (1 in fold.train)


def test_how_many_folds() -> None:
    assert usual_folds(PAIRS) == 5
    assert usual_folds(PAIRS[:6]) == 3
    assert usual_folds(PAIRS[:2]) == 0
    assert usual_folds(Example(str(number), "N", "x") for number in range(299)) == 5
    assert usual_folds(Example(str(number), "N", "x") for number in range(300)) == 1


def test_more_folds_than_lemmas() -> None:
    with pytest.raises(StepwriteError, match="15 folds of 14 lemmas"):
        make_folds(PAIRS, 15, seed=1)


# Estimates


def test_independent_rows_have_wilsons_interval() -> None:
    correct = [True] * 30 + [False] * 70
    found, expected = clustered(correct, range(100)), wilson(30, 100)
    # The sample's variance divides by n - 1.
    assert found.value == expected.value
    assert found.low == pytest.approx(expected.low, abs=0.001)
    assert found.high == pytest.approx(expected.high, abs=0.001)


def test_rows_of_a_lemma_that_agree_count_once() -> None:
    by_lemma = clustered([True] * 30 + [False] * 70, [row // 10 for row in range(100)])
    expected = wilson(3, 10)
    assert by_lemma.low == pytest.approx(expected.low, abs=0.02)
    assert by_lemma.high == pytest.approx(expected.high, abs=0.02)


def test_all_right_is_not_certain() -> None:
    assert clustered([True] * 50, [row // 5 for row in range(50)]) == wilson(10, 10)


def test_the_interval_covers_what_it_says() -> None:
    """Lemmas that are easy or hard as a whole: rows alone would be far too sure."""
    draw = np.random.default_rng(1)
    inside = 0
    for _ in range(300):
        ease = draw.beta(2, 1, size=60).repeat(4)
        found = clustered(draw.random(240) < ease, np.arange(60).repeat(4).tolist())
        inside += found.low <= 2 / 3 <= found.high
    assert 0.91 <= inside / 300 <= 0.985


def test_the_report_adds_the_gain_and_what_folds_share() -> None:
    rows = [validated(row, str(row), row % 2 == 0, fold=row % 5 + 1) for row in range(100)]
    summary = Summary.of(rows, n_examples=100, n_lemmas=100, gain=0.04)
    assert (summary.folds, summary.rows, summary.lemmas) == (5, 100, 100)
    assert summary.inflation == pytest.approx(1 + 5 * 20 / 80)
    assert summary.accuracy.value == pytest.approx(0.54)
    naive = accuracy_of(rows)
    assert summary.accuracy.high - summary.accuracy.low > 1.4 * (naive.high - naive.low)
    one_split = Summary.of([row for row in rows if row.fold == 1], 100, 100, 0.0)
    assert one_split.inflation == pytest.approx(1.25)
    certain = Summary.of([validated(row, str(row), True) for row in range(9)], 50, 50, 0.3)
    assert certain.accuracy.value == certain.accuracy.high == 1.0


def test_the_gain_is_what_more_lemmas_bring() -> None:
    """Half of these lemmas need a rule that each third lemma shows: more lemmas help."""
    stems = random.Random(1).sample(
        [a + b + c for a in "bdgk" for b in "aeiou" for c in "lmnr"], 60
    )
    endings = {"l": "len", "m": "mata", "n": "nus", "r": "r"}
    classes = [Example(stem, "N;PL", stem[:-1] + endings[stem[-1]]) for stem in stems]
    folds = make_folds(classes[:12], 3, seed=1)
    assert gain_of(classes[:12], folds, Segmentation()) > 0.02
    regular = [Example(stem, "N;PL", stem + "s") for stem in stems]
    assert gain_of(regular, make_folds(regular, 3, seed=1), Segmentation()) == 0.0


# Files


def test_what_is_written_reads_back_the_same(tmp_path: Path) -> None:
    rows = tuple(validated(row, lemma, row == 1) for row, lemma in enumerate(('"a"', "b c", "é")))
    validation = Validation(rows, Summary.of(rows, 10, 10, 0.01))
    write_validation(tmp_path, validation)
    assert read_validation(tmp_path) == validation


def test_a_model_without_one(tmp_path: Path) -> None:
    assert read_validation(tmp_path) is None
    (tmp_path / ROWS).write_text("row\n")
    assert read_validation(tmp_path) is None  # the summary comes last


@pytest.mark.parametrize(
    ("rows", "summary"), [("row\n1\n", None), (None, "{}"), (None, "["), ("", None)]
)
def test_a_broken_one(tmp_path: Path, rows: str | None, summary: str | None) -> None:
    found = (validated(0, "a", True), validated(1, "b", True))
    write_validation(tmp_path, Validation(found, Summary.of(found, 2, 2, 0.0)))
    for name, text in ((ROWS, rows), (SUMMARY, summary)):
        if text is not None:
            (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match="can't be read"):
        read_validation(tmp_path)


# Training


def test_training_reports_accuracy_on_unseen_lemmas(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "model"
    model = stepwrite.train(PAIRS, out=out, folds=2, **TINY)
    validation = read_validation(out)
    assert validation is not None
    assert [row.row for row in validation.rows] == list(range(len(PAIRS)))
    assert [row.example for row in validation.rows] == PAIRS
    for row in validation.rows:
        assert row.correct == (row.predicted == row.example.form)
        assert row.rules_correct == (row.rules == row.example.form)
        assert 0 <= row.gold_probability <= 1
        assert not row.correct or row.gold_probability == pytest.approx(row.probability)
    assert validation.summary.folds == 2
    assert model.model.about.data["train"].rows == len(PAIRS)
    assert not (out / "training").exists()
    err = capsys.readouterr().err.splitlines()
    assert err[0].startswith("measuring on unseen lemmas: 2 networks, each without 14 of 28 rows")
    assert any(line.startswith("fold 2  epoch") for line in err)
    [headline] = [line for line in err if line.startswith("unseen lemmas: ")]
    assert "2-fold cross-validation of 14 lemmas, 28 rows" in headline
    assert any(line.startswith(f"{out}: 1 member(s), unseen lemmas: ") for line in err)
    assert err[-1].startswith(f"{out}: below the rules of stepwrite baseline")


def test_an_interrupted_measurement_resumes(tmp_path: Path) -> None:
    whole, pieces = tmp_path / "whole", tmp_path / "pieces"
    stepwrite.train(PAIRS, out=whole, folds=2, progress=False, **TINY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("stepwrite.training.validation.validate", lambda *_: 1 / 0)
        patch.setattr("stepwrite.training.validation.train_folds", lambda *_: iter(()))
        with pytest.raises(ZeroDivisionError):
            stepwrite.train(PAIRS, out=pieces, folds=2, progress=False, **TINY)
    assert folds_left(pieces, run.read_plan(pieces)) == 2
    folds = make_folds(PAIRS, 2, seed=1)
    for update in train_folds(pieces, run.read_plan(pieces), folds, 1):
        if update.ended:
            break  # the first fold's network is there, the second is not
    assert not (pieces / SUMMARY).exists()
    stepwrite.train(resume=pieces, jobs=1, progress=False)
    for name in (ROWS, SUMMARY, "member-1.safetensors"):
        assert (pieces / name).read_bytes() == (whole / name).read_bytes()


def test_what_is_measured_is_not_measured_again(tmp_path: Path) -> None:
    model = tmp_path / "model"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("stepwrite.training.workers.train_members", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            stepwrite.train(PAIRS, out=model, folds=1, progress=False, **TINY)
    assert folds_left(model, run.read_plan(model)) == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("stepwrite.training.validation.train_folds", lambda *_: 1 / 0)
        stepwrite.train(resume=model, jobs=1, progress=False)
    summary = json.loads((model / SUMMARY).read_text())
    assert summary["folds"] == 1
    assert Estimate(**summary["accuracy"]).low >= 0


def test_dev_and_folds_exclude_each_other(tmp_path: Path, stepwrite) -> None:
    from stepwrite import train

    with pytest.raises(StepwriteError, match="give either dev or folds"):
        train(PAIRS, dev=PAIRS, out=tmp_path / "model", folds=2)
    ran = stepwrite("train", "a.tsv", "--dev", "b.tsv", "--out", "m", "--folds", "2")
    assert ran.code == 2
    assert "--folds is for training without --dev" in ran.err
