"""Hostile clients: how long they delay `/health`, and whether silent ones keep others out."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from benchmarks.load import get, post

CLIENTS = 8  # that send the same hostile request at the same time
TIMEOUT = 60.0


def hostile_requests(model: str) -> dict[str, bytes]:
    """Requests that cost the most for their size, each within the limits or just above them."""

    def words(items: list[dict[str, str]], **more: object) -> bytes:
        request = {"model": model, "words": items, "unknown_features": "ignore", **more}
        return post(json.dumps(request, separators=(",", ":")).encode())

    def nested(number: int) -> str:
        return (f"A{number}(" + "B(" * 62 + "C" + ")" * 63)[:200]

    long = "Donaudampfschifffahrt" * 5
    lemmas = [{"lemma": f"{long[:95]}{number}"} for number in range(1000)]
    start = f'{{"model":"{model}","words":['
    chunked = b"transfer-encoding: chunked\r\n\r\n"
    head = post(b"").partition(b"content-length")[0]
    return {
        "1,000 nested bundles": words([{"lemma": "a", "features": nested(n)} for n in range(1000)]),
        "1,000 bundles of 100 tags": words(
            [{"lemma": "a", "features": f"A{n};" + "B;" * 95} for n in range(1000)]
        ),
        "1 MiB of {} words": post((start + "{}," * 349_000 + "{}]}").encode()),
        "1 MiB of short words": post((start + '{"lemma":"a"},' * 74_000).encode()[:-1] + b"]}"),
        "1,000 words, 20 best": words(lemmas, n_best=20),
        "100 words, explained": words(lemmas[:100], explain=True),
        "1,000 words of combining marks": words([{"lemma": "a" + "\u0301" * 900}] * 500),
        "a lemma of 1,000,000 letters": words([{"lemma": "a" * 1_000_000}]),
        "1 MiB of brackets": post(b"[" * (1 << 20)),
        "1 MiB of digits": post(b"9" * (1 << 20)),
        "1 MiB of escapes": words([{"lemma": "\x01" * 170_000}]),
        "1 MiB of unknown fields": post(b'{"a":0,' * 140_000),
        "a body in crumbs": head + chunked + b"1\r\na\r\n" * 170_000,
        "100,000 headers": b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 100_000,
        "a URL of 1 MiB": get("/?" + "%41" * 350_000),
        "10,000 pipelined requests": get("/health") * 10_000,
        "paradigms": get(f"/v1/paradigm?model={model}&lemma={long[:100]}") * 16,
        "10,000 open brackets in a query": get(
            f"/v1/paradigm?model={model}&lemma=a&feature=" + "(" * 8000
        ),
        "garbage": bytes(range(256)) * 4096,
    }


class Probe:
    """Asks for `/health` all the time, on old and new connections, and notes the longest delay."""

    def __init__(self, port: int) -> None:
        self.port, self.longest, self.count, self.failed = port, 0.0, 0, 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Probe:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        kept = None
        while not self._stop.wait(0.002):
            start = time.perf_counter()
            try:
                if kept is None or self.count % 2:
                    kept = socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT)
                self.failed += not answered(kept, get("/health"))
            except OSError:
                self.failed += 1
                kept = None
            self.count += 1
            self.longest = max(self.longest, time.perf_counter() - start)


def answered(connection: socket.socket, request: bytes) -> bool:
    """Whether the response to a request is 200."""
    connection.sendall(request)
    answer = b""
    while True:
        head, end, body = answer.partition(b"\r\n\r\n")
        length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
        if end and len(body) >= int(length or 0):
            return head.startswith(b"HTTP/1.1 200")
        data = connection.recv(1 << 16)
        if not data:
            return False
        answer += data


@contextmanager
def attacking(port: int, request: bytes) -> Iterator[None]:
    """Some clients send the request again and again, each on a new connection."""
    stop = threading.Event()

    def attack() -> None:
        while not stop.is_set():
            with (
                suppress(OSError),
                socket.create_connection(("127.0.0.1", port), timeout=2) as connection,
            ):
                connection.sendall(request)
                while connection.recv(1 << 16) and not stop.is_set():
                    pass

    threads = [threading.Thread(target=attack, daemon=True) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def delays(
    port: int, empty_port: int, model: str, seconds: float, report: Callable[[str], None]
) -> dict[str, tuple[float, float]]:
    """By hostile request: the longest delay of `/health`, and that of the empty application.

    Both are asked at the same time, so what other processes of the machine cause shows in both.
    """
    found = {}
    for name, request in hostile_requests(model).items():
        with attacking(port, request), Probe(port) as probe, Probe(empty_port) as beside:
            time.sleep(seconds)
        found[name] = (probe.longest, beside.longest)
        report(
            f"{name}: {1000 * probe.longest:.0f} ms ({1000 * beside.longest:.0f} ms beside it), "
            f"{probe.failed} of {probe.count} failed"
        )
    return found


def idle_connections(port: int, request: bytes, tried: int) -> tuple[int, int]:
    """Open connections that never say a word; how many honest requests were sent and answered."""
    silent: deque[socket.socket] = deque()
    sent = good = 0
    for number in range(tried):
        with suppress(OSError):
            silent.append(socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT))
        if len(silent) > 2000:
            silent.popleft().close()
        if number % 50 == 0:
            sent += 1
            with (
                suppress(OSError),
                socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT) as honest,
            ):
                good += answered(honest, request)
    for connection in silent:
        connection.close()
    return sent, good
