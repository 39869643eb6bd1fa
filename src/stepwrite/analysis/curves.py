"""Learning curves: accuracy on train and dev by epoch, from a model's history."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from statistics import fmean, stdev

from stepwrite.errors import DataError
from stepwrite.model.directory import HISTORY

FITTED = 0.95  # train accuracy from which a member counts as having fitted train


@dataclass(frozen=True)
class Point:
    """A member after an epoch: its accuracy on a sample of train and on dev."""

    member: int
    epoch: int
    train: float | None
    dev: float


@dataclass(frozen=True)
class Spread:
    """The mean over members after an epoch, with the standard deviation (NaN for one member)."""

    epoch: int
    mean: float
    deviation: float
    members: int


@dataclass(frozen=True)
class Fit:
    """One member at its best epoch on dev, and the first epoch at which it had fitted train."""

    epoch: int
    dev: float
    train: float | None
    fitted_at: int | None

    @property
    def gap(self) -> float | None:
        """Train minus dev accuracy, a measure of overfitting."""
        return None if self.train is None else self.train - self.dev


def read_points(folder: Path) -> list[Point]:
    """The epochs in a model's history at which accuracy was measured."""
    path = folder / HISTORY
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise DataError(f"no learning curve: {reason}", path=str(path)) from None
    names = lines[0].split("\t") if lines else []
    points = []
    for number, line in enumerate(lines[1:], 2):
        cells = dict(zip(names, line.split("\t"), strict=False))
        try:
            # Older histories have no accuracy on train; not every epoch is measured.
            train = float(cells.get("train_accuracy") or "nan")
            dev = float(cells["dev_accuracy"] or "nan")
            if not math.isnan(dev):
                member, epoch = int(cells["member"]), int(cells["epoch"])
                points.append(Point(member, epoch, None if math.isnan(train) else train, dev))
        except (KeyError, ValueError):
            raise DataError(f"not a history row: {line!r}", path=str(path), line=number) from None
    if not points:
        raise DataError("no learning curve: no accuracy was recorded", path=str(path))
    return points


def spread(points: Sequence[Point], value: Callable[[Point], float | None]) -> list[Spread]:
    """The mean over the members with a value, by epoch.

    >>> points = [Point(1, 2, 0.5, 0.25), Point(2, 2, None, 0.75), Point(1, 4, 1.0, 0.5)]
    >>> [(s.epoch, s.mean, round(s.deviation, 3)) for s in spread(points, lambda p: p.dev)]
    [(2, 0.5, 0.354), (4, 0.5, nan)]
    """
    spreads = []
    for epoch, group in groupby(sorted(points, key=_epoch), key=_epoch):
        values = [v for v in map(value, group) if v is not None]
        if values:
            deviation = stdev(values) if len(values) > 1 else math.nan
            spreads.append(Spread(epoch, fmean(values), deviation, len(values)))
    return spreads


def _epoch(point: Point) -> int:
    return point.epoch


def fits(points: Sequence[Point]) -> list[Fit]:
    """Each member at its best epoch.

    >>> points = [Point(1, 2, 0.9, 0.5), Point(1, 4, 0.97, 0.75), Point(1, 6, 1.0, 0.75)]
    >>> fits(points)
    [Fit(epoch=4, dev=0.75, train=0.97, fitted_at=4)]
    """
    members: dict[int, list[Point]] = {}
    for point in sorted(points, key=_epoch):
        members.setdefault(point.member, []).append(point)
    found = []
    for history in members.values():
        best = max(history, key=lambda point: point.dev)
        fitted = (p.epoch for p in history if p.train is not None and p.train >= FITTED)
        found.append(Fit(best.epoch, best.dev, best.train, next(fitted, None)))
    return found
