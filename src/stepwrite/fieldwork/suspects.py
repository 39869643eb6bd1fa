"""Likely errors in the data: rows that the rest of the data firmly contradicts.

A row is judged by what is known without it: the other forms of its word by analogy with other
words, its lemma, and what a network predicted that saw no row of the lemma.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from stepwrite.data.examples import Example
from stepwrite.data.segmentation import Segmentation, Symbols
from stepwrite.fieldwork.analogy import (
    LEMMA,
    Analogies,
    Opinion,
    Word,
    agreed,
    cell_names,
    paradigms,
    word_of,
)

LEAST_SHARE = 1e-12


@dataclass(frozen=True)
class Suspect:
    """A row and the form that was expected in its place.

    odds: the natural logarithm of how much likelier the expected form is; not above 0 where the
    row's own form is as likely.
    """

    row: int
    example: Example
    expected: str
    odds: float


def suspects(
    examples: Sequence[Example],
    segmentation: Segmentation = Segmentation(),
    held_out: Mapping[int, Opinion] | None = None,
) -> list[Suspect]:
    """The rows that are contradicted, the most firmly contradicted ones first.

    held_out: what networks said about rows of lemmas that they had not seen, by row.

    >>> words = "Tat Saat Naht Fahrt Art Zahl Uhr Bahn Frau Form".split()
    >>> cases = ("N;NOM;PL", "N;DAT;PL")
    >>> rows = [Example(word, case, word + "en") for word in words for case in cases]
    >>> [found] = suspects([*rows, Example("Burg", "N;NOM;PL", "Burgen"),
    ...                     Example("Burg", "N;DAT;PL", "Bürge")])
    >>> found.example.form, found.expected
    ('Bürge', 'Burgen')
    """
    judge = Judge(examples, segmentation, held_out or {})
    found = [suspect for word in judge.rows_of for suspect in judge.doubts(word)]
    return sorted(found, key=lambda suspect: (-suspect.odds, suspect.row))


class Judge:
    """Compares rows with what the others say about them."""

    def __init__(
        self,
        examples: Sequence[Example],
        segmentation: Segmentation,
        held_out: Mapping[int, Opinion],
    ) -> None:
        self.examples, self.segmentation, self.held_out = examples, segmentation, held_out
        self.cell_of = cell_names(examples)
        self.analogies = Analogies(paradigms(examples, segmentation, self.cell_of))
        self.rows_of: dict[Word, list[int]] = defaultdict(list)
        for row, example in enumerate(examples):
            self.rows_of[word_of(example)].append(row)

    def doubts(self, word: Word) -> Iterable[Suspect]:
        """The doubtful rows of a word.

        A wrong form makes the right ones of its word look wrong: the worst goes first, and the
        others are judged without it.
        """
        trusted = list(self.rows_of[word])
        while trusted:
            worst = max((self.judged(row, trusted) for row in trusted), key=lambda s: s.odds)
            if worst.odds <= 0:
                break
            trusted.remove(worst.row)
            yield worst

    def judged(self, row: int, trusted: Sequence[int]) -> Suspect:
        """A row by its lemma and the trusted rows of its word."""
        example, split = self.examples[row], self.segmentation
        cell, form = self.cell_of(example.features), split.form(example.form)
        given: dict[str, Symbols] = {LEMMA: split.lemma(example.lemma)}
        for other in trusted:
            if other != row:
                features, known = self.examples[other].features, self.examples[other].form
                given[self.cell_of(features)] = split.form(known)
        opinions = self.analogies.opinions(given, cell, without=form)
        if row in self.held_out:
            opinions.append(self.held_out[row])
        shares = agreed(opinions, [form])
        expected = next((other for other in shares if other != form), None)
        if expected is None:
            return Suspect(row, example, "", 0.0)
        odds = log(max(shares[expected], LEAST_SHARE) / max(shares[form], LEAST_SHARE))
        return Suspect(row, example, split.join_form(expected), odds)
