"""Checkpoints: a member between two epochs, in one sealed file.

Checkpoints written before there were seals lack `stopped` and are read as they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from stepwrite.errors import DataError
from stepwrite.files import read_bounded
from stepwrite.model.tensors import LARGEST, parse_tensors, save_tensors

UNSEALED = {"history", "best_epoch"}
SEALED = UNSEALED | {"stopped"}


@dataclass(frozen=True)
class Checkpoint:
    """What training needs to continue, and the weights of the best epoch so far.

    tensors: `weights`, `average`, `optimiser/...`, `best/...`; of a member that has ended, `best`
    is enough.
    history: one entry per epoch. best_epoch: 0 where none is known yet.
    stopped: why the member ended before its last epoch; empty if it did not.
    """

    tensors: Mapping[str, NDArray[Any]]
    history: Sequence[Mapping[str, Any]]
    best_epoch: int
    stopped: str = ""

    def part(self, name: str) -> dict[str, NDArray[Any]]:
        """The tensors below a name, without it."""
        start = f"{name}/"
        return {
            key.removeprefix(start): array
            for key, array in self.tensors.items()
            if key.startswith(start)
        }


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    notes = {
        "history": json.dumps(checkpoint.history),
        "best_epoch": str(checkpoint.best_epoch),
        "stopped": checkpoint.stopped,
    }
    save_tensors(path, checkpoint.tensors, notes)


def read_checkpoint(path: Path) -> Checkpoint:
    """What was written; a damaged file is an error that says how to do without it."""
    content = read_bounded(path, LARGEST)
    try:
        tensors, notes = parse_tensors(content, path)
        if set(notes) not in (UNSEALED, SEALED):
            raise DataError("cut short or altered", path=str(path))
        history = json.loads(notes["history"])
        return Checkpoint(tensors, history, int(notes["best_epoch"]), notes.get("stopped", ""))
    except (DataError, ValueError) as error:
        problem = error.problem if isinstance(error, DataError) else "not a checkpoint"
        raise DataError(
            f"{problem}; delete it to train this member again from its start", path=str(path)
        ) from None
