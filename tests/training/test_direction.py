"""Words read and written from their end, and members that take turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from stepwrite import Inflector
from stepwrite.analysis.alignments import view
from stepwrite.analysis.representations import Characters, states
from stepwrite.data.examples import Example
from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import StepwriteError
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.model.about import About
from stepwrite.model.directory import Model, load_model, save_model
from stepwrite.model.tensors import load_tensors
from stepwrite.service.answers import prediction_answer
from stepwrite.training import folder as run
from stepwrite.training.assembly import assemble
from stepwrite.training.config import TrainingConfig
from stepwrite.training.sequences import step_write_sequences
from stepwrite.training.workers import Unit, train_unit

MakeModel = Callable[..., Model]
STEMS = ["Wald", "Tal", "Saal", "Kind", "Haus", "Ding", "Vers", "Lied"]
ROWS = [
    Example(stem, features, stem + ending)
    for stem in STEMS
    for features, ending in (("N;PL", "er"), ("N;SG", ""), ("N;GEN", "es"))
]


def mirrored(rows: list[Example]) -> list[Example]:
    return [row._replace(lemma=row.lemma[::-1], form=row.form[::-1]) for row in rows]


def train(folder: Path, rows: list[Example], members: int, **changes: str) -> None:
    network = NetworkConfig(layers=1, hidden=16, embedding=8, feature_embedding=4, **changes)
    config = TrainingConfig("default", network, epochs=3, batch=4, rate=0.01)
    run.create(folder, run.Plan(config, Segmentation(), members, 1, "train", "dev"), rows, rows)
    for member in range(1, members + 1):
        train_unit(Unit(folder, member), lambda update: None)


def weights(folder: Path, member: int) -> dict[str, bytes]:
    arrays, _ = load_tensors(run.checkpoint_path(folder, member))
    return {name: array.tobytes() for name, array in arrays.items()}


@pytest.mark.parametrize("attention", ["hard", "soft"])
def test_backward_is_forward_on_mirrored_words(tmp_path: Path, attention: str) -> None:
    train(tmp_path / "back", ROWS, 1, kind=attention, direction="backward")
    train(tmp_path / "mirror", mirrored(ROWS), 1, kind=attention)
    assert weights(tmp_path / "back", 1) == weights(tmp_path / "mirror", 1)
    back, mirror = (Inflector(assemble(tmp_path / name)) for name in ("back", "mirror"))
    for lemma, features, _ in ROWS:
        ours = back(lemma, features, n_best=3, attention=True)
        theirs = mirror(lemma[::-1], features, n_best=3, attention=True)
        assert ours.form == theirs.form[::-1]
        assert [a.form for a in ours.alternatives] == [a.form[::-1] for a in theirs.alternatives]
        assert (ours.score, ours.actions) == (theirs.score, theirs.actions)
        assert (ours.direction, theirs.direction) == ("backward", "forward")
        last = len(lemma) + 1
        assert ours.positions == tuple(last - position for position in theirs.positions)
        if attention == "soft":
            assert ours.attention == tuple(row[::-1] for row in theirs.attention or ())
    assert load_model(tmp_path / "back").network.direction == "backward"


def test_members_take_turns(tmp_path: Path) -> None:
    train(tmp_path / "both", ROWS, 3, direction="alternate")
    train(tmp_path / "forward", ROWS, 3)
    train(tmp_path / "backward", ROWS, 3, direction="backward")
    for member, like in ((1, "forward"), (2, "backward"), (3, "forward")):
        assert weights(tmp_path / "both", member) == weights(tmp_path / like, member)
    both = Inflector(assemble(tmp_path / "both"))
    found = [member.model.network.direction for member in both.members]
    assert found == ["forward", "backward", "forward"]
    pairs = [(lemma, features) for lemma, features, _ in ROWS]
    alone, _ = both.each_and_vote(pairs)
    for forms, inflector in zip(alone, both.members, strict=True):
        assert forms == [prediction.form for prediction in inflector.batch(pairs)]


def test_splicing_joins_words_as_they_are_spelt(tmp_path: Path) -> None:
    """The beginning of one before the other, also for a network that reads from the end."""
    from stepwrite.training.augmentation import augmented

    config = TrainingConfig("default", NetworkConfig(direction="backward"), splicing=0.9)
    run.create(tmp_path / "run", run.Plan(config, Segmentation(), 1, 1, "train", ""), ROWS, [])
    task = run.prepare(tmp_path / "run", member=1)
    spliced = list(
        augmented(
            task.examples,
            step_write_sequences,
            task.vocabulary,
            task.config,
            np.random.default_rng(0),
        )
    )
    n_new = 0
    for row, example in zip(ROWS, spliced, strict=True):
        lemma = "".join(example.alignment.lemma)[::-1]
        form = "".join(example.alignment.form)[::-1]
        assert lemma.lower().endswith(row.lemma.lower())
        assert form == lemma + row.form[len(row.lemma) :]
        n_new += lemma != row.lemma
    assert n_new > len(ROWS) / 2


@pytest.mark.parametrize("attention", ["hard", "soft"])
def test_a_view_is_in_the_order_of_spelling(random_model: MakeModel, attention: str) -> None:
    model = random_model(kind=attention, seed=5)
    model = replace(model, network=replace(model.network, direction="backward"))
    prediction = Inflector(model)("see", "V;PST", attention=True)
    seen = view(prediction)
    assert ("".join(seen.lemma), "".join(seen.form)) == ("see", prediction.form)
    assert len(seen.path) == len(prediction.form) > 1
    assert not seen.ended
    if attention == "hard":
        assert list(seen.path) == sorted(seen.path)
    else:
        assert seen.weights is not None
        assert seen.weights.argmax(axis=1).tolist() == list(seen.path)


def test_states_stand_with_their_symbols(random_model: MakeModel) -> None:
    """The state of a symbol is the one that the mirrored word has at the mirrored place."""
    model = random_model()
    back = replace(model, network=replace(model.network, direction="backward"))
    words = (tuple("see"), tuple("go"))
    places = np.array([1, 2, 3, 1, 2]), np.array([3, 2, 1, 2, 1])
    of_words = np.array([0, 0, 0, 1, 1])
    ours = states(Inflector(back), Characters(words, of_words, places[0]))
    turned = tuple(word[::-1] for word in words)
    theirs = states(Inflector(model), Characters(turned, of_words, places[1]))
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_explanations(stepwrite, random_model: MakeModel, tmp_path: Path) -> None:
    model = random_model(seed=44, scale=1.5)
    model = replace(model, network=replace(model.network, direction="backward"))
    save_model(tmp_path / "model", replace(model, about=ABOUT), "", "")
    form = Inflector(model)("see", "V;PST").form
    assert form != form[::-1]  # so that its order shows
    result = stepwrite("inflect", str(tmp_path / "model"), "see", "V;PST", "--explain")
    written = [
        line.split()[-1] for line in result.out.splitlines() if "write(" in line or "copy" in line
    ]
    assert written == [form[-n:] for n in range(1, len(form) + 1)]
    prediction = Inflector(model)("see", "V;PST")
    answer = prediction_answer(Inflector(model), prediction, prediction.notes, explain=True)
    steps = answer["explanation"]["steps"]
    assert answer["explanation"]["direction"] == "backward"
    assert "".join(step["symbol"] or "" for step in steps)[::-1] == form
    assert steps[0]["position"] == len("see") + 1
    assert "direction backward" in stepwrite("info", str(tmp_path / "model")).out


ABOUT = About(training={"preset": "default", "epochs": 1})


def test_models_of_format_1_are_forward_unless_they_say_so() -> None:
    """They call the kind "attention", and most of them were made before there were directions."""
    data = NetworkConfig(kind="soft").to_json()
    old = {"attention": data.pop("kind"), **data}
    assert NetworkConfig.from_json({**old, "direction": "backward"}).direction == "backward"
    del old["direction"]
    assert NetworkConfig.from_json(old) == NetworkConfig(kind="soft")


def test_a_direction_that_there_is_not() -> None:
    data = NetworkConfig().to_json() | {"direction": "upward"}
    with pytest.raises(StepwriteError, match="unknown direction 'upward': use forward or back"):
        NetworkConfig.from_json(data)


def test_train_from_the_command_line(stepwrite, tmp_path: Path) -> None:
    lines = "".join(f"{lemma}\t{form}\t{features}\n" for lemma, features, form in ROWS)
    (tmp_path / "train.tsv").write_text(lines)
    arguments = ["--members", "2", "--epochs", "1", "--hidden", "4", "--direction", "alternate"]
    arguments += ["--folds", "0"]
    out = str(tmp_path / "model")
    result = stepwrite("train", str(tmp_path / "train.tsv"), "--out", out, *arguments)
    assert result.code == 0, result.err
    assert load_model(out).network.direction == "alternate"
