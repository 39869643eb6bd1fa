"""The report on a system's predictions, for people and for programs.

It knows nothing of files to read: predictions may come from anywhere and get the same report.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from stepwrite.data.examples import Example
from stepwrite.evaluation.metrics import Estimate, RowScores, Scores
from stepwrite.evaluation.significance import Comparison
from stepwrite.files import write_whole

WORST = 15
TITLES = {
    "part_of_speech": "part of speech",
    "features": "feature bundle",
    "lemma": "lemma in training data",
    "bundle": "feature bundle in training data",
}


@dataclass(frozen=True)
class Report:
    """Everything that is printed."""

    scores: Scores
    breakdown: dict[str, dict[str, Scores]]
    against: Comparison | None
    signature: str


def report_json(report: Report) -> str:
    return json.dumps(finite(asdict(report)), ensure_ascii=False, allow_nan=False, indent=2)


def finite(value: Any) -> Any:
    """The value with null for bounds that don't exist: JSON has no infinity."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def report_text(report: Report) -> str:
    scores = report.scores
    blocks = [
        table(
            ("", "score", "95 % interval"),
            [
                ("rows", str(scores.rows), ""),
                ("exact match (%)", *percent(scores.exact_match)),
                ("edit distance", *plain(scores.edit_distance)),
                ("normalised edit distance", *plain(scores.normalised_edit_distance)),
                ("reciprocal rank", *plain(scores.reciprocal_rank)),
            ],
        )
    ]
    for name, groups in report.breakdown.items():
        shown_groups, note = list(groups.items()), ""
        if name == "features" and len(groups) > WORST:
            # Those that cost most; a rare bundle with its one row wrong says little.
            shown_groups = sorted(groups.items(), key=lambda item: -item[1].wrong)[:WORST]
            note = f" (the {WORST} of {len(groups)} with most mistakes)"
        header = (
            TITLES[name] + note,
            "rows",
            "wrong",
            "exact match (%)",
            "95 % interval",
            "distance",
        )
        rows = [
            (
                label or "-",
                str(group.rows),
                str(group.wrong),
                *percent(group.exact_match),
                plain(group.edit_distance)[0],
            )
            for label, group in shown_groups
        ]
        blocks.append(table(header, rows))
    if report.against:
        blocks.append(against_text(report.against))
    return "\n\n".join([*blocks, report.signature])


def against_text(against: Comparison) -> str:
    bootstrap, mcnemar = against.bootstrap, against.mcnemar
    difference, interval = percent(bootstrap.difference, sign="+")
    return "\n".join(
        [
            table(
                ("against", "score", "95 % interval"),
                [
                    ("exact match (%)", *percent(against.scores.exact_match)),
                    ("difference (points)", difference, interval),
                ],
            ),
            f"paired bootstrap, {bootstrap.samples} samples, seed {bootstrap.seed}: "
            f"p = {bootstrap.p_value:.4g}",
            f"McNemar's exact test, right only here {mcnemar.only_a}, only there "
            f"{mcnemar.only_b}: p = {mcnemar.p_value:.4g}",
        ]
    )


def percent(estimate: Estimate, sign: str = "") -> tuple[str, str]:
    """Value and interval as percentages; a sign of "+" is for differences."""
    bounds = (estimate.value, estimate.low, estimate.high)
    value, low, high = (f"{100 * bound:{sign}.2f}" for bound in bounds)
    return value, f"{low} to {high}"


def plain(estimate: Estimate) -> tuple[str, str]:
    """Value and interval as they are; an interval without an end says so."""
    high = "any" if math.isinf(estimate.high) else f"{estimate.high:.4f}"
    return f"{estimate.value:.4f}", f"{estimate.low:.4f} to {high}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns, the first to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = []
    for row in (header, *rows):
        first, *others = [
            cell.rjust(width) if number else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join([first, *others]).rstrip())
    return "\n".join(lines)


def write_errors(
    path: str, gold: Sequence[Example], guesses: Sequence[Sequence[str]], rows: RowScores
) -> None:
    """The rows whose best guess is wrong, as a table with a header."""
    with write_whole(path) as file:
        file.write("lemma\tfeatures\tgold\tpredicted\tdistance\n")
        for example, (best, *_), distance in zip(gold, guesses, rows.distance, strict=True):
            if distance:
                file.write("\t".join([*example, best, str(distance)]) + "\n")
