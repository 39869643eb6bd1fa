"""The report: a table of the raw figures, and ratios with their target values."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Figure(NamedTuple):
    """One number of one run."""

    group: str
    contender: str
    quantity: str
    repeat: int
    value: float


Key = tuple[str, str, str]
"""Group, contender, quantity: what is measured repeatedly."""

STEPWRITE, DROPOUT = "stepwrite", "stepwrite, dropout 0.3"
WIDE = "stepwrite, embedding 300"
TORCH, TORCH_DROPOUT = "torch.nn.LSTM", "torch.nn.LSTM, dropout 0.3"
TORCH_WIDE = "torch.nn.LSTM, embedding 300"
HARD, SOFT = "Yoyodyne hard attention", "Yoyodyne soft attention"
ONE, TWO = "one member", "two members on two cores"
NUMPY, HELP, INFLECT = 'python -c "import numpy"', "stepwrite --help", "stepwrite inflect"


@dataclass(frozen=True)
class Goal:
    """A figure, or its ratio to another, with a target: a least or a greatest value."""

    what: str
    of: Key
    to: Key | None = None
    least: float | None = None
    greatest: float | None = None

    def reached(self, value: float) -> bool:
        return (self.least or 0) <= value and (self.greatest is None or value <= self.greatest)

    @property
    def bound(self) -> str:
        return f"≥ {self.least:,.4g}" if self.least is not None else f"≤ {self.greatest:,.4g}"


def _training(contender: str) -> Key:
    return "training", contender, "examples/s"


def _decoding(contender: str) -> Key:
    return "decoding", contender, "words/s"


GOALS = (
    Goal("training, over Yoyodyne hard", _training(STEPWRITE), _training(HARD), least=15),
    Goal("training, over torch.nn.LSTM", _training(STEPWRITE), _training(TORCH), least=1.5),
    Goal("the same with dropout 0.3", _training(DROPOUT), _training(TORCH_DROPOUT), least=1.5),
    Goal("the same with embedding 300", _training(WIDE), _training(TORCH_WIDE), least=2),
    Goal(
        "two members on two cores, over one",
        ("members", TWO, "examples/s"),
        ("members", ONE, "examples/s"),
        least=1.8,
    ),
    Goal("decoding, over Yoyodyne hard", _decoding(STEPWRITE), _decoding(HARD), least=25),
    Goal("decoding, over Yoyodyne soft", _decoding(STEPWRITE), _decoding(SOFT), least=5),
    Goal("one word, ms", ("decoding", STEPWRITE, "ms a word"), greatest=2),
    Goal(
        "stepwrite inflect, over importing NumPy",
        ("startup", INFLECT, "ms"),
        ("startup", NUMPY, "ms"),
        greatest=3,
    ),
    Goal("stepwrite --help, ms", ("startup", HELP, "ms"), greatest=300),
    Goal(
        "1,000 symbols, over 100 (linear: 10)",
        ("lengths", STEPWRITE, "ms for 1000 symbols"),
        ("lengths", STEPWRITE, "ms for 100 symbols"),
        greatest=12,
    ),
    Goal(
        "the same with beam search",
        ("lengths", STEPWRITE, "ms for 1000 symbols, beam 3"),
        ("lengths", STEPWRITE, "ms for 100 symbols, beam 3"),
        greatest=12,
    ),
    Goal("encoding of features, rows/s", ("evaluation", STEPWRITE, "rows/s"), least=100_000),
    Goal(
        "McNemar's test of 20,000 rows, ms", ("evaluation", STEPWRITE, "ms per test"), greatest=500
    ),
    # A C program takes 1.6 s for 12,490 pairs.
    Goal("aligner, pairs/s", ("aligner", STEPWRITE, "pairs/s"), least=12490 / 1.6),
)


def by_key(figures: Iterable[Figure]) -> dict[Key, list[float]]:
    """The values of each quantity, by repeat.

    >>> by_key([Figure("a", "x", "ms", 0, 2.0), Figure("a", "x", "ms", 1, 3.0)])
    {('a', 'x', 'ms'): [2.0, 3.0]}
    """
    values: dict[Key, list[float]] = {}
    for figure in figures:
        values.setdefault(figure[:3], []).append(figure.value)
    return values


def ratio(of: Sequence[float], to: Sequence[float]) -> float:
    """The median of the ratios run by run, because a slowdown affects adjacent runs alike.

    >>> ratio([10, 4, 12], [5, 2, 4])
    2.0
    """
    return statistics.median(a / b for a, b in zip(of, to, strict=True))


def markdown(figures: Sequence[Figure], about: Sequence[str]) -> str:
    """The whole report."""
    values = by_key(figures)
    lines = ["# Benchmarks", "", *(f"- {line}" for line in about), ""]
    goals = [
        (goal, ratio(values[goal.of], values[goal.to]) if goal.to else median(values[goal.of]))
        for goal in GOALS
        if goal.of in values and (goal.to is None or goal.to in values)
    ]
    if goals:
        lines += ["| goal | measured | bound | |", "| --- | ---: | ---: | --- |"]
        lines += [
            f"| {goal.what} | {shown(value)} | {goal.bound} | "
            f"{'reached' if goal.reached(value) else 'missed'} |"
            for goal, value in goals
        ]
        lines.append("")
    lines += ["| | of | quantity | median | least | most |", "| --- " * 3 + "| ---: " * 3 + "|"]
    for (group, contender, quantity), found in values.items():
        numbers = " | ".join(map(shown, (median(found), min(found), max(found))))
        lines.append(f"| {group} | {contender} | {quantity} | {numbers} |")
    return "\n".join(lines) + "\n"


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def shown(value: float) -> str:
    """Three significant digits.

    >>> shown(1234.56), shown(12.345), shown(0.5)
    ('1,235', '12.3', '0.500')
    """
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:,.{digits}f}"
