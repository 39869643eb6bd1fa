"""Connections: who is let in, who must go, and what is no request."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

pytest.importorskip("msgspec")

from stepwrite.service import connections
from stepwrite.service.server import Server, configure, listen

REQUEST = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Answering:
    """Answers with some bytes, once the body is there and it may go on."""

    def __init__(self, n_bytes: int = 2) -> None:
        self.body = b"x" * n_bytes
        self.begun = 0
        self.at_once: Any = None
        self.go = asyncio.Event()
        self.go.set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive()).get("more_body"):
            pass
        if message["type"] == "http.disconnect":
            return
        self.begun += 1
        await self.go.wait()
        headers = [(b"content-length", b"%d" % len(self.body))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})


class Running:
    def __init__(self, server: Server, port: int) -> None:
        self.server, self.port = server, port
        self.places = server._places

    async def connect(self, text: bytes = b"") -> Streams:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(text)
        await asyncio.sleep(0)
        return reader, writer

    async def ask(self, text: bytes = REQUEST) -> bytes:
        """All that the service says before it closes the connection or is silent."""
        reader, writer = await self.connect(text)
        try:
            return await asyncio.wait_for(reader.read(), 5)
        finally:
            writer.close()


def served(
    test: Callable[[Running, Answering], Awaitable[None]],
    *,
    most: int = 100,
    n_bytes: int = 2,
    at_once: Any = None,
) -> None:
    """Run a test against a server in this process with so many places."""

    @asynccontextmanager
    async def running(app: Answering) -> AsyncIterator[Running]:
        with listen("127.0.0.1", 0) as listener:
            server = Server(configure(app, 5), most)
            task = asyncio.create_task(server._serve([listener]))
            while not server.started:
                await asyncio.sleep(0.001)
            yield Running(server, listener.getsockname()[1])
            server.should_exit = True
            await asyncio.wait_for(task, 20)

    async def main() -> None:
        app = Answering(n_bytes)
        app.at_once = at_once
        async with running(app) as service:
            await test(service, app)

    for module in ("asyncio", "uvloop"):
        loops = pytest.importorskip(module)
        with asyncio.Runner(loop_factory=loops.new_event_loop) as runner:
            runner.run(main())


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.001)


async def answered(streams: Streams) -> bool:
    """Whether another request on the connection is answered."""
    reader, writer = streams
    try:
        writer.write(REQUEST)
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
        await reader.readexactly(2)
    except (asyncio.IncompleteReadError, ConnectionError):
        return False
    return head.startswith(b"HTTP/1.1 200")


def test_responses_do_not_wait_for_acknowledgements() -> None:
    async def test(service: Running, app: Answering) -> None:
        await service.connect()
        await until(lambda: len(service.places) == 1)
        (connection,) = service.server.server_state.connections
        accepted = connection.transport.get_extra_info("socket")
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

    served(test)


@pytest.mark.parametrize(
    "silence",
    [
        b"",
        b"GET / HTTP/1.1\r\nhost: local",
        b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n",
        REQUEST + b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n",
    ],
)
def test_the_silent_give_way(silence: bytes) -> None:
    """New clients are answered however many others keep the service waiting."""

    async def test(service: Running, app: Answering) -> None:
        silent = []
        for _ in range(60):
            silent.append(await service.connect(silence))
            assert await answered(await service.connect())
            assert len(service.places) <= 10

    served(test, most=10)


def test_clients_between_two_requests_stay() -> None:
    """As long as they are no crowd themselves."""

    async def test(service: Running, app: Answering) -> None:
        regulars = [await service.connect() for _ in range(4)]
        for _ in range(3):
            for regular in regulars:
                assert await answered(regular)
            strangers = [await service.connect() for _ in range(30)]
            await until(lambda: len(service.places) == 10)
        crowd = [await service.connect() for _ in range(6)]
        for streams in crowd:
            assert await answered(streams)
        del strangers
        assert await answered(await service.connect())

    served(test, most=10)


def test_no_request_at_work_is_given_up() -> None:
    async def test(service: Running, app: Answering) -> None:
        app.go.clear()
        working = [await service.connect(REQUEST) for _ in range(5)]
        await until(lambda: app.begun == 5)
        late = [await service.connect(REQUEST) for _ in range(5)]  # they wait outside
        await asyncio.sleep(2 * connections.PAUSE)
        assert (len(service.places), app.begun) == (5, 5)
        app.go.set()
        for reader, _ in working + late:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
            assert head.startswith(b"HTTP/1.1 200")

    served(test, most=5)


def test_a_head_that_does_not_come_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.05)

    async def test(service: Running, app: Answering) -> None:
        app.go.clear()
        silent = await service.connect()
        slow = await service.connect(b"GET / HTTP/1.1\r\nho")
        working = await service.connect(REQUEST)
        await until(lambda: app.begun == 1)
        await asyncio.sleep(0.1)
        service.places.sweep()
        for reader, _ in (silent, slow):
            with suppress(ConnectionError):
                assert not await asyncio.wait_for(reader.read(), 5)
        app.go.set()
        assert (await working[0].readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")

    served(test)


def test_a_response_that_nobody_takes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SEND_SECONDS", 0.1)

    async def test(service: Running, app: Answering) -> None:
        deaf = socket.create_connection(("127.0.0.1", service.port))
        deaf.sendall(REQUEST)
        await until(lambda: app.begun == 1)
        await asyncio.sleep(0.05)
        service.places.sweep()
        assert len(service.places) == 1
        await asyncio.sleep(0.15)
        service.places.sweep()
        await until(lambda: len(service.places) == 0)
        deaf.close()

    served(test, n_bytes=50_000_000)


HEAD = b"POST / HTTP/1.1\r\nhost: localhost\r\n"


@pytest.mark.parametrize(
    "text",
    [
        b"\x16\x03\x01\x02\x00\x01\x00",  # TLS
        b"\0" * 100_000,
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"CONNECT localhost:80 HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"GET /" + b"a" * 1_000_000,
        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n",
        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 100_000,
        HEAD + b"content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        HEAD + b"transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n",
        HEAD + b"transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        HEAD + b"content-length: 5\r\ncontent-length: 6\r\n\r\nabcdef",
        HEAD + b"content-length: -5\r\n\r\nabcdef",
        HEAD + b"content-length : 5\r\n\r\nabcde",
        HEAD + b"content-length: 99999999999999999999999\r\n\r\n",
    ],
)
def test_what_is_no_request(text: bytes, caplog: pytest.LogCaptureFixture) -> None:
    """It is answered once, in JSON, and the connection is closed; nothing is logged."""

    async def test(service: Running, app: Answering) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(logging.getLogger("uvicorn.error"), "level", logging.ERROR)
            try:
                said = await service.ask(text)
            except ConnectionError:  # closed while more was being sent
                said = b""
        if said or len(text) < 50_000:
            head, _, body = said.partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 400")
            assert json.loads(body)["error"]["code"] == "invalid_request"
        assert app.begun == 0
        assert await answered(await service.connect())

    served(test)
    assert not caplog.records


def test_a_flood_of_pipelined_requests_is_cut_off() -> None:
    async def test(service: Running, app: Answering) -> None:
        few = await service.connect(REQUEST * 10)
        for _ in range(10):
            assert (await few[0].readuntil(b"\r\n\r\nxx")).startswith(b"HTTP/1.1 200")
        flood = await service.connect(REQUEST * 2000)
        with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
            await flood[0].readexactly(2000 * len(b"HTTP/1.1 200 OK\r\n\r\nxx"))
        assert app.begun < 100

    served(test)


def test_a_body_in_crumbs_is_cut_off() -> None:
    async def test(service: Running, app: Answering) -> None:
        head = HEAD + b"transfer-encoding: chunked\r\n\r\n"
        _, writer = few = await service.connect(head + b"1\r\na\r\n" * 1000 + b"0\r\n\r\n")
        assert (await few[0].readuntil(b"\r\n\r\nxx")).startswith(b"HTTP/1.1 200")
        writer.close()
        reader, _ = await service.connect(head + b"1\r\na\r\n" * 10_000 + b"0\r\n\r\n")
        with suppress(ConnectionError):
            assert not await asyncio.wait_for(reader.read(), 5)
        assert app.begun == 1

    served(test)


def test_an_upgrade_is_declined() -> None:
    async def test(service: Running, app: Answering) -> None:
        asked = REQUEST[:-2] + b"connection: upgrade\r\nupgrade: websocket\r\n\r\n"
        said = await service.ask(asked + b"\x81\x85garbage")
        assert said.startswith(b"HTTP/1.1 200")
        assert b"connection: close" in said

    served(test)


class Easy:
    """Answers requests with what they say, if that is short."""

    urls = (b"/easy",)

    def __init__(self) -> None:
        self.asked: list[tuple[bytes, bytes, bytes]] = []

    def __call__(self, method: bytes, url: bytes, headers: Any, body: bytes) -> bytes | None:
        self.asked.append((method, url, body))
        assert dict(headers)[b"host"] == b"localhost"
        return body.upper() if len(body) < 5 else None


def post(body: bytes, *lines: bytes, version: bytes = b"1.1", url: bytes = b"/easy") -> bytes:
    head = [b"POST %s HTTP/%s" % (url, version), b"host: localhost", *lines]
    return b"\r\n".join([*head, b"content-length: %d" % len(body), b"", body])


async def response(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """The next response on a connection: head and body."""
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
    length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
    return head, await reader.readexactly(int(length or 0))


def test_easy_requests_are_answered_at_once() -> None:
    async def test(service: Running, app: Answering) -> None:
        service.server.server_state.default_headers = [(b"date", b"today")]
        reader, writer = await service.connect(post(b"ab"))
        head, body = await response(reader)
        assert head == (
            b"HTTP/1.1 200 OK\r\ndate: today\r\n"
            b"content-type: application/json\r\ncontent-length: 2\r\n\r\n"
        )
        assert body == b"AB"
        # The connection stays open; easy and other requests keep their order.
        writer.write(post(b"cd") + post(b"long one") + post(b"ef") + post(b"gh", url=b"/other"))
        assert [(await response(reader))[1] for _ in range(4)] == [b"CD", b"xx", b"xx", b"xx"]
        writer.write(post(b"ij"))
        assert (await response(reader))[1] == b"IJ"
        asked = [body for _, _, body in app.at_once.asked[-4:]]
        assert asked == [b"ab", b"cd", b"long one", b"ij"]
        assert app.begun % 3 == 0
        (connection,) = service.server.server_state.connections
        assert connection.group is service.places._regulars

    served(test, at_once=Easy())


@pytest.mark.parametrize(
    "request_",
    [
        post(b"ab", b"connection: close"),
        post(b"ab", version=b"1.0"),
        post(b"ab", b"expect: 100-continue"),
        post(b"ab", b"connection: upgrade", b"upgrade: websocket"),
        post(b"a" * 10_000),
        post(b"ab", url=b"/easy?"),
    ],
)
def test_unusual_requests_are_uvicorns(request_: bytes) -> None:
    async def test(service: Running, app: Answering) -> None:
        reader, _ = await service.connect(request_)
        head, body = await response(reader)
        if head.startswith(b"HTTP/1.1 100"):
            head, body = await response(reader)
        assert (body, app.begun, app.at_once.asked) == (b"xx", 1, [])

    served(test, at_once=Easy())


def test_a_request_in_pieces_is_not_held_back() -> None:
    """The application sees it from its head on, and so can give it up."""

    async def test(service: Running, app: Answering) -> None:
        whole = post(b"abcd")
        for cut in (10, len(whole) - 4, len(whole) - 2):
            reader, writer = await service.connect(whole[:cut])
            await until(lambda: len(service.places) == 1)
            await asyncio.sleep(0.01)
            (connection,) = service.server.server_state.connections
            assert connection.in_progress == (cut > 10)
            writer.write(whole[cut:])
            assert (await response(reader))[1] == (b"ABCD" if cut == 10 else b"xx")
            writer.close()
            await until(lambda: len(service.places) == 0)

    served(test, at_once=Easy())


def test_a_flood_of_easy_requests_is_cut_off() -> None:
    async def test(service: Running, app: Answering) -> None:
        before = len(app.at_once.asked)
        flood, _ = await service.connect(post(b"ab") * 500)
        with suppress(ConnectionError):
            await asyncio.wait_for(flood.read(), 5)
        assert 0 < len(app.at_once.asked) - before <= 4 * connections.PIPELINED

    served(test, at_once=Easy())


def test_a_service_that_shuts_down_closes_connections_after_easy_requests() -> None:
    async def test(service: Running, app: Answering) -> None:
        reader, _ = streams = await service.connect(post(b"ab"))
        await response(reader)
        service.server.should_exit = True
        await until(lambda: connections.CLOSE in service.server.server_state.default_headers)
        streams[1].write(post(b"cd"))
        head, body = await response(reader)
        assert b"connection: close" in head
        assert body == b"xx"

    served(test, at_once=Easy())


def test_clients_that_leave_with_pipelined_requests_are_no_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Each of their requests is told, not only the last one."""

    async def test(service: Running, app: Answering) -> None:
        app.go.clear()
        _, writer = await service.connect(REQUEST * 3)
        await until(lambda: app.begun == 1)
        writer.transport.abort()
        await until(lambda: len(service.places) == 0)
        app.go.set()
        await until(lambda: not service.server.server_state.tasks)

    served(test)
    assert not caplog.records
