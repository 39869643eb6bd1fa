"""Tables from made-up score files, with figures computed by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev

import numpy as np
import pytest

from stepwrite.data.examples import Example
from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import DataError
from stepwrite.evaluation.metrics import wilson
from stepwrite.experiments import pages, tables
from stepwrite.experiments.definition import Column, DataFile, Dataset, Experiment, Published
from stepwrite.experiments.scores import (
    Group,
    Member,
    Rows,
    Score,
    read_score,
    read_scores,
    score_rules,
    write_score,
)
from stepwrite.training.config import preset

FILE = DataFile("a.tsv", "0" * 64)
FOLDS = tuple(Dataset(name, name.upper(), FILE, FILE, FILE) for name in ("one", "two"))
EXPERIMENT = Experiment(
    name="made-up",
    title="Made up",
    models=("hard", "soft"),
    datasets=(*FOLDS, Dataset("three", "THREE", note="can't be had")),
    columns=(
        Column("P", "past", ("one", "two"), part="PST"),
        Column("Q", "present", ("one", "two"), part="PRS"),
    ),
    published=(
        Published("Hard", pages.PAPER, {"P": 90.0, "Q": 80.0}, 85.0, note="As printed."),
        Published("Other", "Somebody (2020)", {"P": 91.5}),
    ),
    notes=("Nothing here is true.",),
)


def group(members: Sequence[Sequence[int]], vote: Sequence[int]) -> Group:
    everywhere = np.ones(len(vote), dtype=bool)
    alone = [np.array(member, dtype=bool) for member in members]
    return Group.of(alone, np.array(vote, dtype=bool), everywhere)


def made_up(
    dataset: str, model: str, past: Group, present: Group, preset: str = "default"
) -> Score:
    members = tuple(
        Member(seed, 10, 9, 0.9, minutes=6.0 * seed, examples_per_second=500.0)
        for seed in range(1, 1 + len(past.members))
    )
    both = group([], [*past.correct, *present.correct])
    both = replace(
        both,
        members=tuple(a + b for a, b in zip(past.members, present.members, strict=True)),
    )
    return Score(
        experiment="made-up",
        dataset=dataset,
        model=model,
        preset=preset,
        stepwrite="0",
        data={"train": {"rows": 100}},
        training={},
        members=members,
        vote_dev_accuracy=0.9,
        parts={"": both, "PST": past, "PRS": present},
        lemmas={"seen": past, "unseen": present},
        predictions_sha256="",
        model_sha256="",
    )


# Two members, two folds; P has 4 rows per fold, Q has 2.
HARD = [
    made_up(
        "one",
        "hard",
        group([[1, 1, 1, 0], [1, 1, 0, 0]], [1, 1, 1, 0]),
        group([[1, 1], [1, 0]], [1, 1]),
    ),
    made_up(
        "two",
        "hard",
        group([[1, 1, 1, 1], [1, 1, 1, 0]], [1, 1, 1, 1]),
        group([[0, 1], [0, 0]], [0, 1]),
    ),
]
SOFT = [
    made_up(
        "one",
        "soft",
        group([[1, 1, 0, 0], [1, 1, 0, 0]], [1, 0, 0, 1]),
        group([[1, 1], [1, 1]], [1, 1]),
    ),
    made_up(
        "two",
        "soft",
        group([[1, 1, 1, 1], [1, 1, 1, 1]], [1, 1, 1, 0]),
        group([[1, 1], [1, 1]], [1, 1]),
    ),
]


def rows(scores: list[Score], experiment: Experiment = EXPERIMENT) -> dict[str, tables.Row]:
    return {row.system: row for row in tables.table(experiment, scores)}


def test_one_model_is_the_mean_over_members_of_the_mean_over_folds() -> None:
    row = rows(HARD)["hard, one model"]
    # Member 1 on P: 3/4 and 4/4; member 2: 2/4 and 3/4. On Q: 2/2 and 1/2; 1/2 and 0/2.
    past, present = [87.5, 62.5], [75.0, 25.0]
    for key, alone in (("P", past), ("Q", present)):
        assert row.cells[key] == tables.Cell(mean(alone), sd=stdev(alone))
    averages = [mean(pair) for pair in zip(past, present, strict=True)]
    assert row.average == tables.Cell(mean(averages), sd=stdev(averages))
    assert row.rests_on == "2 members, 2 of 2 datasets"


def test_vote_has_the_interval_of_all_folds_rows() -> None:
    row = rows(HARD)["hard, vote"]
    past, present = wilson(7, 8), wilson(3, 4)
    for key, expected in (("P", past), ("Q", present)):
        cell = row.cells[key]
        found = (cell.value, cell.low, cell.high)
        assert found == pytest.approx(
            [100 * x for x in (expected.value, expected.low, expected.high)]
        )
    assert row.average is not None
    assert row.average.value == pytest.approx(81.25)
    below = np.hypot(past.value - past.low, present.value - present.low) / 2
    assert row.average.low == pytest.approx(81.25 - 100 * below)
    assert row.average.high is not None
    assert row.average.high < 100


def test_intervals_of_averages_hold_what_they_promise() -> None:
    """The interval of the average contains the true value in 95 % of samples or a little more."""
    generator = np.random.default_rng(0)
    held = 0
    for _ in range(2000):
        cells = [group([], generator.random(n) < share) for share, n in ((0.95, 60), (0.8, 150))]
        cell = rows([made_up("one", "hard", *cells)])["hard, vote"].average
        assert cell
        held += cell.low <= 100 * (0.95 + 0.8) / 2 <= cell.high
    assert 0.93 < held / 2000 < 0.985


def test_what_is_missing_is_said_and_has_no_average() -> None:
    only_past = replace(HARD[0], parts={k: v for k, v in HARD[0].parts.items() if k != "PRS"})
    row = rows([only_past])["hard, vote"]
    assert set(row.cells) == {"P"}
    assert row.average is None
    assert row.rests_on == "2 members, 1 of 2 datasets"
    page = pages.markdown(EXPERIMENT, [only_past])
    assert "| not measured | - | 2 members, 1 of 2 datasets |" in page
    assert "| soft, vote | not measured | not measured | - | 0 members, 0 of 2 datasets |" in page
    assert "| Other | 91.50 | - | - | published |" in page
    assert "not measured" not in tables.tsv(EXPERIMENT, [only_past])


def test_members_that_only_some_folds_have_do_not_count() -> None:
    fewer = replace(
        HARD[1],
        members=HARD[1].members[:1],
        parts={k: replace(g, members=g.members[:1]) for k, g in HARD[1].parts.items()},
    )
    row = rows([HARD[0], fewer])["hard, one model"]
    assert row.cells["P"] == tables.Cell(87.5)
    assert row.rests_on == "1 to 2 members, 2 of 2 datasets"


def test_overrides_of_the_preset_are_listed() -> None:
    usual = preset("default", 100, kind="hard")
    plain, spliced = usual.to_json(), replace(usual, splicing=0.3, epochs=7).to_json()
    plain["precision"] = "bfloat16"  # decided by the processor, not by the preset
    del plain["splicing"]  # as in a score file that is older than the setting
    page = pages.markdown(EXPERIMENT, [replace(HARD[0], training=plain), HARD[1], *SOFT])
    assert "Overrides" not in page
    page = pages.markdown(EXPERIMENT, [replace(score, training=spliced) for score in HARD] + SOFT)
    told = [line for line in page.splitlines() if "Overrides" in line]
    assert told == ["- Overrides of the preset, hard: epochs 7, splicing 0.3 (ONE, TWO)."]


def test_mcnemar_takes_the_folds_together() -> None:
    page = pages.markdown(EXPERIMENT, HARD + SOFT)
    # P: hard right in 1111 0 / 1111, soft only in the last of fold one: 3 against 1.
    assert "| default | P | 8 | 3 | 1 | 0.62 |" in page
    assert "| default | Q | 4 | 0 | 1 | 1 |" in page
    assert "| default | P | not measured |" in pages.markdown(EXPERIMENT, HARD)


def test_every_pair_of_kinds_is_compared() -> None:
    edit = [replace(score, model="edit") for score in SOFT]
    three = replace(EXPERIMENT, models=("edit", "hard", "soft"))
    page = pages.markdown(three, edit + HARD + SOFT)
    parts = {part.splitlines()[0]: part for part in page.split("## ") if " versus " in part}
    assert list(parts) == ["Edit versus hard", "Edit versus soft", "Hard versus soft"]
    assert "| only edit right | only hard right |" in parts["Edit versus hard"]
    assert "| default | P | 8 | 1 | 3 | 0.62 |" in parts["Edit versus hard"]
    assert "| default | P | 8 | 0 | 0 | 1 |" in parts["Edit versus soft"]
    assert "| default | P | 8 | 3 | 1 | 0.62 |" in parts["Hard versus soft"]
    assert " versus " not in pages.markdown(replace(EXPERIMENT, models=("hard",)), HARD)


def test_word_error_rates_complement_accuracies() -> None:
    wrong = replace(EXPERIMENT, measure="word error rate")
    right, mistakes = rows(HARD), rows(HARD, wrong)
    for name in ("hard, one model", "hard, vote"):
        pairs = [(right[name].cells[key], mistakes[name].cells[key]) for key in ("P", "Q")]
        for accuracy, error in (*pairs, (right[name].average, mistakes[name].average)):
            assert accuracy
            assert error
            assert error.value == pytest.approx(100 - accuracy.value)
            assert error.sd == accuracy.sd
            if accuracy.low is not None:
                assert error.low == pytest.approx(100 - accuracy.high)
                assert error.high == pytest.approx(100 - accuracy.low)
    assert mistakes["Hard"] == right["Hard"]  # published as such
    page = pages.markdown(wrong, HARD)
    assert "Word error rate on test, %: lower is better." in page
    assert "| hard | ONE | 4 | 25.00 | 2 | 0.00 |" in page
    assert pages.short_markdown(wrong, HARD).startswith("| made-up, word error rate | P | Q |")


def test_tables_of_many_columns_are_transposed() -> None:
    letters = "ABCDEFGHIJKLM"
    columns = tuple(Column(c, f"letter {c}", ("one", "two"), part="PST") for c in letters)
    published = (
        Published("All", "Somebody (2020)", dict.fromkeys(letters, 50.0), 50.0),
        Published("Average", "Nobody (2021)", {}, 60.0, note="An average only."),
    )
    wide = replace(EXPERIMENT, models=("hard",), columns=columns, published=published)
    page = pages.markdown(wide, HARD).splitlines()
    start = page.index("|  | All | Average | rules | hard, one model | hard, vote |")
    average, first, *_ = page[start + 2 :]
    assert average.startswith("| average | 50.00 | 60.00 | - | 75.00 ± 17.68 | 87.50 (")
    assert first.startswith("| letter A | 50.00 | - | not measured | 75.00 ± 17.68 | 87.50 (")
    assert page[start + 16].startswith("| based on | published | published | 0 of 2 datasets | 2 ")
    assert not [line for line in page if line.startswith("- Columns")]
    assert pages.short_markdown(wide, HARD).splitlines() == [
        "| made-up | average |",
        "|---|---|",
        "| published: All | 50.00 |",
        "| published: Average | 60.00 |",
        "| rules | - |",
        "| hard, vote | 87.50 |",
    ]
    narrow = replace(wide, columns=columns[:12], published=())
    assert "| system | A | B |" in pages.markdown(narrow, HARD)


def test_other_presets_have_rows_of_their_own() -> None:
    paper = [replace(score, preset="paper") for score in HARD]
    names = list(rows(HARD + SOFT + paper))
    assert names == [
        *("Hard", "Other", "rules"),
        *("hard, one model", "hard, vote", "soft, one model", "soft, vote"),
        *("hard, preset paper, one model", "hard, preset paper, vote"),
    ]
    assert rows(paper)["hard, vote"].cells == {}


def test_page_holds_notes_sources_and_lemmas() -> None:
    page = pages.markdown(EXPERIMENT, HARD)
    assert "- Nothing here is true." in page
    assert "- Hard: Aharoni & Goldberg (2017). As printed." in page
    assert "- THREE: can't be had" in page
    assert "| hard | ONE | 4 | 75.00 | 2 | 100.00 |" in page
    assert page == pages.markdown(EXPERIMENT, HARD[::-1])


def test_speed_is_on_a_page_of_its_own() -> None:
    speed = pages.speed_markdown(EXPERIMENT, HARD)
    assert "| hard | ONE | 2 | 100 | 10 | 500 | 9.0 | 18.0 |" in speed
    assert "0.6 core hours" in speed
    slower = [replace(s, members=tuple(replace(m, minutes=99.0) for m in s.members)) for s in HARD]
    assert pages.markdown(EXPERIMENT, HARD) == pages.markdown(EXPERIMENT, slower)
    assert pages.speed_markdown(EXPERIMENT, slower) != speed


def test_short_version_has_the_papers_rows_and_the_votes() -> None:
    short = pages.short_markdown(EXPERIMENT, HARD)
    assert short.splitlines()[2:] == [
        "| paper: Hard | 90.00 | 80.00 | 85.00 |",
        "| rules | not measured | not measured | - |",
        "| hard, vote | 87.50 | 75.00 | 81.25 |",
        "| soft, vote | not measured | not measured | - |",
    ]


def test_score_files_read_back_the_same(tmp_path: Path) -> None:
    path = tmp_path / "made-up" / "one" / "hard-default.json"
    write_score(path, HARD[0])
    assert read_score(path) == HARD[0]
    content = path.read_bytes()
    write_score(path, HARD[0])
    assert path.read_bytes() == content
    data = json.loads(content)
    assert data["members"][0]["test_accuracy"] == round(5 / 6, 6)
    assert data["vote_test_accuracy"]["value"] == round(5 / 6, 6)
    assert read_scores(tmp_path / "made-up", EXPERIMENT.datasets) == [HARD[0]]
    path.write_bytes(content[:-9])
    with pytest.raises(DataError, match=r"hard-default.json: truncated"):
        read_score(path)


@pytest.mark.parametrize("change", [{"hidden": 8}, {"network": {}, "colour": 3}, {"rate": "x"}])
def test_scores_with_settings_of_another_version_are_refused(tmp_path: Path, change) -> None:
    path = tmp_path / "hard-default.json"
    write_score(path, HARD[0])
    data = json.loads(path.read_bytes())
    path.write_text(json.dumps(data | {"training": change}))
    with pytest.raises(DataError, match=r"hard-default.json: truncated, altered or from another"):
        read_score(path)


def test_groups_by_features_and_by_lemma() -> None:
    train = [Example("go", "PST", "went"), Example("see", "PST", "saw")]
    test = [
        Example("go", "PRS", "goes"),
        Example("do", "PRS", "does"),
        Example("caf\u00e9", "PST", "caf\u00e9d"),
    ]
    forms = ["goes", "do", "cafe\u0301d"]  # another encoding of the same word is right
    groups = Rows(FOLDS[0], train, test, Segmentation()).groups([forms, ["x"] * 3], forms)
    assert {k: (g.rows, g.members, g.vote) for k, g in groups["parts"].items()} == {
        "": (3, (2, 0), 2),
        "PRS": (2, (1, 0), 1),
        "PST": (1, (1, 0), 1),
    }
    assert {k: (g.rows, g.vote) for k, g in groups["lemmas"].items()} == {
        "seen": (1, 1),
        "unseen": (2, 1),
    }
    assert groups["parts"][""].correct.tolist() == [True, False, True]


def test_the_rules_are_learnt_from_the_symbols_of_the_layout() -> None:
    """Phones of several characters are single symbols, however they are spaced."""
    spaced = Segmentation(form_spaced=True)
    train = [Example("ax", "", "a ʃː"), Example("b", "", "b")]
    test = [Example("ax", "", "a  ʃː")]  # the same symbols
    rows = Rows(FOLDS[0], train, test, spaced)
    assert score_rules("made-up", rows).parts[""].accuracy == 1.0
    assert score_rules("made-up", replace(rows, segmentation=Segmentation())).parts[""].vote == 0


def test_many_feature_strings_are_not_scored_apart() -> None:
    test = [Example("a", f"N;{k}", "b") for k in range(30)]
    score = score_rules("made-up", Rows(FOLDS[0], test, test, Segmentation()))
    assert set(score.parts) == {""}
    assert score.parts[""].accuracy == 1.0
