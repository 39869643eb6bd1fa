"""The tables of an experiment, from its score files alone: published and measured results.

The figure of a column is the mean over its datasets of the accuracy on its part of their test
rows. One model: the mean over the members, with their standard deviation. Vote: with the 95 %
interval (Wilson's, pooling the rows of all its datasets).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import mean, stdev

import numpy as np

from stepwrite.evaluation.metrics import wilson
from stepwrite.evaluation.significance import mcnemar
from stepwrite.experiments.definition import Column, Experiment
from stepwrite.experiments.scores import RULES, Group, Score
from stepwrite.kinds import HARD, SOFT

PAPER = "Aharoni & Goldberg (2017)"
MISSING, NO_AVERAGE = "not measured", "-"


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
    by_key = {column.key: figure(system, [column]) for column in columns}
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
        average=figure(system, columns) if len(cells) == len(columns) else None,
        rests_on=rests_on if is_rules else f"{members}, {rests_on}",
    )


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


def markdown(experiment: Experiment, scores: Sequence[Score]) -> str:
    """The page of an experiment: accuracy, hard versus soft, seen and unseen lemmas, notes."""
    rows = table(experiment, scores)
    keys = [column.key for column in experiment.columns]
    lines = [
        f"# {experiment.title}",
        "",
        "Written by `stepwrite results` from the score files beside it. Exact match on test, %. "
        "One model: mean ± standard deviation over members. Vote: 95 % interval; for a column over "
        "several datasets it pools all their rows.",
        "",
        *pipes(
            ["system", *keys, "average", "based on"],
            [
                [
                    row.system,
                    *(shown(row, key) for key in keys),
                    str(row.average or NO_AVERAGE),
                    row.rests_on,
                ]
                for row in rows
            ],
        ),
        "",
        *comparison(experiment, scores),
        *lemma_table(experiment, scores),
        "## Notes",
        "- Columns: " + "; ".join(f"{c.key} is {c.title}" for c in experiment.columns) + ".",
        *(f"- {note}" for note in experiment.notes),
        *(f"- {line}" for line in besides_presets(experiment, scores)),
        *(f"- {dataset.title}: {dataset.note}" for dataset in experiment.datasets if dataset.note),
        *(
            f"- {published.system}: {published.source}.{' ' * bool(published.note)}{published.note}"
            for published in experiment.published
        ),
    ]
    return "\n".join(lines) + "\n"


def besides_presets(experiment: Experiment, scores: Sequence[Score]) -> list[str]:
    """One line for all models of a system with the same overrides."""
    having: dict[tuple[str, str], list[str]] = {}
    for system in systems(experiment, scores):
        for dataset in experiment.datasets:
            score = system.scores.get(dataset.name)
            if score and (besides := score.besides_preset):
                settings = ", ".join(f"{name} {value}" for name, value in besides.items())
                having.setdefault((system.name, settings), []).append(dataset.title)
    return [
        f"Overrides of the preset, {system}: {settings} ({', '.join(titles)})."
        for (system, settings), titles in having.items()
    ]


def shown(row: Row, key: str) -> str:
    return str(row.cells.get(key, NO_AVERAGE if row.kind == "published" else MISSING))


def comparison(experiment: Experiment, scores: Sequence[Score]) -> list[str]:
    """McNemar's test of hard versus soft wherever both have scores for the same rows."""
    found = {(system.model, system.preset): system for system in systems(experiment, scores)}
    lines: list[list[str]] = []
    for preset in dict.fromkeys(preset for _, preset in found):
        if not {(HARD.name, preset), (SOFT.name, preset)} <= set(found):
            continue
        hard, soft = found[HARD.name, preset], found[SOFT.name, preset]
        for column in experiment.columns:
            both = [d for d in column.datasets if d in hard.scores and d in soft.scores]
            cells = [MISSING, "", "", ""]
            if both:
                a, b = (
                    np.concatenate([s.scores[d].parts[column.part].correct for d in both])
                    for s in (hard, soft)
                )
                test = mcnemar(a, b)
                counts = [str(n) for n in (len(a), test.only_a, test.only_b)]
                cells = [*counts, f"{test.p_value:.2g}"]
            lines.append([preset, column.key, *cells])
    return [
        "## Hard versus soft",
        "The votes compared on the same rows: McNemar's exact test, two-sided.",
        "",
        *pipes(["preset", "column", "rows", "only hard right", "only soft right", "p"], lines),
        "",
    ]


def lemma_table(experiment: Experiment, scores: Sequence[Score]) -> list[str]:
    lines = [
        [system.name, dataset.title, *cells]
        for system in systems(experiment, scores)
        for dataset in experiment.datasets
        if dataset.name in system.scores
        for cells in [lemma_cells(system.scores[dataset.name])]
    ]
    header = ["system", "dataset", "seen: rows", "seen: vote", "unseen: rows", "unseen: vote"]
    return [
        "## Lemmas seen and not seen in training",
        *pipes(header, lines or [[MISSING, *[""] * 5]]),
        "",
    ]


def lemma_cells(score: Score) -> list[str]:
    groups = [score.lemmas.get(label) for label in ("seen", "unseen")]
    return [
        cell
        for group in groups
        for cell in ((str(group.rows), f"{100 * group.accuracy:.2f}") if group else ("0", "-"))
    ]


def speed_markdown(experiment: Experiment, scores: Sequence[Score]) -> str:
    """Training times, on a page of their own, because they depend on the machine."""
    lines = [
        [
            system.name,
            dataset.title,
            str(len(score.members)),
            str(score.data["train"]["rows"]),
            f"{mean(m.epochs for m in score.members):.0f}",
            f"{mean(m.examples_per_second for m in score.members):.0f}",
            f"{mean(m.minutes for m in score.members):.1f}",
            f"{sum(m.minutes for m in score.members):.1f}",
        ]
        for system in systems(experiment, scores)
        for dataset in experiment.datasets
        if (score := system.scores.get(dataset.name)) and score.members
    ]
    total = sum(m.minutes for score in scores for m in score.members)
    header = ["system", "dataset", "members", "rows", "epochs", "examples/s"]
    header += ["minutes per member", "minutes"]
    return "\n".join(
        [
            f"# {experiment.title}: training speed",
            "",
            "One core per member. The times include evaluation on dev after each epoch, and "
            f"other load on the machine slows them down. In total {total / 60:.1f} core hours.",
            "",
            *pipes(header, lines or [[MISSING, *[""] * 7]]),
            "",
        ]
    )


def short_markdown(experiment: Experiment, scores: Sequence[Score]) -> str:
    """The paper's rows and our votes, without intervals: for a README."""
    published = {row.system for row in experiment.published if row.source == PAPER}
    keys = [column.key for column in experiment.columns]
    lines = []
    for row in table(experiment, scores):
        if row.kind in ("rules", "vote") or row.system in published:
            name = f"paper: {row.system}" if row.kind == "published" else row.system
            values = [
                f"{row.cells[key].value:.2f}" if key in row.cells else shown(row, key)
                for key in keys
            ]
            lines.append([name, *values, f"{row.average.value:.2f}" if row.average else "-"])
    return "\n".join(pipes([experiment.name, *keys, "average"], lines)) + "\n"


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


def pipes(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table.

    >>> pipes(["a", "b"], [["1", "2"]])
    ['| a | b |', '|---|---|', '| 1 | 2 |']
    """
    return [
        f"| {' | '.join(header)} |",
        f"|{'---|' * len(header)}",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]
