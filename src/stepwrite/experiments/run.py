"""Running an experiment: training members, then assembling and scoring each complete model.

The executor decides where members are trained: in local processes or on a cluster. It takes units
of work and yields their updates; when a member has ended, its last checkpoint must be in its run
folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from stepwrite.experiments.plan import Run, open_run, under_way
from stepwrite.experiments.scores import (
    RULES,
    Rows,
    Score,
    model_checksum,
    read_score,
    score_model,
    score_rules,
    write_score,
)
from stepwrite.files import held, sweep
from stepwrite.training.assembly import assemble
from stepwrite.training.workers import Unit, Update

Executor = Callable[[Sequence[Unit]], Generator[Update, None, None]]


@contextmanager
def opened(runs: Sequence[Run]) -> Iterator[list[Unit]]:
    """Prepare and lock the run folders; yield the members left to train."""
    with ExitStack() as stack:
        units = []
        for run in runs:
            stack.enter_context(held(run.folder))
            units += open_run(run)
        yield units


def carry_out(
    runs: Sequence[Run], units: Sequence[Unit], executor: Executor
) -> Iterator[Update | Score]:
    """Train the given units; yield their updates, and each score as soon as it is known.

    Leaving the iterator early, or being killed at any moment, loses no more than the current
    epochs: call it again to resume.
    """
    by_folder = {run.folder: run for run in runs}
    left = Counter(unit.folder for unit in units)
    for run in runs:
        if not left[run.folder]:
            yield complete(run)
    with closing(executor(units)) as news:
        for update in news:
            yield update
            if update.ended:
                left[update.folder] -= 1
                if not left[update.folder]:
                    yield complete(by_folder[update.folder])


def complete(run: Run) -> Score:
    """Assemble the model from its finished members; score it and the rule baseline."""
    if under_way(run.folder):
        assemble(run.folder)
    sweep(run.score_file.parent)
    rows = Rows(run.dataset, run.rows("train"), run.rows("test"), run.plan.segmentation)
    rules = run.score_file.with_name(f"{RULES}.json")
    if not is_of(rules, "", rows):
        write_score(rules, score_rules(run.experiment, rows))
    if not is_of(run.score_file, model_checksum(run.folder), rows):
        score = score_model(run.experiment, rows, run.model, run.preset, run.folder)
        write_score(run.score_file, score)
    return read_score(run.score_file)


def is_of(path: Path, model: str, rows: Rows) -> bool:
    """Whether a score file exists and belongs to this model and these rows."""
    if not path.exists():
        return False
    score = read_score(path)
    return score.model_sha256 == model and rows.about().items() <= dict(score.data).items()
