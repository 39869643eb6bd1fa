"""The tables of an experiment, from its score files alone: published and measured results.

The figure of a column is the mean over its datasets of the accuracy on its part of their test
rows, or of the word error rate, 100 % minus accuracy. One model: the mean over the members, with
their standard deviation. Vote: with the 95 % interval (Wilson's, pooling the rows of all its
datasets).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from statistics import mean, stdev

from stepwrite.evaluation.metrics import wilson
from stepwrite.experiments.definition import Column, Experiment
from stepwrite.experiments.scores import RULES, Group, Score


@dataclass(frozen=True)
class Cell:
    """A figure in per cent; `sd` is over members, `low` to `high` the 95 % interval."""

    value: float
    sd: float | None = None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        """
        >>> print(Cell(90.123, sd=0.5), Cell(90.0, low=88.0, high=92.0), Cell(87.6), sep=", ")
        90.12 ± 0.50, 90.00 (88.00 to 92.00), 87.60
        """
        if self.low is not None:
            return f"{self.value:.2f} ({self.low:.2f} to {self.high:.2f})"
        return f"{self.value:.2f}" + ("" if self.sd is None else f" ± {self.sd:.2f}")

    def error(self) -> Cell:
        """The error rate of an accuracy.

        >>> print(Cell(90.0, low=88.0, high=93.0).error())
        10.00 (7.00 to 12.00)
        """
        low = None if self.high is None else 100 - self.high
        high = None if self.low is None else 100 - self.low
        return replace(self, value=100 - self.value, low=low, high=high)


@dataclass(frozen=True)
class Row:
    """A row of the table: cells by column key, and what they are based on."""

    system: str
    kind: str
    cells: Mapping[str, Cell]
    average: Cell | None
    rests_on: str


@dataclass(frozen=True)
class System:
    """A model with one preset, or the rule baseline: its scores by dataset."""

    model: str
    preset: str
    name: str
    scores: Mapping[str, Score] = field(repr=False)

    def groups(self, column: Column) -> list[Group]:
        """The rows of the column in each of its datasets that has scores."""
        found = [self.scores[name] for name in column.datasets if name in self.scores]
        return [score.parts[column.part] for score in found if column.part in score.parts]

    def members(self, columns: Iterable[Column]) -> int:
        """The number of members that all scores of these columns have."""
        groups = [group for column in columns for group in self.groups(column)]
        return min((len(group.members) for group in groups), default=0)


def systems(experiment: Experiment, scores: Sequence[Score]) -> list[System]:
    """The rules, then the experiment's own preset, then others; models in its order."""
    presets = sorted({s.preset for s in scores} - {experiment.preset, ""})
    found = [System(RULES, "", "rules", {s.dataset: s for s in scores if s.model == RULES})]
    for preset in (experiment.preset, *presets):
        for model in experiment.models:
            of_it = {s.dataset: s for s in scores if (s.model, s.preset) == (model, preset)}
            name = model if preset == experiment.preset else f"{model}, preset {preset}"
            if of_it or preset == experiment.preset:
                found.append(System(model, preset, name, of_it))
    return found


def table(experiment: Experiment, scores: Sequence[Score]) -> list[Row]:
    rows = [
        Row(
            published.system,
            "published",
            {key: Cell(value) for key, value in published.scores.items()},
            None if published.average is None else Cell(published.average),
            "published",
        )
        for published in experiment.published
    ]
    for system in systems(experiment, scores):
        if system.model != RULES:
            rows.append(row(experiment, system, "one model", one_model))
        rows.append(row(experiment, system, "vote", vote))
    return rows


Figure = Callable[[System, Sequence[Column]], Cell | None]
"""The figure of a system for one column, or the average over several."""


def row(experiment: Experiment, system: System, kind: str, figure: Figure) -> Row:
    columns = experiment.columns

    def measured(some: Sequence[Column]) -> Cell | None:
        cell = figure(system, some)
        return cell and in_measure(experiment, cell)

    by_key = {column.key: measured([column]) for column in columns}
    cells = {key: cell for key, cell in by_key.items() if cell}
    datasets = {name for column in columns for name in column.datasets}
    counts = {len(score.members) for score in system.scores.values()}
    span = " to ".join(str(n) for n in sorted({min(counts, default=0), max(counts, default=0)}))
    members = "1 member" if span == "1" else f"{span} members"
    rests_on = f"{len(datasets & set(system.scores))} of {len(datasets)} datasets"
    is_rules = system.model == RULES
    return Row(
        system=system.name if is_rules else f"{system.name}, {kind}",
        kind="rules" if is_rules else kind,
        cells=cells,
        average=measured(columns) if len(cells) == len(columns) else None,
        rests_on=rests_on if is_rules else f"{members}, {rests_on}",
    )


def in_measure(experiment: Experiment, accuracy: Cell) -> Cell:
    return accuracy.error() if experiment.measure == "word error rate" else accuracy


def one_model(system: System, columns: Sequence[Column]) -> Cell | None:
    n_members = system.members(columns)
    if not n_members:
        return None
    alone = [
        100
        * mean(
            mean(group.members[member] / group.rows for group in system.groups(column))
            for column in columns
        )
        for member in range(n_members)
    ]
    return Cell(mean(alone), sd=stdev(alone) if n_members > 1 else None)


def vote(system: System, columns: Sequence[Column]) -> Cell | None:
    """The mean accuracy of the columns. Its interval is Wilson's for one column; for several, the
    distances to their bounds are combined like independent errors (Zou & Donner 2008)."""
    groups = [system.groups(column) for column in columns]
    if not all(groups):
        return None
    value = mean(mean(group.accuracy for group in of_column) for of_column in groups)
    intervals = [wilson(sum(g.vote for g in gs), sum(g.rows for g in gs)) for gs in groups]
    below = sqrt(sum((i.value - i.low) ** 2 for i in intervals)) / len(columns)
    above = sqrt(sum((i.high - i.value) ** 2 for i in intervals)) / len(columns)
    return Cell(100 * value, low=100 * (value - below), high=100 * (value + above))


def tsv(experiment: Experiment, scores: Sequence[Score]) -> str:
    """One line per figure, for programs; figures not measured are left out."""
    lines = ["system\tkind\tcolumn\tvalue\tsd\tlow\thigh"]
    for row in table(experiment, scores):
        cells = {**row.cells, **({"average": row.average} if row.average else {})}
        for key, cell in cells.items():
            numbers = (cell.value, cell.sd, cell.low, cell.high)
            texts = ("" if number is None else f"{number:.4f}" for number in numbers)
            lines.append("\t".join((row.system, row.kind, key, *texts)))
    return "\n".join(lines) + "\n"
