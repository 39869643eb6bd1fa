"""The members' vote: which form wins, and in which order the others follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, inf, log, log1p
from typing import Literal

from stepwrite.inference.hypothesis import Hypothesis

Tie = Literal["score", "shortest"]

Ballot = Sequence[tuple[str, Hypothesis]]
"""What one member would write, best first, and how."""


@dataclass
class Candidate:
    """What the members said of one form.

    member, surest: which of them was surest of it, and by which actions.
    votes, vote_score: how many chose it, and the sum of their log probabilities.
    score: log of its probability, averaged over the members.
    """

    form: str
    member: int
    surest: Hypothesis
    votes: int = 0
    vote_score: float = 0.0
    score: float = -inf


def vote(ballots: Sequence[Ballot], tie: Tie, length: Callable[[str], int]) -> list[Candidate]:
    """Majority of the members' best forms, then the other forms by average probability.

    tie: who wins between forms with equally many votes. "score": the best total log
    probability. "shortest", the authors' rule: if no form has two votes, the shortest wins;
    `length` says how long a form is.
    """
    if len(ballots) == len(ballots[0]) == 1:  # nothing to choose from
        [[(form, only)]] = ballots
        return [Candidate(form, 0, only, votes=1, score=only.score)]
    candidates: dict[str, Candidate] = {}
    for member, ballot in enumerate(ballots):
        scores: dict[str, float] = {}
        for form, hypothesis in ballot:
            # Several derivations may write one form: its probability is their sum.
            scores[form] = log_add(scores.get(form, -inf), hypothesis.score)
            candidate = candidates.setdefault(form, Candidate(form, member, hypothesis))
            if hypothesis.score > candidate.surest.score:
                candidate.member, candidate.surest = member, hypothesis
        for form, score in scores.items():
            candidates[form].score = log_add(candidates[form].score, score - log(len(ballots)))
        winner = max(scores, key=scores.__getitem__)
        candidates[winner].votes += 1
        candidates[winner].vote_score += scores[winner]
    disagree = all(candidate.votes < 2 for candidate in candidates.values())

    def rank(candidate: Candidate) -> tuple[float, ...]:
        if tie == "shortest" and disagree:
            return candidate.votes > 0, -length(candidate.form), candidate.vote_score
        return candidate.votes, candidate.vote_score, candidate.score

    best = candidates.pop(max(candidates.values(), key=rank).form)
    return [best, *sorted(candidates.values(), key=lambda candidate: -candidate.score)]


def log_add(a: float, b: float) -> float:
    """log(exp(a) + exp(b)); forms of thousands of symbols have probabilities below any double.

    >>> log_add(log(0.25), log(0.5)) == log(0.75)
    True
    """
    low, high = (a, b) if a < b else (b, a)
    return high if low == -inf else high + log1p(exp(low - high))
