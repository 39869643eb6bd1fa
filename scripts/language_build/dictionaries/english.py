"""English from the look-up table of PyPI's `lemminflect`, made from the NIH's SPECIALIST Lexicon.

A line holds a lemma, a part of speech and its forms, `see,verb,saw,seen,seeing,sees`, with
competing forms as `learned/learnt` and an empty participle if it equals the past. The base forms
are cells, too: `N;SG`, `V;NFIN`, `V;PRS` (the present but for the third person singular) and `ADJ`.
Only words of lower-case letters are taken: no names, hyphens or phrases.

Adjectives and adverbs of several syllables have no forms in the table. Those that can be compared,
as their endings tell, are compared with *more* and *most*.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping
from typing import Any

from language_build.sources import Places

PAST, PARTICIPLE = "V;PST", "V.PTCP;PST"
CELLS = {
    "noun": ("N;PL",),
    "verb": (PAST, PARTICIPLE, "V.PTCP;PRS", "V;PRS;3;SG"),
    "adj": ("ADJ;CMPR", "ADJ;SPRL"),
    "adv": ("ADV;CMPR", "ADV;SPRL"),
}
BASE = {"noun": ("N;SG",), "verb": ("V;NFIN", "V;PRS"), "adj": ("ADJ",), "adv": ("ADV",)}
WRONG = {("run", PARTICIPLE), ("bestride", PAST), ("torpedo", PAST)}
OURS = frozenset(["be", "can", "will", "may", "shall", "must"])  # verbs in languages/words
SAME_PLURAL = re.compile("(sheep|deer|craft|fish|series|species)$")
PLAIN = re.compile("[a-z]+")
GRADABLE = {  # not -al or -ic, which classify more often
    "adj": re.compile("(able|ant|ed|ent|ful|ible|icult|ate|ing|ive|less|ous|some|ure)$"),
    "adv": re.compile("(ant|ent|ful|ib|ab|ing|ed|ive|less|ous|some)ly$"),
}
SYLLABLE = re.compile("[aeiouy]+")
COMPARED = {"CMPR": "more", "SPRL": "most"}


def read(places: Places, iso: str, options: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    table = places.python("lemminflect", "resources/infl_lu.csv.gz")
    with gzip.open(table, "rt", encoding="utf-8") as file:
        for line in file:
            lemma, category, *columns = line.rstrip("\n").split(",")
            if PLAIN.fullmatch(lemma) and not (category == "verb" and lemma in OURS):
                for bundle in BASE[category]:
                    yield lemma, bundle, lemma
                for bundle, form in _cells(lemma, category, columns):
                    yield lemma, bundle, form


def _cells(lemma: str, category: str, columns: list[str]) -> Iterator[tuple[str, str]]:
    """The inflected cells of a line.

    >>> [form for _, form in _cells("see", "verb", ["saw", "seen", "seeing", "sees"])]
    ['saw', 'seen', 'seeing', 'sees']
    >>> [form for _, form in _cells("bless", "verb", ["blessed/blest", "blest"])]
    ['blessed', 'blest', 'blessed', 'blest']
    >>> list(_cells("travel", "noun", ["travel"])), list(_cells("sheep", "noun", ["sheep"]))
    ([], [('N;PL', 'sheep')])
    >>> list(_cells("famous", "adj", [])), list(_cells("nuclear", "adj", []))
    ([('ADJ;CMPR', 'more famous'), ('ADJ;SPRL', 'most famous')], [])
    """
    if category in GRADABLE and not any(columns):
        if GRADABLE[category].search(lemma) and len(SYLLABLE.findall(lemma)) > 1:
            for degree, word in COMPARED.items():
                yield f"{category.upper()};{degree}", f"{word} {lemma}"
        return
    cells = dict(zip(CELLS[category], (column.split("/") for column in columns), strict=False))
    if category == "verb":
        past, participles = cells[PAST], cells.get(PARTICIPLE, [""])
        # The table gives the rarer participle alone: blend, blended/blent, blent.
        if participles == [""] or (past[0].endswith("ed") and participles[0] in past):
            cells[PARTICIPLE] = past
    for bundle, forms in cells.items():
        for form in forms:
            # A plural like the singular is that of a mass noun, but for a few words.
            mass = bundle == "N;PL" and form == lemma and not SAME_PLURAL.search(lemma)
            if PLAIN.fullmatch(form) and not mass and (lemma, bundle) not in WRONG:
                yield bundle, form
