"""Running an experiment: members are trained, models assembled and scored as they get complete.

Who trains is the executor's business: processes of this machine or a cluster. All it must do
is to take units of work and to bring the members' news; when a member has ended, its last
checkpoint lies in its run's folder.
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
from stepwrite.training.folder import assemble
from stepwrite.training.workers import Unit, Update

Executor = Callable[[Sequence[Unit]], Generator[Update, None, None]]


@contextmanager
def opened(runs: Sequence[Run]) -> Iterator[list[Unit]]:
    """Make the runs' folders ready and hold them; gives the members left to be trained."""
    with ExitStack() as stack:
        units = []
        for run in runs:
            stack.enter_context(held(run.folder))
            units += open_run(run)
        yield units


def carry_out(
    runs: Sequence[Run], units: Sequence[Unit], executor: Executor
) -> Iterator[Update | Score]:
    """Train the units that are left; yield the members' news, and each score when it is known.

    Leaving the iterator early, or a kill at any moment, loses no more than the epochs that
    were under way: call it again.
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
    """Make the model of members that have all ended; score it, and the rules beside it."""
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
    """Whether a score file is there and is this model's on these rows."""
    if not path.exists():
        return False
    score = read_score(path)
    return score.model_sha256 == model and rows.about().items() <= dict(score.data).items()
