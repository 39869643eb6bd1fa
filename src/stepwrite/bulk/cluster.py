"""Chunks inflected on a Ray cluster, as plain tasks of one core each.

The model is stored in the cluster once, and each worker process loads it once. Chunks are small
and their tasks repeatable: Ray runs those of a lost machine again on another.
"""

from __future__ import annotations

import signal
import socket
from collections.abc import Generator, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from stepwrite import __version__
from stepwrite.bulk.chunks import Done, Request, in_order, inflect_chunk
from stepwrite.data.examples import Example
from stepwrite.errors import StepwriteError, require

if TYPE_CHECKING:
    from stepwrite.inflector import Inflector

TIMES_LOST = 20  # a chunk lost more often is broken, or its machines are


def inflect_on_cluster(
    inflector: Inflector,
    request: Request,
    chunks: Iterable[Sequence[Example]],
    address: str | None,
) -> Generator[Done, None, None]:
    """The chunks' outputs in order, from all cores of the cluster."""
    ray: Any = require("ray", extra="cluster", purpose="--executor ray")
    connect(ray, address)
    try:
        # In a list, so that Ray passes the reference on instead of the model with every chunk.
        model = [ray.put((inflector.model, inflector.options, __version__))]
        task = ray.remote(num_cpus=1, max_retries=TIMES_LOST)(inflect_remotely)

        def submit(chunk: Sequence[Example]) -> Any:
            return task.remote(model, request, chunk)

        def result(reference: Any) -> Done:
            try:
                done: Done = ray.get(reference)
            except ray.exceptions.RayTaskError as error:
                if isinstance(error.cause, StepwriteError):
                    raise StepwriteError(str(error.cause)) from None
                raise
            except ray.exceptions.RayError as error:
                raise StepwriteError(
                    f"a chunk was lost {TIMES_LOST + 1} times; the last time: "
                    f"{type(error).__name__}"
                ) from None
            return done

        n_cores = int(ray.cluster_resources().get("CPU", 1))
        yield from in_order(chunks, submit, result, 2 * max(1, n_cores))
    finally:
        ray.shutdown()  # this also ends its tasks


def inflect_remotely(model: Sequence[Any], request: Request, chunk: Sequence[Example]) -> Done:
    """One chunk, in a worker process of the cluster."""
    try:
        return inflect_chunk(_loaded(model[0]), request, chunk)
    except StepwriteError as error:
        raise StepwriteError(str(error)) from None  # not every subclass can be sent back


@lru_cache(maxsize=1)
def _loaded(reference: Any) -> Inflector:
    from stepwrite.inflector import Inflector

    ray: Any = require("ray", extra="cluster", purpose="--executor ray")
    model, options, version = ray.get(reference)
    if version != __version__:
        raise StepwriteError(
            f"the driver has stepwrite {version}, a cluster machine has {__version__}"
        )
    return Inflector(model, **options)


def connect(ray: Any, address: str | None) -> None:
    """Join the cluster, and restore the signal handlers that Ray replaces."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    handlers = [signal.getsignal(number) for number in numbers]
    try:
        if address and ":" in address:
            host, _, port = address.rpartition(":")
            # Ray would keep trying for minutes.
            socket.create_connection((host, int(port)), timeout=10).close()
        ray.init(address=address, log_to_driver=False, logging_level="error")
    except (OSError, ValueError, RuntimeError) as error:
        [line, *_] = str(error).splitlines() or [type(error).__name__]
        raise StepwriteError(f"no Ray cluster at {address}: {line}") from None
    for number, handler in zip(numbers, handlers, strict=True):
        signal.signal(number, handler)
