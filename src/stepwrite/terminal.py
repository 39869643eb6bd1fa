"""Text for a terminal: aligned columns, and the progress of long work on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self
from unicodedata import category

BETWEEN_DRAWINGS = 0.25  # seconds


def visible(text: str) -> str:
    """Text that stays on its line: control characters as escapes.

    >>> print(visible("a\\tb\\x00"))
    a\\tb\\x00
    """
    return "".join(repr(c)[1:-1] if category(c) in ("Cc", "Zl", "Zp") else c for c in text)


def columns_of(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines with aligned columns, whatever the width of the characters.

    >>> print(*columns_of([["case", "form"], ["NOM", "家"], ["ACC", "家を"]]), sep="\\n")
    case  form
    NOM   家
    ACC   家を
    """
    from rich.cells import cell_len

    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        padded = (
            text + " " * (width - cell_len(text)) for text, width in zip(row, widths, strict=True)
        )
        yield "  ".join(padded).rstrip()


def html_table(caption: str, rows: Iterable[Sequence[str]]) -> str:
    """Texts as an HTML table, the first row being its headings.

    >>> html_table("<x>", [["case", "form"], ["NOM", "a"]])
    '<table><caption>&lt;x&gt;</caption><tr><th>case</th><th>form</th></tr>\
<tr><td>NOM</td><td>a</td></tr></table>'
    """
    from html import escape

    lines = []
    for number, row in enumerate(rows):
        tag = "td" if number else "th"
        lines.append("".join(f"<{tag}>{escape(text)}</{tag}>" for text in row))
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    head = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{head}{body}</table>"


@contextmanager
def progress_bar(description: str) -> Iterator[Callable[[int, int | None], None]]:
    """Yield `progress(done, total)`, where the total may be unknown.

    Nothing is drawn unless stderr is a terminal.
    """
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
    """Progress as a table that is redrawn on a terminal; plain `line`s elsewhere.

    stays: whether the table remains visible at the end.
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
        """The current state as a rich table."""
        raise NotImplementedError
