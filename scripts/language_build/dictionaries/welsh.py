"""Welsh: everyday words, and the cells of verbs that people ask for, from literary and colloquial
ones.

UniMorph has two sets of finite forms: literary ones (LIT) and colloquial ones with their pronouns
(COL: *canodd o*). Running text has single words of either kind, and nobody asks for one of them by
default, so each verb gets plain cells: literary forms, but for those whose vowel the literary
language alone changes (*cenais*, *cenwch*; else *canais*, *canwch*).

What both call the present serves as the future, which only *bod* has apart; the imperfect is the
conditional. UniMorph has the pluperfect as `PST;PFV`, which others take for a plain past.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from language_build.sources import Places, ours, unimorph, written
from language_build.tags import canonical

Rows = Iterator[tuple[str, str, str]]
Cells = Iterator[tuple[str, str]]
PERSONS = ("1;SG", "2;SG", "3;SG", "1;PL", "2;PL", "3;PL", "4")
PLAIN = {
    "IND;PRS": ("IND;PRS", "IND;FUT"),
    "IND;IPFV": ("IND;PST;IPFV", "COND", "COND;PST;IPFV"),  # the last as treebanks have it
    "IND;PST": ("IND;PST",),
    "IND;PST;PFV": ("IND;PST;PRF",),
    "SBJV": ("SBJV",),
    "IMP": ("IMP",),
}
UNCHANGED = {  # in everyday language, whose vowel the literary language changes before i and w
    **{"IND;PRS": ("2;SG", "2;PL"), "IND;IPFV": ("2;SG",), "IND;PST": ("1;SG", "2;SG")},
    "IMP": ("2;SG", "2;PL"),
}
CHANGED = {f"V;{tense};{person};LIT" for tense, persons in UNCHANGED.items() for person in persons}
VOWELS = "aeiouwyâêîôûŵŷ"
PRONOUN = re.compile(" (i|ti|di|o|e|fo|fe|hi|ni|chi|nhw)$")
# Endings in the order of PERSONS; there is no imperative of the first person.
ENDINGS = {
    "IND;PRS": ("af", "i", "a", "wn", "wch", "ant", "ir"),
    "IND;IPFV": ("wn", "it", "ai", "em", "ech", "ent", "id"),
    "IND;PST": ("ais", "aist", "odd", "asom", "asoch", "asant", "wyd"),
    "IND;PST;PFV": ("aswn", "asit", "asai", "asem", "asech", "asent", "asid"),
    "SBJV": ("wyf", "ych", "o", "om", "och", "ont", "er"),
    "IMP": ("", "a", "ed", "wn", "wch", "ent", "er"),
}
CONTRACTED = {  # of verbs in -hau
    "IND;PRS": ("af", "ei", "a", "awn", "ewch", "ânt", "eir"),
    "IND;IPFV": ("awn", "ait", "âi", "aem", "aech", "aent", "eid"),
    "IND;PST": ("eais", "eaist", "aodd", "asom", "asoch", "asant", "awyd"),
    "IND;PST;PFV": ENDINGS["IND;PST;PFV"],
    "SBJV": ("awyf", "eych", "ao", "aom", "aoch", "aont", "aer"),
    "IMP": ("", "a", "aed", "awn", "ewch", "aent", "aer"),
}
# The table of one verb is one column off: what each cell holds.
SHIFTED = {
    "mynd": {
        **{"LIT;IND;PRS": "IND;IPFV;LIT", "LIT;IND;IPFV": "IND;PST;LIT"},
        **{"LIT;IND;PST": "IND;PST;PFV;LIT", "LIT;IND;PST;PFV": "SBJV;LIT"},
        **{"LIT;SBJV": "SBJV;PST;LIT", "COL;IND;IPFV": "IND;PRS;COL"},
        **{"COL;IND;PRS": "IND;PST;COL", "COL;IND;PST": "IND;IPFV;COL"},
    }
}


def mended(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """UniMorph with shifted cells moved, and two verbal adjectives in one cell kept apart."""
    for lemma, features, form in unimorph(places, iso, options):
        if features == "V;V.PTCP":
            for word in verbal_adjectives(form):
                yield lemma, features, word
        else:
            yield lemma, moved(lemma, features), form


def verbal_adjectives(form: str) -> list[str]:
    """What a cell with a passive and a potential one holds.

    >>> verbal_adjectives("canedigcanadwy"), verbal_adjectives("dysgedig")
    (['canedig', 'canadwy'], ['dysgedig'])
    """
    return re.sub("(?<=edig)(?=.+adwy$)", " ", form).split()


def moved(lemma: str, features: str) -> str:
    """The cell where a form belongs.

    >>> moved("mynd", "V;LIT;3;SG;IND;IPFV"), moved("canu", "V;LIT;3;SG;IND;IPFV")
    ('V;IND;PST;LIT;3;SG', 'V;LIT;3;SG;IND;IPFV')
    """
    tags = features.split(";")
    person = [tag for tag in tags if tag in ("1", "2", "3", "4", "SG", "PL")]
    kind = ";".join(tag for tag in tags[1:] if tag not in person)
    to = SHIFTED.get(lemma, {}).get(kind)
    return ";".join(["V", to, *person]) if to else features


def regular(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """Everyday verbs by the stems in `languages/words/cym-verbs.tsv`.

    Of those whose vowel the literary language changes in some cells, these are left out.
    """
    for lemma, stem in written(f"{iso}-verbs.tsv", 2):
        changing = re.search(f"a[^{VOWELS}]+$", stem)
        for features, form in (("V.MSDR", lemma), *conjugated(lemma, stem)):
            if not (changing and features in CHANGED):
                yield lemma, features, form


def conjugations(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """All forms of these verbs, with the vowel of the stem throughout."""
    for lemma, stem in written(f"{iso}-verbs.tsv", 2):
        for features, form in conjugated(lemma, stem):
            yield lemma, features, form


def nominals(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """Everyday nouns and adjectives, with their plurals and degrees."""
    files = {"nouns": ("N;SG", "N;PL"), "adjectives": ("ADJ", "ADJ;EQT", "ADJ;CMPR", "ADJ;SPRL")}
    for kind, cells in files.items():
        for forms in written(f"{iso}-{kind}.tsv", len(cells)):
            yield from ((forms[0], *cell) for cell in zip(cells, forms, strict=True))


def conjugated(lemma: str, stem: str) -> Cells:
    """The literary forms of a regular verb.

    >>> forms = dict(conjugated("gweithio", "gweithi"))
    >>> [forms[f"V;IND;{tags};LIT"] for tags in ("PRS;3;SG", "PRS;4", "PST;3;SG", "PST;4")]
    ['gweithia', 'gweithir', 'gweithiodd', 'gweithiwyd']
    >>> dict(conjugated("tynnu", "tynn"))["V;IND;PST;1;PL;LIT"]
    'tynasom'
    """
    short = re.sub("(nn|rr)$", lambda match: match[0][0], stem)  # before a stressed vowel
    table = CONTRACTED if lemma.endswith("hau") else ENDINGS
    for tense, endings in table.items():
        for person, ending in zip(PERSONS, endings, strict=True):
            if ending:
                before = short if ending.startswith("as") else stem
                joined = before.removesuffix("i") if ending.startswith("i") else before
                ending = "ech" if ending == "ych" and stem.endswith("i") else ending
                yield f"V;{tense};{person};LIT", joined + ending


def plain(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """The cells without LIT and COL of all verbs."""
    verbs: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    first: dict[tuple[str, str], int] = {}  # the source that decides a cell
    for number, read in enumerate((ours, mended, conjugations)):
        for lemma, features, form in read(places, iso, options):
            cell = canonical(features)
            if cell.startswith("V;") and first.setdefault((lemma, cell), number) == number:
                verbs[lemma][cell].append(form)
    for lemma, cells in verbs.items():
        for features, form in plain_cells(cells):
            yield lemma, features, form


def plain_cells(cells: Mapping[str, list[str]]) -> Cells:
    """Plain cells of a verb.

    >>> past = {"V;IND;PST;1;SG;LIT": ["cenais"], "V;IND;PST;1;SG;COL": ["canais i"]}
    >>> dict(plain_cells({**past, "V;IND;PST;4;LIT": ["canwyd"]}))
    {'V;IND;PST;1;SG': 'canais', 'V;IND;PST;0': 'canwyd'}
    """
    for tense, wanted in PLAIN.items():
        for person in PERSONS:
            styles = ("LIT", "COL")
            if person in UNCHANGED.get(tense, ()):
                styles = ("COL", "LIT")
            found = (cells.get(f"V;{tense};{person};{style}") for style in styles)
            forms = next(filter(None, found), [])
            for features in wanted:
                for form in dict.fromkeys(everyday(tense, person, form) for form in forms):
                    # Treebanks have the impersonal as person 0, and UniMorph as 4.
                    yield f"V;{features};{person.replace('4', '0')}", form


def everyday(tense: str, person: str, form: str) -> str:
    """A form without its pronoun; *canit* is *canet* in all but the most literary language.

    >>> everyday("IND;IPFV", "2;SG", "sefydlit"), everyday("IND;PST", "3;SG", "aeth o")
    ('sefydlet', 'aeth')
    """
    form = PRONOUN.sub("", form)
    return re.sub("it$", "et", form) if (tense, person) == ("IND;IPFV", "2;SG") else form
