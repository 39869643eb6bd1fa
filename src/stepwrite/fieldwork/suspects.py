"""Likely errors in the data: rows that the rest of the data firmly contradicts.

A row is judged by what is known without it: the other forms of its word by analogy with other
words, its lemma, and what a network predicted that saw no row of the lemma. It is doubtful if its
form is unlikely in this word and likely as a mistake: one that other words would have, or almost
the expected one. What is like neither is rather an exception.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log

from rapidfuzz.distance import Levenshtein

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
SLIP = 0.03
"""How likely a mistake is to put one wrong symbol into the expected form."""
MOST_SLIPS = 2
"""Wrong symbols from which a form is something else altogether, which happens, too."""


@dataclass(frozen=True)
class Suspect:
    """A row and the form that was expected in its place.

    odds: the natural logarithm of how much likelier the row's form is as a mistake, a form of any
    inflection class or a slip of the pen, than as the right form of this word.
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
        others are judged without it. Several rows that are contradicted are rather a word that is
        an exception than several errors, so each one counts less than the one before it.
        """
        trusted = list(self.rows_of[word])
        for before in range(len(trusted)):
            found = [doubt for row in trusted if (doubt := self.judged(row, trusted))]
            if not found:
                break
            worst = max(found, key=lambda doubt: doubt.odds)
            trusted.remove(worst.row)
            yield replace(worst, odds=worst.odds - before)

    def judged(self, row: int, trusted: Sequence[int]) -> Suspect | None:
        """A row by its lemma and the trusted rows of its word; None if its form is expected."""
        example, split = self.examples[row], self.segmentation
        cell, form = self.cell_of(example.features), split.form(example.form)
        lemma = split.lemma(example.lemma)
        given: dict[str, Symbols] = {LEMMA: lemma}
        for other in trusted:
            if other != row:
                features, known = self.examples[other].features, self.examples[other].form
                given[self.cell_of(features)] = split.form(known)
        opinions = self.analogies.opinions(given, cell, without=form)
        if row in self.held_out:
            opinions.append(self.held_out[row])
        shares = agreed(opinions, [form])
        expected = next(iter(shares))
        if expected == form:
            return None
        mistaken = self.analogies.table(LEMMA, cell).share_in_any_class(lemma, form)
        mistaken += SLIP ** min(Levenshtein.distance(expected, form), MOST_SLIPS)
        odds = log(mistaken / max(shares[form], LEAST_SHARE))
        return Suspect(row, example, split.join_form(expected), odds)
