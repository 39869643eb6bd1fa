"""What the command line says beside its results: lines on stderr that begin with its name."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click


def say(message: Warning | str, *_: Any, **__: Any) -> None:
    click.echo(f"stepwrite: {message}", err=True)


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Show warnings by their messages alone: files and lines of Python mean nothing to users."""
    with warnings.catch_warnings():
        warnings.showwarning = say
        yield
