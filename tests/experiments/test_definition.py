"""The definition files of the published tables, and malformed files."""

from __future__ import annotations

import os
import re
import tomllib
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

from stepwrite.data.examples import open_examples
from stepwrite.errors import StepwriteError
from stepwrite.experiments import definition
from stepwrite.experiments.definition import (
    EXPERIMENTS,
    DataFile,
    Experiment,
    check_file,
    data_folder,
    load_experiment,
)

FOLDER = Path(definition.__file__).parent / "definitions"
OF_THE_PAPER = ("celex", "sigmorphon2016", "wiktionary")
CORPORA = tuple(name for name in EXPERIMENTS if name not in OF_THE_PAPER)
needs_data = pytest.mark.skipif(
    "STEPWRITE_DATA" not in os.environ, reason="STEPWRITE_DATA is not set"
)
needs_corpora = pytest.mark.skipif(
    "STEPWRITE_CORPORA" not in os.environ, reason="STEPWRITE_CORPORA is not set"
)
each_experiment = pytest.mark.parametrize("name", EXPERIMENTS)


def scores(experiment: Experiment, system: str) -> dict[str, float]:
    (row,) = (row for row in experiment.published if row.system == system)
    return dict(row.scores)


def test_every_file_is_an_experiment() -> None:
    assert {path.stem for path in FOLDER.glob("*.toml")} == set(EXPERIMENTS)


@each_experiment
def test_published_averages_are_those_of_their_rows(name: str) -> None:
    """Except for rounding; otherwise the note gives the right one."""
    table = tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"), parse_float=Decimal)
    for row in table["published"]:
        if not row["scores"]:
            assert "An average only" in row["note"]
            continue
        mean = Decimal(sum(row["scores"].values())) / len(row["scores"])
        last_digit = Decimal(1).scaleb(row["average"].as_tuple().exponent)
        if abs(row["average"] - mean) > last_digit / 2:
            assert f"{mean:.2f}" in row.get("note", ""), row["system"]


@each_experiment
def test_what_is_common_to_the_published_tables(name: str) -> None:
    experiment = load_experiment(name)
    keys = [column.key for column in experiment.columns]
    assert all(row.source for row in experiment.published)
    if name in OF_THE_PAPER:
        assert all(list(row.scores) == keys for row in experiment.published)
        assert {row.system for row in experiment.published} >= {
            "Hard, vote of five",
            "Soft, vote of five",
        }
    else:
        assert all(list(row.scores) in (keys, []) for row in experiment.published)
    models = ("edit", "hard", "soft") if name in OF_THE_PAPER else ("edit",)
    plan = (experiment.models, experiment.preset, experiment.members, experiment.seed)
    assert plan == (models, "default", 5, 1)
    for dataset in experiment.datasets:
        settings = experiment.settings(dataset.name, "edit", "default")
        assert settings.pop("direction") == "alternate"
        # Letters are no phones, so there is nothing to hallucinate in both.
        assert settings == ({"hallucination": 0.0} if name.startswith("g2p") else {})
    used = {name for column in experiment.columns for name in column.datasets}
    assert used == {dataset.name for dataset in experiment.datasets}
    assert all(dataset.files or dataset.note for dataset in experiment.datasets)


def test_addresses_are_pinned_to_commits() -> None:
    files = {file for name in EXPERIMENTS for file in load_experiment(name).files}
    # The 155 training sets of CoNLL 2017 share the dev and test sets of 52 languages.
    assert len(files) == len({file.path for file in files}) == 66 + (155 + 2 * 52) + 20 * 3
    pinned = re.compile(r"https://raw\.githubusercontent\.com/[\w-]+/[\w-]+/[0-9a-f]{40}/.+")
    without = sorted(file.path for file in files if not pinned.fullmatch(file.url))
    rebuilt = ("base_forms_es_verb", "base_forms_fi_nounadj", "base_forms_fi_verb", "french")
    assert without == [f"wiktionary/{name}_train.txt.sigmorphon_format.txt" for name in rebuilt]
    # The files have the same names in the repositories, with these exceptions.
    for file in files:
        theirs = Path(file.url).name.replace("-uncovered-test", "-test")
        assert theirs in ("", re.sub(r"^(low|medium)-", "", Path(file.path).name))


def test_columns_of_sigmorphon_are_put_right() -> None:
    experiment = load_experiment("sigmorphon2016")
    med, hard = scores(experiment, "MED"), scores(experiment, "Hard, vote of five")
    assert (med["AR"], med["FI"], med["HU"]) == (95.47, 96.80, 99.30)
    assert (hard["AR"], hard["FI"], hard["HU"]) == (95.91, 96.25, 98.77)
    assert [column.datasets for column in experiment.columns if column.key == "GE"] == [
        ("georgian",)
    ]


def test_wiktionary_is_whole() -> None:
    experiment = load_experiment("wiktionary")
    assert [dataset.name for dataset in experiment.datasets if dataset.train is None] == []


@needs_data
def test_checksums_are_those_of_the_data() -> None:
    folder = data_folder(None)
    lines = (folder / "SHA256SUMS").read_text("utf-8").splitlines()
    expected = {path: checksum for checksum, path in map(str.split, lines)}
    files = [file for name in OF_THE_PAPER for file in load_experiment(name).files]
    # An old excerpt of a training file that is no longer used.
    expected.pop("wiktionary/base_forms_fi_verb_train_32k.txt.sigmorphon_format.txt", None)
    assert {file.path: file.sha256 for file in files} == expected
    assert [problem for file in files if (problem := check_file(folder, file))] == []


@needs_corpora
def test_checksums_are_those_of_the_corpora() -> None:
    folder = Path(os.environ["STEPWRITE_CORPORA"])
    lines = (folder / "SHA256SUMS").read_text("utf-8").splitlines()
    listed = {path.removeprefix("./"): checksum for checksum, path in map(str.split, lines)}
    expected = {k: v for k, v in listed.items() if k.startswith(("conll2017/", "g2p2021/"))}
    files = {file for name in CORPORA for file in load_experiment(name).files}
    assert {file.path: file.sha256 for file in files} == expected
    assert [problem for file in files if (problem := check_file(folder, file))] == []


@needs_corpora
@pytest.mark.parametrize("name", CORPORA)
def test_layouts_of_the_corpora(name: str) -> None:
    layout = "g2p" if name.startswith("g2p2021") else "unimorph"
    for file in load_experiment(name).files:
        source = open_examples(Path(os.environ["STEPWRITE_CORPORA"]) / file.path, needs_form=True)
        assert source.layout.name == layout


@needs_corpora
@pytest.mark.parametrize("size", ["low", "medium"])
def test_published_rows_of_conll_are_those_of_the_corpora(size: str) -> None:
    path = Path(os.environ["STEPWRITE_CORPORA"], f"conll2017-published-{size}.tsv")
    header, *lines = (line.split("\t") for line in path.read_text("utf-8").splitlines())
    runs = dict(zip(header, zip(*lines, strict=True), strict=True))
    experiment = load_experiment(f"conll2017-{size}")
    for system, run in (
        ("UZH 2017, vote of fifteen", "HAECM-E15"),
        ("HA*, vote of five", "HASTAR-LCS-E"),
        ("CA, vote of five", "CA-LCS-E"),
        ("CA-MRT, vote of five", "CA-MRT-CRP-E"),
        ("CA-D, vote of five", "CA-D-E"),
        ("CA-R, vote of five", "CA-R-E"),
        ("CA-RM, vote of five", "CA-RM-E"),
    ):
        found = dict(zip(runs["language"], map(float, runs[run]), strict=True))
        assert scores(experiment, system) == found


def test_languages_of_conll() -> None:
    low, medium, high = (load_experiment(f"conll2017-{size}") for size in ("low", "medium", "high"))
    titles = [dataset.title for dataset in low.datasets]
    assert titles == [dataset.title for dataset in medium.datasets]
    assert [t for t in titles if t not in {d.title for d in high.datasets}] == ["Scottish Gaelic"]
    assert {"Norwegian Bokmål", "Serbo-Croatian", "Lower Sorbian"} < set(titles)


def test_grapheme_to_phoneme_has_word_error_rates() -> None:
    for size, average in (("medium", 10.64), ("low", 25.1)):
        experiment = load_experiment(f"g2p2021-{size}")
        assert experiment.measure == "word error rate"
        assert experiment.published[0].average == average


@needs_data
def test_the_types_of_celex_are_those_of_its_rows() -> None:
    experiment = load_experiment("celex")
    parts = {column.part: 1000 for column in experiment.columns}
    for dataset in experiment.datasets:
        assert dataset.test is not None
        rows = (data_folder(None) / dataset.test.path).read_text("utf-8").splitlines()
        assert Counter(row.split("\t")[1] for row in rows) == parts


OWN = f"""
title = "Mine"
source = "http://localhost/data/"

[[datasets]]
name = "german"
title = "German"
train = {{ path = "de/train.tsv", sha256 = "{"a" * 64}", url = "train.tsv" }}
dev = {{ path = "de/dev.tsv", sha256 = "{"b" * 64}", url = "http://elsewhere/dev.tsv" }}
test = {{ path = "de/test.tsv", sha256 = "{"c" * 64}" }}

[[columns]]
key = "DE"
title = "German"
datasets = ["german"]

[[published]]
system = "Theirs"
source = "They (1999)"
scores = {{ DE = 90 }}
"""


def test_own_experiment(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(OWN, "utf-8")
    experiment = load_experiment(str(path))
    assert (experiment.name, experiment.members, experiment.seed) == ("mine", 5, 1)
    urls = [file.url for file in experiment.files]
    assert urls == ["http://localhost/data/train.tsv", "http://elsewhere/dev.tsv", ""]
    assert experiment.published[0].scores == {"DE": 90.0}
    assert experiment.published[0].average is None
    assert experiment.settings("german", "hard", "default") == {}


def test_overrides_are_for_some_datasets_and_models(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    german = OWN[OWN.index("[[datasets]]") : OWN.index("[[columns]]")]
    overrides = """
        [[overrides]]
        settings = { epochs = 3, rate = 0.1 }
        [[overrides]]
        settings = { epochs = 5 }
        datasets = ["german"]
        models = ["soft"]
    """
    path.write_text(OWN + german.replace("german", "dutch") + overrides, "utf-8")
    experiment = load_experiment(str(path))
    for dataset, model in (("german", "hard"), ("dutch", "hard"), ("dutch", "soft")):
        assert experiment.settings(dataset, model, "default") == {"epochs": 3, "rate": 0.1}
    assert experiment.settings("german", "soft", "default") == {"epochs": 5, "rate": 0.1}
    assert experiment.settings("german", "soft", "paper") == {}


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('title = "Mine"', "", "missing title"),
        ('title = "Mine"', 'title = "Mine"\ntilte = "M"', "unknown tilte"),
        ('title = "Mine"', "title = 7", "title: '7' is not a str"),
        ('title = "Mine"', 'title = "Mine"\nmembers = 0', "invalid members 0 or seed 1"),
        ('title = "Mine"', 'title = "Mine"\nmembers = true', "members: 'True' is not an int"),
        ('title = "Mine"', 'title = "Mine"\nmodels = ["warm"]', "model warm is not one of edit, "),
        ('title = "Mine"', 'title = "Mine"\nmodels = ["hard", "hard"]', "duplicate model"),
        ('title = "Mine"', 'title = "Mine"\nmodels = "hard"', "models: 'hard' is not a list"),
        ('title = "Mine"', 'title = "Mine"\nmeasure = "wer"', "measure: 'wer' is not one of accu"),
        ("test = {", "test = 3 #", "datasets: number 1: test: '3' is not a table"),
        ('title = "Mine"', "title =", "Invalid value (at line 2, column 8)"),
        ('name = "german"', 'name = "../german"', "datasets: number 1: name '../german': "),
        ('"de/dev.tsv"', '"../dev.tsv"', "datasets: number 1: dev: path '../dev.tsv' is not in"),
        ('"de/dev.tsv"', '"/dev.tsv"', "datasets: number 1: dev: path '/dev.tsv' is not inside"),
        ("aaaa", "AAAA", "datasets: number 1: train: sha256 'AAAA"),
        ("dev = {", "#", "datasets: number 1: train, dev and test must be given"),
        ('["german"]', "[]", "column DE has no datasets"),
        ('["german"]', '["dutch"]', "column DE: dataset dutch is not one of german"),
        ("{ DE = 90 }", "{ NL = 90 }", "published Theirs: column NL is not one of DE"),
        ("{ DE = 90 }", '{ DE = "90" }', "published: number 1: scores: DE: '90' is not a float"),
        ("{ DE = 90 }", "90", "published: number 1: scores: '90' is not a table"),
        *(
            ("[[columns]]", f"{override}\n[[columns]]", complaint)
            for override, complaint in (
                ("[overrides]\nrate = 1", """overrides: "{'rate': 1}" is not a list"""),
                ("[[overrides]]", "overrides: number 1: missing settings"),
                (
                    "[[overrides]]\nsettings = { epoch = 3 }",
                    "overrides: number 1: setting epoch is ",
                ),
                (
                    "[[overrides]]\nsettings = { kind = 'soft' }",
                    "overrides: number 1: setting kind is not one of cell, ",
                ),
                (
                    "[[overrides]]\nsettings = { epochs = 'x' }",
                    "overrides: number 1: epochs: 'x' is not an int",
                ),
                (
                    "[[overrides]]\nsettings = { precision = 'half' }",
                    "overrides: number 1: precision: 'half' is not one of single, bfloat16",
                ),
                (
                    "[[overrides]]\nsettings = { cell = 'gru' }",
                    "overrides: number 1: cell: 'gru' is not one of lstm, peephole",
                ),
                (
                    "[[overrides]]\nsettings = {}\ndatasets = ['dutch']",
                    "override: dataset dutch is not one of german",
                ),
                (
                    "[[overrides]]\nsettings = {}\nmodels = ['warm']",
                    "override: model warm is not one of edit, hard, soft",
                ),
            )
        ),
    ],
)
def test_files_that_are_wrong(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    path = tmp_path / "mine.toml"
    text = OWN.replace(old, new, 1)
    assert text != OWN
    path.write_text(text, "utf-8")
    with pytest.raises(StepwriteError) as error:
        load_experiment(str(path))
    assert str(error.value).startswith(f"{path}: {complaint}")


def test_files_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    with pytest.raises(StepwriteError, match=r"mine\.toml: can't be read: No such file"):
        load_experiment(str(path))
    path.write_bytes(b"title = '\xff'")
    with pytest.raises(StepwriteError, match=r"mine\.toml: 'utf-8' codec can't decode"):
        load_experiment(str(path))


def test_unknown_experiments() -> None:
    with pytest.raises(StepwriteError, match="unknown experiment 'celexx': use celex"):
        load_experiment("celexx")


def test_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    monkeypatch.setenv("STEPWRITE_DATA", str(tmp_path / "a"))
    assert data_folder(None) == tmp_path / "a"
    assert data_folder(tmp_path / "b") == tmp_path / "b"
    with pytest.raises(StepwriteError, match="c: no such data folder"):
        data_folder(tmp_path / "c")
    monkeypatch.setenv("STEPWRITE_DATA", "")
    with pytest.raises(StepwriteError, match=r"set STEPWRITE_DATA; .* stepwrite data get"):
        data_folder(None)


def test_check_file(tmp_path: Path) -> None:
    # The checksum of "abc" as FIPS 180-2 gives it.
    right = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    file = DataFile("x/abc", right)
    path = tmp_path / "x" / "abc"
    assert check_file(tmp_path, file) == f"{path}: missing"
    path.parent.mkdir()
    path.write_bytes(b"abc")
    assert check_file(tmp_path, file) is None
    path.write_bytes(b"")
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    expected = f"{path}: wrong checksum: SHA-256 {empty}, expected {right}"
    assert check_file(tmp_path, file) == expected
    path.unlink()
    path.mkdir()
    assert check_file(tmp_path, file) == f"{path}: can't be read: Is a directory"
