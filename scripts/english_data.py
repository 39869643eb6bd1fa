"""English inflection from the lookup table of the PyPI package `lemminflect`.

    pip download --no-deps lemminflect==0.2.3 && unzip lemminflect-*.whl

The table, made from the NIH's SPECIALIST Lexicon, has one line per lemma and part of speech,
`see,verb,saw,seen,seeing,sees`, with competing forms as `learned/learnt` and an empty participle if
it equals the past. It is cleaned as follows:

- Only lemmas and forms of lower-case letters: no names, hyphens, phrases.
- One form per cell: the first of several; for plurals the first that differs from the lemma.
- The participle of a verb with a regular past is that past if the table has only a rarer one:
  `blend: blended/blent, blent` gives blended, blended.
- A plural equal to the lemma is left out, because the table gives it for mass nouns (travel, gold);
  those of sheep, deer, aircraft, fish, series and species, and of their compounds, are kept.
- Wrong rows are removed: the participle of run (ran; those of its compounds are right), the pasts
  of bestride (betrode) and torpedo (torpedoes).

Some of these rules come from errors on a test set. So the data was split again after the last
change (`SPLIT`), and nothing has changed since the new test set was first scored.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from stepwrite.data.examples import Example

PARTICIPLE = "V.PTCP;PST"
CELLS = {
    "noun": ("N;PL",),
    "verb": ("V;PST", PARTICIPLE, "V.PTCP;PRS", "V;PRS;3;SG"),
    "adj": ("ADJ;CMPR", "ADJ;SPRL"),
    "adv": ("ADV;CMPR", "ADV;SPRL"),
}
BASE = {"noun": "N;SG", "verb": "V;NFIN"}
WRONG = {("run", PARTICIPLE), ("bestride", "V;PST"), ("torpedo", "V;PST")}
SAME_PLURAL = re.compile("(sheep|deer|craft|fish|series|species)$")
PLAIN = re.compile("[a-z]{2,}")
SHARES = {"dev": 8, "test": 8}  # of 100 lemmas
N_HELD_OUT = 1_500
SPLIT = "2"  # to be raised with every change motivated by a test set
BASE_SHARE = 10  # of 100 training lemmas also have their base form, which is easy


def the_forms(lemma: str, category: str, columns: list[str]) -> Iterator[Example]:
    """The inflected cells in a line of the table.

    >>> [form for _, _, form in the_forms("see", "verb", ["saw", "seen", "seeing", "sees"])]
    ['saw', 'seen', 'seeing', 'sees']
    >>> [form for _, _, form in the_forms("bless", "verb", ["blessed/blest", "blest"])]
    ['blessed', 'blessed']
    >>> list(the_forms("travel", "noun", ["travel"]))
    []
    """
    cells = dict(zip(CELLS[category], (column.split("/") for column in columns), strict=False))
    if category == "verb":
        past, participles = cells["V;PST"], cells.get(PARTICIPLE, [""])
        if participles == [""] or (past[0].endswith("ed") and participles[0] in past):
            cells[PARTICIPLE] = past
    for features, forms in cells.items():
        if features == "N;PL" and not SAME_PLURAL.search(lemma):
            forms = [form for form in forms if form != lemma]
        if forms and PLAIN.fullmatch(forms[0]) and (lemma, features) not in WRONG:
            yield Example(lemma, features, forms[0])


def read_table(path: Path) -> Iterator[tuple[str, str, list[Example]]]:
    """Lemma, category and cells of each line that has any cells."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            lemma, category, *columns = line.rstrip("\n").split(",")
            if PLAIN.fullmatch(lemma) and (cells := list(the_forms(lemma, category, columns))):
                yield lemma, category, cells


def draw(*key: str) -> int:
    """A pseudo-random but reproducible number for sorting keys."""
    return int.from_bytes(hashlib.sha256("\t".join(("stepwrite", *key)).encode()).digest()[:8])


def part_of(lemma: str) -> str:
    """The split of a lemma, the same for all its parts of speech."""
    place = draw("split", SPLIT, lemma) % 100
    return "dev" if place < SHARES["dev"] else "test" if place < sum(SHARES.values()) else "train"


def english(table: Path) -> dict[str, list[Example]]:
    """train, samples of the inflected cells as dev and test, and everything as `lexicon`."""
    parts: dict[str, list[Example]] = {"train": [], "dev": [], "test": []}
    lexicon: list[Example] = []
    for lemma, category, cells in read_table(table):
        part = part_of(lemma)
        base = [Example(lemma, BASE[category], lemma)] if category in BASE else []
        lexicon += base + cells
        seldom = draw("base", lemma, category) % 100 < BASE_SHARE
        parts[part] += base + cells if part == "train" and seldom else cells
    for part in ("dev", "test"):
        parts[part] = sorted(sorted(parts[part], key=lambda cell: draw(*cell))[:N_HELD_OUT])
    return {**parts, "lexicon": lexicon}
