"""Everyday words of Finnish from their principal parts: `languages/words/fin-nominals.tsv` and
`fin-verbs.tsv`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from language_build.dictionaries.finnish import (
    CASES,
    SOURCES,
    common,
    fronted,
    harmonic,
    owned,
    verb_forms,
)
from language_build.sources import Places, written

Rows = Iterator[tuple[str, str, str]]
Cells = Iterator[tuple[str, str]]


def nominals(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """Everyday nouns and adjectives, with comparison, from `languages/words/fin-nominals.tsv`."""
    for lemma, pos, *parts, comparative, superlative in written("fin-nominals.tsv", 9):
        cells = dict(declined(lemma, *parts))
        for tags, form in cells.items():
            with_owner = pos == "N" and tags == "COM;PL"  # as nouns always are
            yield lemma, f"{pos};{tags}", f"{form}en" if with_owner else form
        yield lemma, f"{pos};ACC;SG", cells["GEN;SG"]
        if pos == "N":
            for tags, form in owned(cells):
                if tags.endswith(("PSS3", "PSS1S")):
                    yield lemma, f"N;{tags}", form
        for degree, word in (("CMPR", comparative), ("SPRL", superlative)):
            if word != "-":
                for tags, form in compared(word):
                    yield lemma, f"ADJ;{degree};{tags}", form


def declined(
    lemma: str, genitive: str, partitive: str, illative: str, genitives: str, partitives: str
) -> Cells:
    """All cells of a noun or adjective.

    >>> def some(lemma, parts, *cells):
    ...     forms = dict(declined(lemma, *parts.split()))
    ...     return [forms[cell] for cell in cells]
    >>> some("kauppa", "kaupan kauppaa kauppaan kauppojen kauppoja", "IN+ESS;SG", "AT+ALL;PL",
    ...      "FRML;SG", "IN+ALL;PL")
    ['kaupassa', 'kaupoille', 'kauppana', 'kauppoihin']
    >>> some("vuosi", "vuoden vuotta vuoteen vuosien vuosia", "FRML;SG", "IN+ESS;PL", "IN+ALL;PL")
    ['vuotena', 'vuosissa', 'vuosiin']
    >>> some("aine", "aineen ainetta aineeseen aineiden aineita", "TRANS;SG", "IN+ALL;PL")
    ['aineeksi', 'aineisiin']
    >>> some("tie", "tien tietä tiehen teiden teitä", "NOM;PL", "FRML;SG", "IN+ALL;PL")
    ['tiet', 'tienä', 'teihin']
    """

    def voweled(ending: str) -> str:
        return ending if partitives.endswith("a") else fronted(ending)

    weak = genitive[:-1]
    long = illative == f"{weak}seen"
    strong = weak if long else _strong(illative)
    several = partitives[:-1]
    if several.endswith("t"):
        several = several[:-1]
    elif several.endswith("j"):
        several = several[:-1] + "i"
    weakly = several
    if several.startswith(strong[:-1]):
        weakly = weak[:-1] + several[len(strong) - 1 :]
    yield "NOM;SG", lemma
    yield "GEN;SG", genitive
    yield "ACC;SG", lemma
    yield "PRT;SG", partitive
    yield "IN+ALL;SG", illative
    yield "NOM;PL", f"{weak}t"
    yield "GEN;PL", genitives
    yield "ACC;PL", f"{weak}t"
    yield "PRT;PL", partitives
    yield "IN+ALL;PL", _into(several, long=long or lemma.endswith(("ea", "eä")))
    for number, stem, full in (("SG", weak, strong), ("PL", weakly, several)):
        for case, ending in CASES.items():
            if case != "ESS":
                yield f"{case};{number}", stem + voweled(ending)
        yield f"FRML;{number}", full + voweled("na")
        yield f"PRIV;{number}", stem + voweled("tta")
    yield "COM;PL", f"{several}ne"
    yield "INS;PL", f"{weakly}n"


def _strong(illative: str) -> str:
    """The stem of the essive: talo- of *taloon*, tie- of *tiehen*."""
    return illative[:-3] if illative[-3] == "h" and illative[-4] == illative[-2] else illative[:-2]


def _into(stem: str, long: bool) -> str:
    """The illative of the plural.

    >>> _into("taloi", False), _into("koiri", False), _into("huonei", True)
    ('taloihin', 'koiriin', 'huoneisiin')
    """
    if long:
        return f"{stem}siin"
    return f"{stem}hin" if stem[-2] in "aeouyäö" else f"{stem}in"


def compared(word: str) -> Cells:
    """The cells of a comparative or superlative.

    >>> [dict(compared("vanhempi"))[case] for case in ("GEN;SG", "IN+ALL;PL", "AT+ESS;PL")]
    ['vanhemman', 'vanhempiin', 'vanhemmilla']
    >>> [dict(compared("suurin"))[case] for case in ("GEN;SG", "PRT;SG", "FRML;SG")]
    ['suurimman', 'suurinta', 'suurimpana']
    >>> dict(compared("paras"))["GEN;SG"]
    'parhaan'
    """
    if word == "paras":
        yield from declined(word, "parhaan", "parasta", "parhaaseen", "parhaiden", "parhaita")
        return
    base = word[:-1].removesuffix("mp")
    vowel = "a" if harmonic(base, "a")[-1] == "a" else "ä"
    strong, weak = f"{base}mp", f"{base}mm"
    yield from declined(
        word,
        f"{weak}{vowel}n",
        f"{strong}{vowel}{vowel}" if word.endswith("i") else f"{word}t{vowel}",
        f"{strong}{vowel}{vowel}n",
        f"{strong}ien",
        f"{strong}i{vowel}",
    )


def verbs(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """Everyday verbs from `languages/words/fin-verbs.tsv`."""
    for lemma, *parts in written("fin-verbs.tsv", 7):
        cells = dict(conjugated(lemma, *parts))
        for tags, form in cells.items():
            yield lemma, tags, form
        for tags, form in verb_forms(lemma, *(cells[tags] for tags in SOURCES.values())):
            if common(tags) or tags.endswith(("LGSPECAGT", "PSS3")):
                yield lemma, tags, form


def conjugated(
    lemma: str, i_do: str, they_do: str, i_did: str, did: str, done: str, passive: str
) -> Cells:
    """The finite forms.

    >>> parts = "annan antavat annoin antoi antanut annetaan".split()
    >>> forms = dict(conjugated("antaa", *parts))
    >>> [forms[f"V;{tags}"] for tags in ("COND;PRS;ACT;POS;3;SG", "IMP;PRS;ACT;POS;2;PL")]
    ['antaisi', 'antakaa']
    >>> [forms[f"V;{tags}"] for tags in ("IND;PST;PASS;POS", "POT;PRS;ACT;POS;3;SG")]
    ['annettiin', 'antanee']
    >>> parts = "tapaan tapaavat tapasin tapasi tavannut tavataan".split()
    >>> forms = dict(conjugated("tavata", *parts))
    >>> [forms[f"V;{tags}"] for tags in ("COND;PRS;ACT;POS;1;SG", "IMP;PRS;ACT;POS;3;SG")]
    ['tapaisin', 'tavatkoon']
    >>> forms["V;IND;PST;ACT;POS;3;PL"], forms["V;IND;PST;PASS;POS"]
    ('tapasivat', 'tavattiin')
    """
    back = they_do.endswith("vat")

    def voweled(ending: str) -> str:
        return ending if back else fronted(ending)

    stem = they_do[:-3]
    does = (
        stem if stem[-1] == stem[-2] or stem[-2:] in ("oi", "ui", "yö", "uo") else stem + stem[-1]
    )
    would = stem[:-1] if stem[-1] in "ei" or stem[-1] == stem[-2] else stem
    if stem[-2:] in ("yö", "uo"):
        would = stem[:-2] + stem[-1]
    order = _before_k(lemma)
    may = done[:-2] + "e"
    yield "V;NFIN", lemma
    for head, own, third, base in (
        ("IND;PRS", i_do[:-1], does, stem),
        ("IND;PST", i_did[:-1], did, did),
        ("COND;PRS", f"{would}isi", f"{would}isi", f"{would}isi"),
        ("POT;PRS", may, f"{may}e", may),
    ):
        yield f"V;{head};ACT;POS;1;SG", f"{own}n"
        yield f"V;{head};ACT;POS;2;SG", f"{own}t"
        yield f"V;{head};ACT;POS;3;SG", third
        yield f"V;{head};ACT;POS;1;PL", f"{own}mme"
        yield f"V;{head};ACT;POS;2;PL", own + voweled("tte")
        yield f"V;{head};ACT;POS;3;PL", base + voweled("vat")
    yield "V;IMP;PRS;ACT;POS;2;SG", i_do[:-1]
    for person, ending in (("3;SG", "koon"), ("1;PL", "kaamme"), ("2;PL", "kaa"), ("3;PL", "koot")):
        yield f"V;IMP;PRS;ACT;POS;{person}", order + voweled(ending)
    alone = passive[-4] in "dlnr" or passive[-5] == "s"
    past = passive[:-4] + ("t" if alone else "tt")
    yield "V;IND;PRS;PASS;POS", passive
    yield "V;IND;PST;PASS;POS", f"{past}iin"
    yield "V;COND;PRS;PASS;POS", past + voweled("aisiin")
    yield "V;POT;PRS;PASS;POS", past + voweled("aneen")
    yield "V;IMP;PRS;PASS;POS", past + voweled("akoon")


def _before_k(lemma: str) -> str:
    """The stem of orders.

    >>> [_before_k(lemma) for lemma in ("antaa", "tulla", "nousta", "tavata", "juoda")]
    ['anta', 'tul', 'nous', 'tavat', 'juo']
    """
    if lemma[-2] in "dlnr" or lemma.endswith(("sta", "stä")):
        return lemma[:-2]
    return lemma[:-1]
