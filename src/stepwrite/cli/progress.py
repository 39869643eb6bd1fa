"""Long work: a progress bar on stderr, for people only, and signals that end it in good order."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import click


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


@contextmanager
def stoppable(command: str) -> Iterator[None]:
    """SIGINT and SIGTERM end the block, and the user is told the command to go on with."""
    numbers = (signal.SIGINT, signal.SIGTERM)

    def interrupt(number: int, frame: FrameType | None) -> None:
        for every in numbers:
            signal.signal(every, signal.SIG_IGN)  # it is ending already
        raise click.exceptions.Exit(128 + number)

    handlers = [signal.signal(number, interrupt) for number in numbers]
    try:
        yield
    except click.exceptions.Exit:
        click.echo(f"stopped; go on with: {command}", err=True)
        raise
    for number, handler in zip(numbers, handlers, strict=True):
        signal.signal(number, handler)
