"""Request bodies, with a size limit, and JSON responses."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from stepwrite.service.limits import Limits, Refusal
from stepwrite.service.metrics import Metrics


class JSON(Response):
    """Plain data as JSON, without escaping non-ASCII characters."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def refused(refusal: Refusal) -> Response:
    """The response to a rejected request; with `Retry-After` if the service is busy."""
    headers = {"retry-after": "1"} if refusal.status == 503 else None
    content = {"error": {"code": refusal.code, "message": refusal.message}}
    return JSON(content, refusal.status, headers)


class BodyLimit:
    """Reads the body of each request before calling the application, up to the size limit.

    A larger body is rejected as early as possible: by its Content-Length or, if that is missing
    or wrong, while reading. A body that takes too long to arrive is rejected, too.
    """

    def __init__(self, app: ASGIApp, limits: Limits, metrics: Metrics) -> None:
        self.app, self.limits, self.metrics = app, limits, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            if self.metrics.under_way > self.limits.requests:
                raise Refusal(503, "busy", f"more than {self.limits.requests} concurrent requests")
            body = await self._read(scope, receive)
        except Refusal as refusal:
            await refused(refusal)(scope, receive, send)
        except ClientDisconnect:
            pass  # nobody is left to answer
        else:
            await self.app(scope, _replay(body, receive), send)

    async def _read(self, scope: Scope, receive: Receive) -> bytes:
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        # The server has already rejected headers that are not numbers.
        self._check(int(declared))
        body = bytearray()
        try:
            async with asyncio.timeout(self.limits.seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise ClientDisconnect
                    body += message.get("body", b"")
                    self._check(len(body))
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError:
            seconds = f"{self.limits.seconds:g} seconds"
            raise Refusal(408, "slow_body", f"the body did not arrive within {seconds}") from None

    def _check(self, size: int) -> None:
        if size > self.limits.body:
            raise Refusal(413, "body_too_large", f"the limit is {self.limits.body} bytes")


def _replay(body: bytes, receive: Receive) -> Receive:
    """The body as one message, followed by any other messages of the server."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return messages.pop() if messages else await receive()

    return replayed
