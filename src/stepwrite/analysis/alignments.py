"""Which positions a model attended to while writing a word: the data of an alignment plot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from stepwrite.data.examples import Example
from stepwrite.data.segmentation import Symbols
from stepwrite.errors import StepwriteError, shown
from stepwrite.prediction import Prediction
from stepwrite.transducer.actions import Action, Move, execute, trace

LONGEST = 14  # symbols of a lemma or form chosen for drawing: longer ones are unreadable


@dataclass(frozen=True)
class View:
    """How a word was written.

    positions: attended positions of the padded lemma, one for each symbol of the form and, if the
    model reached it, one for the end. A hard model starts at 0 and steps from each to the next.
    weights: for a soft model, (positions, lemma + 2).
    """

    lemma: Symbols
    form: Symbols
    positions: tuple[int, ...]
    weights: NDArray[np.float64] | None = None

    @property
    def ended(self) -> bool:
        return len(self.positions) > len(self.form)

    @property
    def path(self) -> tuple[int, ...]:
        """The positions for the symbols of the form, without the end."""
        return self.positions[: len(self.form)]


def path_of(lemma: Symbols, actions: Sequence[Action]) -> View:
    """The view of actions executed on a lemma.

    >>> from stepwrite.transducer.actions import Copy, End, Step, Write
    >>> actions = [Step(), Write("l"), Step(), Step(), Copy(), Step(), End()]
    >>> path_of(("l", "t", "e"), actions)
    View(lemma=('l', 't', 'e'), form=('l', 'e'), positions=(1, 3, 4), weights=None)
    """
    return _view(lemma, trace(lemma, actions, execute(lemma, actions).positions))


def view(prediction: Prediction) -> View:
    """What the most confident member attended to while writing the predicted form.

    A form written right to left is shown in normal order, without the row for the end action,
    which would come before the form.
    """
    if not prediction.actions:
        remedy = "; use --lexicon flag or off" if prediction.by == "lexicon" else ""
        raise StepwriteError(
            f"{shown(prediction.form)} comes from the {prediction.by}: no network wrote it{remedy}"
        )
    seen = _view(prediction.symbols, prediction.steps, prediction.attention)
    if prediction.direction == "forward":
        return seen
    weights = None if seen.weights is None else seen.weights[: len(seen.form)][::-1]
    return View(seen.lemma, seen.form[::-1], seen.path[::-1], weights)


def _view(
    lemma: Symbols, steps: Sequence[Move], attention: Sequence[Sequence[float]] | None = None
) -> View:
    """What only moves on is not shown."""
    rows = [row for row, move in enumerate(steps) if move.written or not move.action.moves]
    return View(
        lemma,
        tuple(move.written for move in steps if move.written),
        tuple(steps[row].position for row in rows),
        None if attention is None else np.array([attention[row] for row in rows], float),
    )


@dataclass(frozen=True)
class Choice:
    """A row of the data chosen for drawing, and why."""

    row: int
    reason: str


def choose(
    gold: Sequence[Example],
    forms: Sequence[Sequence[str]],
    names: Sequence[str],
    n_each: int = 3,
    seed: int = 0,
) -> list[Choice]:
    """Some rows where all models are right, and some where they differ.

    For one model, rows where it is right and rows where it is wrong. `forms` has one list per
    model, in the order of `names`. Sampled at random: picking the nicest would prove nothing.

    >>> gold = [Example("a", "", "b"), Example("c", "", "d"), Example("e", "", "f")]
    >>> for choice in choose(gold, [["b", "d", "x"], ["b", "y", "f"]], ["hard", "soft"]):
    ...     print(choice.row, choice.reason)
    0 both are right
    1 only hard is right
    2 only soft is right
    """
    groups: dict[bool, list[Choice]] = {True: [], False: []}
    everyone = "both" if len(names) == 2 else "all"
    for row, (example, *found) in enumerate(zip(gold, *forms, strict=True)):
        right = [form == example.form for form in found]
        if max(map(len, (example.lemma, example.form, *found))) > LONGEST:
            continue
        if len(found) == 1:
            groups[right[0]].append(Choice(row, "right" if right[0] else "wrong"))
        elif all(right):
            groups[True].append(Choice(row, f"{everyone} are right"))
        elif len(set(found)) > 1:
            better = [name for name, good in zip(names, right, strict=True) if good]
            verb = "is" if len(better) == 1 else "are"
            reason = f"only {' and '.join(better)} {verb} right"
            if not better:
                reason = f"they differ, {everyone} are wrong"
            groups[False].append(Choice(row, reason))
    random = Random(seed)
    drawn = (random.sample(group, min(n_each, len(group))) for group in groups.values())
    return [choice for group in drawn for choice in sorted(group, key=lambda c: c.row)]
