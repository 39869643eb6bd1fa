"""Long work: how far it is, on stderr, for people; and signals that end it in good order."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self

import click

BETWEEN_DRAWINGS = 0.25  # seconds
BETWEEN_STOPS = 3.0  # seconds: who presses Ctrl-C twice means once


@contextmanager
def progress_bar(description: str) -> Iterator[Callable[[int, int], None]]:
    """Yield `progress(done, total)`; where stderr is no terminal, nothing is drawn."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


class LiveTable:
    """What long work has come to: a table drawn anew on a terminal, `line`s elsewhere.

    stays: whether the table is left standing when the work is over.
    """

    def __init__(self, *, stays: bool) -> None:
        self.stays = stays
        self.drawn = 0.0
        self.live: Any = None
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            console = Console(stderr=True)
            self.live = Live(console=console, auto_refresh=False, transient=not stays)

    def __enter__(self) -> Self:
        if self.live:
            self.live.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self.live:
            if self.stays:
                self.live.update(self.table(), refresh=True)
            self.live.stop()

    def draw(self) -> None:
        if self.live and time.monotonic() - self.drawn > BETWEEN_DRAWINGS:
            self.drawn = time.monotonic()
            self.live.update(self.table(), refresh=True)

    def table(self) -> Any:
        """A rich table of how things stand."""
        raise NotImplementedError


class Stopped(BaseException):
    """A signal asked for the end; no `except Exception` on its way takes it for its own."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def stoppable(command: str) -> Iterator[None]:
    """SIGINT and SIGTERM end the block, and the user is told the command to go on with."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    asked_at = -BETWEEN_STOPS

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal asked_at
        if time.monotonic() - asked_at > BETWEEN_STOPS:  # else it is ending already
            asked_at = time.monotonic()
            raise Stopped(number)

    handlers = [signal.signal(number, stop) for number in numbers]
    try:
        yield
    except Stopped as stopped:
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
        click.echo(f"stopped; go on with: {command}", err=True)
        raise click.exceptions.Exit(128 + stopped.number) from None
    for number, handler in zip(numbers, handlers, strict=True):
        signal.signal(number, handler)
