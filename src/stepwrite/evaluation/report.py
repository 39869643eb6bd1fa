"""The evaluation report, as text or JSON.

It does not depend on where the predictions come from.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from typing import Any

from stepwrite import __version__
from stepwrite.data.examples import Example, Examples, write_examples
from stepwrite.data.segmentation import Segmentation
from stepwrite.evaluation.metrics import Estimate, Scores, breakdown, score_rows
from stepwrite.evaluation.significance import Comparison, compare
from stepwrite.files import write_whole

WORST = 15
TITLES = {
    "part_of_speech": "part of speech",
    "features": "feature bundle",
    "lemma": "lemma in training data",
    "bundle": "feature bundle in training data",
}


@dataclass(frozen=True)
class Mistake:
    """A row whose best guess is not the right form. distance: edits between the two."""

    lemma: str
    features: str
    form: str
    predicted: str
    distance: int


@dataclass(frozen=True, repr=False)
class Evaluation:
    """How good predictions are; it prints as a table.

    scores: of all rows, each with its interval; the properties have the numbers alone.
    breakdown: the scores of groups of rows, by what they are grouped by and by their labels.
    against: the comparison with another system, if there was one.
    signature: what was scored, and how: scores with equal signatures can be compared.
    """

    scores: Scores
    breakdown: dict[str, dict[str, Scores]]
    against: Comparison | None
    signature: str
    mistakes: tuple[Mistake, ...] = ()

    @property
    def rows(self) -> int:
        return self.scores.rows

    @property
    def exact_match(self) -> float:
        """The share of right forms, between 0 and 1."""
        return self.scores.exact_match.value

    @property
    def edit_distance(self) -> float:
        return self.scores.edit_distance.value

    @property
    def normalised_edit_distance(self) -> float:
        return self.scores.normalised_edit_distance.value

    @property
    def reciprocal_rank(self) -> float:
        return self.scores.reciprocal_rank.value

    def __str__(self) -> str:
        scores = self.scores
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
        for name, groups in self.breakdown.items():
            shown_groups, note = list(groups.items()), ""
            if name == "features" and len(groups) > WORST:
                # Not the lowest accuracy: a rare bundle with its only row wrong says little.
                shown_groups = sorted(groups.items(), key=lambda item: -item[1].wrong)[:WORST]
                note = f" (the {WORST} of {len(groups)} with the most errors)"
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
        if self.against:
            blocks.append(against_text(self.against))
        return "\n\n".join([*blocks, self.signature])

    __repr__ = __str__  # so that an interpreter shows the table

    def to_json(self) -> str:
        """Everything but the mistakes, unrounded."""
        plain = asdict(replace(self, mistakes=()))
        del plain["mistakes"]
        return json.dumps(finite(plain), ensure_ascii=False, allow_nan=False, indent=2)


def evaluation(
    gold: Examples,
    guesses: Sequence[Sequence[str]],
    segmentation: Segmentation,
    *,
    against: Sequence[Sequence[str]] | None = None,
    train: Iterable[Example] | None = None,
) -> Evaluation:
    """Score guesses, best first for each gold row.

    against: another system's guesses. train: training examples, to score seen and unseen apart.
    """
    rows = score_rows(gold, guesses, segmentation)
    other = None if against is None else score_rows(gold, against, segmentation)
    mistakes = (
        Mistake(*example, (*best, "")[0], int(distance))
        for example, best, distance in zip(gold, guesses, rows.distance, strict=True)
        if distance
    )
    return Evaluation(
        scores=rows.summary(),
        breakdown=breakdown(gold, rows, train, segmentation),
        against=None if other is None else compare(rows, other),
        signature=signature(gold, segmentation),
        mistakes=tuple(mistakes),
    )


def signature(gold: Examples, segmentation: Segmentation) -> str:
    """What was scored, and how.

    The hash is of the rows as they are written in the gold file's layout: for a file with plain
    line ends and no blank lines the start of its sha256sum.
    """
    text = io.StringIO()
    write_examples(text, gold, gold.layout)
    digest = hashlib.sha256(text.getvalue().encode()).hexdigest()[:12]
    symbols = "spaced" if segmentation.form_spaced else "codepoints"
    return f"stepwrite|version:{__version__}|gold:{digest}|rows:{len(gold)}|symbols:nfc-{symbols}"


def finite(value: Any) -> Any:
    """The value with null in place of infinite bounds, which JSON cannot represent."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


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
            f"McNemar's exact test, only this system right {mcnemar.only_a}, only the other "
            f"{mcnemar.only_b}: p = {mcnemar.p_value:.4g}",
        ]
    )


def percent(estimate: Estimate, sign: str = "") -> tuple[str, str]:
    """Value and interval as percentages; `sign="+"` is for differences."""
    bounds = (estimate.value, estimate.low, estimate.high)
    value, low, high = (f"{100 * bound:{sign}.2f}" for bound in bounds)
    return value, f"{low} to {high}"


def plain(estimate: Estimate) -> tuple[str, str]:
    """Value and interval; an infinite upper bound is shown as `any`."""
    high = "any" if math.isinf(estimate.high) else f"{estimate.high:.4f}"
    return f"{estimate.value:.4f}", f"{estimate.low:.4f} to {high}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns, the first left-aligned and the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = []
    for row in (header, *rows):
        first, *others = [
            cell.rjust(width) if number else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join([first, *others]).rstrip())
    return "\n".join(lines)


def write_mistakes(path: str, mistakes: Iterable[Mistake]) -> None:
    """The rows whose best guess is wrong, as a table with a header."""
    with write_whole(path) as file:
        file.write("lemma\tfeatures\tgold\tpredicted\tdistance\n")
        for mistake in mistakes:
            file.write("\t".join(map(str, astuple(mistake))) + "\n")
