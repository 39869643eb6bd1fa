"""Tests that need an extra are skipped where it is not installed, however they fail."""

from __future__ import annotations

import doctest
import subprocess
import sys

import pytest
from tests import extras


def needy() -> Exception:
    return RuntimeError("the aligner needs wanting: pip install 'stepwrite[train]'")


def of_doctest() -> Exception:
    test = doctest.DocTestParser().get_doctest(">>> needy()", {}, "needy", None, 0)
    try:
        raise needy()
    except RuntimeError:
        return doctest.UnexpectedException(test, test.examples[0], sys.exc_info())


class Several(Exception):
    failures = (ValueError("another"), of_doctest())


@pytest.mark.parametrize(
    "error",
    [
        needy(),
        ModuleNotFoundError("No module named 'wanting'"),
        subprocess.CalledProcessError(1, "stepwrite", stderr=str(needy()).encode()),
        of_doctest(),
        Several(),
    ],
)
def test_what_is_missing_is_found(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    said = " ".join(map(str, extras.said_by(error)))
    assert not extras.missing_extra(said)
    monkeypatch.setattr(extras, "MISSING", {"wanting"})
    assert extras.missing_extra(said) == "needs wanting"
    assert not extras.missing_extra(" ".join(map(str, extras.said_by(ValueError("wanting")))))


def test_the_build_is_no_requirement_of_the_tests() -> None:
    assert {"setuptools", "torch", "uvicorn"} <= extras.OPTIONAL
