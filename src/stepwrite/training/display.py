"""The progress of training on stderr: a table on a terminal, one line per epoch elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from stepwrite.data.features import part_of_speech
from stepwrite.evaluation.validation import (
    ValidatedRow,
    Validation,
    in_percent,
    read_validation,
)
from stepwrite.kinds import kind_of
from stepwrite.model.about import About
from stepwrite.terminal import LiveTable
from stepwrite.training.folder import Plan
from stepwrite.training.workers import Update

ENOUGH_ROWS = 20  # of a part of speech, to compare network and rules on
COLUMNS = ("epoch", "loss", "dev", "best", "examples/s", "left")


def displayed(plan: Plan, updates: Iterable[Update]) -> Iterator[Update]:
    """The same updates, shown as they come."""
    for config in plan.configs:
        count = plan.others.count(config) or plan.members - len(plan.others)
        print(
            f"{count} member(s), {kind_of(config.network.kind).title}, preset "
            f"{config.preset}: {config.network.layers} layer(s) of {config.network.hidden}, "
            f"{config.epochs} epochs",
            file=sys.stderr,
        )
    if any(config.harmony for config in plan.configs):
        print(
            "vowel harmony: endings follow the vowels of their stems, so hallucinated stems keep "
            "their own",
            file=sys.stderr,
        )
    yield from watched(plan, updates)


def watched(plan: Plan, updates: Iterable[Update], unit: str = "member") -> Iterator[Update]:
    """The same updates, shown in a table; unit: what their members are."""
    with Display(plan, unit) as display:
        for update in updates:
            display.show(update)
            yield update


def measured(validation: Validation) -> Iterator[str]:
    """How good models are on unseen lemmas, and on which parts of speech the rules are better."""
    summary = validation.summary
    way = "one split" if summary.folds == 1 else f"{summary.folds}-fold cross-validation"
    yield (
        f"unseen lemmas: {in_percent(summary.accuracy)} right (rules {in_percent(summary.rules)}), "
        f"by {way} of {summary.lemmas} lemmas, {summary.rows} rows"
    )
    yield (
        f"  {100 * summary.gain:.1f} points of these are for the lemmas held out, which the model "
        "itself learns from; ensembles are usually better"
    )
    rows_of: dict[str, list[ValidatedRow]] = {}
    for row in validation.rows:
        rows_of.setdefault(part_of_speech(row.example.features), []).append(row)
    for pos, rows in sorted(rows_of.items()):
        right, by_rules = (
            sum(getattr(row, name) for row in rows) / len(rows)
            for name in ("correct", "rules_correct")
        )
        if len(rows) >= ENOUGH_ROWS and by_rules > right and len(rows_of) > 1:
            yield (
                f"  {pos or 'other'}: {100 * right:.1f} %, below the {100 * by_rules:.1f} % of the "
                f"rules ({len(rows)} rows)"
            )


def outcome(folder: Path, plan: Plan, about: About) -> Iterator[str]:
    """What has come of a run: its accuracy beside that of the rules, and a word if it is lower."""
    vote, rules = about.vote_dev_accuracy, about.rules_dev_accuracy
    line = f"{folder}: {plan.members} member(s)"
    if validation := read_validation(folder):
        summary = validation.summary
        vote, rules = summary.accuracy.value, summary.rules.value
        yield f"{line}, unseen lemmas: {in_percent(summary.accuracy)} right"
    elif vote is None:
        yield line
        return
    else:
        beside = "not scored: many examples" if rules is None else f"{100 * rules:.2f} %"
        yield f"{line}, dev accuracy {100 * vote:.2f} % (rules {beside})"
    if rules is not None and vote < rules:
        advice = ["more training examples"]
        if not plan.config.hallucination:
            advice.insert(0, "--hallucination 0.5")
        if plan.members < 5:
            advice.insert(0, "--members 5")
        yield (
            f"{folder}: below the rules of stepwrite baseline: try {', '.join(advice)}, "
            "or use the rules"
        )


class Display(LiveTable):
    """The members' progress: one row each on a terminal, one line per epoch elsewhere."""

    def __init__(self, plan: Plan, unit: str = "member") -> None:
        super().__init__(stays=False)
        self.columns = (unit, *COLUMNS)
        self.plan = plan
        self.members: dict[int, Update] = {}

    def show(self, update: Update) -> None:
        epoch_ended = update.loss is not None and not update.ended
        update = update.after(self.members.get(update.member, update))
        self.members[update.member] = update
        self.draw()
        if not self.live and epoch_ended:
            cells = zip(self.columns, self.cells(update), strict=True)
            print("  ".join(f"{name} {cell}" for name, cell in cells if cell), file=sys.stderr)

    def table(self) -> Any:
        from rich.table import Table

        table = Table(*self.columns)
        for _, update in sorted(self.members.items()):
            table.add_row(*self.cells(update))
        return table

    def cells(self, update: Update) -> tuple[str, ...]:
        done = update.epoch - 1 + update.share
        n_epochs = self.plan.config_of(update.member).epochs
        left = int(update.epoch_seconds * (n_epochs - done))
        best = update.best_accuracy
        return (
            str(update.member),
            f"{done:.1f}/{n_epochs}",
            "" if update.loss is None else f"{update.loss:.4f}",
            "" if update.accuracy is None else f"{100 * update.accuracy:.2f}",
            "" if best is None else f"{100 * best:.2f} at {update.best_epoch}",
            f"{update.examples_per_second:.0f}" if update.examples_per_second else "",
            "done" if update.ended else f"{left // 60}:{left % 60:02d}" if left else "",
        )
