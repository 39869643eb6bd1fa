"""The edit transducer trained: what works for hard attention works for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch")
import torch

import stepwrite
from stepwrite.data.examples import Example
from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import StepwriteError
from stepwrite.inference.hard import HardNetwork
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.training.assembly import assemble
from stepwrite.training.augmentation import augmented, augmented_words
from stepwrite.training.backbone import format_names
from stepwrite.training.config import TrainingConfig, preset
from stepwrite.training.edit import RECIPE, EditExample, EditTransducer, collate
from stepwrite.training.folder import Plan, create
from stepwrite.training.hallucination import Letters, hallucinate
from stepwrite.training.loop import Task, train_member
from stepwrite.training.roll_in import roll_in
from stepwrite.training.workers import Unit, train_unit
from stepwrite.transducer.actions import EDIT, CopyOn, Delete, Insert, execute
from stepwrite.transducer.alignment import Alignment, EditDistanceAligner, Pair
from stepwrite.transducer.vocabulary import COPY, END, Vocabulary

STEMS = ("walk", "talk", "look", "jump", "start", "seem", "need", "turn")
TRAIN = [
    (tuple(stem), features, tuple(prefix + stem + ending))
    for stem in STEMS
    for features, prefix, ending in (("V;PST", "", "ed"), ("V;PTCP", "ge", "t"), ("V;IMP", "", ""))
]
TINY = NetworkConfig(layers=1, hidden=24, embedding=16, feature_embedding=4, kind="edit")


def tiny_config(**changes) -> TrainingConfig:
    settings = {"network": TINY, "epochs": 40, "dropout": 0.1, "rate": 0.02, "batch": 4}
    settings |= {"copy": "always", "exploration": 0.3, "clip": 1.0, "hallucination": 0.3}
    return TrainingConfig("tiny", **(settings | changes))


def tiny_task(**changes) -> Task:
    pairs = [(lemma, form) for lemma, _, form in TRAIN]
    vocabulary = Vocabulary.fit(pairs, [f for _, f, _ in TRAIN], copy=True)
    alignments = EditDistanceAligner().align(pairs)
    examples = [
        RECIPE.example(alignment, features, vocabulary)
        for alignment, (_, features, _) in zip(alignments, TRAIN, strict=True)
    ]
    return Task(tiny_config(**changes), vocabulary, examples, TRAIN)


def random_network(task: Task, seed: int = 1) -> tuple[EditTransducer, HardNetwork]:
    """The same random weights in torch and in NumPy."""
    torch.manual_seed(seed)
    module = EditTransducer(TINY, task.vocabulary).eval()
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    weights = {name: tensor.detach().numpy() for name, tensor in format_names(module).items()}
    return module, HardNetwork(weights, TINY, task.vocabulary, EDIT)


def walk(task: Task, network: HardNetwork, exploration: float, seed: int = 0):
    examples: list[EditExample] = list(task.examples)
    return roll_in(
        network,
        [e.lemma for e in examples],
        [e.lemma for e in examples],
        [e.features for e in examples],
        [e.form for e in examples],
        [e.anchors for e in examples],
        exploration,
        np.random.default_rng(seed),
    )


def test_learns_a_small_set_by_heart(tmp_path: Path) -> None:
    progress = train_member(tiny_task(), seed=1, checkpoint=tmp_path / "checkpoint")
    assert progress.best_accuracy == 1.0


@pytest.mark.parametrize("exploration", [0.0, 0.5, 1.0])
def test_walks_are_derivations(exploration: float) -> None:
    """Each walk is one that the actions themselves make; without mistakes it writes the form."""
    task = tiny_task()
    _, network = random_network(task)
    walks = walk(task, network, exploration)
    actions = task.vocabulary.actions(EDIT)
    for word, (lemma, _, form) in enumerate(TRAIN):
        rows = walks.rows(word)
        taken = [actions[number] for number in walks.actions[rows]]
        done = execute(lemma, taken, EDIT.start)
        assert list(done.positions) == walks.positions[rows].tolist()
        assert walks.actions[rows][-1] == END
        optimal = walks.optimal[rows]
        assert optimal.any(axis=1).all()
        if exploration == 0:
            assert done.form == form
            assert optimal[np.arange(len(taken)), walks.actions[rows]].all()


def test_walks_come_from_the_seed() -> None:
    task = tiny_task()
    _, network = random_network(task)
    one, same, other = (walk(task, network, 1.0, seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one.actions, same.actions)
    assert not np.array_equal(one.actions, other.actions)


def test_the_loss_is_that_of_the_numpy_network() -> None:
    """Minus the log of the optimal actions' summed probability, at every state of the walks."""
    task = tiny_task()
    module, network = random_network(task)
    walks = walk(task, network, 0.5)
    shown = [example.lemma for example in task.examples]
    chosen = np.array([5, 0, 9])
    batch = collate(task.examples, shown, walks, chosen, task.vocabulary)
    losses = []
    for word in chosen:
        example = task.examples[word]
        encoded = network.encode([example.lemma.tolist()], [example.features.tolist()])
        state = network.start(encoded)
        rows = walks.rows(int(word))
        for action, optimal in zip(walks.actions[rows], walks.optimal[rows], strict=True):
            state, scores = network.scores(encoded, state)
            probabilities = np.exp(scores[0] - scores[0].max())
            losses.append(-np.log(probabilities[optimal].sum() / probabilities.sum()))
            state = network.act(encoded, state, np.array([action]))
    assert module.loss(batch).item() == pytest.approx(np.mean(losses), rel=1e-4)


def test_where_nothing_is_copied_alignments_anchor_the_oracle() -> None:
    """One optimal action at each step, where insert and delete could come in any order."""
    sounds = dict(zip("abcd", "PQRS", strict=True))
    pairs = [
        (tuple(word), tuple(sounds[letter] for letter in word if letter != "d"))
        for word in ("abc", "cab", "bca", "cdb", "adc", "bda", "aab", "dcc")
    ]
    alignments = RECIPE.align(pairs, seed=1)
    assert all(alignment.anchored for alignment in alignments)
    vocabulary = Vocabulary.fit(pairs, [""] * len(pairs), copy=True)
    examples = [RECIPE.example(alignment, "", vocabulary) for alignment in alignments]
    assert examples[3].anchors.tolist() == [1, 3]  # cdb -> RQ
    task = Task(tiny_config(hallucination=0.0), vocabulary, examples, [])
    _, network = random_network(task)
    walks = walk(task, network, exploration=0.0)
    taken = [vocabulary.actions(EDIT)[number] for number in walks.actions[walks.rows(3)]]
    assert [type(action).__name__ for action in taken] == [
        *("Insert", "Delete", "Delete", "Insert", "Delete", "End")
    ]


def test_inflected_words_are_not_anchored() -> None:
    alignments = RECIPE.align([(lemma, form) for lemma, _, form in TRAIN], seed=1)
    assert not any(alignment.anchored for alignment in alignments)


def test_masked_symbols_are_copied_as_unknown() -> None:
    task = tiny_task()
    _, network = random_network(task)
    vocabulary = task.vocabulary
    shown = [
        np.where(np.arange(len(e.lemma)) == 2, vocabulary.unknown, e.lemma) for e in task.examples
    ]
    lemmas, features, forms, anchors = (
        [getattr(e, name) for e in task.examples]
        for name in ("lemma", "features", "form", "anchors")
    )
    random = np.random.default_rng(0)
    walks = roll_in(network, lemmas, shown, features, forms, anchors, 0.0, random)
    rows = walks.rows(0)  # walk -> walked: its second symbol can only be copied
    at = walks.positions[rows].tolist().index(2)
    assert walks.actions[rows][at] == COPY
    batch = collate(task.examples, shown, walks, np.array([0]), vocabulary)
    assert batch.words.previous[at + 1, 0] == COPY


def test_what_was_interrupted_ends_with_the_same_weights(tmp_path: Path) -> None:
    whole = train_member(tiny_task(epochs=4), 1, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        train_member(tiny_task(epochs=4), 1, tmp_path / "parts", on_epoch=_stop_after(2))
    parts = train_member(tiny_task(epochs=4), 1, tmp_path / "parts")
    assert torch.equal(whole.weights, parts.weights)
    assert [e.loss for e in whole.history] == [e.loss for e in parts.history]


def _stop_after(n_epochs: int):
    def on_epoch(epoch, progress) -> None:
        if epoch.epoch == n_epochs:
            raise KeyboardInterrupt

    return on_epoch


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of two members, one of each direction."""
    out = tmp_path_factory.mktemp("models") / "edit"
    rows = [Example("".join(lemma), features, "".join(form)) for lemma, features, form in TRAIN]
    network = replace(TINY, direction="alternate")
    plan = Plan(tiny_config(network=network, masking=0.1), Segmentation(), 2, 1, "train", "dev")
    create(out, plan, rows, rows)
    for member in (1, 2):
        train_unit(Unit(out, member), lambda update: None)
    assemble(out)
    return out


def test_a_model_inflects_and_explains(folder: Path) -> None:
    inflector = stepwrite.load(folder)
    assert inflector.model.network.kind == "edit"
    prediction = inflector("walk", "V;PTCP")
    assert (prediction.form, prediction.complete) == ("gewalkt", True)
    order = 1 if prediction.direction == "forward" else -1
    assert "".join([step.written for step in prediction.steps][::order]) == "gewalkt"
    assert {type(step.action) for step in prediction.steps} >= {CopyOn, Insert}
    best = inflector("walk", "V;PST", n_best=3)
    assert best.form == "walked"
    assert len(best.alternatives) == 2


def test_symbols_never_seen_are_copied(folder: Path) -> None:
    found = stepwrite.load(folder, any_script=True)("wäλk", "V;PST")
    assert "λ" in found.form


def test_each_direction_alone(folder: Path) -> None:
    for member in stepwrite.load(folder).members:
        assert member("turn", "V;PTCP").form == "geturnt"


def test_settings_that_do_not_fit() -> None:
    with pytest.raises(StepwriteError, match="copy is never: models of kind edit"):
        preset("default", 100, kind="edit", copy="never")
    with pytest.raises(StepwriteError, match="smoothing is not for models of kind edit"):
        RECIPE.network(tiny_config(smoothing=0.1), tiny_task().vocabulary)
    with pytest.raises(StepwriteError, match="exploration is 1"):
        tiny_config(exploration=1.5)
    assert preset("paper", 100, kind="edit").network.cell == "peephole"


letters = st.text("abcd", min_size=1, max_size=9).map(tuple)


@given(letters, letters, st.integers(0, 99))
def test_hallucination_keeps_what_changes(
    lemma: tuple[str, ...], form: tuple[str, ...], seed: int
) -> None:
    [alignment] = EditDistanceAligner().align([(lemma, form)])
    new = hallucinate(alignment, Letters(tuple("xyz")), np.random.default_rng(seed))
    changed = [pair for pair in alignment.pairs if pair[0] != pair[1]]
    assert [pair for pair in new.pairs if pair[0] != pair[1]] == changed
    assert new.pairs[0] == alignment.pairs[0]
    assert new.pairs[-1] == alignment.pairs[-1]
    if all(a == b for a, b in alignment.pairs) and len(lemma) >= 3:
        assert set(new.lemma[1:-1]) <= set("xyz")


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_the_vowels_of_a_stem_stay_where_there_is_harmony(direction: str) -> None:
    stems = [f"{one}{two}ad" for one in ("ket", "lom", "sib") for two in ("lak", "men", "pot")]
    pairs = [(tuple(stem), tuple(stem + "ban")) for stem in stems]

    def ordered(pairs: tuple[Pair, ...]) -> tuple[Pair, ...]:
        return pairs if direction == "forward" else pairs[::-1]

    words = [Alignment(ordered(word.pairs)) for word in EditDistanceAligner().align(pairs)]
    random = np.random.default_rng(1)
    made = augmented_words(words, random, hallucination=0.99, harmony=True, ordered=ordered)
    lemmas = ["".join(pair[0] or "" for pair in ordered(word.pairs)) for word in made]
    assert len(set(lemmas) - set(stems)) > 6
    for lemma, stem in zip(lemmas, stems, strict=True):
        assert (lemma[0], lemma[-1]) == (stem[0], "d")
        assert [c if c in "aeiou" else "-" for c in lemma] == [
            c if c in "aeiou" else "-" for c in stem
        ]


def test_hallucinated_examples_are_new_in_every_epoch() -> None:
    task = tiny_task(hallucination=0.5)

    def lemmas(seed: int) -> list[tuple[str, ...]]:
        random = np.random.default_rng(seed)
        made = augmented(task.examples, RECIPE.example, task.vocabulary, task.config, random)
        return [example.alignment.lemma for example in made]

    originals = [example.alignment.lemma for example in task.examples]
    first, second = lemmas(1), lemmas(2)
    assert first == lemmas(1) != second
    n_new = sum(a != b for a, b in zip(first, originals, strict=True))
    assert 0 < n_new < len(originals)


def test_letters_are_those_of_lemmas_and_forms() -> None:
    pairs = (("a", "a"), ("-", "-"), ("b", None), (None, "c"))
    assert Letters.of([Alignment(pairs)]).every == ("a",)
    assert Letters.of([Alignment((("-", "-"),))]).every == ("-",)


def test_deletes_are_learnt(tmp_path: Path) -> None:
    words = [(tuple(stem + "en"), "V;IMP", tuple(stem)) for stem in STEMS]
    pairs = [(lemma, form) for lemma, _, form in words]
    vocabulary = Vocabulary.fit(pairs, ["V;IMP"], copy=True)
    alignments = EditDistanceAligner().align(pairs)
    examples = [RECIPE.example(alignment, "V;IMP", vocabulary) for alignment in alignments]
    progress = train_member(
        Task(tiny_config(), vocabulary, examples, words), 1, tmp_path / "checkpoint"
    )
    assert progress.best_accuracy == 1.0
    weights = {name: tensor.numpy() for name, tensor in progress.best.items()}
    network = HardNetwork(weights, TINY, vocabulary, EDIT)
    assert isinstance(vocabulary.actions(EDIT)[1], Delete)
    assert network.rules.start == 1
