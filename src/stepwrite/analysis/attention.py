"""How monotonic soft attention is, and how far it agrees with a hard path.

Only written symbols count: both kinds attend to the end at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stepwrite.analysis.alignments import View


@dataclass(frozen=True)
class Monotony:
    """How monotonic a soft model is; all values are proportions.

    moves: pairs of adjacent outputs between which the most attended position does not go back.
    words: words in which it never goes back. peak: the mean of the largest weights.
    """

    moves: float
    words: float
    peak: float


@dataclass(frozen=True)
class Agreement:
    """Soft attention compared with the hard path on words where both write the same form.

    same: outputs whose most attended position is the hard one; near: it or a neighbour.
    weight: the mean weight on the hard position. diagonal: outputs whose hard position equals
    their own place in the form, which is what an uninformed pointer would achieve.
    """

    same: float
    near: float
    weight: float
    diagonal: float
    words: int
    outputs: int


def monotony(views: Iterable[View]) -> Monotony | None:
    """None if nothing was written.

    >>> import numpy as np
    >>> positions = (2, 1, 1, 3)
    >>> monotony([View(("a", "b"), ("b", "a", "a"), positions, np.eye(4)[list(positions)])])
    Monotony(moves=0.5, words=0.0, peak=1.0)
    """
    moves: list[bool] = []
    words: list[bool] = []
    peaks: list[float] = []
    for view in views:
        assert view.weights is not None
        forward = [a <= b for a, b in zip(view.path, view.path[1:], strict=False)]
        moves += forward
        if view.path:
            words.append(all(forward))
            peaks += view.weights.max(axis=1)[: len(view.path)].tolist()
    if not words:
        return None
    return Monotony(_share(moves), _share(words), _share(peaks))


def agreement(hard: Sequence[View], soft: Sequence[View]) -> Agreement | None:
    """Compare two models on the same words; None if they never write the same form.

    >>> import numpy as np
    >>> words, weights = (("a", "b"), ("x", "y")), np.array([[0, 0.75, 0.25, 0]] * 2)
    >>> agreement([View(*words, (1, 2))], [View(*words, (1, 1), weights)])
    Agreement(same=0.5, near=1.0, weight=0.5, diagonal=1.0, words=1, outputs=2)
    """
    distances: list[int] = []
    weights: list[float] = []
    diagonal: list[bool] = []
    words = 0
    for ours, theirs in zip(hard, soft, strict=True):
        if ours.form != theirs.form:
            continue
        words += 1
        assert theirs.weights is not None
        for k, (p, q) in enumerate(zip(ours.path, theirs.path, strict=True)):
            distances.append(abs(p - q))
            weights.append(float(theirs.weights[k, p]))
            # The k-th output at the k-th symbol, or at the last one.
            diagonal.append(p == min(k + 1, len(ours.lemma)))
    if not distances:
        return None
    return Agreement(
        same=_share([d == 0 for d in distances]),
        near=_share([d <= 1 for d in distances]),
        weight=_share(weights),
        diagonal=_share(diagonal),
        words=words,
        outputs=len(distances),
    )


def _share(values: Sequence[float]) -> float:
    """The mean; 1 for no values, as words of one symbol never move back."""
    return sum(values) / len(values) if values else 1.0
