"""Inject faults into all commands, at every call or at some, and report what was lost."""

from __future__ import annotations

import argparse
import ctypes
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

from stepwrite.files import write_whole
from stepwrite.terminal import progress_bar

from .cases import Case, all_cases

LIBRARY = "STEPWRITE_FAULTS"  # the environment variable that names the preloaded library
FAULTS = ("full", "broken", "killed")
ENDED = "its training has ended"


@dataclass(frozen=True)
class Ran:
    """How a command ended; calls: "NAME PATH" for each call that changed its folder."""

    code: int
    messages: str
    calls: tuple[str, ...]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="only at each so manieth call")
    parser.add_argument("--only", help="only this command: train, reproduce or data get")
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="stepwrite-faults-") as name:
        home = Path(name).resolve()
        if LIBRARY not in os.environ:
            return start_preloaded(home)
        warm_up(home)
        with all_cases(home) as cases:
            figures = {
                case.name: inject(case, home / "runs", options.every)
                for case in cases
                if options.only in (None, case.name)
            }
    if options.out:
        with write_whole(options.out) as file:
            json.dump({"every": options.every, **figures}, file, indent=1)
            file.write("\n")
    return int(any(figure["failures"] for figure in figures.values()))


def start_preloaded(home: Path) -> int:
    """Run this program again, with the library that injects faults."""
    library = home / "interpose.so"
    source = Path(__file__).with_name("interpose.c")
    compile_it = ["cc", "-O1", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
    subprocess.run(compile_it, check=True)
    command = [sys.executable, "-m", "scripts.faults", *sys.argv[1:]]
    environment = {**os.environ, "LD_PRELOAD": str(library), LIBRARY: str(library)}
    return subprocess.run(command, env=environment, check=False).returncode


def warm_up(home: Path) -> None:
    """Import and compile everything once, so that forks need not, and let time stand still.

    Members train in the process of the command: what they write is the same. Durations are the
    only part of the files that differs between two runs.
    """
    import stepwrite
    from stepwrite.cli import data, reproduce, train  # noqa: F401
    from stepwrite.training import loop, workers
    from stepwrite.training.workers import Unit, Update

    def train_here(units: Iterable[Unit], jobs: int) -> Iterator[Update]:
        for unit in units:
            updates: list[Update] = []
            workers.train_unit(unit, updates.append)
            yield from updates

    workers.train_units = train_here  # type: ignore[assignment]
    vars(loop)["time"] = SimpleNamespace(perf_counter=itertools.count().__next__)
    rows = [stepwrite.Example("walk", "V;PST", "walked")] * 3
    for kind in ("edit", "hard"):
        stepwrite.train(rows, dev=rows, out=home / kind, kind=kind, epochs=1, progress=False)


def inject(case: Case, home: Path, every: int) -> dict[str, int]:
    """Run a command once without a fault, then with one at each call; returns figures."""
    whole = fresh(home / "whole")
    reference = run(case.start(whole), whole)
    problems = [*broken_order(reference.calls)]
    if reference.code:
        problems.append(f"without a fault: {reference.messages}")
    expected = content_of(whole)
    n_calls, n_injected = len(reference.calls), 0
    with progress_bar(case.name) as progress:
        for at in range(1, n_calls + 1, every):
            for fault in FAULTS:
                n_injected += 1
                found = survive(case, fresh(home / "out"), fault, at, expected)
                problems += [f"{fault} at {reference.calls[at - 1]}: {text}" for text in found]
            progress(at, n_calls)
    for problem in problems[:20]:
        print(f"{case.name}: {problem}", file=sys.stderr)
    print(f"{case.name}: {n_calls} calls, {n_injected} faults, {len(problems)} failures")
    return {"calls": n_calls, "faults": n_injected, "failures": len(problems)}


def survive(
    case: Case, out: Path, fault: str, at: int, expected: dict[str, bytes]
) -> Iterator[str]:
    """Run into a fault and go on; yields what is wrong after it."""
    ran = run(case.start(out), out, fault, at)
    if fault == "killed":
        if ran.code != -9:
            yield f"ended with {ran.code} and not by the kill: {ran.messages[-2000:]}"
    elif ran.code and (ran.code != 1 or not last_line(ran.messages).startswith("stepwrite: ")):
        yield f"exit code {ran.code}: {ran.messages[-2000:]}"
    after = run(case.go_on(out), out)
    if after.code and ENDED not in after.messages:
        yield f"can't go on: {after.messages[-2000:]}"
    found = content_of(out)
    for name in sorted(found.keys() | expected.keys()):
        if found.get(name) != expected.get(name):
            yield f"{name} differs after it went on; it had said: {last_line(ran.messages)}"


def run(arguments: Sequence[str], folder: Path, fault: str = "", at: int = 0) -> Ran:
    """Run a command in a fork, with a fault at a call that changes the folder."""
    log, output = (folder.with_suffix(suffix) for suffix in (".log", ".txt"))
    for path in (log, output):
        path.unlink(missing_ok=True)
    child = os.fork()
    if not child:
        handle = os.open(output, os.O_WRONLY | os.O_CREAT, 0o666)
        for stream in (1, 2):
            os.dup2(handle, stream)
        code = 70
        try:
            how = ("", *FAULTS).index(fault)
            library = ctypes.CDLL(os.environ[LIBRARY])
            library.faults_arm(str(folder).encode(), how, at, str(log).encode())
            code = command_line(arguments)
        except BaseException:
            traceback.print_exc()
        finally:
            with suppress(OSError):
                sys.stdout.flush()
            os._exit(code)
    _, status = os.waitpid(child, 0)
    calls = log.read_text("utf-8").splitlines() if log.exists() else []
    return Ran(os.waitstatus_to_exitcode(status), output.read_text("utf-8"), tuple(calls))


def command_line(arguments: Sequence[str]) -> int:
    from stepwrite.cli import main

    sys.argv = ["stepwrite", *arguments]
    try:
        main()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    return 0


def fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def content_of(folder: Path) -> dict[str, bytes]:
    """All files by their path, and folders, which end in a slash and hold nothing."""
    return {
        str(path.relative_to(folder)) + "/" * path.is_dir(): b"" if path.is_dir() else content(path)
        for path in folder.rglob("*")
    }


def content(path: Path) -> bytes:
    return path.read_bytes()


def broken_order(calls: Sequence[str]) -> Iterator[str]:
    """Renames of files whose content, or whose new name, a power cut could undo.

    >>> list(broken_order(["fsync /a/.x.1", "rename /a/.x.1", "unlink /a/.x.1", "fsync /a"]))
    []
    >>> list(broken_order(["rename /a/x", "fsync /b"]))
    ['rename /a/x: no sync before it', 'rename /a/x: no sync of the folder after it']
    """
    for position, call in enumerate(calls):
        name, path = call.split(" ", 1)
        if name != "rename" or "/.training." in path or path.endswith("/training"):
            continue  # folders: what is in them was synced when it was written
        if f"fsync {path}" not in calls[:position]:
            yield f"{call}: no sync before it"
        if f"fsync {Path(path).parent}" not in calls[position : position + 3]:
            yield f"{call}: no sync of the folder after it"


def last_line(messages: str) -> str:
    return (messages.strip().splitlines() or [""])[-1]


if __name__ == "__main__":
    sys.exit(main())
