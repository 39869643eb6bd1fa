"""Files of predictions: tables with n-best guesses, or JSON lines."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from stepwrite.data.compressed import open_binary
from stepwrite.data.examples import (
    Example,
    Layout,
    Row,
    cells_of,
    decode,
    is_blank,
    name_of,
    open_examples,
    read_lines,
    write_rows,
)
from stepwrite.errors import DataError, shown


def write_predictions(
    file: IO[str],
    examples: Iterable[Example],
    guesses: Iterable[Sequence[str]],
    layout: Layout,
) -> None:
    """Write the examples of a file in its layout, with the best guess as the form.

    Further guesses go into further columns, where `read_predictions` expects them if that file
    is the gold file.
    """
    columns = with_form(layout)
    rows = (
        [*cells_of(example._replace(form=best), columns), *others]
        for example, (best, *others) in zip(examples, guesses, strict=True)
    )
    write_rows(file, rows)


def with_form(layout: Layout) -> Layout:
    """The layout with a form column, added at the end if there is none.

    >>> with_form(Layout("covered", ("lemma", "features"))).columns
    ('lemma', 'features', 'form')
    """
    if "form" in layout.columns:
        return layout
    return replace(layout, columns=(*layout.columns, "form"))


def read_predictions(path: str, layout: Layout) -> Iterator[Row | DataError]:
    """The rows of a prediction file: a table like the gold file, or JSON lines.

    A row that can't be read is yielded as its error: it may belong to a skipped gold row.
    """
    if starts_with_brace(path):
        yield from read_json_lines(path)
        return
    bad: list[DataError] = []
    for row in open_examples(path, layout, allow_extra=True, on_bad=bad.append).rows():
        yield from bad
        bad.clear()
        yield row
    yield from bad


def starts_with_brace(path: str) -> bool:
    """Whether a file starts like a JSON object, found out without consuming standard input."""
    try:
        if path == "-":
            head: bytes = getattr(sys.stdin.buffer, "peek", lambda: b"")()
        elif Path(path).is_file():
            with open_binary(path) as file:
                head = file.read(1000)
        else:
            return False
    except (OSError, DataError):
        return False  # reading it as a table reports the problem
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")


def read_json_lines(path: str) -> Iterator[Row | DataError]:
    """Rows from JSON objects with lemma, features, form and alternatives (strings or objects)."""
    name = name_of(path)
    for number, line in read_lines(path):
        if is_blank(line):
            continue
        try:
            text = decode(line, name, number)
            yield Row(number, *example_of(json.loads(text)))
        except DataError as error:
            yield error
        except (ValueError, RecursionError) as error:
            yield DataError(f"{error}: {shown(text)}", path=name, line=number)


def example_of(value: Any) -> tuple[Example, tuple[str, ...]]:
    """The example in one JSON prediction, and its further guesses.

    >>> example_of({"lemma": "a", "form": "b", "alternatives": ["c", {"form": "d"}]})
    (Example(lemma='a', features='', form='b'), ('c', 'd'))
    """
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    others = value.get("alternatives", [])
    if not isinstance(others, list):
        raise ValueError("alternatives must be a list")
    guesses = [other.get("form") if isinstance(other, dict) else other for other in others]
    cells = [value.get("lemma"), value.get("features", ""), value.get("form"), *guesses]
    for cell in cells:
        if not isinstance(cell, str):
            raise ValueError("lemma, features, form and alternatives must be strings")
        # No table can hold these characters: the file is damaged.
        if re.search("[\t\r\n\ud800-\udfff]", cell):
            raise ValueError(f"tab, line break or lone surrogate in {cell!r}")
    return Example(*cells[:3]), tuple(cells[3:])
