"""The service under load and under attack, over loopback: `python -m benchmarks.service`.

It is compared with an empty ASGI application under the same uvicorn, with the same loop and parser,
and under uvicorn as it comes without them. Contenders alternate, so that other load on the machine
affects all of them; ratios are medians over the repeats. Processor time per request is measured as
well, which other load affects less. Writes service.json and service.md.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import itertools
import json
import os
import platform
import re
import signal
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.hostile import delays, idle_connections
from benchmarks.load import Tally, get, load, memory, once, post
from benchmarks.measured import write_report
from stepwrite import read
from stepwrite.service.at_once import REMEMBERED

ROOT = Path(__file__).parent.parent
FAST = ("uvloop", "httptools") if importlib.util.find_spec("uvloop") else ("asyncio", "httptools")
PLAIN = ("asyncio", "h11")
CONTENDERS = ("empty", "health", "known", "word", "again")
AGAIN = 100  # requests that are made again and again, so that their responses are remembered
FILES = 1024  # open files allowed while idle connections are tried


class Server:
    """A process and its port."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process, self.port = process, port

    def measured(self, requests: Iterator[bytes], connections: int, seconds: float) -> Tally:
        tally = Tally()
        asyncio.run(
            load(
                self.port,
                requests,
                connections=connections,
                seconds=seconds,
                tally=tally,
                processes=lambda: [self.process.pid],
            )
        )
        return tally


@contextmanager
def started(*command: str, files: int | None = None) -> Iterator[Server]:
    """A server that says on stderr where it listens."""
    arguments = [sys.executable, "-m", *command]
    if files:
        arguments = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *arguments]
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline()
            port = re.search(r":(\d+)/", said)
            if port is None:
                sys.exit(said + process.stderr.read())
            yield Server(process, int(port[1]))
        finally:
            process.terminate()


def request_of(lemma: str, features: str) -> bytes:
    words = [{"lemma": lemma, "features": features}]
    return post(json.dumps({"model": "model", "words": words}).encode())


def requests_of(path: str) -> list[bytes]:
    """A request for each word of a file."""
    return [request_of(row.lemma, row.features) for row in read(path)]


def requests_for_cells(path: str) -> list[bytes]:
    """A request for each lemma of a file in all cells that the file has for its gender.

    Many more than the service remembers, so that each is new when it comes again.
    """
    rows = read(path)
    cells: dict[str, set[str]] = {}
    for row in rows:
        cells.setdefault(gender_of(row.features), set()).add(row.features)
    requests = [
        request_of(row.lemma, features)
        for row in {row.lemma: row for row in rows}.values()
        for features in sorted(cells[gender_of(row.features)])
    ]
    assert len(requests) > 2 * REMEMBERED, f"{path}: only {len(requests)} different requests"
    return requests


def gender_of(features: str) -> str:
    """`N;NEUT` of `N;NEUT;DAT;PL`."""
    return ";".join(features.split(";")[:2])


def throughput(options: argparse.Namespace, requests: list[bytes]) -> dict[str, Any]:
    """Requests per second and processor time, by connections and contender, for each repeat."""
    words, known = itertools.cycle(requests), itertools.cycle(requests_of(options.known))
    again = itertools.cycle(requests[:AGAIN])
    health = once(get("/health"))
    found: dict[str, Any] = {}
    with ExitStack() as stack:
        service = stack.enter_context(started(*options.serve))
        empty = stack.enter_context(started("benchmarks.empty", *FAST))
        plain = stack.enter_context(started("benchmarks.empty", *PLAIN))
        contenders = {
            "empty": (empty, health),
            "health": (service, health),
            "word": (service, words),
            "known": (service, known),
            "again": (service, again),
            "plain": (plain, health),
        }
        service.measured(words, 64, options.seconds)  # warm-up
        used = [memory(service.process.pid)]
        for connections in (1, 8, 64):
            rows = []
            for repeat in range(options.repeats):
                row = {}
                for name, (server, asked) in contenders.items():
                    tally = server.measured(asked, connections, options.seconds)
                    row[name] = {
                        "rate": tally.rate,
                        "cost_us": 1e6 * tally.cost,
                        "p50_ms": tally.milliseconds(0.5),
                        "p99_ms": tally.milliseconds(0.99),
                        "errors": tally.errors + tally.lost,
                    }
                rows.append(row)
                said = ", ".join(f"{name} {row[name]['rate']:.0f}/s" for name in row)
                print(f"{connections} connections, {repeat + 1}: {said}", flush=True)
            used.append(memory(service.process.pid))
            found[str(connections)] = rows
        ended = Tally()
        asyncio.run(terminated(service, words, ended))
        found["memory"] = used
        found["terminated"] = {
            "answered": len(ended.seconds),
            "lost": ended.lost + ended.errors,
            "code": service.process.wait(timeout=60),
        }
    return found


async def terminated(service: Server, words: Iterator[bytes], tally: Tally) -> None:
    """SIGTERM under load."""
    asyncio.get_running_loop().call_later(1, service.process.send_signal, signal.SIGTERM)
    await load(service.port, words, connections=64, seconds=20, tally=tally)


def median(rows: list[dict[str, Any]], name: str, figure: str = "rate") -> float:
    return float(statistics.median(row[name][figure] for row in rows))


def ratio(rows: list[dict[str, Any]], over: str, under: str) -> str:
    """The median ratio of the rates of two contenders, and that of what a request costs them."""
    speed = statistics.median(row[over]["rate"] / row[under]["rate"] for row in rows)
    cost = statistics.median(row[under]["cost_us"] / row[over]["cost_us"] for row in rows)
    return f"{speed:.2f} ({cost:.2f})"


def report(found: dict[str, Any]) -> str:
    """The figures as a table."""
    rows: dict[str, str] = {}
    if load := found.get("load"):
        one, eight, many = load["1"], load["8"], load["64"]
        errors = sum(
            row[name]["errors"] for k in ("1", "8", "64") for row in load[k] for name in row
        )
        for connections, name in ((one, "1 connection"), (many, "64 connections")):
            rows |= {
                f"requests/s on {name}: empty application, `/health`, a known word, a guess, "
                "a guess made before": (
                    ", ".join(f"{median(connections, k):.0f}" for k in CONTENDERS)
                ),
                f"processor time per request, {name}": ", ".join(
                    f"{median(connections, k, 'cost_us'):.0f}" for k in CONTENDERS
                )
                + " µs",
                f"`/health` / empty application, {name}": ratio(connections, "health", "empty"),
                **{
                    f"{word} / {other}, {name}": ratio(connections, over, under)
                    for word, over in (
                        ("a known word", "known"),
                        ("a guess", "word"),
                        ("a guess made before", "again"),
                    )
                    for other, under in (
                        ("`/health`", "health"),
                        ("empty application", "empty"),
                        ("empty application under plain uvicorn", "plain"),
                    )
                },
            }
        megabytes = ", ".join(f"{used / 1e6:.0f}" for used in load["memory"])
        ended = load["terminated"]
        rows |= {
            "guesses, 8 connections: median and p99": f"{median(eight, 'word', 'p50_ms'):.1f} "
            f"and {median(eight, 'word', 'p99_ms'):.1f} ms",
            "errors": str(errors),
            "memory after warm-up and each part": f"{megabytes} MB",
            "SIGTERM under load": f"{ended['answered']} answered, {ended['lost']} lost, "
            f"exit code {ended['code']}",
        }
    for name, (delay, beside) in found.get("delays", {}).items():
        rows[f"longest delay of `/health`: {name}"] = (
            f"{1000 * delay:.0f} ms (empty application beside it: {1000 * beside:.0f} ms)"
        )
    if idle := found.get("idle"):
        rows[f"{idle['tried']:,} idle connections, {FILES} open files allowed"] = (
            f"{idle['answered']} of {idle['sent']} honest requests answered, "
            f"{idle['log']} bytes logged"
        )
    rows["load average of the machine"] = f"{found['load_average']:.1f}"
    lines = [f"| {name} | {text} |" for name, text in rows.items()]
    about = (
        "Ratios are of requests per second, in brackets of processor time per request; medians of "
        f"{found['repeats']}. The empty application runs under uvicorn with {' and '.join(FAST)}, "
        f"as the service does; plain uvicorn is {' and '.join(PLAIN)}. Known words and guesses are "
        f"so many different ones that no response is remembered from the last time; "
        f"{AGAIN} guesses are also made again and again.\n"
    )
    return "\n".join(
        ["# The service", "", about, "| what | measured |", "| --- | --- |", *lines, ""]
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.service", description=__doc__)
    parser.add_argument("--model", default="german-nouns", help="a directory or a name")
    parser.add_argument(
        "--words",
        default=str(ROOT / "examples/german-nouns/unseen.tsv"),
        help="words that it does not know, asked for in all their cells",
    )
    parser.add_argument(
        "--known",
        default=str(ROOT / "examples/german-nouns/train.tsv"),
        help="words that the model's lexicon knows",
    )
    parser.add_argument("--seconds", type=float, default=1.0, help="per measurement")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--idle", type=int, default=100_000, help="idle connections to try")
    parser.add_argument("--only", default="load,delays,idle", help="a selection of these parts")
    parser.add_argument("--out", type=Path, default=ROOT / "results/benchmarks")
    options = parser.parse_args()
    options.serve = ("stepwrite", "serve", "--port", "0", f"model={options.model}")
    requests = requests_for_cells(options.words)
    parts = options.only.split(",")
    found: dict[str, Any] = {"python": platform.python_version(), "repeats": options.repeats}
    if "load" in parts:
        found["load"] = throughput(options, requests)
    if "delays" in parts:
        with started(*options.serve) as service, started("benchmarks.empty", *FAST) as empty:
            found["delays"] = delays(service.port, empty.port, "model", 2 * options.seconds, print)
    if "idle" in parts:
        with started(*options.serve, files=FILES) as service:
            sent, good = idle_connections(service.port, requests[0], options.idle)
            service.process.terminate()
            assert service.process.stderr is not None
            log = len(service.process.stderr.read())
        found["idle"] = {"tried": options.idle, "sent": sent, "answered": good, "log": log}
    found["load_average"] = os.getloadavg()[0]
    write_report(options.out, "service", found, report(found))


if __name__ == "__main__":
    main()
