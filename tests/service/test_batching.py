"""Dynamic batching: together, in turns, within limits, and whatever fails."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("msgspec")

from starlette.testclient import TestClient
from tests.serving import nonsense

from stepwrite import Inflector, Prediction
from stepwrite.service.app import App
from stepwrite.service.batching import QUICK, ROUND, Batcher, Kind
from stepwrite.service.limits import Limits, Refusal
from stepwrite.service.metrics import Metrics


class SlowInflector:
    """Records its batches and waits until it is allowed to continue."""

    model = SimpleNamespace(members=[None] * (QUICK + 1))  # so many that none of its words is quick

    def __init__(self) -> None:
        self.batches: list[list[tuple[str, str]]] = []
        self.go = threading.Event()

    def known(self, pairs: list[tuple[str, str]]) -> None:
        """No word is in a lexicon."""

    def batch(self, pairs: list[tuple[str, str]], **_: Any) -> list[Prediction]:
        self.batches.append(list(pairs))
        assert self.go.wait(10)
        lemmas = [lemma for lemma, _ in pairs]
        if "short" in lemmas:
            return []
        for error in (ZeroDivisionError, StopIteration, SystemExit, MemoryError):
            if error.__name__ in lemmas:
                raise error
        return [Prediction(lemma, bundle, lemma, 0.0, 1, (), ()) for lemma, bundle in pairs]


def batcher(inflector: SlowInflector, waiting: int = 10_000, seconds: float = 10) -> Batcher:
    metrics = Metrics([], ["m"])
    return Batcher({"m": inflector}, metrics, waiting=waiting, seconds=seconds)  # type: ignore[dict-item]


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


@pytest.mark.parametrize(
    "failure", ["ZeroDivisionError", "StopIteration", "SystemExit", "MemoryError", "short"]
)
def test_a_bug_meets_only_those_in_its_batch(failure: str) -> None:
    """Whatever a batch raises, or if it returns too little, the next ones are inflected."""
    inflector = SlowInflector()
    inflector.go.set()

    async def main() -> None:
        queue = batcher(inflector)
        for _ in range(2):
            with pytest.raises(RuntimeError, match="a batch failed") as failed:
                await queue.inflect(Kind("m"), [("first", ""), (failure, "")])
            assert type(failed.value.__cause__).__name__ == failure.replace("short", "ValueError")
            assert queue.waiting == 0
            assert len(await queue.inflect(Kind("m"), [("good", "")])) == 1

    asyncio.run(main())


def test_a_short_word_alone_needs_no_thread() -> None:
    """But neither do words that come together, nor a long one, nor one with alternatives."""
    threads: list[bool] = []

    class Watched(Inflector):
        def batch(self, *words: Any, **options: Any) -> list[Prediction]:
            threads.append(threading.current_thread() is not threading.main_thread())
            return super().batch(*words, **options)

    async def main() -> None:
        metrics = Metrics([], ["m"])
        queue = Batcher({"m": Watched(nonsense())}, metrics, waiting=99, seconds=9)
        await queue.inflect(Kind("m"), [("haus", "")])
        await asyncio.gather(*[queue.inflect(Kind("m"), [("haus", "")]) for _ in range(2)])
        await queue.inflect(Kind("m"), [("h" * QUICK, "")])
        await queue.inflect(Kind("m", n_best=2), [("haus", "")])

    asyncio.run(main())
    assert threads == [False, True, True, True]


def test_the_words_of_a_client_that_has_gone_are_dropped() -> None:
    inflector = SlowInflector()

    async def main() -> None:
        app = App({"latin": Inflector(nonsense())})
        app._batcher._inflectors = {"latin": inflector}  # type: ignore[dict-item]
        words = [{"lemma": "haus", "features": "V;PST"}] * 3 * ROUND
        body = json.dumps({"model": "latin", "words": words}).encode()
        gone = asyncio.Event()
        messages = [{"type": "http.request", "body": body}]

        async def receive() -> dict[str, Any]:
            if messages:
                return messages.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            raise AssertionError("nobody is there")

        headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        scope = {"type": "http", "method": "POST", "path": "/v1/inflect", "headers": headers}
        asked = asyncio.create_task(app(scope, receive, send))
        while not inflector.batches:
            await asyncio.sleep(0.001)
        gone.set()
        await asyncio.wait_for(asked, 5)
        inflector.go.set()
        while app._batcher.waiting:
            await asyncio.sleep(0.001)

    asyncio.run(main())
    assert len(inflector.batches) == 1


def test_health_tells_of_a_batch_that_never_ends() -> None:
    hanging = SlowInflector()
    app = App({"latin": Inflector(nonsense())}, Limits(seconds=0.05))
    with TestClient(app, base_url="http://localhost") as client:
        app._batcher._inflectors = {"latin": hanging}  # type: ignore[dict-item]
        body = {"model": "latin", "words": [{"lemma": "haus", "features": "V;PST"}]}
        assert client.get("/health").json() == {"status": "ok"}
        assert client.post("/v1/inflect", json=body).status_code == 504
        deadline = time.monotonic() + 10
        while (answer := client.get("/health")).status_code == 200:
            assert time.monotonic() < deadline
        assert (answer.status_code, answer.json()) == (503, {"status": "stuck"})
        hanging.go.set()
        while client.get("/health").status_code == 503:
            assert time.monotonic() < deadline
