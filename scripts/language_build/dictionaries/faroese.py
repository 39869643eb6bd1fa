"""Faroese: everyday nouns by class, verbs and adjectives by principal parts (`languages/words`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from language_build.sources import Places, unimorph, written

Rows = Iterator[tuple[str, str, str]]
Cells = Iterator[tuple[str, str]]
STRONG = {  # cells of adjectives; the ending -u stands for the vowel change alone
    **{"NOM;MASC;SG": "", "ACC;MASC;SG": "an", "DAT;MASC;SG": "um", "GEN;MASC;SG": "s"},
    **{"NOM;MASC;PL": "ir", "ACC;MASC;PL": "ar", "DAT;MASC;PL": "um", "GEN;MASC;PL": "a"},
    **{"NOM;FEM;SG": "-u", "ACC;FEM;SG": "a", "DAT;FEM;SG": "ari", "GEN;FEM;SG": "ar"},
    **{"FEM;PL": "ar", "NEUT;PL": "-u", "DAT;NEUT;SG": "um", "GEN;NEUT;SG": "s"},
}
CITED = ("V;NFIN", "ADJ;NOM;MASC;SG", "N;INDF;NOM;SG")  # what lemmas are
CASES = ("NOM", "ACC", "DAT", "GEN")
NOUNS = {  # what is taken off the lemma; indefinite and definite singular and plural, in four cases
    "skip": ("", "- - i s", "-u -u um a", "ið ið inum sins", "-uini -uini unum anna"),
    "dømi": ("i", "i i i is", "i i um a", "ið ið inum isins", "ini ini unum anna"),
    "hundur": ("ur", "ur - i s", "ar ar um a", "urin in inum sins", "arnir arnar unum anna"),
    "vinur": ("ur", "ur - i ar", "ir ir um a", "urin in inum arins", "irnir irnar unum anna"),
    "skúli": ("i", "i a a a", "ar ar um a", "in an anum ans", "arnir arnar unum anna"),
    "ferð": ("", "- - - ar", "ir ir um a", "in ina ini arinnar", "irnar irnar unum anna"),
    "oyggj": ("", "- - - ar", "ar ar um a", "in ina ini arinnar", "arnar arnar unum anna"),
    "vika": ("a", "a u u u", "ur ur um a", "an una uni unnar", "urnar urnar unum anna"),
}
WEAK = {
    **{"NOM;MASC;SG": "i", "ACC;MASC;SG": "a", "DAT;MASC;SG": "a", "NOM;FEM;SG": "a"},
    **{"ACC;FEM;SG": "u", "DAT;FEM;SG": "u", "NOM/ACC;NEUT;SG": "a", "DAT;NEUT;SG": "a"},
    "PL": "u",
}


def read(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    for model, lemmas in written(f"{iso}-nouns.tsv", 2):
        for lemma in lemmas.split(", "):
            for features, form in noun(model, lemma):
                yield lemma, features, form
    for lemma, *parts in written(f"{iso}-verbs.tsv", 6):
        for features, form in conjugated(lemma, *parts):
            yield lemma, features, form
    for lemma, neuter, comparative, superlative in written(f"{iso}-adjectives.tsv", 4):
        for features, form in declined(lemma, neuter):
            yield lemma, f"ADJ;{features}", form
        if comparative != "-":
            yield lemma, "ADJ;CMPR", comparative
            for features, form in declined(superlative, f"{superlative[:-2]}"):
                yield lemma, f"ADJ;SPRL;{features}", form


def mended(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """UniMorph without tables under other forms than the lemma: that of *ganga* under *gekk*."""
    rows = list(unimorph(places, iso, options))
    others = {lemma for lemma, features, form in rows if features in CITED and form != lemma}
    lemmas = {lemma for lemma, features, form in rows if features in CITED and form == lemma}
    for row in rows:
        if row[0] not in others - lemmas:
            yield row


def noun(model: str, lemma: str) -> Cells:
    """The forms of a noun that inflects like a model.

    >>> [form for cell, form in noun("skip", "land") if cell.endswith("PL") and "DEF" not in cell]
    ['lond', 'lond', 'londum', 'landa']
    >>> [form for cell, form in noun("skúli", "lærari") if "DEF" in cell and "SG" in cell]
    ['lærarin', 'læraran', 'læraranum', 'lærarans']
    """
    ending_of_lemma, *columns = NOUNS[model]
    stem = lemma.removesuffix(ending_of_lemma)
    numbers = ("N;INDF;{};SG", "N;INDF;{};PL", "N;DEF;{};SG", "N;DEF;{};PL")
    for cell, endings in zip(numbers, columns, strict=True):
        for case, ending in zip(CASES, endings.split(" "), strict=True):
            changes = ending.startswith(("u", "-u")) and not lemma.endswith("ur")
            before = changed(stem) if changes or ending in ("um", "unum") else stem
            yield cell.format(case), before + ending.removeprefix("-u").removeprefix("-")


def conjugated(
    lemma: str, present: str, past: str, pasts: str, supine: str, presents: str
) -> Cells:
    """The forms of a verb.

    >>> parts = "tekur", "tók", "tóku", "tikið", "-"
    >>> [form for cell, form in conjugated("taka", *parts) if "PRS" in cell]
    ['taki', 'tekur', 'tekur', 'taka', 'takandi']
    >>> [form for cell, form in conjugated("taka", *parts) if "IMP" in cell]
    ['tak', 'takið']
    """
    stem = re.sub("(?<=[gk])j$", "", lemma.removesuffix("a"))
    yield "V;NFIN", lemma
    first = re.sub("a?st$", "ist", present)
    if present.endswith("r"):
        first = IRREGULAR.get(lemma, f"{stem}i")
    for person, form in (("1", first), ("2", second_person(present)), ("3", present)):
        yield f"V;IND;PRS;{person};SG", form
    yield "V;IND;PRS;PL", lemma if presents == "-" else presents
    second = past if past.endswith(("i", "st")) else with_st(past)
    for person, form in (("1", past), ("2", second), ("3", past)):
        yield f"V;IND;PST;{person};SG", form
    yield "V;IND;PST;PL", pasts
    if supine != "-":
        yield "V.CVB", supine
        if supine.endswith("ið"):
            yield "V.PTCP.PST", f"{supine[:-1]}n"
        elif supine.endswith("að"):
            yield "V.PTCP.PST", f"{supine}ur"
    if presents == "-" and not lemma.endswith("st"):
        yield "V.PTCP.PRS", f"{lemma}ndi"
        if not lemma.endswith("ja") and lemma not in ("ganga", "standa"):
            yield "V;IMP;2;SG", lemma if present == f"{lemma}r" else stem
            yield "V;IMP;2;PL", f"{stem}ið"


def second_person(present: str) -> str:
    """The second person of the present, by the third.

    >>> [second_person(form) for form in ("tekur", "fer", "skal", "kann", "veit")]
    ['tekur', 'fert', 'skalt', 'kanst', 'veitst']
    """
    if re.fullmatch("[^aeiouyáíóúýæø]*([aeiouyáíóúýæø]|ey)[rl]", present):
        return f"{present}t"
    return with_st(present) if present in ("kann", "má", "veit") else present


def with_st(form: str) -> str:
    """The second person of a strong past.

    >>> [with_st(form) for form in ("drakk", "fór", "beit")]
    ['drakst', 'fórt', 'beitst']
    """
    return f"{form}t" if form.endswith(("r", "s")) else re.sub(r"(.)\1$", r"\1", form) + "st"


IRREGULAR = {"vera": "eri", "eiga": "eigi", "síggja": "síggi", "fáa": "fái", "siga": "sigi"}


def declined(lemma: str, neuter: str) -> Cells:
    """The strong and weak forms of an adjective.

    >>> forms = dict(declined("langur", "langt"))
    >>> [forms[cell] for cell in ("NOM;FEM;SG", "DAT;MASC;SG", "NOM;MASC;PL", "DEF;NOM;MASC;SG")]
    ['long', 'longum', 'langir', 'langi']
    >>> forms = dict(declined("egin", "egið"))
    >>> [forms[cell] for cell in ("NOM/ACC;NEUT;SG", "ACC;MASC;SG", "GEN;MASC;SG", "NOM;FEM;SG")]
    ['egið', 'egnan', 'egins', 'egin']
    """
    contracting = neuter == f"{lemma}t" or lemma.endswith(("in", "il"))
    base = lemma if contracting else lemma.removesuffix("ur")
    stem = re.sub("[aiu](?=[lnr]$)", "", base) if contracting else base
    yield "NOM/ACC;NEUT;SG", neuter
    for cells, before in ((STRONG, ""), (WEAK, "DEF;")):
        for features, ending in cells.items():
            if not ending:
                form = lemma
            elif ending == "-u":
                form = changed(base)
            elif ending == "s":
                form = re.sub(r"(.)\1$", r"\1", re.sub("ggj$", "", base)) + ending
            elif ending.startswith("u"):
                form = changed(stem) + ending
            else:
                form = re.sub("j$", "", stem) + ending if ending[0] == "i" else stem + ending
            yield before + features, form


def changed(stem: str) -> str:
    """A stem with the vowel that it has before u.

    >>> [changed(stem) for stem in ("svart", "lang", "gamal", "fagur", "stór", "vanlig")]
    ['svørt', 'long', 'gomul', 'føgur', 'stór', 'vanlig']
    """
    stem = re.sub("(?<=a[^aeiouyáíóúýæø])al$", "ul", stem)
    return re.sub(
        "a([^aeiouyáíóúýæø]+u?[^aeiouyáíóúýæø]*)$",
        lambda match: ("o" if match[1][0] in "mn" else "ø") + match[1],
        stem,
    )
