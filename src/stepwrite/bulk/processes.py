"""Chunks inflected in this process, or in several on this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any

from stepwrite.bulk.chunks import Done, Request, in_order, inflect_chunk
from stepwrite.data.examples import Example
from stepwrite.errors import StepwriteError

if TYPE_CHECKING:
    from stepwrite.inflector import Inflector
    from stepwrite.model.directory import Model

_worker: tuple[Inflector, Request]


def inflect_here(
    inflector: Inflector, request: Request, chunks: Iterable[Sequence[Example]], jobs: int
) -> Generator[Done, None, None]:
    """The chunks' outputs in order; with several jobs, each is a process with its own model."""
    if jobs == 1:
        for chunk in chunks:
            yield inflect_chunk(inflector, request, chunk)
        return
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read by the processes when they start
    pool = ProcessPoolExecutor(
        jobs,
        multiprocessing.get_context("spawn"),
        _start,
        (inflector.model, inflector.options, request, os.getpid()),
    )
    try:
        # Two chunks for each: while one is inflected, the next is on its way.
        yield from in_order(chunks, lambda chunk: pool.submit(_work, chunk), _result, 2 * jobs)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _result(future: Future[Done]) -> Done:
    try:
        return future.result()
    except BrokenProcessPool:
        raise StepwriteError(
            "a process that inflected was killed, perhaps for want of memory: use fewer --jobs"
        ) from None


def _start(model: Model, options: dict[str, Any], request: Request, parent: int) -> None:
    """Make a process ready: it ends with its parent, which alone handles interrupts."""
    from stepwrite.inflector import Inflector

    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _worker = Inflector(model, **options), request


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _work(chunk: Sequence[Example]) -> Done:
    return inflect_chunk(*_worker, chunk)
