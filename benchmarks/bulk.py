"""`stepwrite inflect --file` on a large file: `python -m benchmarks.bulk`.

Rows per second and peak memory, of all processes together, with one and with two jobs; processor
time as well, which other load on the machine affects less. The lemmas are made up from parts of
real ones, so that hardly two are alike. Then the time for n-best over greedy. Writes bulk.json and
bulk.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.measured import write_report
from stepwrite import read

ROOT = Path(__file__).parent.parent
PAUSE = 0.05  # seconds between two looks at the memory


@dataclass(frozen=True)
class Run:
    """One command: seconds of wall-clock and of processor time, bytes of memory at its peak."""

    rows: int
    seconds: float
    cpu: float
    memory: int

    @property
    def rate(self) -> float:
        return self.rows / self.seconds


def made_up(path: str, n_rows: int) -> Iterator[tuple[str, str]]:
    """Lemmas of three parts that never met, each with features that go with the last one."""
    rows, chance = read(path), random.Random(1)
    for _ in range(n_rows):
        first, second, last = chance.choices(rows, k=3)
        parts = (third(row.lemma, place) for place, row in enumerate((first, second, last)))
        yield "".join(parts), last.features


def third(text: str, place: int) -> str:
    """The first, second or last third.

    >>> [third("Häuser", place) for place in range(3)]
    ['Hä', 'us', 'er']
    """
    return text[len(text) * place // 3 : len(text) * (place + 1) // 3]


def write_words(path: Path, words: Iterable[tuple[str, str]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{lemma}\t{features}\n" for lemma, features in words)


def run(rows: int, *arguments: object) -> Run:
    """Run the command and watch its memory."""
    command = [sys.executable, "-m", "stepwrite", "inflect", *map(str, arguments)]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        watch = Watch(process.pid)
        watch.start()
        code = process.wait()
        watch.stop()
    if code:
        sys.exit(f"exit code {code}: {' '.join(command)}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(rows, time.perf_counter() - start, cpu, watch.peak)


class Watch(threading.Thread):
    """Notes the peak memory of a process and its children; pages they share count once."""

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self.process, self.peak = process, 0
        self._done = threading.Event()

    def run(self) -> None:
        while not self._done.wait(PAUSE):
            self.peak = max(self.peak, sum(map(memory, family(self.process))))

    def stop(self) -> None:
        self._done.set()
        self.join()


def family(process: int) -> list[int]:
    """A process and all below it."""
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()
    except OSError:  # it has just ended
        return []
    return [process, *(below for child in children for below in family(int(child)))]


def memory(process: int) -> int:
    """Bytes of resident memory, shared pages in proportion."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text("ascii").splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def report(found: dict[str, Any]) -> str:
    """The figures as a table."""
    one, two, greedy, best = (Run(**found[name]) for name in ("1", "2", "greedy", "n_best"))
    rows = {
        f"{one.rows:,} rows, 1 job: rows/s": f"{one.rate:,.0f}",
        f"{two.rows:,} rows, 2 jobs: rows/s": f"{two.rate:,.0f}",
        "2 jobs / 1 job": f"{two.rate / one.rate:.2f}",
        "the same from processor time, on two free cores": f"{2 * one.cpu / two.cpu:.2f}",
        "peak memory, 1 and 2 jobs": f"{one.memory / 1e6:.0f} and {two.memory / 1e6:.0f} MB",
        f"{best.rows:,} words: {found['n']}-best / greedy, time": (
            f"{best.seconds / greedy.seconds:.1f} ({best.cpu / greedy.cpu:.1f} in processor time)"
        ),
        "load average of the machine, before and after": " and ".join(
            f"{load:.1f}" for load in found["load_average"]
        ),
    }
    about = f"Model: {found['model']}. The lemmas are made up, so that hardly two are alike.\n"
    lines = [f"| {name} | {text} |" for name, text in rows.items()]
    return "\n".join(
        ["# Large files", "", about, "| what | measured |", "| --- | --- |", *lines, ""]
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bulk", description=__doc__)
    parser.add_argument("--model", default="german-nouns", help="a directory or a name")
    parser.add_argument("--words", default=str(ROOT / "examples/german-nouns/unseen.tsv"))
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--few", type=int, default=20_000, help="rows for n-best and greedy")
    parser.add_argument("--n-best", type=int, default=3)
    parser.add_argument("--out", type=Path, default=ROOT / "results/benchmarks")
    options = parser.parse_args()
    found: dict[str, Any] = {"python": platform.python_version(), "model": options.model}
    found |= {"n": options.n_best, "load_average": [os.getloadavg()[0]]}
    with tempfile.TemporaryDirectory() as folder:
        words, few, out = (Path(folder, name) for name in ("words.tsv", "few.tsv", "forms.tsv"))
        columns = ("--columns", "lemma,features")
        write_words(words, made_up(options.words, options.rows))
        write_words(few, made_up(options.words, options.few))
        runs = {
            "greedy": (options.few, few, ()),
            "n_best": (options.few, few, ("--n-best", options.n_best)),
            "1": (options.rows, words, ("--jobs", 1)),
            "2": (options.rows, words, ("--jobs", 2)),
        }
        for name, (n_rows, rows, more) in runs.items():
            out.unlink(missing_ok=True)
            done = run(n_rows, options.model, "--file", rows, *columns, "--out", out, *more)
            with out.open("rb") as lines:
                assert sum(1 for _ in lines) == n_rows
            found[name] = asdict(done)
            print(f"{name}: {done.rate:,.0f} rows/s, {done.memory / 1e6:.0f} MB", flush=True)
    found["load_average"].append(os.getloadavg()[0])
    write_report(options.out, "bulk", found, report(found))


if __name__ == "__main__":
    main()
