"""Without an extra, what needs it is skipped: tests, doctests, and modules that import it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from stepwrite.errors import MissingExtraError

PROJECT = tomllib.loads(Path(__file__).with_name("pyproject.toml").read_text("utf-8"))["project"]
OPTIONAL = {  # what extras bring, by the names of modules; docs bring griffe and mkdocs
    re.split(r"[^\w-]", requirement)[0].replace("-", "_")
    for extra in PROJECT["optional-dependencies"].values()
    for requirement in extra
} | {"griffe", "mkdocs"}
MISSING = {name for name in OPTIONAL if find_spec(name) is None}


def missing_extra(problem: str) -> str:
    """Why a test can't run here, if it is that it needs an extra that is not installed."""
    named = re.search(r"No module named '(\w+)|needs (\w+): pip install", problem)
    name = (named[1] or named[2]) if named else ""
    return f"needs {name}" if name in MISSING else ""


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if report.failed and (reason := missing_extra(str(report.longrepr))):
        report.outcome = "skipped"
        report.longrepr = (str(collector.path), 0, f"Skipped: {reason}")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    with skipped_without_extras():
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    with skipped_without_extras():
        yield


@contextmanager
def skipped_without_extras() -> Iterator[None]:
    try:
        yield
    except (MissingExtraError, ImportError) as error:
        if reason := missing_extra(str(error)):
            pytest.skip(reason)
        raise
