"""`stepwrite reproduce`: run or resume an experiment."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stepwrite.cli.options import executor_options
from stepwrite.cli.progress import stoppable
from stepwrite.errors import require
from stepwrite.terminal import LiveTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stepwrite.experiments.definition import Experiment
    from stepwrite.experiments.plan import Run
    from stepwrite.experiments.run import Executor
    from stepwrite.experiments.scores import Score
    from stepwrite.training.workers import Unit, Update

COLUMNS = ("dataset", "model", "members", "running", "test")
FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command()
@click.argument("name")
@click.option("--models", help="Comma-separated model kinds. [default: the experiment's]")
@click.option("--only", help="Comma-separated datasets. [default: all]")
@click.option(
    "--preset",
    type=click.Choice(["default", "paper"]),
    help="Training preset. [default: the experiment's]",
)
@click.option(
    "--members",
    type=click.IntRange(min=1),
    help="Ensemble size; members already trained are reused. [default: the experiment's]",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=os.cpu_count() or 1,
    show_default="the machine's cores",
    help="Members trained at the same time (local executor).",
)
@click.option("--data", type=FOLDER, help="Data directory. [default: $STEPWRITE_DATA]")
@click.option(
    "--runs",
    type=FOLDER,
    default=Path("runs"),
    show_default=True,
    help="Directory for trained models.",
)
@click.option(
    "--results",
    type=FOLDER,
    default=Path("results"),
    show_default=True,
    help="Directory for scores and tables.",
)
@executor_options("Train in local processes, or on a Ray cluster.")
@click.option("--cost", is_flag=True, help="Show how much work is left, and do nothing.")
def reproduce(
    name: str,
    models: str | None,
    only: str | None,
    preset: str | None,
    members: int | None,
    jobs: int,
    data: Path | None,
    runs: Path,
    results: Path,
    executor: str,
    address: str | None,
    cost: bool,
) -> None:
    """Train and score the models of experiment NAME and write its tables.

    NAME is celex, sigmorphon2016, wiktionary, conll2017-low, conll2017-medium, conll2017-high,
    g2p2021-medium, g2p2021-low, or the path of a .toml file of your own. It can be stopped at any
    time; the same command resumes it without repeating finished work.

    \b
    Examples:
      stepwrite reproduce celex --data data
      stepwrite reproduce celex --data data --cost
      stepwrite reproduce sigmorphon2016 --models hard --only german,navajo --members 1
      stepwrite reproduce conll2017-low --data data --only quechua,welsh
      stepwrite reproduce celex --preset paper --models hard --members 1
      stepwrite reproduce celex --executor ray --address auto
    """
    from stepwrite.cli.results import write_tables
    from stepwrite.experiments.definition import data_folder, load_experiment
    from stepwrite.experiments.plan import Choice, plan_runs

    for module in ("torch", "numba"):
        require(module, extra="train", purpose="training")
    if address and executor == "local":
        raise click.UsageError("--address is for --executor ray")
    experiment = load_experiment(name)
    choice = Choice(
        data=data_folder(data),
        runs=runs,
        results=results,
        datasets=chosen(only, [d.name for d in experiment.datasets if d.files], "--only"),
        models=chosen(models, experiment.models, "--models"),
        preset=preset or experiment.preset,
        members=members or experiment.members,
    )
    planned = plan_runs(experiment, choice)
    if cost:
        click.echo("\n".join(cost_lines(experiment, planned, results)))
        return
    follow(experiment, planned, make_executor(executor, jobs, address))
    click.echo(write_tables(experiment, results))


def chosen(option: str | None, known: Sequence[str], name: str) -> tuple[str, ...]:
    if option is None:
        return tuple(known)
    names = tuple(part.strip() for part in option.split(","))
    for part in names:
        if part not in known:
            raise click.BadParameter(f"{part!r}: expected {', '.join(known)}", param_hint=name)
    return names


def cost_lines(experiment: Experiment, runs: Sequence[Run], results: Path) -> list[str]:
    """What is left to train, and the core hours it takes at the speed of earlier runs."""
    from statistics import mean

    from stepwrite.experiments.plan import members_left
    from stepwrite.experiments.scores import read_scores

    scores = read_scores(results / experiment.name, experiment.datasets)
    lines, hours, n_examples = [], 0.0, 0
    known = True
    for run in runs:
        n_members, n_epochs = members_left(run), run.plan.config.epochs
        work = n_members * n_epochs * run.n_train
        speeds = [
            member.examples_per_second
            for score in scores
            if (score.model, score.preset) == (run.model, run.preset)
            for member in score.members
        ]
        lines.append(
            f"{run.title}: {n_members} of {run.plan.members} members to train, "
            f"{n_epochs} epochs of {run.n_train} rows"
        )
        n_examples += work
        known = known and bool(speeds or not work)
        hours += work / mean(speeds) / 3600 if speeds else 0
    took = f"{hours:.1f} core hours at the speed of the scores in {results}"
    unknown = "the speed is not known yet"
    return [*lines, f"left: {n_examples / 1e6:.2f} million examples; {took if known else unknown}"]


def make_executor(name: str, jobs: int, address: str | None) -> Executor:
    if name == "local":
        from stepwrite.training.workers import train_units

        return lambda units: train_units(units, jobs)
    from stepwrite.experiments.cluster import train_on_cluster

    return lambda units: train_on_cluster(units, address)


def follow(experiment: Experiment, runs: Sequence[Run], executor: Executor) -> None:
    """Run the experiment and show its progress; a signal stops it in good order."""
    from stepwrite.experiments.run import carry_out, opened
    from stepwrite.training.workers import Update

    command = shlex.join(["stepwrite", *sys.argv[1:]])
    with (
        stoppable(command),
        opened(runs) as units,
        Display(experiment, runs, units) as display,
    ):
        for news in carry_out(runs, units, executor):
            if isinstance(news, Update):
                display.show(news)
            else:
                display.complete(news)


class Display(LiveTable):
    """What is done, running and left: a live table on a terminal, lines elsewhere.

    The remaining time assumes the average speed so far and as many members in parallel as have
    been observed.
    """

    def __init__(self, experiment: Experiment, runs: Sequence[Run], units: Sequence[Unit]) -> None:
        super().__init__(stays=True)
        self.experiment = experiment
        self.runs = {run.folder: run for run in runs}
        self.running: dict[Unit, Update] = {}
        self.at_once = 0
        self.left = set(units)
        self.scores: dict[tuple[str, str], Score] = {}
        self.examples = self.seconds = 0.0

    def show(self, update: Update) -> None:
        if update.loss is not None and not update.ended:
            self.examples += self.runs[update.folder].n_train
            self.seconds += update.epoch_seconds
        update = update.after(self.running.get(update.unit, update))
        self.running[update.unit] = update
        self.at_once = max(self.at_once, len(self.running))
        if update.ended:
            self.left.remove(update.unit)
            del self.running[update.unit]
        if not self.live and update.ended:
            best = "" if update.best_accuracy is None else f", dev {100 * update.best_accuracy:.2f}"
            self.line(f"{self.title(update)}: ended{best} at epoch {update.best_epoch}")
        elif not self.live and update.share == 1.0 and update.loss is not None:
            self.line(f"{self.title(update)}: {self.place(update)}")
        self.draw()

    def complete(self, score: Score) -> None:
        self.scores[score.dataset, score.model] = score
        if not self.live:
            group = score.parts[""]
            self.line(
                f"{score.dataset} {score.model}: vote of {len(score.members)}, "
                f"test {100 * group.accuracy:.2f} ({group.rows} rows)"
            )
        self.draw()

    def line(self, text: str) -> None:
        left = self.time_left()
        click.echo(f"{text}{left and f'; left {left}'}", err=True)

    def title(self, update: Update) -> str:
        return f"{self.runs[update.folder].title} member {update.member}"

    def place(self, update: Update) -> str:
        n_epochs = self.runs[update.folder].plan.config.epochs
        dev = "" if update.accuracy is None else f" dev {100 * update.accuracy:.2f}"
        return f"epoch {update.epoch - 1 + update.share:.1f}/{n_epochs}{dev}"

    def time_left(self) -> str:
        """Hours and minutes; empty until an epoch has been timed."""
        if not self.examples:
            return ""
        epochs_left = {
            run.folder: run.plan.config.epochs * (run.plan.members - self.n_ended(run))
            for run in self.runs.values()
        }
        for unit, update in self.running.items():
            epochs_left[unit.folder] -= update.epoch
        work = sum(self.runs[folder].n_train * n for folder, n in epochs_left.items())
        minutes = int(work * self.seconds / self.examples / self.at_once / 60)
        return f"{minutes // 60}:{minutes % 60:02d} h"

    def n_ended(self, run: Run) -> int:
        return run.plan.members - sum(unit.folder == run.folder for unit in self.left)

    def table(self) -> Any:
        from rich.table import Table

        left = self.time_left()
        table = Table(*COLUMNS, title=f"{self.experiment.name}{left and f', left {left}'}")
        for run in self.runs.values():
            score = self.scores.get((run.dataset.name, run.model))
            places = [
                f"{unit.member}: {self.place(update)}"
                for unit, update in self.running.items()
                if unit.folder == run.folder
            ]
            table.add_row(
                run.dataset.name,
                run.model,
                f"{self.n_ended(run)}/{run.plan.members}",
                "\n".join(places),
                f"{100 * score.parts[''].accuracy:.2f}" if score else "",
            )
        return table
