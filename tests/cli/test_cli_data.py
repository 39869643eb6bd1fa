"""`stepwrite data`: downloading and checking files from the command line."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.mirror import Mirror

FILES = {
    "de/train": "Haus\tN;PL\tHäuser\n".encode() * 50_000,
    "de/dev": "Maus\tN;PL\tMäuse\n".encode(),
    "de/test": b"Tag\tN;PL\tTage\n",
}


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    with Mirror(dict(FILES)) as server:
        yield server


@pytest.fixture
def experiment(tmp_path: Path, mirror: Mirror) -> str:
    """An experiment whose training file has an address; dev and test are only on the mirror."""
    lines = ['title = "t"', "[[datasets]]", 'name = "de"', 'title = "t"']
    for path, content in FILES.items():
        url = f'url = "{mirror.url}/{path}"' if path == "de/train" else ""
        checksum = hashlib.sha256(content).hexdigest()
        lines += [f"[datasets.{path[3:]}]", f'path = "{path}"', f'sha256 = "{checksum}"', url]
    lines += ["[[datasets]]", 'name = "nl"', 'title = "t"', 'note = "Lost at sea."']
    lines += ["[[columns]]", 'key = "DE"', 'title = "t"', 'datasets = ["de"]']
    definition = tmp_path / "mine.toml"
    definition.write_text("\n".join(lines), "utf-8")
    return str(definition)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


def lines(word: str, folder: Path) -> str:
    return "".join(f"{word:8} {folder / path}\n" for path in FILES)


def test_get_and_check(stepwrite, mirror: Mirror, experiment: str, folder: Path) -> None:
    get = ["data", "get", experiment, "--to", str(folder), "--base-url", f"{mirror.url}/"]
    assert stepwrite(*get) == (0, lines("fetched", folder), "nl: Lost at sea.\n")
    assert {path: (folder / path).read_bytes() for path in FILES} == FILES
    assert [path for path, _ in mirror.asked] == ["/de/train", "/de/dev", "/de/test"]
    assert stepwrite("data", "check", str(folder), experiment) == (0, lines("ok", folder), "")

    assert stepwrite(*get) == (0, lines("ok", folder), "nl: Lost at sea.\n")
    assert len(mirror.asked) == 3

    (folder / "de/dev").write_text("altered")
    (folder / "de/test").unlink()
    ran = stepwrite("data", "check", str(folder), experiment)
    assert (ran.code, ran.err) == (1, "stepwrite: 2 of 3 files missing or wrong\n")
    ok, wrong, missing = ran.out.splitlines()
    assert ok == f"ok       {folder}/de/train"
    assert wrong.startswith(f"wrong    {folder}/de/dev: wrong checksum: SHA-256 ")
    assert missing == f"missing  {folder}/de/test"

    assert stepwrite(*get).out.splitlines() == [
        f"ok       {folder}/de/train",
        f"fetched  {folder}/de/dev",
        f"fetched  {folder}/de/test",
    ]
    assert len(mirror.asked) == 5


def test_files_without_an_address(stepwrite, experiment: str, folder: Path) -> None:
    ran = stepwrite("data", "get", experiment, "--to", str(folder))
    assert (ran.code, ran.out) == (1, f"fetched  {folder}/de/train\n")
    assert ran.err.splitlines()[1:] == [
        f"stepwrite: {folder}/de/dev, {folder}/de/test: no known address; "
        "put it there by hand, or give --base-url"
    ]


@pytest.mark.parametrize(
    ("faults", "complaint"),
    [([404], "HTTP 404 Not Found"), (["wrong"], "wrong checksum: SHA-256 ")],
)
def test_failures_cost_one_line(
    stepwrite, mirror: Mirror, experiment: str, folder: Path, faults: list, complaint: str
) -> None:
    mirror.faults = faults
    ran = stepwrite("data", "get", experiment, "--to", str(folder), "--base-url", mirror.url)
    assert (ran.code, ran.out) == (1, "")
    (line,) = ran.err.splitlines()[1:]
    assert line.startswith(f"stepwrite: {mirror.url}/de/train: {complaint}")
    assert [path for path in folder.rglob("*") if path.is_file()] == []


def test_killed_and_run_again(stepwrite, mirror: Mirror, experiment: str, folder: Path) -> None:
    """kill -9 during a download: the file is absent, and the next run requests only the rest."""
    mirror.faults = ["stalled"]
    get = ["data", "get", experiment, "--to", str(folder), "--base-url", mirror.url]
    with subprocess.Popen([sys.executable, "-m", "stepwrite", *get]) as process:
        mirror.wait_for(1)
        part = folder / "de/train.part"
        while not part.exists() or part.stat().st_size < 1 << 17:
            assert process.poll() is None
        other = stepwrite(*get)
        process.kill()
    assert (other.code, other.err.splitlines()[1:]) == (
        1,
        [f"stepwrite: {folder}: another process is using it"],
    )
    assert not (folder / "de/train").exists()
    size = part.stat().st_size
    assert stepwrite(*get).code == 0
    assert mirror.asked[1] == ("/de/train", f"bytes={size}-")
    assert {path: (folder / path).read_bytes() for path in FILES} == FILES
    assert not part.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["get", "celex"],
        ["get", "celex", "--to", "x", "--base-url", "mirror.example"],
        ["check"],
        ["get", "celex", "--to", __file__],
        ["fetch"],
    ],
)
def test_usage_mistakes(stepwrite, arguments: list[str]) -> None:
    ran = stepwrite("data", *arguments)
    assert (ran.code, ran.out) == (2, "")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["get", "klingon", "--to", "x"], "unknown experiment 'klingon'"),
        (["check", ".", "klingon"], "unknown experiment 'klingon'"),
        (["check", "nowhere"], "nowhere: no such data folder"),
    ],
)
def test_mistakes(stepwrite, arguments: list[str], complaint: str) -> None:
    ran = stepwrite("data", *arguments)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"stepwrite: {complaint}")


def test_without_names_all_experiments_are_checked(stepwrite, tmp_path: Path) -> None:
    ran = stepwrite("data", "check", str(tmp_path))
    assert ran.err == "stepwrite: 385 of 385 files missing or wrong\n"


@pytest.mark.parametrize("verb", ["get", "check"])
def test_help_has_examples(stepwrite, verb: str) -> None:
    assert f"  stepwrite data {verb} " in stepwrite("data", verb, "--help").out
