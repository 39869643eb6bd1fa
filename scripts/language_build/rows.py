"""Rows of a language: read from its sources, cleaned, and counted.

What is left out or corrected is counted by source and reason, and reported with the data.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from language_build.declaration import Language
from language_build.tags import canonical, corrected, no_tags
from stepwrite.data.features import part_of_speech

COMMON_SCRIPTS = {"MODIFIER", "COMBINING"}  # letters that belong to no script
JOINERS = frozenset(" -'’ʼ·.‐־״׳\u200c\u200d")  # inside words
EDGES = frozenset("-'’")  # of affixes and contractions: 'm, -ing
NO_FORMS = frozenset(["", "-", "—", "–", "―", "?", "*"])
ELSEWHERE = 1.0  # on the scale of Zipf: a tenth of its frequency
MOST_FORMS = 4  # of a cell: more are other words, or errors


class Row(NamedTuple):
    lemma: str
    bundle: str
    form: str
    source: str


@dataclass
class Report:
    """Rows read and kept by source; rows left out or corrected, by source and reason."""

    read: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    left_out: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    corrected: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))


def cleaned(
    language: Language, source: str, rows: Iterable[tuple[str, str, str]], report: Report
) -> Iterator[Row]:
    """Sound rows in one spelling, without repetitions."""
    own = tuple(sorted(language.tags.items()))
    symbols = Symbols(language.scripts)
    letters = str.maketrans(dict(language.letters))
    seen: set[tuple[str, str, str]] = set()
    out, mended = report.left_out[source], report.corrected[source]
    for lemma, features, form in rows:
        report.read[source] += 1
        lemma, form = (unicodedata.normalize("NFC", text or "").strip() for text in (lemma, form))
        spelt = lemma + form
        if letters:
            lemma, form = lemma.translate(letters), form.translate(letters)
        if language.marks:
            lemma, form = without(language.marks, lemma), without(language.marks, form)
        bundle = canonical(features, own)
        if lemma in NO_FORMS or form in NO_FORMS:
            out["no form"] += 1
        elif {lemma[0], lemma[-1], form[0], form[-1]} & EDGES:
            out["part of a word"] += 1
        elif (problem := _problem(bundle)) or (
            problem := symbols.problem(lemma) or symbols.problem(form)
        ):
            out[problem] += 1
        elif (lemma, bundle, form) in seen:
            out["repeated"] += 1
        else:
            seen.add((lemma, bundle, form))
            if corrected(features, own):
                mended["misspelt tag"] += 1
            if lemma + form != spelt:
                mended["letter or mark that is not written"] += 1
            report.kept[source] += 1
            yield Row(lemma, bundle, form, source)


def without(marks: str, word: str) -> str:
    """A word without some combining marks.

    >>> without("\\u0301\\u0302", "crkljájmo"), without("\\u0301", "čéša")
    ('crkljajmo', 'češa')
    """
    letters = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in letters if c not in marks))


@cache
def _problem(bundle: str) -> str:
    """What is wrong with a bundle, if anything."""
    if not part_of_speech(bundle):
        return "no part of speech"
    return "a word in the place of a tag" if no_tags(bundle) else ""


def merged(
    sources: Iterable[Iterable[Row]], frequency: dict[str, float], report: Report
) -> list[Row]:
    """The rows of all sources; the first source that has a cell decides it.

    Several forms of a cell come in the order of their frequency, if that is known, but those of
    `ours` as they are written there; more than a few are an error. The frequency of a form that is
    the only one of another cell, as the dative *Herren* is that of the plural, is mostly that
    cell's.
    """
    cells: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for rows in sources:
        for row in rows:
            cell = cells[row.lemma, row.bundle]
            if not cell or cell[0].source == row.source:
                cell.append(row)
            else:
                report.kept[row.source] -= 1
                same = row.form in {other.form for other in cell}
                reason = "in an earlier source" if same else "differs from an earlier source"
                report.left_out[row.source][reason] += 1
    sure = {(cell[0].lemma, cell[0].form) for cell in cells.values() if len(cell) == 1}

    def rank(row: Row) -> float:
        own = frequency.get(row.form.casefold(), 0) - ELSEWHERE * ((row.lemma, row.form) in sure)
        return -max(own, 0)

    rows = []
    for cell in cells.values():
        source = cell[0].source
        if len(cell) > MOST_FORMS:
            report.left_out[source]["too many forms in a cell"] += len(cell)
            report.kept[source] -= len(cell)
            continue
        if len(cell) > 1 and source != "ours":
            report.corrected[source]["doubled cell, forms ordered by frequency"] += 1
            cell.sort(key=rank)
        rows += cell
    return rows


@cache
def _script(letter: str) -> str:
    """The script of a letter, by its name; empty for what belongs to none.

    >>> _script("ж"), _script("a"), _script("-"), _script("ʰ")
    ('CYRILLIC', 'LATIN', '', '')
    """
    if unicodedata.category(letter)[0] != "L":
        return ""
    name = unicodedata.name(letter, "").split(" ")[0]
    return "" if name in COMMON_SCRIPTS else name


def scripts_of(words: Iterable[str]) -> Counter[str]:
    """How many words have letters of each script."""
    counts = Counter[str]()
    for word in words:
        counts.update({script for letter in set(word) if (script := _script(letter))})
    return counts


class Symbols:
    """What is wrong with the symbols of words, if anything."""

    def __init__(self, scripts: Iterable[str]) -> None:
        self.scripts = frozenset(scripts)
        self.sound: set[str] = set()

    def problem(self, word: str) -> str:
        """Empty for a sound word.

        >>> symbols = Symbols(["LATIN"])
        >>> [symbols.problem(word) for word in ("ça", "don't", "чa", "H2O")]
        ['', '', 'letters of another script', 'digits or symbols']
        """
        for symbol in set(word) - self.sound:
            category = unicodedata.category(symbol)[0]
            if category == "L" and _script(symbol) and _script(symbol) not in self.scripts:
                return "letters of another script"
            if category not in "LM" and symbol not in JOINERS:
                return "digits or symbols"
            self.sound.add(symbol)
        return ""
