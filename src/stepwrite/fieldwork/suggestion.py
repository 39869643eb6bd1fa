"""What to ask a speaker next: the cells whose forms would teach the model most.

A form is worth asking for if the model is unsure of it and of many others of the same cell and of
words with a similar ending, and few such forms are known. Each question that is chosen makes
similar ones less worth asking, so the list covers cells and endings instead of asking for one thing
often.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from unicodedata import normalize

from stepwrite.evaluation.metrics import bundle

LONGEST_ENDING = 4
RETURNS = 3
"""How fast the worth of similar forms falls: with n known ones to 1 / (1 + n) ** RETURNS. Chosen
on dev sets of CoNLL 2017, with 1 and 2 in the competition, by the accuracy of the rules."""
LEAST_DOUBT = 0.1
"""What a model is sure of may be wrong all the same, so no question is worth nothing."""

Pair = tuple[str, str]
"""A lemma and its features."""

Pattern = tuple[str, str]
"""A cell, and an ending of the lemmas that have it."""


@dataclass(frozen=True)
class Choice:
    """A candidate that was chosen, by its number, and what was known before it was.

    same_cell: known and chosen forms of its cell. same_ending: those of words that end alike in
    their last two symbols.
    """

    candidate: int
    same_cell: int
    same_ending: int

    @property
    def reason(self) -> str:
        if not self.same_cell:
            return "nothing known of this cell"
        if not self.same_ending:
            return "no word with this ending known in this cell"
        return f"known in this cell: {self.same_cell}, with this ending: {self.same_ending}"


def choose(
    candidates: Sequence[Pair],
    known: Iterable[Pair],
    n: int,
    probabilities: Sequence[float] | None = None,
) -> Iterator[Choice]:
    """The most useful candidates, best first.

    known: what there are forms of already. probabilities: how sure the model is of its own form
    of each candidate.

    >>> words = [("Hund", "N;PL"), ("Mund", "N;PL"), ("Hund", "N;DAT"), ("Katze", "N;PL")]
    >>> for found in choose(words, [("Schlund", "N;PL")], 3):
    ...     print(*words[found.candidate], "-", found.reason)
    Hund N;DAT - nothing known of this cell
    Katze N;PL - no word with this ending known in this cell
    Mund N;PL - known in this cell: 2, with this ending: 1
    """
    patterns = [list(_patterns(pair)) for pair in candidates]
    doubts = [1 - sure + LEAST_DOUBT for sure in probabilities or [0.0] * len(candidates)]
    doubted: dict[Pattern, float] = defaultdict(float)
    for doubt, found in zip(doubts, patterns, strict=True):
        for pattern in found:
            doubted[pattern] += doubt
    counts = Counter(pattern for pair in known for pattern in _patterns(pair))

    def worth(candidate: int) -> float:
        gain = sum(doubted[p] / float((1 + counts[p]) ** RETURNS) for p in patterns[candidate])
        return doubts[candidate] * gain

    # Worth only falls as more is chosen: what still leads after a second look is the best.
    queue = [(-worth(candidate), candidate) for candidate in range(len(candidates))]
    heapq.heapify(queue)
    chosen = 0
    while queue and chosen < n:
        _, candidate = heapq.heappop(queue)
        now = -worth(candidate)
        if queue and now > queue[0][0]:
            heapq.heappush(queue, (now, candidate))
            continue
        cell, _, ending, *_ = patterns[candidate]  # words have a symbol, and ^ before it
        yield Choice(candidate, counts[cell], counts[ending])
        counts.update(patterns[candidate])
        chosen += 1


def _patterns(pair: Pair) -> Iterator[Pattern]:
    """The cell with each ending of the lemma, from the empty one on; `^` is the word's start.

    >>> list(_patterns(("Ei", "N;PL")))
    [('N;PL', ''), ('N;PL', 'i'), ('N;PL', 'Ei'), ('N;PL', '^Ei')]
    """
    lemma, cell = "^" + normalize("NFC", pair[0]), bundle(pair[1])
    for length in range(min(len(lemma), LONGEST_ENDING) + 1):
        yield cell, lemma[len(lemma) - length :]
