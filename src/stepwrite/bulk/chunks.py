"""Chunks of rows in, bytes of output in their order out: what every executor does."""

from __future__ import annotations

import hashlib
import io
import json
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from stepwrite import __version__
from stepwrite.data.compressed import compressor
from stepwrite.data.examples import Example, Layout
from stepwrite.data.predictions import write_predictions
from stepwrite.errors import shown

if TYPE_CHECKING:
    from stepwrite.inflector import Inflector
    from stepwrite.prediction import Prediction

CHUNK = 2048  # rows inflected together: with more, memory grows and not the speed
T = TypeVar("T")
R = TypeVar("R")

Executor = Callable[
    ["Inflector", "Request", Iterable[Sequence[Example]]], Generator["Done", None, None]
]
"""Inflects chunks of examples, and yields their outputs in order."""


@dataclass(frozen=True)
class Request:
    """What is to be written for each row.

    file: the name of the output, which says whether it is compressed.
    """

    layout: Layout
    output_format: Literal["tsv", "jsonl"] = "tsv"
    n_best: int = 1
    beam: int | None = None
    file: str = ""


@dataclass(frozen=True)
class Done:
    """A chunk's output, ready to be appended.

    warnings: what to tell the user once, whichever chunks it occurs in; notes: about single rows.
    """

    n_rows: int
    content: bytes
    warnings: tuple[str, ...]
    notes: tuple[str, ...]


def inflect_chunk(inflector: Inflector, request: Request, examples: Sequence[Example]) -> Done:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        predictions = inflector.batch(examples, n_best=request.n_best, beam=request.beam)
    if request.output_format == "jsonl":
        lines = (json.dumps(p.to_json(), ensure_ascii=False) for p in predictions)
        text = "".join(f"{line}\n" for line in lines)
    else:
        file = io.StringIO()
        write_predictions(
            file, examples, (p.forms[: request.n_best] for p in predictions), request.layout
        )
        text = file.getvalue()
    return Done(
        len(examples),
        compressor(request.file)(text.encode()),
        warnings=tuple([str(warning.message) for warning in caught]),
        notes=tuple([cut_off(p) for p in predictions if not p.complete]),
    )


def cut_off(prediction: Prediction) -> str:
    n_actions = len(prediction.actions)
    return f"{shown(prediction.lemma)}: the form was cut off after {n_actions} actions"


def origin_of(inflector: Inflector, request: Request, n_rows: int) -> dict[str, Any]:
    """All that an output depends on, as JSON; of the rows their number will do."""
    digest = hashlib.sha256(json.dumps(inflector.model.vocabulary.to_json()).encode())
    for weights in inflector.model.members:
        for name in sorted(weights):
            digest.update(weights[name].tobytes())
    return {
        "stepwrite": __version__,
        "model": digest.hexdigest(),
        "rows": n_rows,
        "layout": list(request.layout.columns),
        "format": request.output_format,
        "n_best": request.n_best,
        "beam": request.beam,
        **inflector.options,
    }


def chunks_of(rows: Iterable[T], size: int) -> Iterator[list[T]]:
    """
    >>> list(chunks_of("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    iterator = iter(rows)
    while chunk := list(islice(iterator, size)):
        yield chunk


def in_order(
    chunks: Iterable[T], submit: Callable[[T], Any], result: Callable[[Any], R], most: int
) -> Iterator[R]:
    """The chunks' results in order, with at most `most` chunks under way or waiting for others.

    However slow one of them is, memory holds no more.
    """
    under_way: deque[Any] = deque()
    for chunk in chunks:
        if len(under_way) >= most:
            yield result(under_way.popleft())
        under_way.append(submit(chunk))
    while under_way:
        yield result(under_way.popleft())
