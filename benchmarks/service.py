"""The service under load, from this process, over loopback: `python -m benchmarks.service`.

One-word requests on many connections, alternating with empty requests (`/health`) to the same
application, so that other load on the machine affects both. At the end it sends SIGTERM under load.
Writes service.json and service.md.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import platform
import re
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from stepwrite import read
from stepwrite.files import write_whole

ROOT = Path(__file__).parent.parent
TURNS = 6


@dataclass
class Tally:
    """The responses to one kind of request; seconds: of each answered request."""

    seconds: list[float] = field(default_factory=list)
    elapsed: float = 0.0
    errors: int = 0
    lost: int = 0

    @property
    def rate(self) -> float:
        return len(self.seconds) / self.elapsed

    def milliseconds(self, share: float) -> float:
        return 1000 * sorted(self.seconds)[int(share * (len(self.seconds) - 1))]


@dataclass(frozen=True)
class Measured:
    """The figures; memory: bytes after warm-up and after each turn."""

    connections: int
    seconds: float
    requests: int
    errors: int
    requests_per_second: float
    empty_per_second: float
    share_of_empty: float
    p50_ms: float
    p99_ms: float
    mean_batch: float
    memory: list[int]
    terminated_answered: int
    terminated_lost: int
    exit_code: int
    python: str
    load_average: float


class Connection:
    """A minimal client with a keep-alive connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def ask(self, request: bytes) -> tuple[bool, bool]:
        """Whether the response is 200, and whether the service closes the connection."""
        self.writer.write(request)
        head = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        length = re.search(rb"content-length: (\d+)", head)
        await self.reader.readexactly(int(length[1]) if length else 0)
        return head.startswith(b"http/1.1 200"), b"connection: close" in head


def post(model: str, lemma: str, features: str) -> bytes:
    body = json.dumps({"model": model, "words": [{"lemma": lemma, "features": features}]}).encode()
    head = "POST /v1/inflect HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


async def load(
    connections: list[Connection], requests: Iterator[bytes], seconds: float, tally: Tally
) -> None:
    """Send requests on all connections, one after the other on each, for some time."""
    start = time.perf_counter()

    async def one(connection: Connection) -> None:
        while (before := time.perf_counter()) < start + seconds:
            try:
                good, closes = await connection.ask(next(requests))
            except (asyncio.IncompleteReadError, ConnectionError):
                tally.lost += 1
                return
            tally.seconds.append(time.perf_counter() - before)
            tally.errors += not good
            if closes:
                return

    await asyncio.gather(*map(one, connections))
    tally.elapsed += time.perf_counter() - start


def memory(process: int) -> int:
    pages = int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


async def measure(
    port: int, service: subprocess.Popen[str], requests: list[bytes], options: argparse.Namespace
) -> Measured:
    words = itertools.cycle(requests)
    empty = itertools.repeat(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
    connections = [
        Connection(*await asyncio.open_connection("127.0.0.1", port))
        for _ in range(options.connections)
    ]
    await load(connections, words, options.seconds / TURNS, Tally())  # warm-up
    used = [memory(service.pid)]
    inflected, nothing = Tally(), Tally()
    for _ in range(TURNS):
        await load(connections, words, options.seconds / TURNS, inflected)
        await load(connections, empty, options.seconds / TURNS / 2, nothing)
        used.append(memory(service.pid))
    metrics = await text_of(port, "/metrics")
    ended = Tally()
    load_average = os.getloadavg()[0]
    asyncio.get_running_loop().call_later(1, service.send_signal, signal.SIGTERM)
    await load(connections, words, 20, ended)
    return Measured(
        connections=options.connections,
        seconds=inflected.elapsed,
        requests=len(inflected.seconds),
        errors=inflected.errors + inflected.lost + nothing.errors + nothing.lost,
        requests_per_second=inflected.rate,
        empty_per_second=nothing.rate,
        share_of_empty=inflected.rate / nothing.rate,
        p50_ms=statistics.median(inflected.seconds) * 1000,
        p99_ms=inflected.milliseconds(0.99),
        mean_batch=value(metrics, "batch_words_sum") / value(metrics, "batch_words_count"),
        memory=used,
        terminated_answered=len(ended.seconds),
        terminated_lost=ended.lost + ended.errors,
        exit_code=service.wait(timeout=60),
        python=platform.python_version(),
        load_average=load_average,
    )


async def text_of(port: int, path: str) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n".encode())
    text = (await reader.read()).decode()
    writer.close()
    return text


def value(metrics: str, name: str) -> float:
    found = re.search(rf"^stepwrite_{name} (\S+)", metrics, re.M)
    assert found, name
    return float(found[1])


def report(found: Measured) -> str:
    megabytes = ", ".join(f"{used / 1e6:.1f}" for used in found.memory)
    rows = {
        "errors": f"{found.errors} of {found.requests} requests",
        "one-word requests": f"{found.requests_per_second:.0f} per second",
        "empty requests, same application": f"{found.empty_per_second:.0f} per second",
        "one-word / empty requests": f"{found.share_of_empty:.2f} (target: at least 0.25)",
        "latency, median and 99th percentile": f"{found.p50_ms:.1f} and {found.p99_ms:.1f} ms",
        "mean batch size": f"{found.mean_batch:.1f}",
        "memory after warm-up and after each turn": f"{megabytes} MB",
        "SIGTERM under load": f"{found.terminated_answered} answered, "
        f"{found.terminated_lost} lost, exit code {found.exit_code}",
        "load average of the machine": f"{found.load_average:.1f}",
    }
    title = f"# The service: {found.connections} connections for {found.seconds:.0f} seconds\n"
    lines = [f"| {name} | {text} |" for name, text in rows.items()]
    return "\n".join([title, "| what | measured |", "| --- | --- |", *lines]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.service", description=__doc__)
    parser.add_argument("--model", default="german-nouns", help="a directory or a name")
    parser.add_argument("--words", default=str(ROOT / "examples/german-nouns/test.tsv"))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--out", type=Path, default=ROOT / "results/benchmarks")
    options = parser.parse_args()
    requests = [post("model", row.lemma, row.features) for row in read(options.words)]
    command = [sys.executable, "-m", "stepwrite", "serve", "--port", "0", f"model={options.model}"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as service:
        try:
            assert service.stderr is not None
            said = service.stderr.readline()
            port = re.search(r":(\d+)/", said)
            if port is None:
                sys.exit(said)
            found = asyncio.run(measure(int(port[1]), service, requests, options))
        finally:
            service.terminate()
    options.out.mkdir(parents=True, exist_ok=True)
    with write_whole(options.out / "service.json") as file:
        json.dump(asdict(found), file, indent=1)
        file.write("\n")
    with write_whole(options.out / "service.md") as file:
        file.write(report(found))
    print(report(found))


if __name__ == "__main__":
    main()
