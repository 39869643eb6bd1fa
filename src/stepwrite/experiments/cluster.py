"""Training ensemble members on a Ray cluster instead of in local processes.

The machines share nothing but the network: a unit is sent out with its plan, its data and its
latest checkpoint; its progress, and a checkpoint at intervals, are sent back to a mailbox on the
driver's machine, and the driver writes them to the run folder. A unit whose machine is lost is
sent out again with the latest checkpoint received, and ends with the same weights if all machines
have processors of one kind. A machine that lacks the plan's precision stops the run.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from stepwrite import __version__
from stepwrite.bulk.cluster import connect
from stepwrite.errors import StepwriteError, require
from stepwrite.files import write_bytes
from stepwrite.model.directory import TRAINING
from stepwrite.training.folder import checkpoint_path
from stepwrite.training.workers import Unit, Update, train_unit

CHECKPOINT_SECONDS = 60.0  # between two checkpoints that a unit sends back
NEWS_SECONDS = 1.0  # between two progress updates within an epoch
TIMES_LOST = 20  # a unit lost more often is broken, or its machines are


@dataclass(frozen=True)
class Parcel:
    """A unit with everything a remote machine needs; `files` are those of the run folder."""

    unit: Unit
    files: dict[str, bytes]
    stepwrite: str = __version__


class Mailbox:
    """Updates waiting for the driver: (update, checkpoint), the latter mostly empty."""

    def __init__(self) -> None:
        self.letters: list[tuple[Update, bytes]] = []

    def put(self, update: Update, checkpoint: bytes) -> None:
        self.letters.append((update, checkpoint))

    def take(self) -> list[tuple[Update, bytes]]:
        letters, self.letters = self.letters, []
        return letters


def train_on_cluster(
    units: Sequence[Unit], address: str | None, checkpoint_seconds: float = CHECKPOINT_SECONDS
) -> Generator[Update, None, None]:
    """Train units as Ray tasks of one core each; yield their updates, as `train_units` does."""
    ray: Any = require("ray", extra="cluster", purpose="--executor ray")
    connect(ray, address)
    try:
        mailbox = beside_the_driver(ray, Mailbox)
        # We retry ourselves: Ray would resend the original parcel, without newer checkpoints.
        task = ray.remote(num_cpus=1, max_retries=0)(train_parcel)

        def send(unit: Unit) -> Any:
            return task.remote(pack(unit), mailbox, checkpoint_seconds)

        under_way = {send(unit): unit for unit in units}
        times_lost: Counter[Unit] = Counter()
        while under_way:
            ready, _ = ray.wait(list(under_way), timeout=0.5)
            for update, checkpoint in ray.get(mailbox.take.remote()):
                if update.unit in under_way.values():  # else the unit has already ended
                    keep(update.unit, checkpoint)
                    yield update
            for result in ready:
                unit = under_way.pop(result)
                try:
                    update, checkpoint = ray.get(result)
                except ray.exceptions.RayTaskError as error:
                    if isinstance(error.cause, StepwriteError):
                        raise StepwriteError(str(error.cause)) from None
                    raise
                except ray.exceptions.RayError as error:
                    times_lost[unit] += 1
                    if times_lost[unit] > TIMES_LOST:
                        raise StepwriteError(
                            f"{unit.folder}: member {unit.member} was lost {TIMES_LOST + 1} times; "
                            f"the last time: {type(error).__name__}"
                        ) from None
                    under_way[send(unit)] = unit
                else:
                    keep(unit, checkpoint)
                    yield update
    finally:
        ray.shutdown()  # this also ends its tasks


def beside_the_driver(ray: Any, kind: type) -> Any:
    """An actor on the driver's own machine, so that it is lost only with the driver."""
    strategies: Any = require("ray.util.scheduling_strategies", "cluster", "--executor ray")
    here = ray.get_runtime_context().get_node_id()
    strategy = strategies.NodeAffinitySchedulingStrategy(here, soft=False)
    return ray.remote(num_cpus=0, scheduling_strategy=strategy)(kind).remote()


def pack(unit: Unit) -> Parcel:
    run, checkpoint = unit.folder / TRAINING, checkpoint_path(unit.folder, unit.member)
    paths = [run / "plan.json", run / "train.tsv", run / "dev.tsv"]
    if checkpoint.exists():
        paths.append(checkpoint)
    files = {path.name: path.read_bytes() for path in paths}
    return Parcel(unit, files)


def keep(unit: Unit, checkpoint: bytes) -> None:
    """Write a received checkpoint; empty bytes mean that there is none."""
    if checkpoint:
        write_bytes(checkpoint_path(unit.folder, unit.member), checkpoint)


def train_parcel(parcel: Parcel, mailbox: Any, checkpoint_seconds: float) -> tuple[Update, bytes]:
    """Train on the remote machine, in a temporary folder; return the final update and bytes."""
    if parcel.stepwrite != __version__:
        raise StepwriteError(
            f"the driver has stepwrite {parcel.stepwrite}, a cluster machine has {__version__}"
        )

    def send(update: Update, checkpoint: bytes) -> None:
        mailbox.put.remote(update, checkpoint)

    try:
        return train_away(parcel, send, checkpoint_seconds)
    except StepwriteError as error:
        raise StepwriteError(str(error)) from None  # not every subclass can be sent back


def train_away(
    parcel: Parcel, send: Callable[[Update, bytes], None], checkpoint_seconds: float
) -> tuple[Update, bytes]:
    with tempfile.TemporaryDirectory(prefix="stepwrite-") as home:
        here = Unit(Path(home), parcel.unit.member)
        (here.folder / TRAINING).mkdir()
        for name, content in parcel.files.items():
            (here.folder / TRAINING / name).write_bytes(content)
        checkpoint = checkpoint_path(here.folder, here.member)
        last_news = last_checkpoint = time.monotonic()
        ends: list[Update] = []

        def report(update: Update) -> None:
            nonlocal last_news, last_checkpoint
            update, now = replace(update, folder=parcel.unit.folder), time.monotonic()
            if update.ended:
                ends.append(update)
            elif update.loss is not None:
                is_due = now - last_checkpoint >= checkpoint_seconds
                last_checkpoint = now if is_due else last_checkpoint
                send(update, checkpoint.read_bytes() if is_due else b"")
            elif now - last_news >= NEWS_SECONDS:
                last_news = now
                send(update, b"")

        train_unit(here, report)
        [end] = ends
        return end, checkpoint.read_bytes()
