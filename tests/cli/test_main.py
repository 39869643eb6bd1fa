"""The command line as a whole: fast start, help, and clean exits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from stepwrite import __version__
from stepwrite.cli import VERBS
from stepwrite.cli.models import models

DATA = Path(__file__).parents[2] / "examples" / "german-nouns"
MODULE = [sys.executable, "-m", "stepwrite"]
HEAVY = {"numba", "numpy", "rapidfuzz", "rich", "safetensors", "scipy", "torch"}


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['stepwrite', '--help']\n"
        "import atexit; atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
        "from stepwrite.cli import main; main()"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "stepwrite.cli" in ran.stderr.split()
    assert not HEAVY & set(ran.stderr.split())


def test_help_lists_every_verb(stepwrite) -> None:
    ran = stepwrite("--help")
    assert ran.code == 0
    assert all(f"  {verb} " in ran.out and line in ran.out for verb, line in VERBS.items())


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(stepwrite, verb: str) -> None:
    ran = stepwrite(verb, "--help")
    assert ran.code == 0
    assert "Example" in ran.out
    assert f"  stepwrite {verb} " in ran.out
    assert stepwrite(verb, "-h") == ran


def test_warnings_of_any_verb_come_without_paths(
    stepwrite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def warn(**_) -> None:
        warnings.warn("mind the gap", UserWarning, stacklevel=1)

    monkeypatch.setattr(models, "callback", warn)
    assert stepwrite("models") == (0, "", "stepwrite: mind the gap\n")


def test_version(stepwrite) -> None:
    assert stepwrite("--version").out == f"stepwrite, version {__version__}\n"


@pytest.mark.parametrize("arguments", [["inflate"], ["--loud"], ["align"]])
def test_usage_mistakes(stepwrite, arguments: list[str]) -> None:
    ran = stepwrite(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Usage: stepwrite")


def test_module_is_the_same_program(stepwrite) -> None:
    ran = subprocess.run([*MODULE, "--help"], capture_output=True, text=True, check=True)
    assert ran.stdout == stepwrite("--help").out


@pytest.mark.parametrize(
    "arguments",
    [
        ["align", "--aligner", "edit", str(DATA / "train.tsv")],
        ["baseline", str(DATA / "dev.tsv"), str(DATA / "test.tsv")],
    ],
)
def test_reader_that_has_seen_enough(arguments: list[str]) -> None:
    """Like `| head -1`: one line is read, then the pipe is closed."""
    with subprocess.Popen(
        [*MODULE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline()
        process.stdout.close()
        complaints = [line for line in process.stderr if "layout" not in line]
    assert complaints == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("n_rows", [1, 500])
def test_full_disk_behind_stdout(tmp_path: Path, n_rows: int) -> None:
    lines = (DATA / "test.tsv").read_text("utf-8").splitlines(keepends=True)
    rows = tmp_path / "rows.tsv"
    rows.write_text("".join(lines[:n_rows]), "utf-8")
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [*MODULE, "baseline", str(DATA / "dev.tsv"), str(rows)],
            stdout=full,
            stderr=subprocess.PIPE,
            env={k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"},
            text=True,
        )
    assert ran.returncode == 1
    assert ran.stderr.splitlines()[2:] == ["stepwrite: <stdout>: No space left on device"]


def test_output_is_utf8_in_every_locale() -> None:
    ran = subprocess.run(
        [*MODULE, "align", "--aligner", "edit", "--columns", "lemma,form", "-"],
        input="Maus\tMäuse\n".encode(),
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
    )
    assert ran.stdout.decode().startswith("Maus + - -> Mäuse\n")


def test_interrupt_is_quiet() -> None:
    """Ctrl-C while the command waits for input: the shell's exit code, no traceback."""
    with subprocess.Popen(
        [*MODULE, "align", "--columns", "lemma,form", "-"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # jobs may ignore it
    ) as process:
        process.stdin.write(b"a\tb\n" * 100_000)
        process.stdin.flush()  # more than a pipe buffer: the command is reading now
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) == 130
        assert process.stderr.read() == b""


STOPPED_INSIDE = """
import os, signal, time
from stepwrite.cli.progress import stoppable
with stoppable("stepwrite go on"):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
    except Exception:
        print("the stop was taken for an error")
    finally:
        os.kill(os.getpid(), signal.SIGINT)  # pressed twice
        print("cleaned up")
"""


def test_a_stop_is_not_lost_in_somebody_elses_except() -> None:
    """For example, click's echo inspects its stream under `except Exception`."""
    ran = subprocess.run([sys.executable, "-c", STOPPED_INSIDE], capture_output=True, text=True)
    assert ran.stdout == "cleaned up\n"
    assert ran.stderr.startswith("stopped; resume with: stepwrite go on\n")
    assert ran.stderr.splitlines()[-1] == "click.exceptions.Exit: 130"


@pytest.mark.parametrize("long", ["x" * 100_000, "x\n" * 50_000, ";".join("abcdefgh" * 10_000)])
@pytest.mark.parametrize(
    "arguments",
    [
        ["{}"],
        ["inflect", "{}", "Haus"],
        ["inflect", "german", "Haus", "{}"],
        ["inflect", "german", "Haus", "N", "--lexicon", "{}"],
        ["inflect", "german", "Haus", "--{}"],
        ["models", "verify", "german", "{}"],
        ["paradigm", "german", "Haus", "--only", "{}"],
    ],
    ids=" ".join,
)
def test_messages_fit_on_a_screen(stepwrite, arguments: list[str], long: str) -> None:
    ran = stepwrite(*(argument.format(long) for argument in arguments))
    assert ran.code in (0, 1, 2)
    assert sum(1 + len(line) // 80 for line in ran.err.splitlines()) <= 2 * 24
