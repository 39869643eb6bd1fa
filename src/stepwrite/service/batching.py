"""Dynamic batching: words from many requests are inflected together.

The network needs only a few times as long for 128 words as for one. Words that arrive while it is
busy are queued and then inflected together; a word that arrives alone is not delayed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

from stepwrite.inflector import Inflector
from stepwrite.prediction import Prediction
from stepwrite.service.limits import Refusal
from stepwrite.service.metrics import Metrics

ROUND = 128  # words per batch; larger batches are no faster
BEAM = 4  # one beam hypothesis costs about as much as this many words of a greedy batch

Pair = tuple[str, str]


class Kind(NamedTuple):
    """What words must have in common to be in the same batch."""

    model: str
    n_best: int = 1
    attention: bool = False

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


class Batcher:
    """The queue in front of the networks, handled in the event loop; a thread inflects."""

    def __init__(
        self, inflectors: dict[str, Inflector], metrics: Metrics, *, waiting: int, seconds: float
    ) -> None:
        self._inflectors, self._metrics = inflectors, metrics
        self._most_waiting, self._seconds = waiting, seconds
        self._jobs: list[_Job] = []
        self._thread = ThreadPoolExecutor(1, "stepwrite-network")
        self._rounds: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> int:
        """The number of queued words."""
        return sum(job.left for job in self._jobs)

    async def inflect(self, kind: Kind, pairs: Sequence[Pair]) -> list[Prediction]:
        """The predictions for one request; a `Refusal` if they take too long."""
        if self.waiting + len(pairs) > self._most_waiting:
            raise Refusal(503, "busy", "too many words are queued: try again in a moment")
        job = _Job(kind, pairs, asyncio.get_running_loop().create_future())
        self._jobs.append(job)
        if self._rounds is None:
            self._rounds = asyncio.create_task(self._run())
        try:
            async with asyncio.timeout(self._seconds):
                return await job.answer
        except TimeoutError:
            raise Refusal(504, "timeout", f"not done within {self._seconds:g} seconds") from None

    async def _run(self) -> None:
        """Run batches until the queue is empty."""
        loop = asyncio.get_running_loop()
        while self._jobs:
            kind, taken = self._jobs[0].kind, shares(self._jobs)
            pairs = [
                pair
                for job, size in taken
                for pair in job.pairs[len(job.done) : len(job.done) + size]
            ]
            try:
                predictions = iter(
                    await loop.run_in_executor(self._thread, self._inflect, kind, pairs)
                )
            except Exception as error:  # a bug: report it to these requests and keep serving
                for job, _ in taken:
                    if not job.answer.done():
                        job.answer.set_exception(error)
            else:
                for job, size in taken:
                    job.done += [next(predictions) for _ in range(size)]
                    if not job.left and not job.answer.done():
                        job.answer.set_result(job.done)
                self._metrics.inflected(kind.model, len(pairs))
            # A job whose client has gone is done, too. Unfinished jobs move to the end, so that a
            # long request does not hold up short ones.
            served = {job for job, _ in taken}
            rest = [job for job in self._jobs if not job.answer.done()]
            self._jobs = sorted(rest, key=served.__contains__)
        self._rounds = None

    def _inflect(self, kind: Kind, pairs: list[Pair]) -> list[Prediction]:
        inflector = self._inflectors[kind.model]
        return inflector.batch(pairs, n_best=kind.n_best, attention=kind.attention, warn=False)


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
