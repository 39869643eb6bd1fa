"""A load generator for HTTP: keep-alive connections, as little Python per request as possible."""

from __future__ import annotations

import asyncio
import itertools
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Tally:
    """The responses to one kind of request; seconds: of each; cpu: what the server spent on all."""

    seconds: list[float] = field(default_factory=list)
    elapsed: float = 0.0
    cpu: float = 0.0
    errors: int = 0
    lost: int = 0

    @property
    def rate(self) -> float:
        return len(self.seconds) / self.elapsed

    @property
    def cost(self) -> float:
        """Seconds of the server's processor time per request."""
        return self.cpu / len(self.seconds)

    def milliseconds(self, share: float) -> float:
        return 1000 * sorted(self.seconds)[int(share * (len(self.seconds) - 1))]


class Client(asyncio.Protocol):
    """Sends one request after the other until the time is over or the server closes."""

    def __init__(self, requests: Iterator[bytes], until: float, tally: Tally) -> None:
        self.requests, self.until, self.tally = requests, until, tally
        self.done = asyncio.get_running_loop().create_future()
        self.answer, self.missing, self.sent, self.waiting = b"", 0, 0.0, False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._next()

    def _next(self) -> None:
        self.sent = time.perf_counter()
        self.waiting = self.sent < self.until
        if self.waiting:
            self.transport.write(next(self.requests))
        else:
            self.transport.close()

    def data_received(self, data: bytes) -> None:
        self.answer += data
        head, end, body = self.answer.partition(b"\r\n\r\n")
        if not end:
            return
        head = head.lower()
        _, _, rest = head.partition(b"content-length: ")
        if len(body) < int(rest.partition(b"\r\n")[0] or 0):
            return
        self.answer = b""
        self.tally.seconds.append(time.perf_counter() - self.sent)
        self.tally.errors += not head.startswith(b"http/1.1 200")
        self.waiting = False
        if b"connection: close" not in head:
            self._next()

    def connection_lost(self, error: Exception | None) -> None:
        self.tally.lost += self.waiting
        self.done.set_result(None)


async def load(
    port: int,
    requests: Iterator[bytes],
    *,
    connections: int,
    seconds: float,
    tally: Tally,
    processes: Callable[[], list[int]] = list,
) -> None:
    """Requests on so many connections for some time; processes: whose processor time counts."""
    loop = asyncio.get_running_loop()
    before, start = cpu(processes()), time.perf_counter()
    clients = []
    for _ in range(connections):
        _, client = await loop.create_connection(
            lambda: Client(requests, start + seconds, tally), "127.0.0.1", port
        )
        clients.append(client.done)
    await asyncio.gather(*clients)
    tally.elapsed += time.perf_counter() - start
    tally.cpu += cpu(processes()) - before


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode()


def post(body: bytes) -> bytes:
    head = "POST /v1/inflect HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


def once(request: bytes) -> Iterator[bytes]:
    return itertools.repeat(request)


def cpu(processes: list[int]) -> float:
    """Seconds of processor time that these processes have used."""
    total = 0
    for process in processes:
        fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


def memory(process: int) -> int:
    """Bytes of resident memory."""
    pages = int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
