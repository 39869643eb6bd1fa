"""Inflection classes: groups of words whose forms are made by the same changes.

A few cells tell the classes of a language apart: its principal parts. Words that make these alike
belong together. Where a word's form of such a cell is not known, it is made by analogy.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from stepwrite.fieldwork.analogy import LEMMA, Analogies, Forms, Word, agreed
from stepwrite.fieldwork.changes import Change

MOST_CELLS = 4
CANDIDATE_CELLS = 12
LEAST_GAIN = 0.01
"""How much more often two words must differ for a further cell to be worth looking at."""
MOST_WORDS = 2000
"""Words of a part of speech that are looked at: those with the most known forms."""


@dataclass(frozen=True)
class InflectionClass:
    """Words that make their principal parts alike. changes: by cell, from the lemma."""

    pos: str
    lemmas: tuple[str, ...]
    changes: Mapping[str, Change]


def inflection_classes(words: Mapping[Word, Forms]) -> list[InflectionClass]:
    """The classes of each part of speech, the largest first.

    >>> from stepwrite.data.examples import Example
    >>> from stepwrite.fieldwork.analogy import paradigms
    >>> rows = "Tag Tage Tages, Weg Wege Weges, Tat Taten Tat, Saat Saaten -, Burg Burgen Burg"
    >>> for found in inflection_classes(paradigms(
    ...     Example(lemma, cell, form)
    ...     for lemma, *forms in (row.split() for row in rows.split(", "))
    ...     for cell, form in zip(["N;NOM;PL", "N;GEN;SG"], forms)
    ...     if form != "-"
    ... )):
    ...     print(*found.lemmas, {cell: str(change) for cell, change in found.changes.items()})
    Burg Saat Tat {'N;GEN;SG': 'no change'}
    Tag Weg {'N;GEN;SG': '-es'}
    """
    analogies = Analogies(words)
    by_pos: dict[str, dict[str, Forms]] = defaultdict(dict)
    for (lemma, pos), forms in sorted(words.items(), key=lambda item: (-len(item[1]), item[0])):
        if len(by_pos[pos]) < MOST_WORDS:
            by_pos[pos][lemma] = forms
    found = [group for pos, lemmas in by_pos.items() for group in _grouped(pos, lemmas, analogies)]
    return sorted(found, key=lambda group: (-len(group.lemmas), group.pos, group.lemmas))


def _grouped(
    pos: str, lemmas: Mapping[str, Forms], analogies: Analogies
) -> Iterable[InflectionClass]:
    counts: dict[str, Counter[Change]] = defaultdict(Counter)
    for forms in lemmas.values():
        for cell in forms.keys() - {LEMMA}:
            counts[cell][Change.of(forms[LEMMA][0], forms[cell][0])] += 1
    telling = sorted(counts, key=lambda cell: (-spread(counts[cell].elements()), cell))
    columns = {
        cell: [_change(forms, cell, analogies) for forms in lemmas.values()]
        for cell in telling[:CANDIDATE_CELLS]
    }
    chosen = principal_parts(columns)
    groups: dict[tuple[Change, ...], list[str]] = defaultdict(list)
    for number, lemma in enumerate(lemmas):
        groups[tuple(columns[cell][number] for cell in chosen)].append(lemma)
    for changes, members in groups.items():
        yield InflectionClass(pos, tuple(sorted(members)), dict(zip(chosen, changes, strict=True)))


def _change(forms: Forms, cell: str, analogies: Analogies) -> Change:
    """How a word makes a cell from its lemma, as far as can be told."""
    lemma = forms[LEMMA][0]
    if cell in forms:
        return Change.of(lemma, forms[cell][0])
    given = {source: known[0] for source, known in forms.items()}
    best = next(iter(agreed(analogies.opinions(given, cell))), lemma)
    return Change.of(lemma, best)


def principal_parts(columns: Mapping[str, Sequence[Change]]) -> list[str]:
    """The few cells that tell most words apart, each chosen for what the others leave open."""
    chosen: list[str] = []
    known = 0.0
    while len(chosen) < MOST_CELLS and len(chosen) < len(columns):
        spreads = {
            cell: spread(zip(*(columns[other] for other in (*chosen, cell)), strict=True))
            for cell in columns
            if cell not in chosen
        }
        best = max(spreads, key=lambda cell: (spreads[cell], -len(cell)))
        if chosen and spreads[best] - known < LEAST_GAIN:
            break
        chosen.append(best)
        known = spreads[best]
    return chosen


def spread(values: Iterable[Hashable]) -> float:
    """How likely two of the values differ.

    >>> spread("aabb")
    0.5
    """
    counts = Counter(values)
    total = counts.total()
    return 1 - sum((count / total) ** 2 for count in counts.values()) if total else 0.0
