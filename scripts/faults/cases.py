"""The commands into which faults are injected: how to start them, and how to go on."""

from __future__ import annotations

import hashlib
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.mirror import Mirror
from tests.tiny_experiment import make_experiment

STEMS = ("walk", "talk", "jump", "look", "help", "call", "work", "play")
SIZES = ("--hidden", "8", "--embedding", "6", "--feature-embedding", "3", "--epochs", "2")
DATA = {
    "de/train": "Haus\tN;PL\tHäuser\n".encode() * 8_000,  # several pieces of a download
    "de/dev": "Maus\tN;PL\tMäuse\n".encode(),
    "de/test": b"Tag\tN;PL\tTage\n",
}


@dataclass(frozen=True)
class Case:
    """A command that writes only below a folder.

    start: its arguments. go_on: those of the command that a user gives after it failed.
    """

    name: str
    start: Callable[[Path], list[str]]
    go_on: Callable[[Path], list[str]]


def train_case(home: Path) -> Case:
    rows = home / "train.tsv"
    rows.write_text("".join(f"{stem}\tV;PST\t{stem}ed\n" for stem in STEMS), "utf-8")

    def start(out: Path) -> list[str]:
        files = [str(rows), "--dev", str(rows), "--out", str(out / "model")]
        return ["train", *files, *SIZES, "--members", "2", "--jobs", "1", "--lexicon"]

    def go_on(out: Path) -> list[str]:
        model = out / "model"
        begun = (model / "training").exists() or (model / "config.json").exists()
        return ["train", "--resume", str(model), "--jobs", "1"] if begun else start(out)

    return Case("train", start, go_on)


def reproduce_case(home: Path) -> Case:
    definition = make_experiment(home, epochs=1)

    def start(out: Path) -> list[str]:
        places = ["--data", home / "data", "--runs", out / "runs", "--results", out / "results"]
        which = ["--models", "hard", "--only", "one", "--jobs", "1"]
        return ["reproduce", str(definition), *map(str, places), *which]

    return Case("reproduce", start, start)


def get_case(home: Path, url: str) -> Case:
    lines = ['title = "t"', "[[datasets]]", 'name = "de"', 'title = "t"']
    for path, content in DATA.items():
        checksum = hashlib.sha256(content).hexdigest()
        lines += [f"[datasets.{path[3:]}]", f'path = "{path}"', f'sha256 = "{checksum}"']
    lines += ["[[columns]]", 'key = "DE"', 'title = "t"', 'datasets = ["de"]']
    definition = home / "mine.toml"
    definition.write_text("\n".join(lines), "utf-8")

    def start(out: Path) -> list[str]:
        return ["data", "get", str(definition), "--to", str(out / "data"), "--base-url", url]

    return Case("data get", start, start)


@contextmanager
def all_cases(home: Path) -> Iterator[list[Case]]:
    """The cases, and while the block lasts the server that one of them downloads from."""
    read, write = os.pipe()
    server = os.fork()  # threads in the process that injects faults would not survive its forks
    if not server:
        with Mirror(dict(DATA)) as mirror:
            os.write(write, mirror.url.encode())
            signal.pause()
    try:
        url = os.read(read, 100).decode()
        yield [train_case(home), reproduce_case(home), get_case(home, url)]
    finally:
        os.kill(server, signal.SIGKILL)
        os.waitpid(server, 0)
