"""Signals that stop long work and leave it ready to be resumed."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import click

BETWEEN_STOPS = 3.0  # seconds: pressing Ctrl-C twice in a row counts as once


class Stopped(BaseException):
    """A signal requested termination; not an `Exception`, so that no handler swallows it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def stoppable(command: str) -> Iterator[None]:
    """SIGINT and SIGTERM end the block and print the command that resumes the work."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    asked_at = -BETWEEN_STOPS

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal asked_at
        if time.monotonic() - asked_at > BETWEEN_STOPS:  # else it is already stopping
            asked_at = time.monotonic()
            raise Stopped(number)

    handlers = [signal.signal(number, stop) for number in numbers]
    try:
        yield
    except Stopped as stopped:
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
        click.echo(f"stopped; resume with: {command}", err=True)
        raise click.exceptions.Exit(128 + stopped.number) from None
    for number, handler in zip(numbers, handlers, strict=True):
        signal.signal(number, handler)
