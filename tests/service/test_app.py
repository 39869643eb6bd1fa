"""The application: responses and rejections."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from math import exp, nan
from typing import Any

import pytest

pytest.importorskip("msgspec")

import schemathesis
from hypothesis import HealthCheck, settings
from starlette.testclient import TestClient
from tests.serving import BUNDLES, nonsense

from stepwrite import Inflector, Prediction, UnknownFeatureWarning
from stepwrite.errors import StepwriteError
from stepwrite.morphology.lexicon import Lexicon
from stepwrite.service import checks
from stepwrite.service.app import App
from stepwrite.service.at_once import SMALL_BODY
from stepwrite.service.limits import Limits
from stepwrite.transducer.actions import Copy, End, Step, Write, execute

LIMITS = Limits(body=200_000, words=50, explained=8, symbols=30, features=40, n_best=5)
INFLECTORS = {
    "latin": Inflector(nonsense()),
    "soft": Inflector(nonsense(kind="soft")),
    "old": Inflector(nonsense(cells=False)),
}
APP = App(INFLECTORS, LIMITS, hosts=["testserver"])  # as Schemathesis calls it


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with client_of(APP) as client:
        yield client


def client_of(app: App) -> TestClient:
    return TestClient(app, base_url="http://localhost")


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


def test_features_in_any_notation_mean_the_same_cell(client: TestClient) -> None:
    for features in ("dative plural", "case=DAT,number=PL", "NOUN|Case=Dat|Number=Plur", "PL;DAT"):
        expected = INFLECTORS["latin"]("haus", features)
        (found,) = inflect(client, ("haus", features)).json()["predictions"]
        assert found["features"] == expected.features == "N;MASC;DAT;PL"
        assert found["form"] == expected.form
        assert found["notes"] == list(expected.notes)
        assert "gender=MASC (guessed)" in found["notes"]
        assert found["doubts"] == list(expected.doubts)


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


def test_other_paradigms_of_a_lemma_come_too() -> None:
    rows = [("see", "N;MASC;NOM;SG", "see"), ("see", "N;FEM;NOM;SG", "see")]
    model = nonsense()
    rows += [("see", bundle, "see") for bundle in BUNDLES if bundle.startswith("V")]
    inflector = Inflector(replace(model, lexicon=Lexicon.fit(rows)))
    query = {"model": "latin", "lemma": "see"}
    answer = client_of(App({"latin": inflector})).get("/v1/paradigm", params=query).json()
    expected = inflector.paradigm("see")
    assert expected.also
    plain = json.loads(json.dumps(expected.to_json()))
    shown = [answer, *answer["also"]]
    for reading, own in zip(shown, [plain, *plain["also"]], strict=True):
        assert {**own, "also": ...}.items() <= {**reading, "also": ...}.items()
        assert reading["grids"]
    assert [reading["reading"] for reading in shown] == [
        "noun, masculine",
        "noun, feminine",
        "verb",
    ]


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
        ("", 400, "invalid_json", "not JSON"),
        (b"\xff\xfe", 400, "invalid_json", "JSON"),
        (b'{"model":"\xff"}', 400, "invalid_json", "JSON"),
        ('{"model":"latin","words":[{"lemma":"\\ud800"}]}', 400, "invalid_json", "JSON"),
        ({"words": [{"lemma": "a"}], "n_best": nan}, 400, "invalid_json", "JSON"),
        ("[" * 100_000, 422, "invalid_request", "Expected `object`, got `array`"),
        ('{"model":' * 20_000, 422, "invalid_request", "model: Expected `str`, got `object`"),
        ("9" * 5000, 422, "invalid_request", "out of range"),
        ("[]", 422, "invalid_request", "Expected `object`, got `array`"),
        ('{"words": [{"lemma": "a"}]}', 422, "invalid_request", "required field `model`"),
        ({"words": "a"}, 422, "invalid_request", "words: Expected `array`, got `str`"),
        ({"words": []}, 422, "invalid_request", "words: Expected `array` of length >= 1"),
        ({"words": [{"lemma": 1}]}, 422, "invalid_request", "words[0].lemma: Expected `str`"),
        ({"words": [{}] * 20_000}, 422, "invalid_request", "words[0]: Object missing"),
        ({"words": [{"lemma": "a", "feature": ""}]}, 422, "invalid_request", "`feature`"),
        ({"words": [{"lemma": "a"}], "k" * 5000: ""}, 422, "invalid_request", "unknown field"),
        ({"words": [{"lemma": "a"}], "n_best": "2"}, 422, "invalid_request", "n_best: "),
        ({"words": [{"lemma": "a"}], "n_best": 10**400}, 422, "n_best_too_large", "5"),
        ({"words": [{"lemma": "a"}], "n_best": 6}, 422, "n_best_too_large", "5"),
        ({"words": [{"lemma": "a"}], "n_best": 0}, 422, "invalid_request", "n_best"),
        ({"words": [{"lemma": "a"}] * 51}, 422, "too_many_words", "50"),
        ({"words": [{"lemma": "a"}] * 9, "explain": True}, 422, "too_many_words", "8 words with"),
        ({"words": [{"lemma": "a"}, LONG]}, 422, "word_too_long", "words[1]"),
        ({"words": [{"lemma": "a" * 150_000}]}, 422, "word_too_long", "30"),
        ({"words": [{"lemma": ""}]}, 422, "invalid_request", "lemma"),
        ({"words": [{"lemma": "a", "features": "N;" * 21}]}, 422, "features_too_long", "40"),
        ({"words": [{"lemma": "a", "features": "N;ERG"}]}, 422, "unknown_features", "ERG"),
        ({"words": [{"lemma": "дом"}]}, 422, "unknown_script", "Cyrillic"),
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
        ("/v1/paradigm?model=latin&lemma=haus" + "&feature=a" * 100, 422, "100 fields"),
        ("/page/../app.py", 404, "Not Found"),
        ("/page/app.py", 404, "Not Found"),
        ("/v1/inflect", 405, "Method Not Allowed"),
    ],
)
def test_what_else_is_refused(client: TestClient, path: str, status: int, message: str) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert message in answer.json()["error"]["message"]


def test_a_body_must_be_declared_as_json(client: TestClient) -> None:
    body = json.dumps({"model": "latin", "words": [{"lemma": "haus", "features": "V;PST"}]})
    for declared, status in (
        ("application/json", 200),
        ("Application/JSON; charset=utf-8", 200),
        ("text/plain", 415),  # what a form on any page could send
        ("", 415),
    ):
        headers = {"content-type": declared}
        assert client.post("/v1/inflect", content=body, headers=headers).status_code == status


def test_only_known_hosts_are_answered() -> None:
    """A page whose name resolves to this machine must not read what the service says."""
    client = client_of(App(INFLECTORS, LIMITS, hosts=["inflect.example.org"]))
    for host, status in (
        ("localhost", 200),
        ("127.0.0.1:8000", 200),
        ("[::1]:8000", 200),
        ("Inflect.Example.org:443", 200),
        ("evil.example.org", 421),
        ("localhost.evil.org", 421),
        ("", 421),
    ):
        answer = client.get("/health", headers={"host": host})
        assert answer.status_code == status, host
        if status == 421:
            assert answer.json()["error"]["code"] == "unknown_host"
    assert (
        client_of(App(INFLECTORS, hosts=["*"]))
        .get("/health", headers={"host": "evil.example.org"})
        .is_success
    )


class Broken(Inflector):
    """A model whose weights are NaN."""

    def batch(self, *words: Any, **options: Any) -> list[Prediction]:
        return [replace(found, score=nan) for found in super().batch(*words, **options)]


def test_no_nan_leaves_as_json(caplog: pytest.LogCaptureFixture) -> None:
    client = client_of(App({"latin": Broken(nonsense())}))
    for answer in (
        inflect(client, ("haus", "V;PST")),
        inflect(client, ("haus", "V;PST"), explain=True),
        client.get("/v1/paradigm?model=latin&lemma=haus"),
    ):
        assert answer.status_code == 500
        assert answer.json()["error"]["code"] == "internal_error"
    assert "no finite score" in caplog.text


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
    answer = client_of(App(INFLECTORS, Limits(requests=0))).get("/health")
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "busy"
    assert answer.headers["retry-after"] == "1"


def test_too_many_bytes_at_a_time_are_sent_away() -> None:
    client = client_of(App(INFLECTORS, Limits(bodies=5000)))
    assert inflect(client, *[("haus", "V;PST")] * 10).status_code == 200
    answer = inflect(client, *[("haus", "V;PST")] * 200)
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "busy"
    assert inflect(client, *[("haus", "V;PST")] * 10).status_code == 200  # nothing is left behind


def test_large_requests_of_clients_that_have_gone_are_not_parsed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They wait for a thread, behind others; nobody should wait for them."""
    begun, go = [], threading.Event()

    def parse(body: bytes, *_: object) -> None:
        begun.append(body)
        go.wait(10)
        raise StepwriteError("enough")

    monkeypatch.setattr(checks, "inflect_request", parse)
    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/v1/inflect", "headers": headers}

    async def main() -> None:
        app, left = App(INFLECTORS, LIMITS), asyncio.Event()

        async def ask(first: bytes) -> None:
            messages = [{"type": "http.request", "body": first * (2 * SMALL_BODY)}]

            async def receive() -> dict[str, Any]:
                if not messages:
                    await left.wait()
                return messages.pop() if messages else {"type": "http.disconnect"}

            async def send(message: Any) -> None:
                raise AssertionError("nobody is there")

            await app(scope, receive, send)

        asked = asyncio.gather(ask(b"a"), ask(b"b"))
        while not begun:
            await asyncio.sleep(0.001)
        left.set()
        await asyncio.wait_for(asked, 5)
        go.set()
        assert await app._off_the_loop(lambda: len(begun)) == 1

    asyncio.run(main())


def test_the_page_may_load_nothing_from_elsewhere(client: TestClient) -> None:
    for path in ("/", "/page/app.js", "/page/style.css"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        loaded = re.sub(r'<meta property="og:.*?>', "", answer.text)  # for other sites
        assert "http:" not in loaded.replace("http://www.w3.org", "")
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
