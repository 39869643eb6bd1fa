"""Forms from other forms of the same word, by analogy with the words whose forms are known.

Each pair of cells has a table: by which changes forms of the one become forms of the other, and
after which endings. Where a genitive in `-is` goes with a dative in `-i`, a new word with such a
genitive has such a dative, whatever its lemma looks like.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from math import exp, log

from stepwrite.data.examples import Example
from stepwrite.data.segmentation import Segmentation, Symbols
from stepwrite.evaluation.metrics import bundle
from stepwrite.evaluation.rules import tags
from stepwrite.fieldwork.changes import Change
from stepwrite.morphology.cells import Cells, head_pos, values_of

LEMMA = ""
"""The cell of the lemma itself."""

LONGEST_ENDING = 5
MOST_SOURCES = 5
"""Forms of a word, besides its lemma, that are asked about another one."""
ENOUGH = 20
"""Words that have two cells, from which a table is made of them alone."""
MOST_GAPS = 60_000
"""Forms that are made to fill gaps, the most common cells first: each takes some 0.2 ms."""
LEAST_FORMS = 5
"""Forms that a cell must have for its gaps to be filled."""
CLEAR = 0.5
"""The share from which an analogy fills a gap."""
LEAST = 1e-3
"""No form is less likely than this to any source: each may be misled."""

Word = tuple[str, str]
"""A lemma and its part of speech."""

Forms = Mapping[str, tuple[Symbols, ...]]
"""The forms of a word by cell: mostly one each."""


def paradigms(
    examples: Iterable[Example],
    segmentation: Segmentation = Segmentation(),
    cell_of: Callable[[str], str] = bundle,
) -> dict[Word, Forms]:
    """The known forms of words; the lemma itself has a cell of its own.

    cell_of: the name of the cell that a bundle of features means.

    >>> known = paradigms([Example("Haus", "N;PL", "Häuser"), Example("Haus", "N; SG", "Haus")])
    >>> {cell: ["".join(form) for form in forms] for cell, forms in known["Haus", "N"].items()}
    {'': ['Haus'], 'N;PL': ['Häuser'], 'N;SG': ['Haus']}
    """
    words: dict[Word, dict[str, tuple[Symbols, ...]]] = {}
    for example in examples:
        lemma = segmentation.lemma(example.lemma)
        forms = words.setdefault(word_of(example), {LEMMA: (lemma,)})
        cell, form = cell_of(example.features), segmentation.form(example.form)
        if form and form not in forms.get(cell, ()):
            forms[cell] = (*forms.get(cell, ()), form)
    return dict(words)


def cell_names(examples: Sequence[Example]) -> Callable[[str], str]:
    """Names of cells without lexical features: nouns of all genders have the same cases.

    Which features are lexical, the examples show (`stepwrite.morphology.cells`).

    >>> cells = ("N;FEM;NOM", "N;FEM;GEN", "N;FEM;DAT")
    >>> rows = [Example(f"{letter}a", cell) for letter in "bdfgklmn" for cell in cells]
    >>> rows += [Example(row.lemma + "o", row.features.replace("FEM", "MASC")) for row in rows]
    >>> cell_names(rows)("N;MASC;GEN")
    'N;GEN'
    """
    lexical = Cells.fit((example.lemma, example.features) for example in examples).lexical

    @cache
    def name(features: str) -> str:
        slots = lexical.get(head_pos(features), {})
        if not slots:
            return bundle(features)
        values = values_of([features])[features]
        return ";".join(value for slot, value in values.items() if slot not in slots)

    return name


def word_of(example: Example) -> Word:
    """What tells paradigms apart: a lemma can be a noun and a verb."""
    return unicodedata.normalize("NFC", example.lemma), head_pos(example.features)


@dataclass(frozen=True)
class Opinion:
    """What one source says about a form.

    shares: forms and how likely they are. novel: how likely it is that the form is none of them.
    weight: how much the source counts beside others.
    """

    shares: Mapping[Symbols, float]
    novel: float
    weight: float = 1.0

    @property
    def sureness(self) -> float:
        """The share of the likeliest form."""
        return max(self.shares.values(), default=0.0)


class Table:
    """By which changes the forms of one cell become those of another.

    >>> table = Table()
    >>> for pair in ("reges regum", "leges legum", "urbes urbium", "hostes hostium"):
    ...     table.add(*map(tuple, pair.split()))
    >>> opinion = table.opinion(tuple("greges"))
    >>> {"".join(form): round(share, 2) for form, share in opinion.shares.items()}
    {'gregum': 0.65, 'gregium': 0.02}
    """

    def __init__(self) -> None:
        self.counts: dict[Symbols, Counter[Change]] = defaultdict(Counter)

    def add(self, source: Symbols, target: Symbols) -> None:
        change = Change.of(source, target)
        for ending in endings(source):
            self.counts[ending][change] += 1

    def opinion(self, source: Symbols, without: Symbols | None = None) -> Opinion:
        """What the word may become.

        The longest known ending counts most, each shorter one for as much as the longer ones
        leave open (Witten and Bell's smoothing). The share of forms that are new is the share of
        different changes among all words, so a table of few words says little.

        without: what this word became in the table itself, to leave it out.
        """
        own = None if without is None else Change.of(source, without)
        shares: dict[Change, float] = {}
        novel = 1.0
        for ending in endings(source):
            counts = self.counts.get(ending)
            if counts is None:
                break
            total, kinds = counts.total(), len(counts)
            if own is not None and counts[own]:
                total, kinds = total - 1, kinds - (counts[own] == 1)
            if total == 0:
                break
            left = kinds / (total + kinds)
            if not ending:
                novel = left
            shares = {change: share * left for change, share in shares.items()}
            for change, count in counts.items():
                if seen := count - (change == own):
                    shares[change] = shares.get(change, 0.0) + seen / (total + kinds)
        found: dict[Symbols, float] = defaultdict(float)
        for change, share in shares.items():
            if form := change.apply(source):
                found[form] += share
        scale = (1 - novel) / (sum(found.values()) or 1.0)
        ordered = sorted(found.items(), key=lambda item: -item[1])
        return Opinion({form: share * scale for form, share in ordered}, novel)

    def share_in_any_class(self, source: Symbols, form: Symbols) -> float:
        """How many other words change so that this one would get that form, whatever they end in.

        The form is that of the word in the table itself, which does not count.

        >>> table = Table()
        >>> for pair in ("hortus horti", "lupus lupi", "portus portus", "domus domus"):
        ...     table.add(*map(tuple, pair.split()))
        >>> round(table.share_in_any_class(tuple("portus"), tuple("portus")), 2)
        0.33
        """
        own = Change.of(source, form)
        same = total = 0
        for change, count in self.counts[()].items():
            if made := change.apply(source):
                total += count - (change == own)
                same += (count - (change == own)) * (made == form)
        return same / total if total else 0.0


def endings(word: Symbols) -> Iterable[Symbols]:
    """The endings of a word, from the empty one to the longest that is counted."""
    return (word[len(word) - n :] for n in range(min(len(word), LONGEST_ENDING) + 1))


class Analogies:
    """Tables for pairs of cells, made when they are first needed.

    fill_gaps: where few words have both cells, count also those whose missing forms can be made
    by analogy (`with_gaps_filled`).
    """

    def __init__(self, known: Mapping[Word, Forms], *, fill_gaps: bool = True) -> None:
        self.known, self.fill_gaps = known, fill_gaps
        self._tables: dict[tuple[str, str], Table] = {}

    def table(self, source: str, target: str) -> Table:
        if (source, target) not in self._tables:
            table = self._tables[source, target] = Table()
            for old, new in self._pairs(source, target):
                table.add(old, new)
        return self._tables[source, target]

    def _pairs(self, source: str, target: str) -> list[tuple[Symbols, Symbols]]:
        """The forms of two cells, of all words that have both.

        Of two forms that are counted, one at least is known, and not as the lemma: what was made
        from other forms says nothing new about them.
        """
        having = self._having[target]
        pairs = _both(self.known, having, source, target)
        if self.fill_gaps and source != LEMMA and len(pairs) < ENOUGH:
            either = dict.fromkeys([*having, *self._having[source]])
            pairs = _both(self._filled, either, source, target)
        return pairs

    @cached_property
    def _having(self) -> dict[str, list[Word]]:
        """The words whose form of each cell is known."""
        having: dict[str, list[Word]] = defaultdict(list)
        for word, forms in self.known.items():
            for cell in forms:
                having[cell].append(word)
        return having

    @cached_property
    def _filled(self) -> dict[Word, Forms]:
        return with_gaps_filled(self.known)

    def opinions(
        self, given: Mapping[str, Symbols], target: str, without: Symbols | None = None
    ) -> list[Opinion]:
        """What each given form says about the target cell, where it says anything.

        The lemma is asked, and the cells with the most similar features: a verb changes its stem
        in some tenses and persons together. Forms that are alike share one vote, as they say the
        same; a source that is unsure counts less.

        without: the word's own form of the target cell, where it is in the tables.
        """
        others = sorted(
            (cell for cell in given if cell not in (LEMMA, target)),
            key=lambda cell: -likeness(cell, target),
        )
        sources = [*([LEMMA] if LEMMA in given else []), *others[:MOST_SOURCES]]
        alike = Counter(given[cell] for cell in sources)
        found = []
        for cell in sources:
            opinion = self.table(cell, target).opinion(given[cell], without)
            if opinion.shares:
                weight = opinion.sureness**2 / alike[given[cell]]
                found.append(Opinion(opinion.shares, opinion.novel, weight))
        return found


def _both(
    known: Mapping[Word, Forms], words: Iterable[Word], source: str, target: str
) -> list[tuple[Symbols, Symbols]]:
    """The forms of two cells, of those words that have both."""
    rows = (known[word] for word in words)
    return [(row[source][0], row[target][0]) for row in rows if source in row and target in row]


def with_gaps_filled(known: Mapping[Word, Forms]) -> dict[Word, Forms]:
    """The words with forms made by analogy where cells are missing and the analogy is clear.

    Where each word has few forms, most pairs of cells have few words in common, and tables of
    them say little. Once the gaps are filled, they say what the words have in common.
    """
    analogies = Analogies(known, fill_gaps=False)
    by_pos: dict[str, dict[Word, Forms]] = defaultdict(dict)
    for word, forms in known.items():
        by_pos[word[1]][word] = forms
    filled: dict[Word, Forms] = {}
    for words in by_pos.values():
        counts = Counter(cell for forms in words.values() for cell in forms if cell != LEMMA)
        n_cells = max(1, MOST_GAPS // len(words))
        common = [cell for cell, n in counts.most_common(n_cells) if n >= LEAST_FORMS]
        for word, forms in words.items():
            given = {cell: variants[0] for cell, variants in forms.items()}
            made = dict(forms)
            for cell in common:
                if cell not in forms:
                    best = next(iter(agreed(analogies.opinions(given, cell)).items()), None)
                    if best is not None and best[1] > CLEAR:
                        made[cell] = (best[0],)
            filled[word] = made
    return filled


@lru_cache(maxsize=1 << 16)
def likeness(cell: str, other: str) -> float:
    """How much two cells have in common: shared tags, less half of those that differ.

    >>> likeness("V;PRS;3;SG", "V;PRS;1;SG"), likeness("V;PRS;3;SG", "V;PST;1;PL")
    (2.0, -2.0)
    """
    return len(tags(cell) & tags(other)) - len(tags(cell) ^ tags(other)) / 2


def agreed(opinions: Iterable[Opinion], also: Iterable[Symbols] = ()) -> dict[Symbols, float]:
    """Opinions as one, the likeliest form first: the product of their weighted shares.

    also: further forms to judge, which no source may have thought of.

    >>> sure, unsure = {("a",): 0.9, ("b",): 0.1}, {("a",): 0.4, ("b",): 0.6}
    >>> both = agreed([Opinion(sure, 0.0), Opinion(unsure, 0.0)])
    >>> {form: round(share, 2) for form, share in both.items()}
    {('a',): 0.86, ('b',): 0.14}
    """
    opinions = list(opinions)
    forms = dict.fromkeys(form for opinion in opinions for form in opinion.shares)
    forms |= dict.fromkeys(also)
    scores = {
        form: sum(
            opinion.weight
            * log(max(opinion.shares.get(form, 0.0) + opinion.novel / (2 * len(forms)), LEAST))
            for opinion in opinions
        )
        for form in forms
    }
    highest = max(scores.values(), default=0.0)
    raised = {form: exp(score - highest) for form, score in scores.items()}
    total = sum(raised.values())
    ordered = sorted(raised.items(), key=lambda item: (-item[1], item[0]))
    return {form: share / total for form, share in ordered}
