"""Metrics of the service, in the text format of Prometheus.

All samples are numbers in shared memory, one row per worker process: each worker writes its own,
and whichever of them is asked adds all of them up.
"""

from __future__ import annotations

import mmap
from bisect import bisect_left
from collections.abc import Iterator, Sequence

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
WORDS = (1, 2, 4, 8, 16, 32, 64, 128)
STATUSES = (200, 400, 404, 405, 408, 413, 415, 421, 422, 499, 500, 503, 504)
GONE = 499  # nginx's number for requests whose client did not wait for the response


class Metrics:
    """All counters of one service.

    >>> metrics = Metrics(routes=["/health"], models=["german"], workers=2)
    >>> for worker in range(2):
    ...     metrics.work_as(worker)
    ...     metrics.begun()
    ...     metrics.answered("/health", 200, seconds=0.002)
    >>> print(metrics.text().splitlines()[2])
    stepwrite_requests_total{route="/health",status="200"} 2
    """

    def __init__(self, routes: Sequence[str], models: Sequence[str], workers: int = 1) -> None:
        self._workers = workers
        self._size = 0
        self._requests = {(route, status): self._room(1) for route in routes for status in STATUSES}
        self._seconds = {route: self._room(len(SECONDS) + 2) for route in routes}
        self._words = {model: self._room(1) for model in models}
        self._batches = self._room(len(WORDS) + 2)
        self._under_way, self._waiting = self._room(1), self._room(1)
        self._numbers = memoryview(mmap.mmap(-1, 8 * self._size * workers)).cast("d")
        self._own = 0

    def _room(self, n_numbers: int) -> int:
        """The place of the first of so many numbers in each row."""
        self._size += n_numbers
        return self._size - n_numbers

    def work_as(self, worker: int) -> None:
        """Write to the row of this worker, who begins (again) with nothing under way."""
        self._own = worker * self._size
        self._numbers[self._own + self._under_way] = 0
        self._numbers[self._own + self._waiting] = 0

    @property
    def under_way(self) -> int:
        """How many requests this worker has not answered yet."""
        return int(self._numbers[self._own + self._under_way])

    def begun(self) -> None:
        self._numbers[self._own + self._under_way] += 1

    def answered(self, route: str, status: int, seconds: float) -> None:
        self._numbers[self._own + self._under_way] -= 1
        self._numbers[self._own + self._requests[route, status]] += 1
        self._add(self._seconds[route], SECONDS, seconds)

    def inflected(self, model: str, n_words: int) -> None:
        self._numbers[self._own + self._words[model]] += n_words

    def batched(self, n_words: int) -> None:
        """The network has inflected so many words together."""
        self._add(self._batches, WORDS, n_words)

    def queued(self, n_words: int) -> None:
        """So many words are in the queue now."""
        self._numbers[self._own + self._waiting] = n_words

    def _add(self, histogram: int, bounds: Sequence[float], value: float) -> None:
        start = self._own + histogram
        self._numbers[start + bisect_left(bounds, value)] += 1
        self._numbers[start + len(bounds) + 1] += value

    def text(self) -> str:
        """The response to `GET /metrics`."""
        return "\n".join(self._lines()) + "\n"

    def _sum(self, place: int) -> float:
        return sum(self._numbers[place :: self._size])

    def _lines(self) -> Iterator[str]:
        yield from _about("requests_total", "counter", "Requests answered, by route and status.")
        for (route, status), place in self._requests.items():
            if count := self._sum(place):
                labels = _labels(route=route, status=str(status))
                yield f"stepwrite_requests_total{labels} {count:.0f}"
        yield from _about("request_seconds", "histogram", "Time to answer a request.")
        for route, place in self._seconds.items():
            yield from self._histogram("request_seconds", place, SECONDS, route=route)
        yield from _about("words_total", "counter", "Words inflected, by model.")
        for model, place in self._words.items():
            yield f"stepwrite_words_total{_labels(model=model)} {self._sum(place):.0f}"
        yield from _about("batch_words", "histogram", "Words per batch of the network.")
        yield from self._histogram("batch_words", self._batches, WORDS)
        yield from _about("waiting_words", "gauge", "Words in the queue.")
        yield f"stepwrite_waiting_words {self._sum(self._waiting):.0f}"
        yield from _about("requests_under_way", "gauge", "Requests not yet answered.")
        yield f"stepwrite_requests_under_way {self._sum(self._under_way):.0f}"

    def _histogram(
        self, name: str, place: int, bounds: Sequence[float], **labels: str
    ) -> Iterator[str]:
        """The lines of a histogram, whose buckets are cumulative in this format."""
        up_to = 0.0
        for bucket, bound in enumerate((*bounds, "+Inf")):
            up_to += self._sum(place + bucket)
            yield f"stepwrite_{name}_bucket{_labels(**labels, le=str(bound))} {up_to:.0f}"
        yield f"stepwrite_{name}_sum{_labels(**labels)} {self._sum(place + len(bounds) + 1):g}"
        yield f"stepwrite_{name}_count{_labels(**labels)} {up_to:.0f}"


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
