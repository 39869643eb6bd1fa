"""The tables of an experiment as Markdown: its page, its training times, the rows of a README."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from statistics import mean

import numpy as np

from stepwrite.evaluation.significance import mcnemar
from stepwrite.experiments.definition import Experiment
from stepwrite.experiments.scores import Score
from stepwrite.experiments.tables import Cell, Row, System, in_measure, systems, table

PAPER = "Aharoni & Goldberg (2017)"
MISSING, NO_AVERAGE = "not measured", "-"
MOST_COLUMNS = 12  # wider tables are transposed, and a README has only their averages


def markdown(experiment: Experiment, scores: Sequence[Score]) -> str:
    """The page of an experiment: results, model kinds compared, seen and unseen lemmas, notes."""
    columns = "; ".join(f"{c.key} is {c.title}" for c in experiment.columns)
    lines = [
        f"# {experiment.title}",
        "",
        f"Written by `stepwrite results` from the score files beside it. {measure(experiment)}. "
        "One model: mean ± standard deviation over members. Vote: 95 % interval; for a column over "
        "several datasets it pools all their rows.",
        "",
        *main_table(experiment, scores),
        "",
        *comparisons(experiment, scores),
        *lemma_table(experiment, scores),
        "## Notes",
        *([] if is_wide(experiment) else [f"- Columns: {columns}."]),
        *(f"- {note}" for note in experiment.notes),
        *(f"- {line}" for line in besides_presets(experiment, scores)),
        *(f"- {dataset.title}: {dataset.note}" for dataset in experiment.datasets if dataset.note),
        *(
            f"- {published.system}: {published.source}.{' ' * bool(published.note)}{published.note}"
            for published in experiment.published
        ),
    ]
    return "\n".join(lines) + "\n"


def measure(experiment: Experiment) -> str:
    if experiment.measure == "word error rate":
        return "Word error rate on test, %: lower is better"
    return "Exact match on test, %"


def is_wide(experiment: Experiment) -> bool:
    return len(experiment.columns) > MOST_COLUMNS


def main_table(experiment: Experiment, scores: Sequence[Score]) -> list[str]:
    """One line per system, or one line per column if there are many columns."""
    rows = table(experiment, scores)
    of_systems = [[row.system for row in rows]]
    of_systems += [[shown(row, column.key) for row in rows] for column in experiment.columns]
    average = [str(row.average or NO_AVERAGE) for row in rows]
    rests_on = [row.rests_on for row in rows]
    if not is_wide(experiment):
        keys = [column.key for column in experiment.columns]
        header = ["system", *keys, "average", "based on"]
        return pipes(header, zip(*of_systems, average, rests_on, strict=True))
    names, *cells = of_systems
    titles = [column.title for column in experiment.columns]
    lines = [[title, *line] for title, line in zip(titles, cells, strict=True)]
    return pipes(["", *names], [["average", *average], *lines, ["based on", *rests_on]])


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


def comparisons(experiment: Experiment, scores: Sequence[Score]) -> list[str]:
    """Every pair of the experiment's model kinds."""
    found = systems(experiment, scores)
    return [
        line
        for kinds in combinations(experiment.models, 2)
        for line in comparison(experiment, found, *kinds)
    ]


def comparison(
    experiment: Experiment, found: Sequence[System], first: str, second: str
) -> list[str]:
    """McNemar's test of two kinds wherever both have scores for the same rows."""
    by_kind = {(system.model, system.preset): system for system in found}
    lines: list[list[str]] = []
    for preset in dict.fromkeys(system.preset for system in found):
        if not {(first, preset), (second, preset)} <= set(by_kind):
            continue
        pair = by_kind[first, preset], by_kind[second, preset]
        for column in experiment.columns:
            both = [d for d in column.datasets if all(d in system.scores for system in pair)]
            cells = [MISSING, "", "", ""]
            if both:
                a, b = (
                    np.concatenate([s.scores[d].parts[column.part].correct for d in both])
                    for s in pair
                )
                test = mcnemar(a, b)
                counts = [str(n) for n in (len(a), test.only_a, test.only_b)]
                cells = [*counts, f"{test.p_value:.2g}"]
            lines.append([preset, column.key, *cells])
    header = ["preset", "column", "rows", f"only {first} right", f"only {second} right", "p"]
    return [
        f"## {first.capitalize()} versus {second}",
        "The votes compared on the same rows: McNemar's exact test, two-sided.",
        "",
        *pipes(header, lines),
        "",
    ]


def lemma_table(experiment: Experiment, scores: Sequence[Score]) -> list[str]:
    lines = [
        [system.name, dataset.title, *cells]
        for system in systems(experiment, scores)
        for dataset in experiment.datasets
        if dataset.name in system.scores
        for cells in [lemma_cells(experiment, system.scores[dataset.name])]
    ]
    header = ["system", "dataset", "seen: rows", "seen: vote", "unseen: rows", "unseen: vote"]
    return [
        "## Lemmas seen and not seen in training",
        *pipes(header, lines or [[MISSING, *[""] * 5]]),
        "",
    ]


def lemma_cells(experiment: Experiment, score: Score) -> list[str]:
    cells = []
    for group in (score.lemmas.get(label) for label in ("seen", "unseen")):
        cell = group and in_measure(experiment, Cell(100 * group.accuracy))
        cells += [str(group.rows), str(cell)] if group else ["0", "-"]
    return cells


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
    """Published rows and our votes, without intervals: for a README.

    If there are rows of the paper, the other published ones are left out.
    """
    papers = [row.system for row in experiment.published if row.source == PAPER]
    published = papers or [row.system for row in experiment.published]
    keys = [] if is_wide(experiment) else [column.key for column in experiment.columns]
    lines = []
    for row in table(experiment, scores):
        if row.kind in ("rules", "vote") or row.system in published:
            prefix = "" if row.kind != "published" else "paper: " if papers else "published: "
            values = [
                f"{row.cells[key].value:.2f}" if key in row.cells else shown(row, key)
                for key in keys
            ]
            average = f"{row.average.value:.2f}" if row.average else "-"
            lines.append([prefix + row.system, *values, average])
    name = experiment.name + (", word error rate" if experiment.measure != "accuracy" else "")
    return "\n".join(pipes([name, *keys, "average"], lines)) + "\n"


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
