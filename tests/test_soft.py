"""Soft attention: what is its own, and that what works for hard attention works for it."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from conftest import train_model
from stepwrite.actions import Copy, End, Step, Write, execute, oracle, written
from stepwrite.alignment import EditDistanceAligner
from stepwrite.config import NetworkConfig
from stepwrite.decoding import beam, greedy, limit_of
from stepwrite.errors import StepwriteError
from stepwrite.inflector import Inflector, UnknownFeatureWarning
from stepwrite.model import Model, ModelError, expected_shapes, load_model, save_model
from stepwrite.network import State
from stepwrite.soft_network import SoftNetwork, network_of
from stepwrite.training.batches import Sequences, collate, sequences
from stepwrite.training.config import TrainingConfig, preset
from stepwrite.training.member import Progress, Task, train_member
from stepwrite.training.modules import IGNORED, Batch
from stepwrite.training.pair_scores import pair_scores, plain_pair_scores
from stepwrite.training.soft import SoftAttention, attend
from stepwrite.vocabulary import COPY, END, STEP, Vocabulary

MakeModel = Callable[..., Model]

WORDS = [
    ("a", "b"),
    ("legen", "gelegt"),
    ("Haus", "Häusern"),
    ("go", "went"),
    ("Xyz" * 9, "yX" * 3),
]
BUNDLES = ["N;PL", "V;PST", "N;DAT;PL", "V;PST;3", ""]
PAIRS = [(tuple(lemma), tuple(form)) for lemma, form in WORDS]
ALIGNMENTS = EditDistanceAligner().align(PAIRS)


def some_examples(vocabulary: Vocabulary) -> list[Sequences]:
    bundled = zip(ALIGNMENTS, BUNDLES, strict=True)
    return [sequences(*example, vocabulary, "soft") for example in bundled]


def some_batch(vocabulary: Vocabulary) -> Batch:
    examples = some_examples(vocabulary)
    longest = max(len(example.lemma) for example in examples)
    masked = np.random.default_rng(1).random((longest, len(examples))) < 0.3
    return collate(examples, vocabulary, masked)


def random_module(config: NetworkConfig, vocabulary: Vocabulary) -> SoftAttention:
    torch.manual_seed(1)
    module = SoftAttention(config, vocabulary).eval()
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return module


# The oracle.


def test_the_oracle_is_the_form_and_its_end() -> None:
    vocabulary = Vocabulary.fit(PAIRS, BUNDLES, copy=True)
    for example, alignment, (lemma, form) in zip(
        some_examples(vocabulary), ALIGNMENTS, PAIRS, strict=True
    ):
        actions = [vocabulary.action(int(k)) for k in example.targets]
        assert actions == [*map(Write, form), End()]
        assert example.previous.tolist() == [vocabulary.begin, *example.targets[:-1].tolist()]
        hard = oracle(alignment)
        positions = zip(hard, execute(lemma, hard).positions, strict=True)
        assert example.positions.tolist() == [p for action, p in positions if action != Step()]


def test_masked_symbols_are_copied_from_where_they_stand() -> None:
    vocabulary = Vocabulary.fit(PAIRS, BUNDLES, copy=True)
    batch, n_copies = some_batch(vocabulary), 0
    for word, (example, (lemma, form)) in enumerate(
        zip(some_examples(vocabulary), PAIRS, strict=True)
    ):
        targets = batch.targets[:, word]
        actions = [vocabulary.action(int(k)) for k in targets[targets != IGNORED]]
        assert written(lemma, actions, example.positions.tolist()) == form
        for action, position in zip(actions, example.positions, strict=True):
            if action == Copy():
                assert batch.lemmas[0, position, word] == vocabulary.unknown
                n_copies += 1
    assert n_copies == 3


def test_written_is_what_execute_writes() -> None:
    for alignment, (lemma, form) in zip(ALIGNMENTS, PAIRS, strict=True):
        actions = oracle(alignment)
        assert written(lemma, actions, execute(lemma, actions).positions) == form


# The network: torch, and NumPy.


def step_by_step(module: SoftAttention, config: NetworkConfig, batch: Batch) -> Tensor:
    """(T * B, actions), as the equations say: no tables, no batches, one step at a time."""
    weights = dict(module.named_parameters())
    size = config.hidden

    def stack(name: str, direction: int, inputs: list[Tensor]) -> list[Tensor]:
        for k in range(config.layers):
            w, u, b, p = (
                weights[f"{name}.{k}.{part}"][direction]
                for part in ("input", "recurrent", "bias", "peepholes")
            )
            hidden = cell = b.new_zeros(size)
            states = []
            for x in inputs:
                i, f, candidate, o = torch.split(x @ w + hidden @ u + b, size)
                if len(p):
                    i, f = i + cell @ p[0], f + cell @ p[1]
                cell = f.sigmoid() * cell + i.sigmoid() * candidate.tanh()
                if len(p):
                    o = o + cell @ p[2]
                hidden = o.sigmoid() * cell.tanh()
                states.append(hidden)
            inputs = states
        return inputs

    n_steps, n_words = batch.previous.shape
    table, by_word = weights["embedding"], []
    for word in range(n_words):
        lemma = [table[k] for k in batch.lemmas[0, : batch.lengths[word], word]]
        onward = stack("encoder", 0, lemma)
        inward = stack("encoder", 1, lemma[::-1])[::-1]
        symbols = [torch.cat(both) for both in zip(onward, inward, strict=True)]
        features = weights["features"][batch.features[word]].flatten()
        given = [onward[-1], inward[0], features]
        inputs = [torch.cat([*given, table[k]]) for k in batch.previous[:, word]]
        rows = []
        for hidden in stack("decoder", 0, inputs):
            query = hidden @ weights["query"]
            scores = torch.stack(
                [torch.tanh(s @ weights["score"] + query) @ weights["pick"][:, 0] for s in symbols]
            )
            shares = scores.exp() / scores.exp().sum()
            context = sum(share * symbol for share, symbol in zip(shares, symbols, strict=True))
            combined = torch.tanh(torch.cat([hidden, context]) @ weights["combine"])
            rows.append(combined @ weights["output"] + weights["output_bias"])
        by_word.append(torch.stack(rows))
    return torch.stack(by_word, dim=1).view(n_steps * n_words, -1)


@pytest.mark.parametrize(("cell", "layers"), [("lstm", 1), ("peephole", 2)])
def test_gradients_are_those_of_the_plain_network(cell: str, layers: int) -> None:
    vocabulary = Vocabulary.fit(PAIRS, BUNDLES, copy=True)
    config = NetworkConfig(cell, layers, 6, 5, 3, attention="soft")
    module, batch = random_module(config, vocabulary).double(), some_batch(vocabulary)
    found = []
    for logits in (module(batch), step_by_step(module, config, batch)):
        loss = torch.nn.functional.cross_entropy(
            logits, batch.targets.flatten(), ignore_index=IGNORED
        )
        # Without peepholes there is nothing of them in the plain network.
        used = [parameter for parameter in module.parameters() if parameter.numel()]
        gradients = torch.autograd.grad(loss, used)
        found.append((logits, gradients))
    (logits, gradients), (plain_logits, plain_gradients) = found
    torch.testing.assert_close(logits, plain_logits)
    for ours, theirs in zip(gradients, plain_gradients, strict=True):
        torch.testing.assert_close(ours, theirs)
        assert ours.abs().max() > 1e-6


@pytest.mark.parametrize("copy", [False, True])
@pytest.mark.parametrize(("cell", "layers"), [("lstm", 1), ("lstm", 2), ("peephole", 1)])
def test_numpy_equals_torch(cell: str, layers: int, copy: bool) -> None:
    vocabulary = Vocabulary.fit(PAIRS, BUNDLES, copy=copy)
    config = NetworkConfig(cell, layers, 12, 7, 3, attention="soft")
    module, batch = random_module(config, vocabulary), some_batch(vocabulary)
    weights = {name: tensor.detach().numpy() for name, tensor in module.named_parameters()}
    assert {name: array.shape for name, array in weights.items()} == expected_shapes(
        config, vocabulary
    )
    network = network_of(weights, config, vocabulary)
    lengths = batch.lengths.tolist()
    lemmas = [batch.lemmas[0, :length, k].tolist() for k, length in enumerate(lengths)]
    encoded = network.encode(lemmas, batch.features.tolist())
    state, found = network.start(encoded), []
    for previous in batch.previous.numpy():
        state, log_probabilities = network.step(encoded, replace(state, previous=previous))
        found.append(log_probabilities)
    ours, used = np.stack(found), batch.targets.numpy() != IGNORED
    with torch.no_grad():
        logits = module(batch).view(ours.shape)
    logits[torch.from_numpy(ours == -np.inf)] = -torch.inf  # what inference forbids
    theirs = torch.log_softmax(logits, dim=2).numpy()
    assert np.isfinite(theirs).mean() > 0.8
    np.testing.assert_allclose(ours[used], theirs[used], rtol=0, atol=1e-5)


def test_pair_scores_are_the_plain_ones_and_so_are_their_gradients() -> None:
    torch.manual_seed(0)
    shapes = (4, 3, 6), (3, 5, 6), (6, 1)
    exact = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes]
    torch.testing.assert_close(pair_scores(*exact), plain_pair_scores(*exact))
    assert torch.autograd.gradcheck(pair_scores, exact)
    single = [values.detach().float() for values in exact]
    torch.testing.assert_close(pair_scores(*single), plain_pair_scores(*single))


def test_torch_attends_to_what_is_there() -> None:
    torch.manual_seed(0)
    lengths = torch.tensor([2, 5, 3])
    weights = attend(torch.randn(3, 4, 5), lengths)
    torch.testing.assert_close(weights.sum(dim=2), torch.ones(3, 4))
    for word, length in enumerate(lengths.tolist()):
        assert (weights[word, :, length:] == 0).all()
        assert (weights[word, :, :length] > 0).all()


def inputs(model: Model, *words: str) -> tuple[list[list[int]], list[list[int]]]:
    bundles = itertools.cycle(["V;PST", "V;PRS", "N", ""])
    vocabulary = model.vocabulary
    return (
        [vocabulary.lemma_ids(word) for word in words],
        [vocabulary.feature_rows(next(bundles)) for _ in words],
    )


def soft_network(model: Model, **biases: float) -> SoftNetwork:
    network = network_of(model.members[0], model.network, model.vocabulary)
    assert isinstance(network, SoftNetwork)
    network.output_bias = network.output_bias.copy()
    for name, bias in biases.items():
        network.output_bias[{"end": END, "step": STEP, "copy": COPY}[name]] = bias
    return network


def test_weights_and_probabilities(random_model: MakeModel) -> None:
    """Both sum to one; nothing goes to padding, to steps, or to copying begin or end."""
    model = random_model(attention="soft", scale=1.0)
    network = soft_network(model, end=-5.0)
    encoded = network.encode(*inputs(model, "go", "s", "seesaw"))
    state = network.start(encoded)
    copied = set()
    for _ in range(30):
        state, log_probabilities = network.step(encoded, state)
        weights = network.attend(encoded, state)
        np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-5)
        assert not weights[0, 4:].any()
        assert not weights[1, 3:].any()
        assert (state.positions == weights.argmax(axis=1)).all()
        probabilities = np.exp(log_probabilities)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-5)
        assert not probabilities[:, STEP].any()
        inside = (state.positions > 0) & (state.positions < encoded.lengths - 1)
        assert ((probabilities[:, COPY] > 0) == inside).all()
        copied |= set(inside.tolist())
        state = network.act(encoded, state, log_probabilities.argmax(axis=1))
    assert copied == {False, True}


def test_what_was_copied_is_what_was_written_last(random_model: MakeModel) -> None:
    model = random_model(attention="soft")
    network, vocabulary = soft_network(model), model.vocabulary
    encoded = network.encode(*inputs(model, "gß"))
    start = network.start(encoded)
    state = State(start.words, np.array([2]), start.previous, start.hidden, start.cells)
    assert network.act(encoded, state, np.array([COPY])).previous == vocabulary.unknown
    assert network.act(encoded, state, np.array([4])).previous == 4


LEMMAS = ("go", "s", "see" * 20, "gehen", "", "ß", "wonnegossen", "og", "eeeee", "G" * 50)


@pytest.mark.parametrize("end", [2.0, -50.0])
def test_other_words_change_nothing(random_model: MakeModel, end: float) -> None:
    model = random_model(attention="soft", layers=2, scale=1.0)
    network = soft_network(model, end=end)
    lemmas, features = inputs(model, *LEMMAS)
    together = greedy(network, lemmas, features)
    for found, lemma, row in zip(together, lemmas, features, strict=True):
        [alone] = greedy(network, [lemma], [row])
        assert (found.actions, found.positions) == (alone.actions, alone.positions)
        assert found.score == pytest.approx(alone.score, abs=1e-3)
        assert found.complete == (found.actions[-1] == END)
        assert found.complete or len(found.actions) == limit_of(lemma)
        assert STEP not in found.actions
    assert any(found.complete for found in together) == (end > 0)


@pytest.mark.parametrize("seed", range(4))
def test_wide_beam_is_brute_force(random_model: MakeModel, seed: int) -> None:
    """With all that is as short as what was found tried, nothing is better than it."""
    model = random_model(words=(("a", "b"),), attention="soft", seed=seed, scale=1.0)
    network = soft_network(model, end=1.0)
    [lemma], [features] = inputs(model, "aß")
    encoded = network.encode([lemma], [features])
    endings: dict[tuple[int, ...], float] = {}

    def search(state: State, actions: tuple[int, ...], score: float) -> None:
        state, log_probabilities = network.step(encoded, state)
        for action, value in enumerate(log_probabilities[0].tolist()):
            if action == END:
                endings[(*actions, END)] = score + value
            elif value > -np.inf and len(actions) < 5:
                acted = network.act(encoded, state, np.array([action]))
                search(acted, (*actions, action), score + value)

    search(network.start(encoded), (), 0.0)
    found = [h for h in beam(network, lemma, features, width=200) if len(h.actions) <= 6]
    expected = sorted(endings, key=lambda actions: -endings[actions])[:5]
    assert [h.actions for h in found[:5]] == expected
    assert [h.score for h in found[:5]] == pytest.approx([endings[a] for a in expected], abs=1e-4)


# Training.

STEMS = ["walk", "talk", "jump", "look", "help", "call", "work", "play", "turn", "move"]
TRAIN = [
    (tuple(stem), features, tuple(stem + ending))
    for stem in STEMS
    for features, ending in (("V;PST", "ed"), ("V;PRS", "s"), ("V;PTCP", "ing"))
]
TINY = NetworkConfig(layers=1, hidden=24, embedding=16, feature_embedding=4, attention="soft")


def tiny_task(**changes) -> Task:
    settings = {"network": TINY, "epochs": 80, "dropout": 0.1, "rate": 0.02, "batch": 4}
    config = TrainingConfig("tiny", **(settings | changes))
    pairs = [(lemma, form) for lemma, _, form in TRAIN]
    vocabulary = Vocabulary.fit(pairs, [f for _, f, _ in TRAIN], copy=config.copy != "never")
    examples = [
        sequences(alignment, features, vocabulary, "soft")
        for alignment, (_, features, _) in zip(
            EditDistanceAligner().align(pairs), TRAIN, strict=True
        )
    ]
    return Task(config, vocabulary, examples, TRAIN)


@pytest.mark.parametrize("copy", ["never", "unknown"])
def test_learns_a_small_set_by_heart(tmp_path: Path, copy: str) -> None:
    task = tiny_task(copy=copy, masking=0.0 if copy == "never" else 0.05, epochs=50)
    progress = train_member(task, seed=1, checkpoint=tmp_path / "checkpoint")
    assert progress.best_accuracy == 1.0


def test_the_papers_settings_learn(tmp_path: Path) -> None:
    plain = {"dropout": 0.0, "copy": "never", "masking": 0.0}
    network = replace(TINY, cell="peephole", layers=2)
    task = tiny_task(network=network, optimiser="adadelta", rate=1.0, batch=1, epochs=30, **plain)
    assert train_member(task, 1, tmp_path / "checkpoint").best_accuracy == 1.0


def test_presets_are_those_of_hard_attention_but_for_the_clipping() -> None:
    for name, clip in (("default", 1.0), ("paper", 0.0)):
        soft = preset(name, 2_000, attention="soft")
        assert (soft.network.attention, soft.clip) == ("soft", clip)
        hard = replace(soft, network=replace(soft.network, attention="hard"), clip=0.0)
        assert hard == preset(name, 2_000)
        assert TrainingConfig.from_json(soft.to_json()) == soft
    assert preset("default", 2_000, attention="soft", clip=5.0).clip == 5.0


def test_always_to_copy_is_refused() -> None:
    """A row of copies could be learnt by heart without a look at the lemma."""
    with pytest.raises(StepwriteError, match="copy is always"):
        preset("default", 2_000, attention="soft", copy="always")


class Killed(Exception):
    pass


def test_resumed_training_ends_with_the_same_bits(tmp_path: Path) -> None:
    task = tiny_task(epochs=5, average=0.9)
    whole = train_member(task, 5, tmp_path / "whole")

    def kill(epoch, progress: Progress) -> None:
        if epoch.epoch in (1, 3):
            raise Killed

    for _ in range(2):
        with pytest.raises(Killed):
            train_member(task, 5, tmp_path / "pieces", on_epoch=kill)
    pieces = train_member(task, 5, tmp_path / "pieces")
    assert len(pieces.history) == 5
    assert torch.equal(pieces.weights, whole.weights)
    assert torch.equal(pieces.average, whole.average)
    assert all(torch.equal(pieces.best[name], whole.best[name]) for name in whole.best)


# A trained model, as a user meets it.


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """It adds -ed for V;PST and -s for N;PL; two members."""
    path = tmp_path_factory.mktemp("models") / "soft"
    train_model(path, attention="soft")
    return path


@pytest.fixture(scope="module")
def inflector(folder: Path) -> Inflector:
    return Inflector.load(folder)


def test_inflects(inflector: Inflector) -> None:
    prediction = inflector("tagen", "V;PST")
    assert (prediction.form, prediction.votes, prediction.attention) == ("tagened", 2, None)
    assert Step() not in prediction.actions
    several = inflector("tagen", "V;PST", n_best=3)
    assert several.form == "tagened"
    assert len(several.alternatives) == 2
    assert several.score >= prediction.score - 1e-6
    with pytest.warns(UnknownFeatureWarning):
        assert inflector("tagen", "V;PST;XYZ").form == "tagened"


@pytest.mark.parametrize("n_best", [1, 3])
def test_attention_on_request(inflector: Inflector, n_best: int) -> None:
    pairs = [("tagen", "V;PST"), ("ßo", "N;PL"), ("merodig", "N;PL")]
    plain = inflector.batch(pairs, n_best=n_best)
    predictions = inflector.batch(pairs, n_best=n_best, attention=True)
    assert [replace(p, attention=None) for p in predictions] == plain
    for prediction in predictions:
        weights = np.array(prediction.attention)
        assert weights.shape == (len(prediction.actions), len(prediction.lemma) + 2)
        np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-5)
        assert weights.argmax(axis=1).tolist() == list(prediction.positions)
        assert (weights.max(axis=1) > 0.5).mean() > 0.6  # it knows where to look


def test_unseen_symbols_survive(inflector: Inflector) -> None:
    """Wherever they stand; what is learnt, not given, need not be without a mistake."""
    letters = random.Random(5)
    words = []
    for _ in range(100):
        stem = letters.choices("abdeghiklmnoprtu", k=letters.randint(3, 6))
        stem[letters.randrange(len(stem))] = "ß"
        words.append("".join(stem))
    found = inflector.batch([(word, "V;PST") for word in words])
    assert sum(p.form == p.lemma + "ed" for p in found) >= 85


def test_explain(stepwrite, folder: Path) -> None:
    ran = stepwrite("inflect", str(folder), "--explain", "tag", "V;PST")
    assert ran.code == 0
    title, heading, *rows = ran.out.splitlines()
    assert title.startswith("tag + V;PST -> taged   probability 0.")
    assert heading.split() == ["attended", "weight", "action", "written"]
    cells = [row.split() for row in rows if row]
    assert [row[2] for row in cells] == [f"write({symbol})" for symbol in "taged"] + ["end"]
    assert all(0 < float(row[1]) <= 1 for row in cells)
    assert (cells[0][0], cells[4][3]) == ("t", "taged")
    columns = {row.index("write(") for row in rows[:5]}
    assert columns == {heading.index("action")}


def test_info_and_card(stepwrite, folder: Path) -> None:
    assert "soft attention, 1 layer(s) of 24" in stepwrite("info", str(folder)).out
    assert "with soft (Luong's global) attention" in (folder / "README.md").read_text()


def test_evaluate(stepwrite, folder: Path, tmp_path: Path) -> None:
    test = tmp_path / "test.tsv"
    test.write_text("tagen\ttagened\tV;PST\nmerod\tmerods\tN;PL\nmerod\twrong\tN;PL\n")
    ran = stepwrite("evaluate", str(folder), str(test), "--format", "json")
    assert ran.code == 0
    assert json.loads(ran.out)["scores"]["exact_match"]["value"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(("ours", "theirs"), [("soft", "hard"), ("hard", "soft")])
def test_weights_of_the_other_attention(
    random_model: MakeModel, tmp_path: Path, ours: str, theirs: str
) -> None:
    model = random_model(attention=ours)
    save_model(tmp_path / "whole", model, "", "")
    assert load_model(tmp_path / "whole").network == model.network
    network = replace(model.network, attention=theirs)
    save_model(tmp_path / "mixed", replace(model, network=network), "", "")
    with pytest.raises(ModelError, match="do not fit"):
        load_model(tmp_path / "mixed")


def test_train_from_the_command_line(stepwrite, tmp_path: Path) -> None:
    train = tmp_path / "train.tsv"
    train.write_text("".join(f"{s}\t{s}ed\tV;PST\n" for s in STEMS))
    sizes = ("--hidden", "8", "--embedding", "4", "--epochs", "2", "--jobs", "1")
    out = tmp_path / "model"
    ran = stepwrite("train", str(train), "--out", str(out), "--model", "soft", *sizes)
    assert ran.code == 0, ran.err
    assert "soft attention" in ran.err
    assert load_model(out).network.attention == "soft"
