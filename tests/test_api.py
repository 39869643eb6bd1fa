"""The public API: its names, what they cost to import, and what each of them does."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from math import exp
from pathlib import Path
from typing import Any

import pytest

import stepwrite
from stepwrite import Example
from stepwrite.evaluation.rules import RuleBaseline
from stepwrite.model.directory import Model, save_model

MakeModel = Callable[..., Model]
ROOT = Path(__file__).parents[1]
NAMES = {
    *("load", "train", "models", "evaluate", "align", "read", "write"),
    *("Inflector", "Prediction", "Move", "Alternative", "Paradigm", "Evaluation"),
    *("Example", "Alignment", "StepwriteError", "DataError", "FeatureError", "ModelError"),
    *("UnknownFeatureWarning", "__version__"),
}
ROWS = [
    Example(stem, "V;PST", stem + "ed") if k % 2 else Example(stem, "N;PL", stem + "s")
    for k, stem in enumerate(f"{a}{b}{c}" for a in "bdgk" for b in "aeo" for c in "lmnr")
]


def python(code: str) -> str:
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return ran.stdout


def test_names() -> None:
    assert set(stepwrite.__all__) == NAMES
    assert len(stepwrite.__all__) == len(NAMES)
    assert set(dir(stepwrite)) >= NAMES
    for name in NAMES:
        assert getattr(stepwrite, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'inflect'"):
        getattr(stepwrite, "inflect")  # noqa: B009
    everything: dict[str, Any] = {}
    exec("from stepwrite import *", everything)
    assert everything.keys() >= NAMES


def test_nothing_is_imported_before_it_is_used() -> None:
    loaded = "import sys, stepwrite; dir(stepwrite); print(*sys.modules)"
    modules = set(python(loaded).split())
    assert not modules & {"numpy", "torch", "click", "rich", "typing", "importlib.util"} - set(
        python("import sys; print(*sys.modules)").split()
    )
    assert {name for name in modules if name.startswith("stepwrite")} == {"stepwrite"}
    light = (
        "import sys, stepwrite; stepwrite.StepwriteError, stepwrite.Example; print(*sys.modules)"
    )
    assert not set(python(light).split()) & {"numpy", "torch", "click", "rich"}


def test_type_checkers_see_the_names(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "use.py").write_text(
        "import stepwrite\n"
        "form: str = stepwrite.load('de')('Haus', case='DAT').form\n"
        "right: float = stepwrite.evaluate('de', 'test.tsv').exact_match\n"
        "wrong: int = stepwrite.load('de')('Haus').form\n"
        "stepwrite.absent\n"
    )
    command = [sys.executable, "-m", "mypy", str(tmp_path / "use.py")]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    complaints = [line for line in ran.stdout.splitlines() if "use.py:" in line]
    assert [line.split("use.py:")[1][0] for line in complaints] == ["4", "5"], ran.stdout


@pytest.mark.parametrize("name", ["de", "deu", "German", "german", "GERMAN"])
def test_a_language_by_any_of_its_names(name: str) -> None:
    de = stepwrite.load(name)
    assert de("Haus", "N;NEUT;DAT;PL").form == "Häusern"
    assert de("gut", "ADJ;CMPR").form == "besser"


def test_a_model_that_is_not_there() -> None:
    with pytest.raises(stepwrite.ModelError, match=r"models that ship: .*german-nouns"):
        stepwrite.load("Klingon")


def test_features_as_tags_keywords_and_mappings() -> None:
    nouns = stepwrite.load("german-nouns")
    tags = nouns("Haus", "N;NEUT;DAT;PL")
    assert tags.form == "Häusern"
    assert 0 < tags.probability == exp(tags.score) <= 1
    values = {"part_of_speech": "N", "gender": "NEUT", "case": "DAT", "number": "PL"}
    assert nouns("Haus", **values) == nouns("Haus", values) == tags
    assert nouns("Haus", pos="N", gender="NEUT", case="DAT", number="PL") == tags
    german = stepwrite.load("german")
    names_and_values = german("Haus", "pos=N,gender=NEUT,case=DAT,number=PL")
    assert names_and_values.form == "Häusern"
    assert german("Haus", pos="N", gender="NEUT", case="DAT", number="PL") == names_and_values
    third = german("gehen", {"pos": "V", "per": 3})
    assert third.features == "V;IND;PRS;3;SG"
    assert third.notes == ("tense=PRS (assumed)", "number=SG (assumed)")
    dative = nouns("Haus", case="DAT", number="PL")
    assert (dative.form, dative.features) == ("Häusern", "N;NEUT;DAT;PL")
    assert dative.notes == ("gender=NEUT (lexicon)",)


@pytest.mark.parametrize(
    "features",
    [
        "PL;DAT;NEUT;N",
        "case=DAT, number=PL",
        "dative plural",
        "Dative Plural Noun",
        "dat pl",
        "NOUN|Case=Dat|Gender=Neut|Number=Plur",
        "Case=Dat|Number=Plur",
        {"case": "dative", "number": "plural"},
        {"Case": "Dat", "Number": "Plur"},
    ],
    ids=str,
)
def test_one_cell_in_many_notations(features: Any) -> None:
    found = stepwrite.load("german-nouns")("Haus", features)
    assert (found.form, found.features) == ("Häusern", "N;NEUT;DAT;PL")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"tense": "PST"},
            r"unknown feature PST \(tense\): the language uses case, gender, number",
        ),
        ({"case": "ERG"}, "unknown value ERG of case: use ACC, DAT, GEN, NOM"),
        ({"number": 2}, "unknown value '2' of number"),
        ({"cases": "DAT"}, "unknown feature 'cases': did you mean case"),
    ],
)
def test_features_that_the_model_does_not_know(values: dict[str, Any], message: str) -> None:
    nouns = stepwrite.load("german-nouns")
    with pytest.raises(stepwrite.StepwriteError, match=message):
        nouns("Haus", **values)
    with pytest.raises(stepwrite.StepwriteError, match=message):
        nouns.batch([("Haus", values)])
    with pytest.raises(stepwrite.StepwriteError, match="either"):
        nouns("Haus", "N", **values)


def test_a_batch_takes_rows_of_any_kind() -> None:
    nouns = stepwrite.load("german-nouns")
    features = "N;NEUT;DAT;PL"
    values = {"pos": "N", "gender": "NEUT", "case": "DAT", "number": "PL"}
    rows: list[Any] = [
        ("Haus", features),
        ["Haus", features],
        ("Haus", values),
        Example("Haus", features, "covered"),
        {"lemma": "Haus", "features": features, "form": "covered"},
        {"lemma": "Haus", "features": values},
    ]
    predictions = nouns.batch(rows, n_best=3)
    assert len({prediction.form for prediction in predictions}) == 1
    assert {len(prediction.alternatives) for prediction in predictions} == {2}
    assert predictions[0].alternatives[0].probability < predictions[0].probability
    wrong: list[Any] = ["Haus", ("Haus",), {"features": features}, ("Haus", None), 3]
    for bad in wrong:
        with pytest.raises(stepwrite.StepwriteError, match="word 2: expected a lemma"):
            nouns.batch([rows[0], bad])


class Cells(HTMLParser):
    """The texts of an HTML table."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_a_paradigm_is_a_table(run: Callable[..., Any]) -> None:
    nouns = stepwrite.load("german-nouns", lexicon="prefer")
    paradigm = nouns.paradigm("Haus")
    shown = run("paradigm", "german-nouns", "Haus", "--lexicon", "prefer").out
    assert f"{paradigm}\n" == f"{paradigm!r}\n" == shown
    html = Cells(paradigm._repr_html_())
    assert html.tags == {"table", "caption", "tr", "th", "td"}
    assert html.texts[:4] == ["Haus, N, gender=NEUT", "case", "SG", "PL"]
    assert any(text.startswith("Häusern 1.00*") for text in html.texts)
    assert paradigm.to_json()["cells"][0].keys() >= {"values", "probability", "complete"}


def test_html_is_escaped() -> None:
    cell = replace(stepwrite.load("german-nouns").paradigm("Haus").cells[0], form="<b>&")
    paradigm = stepwrite.Paradigm("<i>", "N", {"gender": "<u>"}, (), (cell,))
    html = Cells(paradigm._repr_html_())
    assert html.tags == {"table", "caption", "tr", "th", "td"}
    assert html.texts[0].startswith("<i>, N, gender=<u>")
    assert html.texts[-1].startswith("<b>& ")


def test_steps() -> None:
    prediction = stepwrite.load("german-nouns")("Haus", "N;NEUT;DAT;PL", attention=True)
    assert "".join(move.written for move in prediction.steps) == "Häusern"
    assert prediction.steps is prediction.steps
    first, *_, last = prediction.steps
    assert (str(first.action), first.position, first.attended) == ("step", 0, "")
    assert (str(last.action), last.position, last.attended) == ("end", 5, "")
    assert [move.action for move in prediction.steps] == list(prediction.actions)
    assert prediction.complete


def test_steps_of_known_forms_are_the_shortest_way_to_them() -> None:
    prediction = stepwrite.load("german-nouns")("Haus", "N;NEUT;DAT;PL")
    assert (prediction.actions, prediction.by) == ((), "lexicon")
    assert "".join(move.written for move in prediction.steps) == "Häusern"
    explanation = prediction.to_json(explain=True)["explanation"]
    assert explanation["by"] == "lexicon"
    assert [step["action"] for step in explanation["steps"]].count("copy") == 3


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_json_has_all_that_explains_a_form(random_model: MakeModel, direction: str) -> None:
    model = random_model(seed=44, scale=1.5)
    model = replace(model, network=replace(model.network, direction=direction))
    prediction = stepwrite.Inflector(model)("see", "V;PST", n_best=2)
    found = json.loads(json.dumps(prediction.to_json(explain=True)))
    assert (found["direction"], found["complete"]) == (direction, True)
    assert found["probability"] == exp(found["score"])
    steps = found["explanation"]["steps"]
    assert [step["position"] for step in steps] == found["positions"]
    symbols = found["explanation"]["symbols"]
    assert symbols == ["", "s", "e", "e", ""]
    assert [symbols[step["position"]] for step in steps] == [step["attended"] for step in steps]
    written = "".join(step["symbol"] or "" for step in steps)
    assert (written if direction == "forward" else written[::-1]) == found["form"]


def test_forms_that_are_cut_off_say_so(
    random_model: MakeModel, run: Callable[..., Any], tmp_path: Path
) -> None:
    """A network that never ends."""
    model = random_model()
    for weights in model.members:
        weights["output_bias"][0] = -1000
    prediction = stepwrite.Inflector(model)("go", "V;PST")
    assert not prediction.complete
    assert len(prediction.actions) == 150
    save_model(tmp_path / "model", model, "", "")
    ran = run("inflect", str(tmp_path / "model"), "go", "V;PST")
    assert ran.code == 0
    assert ran.err.startswith("stepwrite: 'go': the form was cut off after 150 actions\n")
    explained = run("inflect", str(tmp_path / "model"), "go", "V;PST", "--explain")
    assert ", cut off\n" in explained.out
    lines = run("inflect", str(tmp_path / "model"), "go", "V;PST", "--format", "jsonl")
    assert json.loads(lines.out)["complete"] is False


def test_models(run: Callable[..., Any]) -> None:
    found = stepwrite.models()
    assert {model.iso for model in found} >= {"deu", "eng", "fin"}
    assert f"{found}\n" == f"{found!r}\n" == run("models").out
    assert {"table", "td"} <= Cells(found._repr_html_()).tags


def test_reading_and_writing(tmp_path: Path) -> None:
    path = tmp_path / "train.tsv"
    path.write_text("Haus\tHäuser\tN;NOM;PL\nMaus\tMäuse\tN;NOM;PL\n", "utf-8")
    examples = stepwrite.read(path)
    assert examples == [
        Example("Haus", "N;NOM;PL", "Häuser"),
        Example("Maus", "N;NOM;PL", "Mäuse"),
    ]
    stepwrite.write(tmp_path / "same.tsv", examples)
    assert (tmp_path / "same.tsv").read_bytes() == path.read_bytes()
    stepwrite.write(tmp_path / "other.tsv", list(examples), layout="sigmorphon2016")
    assert (tmp_path / "other.tsv").read_text("utf-8").startswith("Haus\tN;NOM;PL\tHäuser\n")
    assert stepwrite.read(path, layout=["lemma", "form", "_"])[0] == Example("Haus", "", "Häuser")
    with pytest.raises(stepwrite.StepwriteError, match="unknown layout 'conll': use sigm"):
        stepwrite.read(path, layout="conll")
    with pytest.raises(stepwrite.StepwriteError, match="unknown column 'word'"):
        stepwrite.read(path, layout=["word", "form", "_"])
    path.write_text("Haus\tHäuser\tN;NOM;PL\nMaus\n", "utf-8")
    with pytest.raises(stepwrite.DataError, match="line 2: 1 column, expected 3"):
        stepwrite.read(path, layout="unimorph")


def test_aligning(tmp_path: Path) -> None:
    path = tmp_path / "train.tsv"
    stepwrite.write(path, ROWS)
    by_file, by_rows = stepwrite.align(path), stepwrite.align(ROWS)
    assert by_file == by_rows == stepwrite.align([(row.lemma, row.form) for row in ROWS])
    assert by_file[0].pairs == (("b", "b"), ("a", "a"), ("l", "l"), (None, "s"))
    [spaced] = stepwrite.align([("a b", "x y z")], aligner="edit", spaced="both")
    assert spaced.lemma == ("a", "b")
    with pytest.raises(stepwrite.StepwriteError, match="pair 2: expected lemma and form"):
        stepwrite.align([("a", "b"), ("c",)])  # type: ignore[list-item]


def test_evaluation(trained_model: Path, run: Callable[..., Any], tmp_path: Path) -> None:
    test = tmp_path / "test.tsv"
    stepwrite.write(test, ROWS)
    mine = stepwrite.load(trained_model)
    result = stepwrite.evaluate(mine, test)
    assert result.rows == len(ROWS)
    assert result.exact_match == result.scores.exact_match.value
    assert len(result.mistakes) == round((1 - result.exact_match) * len(ROWS))
    ran = run("evaluate", str(trained_model), str(test))
    assert f"{result}\n" == f"{result!r}\n" == ran.out
    assert str(stepwrite.evaluate(trained_model, ROWS)) == str(result)
    gold = [row.form for row in ROWS]
    best = stepwrite.evaluate(gold, ROWS, against=[["x", form] for form in gold], train=ROWS[:5])
    assert best.exact_match == best.reciprocal_rank == 1
    assert best.edit_distance == best.normalised_edit_distance == 0
    assert best.against is not None
    assert best.against.scores.reciprocal_rank.value == 0.5
    assert best.breakdown["lemma"]["seen"].rows == 5
    with pytest.raises(stepwrite.StepwriteError, match="2 predictions for"):
        stepwrite.evaluate(gold[:2], ROWS)
    with pytest.raises(stepwrite.StepwriteError, match="example 1: empty lemma or form"):
        stepwrite.evaluate([""], [Example("go", "V;PST")])
    with pytest.raises(stepwrite.StepwriteError, match="example 2: expected lemma, features"):
        stepwrite.evaluate(gold, [ROWS[0], ("go", "went")])  # type: ignore[list-item]


SETTINGS: dict[str, Any] = {"epochs": 2, "hidden": 8, "embedding": 4, "progress": False}
WITHOUT_FOLDS = {**SETTINGS, "folds": 0}


def test_training(
    run: Callable[..., Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train, dev = tmp_path / "train.tsv", tmp_path / "dev.tsv"
    stepwrite.write(train, ROWS[:40])
    stepwrite.write(dev, ROWS[40:])
    out = tmp_path / "models" / "mine"
    mine = stepwrite.train(
        train, dev=dev, out=out, members=2, lexicon=True, rules=False, **SETTINGS
    )
    assert capsys.readouterr() == ("", "")
    assert len(mine.members) == 2
    assert [data.file for data in mine.model.about.data.values()] == [str(train), str(dev)]
    assert mine.model.about.training["epochs"] == 2
    word = ("bal", "N;PL")
    assert mine(*word) == stepwrite.load(out)(*word)
    assert mine(*word).attested is not None
    command = ("--epochs", "2", "--hidden", "8", "--embedding", "4", "--lexicon", "--no-rules")
    other = tmp_path / "models" / "other"
    ran = run(
        *("train", str(train), "--dev", str(dev), "--out", str(other), "--members", "2"), *command
    )
    assert ran.code == 0, ran.err
    rules = RuleBaseline.fit(ROWS[:40])
    right = sum(rules.predict(e.lemma, e.features) == e.form for e in ROWS[40:]) / len(ROWS[40:])
    about = mine.model.about
    assert about.rules_dev_accuracy == right > (about.vote_dev_accuracy or 0)
    assert ran.err.splitlines()[-2:] == [
        f"{other}: 2 member(s), dev accuracy {100 * about.vote_dev_accuracy:.2f} % "
        f"(rules {100 * right:.2f} %)",
        f"{other}: below the rules of stepwrite baseline: try --members 5, more training examples, "
        "or use the rules",
    ]
    for name in ("member-1.safetensors", "member-2.safetensors", "vocabulary.json"):
        assert (other / name).read_bytes() == (out / name).read_bytes()
    with pytest.raises(stepwrite.StepwriteError, match=r"mine exists; choose another"):
        stepwrite.train(ROWS, out=out, **SETTINGS)
    with pytest.raises(stepwrite.StepwriteError, match="its training has ended"):
        stepwrite.train(resume=out)


def test_rules_answer_for_a_network_that_learnt_little(tmp_path: Path) -> None:
    by_dev = stepwrite.train(ROWS[:40], dev=ROWS[40:], out=tmp_path / "dev", **SETTINGS)
    about = by_dev.model.about
    assert about.members[0].dev_accuracy < about.rules_dev_accuracy == about.vote_dev_accuracy
    by_folds = stepwrite.train(ROWS, out=tmp_path / "folds", folds=2, **SETTINGS)
    for inflector in (by_dev, by_folds):
        assert inflector("bal", "N;PL").by == "rules"
    assert stepwrite.load(tmp_path / "folds").model.fallback == by_folds.model.fallback


def test_resuming(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from stepwrite.training import assembly, folder
    from stepwrite.training.workers import train_members

    interrupted = tmp_path / "interrupted"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("stepwrite.training.workers.train_members", lambda *_: iter(()))
        patch.setattr(assembly, "assemble", lambda _: sys.exit("interrupted"))
        with pytest.raises(SystemExit):
            stepwrite.train(ROWS, out=interrupted, **WITHOUT_FOLDS)
    next(iter(train_members(interrupted, folder.read_plan(interrupted), 1)))
    with pytest.raises(stepwrite.StepwriteError, match="resume with: stepwrite train --resume"):
        stepwrite.train(ROWS, out=interrupted, **WITHOUT_FOLDS)
    with pytest.raises(stepwrite.StepwriteError, match="resume takes no"):
        stepwrite.train(resume=interrupted, epochs=3)
    resumed = stepwrite.train(resume=interrupted)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("1 member(s), ")
    assert lines[-1] == f"{interrupted}: 1 member(s)"
    assert resumed.model.about.data["train"].rows == len(ROWS)
    assert resumed.model.about.members[0].epochs == 2
    assert resumed("bal", "N;PL") == stepwrite.load(interrupted)("bal", "N;PL")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "training needs examples and out"),
        ({"source": ROWS}, "training needs examples and out"),
        ({"source": ROWS, "out": "x", "members": 0}, "members is 0"),
        ({"source": ROWS, "out": "x", "epoch": 3}, "unknown setting epoch: use .*epochs"),
        ({"source": "absent.tsv", "out": "x"}, "absent.tsv: can't be read"),
    ],
)
def test_what_can_not_be_trained(
    arguments: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(stepwrite.StepwriteError, match=message):
        stepwrite.train(**arguments)
    assert not list(tmp_path.iterdir())


@pytest.fixture
def run(stepwrite: Callable[..., Any]) -> Callable[..., Any]:
    """The command line; here its usual name is the package's."""
    return stepwrite
