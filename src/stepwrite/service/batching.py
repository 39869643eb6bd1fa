"""Dynamic batching: words from many requests are inflected together.

The network needs only a few times as long for 128 words as for one. Words that arrive while it is
busy are queued and then inflected together; a word that arrives alone is not delayed.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from queue import SimpleQueue
from typing import NamedTuple

from stepwrite.inflector import Inflector
from stepwrite.prediction import Prediction
from stepwrite.service.limits import Refusal
from stepwrite.service.metrics import Metrics

ROUND = 128  # words per batch; larger batches are no faster
QUICK = 40  # symbols times members that the event loop may inflect: a few milliseconds
LOOKED_UP = 8  # words that the event loop may look up
EXPLAINED = 10  # a word with attention takes as much room in the queue as this many without
BEAM = 4  # one beam hypothesis costs about as much as this many words of a greedy batch

Pair = tuple[str, str]


class Kind(NamedTuple):
    """What words must have in common to be in the same batch."""

    model: str
    n_best: int = 1
    attention: bool = False

    @property
    def weight(self) -> int:
        """What a word counts in the queue; its attention weights take most of the memory."""
        return EXPLAINED if self.attention else 1

    @property
    def room(self) -> int:
        """How many words of this kind make a batch; batches should take about the same time."""
        return ROUND if self.n_best == 1 else max(1, ROUND // (BEAM * self.n_best))


@dataclass(eq=False)
class _Job:
    """The words of one request; those from `len(done)` on are still queued."""

    kind: Kind
    pairs: Sequence[Pair]
    answer: asyncio.Future[list[Prediction]]
    done: list[Prediction] = field(default_factory=list)

    @property
    def left(self) -> int:
        return len(self.pairs) - len(self.done)

    @property
    def weight(self) -> int:
        return self.left * self.kind.weight


class _Batch(NamedTuple):
    """What the thread does next; taken: the jobs, with how many words of each."""

    loop: asyncio.AbstractEventLoop
    kind: Kind
    taken: list[tuple[_Job, int]]

    @property
    def pairs(self) -> list[Pair]:
        return [
            pair
            for job, size in self.taken
            for pair in job.pairs[len(job.done) : len(job.done) + size]
        ]


class Batcher:
    """The queue in front of the networks, handled in the event loop; a thread inflects.

    The thread is a daemon, so that a batch that never ends does not keep the process from ending.
    """

    def __init__(
        self, inflectors: dict[str, Inflector], metrics: Metrics, *, waiting: int, seconds: float
    ) -> None:
        self._inflectors, self._metrics = inflectors, metrics
        self._most_waiting, self._seconds = waiting, seconds
        self._jobs: list[_Job] = []
        self._batches: SimpleQueue[_Batch] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._busy_since: float | None = None
        self.waiting = 0

    @property
    def stuck(self) -> bool:
        """Whether a batch has been running for longer than a response may take."""
        since = self._busy_since
        return since is not None and time.monotonic() - since > self._seconds

    async def inflect(self, kind: Kind, pairs: Sequence[Pair]) -> list[Prediction]:
        """The predictions for one request; a `Refusal` if they take too long."""
        if (found := self._known(kind, pairs)) is not None:
            return found
        if self.waiting + len(pairs) * kind.weight > self._most_waiting:
            raise Refusal(503, "busy", "too many words are queued: try again in a moment")
        loop = asyncio.get_running_loop()
        job = _Job(kind, pairs, loop.create_future())
        late = Refusal(504, "timeout", f"not done within {self._seconds:g} seconds")
        timer = loop.call_later(self._seconds, _fail, job, late)
        self._jobs.append(job)
        self._count(job.weight)
        if self._busy_since is None:
            # Not at once: requests that came at the same time are about to be queued, too.
            self._busy_since = time.monotonic()
            loop.call_soon(self._next_batch, loop)
        try:
            return await job.answer
        finally:
            timer.cancel()

    def _known(self, kind: Kind, pairs: Sequence[Pair]) -> list[Prediction] | None:
        """The predictions of a few words that the lexicon knows; they need not wait."""
        if kind != Kind(kind.model) or len(pairs) > LOOKED_UP:
            return None
        found = self._inflectors[kind.model].known(pairs)
        if found is not None:
            self._metrics.inflected(kind.model, len(found))
        return found

    def _count(self, n_words: int) -> None:
        self.waiting += n_words
        self._metrics.queued(self.waiting)

    def _next_batch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Give the thread a batch, if there is anything to do."""
        # A job whose client has gone, or that took too long, is done, too.
        self._count(-sum(job.weight for job in self._jobs if job.answer.done()))
        self._jobs = [job for job in self._jobs if not job.answer.done()]
        if not self._jobs:
            self._busy_since = None
            return
        batch = _Batch(loop, self._jobs[0].kind, shares(self._jobs))
        if len(self._jobs) == 1 and self._is_quick(batch):
            self._run(batch)
            return
        if self._thread is None:  # not before: threads do not survive a fork
            self._thread = threading.Thread(
                target=self._run_all, name="stepwrite-network", daemon=True
            )
            self._thread.start()
        self._busy_since = time.monotonic()
        self._batches.put(batch)

    def _is_quick(self, batch: _Batch) -> bool:
        """Whether it takes less time than waking the thread, so that the event loop may inflect."""
        kind, pairs = batch.kind, batch.pairs
        n_members = len(self._inflectors[kind.model].model.members)
        return (
            len(pairs) == 1 and kind == Kind(kind.model) and n_members * len(pairs[0][0]) <= QUICK
        )

    def _run_all(self) -> None:
        while True:
            self._run(self._batches.get())

    def _run(self, batch: _Batch) -> None:
        """Inflect a batch, whatever happens in it."""
        found: list[Prediction] | Exception
        try:
            found = self._inflect(batch.kind, batch.pairs)
        except BaseException as error:  # a bug: report it to these requests and keep serving
            found = RuntimeError(f"a batch failed: {error!r:.200}")
            found.__cause__ = error
        with suppress(RuntimeError):  # the event loop is closed
            batch.loop.call_soon_threadsafe(self._finish, batch, found)

    def _inflect(self, kind: Kind, pairs: list[Pair]) -> list[Prediction]:
        inflector = self._inflectors[kind.model]
        found = inflector.batch(pairs, n_best=kind.n_best, attention=kind.attention, warn=False)
        if len(found) != len(pairs):
            raise ValueError(f"{len(found)} predictions for {len(pairs)} words")
        return found

    def _finish(self, batch: _Batch, found: list[Prediction] | Exception) -> None:
        """Hand out the predictions of a batch, in the event loop, and begin the next one."""
        if isinstance(found, Exception):
            for job, _ in batch.taken:
                _fail(job, found)
        else:
            self._metrics.inflected(batch.kind.model, len(found))
            self._metrics.batched(len(found))
            predictions = iter(found)
            for job, size in batch.taken:
                job.done += islice(predictions, size)
                if not job.left and not job.answer.done():
                    job.answer.set_result(job.done)
            self._count(-len(found) * batch.kind.weight)
        # Unfinished jobs move to the end, so that a long request does not hold up short ones.
        served = {job for job, _ in batch.taken}
        self._jobs.sort(key=served.__contains__)
        self._next_batch(batch.loop)


def _fail(job: _Job, error: Exception) -> None:
    if not job.answer.done():
        job.answer.set_exception(error)


def shares(jobs: Sequence[_Job]) -> list[tuple[_Job, int]]:
    """The words of one batch: from jobs of the same kind as the first, shared evenly.

    >>> jobs = [_Job(Kind("german"), [("Haus", "")] * size, None) for size in (1000, 3, 1)]
    >>> [size for _, size in shares(jobs)]
    [1, 3, 124]
    """
    room = jobs[0].kind.room
    alike = [job for job in jobs if job.kind == jobs[0].kind][:room]
    alike.sort(key=lambda job: job.left)
    taken = []
    for place, job in enumerate(alike):
        size = min(job.left, room // (len(alike) - place))
        room -= size
        taken.append((job, size))
    return taken
