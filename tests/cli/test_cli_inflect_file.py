"""`stepwrite inflect --file`: the same bytes by whatever way, and after any interruption."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from stepwrite.bulk import chunks, rows
from stepwrite.bulk.output import journal_of, part_of
from stepwrite.model.directory import Model, save_model

MODULE = [sys.executable, "-m", "stepwrite"]
N_ROWS = 300


@pytest.fixture
def model(tmp_path: Path, random_model: Callable[..., Model]) -> str:
    save_model(tmp_path / "model", random_model(kind="edit", members=2, scale=1.0), "", "")
    return str(tmp_path / "model")


@pytest.fixture
def words(tmp_path: Path) -> Path:
    path = tmp_path / "words.tsv"
    letters = "goseewnta"
    lemmas = ["".join(letters[n // 9**k % 9] for k in range(4)) for n in range(N_ROWS)]
    path.write_text(
        "".join(f"{lemma}\tV;{'PST' if n % 2 else 'PRS'}\n" for n, lemma in enumerate(lemmas))
    )
    return path


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (chunks, rows):
        monkeypatch.setattr(module, "CHUNK", 40)


@pytest.mark.parametrize("options", [[], ["--n-best", "3"], ["--format", "jsonl"]], ids=str)
@pytest.mark.usefixtures("small_chunks")
def test_the_same_by_any_way(
    stepwrite, model: str, words: Path, tmp_path: Path, options: list[str]
) -> None:
    pytest.importorskip("zstandard")
    base = ("inflect", model, "--layout", "covered", *options)
    plain = stepwrite(*base, "--file", str(words))
    assert plain.code == 0
    assert len(plain.out.splitlines()) == N_ROWS
    assert stepwrite(*base, "--file", "-", stdin=words.read_bytes()).out == plain.out
    packed = tmp_path / "words.tsv.gz"
    packed.write_bytes(gzip.compress(words.read_bytes()))
    for name, jobs in (("out.tsv", "1"), ("out.tsv.gz", "2"), ("out.tsv.zst", "1")):
        out = tmp_path / name
        ran = stepwrite(*base, "--file", str(packed), "--out", str(out), "--jobs", jobs)
        assert (ran.code, ran.out) == (0, "")
        assert sorted(set(ran.err.splitlines())) == sorted(set(plain.err.splitlines()))
        assert unpacked(out) == plain.out.encode()
    assert not list(tmp_path.glob("*.part*"))


def unpacked(path: Path) -> bytes:
    from stepwrite.data.compressed import open_binary

    with open_binary(path) as file:
        return file.read()


@pytest.mark.parametrize("name", ["out.tsv", "out.tsv.gz"])
@pytest.mark.usefixtures("small_chunks")
def test_resume(
    stepwrite, model: str, words: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Stopped after three chunks, resumed to the same bytes without inflecting them again."""
    from stepwrite.bulk import processes

    base = ("inflect", model, "--layout", "covered", "--file", str(words))
    whole, out = tmp_path / f"whole-{name}", tmp_path / name
    assert stepwrite(*base, "--out", str(whole)).code == 0
    work, done = chunks.inflect_chunk, []

    def stopping(inflector, request, examples):
        done.append(len(examples))
        if len(done) == 4:
            signal.raise_signal(signal.SIGTERM)
        return work(inflector, request, examples)

    monkeypatch.setattr(processes, "inflect_chunk", stopping)
    ran = stepwrite(*base, "--out", str(out))
    assert ran.code == 128 + signal.SIGTERM
    assert f"stopped; resume with: stepwrite {' '.join(base)} --out {out} --resume" in ran.err
    assert not out.exists()
    refused = stepwrite(*base, "--out", str(out))
    assert (refused.code, refused.out) == (1, "")
    assert "an earlier run was interrupted: add --resume" in refused.err
    other = stepwrite(*base, "--out", str(out), "--n-best", "2", "--resume")
    assert other.code == 1
    assert "made with another n_best" in other.err
    done.clear()
    done.extend([0] * 4)
    assert stepwrite(*base, "--out", str(out), "--resume").code == 0
    assert sum(done) == N_ROWS - 3 * 40
    assert out.read_bytes() == whole.read_bytes()
    assert not part_of(out).exists()
    assert not journal_of(out).exists()
    again = stepwrite(*base, "--out", str(out), "--resume")
    assert again == (0, "", f"stepwrite: {out}: already complete\n")


def test_killed_at_any_time(trained_model: Path, words: Path, tmp_path: Path) -> None:
    """With SIGKILL, and two processes, which end by themselves."""
    words.write_text(words.read_text() * 80)
    reading = ["--layout", "covered", "--file", str(words)]
    reading += ["--unknown-features", "ignore"]
    command = [*MODULE, "inflect", str(trained_model), *reading]
    whole, out = tmp_path / "whole.tsv", tmp_path / "out.tsv"
    subprocess.run([*command, "--out", str(whole)], check=True, capture_output=True)
    resume = [*command, "--out", str(out), "--jobs", "2", "--resume"]
    process = subprocess.Popen(resume, stderr=subprocess.DEVNULL)
    while not journal_of(out).exists() and process.poll() is None:
        time.sleep(0.01)
    workers = children(process.pid)
    process.kill()
    process.wait()
    assert not out.exists()
    assert len(workers) >= 2
    for _ in range(300):
        if not any(map(alive, workers)):
            break
        time.sleep(0.1)
    else:
        raise AssertionError("processes outlive their parent")
    subprocess.run(resume, check=True, capture_output=True)
    assert out.read_bytes() == whole.read_bytes()


def children(pid: int) -> list[int]:
    return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()


@pytest.mark.usefixtures("small_chunks")
def test_a_bad_row_leaves_no_output(stepwrite, model: str, words: Path, tmp_path: Path) -> None:
    words.write_text(words.read_text() + "alone\n" + words.read_text())
    base = ("inflect", model, "--layout", "covered", "--file", str(words), "--jobs", "2")
    ran = stepwrite(*base, "--out", str(tmp_path / "out.tsv"))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.endswith("line 301: 1 column, expected 2 (lemma, features): 'alone'\n")
    assert not list(tmp_path.glob("out*"))
    ran = stepwrite(*base, "--skip-bad")
    assert len(ran.out.splitlines()) == 2 * N_ROWS
    assert ran.err.count("skipped 1 of 601 rows") == 1


@pytest.mark.usefixtures("small_chunks")
def test_a_file_that_changes(
    stepwrite, model: str, words: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from stepwrite.bulk import processes

    work = chunks.inflect_chunk

    def growing(inflector, request, examples):
        if len(examples) == chunks.CHUNK:
            with words.open("a") as file:
                file.write("go\tV;PST\n")
        return work(inflector, request, examples)

    monkeypatch.setattr(processes, "inflect_chunk", growing)
    ran = stepwrite("inflect", model, "--layout", "covered", "--file", str(words))
    assert ran.code == 1
    assert "changed while it was being read" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["go", "V;PST", "--jobs", "2"],
        ["go", "V;PST", "--out", "x.tsv"],
        ["--file", "x.tsv", "--explain", "--out", "y.tsv"],
        ["--file", "x.tsv", "--resume"],
        ["--file", "-", "--out", "y.tsv", "--resume"],
        ["--file", "x.tsv", "--address", "auto"],
        ["--file", "x.tsv", "--jobs", "0"],
    ],
    ids=" ".join,
)
def test_usage_mistakes(stepwrite, model: str, arguments: list[str]) -> None:
    ran = stepwrite("inflect", model, *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Usage: stepwrite inflect")
