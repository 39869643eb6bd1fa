"""Paradigms of words that inflect like a known one, as far as lists of forms attest it.

The tables of PyPI's `spacy-lookups-data` map forms to lemmas and say nothing about cells. But a
language's other sources have whole paradigms. A word is taken to inflect like one of those if its
forms are the ones that it would then have: *regija* has *regije, regiji, regiju, regijom*, as
*žena* has *žene, ženi, ženu, ženom*. Where several words would do, only those cells are kept in
which they agree.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from language_build.dictionaries.lookups import table
from language_build.rows import Row
from language_build.sources import Places
from stepwrite.morphology.cells import head_pos

Change = tuple[str, str]
SOURCE, OURS = "lookup-paradigms", "ours"
PARTS = {"noun": "N", "verb": "V", "adj": "ADJ"}  # by their names in tables that have them
WORD = re.compile(r"[^\W\d_]{2,}(-[^\W\d_]+)*")
LEAST = 2.0  # the Zipf frequency of a lemma, or of its most frequent form
WHOLE = 0.6  # of the cells that most words of a part of speech have
SUPPORT = 0.85  # of the forms that a word would have are attested, but for those of other words
ALIKE = 0.03  # by so much less support another way to inflect is as good
EXAMPLES = 50  # of words that inflect in a way, to compare endings with
FEWEST = 3  # forms besides the lemma
EXPLAINED = 0.8  # of the forms of a word, where a table has only the forms of some texts


@dataclass(frozen=True)
class Way:
    """A way to inflect: what follows, and rarely precedes, the stem, in the lemma and its cells."""

    lemma: str
    cells: tuple[tuple[str, Change], ...]

    @cached_property
    def first(self) -> list[Change]:
        """Some of the changes; where a word has no such form, it inflects otherwise."""
        own = ("", self.lemma)
        return [change for change in dict.fromkeys(c for _, c in self.cells) if change != own][:4]

    def forms(self, stem: str) -> list[tuple[str, str]]:
        return [(cell, before + stem + after) for cell, (before, after) in self.cells]


def way_of(lemma: str, cells: Mapping[str, str]) -> tuple[str, Way] | None:
    """The stem of a word, and how it inflects; None if it has no stem.

    >>> way_of("nov", {"POS": "novi", "SPRL": "najnoviji"})
    ('nov', Way(lemma='', cells=(('POS', ('', 'i')), ('SPRL', ('naj', 'iji')))))
    >>> way_of("žena", {"GEN": "žene", "ACC": "ženu"})
    ('žen', Way(lemma='a', cells=(('GEN', ('', 'e')), ('ACC', ('', 'u')))))
    >>> way_of("biti", {"PRS": "je"})
    """
    stem = _shared_start(lemma, *(form for form in cells.values() if form[:2] == lemma[:2]))
    if len(stem) < 2 or any(stem not in form for form in cells.values()):
        return None
    changes = []
    for cell, form in cells.items():
        before, _, after = form.partition(stem)
        changes.append((cell, (before, after)))
    return stem, Way(lemma.removeprefix(stem), tuple(changes))


def alike(
    places: Places, frequency: Mapping[str, float], options: Mapping[str, Any], rows: Iterable[Row]
) -> Iterator[tuple[str, str, str]]:
    """The cells of the words of a table that inflect as words in `rows` do.

    Options: table, its name; words, the parts of speech to look for; least; letters that are to be
    spelt differently; sample, whether the table has only the forms of some texts.

    new: whether words that other sources have are passed over. Where cells name the gender, it
    would be that of another word. unsure: cells whose form is that of one of two others, and a
    word's forms don't say of which: the accusative of living beings, and of things.
    """
    tables = table(places, options["table"])
    if "noun" not in tables:
        tables = dict.fromkeys(PARTS, tables)
    known = defaultdict[str, dict[str, dict[str, str]]](lambda: defaultdict(dict))
    whole = set[str]()
    for lemma, cell, form, source in rows:
        if WORD.fullmatch(lemma) and WORD.fullmatch(form):
            known[head_pos(cell)][lemma].setdefault(cell, form)
            if source == OURS:
                whole.add(lemma)
    least, unsure = options.get("least", LEAST), options.get("unsure", {})
    letters = options.get("letters", {})
    for name, pos in PARTS.items():
        if pos not in options["words"]:
            continue
        ways, lookup = Ways.of(known[pos], whole), forms_of(tables[name], letters)
        every = {form for forms in lookup.values() for form in forms}
        for lemma, forms in lookup.items():
            often = max(frequency.get(form, 0) for form in {lemma, *forms})
            if often < least or not WORD.fullmatch(lemma):
                continue
            if options.get("new") and lemma in known[pos]:
                continue
            cells = dict(ways.cells(lemma, forms, every, options.get("sample", False)))
            for cell, form in cells.items():
                others = {cells.get(other) for other in unsure.get(cell, ())}
                if not (len(others) > 1 and form in others):
                    yield lemma, cell, form


def forms_of(found: Mapping[str, Any], letters: Mapping[str, str]) -> dict[str, set[str]]:
    """The forms of each lemma; those of words with a capital only for their lemma are left out.

    >>> forms_of({"њом": "она", "Он": "он"}, {"њ": "nj", "о": "o", "м": "m", "н": "n", "а": "a"})
    {'ona': {'njom'}}
    """
    forms, spelling = defaultdict[str, set[str]](set), str.maketrans(dict(letters))
    for form, lemmas in found.items():
        for lemma in [lemmas] if isinstance(lemmas, str) else lemmas:
            if form and lemma and (not form[0].isupper() or lemma[0].isupper()):
                forms[lemma.translate(spelling)].add(form.translate(spelling))
    return dict(forms)


@dataclass(frozen=True)
class Ways:
    """The ways to inflect of a part of speech, by what the lemma ends in, with their words."""

    by_ending: Mapping[str, Mapping[Way, list[str]]]

    @classmethod
    def of(cls, words: Mapping[str, Mapping[str, str]], whole: AbstractSet[str]) -> Ways:
        """From words with most of their cells; those in `whole` have all that there are."""
        sizes = Counter(len(cells) for cells in words.values())
        most = max((size for size, n in sizes.items() if n >= 5), default=0)
        by_ending: dict[str, dict[Way, list[str]]] = defaultdict(lambda: defaultdict(list))
        for lemma, cells in words.items():
            enough = lemma in whole or len(cells) >= WHOLE * most
            if enough and (found := way_of(lemma, cells)):
                by_ending[found[1].lemma][found[1]].append(lemma)
        # What a single word does may be an error, unless it was written for this project.
        return cls(
            {
                ending: {
                    way: words
                    for way, words in ways.items()
                    if len(words) > 1 or not whole.isdisjoint(words)
                }
                for ending, ways in by_ending.items()
            }
        )

    def cells(
        self, lemma: str, forms: set[str], every: set[str], sample: bool = False
    ) -> list[tuple[str, str]]:
        """The cells of a word with these forms, if it inflects in a known way."""
        found: list[tuple[float, int, list[tuple[str, str]]]] = []
        for length in range(min(6, len(lemma) - 1)):
            ending = lemma[len(lemma) - length :]
            stem = lemma[: len(lemma) - length]
            changes = {tuple(form.split(stem, 1)) for form in forms if stem in form}
            for way, words in self.by_ending.get(ending, {}).items():
                if changes.isdisjoint(way.first):
                    continue
                made = way.forms(stem)
                distinct = {form for _, form in made} - {lemma}
                attested = len(distinct & forms)
                if attested >= max(1, min(FEWEST, len(distinct))):
                    # A table has one lemma for each form: others' forms say nothing.
                    share = attested / (attested + len(distinct - every))
                    explained = attested / max(1, len(forms - {lemma}))
                    if explained >= EXPLAINED if sample else share >= SUPPORT:
                        like = max(_shared_ending(lemma, word) for word in words[:EXAMPLES])
                        found.append((share + explained, like, made))
        if not found:
            return []
        best = max(score for score, _, _ in found)
        chosen = [dict(made) for score, _, made in found if score >= best - ALIKE]
        first = dict(max(found, key=lambda f: (f[0] >= best - ALIKE, f[1], f[0]))[2])
        return [
            (cell, form)
            for cell, form in first.items()
            if (form in forms or form in every or form == lemma)
            and all(other.get(cell, form) == form for other in chosen)
        ]


def _shared_start(*words: str) -> str:
    """What all words start with.

    >>> _shared_start("žena", "žene", "ženama")
    'žen'
    """
    first, last = min(words), max(words)
    length = next((k for k, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), None)
    return first[:length]


def _shared_ending(one: str, other: str) -> int:
    return len(_shared_start(one[::-1], other[::-1]))
