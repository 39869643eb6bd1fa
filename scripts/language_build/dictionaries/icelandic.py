"""Icelandic verbs: everyday ones by principal parts, and past participles, middle voices and weak
superlatives by rule from other forms."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from language_build.sources import Places, ours, unimorph, written

Rows = Iterator[tuple[str, str, str]]
Cells = Iterator[tuple[str, str]]
CASES = ("NOM", "ACC", "DAT", "GEN")
# Endings in four cases: masculine, feminine and neuter singular, then plural. u changes a vowel
# before it, and a hyphen stands for such a change alone.
WEAK = ("ur an um s", "- a ri rar", "NEUT NEUT u s", "ir a um ra", "ar ar um ra", "- - um ra")
STRONG = (
    *("inn inn num ins", "in na inni innar", "NEUT NEUT nu ins"),
    *("nir na num inna", "nar nar num inna", "in in num inna"),
)
MIXED = (*("inn inn um ins", "in a inni innar", "NEUT NEUT u ins"),)
CLASSES = tuple(
    f"{gender};{number}" for number in ("SG", "PL") for gender in ["MASC", "FEM", "NEUT"]
)
MIDDLE = {  # of which form it is made
    **{f"V;IND;PRS;MID;{person};SG": "V;IND;PRS;3;SG" for person in "123"},
    **{f"V;IND;PST;MID;{person};SG": "V;IND;PST;1;SG" for person in "123"},
    **{"V;IND;PRS;MID;3;PL": "V;IND;PRS;3;PL", "V;IND;PST;MID;3;PL": "V;IND;PST;3;PL"},
    **{"V;SBJV;PRS;MID;3;SG": "V;SBJV;PRS;3;SG", "V;SBJV;PRS;MID;3;PL": "V;SBJV;PRS;3;PL"},
    **{"V;SBJV;PST;MID;3;SG": "V;SBJV;PST;3;SG", "V;SBJV;PST;MID;3;PL": "V;SBJV;PST;3;PL"},
    **{"V;NFIN;MID": "V;NFIN", "V.CVB;MID": "V.CVB"},
}


def words(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """The verbs of `languages/words/isl-verbs.tsv`."""
    for kind, entries in written(f"{iso}-verbs.tsv", 2):
        for entry in entries.split(", "):
            lemma, *parts = entry.split(" ")
            if kind == "A":
                stem = lemma.removesuffix("a")
                plural = f"{changed(f'{stem}að')}u"
                parts = [lemma, f"{lemma}r", f"{lemma}ði", plural, f"{lemma}ð", f"{lemma}ði"]
            for features, form in conjugated(lemma, *parts):
                yield lemma, features, form


def conjugated(
    lemma: str, first: str, third: str, past: str, pasts: str, supine: str, subjunctive: str
) -> Cells:
    """The active forms of a verb.

    >>> parts = "flyt", "flytur", "flutti", "fluttu", "flutt", "flytti"
    >>> forms = dict(conjugated("flytja", *parts))
    >>> [forms[f"V;IND;{cell}"] for cell in ("PRS;1;PL", "PRS;2;PL", "PST;2;SG", "PST;1;PL")]
    ['flytjum', 'flytjið', 'fluttir', 'fluttum']
    >>> [forms[f"V;{cell}"] for cell in ("SBJV;PRS;2;SG", "SBJV;PST;3;PL", "IMP;2;SG")]
    ['flytjir', 'flyttu', 'flyt']
    """
    stem = re.sub("a$", "", lemma)
    keeping = stem.endswith("ekj") and not first.endswith("i")
    front = stem if keeping else re.sub("(?<=[gkeyýæ])j$", "", stem)  # before i
    you = f"{third}ð" if re.search("[^aiu]r$", third) else third
    yield "V;NFIN", lemma
    weak = past.endswith("i")
    second = f"{past}r" if weak else with_st(past, "").replace("sst", "st")
    for mood, cells in {
        "V;IND;PRS": (first, you, third, f"{changed(stem)}um", f"{front}ið", lemma),
        "V;IND;PST": (past, second, past, f"{pasts}m", f"{pasts}ð", pasts),
        "V;SBJV;PRS": (*_in_i(front), f"{changed(stem)}um", f"{front}ið", f"{front}i"),
        "V;SBJV;PST": (*_in_i(subjunctive[:-1]), *_in_u(subjunctive, pasts)),
    }.items():
        persons = ("1;SG", "2;SG", "3;SG", "1;PL", "2;PL", "3;PL")
        yield from ((f"{mood};{person}", form) for person, form in zip(persons, cells, strict=True))
    yield "V;IMP;2;SG", lemma if first == lemma else re.sub("j$", "", stem)
    yield "V;IMP;2;PL", f"{front}ið"
    yield "V.CVB", supine
    yield "V.PTCP;PRS", f"{stem}andi"


def _in_i(stem: str) -> tuple[str, str, str]:
    return f"{stem}i", f"{stem}ir", f"{stem}i"


def _in_u(subjunctive: str, pasts: str) -> tuple[str, str, str]:
    """The plural of the past subjunctive, which has j after ý, æ, g and k: *tækjum*."""
    stem = subjunctive[:-1]
    if stem.endswith("að"):
        plural = pasts
    else:
        plural = f"{stem}ju" if re.search("[ýægk]$", stem) else f"{stem}u"
    return f"{plural}m", f"{plural}ð", plural


def read(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """What follows from the forms of all verbs and adjectives."""
    verbs: dict[str, dict[str, str]] = defaultdict(dict)
    for reader in (ours, words, unimorph):
        for lemma, features, form in reader(places, iso, {}):
            if features == "ADJ;SPRL;INDF;MASC;NOM;SG":
                yield from ((lemma, *cell) for cell in weak_superlative(form))
            if features.startswith("V") and not lemma.endswith("st"):
                verbs[lemma].setdefault(features, form)
    for lemma, forms in verbs.items():
        for features, form in (*middle(forms), *participle(lemma, forms)):
            yield lemma, features, form
    for lemma, base in written(f"{iso}-middles.tsv", 2):
        for features, form in middle(verbs[base]):
            yield lemma, features.replace(";MID", ""), form


def weak_superlative(strong: str) -> Cells:
    """The weak forms of a superlative.

    >>> sorted({form for _, form in weak_superlative("stærstur")})
    ['stærsta', 'stærsti', 'stærstu']
    """
    stem = strong.removesuffix("ur")
    for kind in CLASSES:
        for case in CASES:
            ending = "u" if kind.endswith("PL") else "a"
            if kind == "MASC;SG" and case == "NOM":
                ending = "i"
            elif kind == "FEM;SG" and case != "NOM":
                ending = "u"
            before = (
                stem if ending != "u" or not stem.endswith("ast") else f"{changed(stem[:-3])}ust"
            )
            yield f"ADJ;SPRL;DEF;{kind.split(';')[0]};{case};{kind[-2:]}", before + ending


def middle(forms: Mapping[str, str]) -> Cells:
    """The middle voice.

    >>> forms = {"V;IND;PRS;3;SG": "heldur", "V;IND;PST;1;SG": "hélt", "V.CVB": "haldið"}
    >>> [form for cell, form in middle(forms) if "3" in cell or "CVB" in cell]
    ['helst', 'hélst', 'haldist']
    """
    for cell, active in MIDDLE.items():
        if active in forms:
            yield cell, with_st(forms[active], active)


def with_st(form: str, cell: str) -> str:
    """A form with the ending of the middle voice, before which others, and dentals, are lost.

    >>> [with_st(form, "V;IND;PRS;3;SG") for form in ("segir", "stendur", "býður", "kallar")]
    ['segist', 'stenst', 'býðst', 'kallast']
    >>> [with_st(form, "V.CVB") for form in ("kallað", "komið", "sagt", "breytt", "náð")]
    ['kallast', 'komist', 'sagst', 'breyst', 'náðst']
    """
    if cell == "V;IND;PRS;3;SG":
        form = re.sub("(?<=[ia])r$|u?r$", "", form)
        form = re.sub("(?<=[^aeiouyáéíóúýæö])ð$", "", form)
    elif cell == "V.CVB":
        form = re.sub("(?<=[ia])ð$", "", form)
    return re.sub("[td]+$", "", form) + "st"


def participle(lemma: str, forms: Mapping[str, str]) -> Cells:
    """The past participle in all genders and cases.

    >>> forms = {"V.CVB": "tekið", "V;IND;PST;1;SG": "tók"}
    >>> [form for cell, form in participle("taka", forms) if "NOM" in cell]
    ['tekinn', 'tekin', 'tekið', 'teknir', 'teknar', 'tekin']
    >>> forms = {"V.CVB": "kallað", "V;IND;PST;1;SG": "kallaði"}
    >>> [form for cell, form in participle("kalla", forms) if "NOM" in cell]
    ['kallaður', 'kölluð', 'kallað', 'kallaðir', 'kallaðar', 'kölluð']
    >>> forms = {"V.CVB": "talið", "V;IND;PST;1;SG": "taldi"}
    >>> [form for cell, form in participle("telja", forms) if "DAT" not in cell][:9]
    ['talinn', 'talinn', 'talins', 'talin', 'talda', 'talinnar', 'talið', 'talið', 'talins']
    """
    supine, past = forms.get("V.CVB", ""), forms.get("V;IND;PST;1;SG", "")
    weak = re.search("[dðt]i$", past) is not None
    if supine.endswith("ið"):
        stem, short = supine[:-2], past[:-1] if weak else supine[:-2]
        table = (*MIXED, *WEAK[3:5], "in in um inna") if weak else STRONG
    elif weak and supine.endswith(("t", "að")):
        stem = short = past[:-1]
        table = WEAK
    else:
        return
    for kind, endings in zip(CLASSES, table, strict=True):
        for case, ending in zip(CASES, endings.split(" "), strict=True):
            before = stem if ending.startswith("i") and table is not WEAK else short
            if ending == "NEUT":
                form = supine
            elif ending == "-":
                form = changed(before)
            elif ending.startswith(("u", "nu")) and ending != "ur":
                form = changed(before) + ending
            else:
                form = before + ending
            yield f"V.PTCP;PST;{case};{kind}", form


def changed(stem: str) -> str:
    """A stem with the vowels that it has before u.

    >>> [changed(stem) for stem in ("kallað", "sagð", "tald", "gerð", "rannsakað")]
    ['kölluð', 'sögð', 'töld', 'gerð', 'rannsökuð']
    """
    if re.search("[aeiouyáéíóúýæö].*að$", stem):
        return changed(stem[:-2]) + "uð"
    return re.sub("a(?=[^aeiouyáéíóúýæö]*$)", "ö", stem)
