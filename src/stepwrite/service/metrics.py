"""Metrics of the service, in the text format of Prometheus."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from starlette.types import ASGIApp, Message, Receive, Scope, Send

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
WORDS = (1, 2, 4, 8, 16, 32, 64, 128)


@dataclass
class Histogram:
    """A cumulative histogram.

    >>> batches = Histogram((1, 8))
    >>> for size in (1, 3, 100):
    ...     batches.add(size)
    >>> print(*batches.lines("batch_words"), sep="\\n")
    batch_words_bucket{le="1"} 1
    batch_words_bucket{le="8"} 2
    batch_words_bucket{le="+Inf"} 3
    batch_words_sum 104
    batch_words_count 3
    """

    bounds: Sequence[float]
    total: float = 0
    counts: Counter[int] = field(default_factory=Counter)

    def add(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def lines(self, name: str, **labels: str) -> Iterator[str]:
        up_to = 0
        for place, bound in enumerate((*self.bounds, "+Inf")):
            up_to += self.counts[place]
            yield f"{name}_bucket{_labels(**labels, le=str(bound))} {up_to}"
        yield f"{name}_sum{_labels(**labels)} {self.total:g}"
        yield f"{name}_count{_labels(**labels)} {up_to}"


class Metrics:
    """All counters of one application."""

    def __init__(self) -> None:
        self.requests = Counter[tuple[str, int]]()
        self.seconds: dict[str, Histogram] = {}
        self.words = Counter[str]()
        self.batches = Histogram(WORDS)
        self.under_way = 0

    def answered(self, route: str, status: int, seconds: float) -> None:
        self.requests[route, status] += 1
        self.seconds.setdefault(route, Histogram(SECONDS)).add(seconds)

    def inflected(self, model: str, n_words: int) -> None:
        self.words[model] += n_words
        self.batches.add(n_words)

    def text(self, waiting: int) -> str:
        """The response to `GET /metrics`; waiting: words in the queue."""
        return "\n".join(self._lines(waiting)) + "\n"

    def _lines(self, waiting: int) -> Iterator[str]:
        yield from _about("requests_total", "counter", "Requests answered, by route and status.")
        for (route, status), count in sorted(self.requests.items()):
            yield f"stepwrite_requests_total{_labels(route=route, status=str(status))} {count}"
        yield from _about("request_seconds", "histogram", "Time to answer a request.")
        for route, seconds in sorted(self.seconds.items()):
            yield from seconds.lines("stepwrite_request_seconds", route=route)
        yield from _about("words_total", "counter", "Words inflected, by model.")
        for model, count in sorted(self.words.items()):
            yield f"stepwrite_words_total{_labels(model=model)} {count}"
        yield from _about("batch_words", "histogram", "Words per batch of the network.")
        yield from self.batches.lines("stepwrite_batch_words")
        yield from _about("waiting_words", "gauge", "Words in the queue.")
        yield f"stepwrite_waiting_words {waiting}"
        yield from _about("requests_under_way", "gauge", "Requests not yet answered.")
        yield f"stepwrite_requests_under_way {self.under_way}"


class Measured:
    """Counts each request when its response is complete, including rejected ones."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start = time.perf_counter()
        status = 500  # unless a response is sent

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self.metrics.under_way += 1
        try:
            await self.app(scope, receive, sent)
        finally:
            self.metrics.under_way -= 1
            # Not the path: clients could make up as many as they like.
            route = getattr(scope.get("route"), "path", "other")
            self.metrics.answered(route, status, time.perf_counter() - start)


def _about(name: str, kind: str, text: str) -> Iterator[str]:
    yield f"# HELP stepwrite_{name} {text}"
    yield f"# TYPE stepwrite_{name} {kind}"


def _labels(**labels: str) -> str:
    """Names and values, with the escapes required by the format.

    >>> _labels(model='a "b"'), _labels()
    ('{model="a \\\\"b\\\\""}', '')
    """

    def escaped(value: str) -> str:
        return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

    pairs = ",".join(f'{name}="{escaped(value)}"' for name, value in labels.items())
    return f"{{{pairs}}}" if pairs else ""
