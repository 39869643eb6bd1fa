"""Running experiments: in one go, resumed, with members added later, and rejected."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from tests.tiny_experiment import SETTINGS, command, make_experiment, tables

from stepwrite.cli.results import write_tables
from stepwrite.errors import StepwriteError
from stepwrite.experiments.definition import load_experiment, sha256_of
from stepwrite.experiments.plan import Choice, Run, plan_runs
from stepwrite.experiments.run import carry_out, opened
from stepwrite.experiments.scores import Score, read_score
from stepwrite.files import held
from stepwrite.model.directory import Model, load_model
from stepwrite.training import folder as training
from stepwrite.training.assembly import assemble
from stepwrite.training.config import preset
from stepwrite.training.kernels import precision
from stepwrite.training.workers import Unit, Update, train_unit, unfinished


class Stopped(Exception):
    pass


def in_this_process(units: Sequence[Unit]) -> Iterator[Update]:
    """An executor without processes, to keep the tests fast."""
    for unit in units:
        news: list[Update] = []
        train_unit(unit, news.append)
        yield from news


def choose(folder: Path, out: str = "out", **changes) -> Choice:
    places = (folder / "data", folder / out / "runs", folder / out / "results")
    choice = Choice(*places, ("one", "two"), ("hard", "soft"), "default", 2)
    return replace(choice, **changes)


def reproduce(folder: Path, choice: Choice, executor=in_this_process) -> list[Update | Score]:
    experiment = load_experiment(str(folder / "tiny.toml"))
    runs = plan_runs(experiment, choice)
    with opened(runs) as units:
        news = list(carry_out(runs, units, executor))
    write_tables(experiment, choice.results)
    return news


def trained(news: list[Update | Score]) -> list[tuple[str, str, int]]:
    """Dataset, model and member of each trained unit, in the order of completion."""
    ends = [item for item in news if isinstance(item, Update) and item.ended]
    return [(u.folder.parent.name, u.folder.name.split("-")[0], u.member) for u in ends]


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in paths}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The experiment, run without interruption; not to be modified."""
    folder = tmp_path_factory.mktemp("whole")
    make_experiment(folder)
    news = reproduce(folder, choose(folder))
    places = [(dataset, model) for dataset in ("one", "two") for model in ("hard", "soft")]
    assert trained(news) == [(*place, member) for place in places for member in (1, 2)]
    # A model is scored as soon as its members have ended, before the next is trained.
    kinds = [item for item in news if isinstance(item, Score) or item.ended]
    assert [isinstance(item, Score) for item in kinds] == [False, False, True] * 4
    return folder


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    """A copy of it that may be modified."""
    return Path(shutil.copytree(whole, tmp_path / "copy"))


def test_scores_and_tables(whole: Path) -> None:
    home = whole / "out" / "results" / "tiny"
    score = read_score(home / "one" / "hard-default.json")
    assert [member.seed for member in score.members] == [1, 2]
    assert score.parts[""].rows == 40
    assert score.parts[""].vote > 0
    assert {name: group.rows for name, group in score.parts.items()} == {
        "": 40,
        "pos=HERE": 20,
        "pos=PAST": 20,
    }
    model = whole / "out" / "runs" / "tiny" / "one" / "hard-default"
    predictions = (model / "predictions.tsv").read_text("utf-8").splitlines()
    gold = (whole / "data" / "one" / "test.tsv").read_text("utf-8").splitlines()
    right = [p.split("\t")[1] == g.split("\t")[2] for p, g in zip(predictions, gold, strict=True)]
    assert score.parts[""].correct.tolist() == right
    assert (home / "one" / "rules.json").exists()
    page = tables(whole)["table.md"]
    assert "| soft, vote |" in page
    assert "not measured" not in page
    assert str(whole) not in page


def test_words_without_features_and_spaced_phones(tmp_path: Path) -> None:
    """Phones of several characters are single symbols from training to the table."""
    phones = {"a": "aː", "e": "ə", "k": "kʰ", "l": "l"}
    letters = random.Random(3)
    lines = ['title = "Phones"', 'models = ["edit"]', 'measure = "word error rate"']
    lines += [f"overrides = [{{ settings = {{ epochs = 20, {SETTINGS} }} }}]"]
    lines += ["[[columns]]", 'key = "A"', 'title = "A"', 'datasets = ["one"]']
    lines += ["[[datasets]]", 'name = "one"', 'title = "One"']
    (tmp_path / "data").mkdir()
    for part, n_words in (("train", 120), ("dev", 10), ("test", 40)):
        words = ["".join(letters.choices("aekl", k=3)) for _ in range(n_words)]
        path = tmp_path / "data" / f"{part}.tsv"
        rows = [f"{word}\t{' '.join(phones[letter] for letter in word)}\n" for word in words]
        path.write_text("".join(rows), "utf-8")
        lines.append(f'{part} = {{ path = "{path.name}", sha256 = "{sha256_of(path)}" }}')
    (tmp_path / "tiny.toml").write_text("\n".join(lines), "utf-8")
    reproduce(tmp_path, choose(tmp_path, datasets=("one",), models=("edit",), members=1))
    score = read_score(tmp_path / "out" / "results" / "tiny" / "one" / "edit-default.json")
    assert set(score.parts) == {""}
    assert score.parts[""].accuracy > 0.5
    model = tmp_path / "out" / "runs" / "tiny" / "one" / "edit-default"
    assert load_model(model).segmentation.form_spaced
    predictions = (model / "predictions.tsv").read_text("utf-8").splitlines()
    guesses = ["\t".join(prediction.split("\t")[:2]) for prediction in predictions]
    right = [guess == row.strip() for guess, row in zip(guesses, rows, strict=True)]
    assert score.parts[""].correct.tolist() == right
    vote = 100 * (1 - score.parts[""].accuracy)
    assert f"| edit, vote | {vote:.2f} (" in tables(tmp_path)["table.md"]


def test_nothing_is_done_twice(copy: Path) -> None:
    before = snapshot(copy / "out")
    assert trained(reproduce(copy, choose(copy))) == []
    changed = {path for path, state in snapshot(copy / "out").items() if before[path] != state}
    assert not [path for path in changed if not path.endswith((".md", ".tsv"))]
    assert {path: text for path, (_, text) in before.items()} == {
        path: text for path, (_, text) in snapshot(copy / "out").items()
    }


def test_a_lost_score_is_made_again_without_training(copy: Path) -> None:
    path = copy / "out" / "results" / "tiny" / "two" / "soft-default.json"
    content = path.read_bytes()
    path.unlink()
    assert trained(reproduce(copy, choose(copy))) == []
    assert path.read_bytes() == content


def test_members_are_added_to_those_there(whole: Path, tmp_path: Path) -> None:
    """One member first, two later: the first is not trained again, the tables are the same."""
    shutil.copytree(whole / "data", tmp_path / "data")
    shutil.copy(whole / "tiny.toml", tmp_path)
    reproduce(tmp_path, choose(tmp_path, members=1))
    model = tmp_path / "out" / "runs" / "tiny" / "one" / "hard-default"
    assert len(load_model(model).members) == 1
    assert tables(tmp_path) != tables(whole)
    news = reproduce(tmp_path, choose(tmp_path))
    assert {member for _, _, member in trained(news)} == {2}
    assert tables(tmp_path) == tables(whole)
    mine, theirs = (
        load_model(folder / "out" / "runs" / "tiny" / "one" / "hard-default").about
        for folder in (tmp_path, whole)
    )
    for ours, other in zip(mine.members, theirs.members, strict=True):
        assert replace(ours, seconds=0) == replace(other, seconds=0)
    assert trained(reproduce(tmp_path, choose(tmp_path, members=1))) == []
    assert tables(tmp_path) == tables(whole)


def test_members_are_added_to_a_run_under_way(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole / "data", tmp_path / "data")
    shutil.copy(whole / "tiny.toml", tmp_path)
    one = {"datasets": ("one",), "models": ("hard",)}

    def stops(units: Sequence[Unit]) -> Iterator[Update]:
        assert [unit.member for unit in units] == [1]
        yield next(in_this_process(units))
        raise Stopped

    with pytest.raises(Stopped):
        reproduce(tmp_path, choose(tmp_path, members=1, **one), stops)
    news = reproduce(tmp_path, choose(tmp_path, members=2, **one))
    assert [member for _, _, member in trained(news)][-1] == 2
    theirs, mine = (
        read_score(f / "out" / "results" / "tiny" / "one" / "hard-default.json")
        for f in (whole, tmp_path)
    )
    assert mine.parts == theirs.parts


def test_a_run_of_train_counts(whole: Path, tmp_path: Path) -> None:
    """A folder made by `stepwrite train` is reused if its settings and data are the same."""
    shutil.copytree(whole / "data", tmp_path / "data")
    shutil.copy(whole / "tiny.toml", tmp_path)
    choice = choose(tmp_path, datasets=("one",), models=("hard",))
    [run] = plan_runs(load_experiment(str(tmp_path / "tiny.toml")), choice)
    plan = replace(run.plan, train="/elsewhere/train.tsv", dev="/elsewhere/dev.tsv")
    training.create(run.folder, plan, run.rows("train"), run.rows("dev"))
    list(in_this_process(unfinished(run.folder, run.plan)))
    assemble(run.folder)
    assert trained(reproduce(tmp_path, choice)) == []


@pytest.mark.parametrize(
    "moment", ["training.assembly.save_model", "training.assembly.remove_folder", "files._remove"]
)
def test_killed_while_a_model_is_assembled(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """Killed before the model is written, and after it: before and while its run is removed."""
    shutil.copytree(whole / "data", tmp_path / "data")
    shutil.copy(whole / "tiny.toml", tmp_path)
    choice = choose(tmp_path, datasets=("one",), models=("hard",))

    def stop(*arguments: object) -> None:
        raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr(f"stepwrite.{moment}", stop)
        with pytest.raises(Stopped):
            reproduce(tmp_path, choice)
    assert trained(reproduce(tmp_path, choice)) == []
    [folder] = (tmp_path / "out" / "runs").glob("*/*/*")
    assert not list(folder.glob("*training*"))
    theirs, mine = (
        read_score(f / "out" / "results" / "tiny" / "one" / "hard-default.json")
        for f in (whole, tmp_path)
    )
    assert mine.parts == theirs.parts


def planned(folder: Path, **changes) -> list[Run]:
    return plan_runs(load_experiment(str(folder / "tiny.toml")), choose(folder, **changes))


@pytest.mark.parametrize("is_under_way", [False, True])
def test_another_run_is_refused_and_left_alone(copy: Path, is_under_way: bool) -> None:
    toml = copy / "tiny.toml"
    if is_under_way:
        shutil.rmtree(copy / "out")
        with opened(planned(copy)):
            pass
    text = toml.read_text("utf-8")
    before = snapshot(copy / "out")
    for change, message in (
        (text.replace("rate = 0.02", "rate = 0.03"), "rate is 0.02, expected 0.03"),
        (text.replace("hidden = 24", "hidden = 12"), "hidden is 24, expected 12"),
        (f"seed = 7\n{text}", "seed is 1, expected 7"),
    ):
        assert change != text
        toml.write_text(change, "utf-8")
        with pytest.raises(StepwriteError, match=f"hard-default belongs to another run: {message}"):
            planned(copy)
    toml.write_text(text, "utf-8")
    train, dev = (copy / "data" / "one" / name for name in ("train.tsv", "dev.tsv"))
    digests = [path.read_bytes() for path in (train, dev)]
    make_experiment(copy, shuffle=True)
    assert [path.read_bytes() for path in (train, dev)] != digests
    with pytest.raises(StepwriteError, match="train rows is"):
        planned(copy)
    assert snapshot(copy / "out") == before


def test_a_model_older_than_a_setting_counts_as_done(copy: Path, monkeypatch) -> None:
    def older(folder: Path) -> Model:
        model = load_model(folder)
        training = {k: v for k, v in model.about.training.items() if k != "smoothing"}
        return replace(model, about=replace(model.about, training=training))

    monkeypatch.setattr("stepwrite.experiments.plan.load_model", older)
    assert {run.plan.config.smoothing for run in planned(copy, models=("hard",))} == {0.0}


def test_a_precision_is_compared_only_if_it_is_prescribed(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = precision.native()
    other = "single" if here == "bfloat16" else "bfloat16"
    monkeypatch.setattr(precision, "AVAILABLE", other == "bfloat16")
    assert {run.plan.config.precision for run in planned(copy, models=("hard",))} == {here}
    toml = copy / "tiny.toml"
    text = toml.read_text("utf-8")
    toml.write_text(text.replace("hidden = 24", f'hidden = 24, precision = "{other}"'), "utf-8")
    with pytest.raises(StepwriteError, match=f"precision is {here}, expected {other}"):
        planned(copy)

    def older(folder: Path) -> Model:
        model = load_model(folder)
        training = {k: v for k, v in model.about.training.items() if k != "precision"}
        return replace(model, about=replace(model.about, training=training))

    toml.write_text(text, "utf-8")
    monkeypatch.setattr("stepwrite.experiments.plan.load_model", older)
    assert {run.plan.config.precision for run in planned(copy, models=("hard",))} == {None}


def test_an_experiments_settings_are_for_its_own_preset(whole: Path, tmp_path: Path) -> None:
    experiment = load_experiment(str(whole / "tiny.toml"))
    choice = choose(whole, runs=tmp_path, datasets=("one",), models=("hard",))
    [own] = plan_runs(experiment, choice)
    [other] = plan_runs(experiment, replace(choice, preset="paper"))
    assert own.plan.config.network.hidden == 24
    assert other.plan.config == preset("paper", other.n_train)


def test_other_folders_are_refused(copy: Path) -> None:
    folder = copy / "out" / "runs" / "tiny" / "one" / "hard-default"
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / "diary.txt").write_text("mine")
    with pytest.raises(StepwriteError, match="is not a model"):
        planned(copy)


def test_a_run_half_laid_down_is_laid_down(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole / "data", tmp_path / "data")
    shutil.copy(whole / "tiny.toml", tmp_path)
    choice = {"datasets": ("one",), "models": ("hard",), "members": 1}
    [run] = planned(tmp_path, **choice)
    (run.folder / "training").mkdir(parents=True)
    (run.folder / "training" / ".train.tsv.abcdefgh").write_text("half a fi")
    with opened([run]) as units:
        assert len(units) == 1
    plan = training.read_plan(run.folder)
    assert len(training.read_examples(run.folder, plan, "train.tsv")) == run.n_train


def test_files_are_checked_before_anything_starts(copy: Path) -> None:
    shutil.rmtree(copy / "out")
    path = copy / "data" / "two" / "test.tsv"
    path.write_text(path.read_text("utf-8") + "x\tpos=PAST\txed\n", "utf-8")
    with pytest.raises(StepwriteError, match=r"two/test.tsv: wrong checksum: SHA-256 \w+, exp"):
        planned(copy)
    path.unlink()
    (copy / "data" / "one" / "dev.tsv").unlink()
    with pytest.raises(StepwriteError, match=r"one/dev.tsv: missing \(and 1 more\)"):
        planned(copy)
    assert not (copy / "out").exists()
    with pytest.raises(StepwriteError, match=r"two/test.tsv: missing$"):
        planned(copy, datasets=("two",))


def test_two_at_once_are_refused(copy: Path) -> None:
    [first, *_] = planned(copy)
    with held(first.folder), pytest.raises(StepwriteError, match="another process"):
        reproduce(copy, choose(copy))


# From the command line: processes, signals, a full disk.


def subset(folder: Path) -> list[str]:
    return command(folder, "--models", "hard", "--only", "one", "--jobs", "2", out="pieces")


@pytest.mark.slow
def test_killed_at_random_moments_the_tables_are_the_same(tmp_path: Path) -> None:
    """kill -9 of the process group during start-up and after some epochs, then resume."""
    make_experiment(tmp_path, epochs=30)
    reproduce(tmp_path, choose(tmp_path, datasets=("one",), models=("hard",)))
    moments, n_killed = random.Random(5), 0
    for n_epochs in (0, 10, 30):
        process = subprocess.Popen(
            subset(tmp_path), start_new_session=True, stderr=subprocess.PIPE, text=True
        )
        assert process.stderr
        for _ in range(n_epochs):  # one line per epoch
            process.stderr.readline()
        time.sleep(moments.uniform(0.0, 1.0))
        n_killed += process.poll() is None
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    subprocess.run(subset(tmp_path), check=True, capture_output=True)
    assert n_killed >= 2
    assert tables(tmp_path, "pieces") == tables(tmp_path)
    assert not list((tmp_path / "pieces").rglob(".*"))


def test_a_signal_says_how_to_go_on(whole: Path, tmp_path: Path) -> None:
    make_experiment(tmp_path, epochs=100_000)
    process = subprocess.Popen(
        subset(tmp_path), stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stderr
    lines = [process.stderr.readline()]
    assert "member" in lines[0]
    process.send_signal(signal.SIGTERM)
    lines += process.stderr.read().splitlines()
    assert process.wait(60) == 128 + signal.SIGTERM
    assert lines[-1].startswith("stopped; resume with: stepwrite reproduce ")
    assert lines[-1].endswith("--models hard --only one --jobs 2")
    [folder] = (tmp_path / "pieces" / "runs").glob("*/*/*")
    checkpoints = [training.checkpoint_path(folder, member) for member in (1, 2)]
    assert any(path.exists() for path in checkpoints)
    assert not list((tmp_path / "pieces").rglob("*.json.*"))


def test_a_full_disk_stops_it_with_a_clear_message(whole: Path, tmp_path: Path) -> None:
    make_experiment(tmp_path)

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    options = ("--models", "hard", "--only", "one", "--members", "1")
    # There is no room either for what a measurement of coverage would write in the process.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("COV")}
    ran = subprocess.run(
        command(tmp_path, *options),
        preexec_fn=no_room,
        capture_output=True,
        text=True,
        env=environment,
    )
    assert ran.returncode == 1
    [*_, last] = ran.stderr.splitlines()
    assert last.startswith(
        f"stepwrite: {tmp_path}/out/runs/tiny/one/hard-default/training/member-1"
    )
    assert last.endswith("can't be written: File too large")
    assert "Traceback" not in ran.stderr
    run = tmp_path / "out" / "runs" / "tiny" / "one" / "hard-default" / "training"
    assert {path.name for path in run.iterdir()} == {"plan.json", "train.tsv", "dev.tsv"}
    assert not (tmp_path / "out" / "results").exists()


def test_options(whole: Path, stepwrite) -> None:
    name, data = str(whole / "tiny.toml"), str(whole / "data")
    for options, message in (
        (("--only", "three"), "'three': expected one, two"),
        (("--models", "firm"), "'firm': expected hard, soft"),
        (("--address", "auto"), "--address is for --executor ray"),
    ):
        ran = stepwrite("reproduce", name, "--data", data, *options)
        assert ran.code == 2
        assert message in ran.err
    assert "unknown experiment" in stepwrite("reproduce", "nothing", "--data", data).err


def test_cost_is_counted_and_nothing_done(copy: Path, stepwrite) -> None:
    before = snapshot(copy / "out")
    places = ["--data", copy / "data", "--runs", copy / "out" / "runs"]
    places += ["--results", copy / "out" / "results"]
    arguments = ("reproduce", copy / "tiny.toml", *places, "--cost", "--members", "3")
    ran = stepwrite(*map(str, arguments))
    assert ran.out.splitlines()[0] == "one hard: 1 of 3 members to train, 14 epochs of 80 rows"
    # Four models with one member each.
    last = ran.out.splitlines()[-1]
    assert last.startswith(f"left: {4 * 14 * 80 / 1e6:.2f} million examples; 0.0 core hours")
    assert snapshot(copy / "out") == before
    shutil.rmtree(copy / "out")
    ran = stepwrite(*map(str, arguments))
    assert ran.out.splitlines()[0] == "one hard: 3 of 3 members to train, 14 epochs of 80 rows"
    assert ran.out.splitlines()[-1].endswith("the speed is not known yet")
    assert not (copy / "out").exists()


def test_results_come_from_score_files_alone(copy: Path, stepwrite) -> None:
    expected = tables(copy)
    home = copy / "out" / "results"
    shutil.rmtree(copy / "out" / "runs")
    for path in (home / "tiny").glob("table.*"):
        path.unlink()
    ran = stepwrite("results", str(copy / "tiny.toml"), "--results", str(home))
    assert ran.code == 0
    assert expected["table.md"] in ran.out
    assert tables(copy) == expected
    short = stepwrite("results", str(copy / "tiny.toml"), "--results", str(home), "--short")
    assert "| paper: Hard | 90.00 | 80.00 | 85.00 |" in short.out
    empty = stepwrite("results", "celex", "--results", str(copy))
    assert (empty.code, empty.err) == (1, f"stepwrite: {copy}/celex: no score files\n")


def test_help_is_fast_to_import() -> None:
    code = "import sys, stepwrite.cli.reproduce, stepwrite.cli.results; "
    code += "assert not {'numpy', 'torch', 'ray', 'rich'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
