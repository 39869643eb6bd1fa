"""Fixtures and settings shared by several tests."""

from __future__ import annotations

import io
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import settings
from tests.extras import missing_extra

from stepwrite import Example, train
from stepwrite.cli import main
from stepwrite.data.examples import Examples
from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import StepwriteError
from stepwrite.files import held
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.kinds import kind_of
from stepwrite.model.about import About
from stepwrite.model.directory import Model
from stepwrite.transducer.vocabulary import Vocabulary

# The first example may have to wait for compilation, and any for a busy machine.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


class Ran(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def stepwrite(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Ran]:
    """The command line in this process; uncaught errors are raised."""

    def run(*arguments: str, stdin: str | bytes = b"") -> Ran:
        content = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        monkeypatch.setattr(sys, "argv", ["stepwrite", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        ran = Ran(int(stop.value.code or 0), *capsys.readouterr())
        if ran.code and (reason := missing_extra(ran.err)):
            pytest.skip(reason)
        return ran

    return run


def random_model(
    *,
    words: tuple[tuple[str, str], ...] = (("go", "went"), ("see", "saw")),
    bundles: tuple[str, ...] = ("V;PST", "V;PRS"),
    copy: bool = True,
    kind: str = "hard",
    cell: str = "lstm",
    layers: int = 1,
    hidden: int = 8,
    members: int = 1,
    seed: int = 0,
    scale: float = 0.5,
    segmentation: Segmentation = Segmentation(),
) -> Model:
    """A model with random but reproducible weights."""
    network = NetworkConfig(cell, layers, hidden, 6, feature_embedding=3, kind=kind)
    pairs = [(segmentation.lemma(lemma), segmentation.form(form)) for lemma, form in words]
    vocabulary = Vocabulary.fit(pairs, bundles, copy=copy)
    generator = np.random.default_rng(seed)
    shapes = kind_of(kind).shapes(network, vocabulary)
    weights = tuple(
        {
            name: generator.normal(0, scale, shape).astype(np.float32)
            for name, shape in shapes.items()
        }
        for _ in range(members)
    )
    return Model(network, vocabulary, segmentation, weights, about=About())


@pytest.fixture(name="random_model")
def _random_model() -> Callable[..., Model]:
    return random_model


@pytest.fixture(scope="session")
def trained_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a small model of two members, not to be changed.

    It adds -ed for V;PST and -s for N;PL, also to letters that it has never seen.
    """
    base = tmp_path_factory.getbasetemp()
    # Parallel test processes share the model.
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "trained-model"
    with ExitStack() as stack:
        while True:
            try:
                stack.enter_context(held(folder.with_suffix(".lock")))
                break
            except StepwriteError:
                time.sleep(0.1)
        if not folder.exists():
            train_model(folder)
    return folder


def train_model(folder: Path, kind: str = "hard") -> None:
    letters = random.Random(1)
    stems = ["".join(letters.choices("abdeghiklmnoprtu", k=3 + k % 4)) for k in range(300)]
    rows = [
        Example(stem, "V;PST", stem + "ed") if k % 2 else Example(stem, "N;PL", stem + "s")
        for k, stem in enumerate(stems)
    ]
    settings: dict[str, Any] = {"epochs": 20, "batch": 8, "rate": 0.01, "masking": 0.1}
    settings |= {"layers": 1, "hidden": 24, "embedding": 16, "feature_embedding": 4}
    settings |= {"average": 0.0, "clip": 0.0, "dropout": 0.0, "hallucination": 0.0}
    if kind == "hard":
        settings["copy"] = "unknown"
    train(
        Examples(rows[:250], "train.tsv"),
        dev=Examples(rows[250:], "dev.tsv"),
        out=folder,
        kind=kind,
        members=2,
        jobs=2,
        progress=False,
        **settings,
    )


@pytest.fixture
def two_nodes() -> Iterator[Any]:
    """A head without cores for work, and two nodes of one core each."""
    pytest.importorskip("ray", reason="ray is not installed: pip install 'stepwrite[cluster]'")
    from ray.cluster_utils import Cluster

    small = {"object_store_memory": 100_000_000, "include_dashboard": False}
    found = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **small})
    try:
        found.nodes = [found.add_node(num_cpus=1, **small) for _ in range(2)]
        yield found
    finally:
        found.shutdown()
