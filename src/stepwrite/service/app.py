"""The application: routes, limits and error responses, as plain ASGI.

It is stateless except for its counters. Whatever could take long happens outside the event loop:
inference in the batcher's thread, large requests and responses in another one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar

import msgspec

from stepwrite.errors import StepwriteError, shown
from stepwrite.inflector import Inflector
from stepwrite.service import checks
from stepwrite.service.answers import inflect_answer, model_summary, paradigm_answer, tag_names
from stepwrite.service.at_once import HEALTHY, SMALL_BODY, AtOnce
from stepwrite.service.batching import Batcher, Kind
from stepwrite.service.hosts import Hosts
from stepwrite.service.limits import Limits, Refusal
from stepwrite.service.log import LOGGER
from stepwrite.service.metrics import GONE, Metrics
from stepwrite.service.previews import Previews
from stepwrite.service.routes import OTHER, ROUTES, openapi
from stepwrite.service.schema import SearchAnswer
from stepwrite.service.search import find, forms_of

Message = MutableMapping[str, Any]
Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
P = ParamSpec("P")
T = TypeVar("T")

SMALL_ANSWER = 16  # forms that are rendered there
MEDIA_TYPES = {
    ".html": b"text/html; charset=utf-8",
    ".css": b"text/css; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".svg": b"image/svg+xml",
    ".png": b"image/png",
}
PAGE_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        b"connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    (b"cache-control", b"no-cache"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)
JSON, PNG = b"application/json", b"image/png"
HEAD = b"<!-- card -->"  # where the tags of the preview card go
PICTURE_HEADERS = (
    (b"cache-control", b"public, max-age=86400"),
    (b"x-content-type-options", b"nosniff"),
)
CROWDED = "too many large requests: try again in a moment"
METRICS_TEXT = b"text/plain; version=0.0.4; charset=utf-8"


class Answer(NamedTuple):
    """A response."""

    body: bytes
    status: int = 200
    media_type: bytes = JSON
    headers: tuple[tuple[bytes, bytes], ...] = ()


class Gone(Exception):
    """The client has closed the connection."""


class App:
    """The application that serves these models by name.

    hosts: names under which it may be addressed, besides `localhost` and IP addresses.
    """

    def __init__(
        self,
        inflectors: dict[str, Inflector],
        limits: Limits = Limits(),
        *,
        hosts: Collection[str] = (),
        workers: int = 1,
    ) -> None:
        paths = [route.path for route in ROUTES]
        self.metrics = Metrics([*paths, OTHER], list(inflectors), workers)
        self._inflectors, self._limits, self._hosts = inflectors, limits, Hosts(hosts)
        self._batcher = Batcher(
            inflectors, self.metrics, waiting=limits.waiting, seconds=limits.seconds
        )
        self.at_once = AtOnce(inflectors, limits, self._hosts, self._batcher, self.metrics)
        self._previews = Previews(inflectors, limits, self._batcher, self._off_the_loop)
        self._aside: ThreadPoolExecutor | None = None
        self._unparsed = 0  # bytes of bodies
        self._fixed = _fixed_answers(inflectors)
        self._healthy = Answer(HEALTHY)
        self._handlers: dict[str, Callable[[Scope, Receive], Awaitable[Answer]]] = {
            "/v1/inflect": self._inflect,
            "/v1/paradigm": self._paradigm,
            "/v1/search": self._search,
            "/": self._page,
            "/card.png": self._picture,
            "/health": self._health,
            "/metrics": self._measured,
        }
        self._methods = {route.path: route.method for route in ROUTES}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        start = time.perf_counter()
        self.metrics.begun()
        path = scope["path"]
        status = GONE
        try:
            try:
                answer = await self._answer(path, scope, receive)
            except Refusal as refusal:
                answer = refused(refusal)
            except StepwriteError as error:
                answer = refused(Refusal(422, "invalid_request", shown(str(error), 500)[1:-1]))
            except Gone:
                return
            except Exception as error:
                LOGGER.error("%s %.100s failed", scope["method"], path, exc_info=error)
                answer = refused(Refusal(500, "internal_error", "an internal error; it is logged"))
            status = answer.status
            headers = [
                (b"content-type", answer.media_type),
                (b"content-length", b"%d" % len(answer.body)),
                *answer.headers,
            ]
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": answer.body})
        finally:
            route = path if path in self._methods else _route_below(path)
            self.metrics.answered(route, status, time.perf_counter() - start)

    async def _answer(self, path: str, scope: Scope, receive: Receive) -> Answer:
        self._check_host(scope)
        if self.metrics.under_way > self._limits.requests:
            raise Refusal(503, "busy", f"more than {self._limits.requests} concurrent requests")
        fixed, handler = self._fixed.get(path), self._handlers.get(path)
        if fixed is None and handler is None:
            if path.startswith("/v1/models/"):
                checks.known(path.removeprefix("/v1/models/"), self._inflectors)
            raise Refusal(404, "not_found", "Not Found")
        method = self._methods.get(path, "GET")
        if scope["method"] != method:
            refusal = Refusal(405, "method_not_allowed", f"Method Not Allowed: use {method}")
            return refused(refusal)._replace(headers=((b"allow", method.encode()),))
        return await handler(scope, receive) if handler else fixed  # type: ignore[return-value]

    def _check_host(self, scope: Scope) -> None:
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1:
            if hosts or scope["http_version"] != "1.0":
                raise Refusal(400, "invalid_request", "a request needs one Host header")
        elif hosts[0] not in self._hosts:
            name = shown(hosts[0].decode("latin-1"))
            message = f"unknown host {name}: start the service with --allow-host to allow it"
            raise Refusal(421, "unknown_host", message)

    async def _inflect(self, scope: Scope, receive: Receive) -> Answer:
        headers = dict(scope["headers"])
        if headers.get(b"content-type", b"").partition(b";")[0].strip().lower() != JSON:
            message = "send JSON, with the header content-type: application/json"
            raise Refusal(415, "unsupported_media_type", message)
        body = await self._body(headers, receive)
        if (answer := self.at_once.remembered(body)) is not None:
            return Answer(answer)
        if len(body) <= SMALL_BODY:
            asked = self._asked(body)
        else:
            self._unparsed += len(body)
            try:
                if self._unparsed > self._limits.bodies:
                    raise Refusal(503, "busy", CROWDED)
                asked = await _unless_gone(receive, self._off_the_loop(self._asked, body))
            finally:
                self._unparsed -= len(body)
        if (answer := self.at_once.known(body, asked)) is not None:
            return Answer(answer)
        request, resolutions = asked
        kind = Kind(request.model, request.n_best, attention=request.explain)
        pairs = [
            (word.lemma, resolution.features)
            for word, resolution in zip(request.words, resolutions, strict=True)
        ]
        inflector = self._inflectors[request.model]
        if len(pairs) * request.n_best <= SMALL_ANSWER and not request.explain:
            predictions = await self._batcher.inflect(kind, pairs)
            answer = inflect_answer(inflector, asked, predictions)
            return Answer(self.at_once.remember(body, asked, answer))
        predictions = await _unless_gone(receive, self._batcher.inflect(kind, pairs))
        return Answer(await self._off_the_loop(inflect_answer, inflector, asked, predictions))

    def _asked(self, body: bytes) -> checks.Asked:
        return checks.inflect_request(body, self._inflectors, self._limits)

    async def _body(self, headers: Mapping[bytes, bytes], receive: Receive) -> bytes:
        """The body, rejected as early as possible if it is too large or too slow."""
        limit = self._limits.body
        # The server has already rejected lengths that are not numbers.
        if int(headers.get(b"content-length", 0)) > limit:
            raise Refusal(413, "body_too_large", f"the limit is {limit} bytes")
        pieces: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._limits.seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Gone
                    pieces.append(message.get("body", b""))
                    size += len(pieces[-1])
                    self._unparsed += len(pieces[-1])
                    if size > limit:
                        raise Refusal(413, "body_too_large", f"the limit is {limit} bytes")
                    if self._unparsed > self._limits.bodies:
                        raise Refusal(503, "busy", CROWDED)
                    if not message.get("more_body", False):
                        return b"".join(pieces)
        except TimeoutError:
            seconds = f"{self._limits.seconds:g} seconds"
            raise Refusal(408, "slow_body", f"the body did not arrive within {seconds}") from None
        finally:
            self._unparsed -= size

    async def _paradigm(self, scope: Scope, receive: Receive) -> Answer:
        request = checks.paradigm_request(scope["query_string"], self._inflectors, self._limits)
        choices = await self._off_the_loop(
            self._inflectors[request.model].choices, request.lemma, request.pos, request.fixed
        )
        pairs = [(request.lemma, features) for choice in choices for features in choice.bundles]
        predictions = await self._batcher.inflect(Kind(request.model), pairs)
        inflector = self._inflectors[request.model]

        def body() -> bytes:
            answer = paradigm_answer(inflector, request.lemma, choices, predictions)
            return msgspec.json.encode({"model": request.model, **answer})

        return Answer(await self._off_the_loop(body))

    async def _search(self, scope: Scope, receive: Receive) -> Answer:
        asked = checks.search_request(scope["query_string"], self._inflectors, self._limits)

        def body() -> bytes:
            lemmas = [] if asked.inflector is None else forms_of(asked.word, asked.inflector)
            answer = SearchAnswer(find(asked.word, self._inflectors), lemmas)
            return msgspec.json.encode(answer)

        return Answer(await self._off_the_loop(body))

    async def _page(self, scope: Scope, receive: Receive) -> Answer:
        """The page; a link to a word or a form says so to the sites that preview it."""
        page = self._fixed["/page/index.html"]
        tags = await self._previews.tags(scope)
        return page._replace(body=page.body.replace(HEAD, tags, 1))

    async def _picture(self, scope: Scope, receive: Receive) -> Answer:
        picture = await self._previews.picture(scope["query_string"])
        return Answer(picture, media_type=PNG, headers=PICTURE_HEADERS)

    async def _health(self, scope: Scope, receive: Receive) -> Answer:
        if self._batcher.stuck:
            return Answer(b'{"status":"stuck"}', 503)
        return self._healthy

    async def _measured(self, scope: Scope, receive: Receive) -> Answer:
        return Answer(self.metrics.text().encode(), media_type=METRICS_TEXT)

    async def _off_the_loop(
        self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs
    ) -> T:
        if self._aside is None:  # not before: threads do not survive a fork
            self._aside = ThreadPoolExecutor(1, "stepwrite-aside")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._aside, lambda: function(*arguments, **named))


async def _unless_gone(receive: Receive, work: Coroutine[Any, Any, T]) -> T:
    """The result of the work, which is given up when the client closes the connection."""
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(receive())
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise Gone
        return await working
    finally:
        working.cancel()
        leaving.cancel()


def refused(refusal: Refusal) -> Answer:
    """The response to a rejected request; with `Retry-After` if the service is busy."""
    content = {"error": {"code": refusal.code, "message": refusal.message}}
    headers = ((b"retry-after", b"1"),) if refusal.status == 503 else ()
    return Answer(msgspec.json.encode(content), refusal.status, headers=headers)


def _fixed_answers(inflectors: dict[str, Inflector]) -> dict[str, Answer]:
    """By path, responses that never change: no path from a request is ever opened."""
    folder = files("stepwrite.service") / "page"
    answers = {
        f"/page/{file.name}": Answer(
            file.read_bytes(), media_type=MEDIA_TYPES[Path(file.name).suffix], headers=PAGE_HEADERS
        )
        for file in folder.iterdir()
    }
    summaries = [model_summary(name, inflector) for name, inflector in inflectors.items()]
    models = {"models": summaries, "names": tag_names(inflectors.values())}
    content: dict[str, Any] = {"/openapi.json": openapi(), "/v1/models": models}
    for summary, inflector in zip(summaries, inflectors.values(), strict=True):
        cells = inflector.model.cells
        counts = dict(cells.counts) if cells else {}
        content[f"/v1/models/{summary['name']}"] = {**summary, "cells": counts}
    return answers | {path: Answer(msgspec.json.encode(data)) for path, data in content.items()}


def _route_below(path: str) -> str:
    """The route, for metrics; not the path, since clients could make up as many as they like."""
    return "/v1/models/{name}" if path.startswith("/v1/models/") else OTHER


async def _lifespan(receive: Receive, send: Send) -> None:
    """Nothing is to be done at the start or at the end."""
    for stage in ("startup", "shutdown"):
        await receive()
        await send({"type": f"lifespan.{stage}.complete"})
