"""Without an extra, what needs it is skipped: tests, doctests, and modules that import it."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager

import pytest
from tests.extras import missing_extra, said_by


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
    except Exception as error:
        if reason := missing_extra(" ".join(map(str, said_by(error)))):
            pytest.skip(reason)
        raise
