"""Feature embeddings made compact: the same network in fewer numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stepwrite import Example, api
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.inference.search import greedy
from stepwrite.kinds import kind_of
from stepwrite.model.directory import Weights, load_model
from stepwrite.training.compact import compact_network, compact_weights
from stepwrite.transducer.vocabulary import Vocabulary

BUNDLES = ["N;NOM;SG", "N;DAT;PL", "N;ACC;PL", "V;PST", "V"]
VOCABULARY = Vocabulary.fit([(tuple("abc"), tuple("abd"))], BUNDLES, copy=True)
ASKED = [*BUNDLES, "N;ERG;SG", "ADJ", "V;DAT;SG"]  # known, unknown and left out


def random_weights(network: NetworkConfig) -> Weights:
    random = np.random.default_rng(1)
    shapes = kind_of(network.kind).shapes(network, VOCABULARY)
    return {name: random.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}


@pytest.mark.parametrize("kind", ["edit", "hard", "soft"])
@pytest.mark.parametrize("layers", [1, 2])
def test_the_compact_network_scores_alike(kind: str, layers: int) -> None:
    wide = NetworkConfig(kind=kind, layers=layers, hidden=6, embedding=5, feature_embedding=30)
    weights = random_weights(wide)
    narrow, fewer = compact_network(wide, VOCABULARY), compact_weights(weights, wide, VOCABULARY)
    assert narrow.feature_embedding == 4  # three cases and none
    shapes = {name: array.shape for name, array in fewer.items()}
    assert shapes == kind_of(kind).shapes(narrow, VOCABULARY)
    features = [VOCABULARY.feature_rows(bundle) for bundle in ASKED]
    lemmas = [VOCABULARY.lemma_ids("abXc")] * len(ASKED)
    before, after = (
        greedy(kind_of(kind).network(numbers, config, VOCABULARY), lemmas, features)
        for numbers, config in ((weights, wide), (fewer, narrow))
    )
    assert [word.actions for word in before] == [word.actions for word in after]
    assert [word.score for word in after] == pytest.approx([word.score for word in before], 1e-4)
    assert len({word.score for word in after}) > 3  # features do tell


def test_narrow_embeddings_stay() -> None:
    network = NetworkConfig(hidden=6, embedding=5, feature_embedding=4)
    weights = random_weights(network)
    assert compact_network(network, VOCABULARY) == network
    assert compact_weights(weights, network, VOCABULARY) is weights


def test_compact_weights_stay() -> None:
    """Those of a model to which members are added; their plan has the wide network."""
    wide = NetworkConfig(hidden=6, embedding=5, feature_embedding=30)
    fewer = compact_weights(random_weights(wide), wide, VOCABULARY)
    assert compact_weights(fewer, wide, VOCABULARY) is fewer


def test_without_features_nothing_is_left_of_them(tmp_path: Path) -> None:
    rows = [Example(stem, "", stem + "s") for stem in ("ab", "ba", "aab", "bba")]
    settings: dict[str, Any] = {"hidden": 6, "embedding": 5, "feature_embedding": 30, "epochs": 2}
    model = api.train(rows, dev=rows, out=tmp_path / "m", progress=False, jobs=1, **settings)
    assert load_model(tmp_path / "m").network.feature_embedding == 1
    assert model("ab").form == api.load(tmp_path / "m")("ab").form
