"""Requests that are answered as soon as they arrive, without a task of their own.

Health checks, words that the lexicon knows, and whatever was answered a moment ago: a model's
answer never changes. Whoever is unlike the usual client gets the usual way, which also says what is
wrong with a request.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence

from stepwrite.inflector import Inflector
from stepwrite.service import checks
from stepwrite.service.answers import inflect_answer
from stepwrite.service.batching import Batcher
from stepwrite.service.hosts import Hosts
from stepwrite.service.limits import Limits
from stepwrite.service.metrics import Metrics
from stepwrite.service.schema import InflectRequest

HEALTH, INFLECT = "/health", "/v1/inflect"
ROUTES = {(b"GET", b"/health"): HEALTH, (b"POST", b"/v1/inflect"): INFLECT}
HEALTHY = b'{"status":"ok"}'
SMALL_BODY = 4096  # bytes that are parsed at once, in the event loop
REMEMBERED = 4096  # responses
LARGEST = 4096  # bytes of a remembered request and its response: at most 16 MB in all


class Recent:
    """The latest responses, by the body of their request, with the model that was asked.

    The one that was not asked for longest gives way.

    >>> recent = Recent(most=2)
    >>> for body in (b"a", b"b", b"a", b"c"):
    ...     if recent.get(body) is None:
    ...         recent.put(body, "german", body.upper())
    >>> [recent.get(body) for body in (b"a", b"b", b"c")]
    [('german', b'A'), None, ('german', b'C')]
    """

    def __init__(self, most: int = REMEMBERED) -> None:
        self._most = most
        self._found: OrderedDict[bytes, tuple[str, bytes]] = OrderedDict()

    def get(self, body: bytes) -> tuple[str, bytes] | None:
        found = self._found.get(body)
        if found is not None:
            self._found.move_to_end(body)
        return found

    def put(self, body: bytes, model: str, answer: bytes) -> None:
        if len(body) + len(answer) <= LARGEST:
            self._found[body] = model, answer
            if len(self._found) > self._most:
                self._found.popitem(last=False)


class AtOnce:
    """Answers what is easy; the connections ask it first."""

    urls = frozenset(url for _, url in ROUTES)

    def __init__(
        self,
        inflectors: Mapping[str, Inflector],
        limits: Limits,
        hosts: Hosts,
        batcher: Batcher,
        metrics: Metrics,
    ) -> None:
        self._inflectors, self._limits, self._hosts = inflectors, limits, hosts
        self._batcher, self._metrics = batcher, metrics
        self._recent = Recent()

    def __call__(
        self, method: bytes, url: bytes, headers: Sequence[tuple[bytes, bytes]], body: bytes
    ) -> bytes | None:
        """The response (in JSON, with status 200) to a valid and easy request; else None."""
        route = ROUTES.get((method, url))
        if route is None or self._metrics.under_way >= self._limits.requests:
            return None
        start = time.perf_counter()
        given = dict(headers)
        if len(given) < len(headers) or given.get(b"host", b"") not in self._hosts:
            return None
        if route is HEALTH:
            found = None if self._batcher.stuck else HEALTHY
        elif given.get(b"content-type") == b"application/json" and len(body) <= SMALL_BODY:
            found = self._inflected(body)
        else:
            return None
        if found is not None:
            self._metrics.begun()
            self._metrics.answered(route, 200, time.perf_counter() - start)
        return found

    def _inflected(self, body: bytes) -> bytes | None:
        if (answer := self.remembered(body)) is not None:
            return answer
        try:
            return self.known(body, checks.inflect_request(body, self._inflectors, self._limits))
        except Exception:  # whatever it is, it happens on the usual way again
            return None

    def remembered(self, body: bytes) -> bytes | None:
        """The response to a request that was made a moment ago."""
        if (found := self._recent.get(body)) is None:
            return None
        model, answer = found
        self._metrics.inflected(model, 1)
        return answer

    def known(self, body: bytes, asked: checks.Asked) -> bytes | None:
        """The response to a request for one word, if the lexicon knows it."""
        request, resolutions = asked
        if not is_short(request):
            return None
        inflector = self._inflectors[request.model]
        found = inflector.looked_up(request.words[0].lemma, resolutions[0])
        if found is None:
            return None
        self._metrics.inflected(request.model, 1)
        return self.remember(body, asked, inflect_answer(inflector, asked, [found]))

    def remember(self, body: bytes, asked: checks.Asked, answer: bytes) -> bytes:
        """Keep the response to a request for one word."""
        if is_short(asked.request):
            self._recent.put(body, asked.request.model, answer)
        return answer


def is_short(request: InflectRequest) -> bool:
    """Whether it asks for one form of one word."""
    return len(request.words) == 1 and request.n_best == 1 and not request.explain
