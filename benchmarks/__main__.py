"""Run all contenders alternately and repeatedly, and write the measurements."""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from benchmarks import report, yoyodyne_environment
from benchmarks.report import Figure
from stepwrite.files import write_whole

ROOT = Path(__file__).parent.parent
GROUPS = ("training", "members", "decoding", "startup", "lengths", "aligner", "evaluation")
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@dataclass(frozen=True)
class Run:
    """A command to measure: a driver prints its figures; for others we take time and memory."""

    group: str
    contender: str
    command: tuple[str, ...]
    driver: bool = True


@dataclass(frozen=True)
class Plan:
    """Where the files are and how much to measure."""

    train: Path
    words: Path
    model: Path
    cache: Path
    yoyodyne: Path | None
    quick: bool

    def stepwrite(self, task: str, *options: str) -> tuple[str, ...]:
        paths = ("--train", str(self.train), "--words", str(self.words), "--model", str(self.model))
        return (sys.executable, "-m", "benchmarks.stepwrite_driver", task, *paths, *options)

    def training(self, network: str, *options: str) -> tuple[str, ...]:
        steps = "16" if self.quick else "256"
        return self.stepwrite("training", "--network", network, "--steps", steps, *options)

    def members(self, number: int) -> tuple[str, ...]:
        some = ("--examples", "500") if self.quick else ()
        return self.stepwrite("members", "--members", str(number), *some)

    def peer(self, task: str, attention: str) -> tuple[str, ...]:
        driver = str(ROOT / "benchmarks" / "yoyodyne_driver.py")
        paths = ("--train", str(self.train), "--words", str(self.words), "--cache", str(self.cache))
        steps = ("--warm-up", "2", "--steps", "4") if self.quick else ()
        return (str(self.yoyodyne), driver, task, attention, *paths, *steps)

    def runs(self) -> Iterator[Run]:
        """All measurements; within a group, contenders alternate in this order."""
        yield Run("training", report.STEPWRITE, self.training("stepwrite"))
        yield Run("training", report.TORCH, self.training("torch"))
        dropout, wide = ("--dropout", "0.3"), ("--embedding", "300")
        yield Run("training", report.DROPOUT, self.training("stepwrite", *dropout))
        yield Run("training", report.TORCH_DROPOUT, self.training("torch", *dropout))
        yield Run("training", report.WIDE, self.training("stepwrite", *wide))
        yield Run("training", report.TORCH_WIDE, self.training("torch", *wide))
        yield Run("decoding", report.STEPWRITE, self.stepwrite("decoding"))
        if self.yoyodyne:
            for task in ("training", "decoding"):
                yield Run(task, report.HARD, self.peer(task, "hard"))
                yield Run(task, report.SOFT, self.peer(task, "soft"))
        yield Run("members", report.ONE, self.members(1))
        yield Run("members", report.TWO, self.members(2))
        program = str(Path(sys.executable).with_name("stepwrite"))
        word = tuple(self.words.read_text(encoding="utf-8").split("\n")[0].split("\t")[:2])
        numpy = (sys.executable, "-c", "import numpy")
        yield Run("startup", report.NUMPY, numpy, driver=False)
        yield Run("startup", report.HELP, (program, "--help"), driver=False)
        inflect = (program, "inflect", str(self.model), *word)
        yield Run("startup", report.INFLECT, inflect, driver=False)
        yield Run("lengths", report.STEPWRITE, self.stepwrite("lengths"))
        yield Run("aligner", report.STEPWRITE, self.stepwrite("aligner"))
        yield Run("evaluation", report.STEPWRITE, self.stepwrite("evaluation"))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with sigmorphon2016/")
    parser.add_argument("--out", type=Path, default=Path("results/benchmarks"))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", default=",".join(GROUPS), help="comma-separated groups")
    parser.add_argument("--no-yoyodyne", action="store_true", help="skip Yoyodyne")
    parser.add_argument("--quick", action="store_true", help="a smoke test")
    arguments = parser.parse_args()
    groups = arguments.only.split(",")
    if unknown := set(groups) - set(GROUPS):
        parser.error(f"unknown group {', '.join(unknown)}: choose from {', '.join(GROUPS)}")
    folder = arguments.data.resolve() / "sigmorphon2016"
    train, dev = folder / "german-task1-train", folder / "german-task1-dev"
    for path in (train, dev):
        if not path.is_file():
            parser.error(f"{path}: no such file")
    cache = arguments.out.resolve() / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    (cache / ".gitignore").write_text("*\n")
    peers = not arguments.no_yoyodyne and {"training", "decoding"} & set(groups)
    plan = Plan(
        train=train,
        words=sample(dev, cache / "words.tsv", 64 if arguments.quick else 512),
        model=cache / ("model-quick" if arguments.quick else "model"),
        cache=cache,
        yoyodyne=yoyodyne_environment.make(cache / "yoyodyne") if peers else None,
        quick=arguments.quick,
    )
    if {"decoding", "startup", "lengths"} & set(groups) and not (
        plan.model / "config.json"
    ).exists():
        shutil.rmtree(plan.model, ignore_errors=True)
        print("training a model to decode with ...", file=sys.stderr)
        size = ("--examples", "500", "--epochs", "1") if arguments.quick else ("--epochs", "4")
        execute(Run("", "", plan.stepwrite("model", *size)))
    about = surroundings(arguments.repeats, len(os.sched_getaffinity(0)))
    figures: list[Figure] = []
    for group in groups:
        runs = [run for run in plan.runs() if run.group == group]
        figures += measure(runs, arguments.repeats)
        write(arguments.out, figures, about)
    print(report.markdown(figures, about), end="")


def sample(source: Path, target: Path, n_rows: int) -> Path:
    """The words that all contenders decode."""
    rows = source.read_text(encoding="utf-8").splitlines()
    with write_whole(target) as file:
        file.writelines(f"{row}\n" for row in random.Random(0).sample(rows, n_rows))
    return target


def measure(runs: Iterable[Run], repeats: int) -> Iterator[Figure]:
    """Alternate between the runs, so that a temporary slowdown of the machine affects all."""
    runs = list(runs)
    for run in runs:
        if not run.driver:
            execute(run)  # to fill the disk cache
    short = all(not run.driver for run in runs)
    for repeat in range(4 * repeats if short else repeats):
        for run in runs:
            results = execute(run)
            print(f"{run.group}, {run.contender}: {results}", file=sys.stderr)
            for quantity, value in results.items():
                yield Figure(run.group, run.contender, quantity, repeat, value)


def execute(run: Run) -> dict[str, float]:
    """Run one process with one thread; return what it printed, or its time."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        start = time.perf_counter()
        process = subprocess.Popen(
            run.command,
            cwd=ROOT,
            env={**os.environ, **dict.fromkeys(THREADS, "1")},
            stdout=output,
            stderr=errors,
        )
        # Not process.wait(): this call also returns the peak memory, including children.
        _, status, usage = os.wait4(process.pid, 0)
        milliseconds = 1000 * (time.perf_counter() - start)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode:
            raise SystemExit(
                f"{errors.read()}\n{' '.join(run.command)}: exit code {process.returncode}"
            )
        results: dict[str, float] = json.load(output) if run.driver else {"ms": milliseconds}
    return {**results, "peak MB": usage.ru_maxrss / 1024}


def surroundings(repeats: int, n_cores: int) -> list[str]:
    """What a reader must know about the machine."""
    cpu = platform.processor() or platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            cpu = line.partition(":")[2].strip()
            break
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "torch", "numba"))
    return [
        f"{cpu}, {n_cores} core(s); load before: {os.getloadavg()[0]:.2f}",
        f"Python {platform.python_version()}, {packages}, stepwrite {version('stepwrite')}, "
        f"Yoyodyne {yoyodyne_environment.version()}",
        "SIGMORPHON 2016 German; embedding 100 (or 300), hidden 100, feature embedding 20, "
        "2 + 2 layers, batch 16, one thread",
        f"medians over {repeats} runs, each in a process of its own, contenders taking turns",
    ]


def write(out: Path, figures: list[Figure], about: list[str]) -> None:
    with write_whole(out / "benchmarks.md") as file:
        file.write(report.markdown(figures, about))
    with write_whole(out / "benchmarks.tsv") as file:
        file.write("\t".join(Figure._fields) + "\n")
        file.writelines("\t".join(map(str, figure)) + "\n" for figure in figures)


if __name__ == "__main__":
    main()
