"""Which optional packages are not installed, and which of them a failure is for."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

DECLARED = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
PROJECT = DECLARED["project"]
# What extras and the build bring, by the names of modules; docs bring griffe and mkdocs.
OPTIONAL = {
    re.split(r"[^\w-]", requirement)[0].replace("-", "_")
    for extra in (
        *PROJECT["optional-dependencies"].values(),
        DECLARED["build-system"]["requires"],
    )
    for requirement in extra
} | {"griffe", "mkdocs"}
MISSING = {name for name in OPTIONAL if find_spec(name) is None}


def missing_extra(problem: str) -> str:
    """Why a test can't run here, if it is that it needs an extra that is not installed."""
    named = re.search(r"No module named '(\w+)|needs (\w+): pip install", problem)
    name = (named[1] or named[2]) if named else ""
    return f"needs {name}" if name in MISSING else ""


def said_by(error: BaseException) -> Iterator[object]:
    """What a failure says. An assertion may quote the message of a command, which a failed command
    has in `stderr`; a doctest has its error in `exc_info`, several of them in `failures`."""
    yield error
    yield getattr(error, "stderr", None)
    yield getattr(error, "exc_info", (None, None))[1]
    for failure in getattr(error, "failures", ()):
        yield from said_by(failure)
