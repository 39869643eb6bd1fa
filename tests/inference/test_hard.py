"""NumPy infers what torch trained: the two forward passes are held together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from stepwrite.inference.hard import HardNetwork
from stepwrite.inference.network import step
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.kinds import kind_of
from stepwrite.model.directory import Model
from stepwrite.transducer.alignment import EditDistanceAligner
from stepwrite.transducer.vocabulary import COPY, Vocabulary

torch = pytest.importorskip("torch")
from stepwrite.training.backbone import format_names  # noqa: E402
from stepwrite.training.batches import collate  # noqa: E402
from stepwrite.training.hard import HardAttention  # noqa: E402
from stepwrite.training.sequences import step_write_sequences  # noqa: E402

WORDS = [("a", "b"), ("legen", "gelegt"), ("Haus", "Häusern"), ("go", "went"), ("Xyz" * 9, "y" * 5)]
BUNDLES = ["N;PL", "V;PST", "N;DAT;PL", "V;PST;3", ""]


def by_force(
    network: HardNetwork, lemmas: list[list[int]], features: list[list[int]], actions: np.ndarray
) -> np.ndarray:
    """(T, B, A): log probabilities of all actions when the given (T, B) are taken."""
    encoded = network.encode(lemmas, features)
    state = network.start(encoded)
    found = []
    for taken in actions:
        state, log_probabilities = step(network, encoded, state)
        found.append(log_probabilities)
        state = network.act(encoded, state, taken)
    return np.stack(found)


@pytest.mark.parametrize("copy", [False, True])
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("cell", ["lstm", "peephole"])
@pytest.mark.parametrize("bundles", [BUNDLES, [""] * len(BUNDLES)], ids=["features", "no slots"])
def test_numpy_equals_torch(cell: str, layers: int, bundles: list[str], copy: bool) -> None:
    pairs = [(tuple(lemma), tuple(form)) for lemma, form in WORDS]
    vocabulary = Vocabulary.fit(pairs, bundles, copy=copy)
    config = NetworkConfig(cell, layers, hidden=12, embedding=7, feature_embedding=3)
    alignments = EditDistanceAligner().align(pairs)
    examples = [
        step_write_sequences(*example, vocabulary)
        for example in zip(alignments, bundles, strict=True)
    ]
    longest = max(len(example.lemma) for example in examples)
    masked = np.random.default_rng(1).random((longest, len(examples))) < 0.3
    batch = collate(examples, vocabulary, masked, copy_always=copy)

    torch.manual_seed(1)
    module = HardAttention(config, vocabulary).eval()
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    weights = {name: tensor.detach().numpy() for name, tensor in format_names(module).items()}
    assert {name: array.shape for name, array in weights.items()} == kind_of(config.kind).shapes(
        config, vocabulary
    )
    lengths = [len(example.lemma) for example in examples]
    lemmas = [batch.lemmas[0, :length, k].tolist() for k, length in enumerate(lengths)]
    targets = batch.targets.numpy()
    network = HardNetwork(weights, config, vocabulary)
    ours = by_force(network, lemmas, batch.features.tolist(), np.maximum(targets, 0))
    with torch.no_grad():
        logits = module(batch).view(*targets.shape, -1)
    if copy:  # inference forbids what training never shows
        positions = batch.attended[0].view(targets.shape) // len(examples)
        boundary = (positions == 0) | (positions == torch.tensor(lengths) - 1)
        logits[..., COPY][boundary] = -torch.inf
        assert (targets == COPY).any()
    theirs = torch.log_softmax(logits, dim=-1).numpy()
    used = targets >= 0
    assert np.isfinite(theirs[used]).any(axis=1).all()
    np.testing.assert_allclose(ours[used], theirs[used], rtol=0, atol=1e-5)


@pytest.mark.parametrize("cell", ["lstm", "peephole"])
def test_padded_batch_equals_single_words(random_model: Callable[..., Model], cell: str) -> None:
    model = random_model(cell=cell, layers=2)
    network = HardNetwork(model.members[0], model.network, model.vocabulary)
    lemmas = [model.vocabulary.lemma_ids(word) for word in ("g", "goes", "see" * 30, "ß")]
    features = [model.vocabulary.feature_rows(f) for f in ("V;PST", "V;PRS", "", "N")]
    random = np.random.default_rng(0)
    actions = random.integers(1, model.vocabulary.n_actions, (12, len(lemmas)))
    actions[actions == COPY] = 1
    together = by_force(network, lemmas, features, actions)
    for k in range(len(lemmas)):
        alone = by_force(network, [lemmas[k]], [features[k]], actions[:, k : k + 1])
        np.testing.assert_allclose(together[:, k], alone[:, 0], rtol=0, atol=1e-5)


def test_probabilities(random_model: Callable[..., Model]) -> None:
    """They sum to one, and boundaries can't be copied."""
    model = random_model()
    network = HardNetwork(model.members[0], model.network, model.vocabulary)
    steps = np.ones((4, 1), np.int64)
    found = np.exp(by_force(network, [model.vocabulary.lemma_ids("go")], [[0, 0]], steps))[:, 0]
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-5)
    assert [bool(p) for p in found[:, COPY]] == [False, True, True, False]


def test_act(random_model: Callable[..., Model]) -> None:
    """Step moves and stops at the end; a copied symbol is what was written last."""
    model = random_model()
    vocabulary = model.vocabulary
    network = HardNetwork(model.members[0], model.network, vocabulary)
    encoded = network.encode([vocabulary.lemma_ids("gß")], [vocabulary.feature_rows("")])
    state = network.start(encoded)
    seen = []
    for action in (1, COPY, 1, COPY, 1, 1, 1):
        state = network.act(encoded, state, np.array([action]))
        seen.append((int(state.positions[0]), int(state.previous[0])))
    g, unknown = vocabulary.symbol_id("g"), vocabulary.unknown
    assert seen == [(1, 1), (1, g), (2, 1), (2, unknown), (3, 1), (3, 1), (3, 1)]
