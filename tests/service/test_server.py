"""The service as a process: hostile clients, workers, and graceful shutdown."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("msgspec")

from tests.serving import Service, nonsense, running, save


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    arguments = save(tmp_path_factory.mktemp("models"), latin=nonsense())
    with running(*arguments, "--max-seconds", "3") as service:
        yield service


def raw(service: Service, head: str, body: Iterator[bytes] | None = None) -> str:
    """The response to a request written by hand."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=20) as connection:
        connection.sendall(head.replace("\n", "\r\n").encode())
        for piece in body or ():
            connection.sendall(piece)
        answer = connection.makefile(encoding="utf-8", newline="")
        lines = iter(answer.readline, "\r\n")
        head = "".join(lines).lower()
        return head + answer.read(int(head.split("content-length: ")[1].split("\r\n")[0]))


def test_a_hundred_megabytes_are_refused(service: Service) -> None:
    """With and without a Content-Length; neither fills the memory."""
    start = "POST /v1/inflect HTTP/1.1\nhost: localhost\ncontent-type: application/json\n"
    size = 100_000_000
    before = service.memory()
    piece = b" " * 1_000_000
    chunk = b"f4240\r\n" + piece + b"\r\n"
    declared = raw(service, f"{start}content-length: {size}\n\n", iter([piece] * 100))
    chunked = raw(service, f"{start}transfer-encoding: chunked\n\n", iter([chunk] * 100))
    for answer in (declared, chunked):
        assert answer.startswith("http/1.1 413")
        assert '"body_too_large"' in answer
    assert service.memory() - before < 20_000_000
    assert "200 ok" in raw(service, "GET /health HTTP/1.1\nhost: localhost\n\n")


def test_a_million_characters_are_refused(service: Service) -> None:
    body = json.dumps({"model": "latin", "words": [{"lemma": "a" * 1_000_000}]}).encode()
    head = f"content-type: application/json\ncontent-length: {len(body)}\n\n"
    start = "POST /v1/inflect HTTP/1.1\nhost: localhost\n"
    answer = raw(service, start + head, iter([body]))
    assert answer.startswith("http/1.1 422")
    assert '"word_too_long"' in answer


def test_a_body_that_never_ends_is_given_up(service: Service) -> None:
    start = "POST /v1/inflect HTTP/1.1\nhost: localhost\ncontent-type: application/json\n"
    answer = raw(service, f"{start}content-length: 9\n\n")
    assert answer.startswith("http/1.1 408")


def test_silence_does_not_stop_it(tmp_path: Path) -> None:
    """More connections than open files are allowed: all requests are answered, none is logged."""
    most = 300
    with running(*save(tmp_path, latin=nonsense()), files=most) as service:
        silent: deque[socket.socket] = deque(maxlen=most + 100)
        for number in range(3 * most):
            silent.append(socket.create_connection(("127.0.0.1", service.port), timeout=20))
            if number % 20 == 0:
                assert "200 ok" in raw(service, "GET /health HTTP/1.1\nhost: localhost\n\n")
        os.kill(service.process.pid, signal.SIGTERM)
        assert service.process.stderr is not None
        assert service.process.stderr.read() == ""
        assert service.process.wait(timeout=30) == 0


def children(service: Service) -> list[int]:
    path = Path(f"/proc/{service.process.pid}/task/{service.process.pid}/children")
    return [int(number) for number in path.read_text("ascii").split()]


def is_running(process: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text("utf-8")
    except FileNotFoundError:
        return False


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_workers_are_replaced_and_end_together(tmp_path: Path) -> None:
    health = "GET /health HTTP/1.1\nhost: localhost\n\n"
    with running(*save(tmp_path, latin=nonsense()), "--workers", "2") as service:
        wait_until(lambda: len(children(service)) == 2)
        first, second = children(service)
        os.kill(first, signal.SIGKILL)
        for _ in range(5):
            assert "200 ok" in raw(service, health)
        wait_until(lambda: len(children(service)) == 2 and first not in children(service))
        metrics = raw(service, "GET /metrics HTTP/1.1\nhost: localhost\n\n")
        assert 'requests_total{route="/health",status="200"} 5\n' in metrics
        workers = children(service)
        assert second in workers
        os.kill(service.process.pid, signal.SIGTERM)
        assert service.process.wait(timeout=30) == 0
        assert not any(map(is_running, workers))
        assert service.process.stderr is not None
        assert "worker 1 ended with code -9" in service.process.stderr.read()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_workers_do_not_outlive_their_parent(tmp_path: Path) -> None:
    with running(*save(tmp_path, latin=nonsense()), "--workers", "2") as service:
        wait_until(lambda: len(children(service)) == 2)
        workers = children(service)
        os.kill(service.process.pid, signal.SIGKILL)
        wait_until(lambda: not any(map(is_running, workers)))


async def ask_again_and_again(port: int, counts: Counter[str], started: asyncio.Event) -> None:
    """Requests on one connection until the service announces that it closes it."""
    body = json.dumps({"model": "latin", "words": [{"lemma": "haus", "features": "V;PST"}]})
    head = "POST /v1/inflect HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    request = f"{head}content-length: {len(body)}\r\n\r\n{body}".encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while True:
        writer.write(request)
        try:
            answer = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(answer.split(b"content-length: ")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            counts["lost"] += 1
            return
        counts["answered" if answer.startswith(b"http/1.1 200") else "failed"] += 1
        started.set()
        if b"connection: close" in answer:
            writer.close()
            return


@pytest.mark.parametrize("workers", ["1", "2"])
def test_terminated_in_the_middle_it_answers_all(tmp_path: Path, workers: str) -> None:
    counts = Counter[str]()

    async def main(service: Service) -> None:
        started = asyncio.Event()
        clients = [
            asyncio.create_task(ask_again_and_again(service.port, counts, started))
            for _ in range(16)
        ]
        await started.wait()
        await asyncio.sleep(0.5)
        os.kill(service.process.pid, signal.SIGTERM)
        await asyncio.wait_for(asyncio.gather(*clients), 30)

    with running(*save(tmp_path, latin=nonsense()), "--workers", workers) as service:
        asyncio.run(main(service))
        assert service.process.wait(timeout=30) == 0
    assert counts["answered"] > 16
    assert counts["failed"] == counts["lost"] == 0


def test_mistakes_of_the_command(stepwrite: Callable[..., Any], tmp_path: Path) -> None:
    (model,) = save(tmp_path, latin=nonsense())
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ran = stepwrite("serve", model, "--port", port)
    assert ran.code == 1
    assert ran.err.splitlines()[-1].endswith(f"port {port}: Address already in use")
    assert "two models" in stepwrite("serve", model, model).err
    assert "no such model" in stepwrite("serve", "klingon").err
    assert stepwrite("serve", model, "--port", "70000").code == 2
