"""What the command line says beside its results: lines on stderr that begin with its name."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

LONGEST = 1_500  # characters: most of a screen of 24 lines of 80


def say(message: Warning | str, *_: Any, **__: Any) -> None:
    click.echo(brief(f"stepwrite: {message}"), err=True)


def brief(message: str) -> str:
    """A message that fits on a screen, without its middle if it is longer.

    >>> len(brief("x" * 1_000_000)) <= LONGEST
    True
    >>> brief("\\n" * 100).count("\\n")
    20
    """
    lines = message.split("\n")
    if len(lines) > 21:
        message = "\n".join([*lines[:10], "…", *lines[-10:]])
    if len(message) <= LONGEST:
        return message
    half = (LONGEST - 3) // 2
    return f"{message[:half]} … {message[-half:]}"


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Show warnings by their messages alone: files and lines of Python mean nothing to users."""
    with warnings.catch_warnings():
        warnings.showwarning = say
        yield
