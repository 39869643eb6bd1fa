"""What is answered at once: the same as on the usual way, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("msgspec")

from starlette.testclient import TestClient
from tests.serving import nonsense

from stepwrite import Inflector
from stepwrite.morphology.lexicon import Lexicon
from stepwrite.service.app import App
from stepwrite.service.at_once import LARGEST, Recent
from stepwrite.service.limits import Limits

ROWS = [("haus", "N;MASC;DAT;PL", "häusern"), ("haus", "N;MASC;DAT;PL", "hausen")]
HEADERS = [(b"host", b"localhost"), (b"content-type", b"application/json")]
KNOWN, GUESS = ("haus", "dative plural"), ("maus", "N;FEM;DAT;PL")


@pytest.fixture
def app() -> App:
    model = replace(nonsense(), lexicon=Lexicon.fit(ROWS))
    return App({"latin": Inflector(model, lexicon="prefer")}, Limits(requests=2))


@pytest.fixture
def client(app: App) -> Iterator[TestClient]:
    with TestClient(app, base_url="http://localhost") as client:
        yield client


def request(*words: tuple[str, str], **more: Any) -> bytes:
    listed = [{"lemma": lemma, "features": features} for lemma, features in words]
    return json.dumps({"model": "latin", "words": listed, **more}).encode()


def at_once(app: App, body: bytes, headers: list[tuple[bytes, bytes]] = HEADERS) -> bytes | None:
    return app.at_once(b"POST", b"/v1/inflect", headers, body)


def usual(client: TestClient, body: bytes) -> bytes:
    answer = client.post("/v1/inflect", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 200
    return answer.content


def count(client: TestClient, name: str) -> float:
    lines = client.get("/metrics").text.splitlines()
    return next((float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name)), 0.0)


def test_a_known_word_is_the_inflectors(app: App, client: TestClient) -> None:
    found = at_once(app, request(KNOWN))
    assert found is not None
    (prediction,) = json.loads(found)["predictions"]
    expected = app._inflectors["latin"](*KNOWN)
    assert prediction["form"] == expected.form == "häusern"
    assert [other["form"] for other in prediction["alternatives"]] == ["hausen"]
    assert prediction["notes"] == list(expected.notes) == ["gender=MASC (lexicon)"]
    assert count(client, "stepwrite_words_total") == 1
    assert count(client, "stepwrite_batch_words_count") == 0  # no network
    assert count(client, 'stepwrite_requests_total{route="/v1/inflect",status="200"}') == 1
    assert count(client, 'stepwrite_request_seconds_count{route="/v1/inflect"}') == 1
    # Spelt in another way it is not remembered, but the same.
    assert usual(client, request(KNOWN) + b" ") == found


def test_a_guess_is_made_once(
    app: App, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = request(GUESS)
    assert at_once(app, body) is None
    first = usual(client, body)

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("asked again")

    monkeypatch.setattr(Inflector, "batch", fail)
    assert at_once(app, body) == usual(client, body) == first
    assert count(client, "stepwrite_words_total") == 3
    assert count(client, "stepwrite_batch_words_count") == 1


@pytest.mark.parametrize(
    "body",
    [
        request(GUESS),
        request(KNOWN, KNOWN),
        request(KNOWN, n_best=2),
        request(KNOWN, explain=True),
        request(("haus", "ergative")),
        request(KNOWN, model="greek"),
        request(KNOWN) + b" " * 5000,
        b"",
        b"[",
        b'{"model": "latin", "words": [{"lemma": "\xff"}]}',
    ],
)
def test_other_requests_go_the_usual_way(app: App, client: TestClient, body: bytes) -> None:
    for _ in range(2):
        assert at_once(app, body) is None
    assert count(client, "stepwrite_words_total") == 0
    assert count(client, 'stepwrite_requests_total{route="/v1/inflect"') == 0


@pytest.mark.parametrize(
    "headers",
    [
        [],
        HEADERS[:1],
        HEADERS[1:],
        [*HEADERS, HEADERS[0]],
        [(b"host", b"evil.example.org"), HEADERS[1]],
        [HEADERS[0], (b"content-type", b"text/plain")],
    ],
)
def test_so_do_those_with_other_headers(app: App, headers: list[tuple[bytes, bytes]]) -> None:
    assert at_once(app, request(KNOWN)) is not None  # remembered from now on
    assert at_once(app, request(KNOWN), headers) is None


def test_longer_requests_are_not_remembered(app: App, client: TestClient) -> None:
    for body in (request(GUESS, n_best=2), request(GUESS, explain=True), request(GUESS, GUESS)):
        usual(client, body)
        assert at_once(app, body) is None


def test_health_is_answered_while_all_is_well(
    app: App, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def health(method: bytes = b"GET", url: bytes = b"/health") -> bytes | None:
        return app.at_once(method, url, HEADERS[:1], b"")

    assert health() == client.get("/health").content
    assert health(method=b"POST") is None
    assert health(url=b"/") is None
    for _ in range(2):
        app.metrics.begun()
    assert health() is None  # too many requests
    app.metrics.answered("/health", 200, 0.1)
    assert health() is not None
    monkeypatch.setattr(type(app._batcher), "stuck", True)
    assert health() is None


def test_what_is_remembered_is_bounded() -> None:
    recent = Recent(most=3)
    for number in range(10):
        recent.put(b"%d" % number, "latin", b"")
    assert [recent.get(b"%d" % number) is not None for number in range(10)] == [False] * 7 + [
        True
    ] * 3
    recent.put(b"a", "latin", b"b" * (LARGEST - 1))
    recent.put(b"c", "latin", b"b" * LARGEST)
    assert recent.get(b"a") is not None
    assert recent.get(b"c") is None
