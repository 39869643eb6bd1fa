"""Training the members of runs: the units of work, in processes of their own."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import queue
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from stepwrite.errors import StepwriteError
from stepwrite.model.directory import resume_command
from stepwrite.training.checkpoint import read_checkpoint
from stepwrite.training.folder import Plan, checkpoint_path, prepare, read_plan


@dataclass(frozen=True)
class Unit:
    """The unit of work: one member of the model that a folder is to hold."""

    folder: Path
    member: int


@dataclass(frozen=True)
class Update:
    """Progress of a member; `accuracy` and `loss` are of the last epoch that ended.

    failure: what stopped it, if it was something that the user can mend.
    """

    folder: Path
    member: int
    epoch: int
    share: float
    loss: float | None = None
    accuracy: float | None = None
    best_accuracy: float | None = None
    best_epoch: int = 0
    examples_per_second: float = 0.0
    epoch_seconds: float = 0.0
    ended: bool = False
    failure: str = ""

    @property
    def unit(self) -> Unit:
        return Unit(self.folder, self.member)

    def after(self, last: Update) -> Update:
        """All that is known by now: within an epoch only the place moves."""
        return self if self.loss is not None else replace(last, epoch=self.epoch, share=self.share)


def unfinished(folder: Path, plan: Plan) -> list[Unit]:
    """The members of a run that are still to be trained, or to be trained to their end."""

    def has_ended(member: int) -> bool:
        path = checkpoint_path(folder, member)
        if not path.exists():
            return False
        found = read_checkpoint(path)
        ends_after = plan.config_of(member).ends_after
        return bool(found.stopped) or ends_after(len(found.history), found.best_epoch)

    members = range(1, plan.members + 1)
    return [Unit(folder, member) for member in members if not has_ended(member)]


def train_members(folder: Path, plan: Plan, jobs: int) -> Iterator[Update]:
    """Train all members of a run that have not ended; see `train_units`."""
    return train_units(unfinished(folder, plan), jobs)


def train_units(units: Iterable[Unit], jobs: int) -> Generator[Update, None, None]:
    """Train members, `jobs` at a time, each in a process with one thread; yield their news.

    Leaving the iterator early stops the processes; what their checkpoints hold stays.
    """
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # for the processes, which read it when they start
    context = multiprocessing.get_context("spawn")
    news: multiprocessing.Queue[Update] = context.Queue()
    waiting = list(units)
    running: dict[Unit, SpawnProcess] = {}

    def fill() -> None:
        while waiting and len(running) < jobs:
            unit = waiting.pop(0)
            arguments = (unit.folder, unit.member, news, os.getpid())
            running[unit] = context.Process(target=_work, args=arguments, daemon=True)
            running[unit].start()

    try:
        fill()
        while running:
            _check_alive(running, ended_well=True)
            try:
                update = news.get(timeout=0.5)
            except queue.Empty:
                # A process that ended without a word, as where a script starts training without
                # `if __name__ == "__main__"`, would be waited for for ever.
                _check_alive(running, ended_well=False)
                continue
            if update.failure:
                raise StepwriteError(update.failure)
            if update.ended:
                running.pop(update.unit).join()
                fill()  # now, as the caller may take its time over the update
            yield update
    finally:
        for process in running.values():
            process.terminate()
        for process in running.values():
            process.join()


def _check_alive(running: Mapping[Unit, SpawnProcess], *, ended_well: bool) -> None:
    """Raise an error if a member's process stopped; with exit code 0 only if not `ended_well`."""
    for unit, process in running.items():
        if process.exitcode is not None and not (ended_well and process.exitcode == 0):
            raise StepwriteError(
                f"{unit.folder}: member {unit.member} stopped with exit code "
                f"{process.exitcode}; resume with: {resume_command(unit.folder)}"
            )


def _work(folder: Path, member: int, news: multiprocessing.Queue[Update], parent: int) -> None:
    """A member's process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means

    def report(update: Update) -> None:
        if os.getppid() != parent:
            os._exit(1)  # nobody is left to report to
        news.put(update)

    try:
        train_unit(Unit(folder, member), report)
    except StepwriteError as error:
        report(Update(folder, member, 0, 0.0, failure=str(error)))


def train_unit(unit: Unit, report: Callable[[Update], None]) -> None:
    """Train one member here, in one thread, from its checkpoint or from the start to its end."""
    import torch

    from stepwrite.training.loop import Diverged, Epoch, Progress, train_member

    torch.set_num_threads(1)
    keep_memory()
    folder, member = unit.folder, unit.member
    task, seed = prepare(folder, member), read_plan(folder).seed_of(member)

    def on_batch(epoch: int, share: float) -> None:
        report(Update(folder, member, epoch, share))

    def on_epoch(epoch: Epoch, progress: Progress) -> None:
        report(update_of(epoch, progress))

    def update_of(epoch: Epoch, progress: Progress, *, ended: bool = False) -> Update:
        return Update(
            folder=folder,
            member=member,
            epoch=epoch.epoch,
            share=1.0,
            loss=epoch.loss,
            accuracy=epoch.accuracy,
            best_accuracy=progress.best_accuracy,
            best_epoch=progress.best_epoch,
            examples_per_second=len(task.examples) / epoch.seconds,
            epoch_seconds=epoch.seconds,
            ended=ended,
        )

    try:
        progress = train_member(task, seed, checkpoint_path(folder, member), on_epoch, on_batch)
    except Diverged as error:
        advice = f"train again with a lower --rate (it is {task.config.rate:g}) or with --clip 1"
        if error.best_epoch:
            advice += (
                f", or keep epoch {error.best_epoch}, the best, with: {resume_command(folder)}"
            )
        raise StepwriteError(f"{folder}: member {member}: {error}; {advice}") from None
    report(update_of(progress.history[-1], progress, ended=True))


def keep_memory() -> None:
    """Let the C library keep what is freed, as each update needs as much again.

    Otherwise it gives megabytes back to the system and gets them again, cleared, many times a
    second.
    """
    libc: Any = ctypes.CDLL(None) if sys.platform == "linux" else None
    if hasattr(libc, "mallopt"):  # glibc has it, others need not
        for threshold in (-1, -3):  # of trimming, of mapping single blocks
            libc.mallopt(threshold, 2**28)
