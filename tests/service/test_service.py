"""The service: responses, rejections, batching and graceful shutdown."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from math import exp
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")

import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, settings
from tests.serving import BUNDLES, Service, nonsense, running, save

from stepwrite import Inflector, Prediction, UnknownFeatureWarning
from stepwrite.service.app import create_app
from stepwrite.service.batching import ROUND, Batcher, Kind
from stepwrite.service.limits import Limits, Refusal
from stepwrite.service.metrics import Metrics
from stepwrite.transducer.actions import Copy, End, Step, Write, execute

LIMITS = Limits(body=200_000, words=50, symbols=30, features=40, n_best=5)
INFLECTORS = {
    "latin": Inflector(nonsense()),
    "soft": Inflector(nonsense(kind="soft")),
    "old": Inflector(nonsense(cells=False)),
}
APP = create_app(INFLECTORS, LIMITS)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(APP, raise_server_exceptions=False) as client:
        yield client


def inflect(client: TestClient, *words: tuple[str, str], **more: Any) -> Any:
    listed = [{"lemma": lemma, "features": features} for lemma, features in words]
    return client.post("/v1/inflect", json={"model": "latin", "words": listed, **more})


def test_answers_what_the_inflector_says(client: TestClient) -> None:
    words = [("haus", "N;MASC;DAT;PL"), ("gehen", "V;PST"), ("neu", "N;FEM;NOM;SG")]
    expected = INFLECTORS["latin"].batch(words, n_best=3)
    answer = inflect(client, *words, n_best=3).json()
    assert answer["members"] == 2
    for found, prediction in zip(answer["predictions"], expected, strict=True):
        assert found["form"] == prediction.form
        assert found["votes"] == prediction.votes
        assert found["probability"] == pytest.approx(exp(prediction.score), rel=1e-4)
        forms = [other["form"] for other in found["alternatives"]]
        assert forms == [other.form for other in prediction.alternatives]
        assert found["explanation"] is None


def test_an_explanation_can_be_carried_out(client: TestClient) -> None:
    for model in ("latin", "soft"):
        answer = inflect(client, ("haus", "V;PST"), model=model, explain=True).json()
        (found,) = answer["predictions"]
        symbols, steps = found["explanation"]["symbols"], found["explanation"]["steps"]
        assert symbols == ["", *"haus", ""]
        assert "".join(step["symbol"] or "" for step in steps) == found["form"]
        if model == "latin":
            kinds = {"step": Step(), "copy": Copy(), "end": End()}
            actions = [kinds.get(s["action"]) or Write(s["symbol"]) for s in steps]
            executed = execute("haus", actions)
            assert "".join(executed.form) == found["form"]
            assert list(executed.positions) == [step["position"] for step in steps]
        else:
            for step in steps:
                assert sum(step["attention"]) == pytest.approx(1, abs=1e-3)
                assert step["attention"][step["position"]] == max(step["attention"])


def test_paradigm_is_the_inflectors(client: TestClient) -> None:
    query = {"model": "latin", "lemma": "haus", "pos": "N"}
    answer = client.get("/v1/paradigm", params=query).json()
    expected = INFLECTORS["latin"].paradigm("haus", pos="N")
    assert [(c["features"], c["form"]) for c in answer["cells"]] == [
        (cell.features, cell.form) for cell in expected.cells
    ]
    assert answer["guessed"] == ["gender"]
    assert answer["values"] == {"gender": "MASC"}
    table = expected.layout()
    assert answer["table"]["columns"] == list(table.columns)
    forms = [[answer["cells"][k]["form"] for k in row["cells"]] for row in answer["table"]["rows"]]
    assert forms == [[cell.form for cell in row.cells if cell] for row in table.rows]
    fixed = client.get("/v1/paradigm", params={**query, "feature": ["gender=FEM", "case=DAT"]})
    assert {cell["features"] for cell in fixed.json()["cells"]} == {
        "N;FEM;DAT;SG",
        "N;FEM;DAT;PL",
    }


def test_models_say_what_they_know(client: TestClient) -> None:
    models = {entry["name"]: entry for entry in client.get("/v1/models").json()["models"]}
    assert set(models) == {"latin", "soft", "old"}
    assert models["latin"]["parts_of_speech"] == ["N", "V"]
    assert models["latin"]["lexical"]["N"] == {"gender": ["FEM", "MASC"]}
    assert {"name": "number", "values": ["PL", "SG"]} in models["latin"]["slots"]
    assert models["soft"]["attention"] == "soft"
    assert models["old"]["parts_of_speech"] == []
    assert set(client.get("/v1/models/latin").json()["cells"]) == set(BUNDLES)


LONG = {"lemma": "a" * 31}


@pytest.mark.parametrize(
    ("body", "status", "code", "message"),
    [
        ("{", 400, "invalid_json", "not JSON"),
        ("[" * 100_000, 400, "invalid_json", "JSON"),
        ("9" * 5000, 400, "invalid_json", "JSON"),
        (b"\xff\xfe", 400, "invalid_json", "JSON"),
        ("[]", 422, "invalid_request", "body"),
        ('{"words": [{"lemma": "a"}]}', 422, "invalid_request", "body.model"),
        ({"words": "a"}, 422, "invalid_request", "body.words"),
        ({"words": []}, 422, "invalid_request", "body.words"),
        ({"words": [{"lemma": 1}]}, 422, "invalid_request", "words.0.lemma"),
        ({"words": [{"lemma": "a", "feature": ""}]}, 422, "invalid_request", "words.0.feature"),
        ({"words": [{"lemma": "a"}], "n_best": "2"}, 422, "invalid_request", "n_best"),
        ({"words": [{"lemma": "a"}], "n_best": float("nan")}, 422, "invalid_request", "n_best"),
        ({"words": [{"lemma": "a"}], "n_best": 6}, 422, "n_best_too_large", "5"),
        ({"words": [{"lemma": "a"}], "n_best": 0}, 422, "invalid_request", "n_best"),
        ({"words": [{"lemma": "a"}] * 51}, 422, "too_many_words", "50"),
        ({"words": [{"lemma": "a"}, LONG]}, 422, "word_too_long", "words[1]"),
        ({"words": [{"lemma": "a" * 150_000}]}, 422, "word_too_long", "30"),
        ({"words": [{"lemma": ""}]}, 422, "invalid_request", "lemma"),
        ({"words": [{"lemma": "a", "features": "N;" * 21}]}, 422, "features_too_long", "40"),
        ({"words": [{"lemma": "a", "features": "N;ERG"}]}, 422, "unknown_features", "case=ERG"),
        ('{"model":"latin","words":[{"lemma":"\\ud800"}]}', 422, "invalid_request", "lemma"),
        ({"words": [{"lemma": "a"}], "model": "klingon"}, 404, "unknown_model", "klingon"),
        ({"words": [{"lemma": "a" * 200_000}]}, 413, "body_too_large", "200000"),
    ],
)
def test_what_is_refused(
    client: TestClient, body: Any, status: int, code: str, message: str
) -> None:
    content = json.dumps({"model": "latin"} | body) if isinstance(body, dict) else body
    headers = {"content-type": "application/json"}
    answer = client.post("/v1/inflect", content=content, headers=headers)
    assert answer.status_code == status
    assert set(answer.json()) == {"error"}
    assert answer.json()["error"]["code"] == code
    assert message in answer.json()["error"]["message"]
    assert len(answer.content) < 1000


@pytest.mark.parametrize(
    ("path", "status", "message"),
    [
        ("/v1/paradigm?model=latin&lemma=haus&pos=X", 422, "use N, V"),
        ("/v1/paradigm?model=latin&lemma=haus&pos=N&feature=case%3DERG", 422, "DAT, NOM"),
        ("/v1/paradigm?model=latin&lemma=haus&feature=case", 422, "name=value"),
        ("/v1/paradigm?model=latin", 422, "lemma"),
        ("/v1/paradigm?model=latin&lemma=" + "a" * 31, 422, "30"),
        ("/v1/paradigm?model=old&lemma=haus", 422, "cells"),
        ("/v1/paradigm?model=klingon&lemma=haus", 404, "latin"),
        ("/v1/models/klingon", 404, "latin"),
        ("/page/../app.py", 404, "Not Found"),
        ("/page/app.py", 404, "Not Found"),
        ("/v1/inflect", 405, "Method Not Allowed"),
    ],
)
def test_what_else_is_refused(client: TestClient, path: str, status: int, message: str) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert message in answer.json()["error"]["message"]


def test_warnings_belong_to_their_request(
    client: TestClient, recwarn: pytest.WarningsRecorder
) -> None:
    """Each request gets the warning, not only the first; other requests and the process do not."""
    for _ in range(2):
        words = [("haus", "N;ERG"), ("haus", "N;DAT")]
        answer = inflect(client, *words, unknown_features="ignore").json()
        cut_off = ["the form was cut off at the limit of actions"]
        first, second = (prediction["warnings"] for prediction in answer["predictions"])
        assert first == ["the model has never seen case=ERG: it is ignored", *cut_off]
        assert second == cut_off  # random weights come to no end
        assert not any(prediction["complete"] for prediction in answer["predictions"])
    assert not [warning for warning in recwarn if warning.category is UnknownFeatureWarning]


def test_too_many_requests_at_a_time_are_sent_away() -> None:
    answer = TestClient(create_app(INFLECTORS, Limits(requests=0))).get("/health")
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "busy"
    assert answer.headers["retry-after"] == "1"


def test_the_page_may_load_nothing_from_elsewhere(client: TestClient) -> None:
    for path in ("/", "/page/app.js", "/page/style.css"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "http:" not in answer.text.replace("http://www.w3.org", "")
        assert "https:" not in answer.text


def test_metrics_count(client: TestClient) -> None:
    def counts() -> dict[str, float]:
        lines = client.get("/metrics").text.splitlines()
        pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
        return {name: float(value) for name, value in pairs}

    before = counts()
    inflect(client, ("haus", "V;PST"), ("gehen", "V;PST"))
    inflect(client, ("haus", "V;NOPE"))
    client.get("/made/up")
    after = counts()

    def more(name: str) -> float:
        return after[name] - before.get(name, 0)

    assert more('stepwrite_requests_total{route="/v1/inflect",status="200"}') == 1
    assert more('stepwrite_requests_total{route="/v1/inflect",status="422"}') == 1
    assert more('stepwrite_requests_total{route="other",status="404"}') == 1
    assert more('stepwrite_request_seconds_count{route="/v1/inflect"}') == 2
    assert more('stepwrite_request_seconds_bucket{route="/v1/inflect",le="+Inf"}') == 2
    assert more('stepwrite_words_total{model="latin"}') == 2
    assert more("stepwrite_batch_words_count") == 1
    assert after["stepwrite_waiting_words"] == 0
    assert after["stepwrite_requests_under_way"] == 1  # this one


schema = schemathesis.openapi.from_asgi("/openapi.json", APP)
CHECKS = [
    schemathesis.checks.not_a_server_error,
    schemathesis.checks.status_code_conformance,
    schemathesis.checks.content_type_conformance,
    schemathesis.checks.response_schema_conformance,
]


@schema.parametrize()
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
def test_whatever_comes_is_answered_as_described(case: schemathesis.Case) -> None:
    """Generated requests, valid or not: no 5xx, and every response conforms to the OpenAPI."""
    for part in (case.body, case.query):
        if isinstance(part, dict) and isinstance(part.get("model"), str):
            part["model"] = "latin"  # generated names would never get past this check
    answer = case.call()
    assert answer.status_code < 500
    if answer.status_code != 405:  # methods that are not described
        case.validate_response(answer, checks=CHECKS)


class SlowInflector:
    """Records its batches and waits until it is allowed to continue."""

    def __init__(self) -> None:
        self.batches: list[list[tuple[str, str]]] = []
        self.go = threading.Event()

    def batch(self, pairs: list[tuple[str, str]], **_: Any) -> list[Prediction]:
        self.batches.append(list(pairs))
        assert self.go.wait(10)
        if any(lemma == "bad" for lemma, _ in pairs):
            raise ZeroDivisionError
        return [Prediction(lemma, bundle, lemma, 0.0, 1, (), ()) for lemma, bundle in pairs]


def batcher(inflector: SlowInflector, waiting: int = 10_000, seconds: float = 10) -> Batcher:
    return Batcher({"m": inflector}, Metrics(), waiting=waiting, seconds=seconds)  # type: ignore[dict-item]


def test_what_waits_goes_together() -> None:
    inflector = SlowInflector()

    async def main() -> None:
        queue = batcher(inflector)
        alone = asyncio.create_task(queue.inflect(Kind("m"), [("first", "")]))
        while not inflector.batches:
            await asyncio.sleep(0.001)
        others = [asyncio.create_task(queue.inflect(Kind("m"), [(str(k), "")])) for k in range(9)]
        await asyncio.sleep(0.01)
        assert queue.waiting == 10
        inflector.go.set()
        assert [p.form for p in await alone] == ["first"]
        answers = await asyncio.gather(*others)
        assert [[p.form for p in found] for found in answers] == [[str(k)] for k in range(9)]
        assert queue.waiting == 0

    asyncio.run(main())
    assert [len(batch) for batch in inflector.batches] == [1, 9]


def test_a_long_request_holds_up_no_short_one() -> None:
    inflector = SlowInflector()
    order: list[str] = []

    async def asked(queue: Batcher, name: str, n_words: int) -> None:
        pairs = [(f"{name}{k}", "") for k in range(n_words)]
        assert [p.form for p in await queue.inflect(Kind("m"), pairs)] == [w for w, _ in pairs]
        order.append(name)

    async def main() -> None:
        queue = batcher(inflector)
        long = asyncio.create_task(asked(queue, "long", 3 * ROUND))
        while not inflector.batches:
            await asyncio.sleep(0.001)
        short = asyncio.create_task(asked(queue, "short", 2))
        await asyncio.sleep(0.01)
        inflector.go.set()
        await asyncio.gather(long, short)

    asyncio.run(main())
    assert order == ["short", "long"]
    assert all(len(batch) <= ROUND for batch in inflector.batches)


def test_too_much_and_too_slow_are_refused_and_forgotten() -> None:
    inflector = SlowInflector()

    async def main() -> None:
        queue = batcher(inflector, waiting=3, seconds=0.05)
        with pytest.raises(Refusal, match="too many words") as busy:
            await queue.inflect(Kind("m"), [("a", "")] * 4)
        assert busy.value.status == 503
        with pytest.raises(Refusal, match="not done within") as late:
            await queue.inflect(Kind("m"), [("a", "")])
        assert late.value.status == 504
        inflector.go.set()
        assert len(await queue.inflect(Kind("m"), [("b", "")])) == 1
        assert queue.waiting == 0

    asyncio.run(main())


def test_a_bug_meets_only_those_in_its_batch() -> None:
    inflector = SlowInflector()
    inflector.go.set()

    async def main() -> None:
        queue = batcher(inflector)
        with pytest.raises(ZeroDivisionError):
            await queue.inflect(Kind("m"), [("bad", "")])
        assert len(await queue.inflect(Kind("m"), [("good", "")])) == 1

    asyncio.run(main())


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    arguments = save(tmp_path_factory.mktemp("models"), latin=nonsense())
    with running(*arguments, "--max-seconds", "3") as service:
        yield service


def raw(service: Service, head: str, body: Iterator[bytes] | None = None) -> str:
    """The response to a request written by hand."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as connection:
        connection.sendall(head.replace("\n", "\r\n").encode())
        for piece in body or ():
            connection.sendall(piece)
        answer = connection.makefile(encoding="utf-8", newline="")
        lines = iter(answer.readline, "\r\n")
        head = "".join(lines).lower()
        return head + answer.read(int(head.split("content-length: ")[1].split("\r\n")[0]))


def test_a_hundred_megabytes_are_refused(service: Service) -> None:
    """With and without a Content-Length; neither fills the memory."""
    start = "POST /v1/inflect HTTP/1.1\nhost: localhost\ncontent-type: application/json\n"
    size = 100_000_000
    before = service.memory()
    piece = b" " * 1_000_000
    chunk = b"f4240\r\n" + piece + b"\r\n"
    declared = raw(service, f"{start}content-length: {size}\n\n", iter([piece] * 100))
    chunked = raw(service, f"{start}transfer-encoding: chunked\n\n", iter([chunk] * 100))
    for answer in (declared, chunked):
        assert answer.startswith("http/1.1 413")
        assert '"body_too_large"' in answer
    assert service.memory() - before < 20_000_000
    assert "200 ok" in raw(service, "GET /health HTTP/1.1\nhost: localhost\n\n")


def test_a_million_characters_are_refused(service: Service) -> None:
    body = json.dumps({"model": "latin", "words": [{"lemma": "a" * 1_000_000}]}).encode()
    head = f"content-type: application/json\ncontent-length: {len(body)}\n\n"
    start = "POST /v1/inflect HTTP/1.1\nhost: localhost\n"
    answer = raw(service, start + head, iter([body]))
    assert answer.startswith("http/1.1 422")
    assert '"word_too_long"' in answer


def test_a_body_that_never_ends_is_given_up(service: Service) -> None:
    answer = raw(service, "POST /v1/inflect HTTP/1.1\nhost: localhost\ncontent-length: 9\n\n")
    assert answer.startswith("http/1.1 408")


async def ask_again_and_again(port: int, counts: Counter[str], started: asyncio.Event) -> None:
    """Requests on one connection until the service announces that it closes it."""
    body = json.dumps({"model": "latin", "words": [{"lemma": "haus", "features": "V;PST"}]})
    head = "POST /v1/inflect HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    request = f"{head}content-length: {len(body)}\r\n\r\n{body}".encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while True:
        writer.write(request)
        try:
            answer = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(answer.split(b"content-length: ")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            counts["lost"] += 1
            return
        counts["answered" if answer.startswith(b"http/1.1 200") else "failed"] += 1
        started.set()
        if b"connection: close" in answer:
            writer.close()
            return


def test_terminated_in_the_middle_it_answers_all(tmp_path: Path) -> None:
    counts = Counter[str]()

    async def main(service: Service) -> None:
        started = asyncio.Event()
        clients = [
            asyncio.create_task(ask_again_and_again(service.port, counts, started))
            for _ in range(16)
        ]
        await started.wait()
        await asyncio.sleep(0.5)
        os.kill(service.process.pid, signal.SIGTERM)
        await asyncio.wait_for(asyncio.gather(*clients), 30)

    with running(*save(tmp_path, latin=nonsense())) as service:
        asyncio.run(main(service))
        assert service.process.wait(timeout=30) == 0
    assert counts["answered"] > 16
    assert counts["failed"] == counts["lost"] == 0


def test_mistakes_of_the_command(stepwrite: Callable[..., Any], tmp_path: Path) -> None:
    (model,) = save(tmp_path, latin=nonsense())
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ran = stepwrite("serve", model, "--port", port)
    assert ran.code == 1
    assert ran.err.splitlines()[-1].endswith(f"port {port}: Address already in use")
    assert "two models" in stepwrite("serve", model, model).err
    assert "no such model" in stepwrite("serve", "klingon").err
    assert stepwrite("serve", model, "--port", "70000").code == 2
