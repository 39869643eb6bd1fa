"""A file inflected on a Ray cluster: two nodes on this machine, one of which is killed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from stepwrite import __version__
from stepwrite.bulk import cluster
from stepwrite.bulk.chunks import Request, chunks_of, inflect_chunk
from stepwrite.bulk.cluster import inflect_on_cluster
from stepwrite.data.examples import LAYOUTS, Example
from stepwrite.errors import StepwriteError
from stepwrite.inflector import Inflector
from stepwrite.model.directory import Model

REQUEST = Request(LAYOUTS["covered"], n_best=2)


@pytest.mark.cluster
def test_a_node_is_lost_and_the_output_is_the_same(
    two_nodes: Any, random_model: Callable[..., Model]
) -> None:
    inflector = Inflector(random_model(kind="edit", members=2, hidden=64))
    examples = [Example(f"{'gose'[n % 4]}{'wnt' * (n % 5)}{n}", "V;PST") for n in range(8000)]
    chunks = list(chunks_of(examples, 200))
    expected = [inflect_chunk(inflector, REQUEST, chunk).content for chunk in chunks]
    found = []
    for done in inflect_on_cluster(inflector, REQUEST, chunks, two_nodes.address):
        found.append(done.content)
        if len(found) == 5:
            two_nodes.remove_node(two_nodes.nodes[0], allow_graceful=False)
    assert found == expected


def test_another_version_is_refused(
    random_model: Callable[..., Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ray:
        @staticmethod
        def get(reference: Any) -> Any:
            return random_model(), {"tie": "score"}, reference

    monkeypatch.setattr(cluster, "require", lambda *_, **__: Ray)
    chunk = [Example("go", "V;PST")]
    assert cluster.inflect_remotely([__version__], REQUEST, chunk).n_rows == 1
    with pytest.raises(StepwriteError, match=r"the driver has stepwrite 0\.0\.1"):
        cluster.inflect_remotely(["0.0.1"], REQUEST, chunk)


def test_no_cluster_is_a_clear_error(random_model: Callable[..., Model]) -> None:
    pytest.importorskip("ray", reason="ray is not installed: pip install 'stepwrite[cluster]'")
    with pytest.raises(StepwriteError, match=r"no Ray cluster at 127\.0\.0\.1:1"):
        next(inflect_on_cluster(Inflector(random_model()), REQUEST, [], "127.0.0.1:1"))
