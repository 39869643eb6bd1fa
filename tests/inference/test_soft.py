"""Soft attention: its oracle and its network, in torch and in NumPy."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from stepwrite.inference.beam import beam
from stepwrite.inference.network import State, step
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.inference.search import greedy, limit_of
from stepwrite.inference.soft import SoftNetwork
from stepwrite.kinds import kind_of
from stepwrite.model.directory import Model
from stepwrite.training.backbone import format_names
from stepwrite.training.batches import IGNORED, Batch, collate
from stepwrite.training.kernels.pair_scores import pair_scores
from stepwrite.training.sequences import Sequences, write_sequences
from stepwrite.training.soft import SoftAttention, attend
from stepwrite.transducer.actions import Copy, End, Step, Write, execute, oracle, written
from stepwrite.transducer.alignment import EditDistanceAligner
from stepwrite.transducer.vocabulary import COPY, END, STEP, Vocabulary

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
    return [write_sequences(*example, vocabulary) for example in bundled]


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
        actions = [vocabulary.actions()[int(k)] for k in example.targets]
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
        actions = [vocabulary.actions()[int(k)] for k in targets[targets != IGNORED]]
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
    weights = dict(format_names(module))
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
    config = NetworkConfig(cell, layers, 6, 5, 3, kind="soft")
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
    config = NetworkConfig(cell, layers, 12, 7, 3, kind="soft")
    module, batch = random_module(config, vocabulary), some_batch(vocabulary)
    weights = {name: tensor.detach().numpy() for name, tensor in format_names(module).items()}
    assert {name: array.shape for name, array in weights.items()} == kind_of(config.kind).shapes(
        config, vocabulary
    )
    network = SoftNetwork(weights, config, vocabulary)
    lengths = batch.lengths.tolist()
    lemmas = [batch.lemmas[0, :length, k].tolist() for k, length in enumerate(lengths)]
    encoded = network.encode(lemmas, batch.features.tolist())
    state, found = network.start(encoded), []
    for previous in batch.previous.numpy():
        state, log_probabilities = step(network, encoded, replace(state, previous=previous))
        found.append(log_probabilities)
    ours, used = np.stack(found), batch.targets.numpy() != IGNORED
    with torch.no_grad():
        logits = module(batch).view(ours.shape)
    logits[torch.from_numpy(ours == -np.inf)] = -torch.inf  # what inference forbids
    theirs = torch.log_softmax(logits, dim=2).numpy()
    assert np.isfinite(theirs).mean() > 0.8
    np.testing.assert_allclose(ours[used], theirs[used], rtol=0, atol=1e-5)


def plain_pair_scores(queries: torch.Tensor, keys: torch.Tensor, pick: torch.Tensor):
    """The same by torch alone."""
    return (torch.tanh(queries.transpose(0, 1)[:, :, None] + keys[:, None]) @ pick)[..., 0]


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
    weights = {**model.members[0], "output_bias": model.members[0]["output_bias"].copy()}
    for name, bias in biases.items():
        weights["output_bias"][{"end": END, "step": STEP, "copy": COPY}[name]] = bias
    network = kind_of(model.network.kind).network(weights, model.network, model.vocabulary)
    assert isinstance(network, SoftNetwork)
    return network


def test_weights_and_probabilities(random_model: MakeModel) -> None:
    """Both sum to one; nothing goes to padding, to steps, or to copying begin or end."""
    model = random_model(kind="soft", scale=1.0)
    network = soft_network(model, end=-5.0)
    encoded = network.encode(*inputs(model, "go", "s", "seesaw"))
    state = network.start(encoded)
    copied = set()
    for _ in range(30):
        state, log_probabilities = step(network, encoded, state)
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
    model = random_model(kind="soft")
    network, vocabulary = soft_network(model), model.vocabulary
    encoded = network.encode(*inputs(model, "gß"))
    start = network.start(encoded)
    state = State(start.words, np.array([2]), start.previous, start.hidden, start.cells)
    assert network.act(encoded, state, np.array([COPY])).previous == vocabulary.unknown
    assert network.act(encoded, state, np.array([4])).previous == 4


LEMMAS = ("go", "s", "see" * 20, "gehen", "", "ß", "wonnegossen", "og", "eeeee", "G" * 50)


@pytest.mark.parametrize("end", [2.0, -50.0])
def test_other_words_change_nothing(random_model: MakeModel, end: float) -> None:
    model = random_model(kind="soft", layers=2, scale=1.0)
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
    model = random_model(words=(("a", "b"),), kind="soft", seed=seed, scale=1.0)
    network = soft_network(model, end=1.0)
    [lemma], [features] = inputs(model, "aß")
    encoded = network.encode([lemma], [features])
    endings: dict[tuple[int, ...], float] = {}

    def search(state: State, actions: tuple[int, ...], score: float) -> None:
        state, log_probabilities = step(network, encoded, state)
        for action, value in enumerate(log_probabilities[0].tolist()):
            if action == END:
                endings[(*actions, END)] = score + value
            elif value > -np.inf and len(actions) < 5:
                copied = state.take(np.array([0]))  # the next step overwrites it
                acted = network.act(encoded, copied, np.array([action]))
                search(acted, (*actions, action), score + value)

    search(network.start(encoded), (), 0.0)
    [every] = beam(network, [lemma], [features], width=200)
    found = [h for h in every if len(h.actions) <= 6]
    expected = sorted(endings, key=lambda actions: -endings[actions])[:5]
    assert [h.actions for h in found[:5]] == expected
    assert [h.score for h in found[:5]] == pytest.approx([endings[a] for a in expected], abs=1e-4)
