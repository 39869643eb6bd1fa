"""Connections: HTTP by uvicorn, with time-outs and limits that it does not have.

A client that says nothing costs nothing but its place. When all places are taken, the next client
gets the place of the one that has kept the service waiting for the longest time; only connections
whose request is being answered are never closed. So silence can't stop the service.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Collection, Sequence
from typing import Any, Protocol

import httptools
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from stepwrite.service.log import LOGGER

HEAD_SECONDS = 10.0  # from the connection, or the last response, to the end of a request's head
SEND_SECONDS = 30.0  # without the client taking any byte of its response
HEAD_BYTES = 1 << 14
PIECE = 1 << 12  # bytes that are parsed at a time
URL_BYTES = 1 << 13
HEADERS = 100
CRUMBS = 2000  # chunks of a body that have only a few bytes
CRUMB = 512
PIPELINED = 16  # requests that wait for the one before them
BURST = 32  # connections accepted at a time
PAUSE = 0.05  # seconds without accepting, when nothing can be closed
CLOSE = (b"connection", b"close")
JSON_HEAD = b"HTTP/1.1 200 OK\r\n%scontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s"


class AtOnce(Protocol):
    """What answers easy requests. urls: where it can."""

    urls: Collection[bytes]

    def __call__(
        self, method: bytes, url: bytes, headers: Sequence[tuple[bytes, bytes]], body: bytes
    ) -> bytes | None:
        """The body of a response in JSON, with status 200; None for what is not easy."""


class Connection(HttpToolsProtocol):
    """One connection.

    A request that arrives in one piece is first offered to the application's `at_once`, if it has
    one: that costs half as much as a task, events and messages. Else uvicorn has it from the start.

    group: of those that wait for their client, where it is. waiting_since: when the service began
    to wait for its next request. unsent, stalled_since: bytes of its responses at the last sweep,
    and when the client last took some.
    """

    def __init__(self, config: Config, state: ServerState, places: Places) -> None:
        super().__init__(config, state, {}, asyncio.get_running_loop())
        self._places = places
        self._in_head, self._head_bytes, self._crumbs = True, 0, 0
        self._at_once: AtOnce | None = getattr(config.loaded_app, "at_once", None)
        self._held: bytes | None = None  # the body of a request that uvicorn has not seen yet
        self._n_at_once = 0  # of the requests that arrived together
        self._answering: RequestResponseCycle | None = None
        self.group: dict[Connection, None] | None = None
        self.waiting_since = time.monotonic()
        self.unsent, self.stalled_since = 0, 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._places.taken(self)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._answering is not None:  # uvicorn tells only the last of pipelined requests
            self._answering.disconnected = True
            self._answering.message_event.set()
        self._places.left(self)

    @property
    def in_progress(self) -> bool:
        """Whether a request has begun that is not answered yet."""
        return self.cycle is not None and not self.cycle.response_complete

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        self._n_at_once = 0
        self._parse(data)
        if self._held is not None and not self.transport.is_closing():
            self._release()

    def _parse(self, data: bytes) -> None:
        # In pieces, so that a large head is noticed before all of it is parsed.
        for start in range(0, len(data), PIECE):
            piece = data[start : start + PIECE]
            try:
                self.parser.feed_data(piece)
            except httptools.HttpParserUpgrade:
                if self.in_progress:
                    self.cycle.keep_alive = False  # there is nothing to upgrade to
            except httptools.HttpParserError:
                self._refuse()
                return
            if self._in_head:
                self._head_bytes += len(piece)
                if self._head_bytes > HEAD_BYTES or len(self.headers or ()) > HEADERS:
                    self._refuse()
                    return

    def _refuse(self) -> None:
        """Answer what is no request, unless that could be taken for another request's answer."""
        if self.transport.is_closing():
            return
        if self.in_progress:
            self.transport.abort()
            return
        body = b'{"error":{"code":"invalid_request","message":"not a valid HTTP/1.1 request"}}'
        head = (
            b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n"
            b"connection: close\r\ncontent-length: %d\r\n\r\n"
        )
        self.transport.write(head % len(body) + body)
        self.transport.close()

    # What the parser calls; an exception here makes it raise HttpParserError.

    def on_headers_complete(self) -> None:
        self._in_head, self._head_bytes, self._crumbs = False, 0, 0
        if (
            len(self.url) > URL_BYTES
            or len(self.headers) > HEADERS
            or len(self.pipeline) == PIPELINED
        ):
            raise ValueError("too much")
        if self._may_be_held():
            self._held = b""
        else:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._crumbs += len(body) < CRUMB
        if self._crumbs > CRUMBS:
            raise ValueError("too many chunks")
        if self._held is None:
            super().on_body(body)
            return
        self._held += body
        if len(self._held) >= PIECE:
            self._release()

    def on_message_complete(self) -> None:
        if self._held is not None:
            if self._answer_at_once(self._held):
                return
            self._release()
        super().on_message_complete()
        self._in_head = True
        if not self.cycle.response_complete:
            self._places.put(self, at_work=True)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    def _may_be_held(self) -> bool:
        """Whether the response may be written by ourselves, now, and the connection stays open."""
        return (
            self._at_once is not None
            and self.url in self._at_once.urls
            and self._n_at_once < PIPELINED
            and not self.in_progress
            and not self.expect_100_continue
            and not self.flow.write_paused
            and not self.transport.is_closing()
            and self.parser.get_http_version() == "1.1"
            and self.parser.should_keep_alive()
            and not self.parser.should_upgrade()
            and CLOSE not in self.server_state.default_headers
        )

    def _answer_at_once(self, body: bytes) -> bool:
        assert self._at_once is not None
        answer = self._at_once(self.parser.get_method(), self.url, self.headers, body)
        if answer is None:
            return False
        self._held = None
        self._n_at_once += 1
        self._in_head = True
        lines = [b"%s: %s\r\n" % header for header in self.server_state.default_headers]
        self.transport.write(JSON_HEAD % (b"".join(lines), len(answer), answer))
        self.on_response_complete()
        return True

    def _release(self) -> None:
        """Let uvicorn begin the request that was held."""
        body, self._held = self._held, None
        super().on_headers_complete()
        if body:
            super().on_body(body)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.waiting_since = time.monotonic()
        # Another request may have arrived as a whole, or begun, behind this one.
        self._places.put(self, at_work=self.in_progress and not self.cycle.more_body)


class Places:
    """The open connections, and which of them may be closed for others.

    Those that wait for their client are kept in two groups, each by how long they have: those that
    never sent a request, and those that did. The larger group gives way, so that neither can a
    crowd that only connects drive out clients between two requests, nor can those drive out it.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._coming = 0  # accepted, but not set up yet
        self._open: set[Connection] = set()
        self._strangers: dict[Connection, None] = {}
        self._regulars: dict[Connection, None] = {}

    def __len__(self) -> int:
        return len(self._open)

    def expect(self) -> None:
        """One more connection is coming: if there is no room, close who has waited longest."""
        self._coming += 1
        group = max(self._strangers, self._regulars, key=len)
        if group and len(self._open) + self._coming > self._most:
            connection = next(iter(group))
            self.left(connection)
            connection.transport.abort()

    def missed(self) -> None:
        """A connection that was expected was closed before it was set up."""
        self._coming -= 1

    def taken(self, connection: Connection) -> None:
        self._coming -= 1
        self._open.add(connection)
        self._move(connection, self._strangers)

    def left(self, connection: Connection) -> None:
        self._open.discard(connection)
        self._move(connection, None)

    def put(self, connection: Connection, *, at_work: bool) -> None:
        """A request has arrived, or was answered: the connection waits for its client, or not."""
        waits = not at_work and connection in self._open
        self._move(connection, self._regulars if waits else None)

    def _move(self, connection: Connection, group: dict[Connection, None] | None) -> None:
        """To the end of a group, that is, among those that have waited for the shortest time."""
        if connection.group is not None:
            del connection.group[connection]
        connection.group = group
        if group is not None:
            group[connection] = None

    def can_take(self) -> bool:
        """Whether there is room for one more connection, or can be made."""
        free = self._most - len(self._open) - self._coming
        return free > 0 or bool(self._strangers or self._regulars)

    def sweep(self) -> None:
        """Close connections whose head does not come, and those that take no bytes."""
        now = time.monotonic()
        for connection in list(self._open):
            unsent = connection.transport.get_write_buffer_size()
            if unsent:
                if not connection.unsent or unsent < connection.unsent:
                    connection.stalled_since = now
                if now - connection.stalled_since > SEND_SECONDS:
                    connection.transport.abort()
            elif not connection.in_progress and now - connection.waiting_since > HEAD_SECONDS:
                connection.transport.abort()
            connection.unsent = unsent


class Door:
    """Accepts connections, a few at a time; takes the place of an `asyncio.Server`."""

    def __init__(
        self, listener: socket.socket, places: Places, config: Config, state: ServerState
    ) -> None:
        self._listener, self._places = listener, places
        self._config, self._state = config, state
        self._loop = asyncio.get_running_loop()
        self._coming: set[asyncio.Task[None]] = set()
        self._closed = False
        listener.setblocking(False)
        self._open()

    def _open(self) -> None:
        if not self._closed:
            self._loop.add_reader(self._listener, self._accept)

    def _pause(self) -> None:
        """Let clients wait in the queue of the system for a moment."""
        self._loop.remove_reader(self._listener)
        self._loop.call_later(PAUSE, self._open)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._loop.remove_reader(self._listener)

    async def wait_closed(self) -> None:
        await asyncio.gather(*self._coming)

    def _accept(self) -> None:
        for _ in range(BURST):
            if not self._places.can_take():
                self._pause()
                return
            try:
                client, _ = self._listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:  # no files left, most likely
                LOGGER.warning("can't accept a connection: %s", error.strerror)
                self._pause()
                return
            client.setblocking(False)
            # Without it, Nagle's algorithm and delayed acknowledgements cost 40 ms per response.
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._places.expect()
            task = self._loop.create_task(self._set_up(client))
            self._coming.add(task)
            task.add_done_callback(self._coming.discard)

    async def _set_up(self, client: socket.socket) -> None:
        try:
            await self._loop.connect_accepted_socket(self._new, client)
        except OSError:  # it is gone already
            client.close()
            self._places.missed()

    def _new(self) -> Connection:
        return Connection(self._config, self._state, self._places)
