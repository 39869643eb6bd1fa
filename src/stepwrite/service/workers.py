"""Several worker processes that share one listening socket and the memory of the models.

They are forked after the models are loaded, so the weights exist once: nothing writes to them. Not
even the garbage collector, if it is told to leave alone what exists by then (`gc.freeze`).
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from types import FrameType

from stepwrite.service.log import LOGGER

STOPPING = (signal.SIGTERM, signal.SIGINT)
PAUSE = 1.0  # seconds before a worker that ended by itself is replaced


def run_workers(work: Callable[[int, int], None], n_workers: int) -> None:
    """Run `work(worker, parent)` in each process until SIGTERM or SIGINT, replacing any that ends.

    parent: a file descriptor that becomes readable when this process is gone, however it went.
    """
    watched, alive = os.pipe()
    workers: dict[int, int] = {}  # by process
    stopping: list[int] = []

    def start(worker: int) -> None:
        # No signal between the fork and the handlers of the worker, or it would be lost.
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
        if not stopping:
            process = os.fork()
            if not process:
                os.close(alive)
                _end_with(lambda: work(worker, watched))
            workers[process] = worker
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)

    def stop(number: int, frame: FrameType | None) -> None:
        stopping.append(number)
        for process in workers:
            os.kill(process, signal.SIGTERM)

    handlers = {number: signal.signal(number, stop) for number in STOPPING}
    for worker in range(n_workers):
        start(worker)
    while workers:
        process, status = os.wait()
        worker = workers.pop(process)
        if not stopping:
            code = os.waitstatus_to_exitcode(status)
            LOGGER.error("worker %d ended with code %d: starting another", worker + 1, code)
            time.sleep(PAUSE)
            start(worker)
    for number, handler in handlers.items():
        signal.signal(number, handler)
    signal.raise_signal(stopping[0])


def _end_with(work: Callable[[], None]) -> None:
    """Do the work and end this process, without returning into its parent's code."""
    code = 1
    try:
        for number in STOPPING:
            signal.signal(number, lambda *_: sys.exit(0))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
        work()
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)
