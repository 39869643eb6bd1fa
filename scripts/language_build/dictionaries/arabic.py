"""Arabic in two spellings: with all vowels, and as it is usually written.

UniMorph has forms with all vowels, under lemmas with their case ending (كِتَابٌ) or without vowels
(كتاب). Treebanks have forms as people write them under lemmas with vowels but without endings
(كِتَاب, قَال), so the words that are known with vowels are listed that way, too. What treebanks
call the perfect is `PFV` in their cells, and the jussive an imperative of the imperfect.
`languages/words/ara-nominals.tsv` has nouns and adjectives with their plurals.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from language_build.frequencies import zipf_table
from language_build.sources import Places, ours, unimorph, written
from language_build.tags import canonical

Rows = Iterator[tuple[str, str, str]]
Cells = Iterator[tuple[str, str]]
VOWELS = re.compile("[\u064b-\u0652\u0670]")
ENDING = re.compile("[\u064b\u064c\u064d\u064e\u064f\u0650](?=\u0651?$)")
SUN = "تثدذرزسشصضطظلن"
COMMON = 3.9  # the Zipf frequency of lemmas of UniMorph that are listed as they are written
CASES = ("NOM", "ACC", "GEN")
CITED = ("N;INDF;SG;INFM", "ADJ;MASC;INDF;SG;INFM")
PAST = "V;IND;PST;PRF;ACT;MASC;3;SG"
CONVENTIONS = {"JUS": "LGSPEC1"}


def plain(word: str) -> str:
    """A word without its vowels.

    >>> plain("الْكِتَابُ")
    'الكتاب'
    """
    return VOWELS.sub("", word)


def bare(lemma: str) -> str:
    """A lemma with its vowels, but without the one that it ends in.

    >>> bare("كِتَابٌ"), bare("قَالَ"), bare("مُسْتَشْفًى")
    ('كِتَاب', 'قَال', 'مُسْتَشْفَى')
    """
    return ENDING.sub("", lemma.replace("\u064bى", "\u064eى"))


def vocalised(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """The rows of UniMorph, adjectives under lemmas with a case ending, as nouns."""
    for lemma, features, form in unimorph(places, iso, options):
        if features.startswith("ADJ") and plain(lemma) != lemma == bare(lemma):
            lemma += "\u064c"
        yield lemma, features, form


def as_written(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """The common words that are known with their vowels, under the lemmas of treebanks."""
    known: dict[str, dict[str, str]] = defaultdict(dict)
    table = zipf_table("ar")
    common = (
        row for row in unimorph(places, iso, options) if table.get(plain(bare(row[0])), 0) >= COMMON
    )
    for lemma, features, form in chain(
        ours(places, iso, options), nominals(places, iso, options), common
    ):
        bundle = ";".join(CONVENTIONS.get(tag, tag) for tag in features.split(";"))
        key = f"{lemma} {features[0]}"
        known[key].setdefault(canonical(bundle), form)
    seen: set[tuple[str, str]] = set()
    for key, cells in known.items():
        lemma = key.split(" ")[0]
        if lemma == plain(lemma):
            citations = [cells[cell] for cell in (*CITED, PAST) if cell in cells]
            if not citations:
                continue
            lemma = citations[0]
        if bare(lemma) == plain(lemma):
            continue
        for cell, form in cells.items():
            for own in _cells_of_treebanks(cell):
                if (bare(lemma), own) not in seen:  # in a better source, under another spelling
                    seen.add((bare(lemma), own))
                    yield bare(lemma), own, plain(form)


def _cells_of_treebanks(cell: str) -> Iterator[str]:
    """The cells that a form has in their notation."""
    if cell.startswith("V;IND;PST;PRF;"):
        yield cell.replace("IND;PST;PRF", "PFV")
    elif cell.startswith("V;") and cell.endswith("LGSPEC1"):
        yield canonical(cell.replace("LGSPEC1", "IMP;IPFV"))
    elif cell.startswith("ADJ") and ";INDF;" in cell and cell.endswith("SG;INFM"):
        yield cell
        for case in CASES:  # of adjectives in the construct state
            yield canonical(cell.replace("INDF", case).replace("INFM", "PSSD"))
    else:
        yield cell


def nominals(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """The nouns and adjectives of the file with all vowels, under lemmas without."""
    for part, words in written(f"{iso}-nominals.tsv", 2):
        for word in words.split():
            stem, _, plural = word.partition("/")
            if part == "N":
                for features, form in declined(stem, plural):
                    yield plain(stem), f"N;{features}", form
                continue
            for features, form in declined(stem, plural):
                yield plain(stem), f"ADJ;MASC;{features}", form
            for features, form in declined(f"{stem}\u064eة", "f"):
                yield plain(stem), f"ADJ;FEM;{features}", form


def declined(stem: str, plural: str) -> Cells:
    """The cells of a noun.

    >>> dict(declined("وَزِير", "وُزَرَاء"))["DEF;GEN;PL"]
    'الْوُزَرَاءِ'
    >>> [form for cell, form in declined("سَاعَة", "f") if cell in ("INDF;NOM;DU", "PSSD;ACC;PL")]
    ['سَاعَتَانِ', 'سَاعَاتِ']
    """
    ending = stem[-1]
    yield from _number(stem, "SG")
    two = f"{stem[:-1]}ت" if ending == "ة" else f"{stem[:-1]}ي" if ending == "ى" else stem
    for cell, end in (("NOM", "َان"), ("ACC", "َيْن"), ("GEN", "َيْن"), ("INFM", "َيْن")):
        end = end.removeprefix("َ") if ending == "ى" else end
        short = "" if cell == "INFM" else "ِ"
        yield f"INDF;{cell};DU", two + end + short
        yield f"DEF;{cell};DU", _with_article(two + end) + short
        yield f"PSSD;{cell};DU", two + end[:-1].removesuffix("\u0652") + "\u0652" * ("ي" in end)
    if plural == "m":
        for cell, end in (("NOM", "ُون"), ("ACC", "ِين"), ("GEN", "ِين"), ("INFM", "ِين")):
            short = "" if cell == "INFM" else "َ"
            yield f"INDF;{cell};PL", stem + end + short
            yield f"DEF;{cell};PL", _with_article(stem + end) + short
            yield f"PSSD;{cell};PL", stem + end[:-1]
    elif plural == "f":
        base = (
            f"{stem[:-1]}ات" if ending == "ة" else f"{two}{'' if ending == 'ى' else chr(0x64E)}ات"
        )
        yield from _number(base, "PL")
    elif plural:
        yield from _number(plural, "PL")


def _number(stem: str, number: str) -> Cells:
    definite = _with_article(stem)
    yield f"INDF;INFM;{number}", stem
    yield f"DEF;INFM;{number}", definite
    yield f"PSSD;INFM;{number}", stem
    if stem[-1] == "ى" or stem.endswith("\u064eا"):
        indefinite = f"{stem[:-2]}\u064bى" if number == "SG" else stem
        for case in CASES:
            yield f"INDF;{case};{number}", indefinite
            yield f"DEF;{case};{number}", definite
            yield f"PSSD;{case};{number}", stem
        return
    sound = number == "PL" and stem.endswith("ات")
    two_cases = number == "PL" and diptote(stem)
    long = "" if stem[-1] in "ة" or stem.endswith(("اء", "أ")) else "ا"
    nunated = {"NOM": "ٌ", "ACC": "ٍ" if sound else f"ً{long}", "GEN": "ٍ"}
    for case, end in zip(CASES, "ُِِ" if sound else "ُ\u064eِ", strict=True):
        bare_end = {"NOM": "ُ", "ACC": "\u064e", "GEN": "\u064e"}[case]
        yield f"INDF;{case};{number}", stem + (bare_end if two_cases else nunated[case])
        yield f"DEF;{case};{number}", definite + end
        yield f"PSSD;{case};{number}", stem + end


def diptote(plural: str) -> bool:
    """Whether a broken plural has two cases: وُزَرَاء, مَدَارِس, قَوَانِين, but not أَعْضَاء.

    >>> [diptote(word) for word in ("وُزَرَاء", "مَدَارِس", "قَوَانِين", "أَعْضَاء", "رِجَال", "أَسَاتِذَة")]
    [True, True, True, False, False, False]
    """
    letters = plain(plural)
    if letters.endswith("اء"):
        return len(letters) > 5 or (len(letters) == 5 and not letters.startswith("أ"))
    return len(letters) > 4 and letters[2] == "ا" and letters[-1] != "ة"


def _with_article(stem: str) -> str:
    if stem[0] not in SUN:
        return f"الْ{stem}"
    return f"ال{stem[0]}\u0651{stem[1:]}"
