"""Estonian nominals and verbs from their principal parts, as lists written for this project say.

`languages/words/est-nominals.tsv` has nouns and adjectives with genitive, partitive, the plural's
genitive and partitive, the short illative and, of adjectives, the comparative (empty where it is
the genitive with -m, `-` where there is none). `est-verbs.tsv` has verbs with their infinitive,
present stem, past and participles. `est-regular.tsv` has words whose principal parts follow from
their ending. All other forms follow by rule.

The infinitive (NFIN) is the one in -da; the one in -ma, by which verbs are cited, is the
illative of the supine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from language_build.sources import Places, written

Rows = Iterator[tuple[str, str, str]]
ENDINGS = {
    **{"IN+ALL": "sse", "IN+ESS": "s", "IN+ABL": "st", "AT+ALL": "le", "AT+ESS": "l"},
    **{"AT+ABL": "lt", "TRANS": "ks", "TERM": "ni", "FRML": "na", "PRIV": "ta", "COM": "ga"},
}
SUPINE = {"IN+ALL": "", "IN+ESS": "s", "IN+ABL": "st", "TRANS": "ks", "PRIV": "ta"}
VOWELS = "aeiouõäöü"
PERSONS = (("1;SG", "n"), ("2;SG", "d"), ("1;PL", "me"), ("2;PL", "te"))
# The endings of genitive, partitive, the plural's genitive and partitive, and of a short illative.
NOMINALS = {
    **{
        "lane": ("lase", "last", "laste", "lasi", ""),
        "ik": ("iku", "ikku", "ike", "ikke", ""),
    },
    **{
        "ane": ("ase", "ast", "aste", "aseid", ""),
        "ine": ("ise", "ist", "iste", "isi", ""),
    },
    **{"ene": ("ese", "est", "este", "esi", ""), "us": ("use", "ust", "uste", "usi", "")},
    **{"ioon": ("iooni", "iooni", "ioonide", "ioone", "iooni")},
    **{"kond": ("konna", "konda", "kondade", "kondi", "konda")},
    **{
        "ent": ("endi", "enti", "entide", "ente", ""),
        "ist": ("isti", "isti", "istide", "iste", ""),
    },
    **{"or": ("ori", "orit", "orite", "oreid", ""), "ja": ("ja", "jat", "jate", "jaid", "")},
    **{"v": ("va", "vat", "vate", "vaid", ""), "m": ("ma", "mat", "mate", "maid", "")},
}


class Nominal(NamedTuple):
    """The principal parts of a nominal; illative: the short one, if it is usual."""

    nominative: str
    genitive: str
    partitive: str
    genitives: str
    partitives: str
    illative: str = ""

    def cells(self) -> Iterator[tuple[str, str]]:
        """The case and number of each form, and the form.

        >>> cells = dict(Nominal("maja", "maja", "maja", "majade", "maju", "majja").cells())
        >>> cells["IN+ALL;SG"], cells["AT+ESS;PL"], cells["NOM;PL"], cells["COM;SG"]
        ('majja', 'majadel', 'majad', 'majaga')
        """
        yield "NOM;SG", self.nominative
        yield "PRT;SG", self.partitive
        yield "NOM;PL", f"{self.genitive}d"
        yield "ACC;PL", f"{self.genitive}d"
        yield "PRT;PL", self.partitives
        yield "GEN;PL", self.genitives
        for case in ("GEN", "ACC"):
            yield f"{case};SG", self.genitive
        for case, ending in ENDINGS.items():
            short = short_illative(self) if case == "IN+ALL" else ""
            yield f"{case};SG", short or self.genitive + ending
            yield f"{case};PL", self.genitives + ending


def short_illative(nominal: Nominal) -> str:
    """The illative that is usual, if it isn't the genitive with -sse.

    >>> [short_illative(regular_nominal(word)) for word in ("küsimus", "erinev")]
    ['küsimusse', '']
    """
    if not nominal.illative and nominal.nominative.endswith(("us", "ne")):
        return f"{nominal.genitive[:-2]}sse" if nominal.genitive.endswith("se") else ""
    return nominal.illative


class Verb(NamedTuple):
    """The principal parts of a verb; present: its stem, past: that of the third person."""

    supine: str
    infinitive: str
    present: str
    past: str
    active: str
    passive: str

    def cells(self) -> Iterator[tuple[str, str]]:
        """The forms of a verb.

        >>> verb = Verb("tegema", "teha", "tee", "tegi", "teinud", "tehtud")
        >>> cells = dict(verb.cells())
        >>> cells["V;IND;PRS;ACT;POS;3;PL"], cells["V;IND;PST;ACT;POS;1;SG"], cells["V.CVB;PRS"]
        ('teevad', 'tegin', 'tehes')
        >>> cells["V;IND;PRS;PASS;POS"], cells["V;IND;PST;PASS;POS"], cells["V.SUP;ACT;IN+ABL"]
        ('tehakse', 'tehti', 'tegemast')
        >>> cells = dict(Verb("võtma", "võtta", "võta", "võttis", "võtnud", "võetud").cells())
        >>> cells["V;IND;PST;ACT;POS;1;SG"], cells["V.PTCP;PRS;ACT"]
        ('võtsin', 'võttev')
        """
        root, stem = self.supine.removesuffix("ma"), self.passive.removesuffix("ud")
        past = self.past if self.past.endswith("i") else f"{self.past[:-1]}si"
        present_participle = f"{root}v"
        if root[-1] not in VOWELS:
            strong = self.past.removesuffix("is") if self.past.endswith("is") else root
            present_participle = f"{strong}ev"
            if self.past.endswith("is"):  # tahtis, tahtsin; võttis, võtsin; maksis, maksin
                past = f"{strong[:-1] if strong[-2:] in ('tt', 'ss') else strong}si"
                past = past.replace("ssi", "si")
        yield "V;NFIN", self.infinitive
        yield "V.CVB;PRS", f"{self.infinitive[:-1]}es"
        for case, ending in SUPINE.items():
            yield f"V.SUP;ACT;{case}", self.supine + ending
        yield "V.SUP;PASS;IN+ALL", f"{stem}ama"
        yield "V.PTCP;PRS;ACT", present_participle
        yield "V.PTCP;PST;ACT", self.active
        yield "V.PTCP;PRS;PASS", f"{stem}av"
        yield "V.PTCP;PST;PASS", self.passive
        for person, ending in PERSONS:
            yield f"V;IND;PRS;ACT;POS;{person}", self.present + ending
            yield f"V;COND;PRS;ACT;POS;{person}", f"{self.present}ksi{ending}"
            yield f"V;IND;PST;ACT;POS;{person}", past + ending
        yield "V;IND;PRS;ACT;POS;3;SG", f"{self.present}b"
        yield "V;IND;PRS;ACT;POS;3;PL", f"{self.present}vad"
        yield "V;COND;PRS;ACT;POS;3;SG", f"{self.present}ks"
        yield "V;COND;PRS;ACT;POS;3;PL", f"{self.present}ksid"
        yield "V;IND;PST;ACT;POS;3;SG", self.past
        yield "V;IND;PST;ACT;POS;3;PL", f"{past}d"
        yield "V;IMP;PRS;ACT;POS;2;SG", self.present
        impersonal = f"{stem}a" if self.infinitive[-2:] in ("da", "ta") else self.infinitive
        yield "V;IND;PRS;PASS;POS", f"{impersonal}kse"
        yield "V;IND;PST;PASS;POS", f"{stem}i"
        yield "V;COND;PRS;PASS;POS", f"{stem}aks"
        yield "V;PRS;ACT;POS;QUOT", f"{root}vat"


def verbs(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    for parts in written("est-verbs.tsv", 6):
        yield from ((parts[0], *cell) for cell in Verb(*parts).cells())
    for part, words in written("est-regular.tsv", 2):
        for word in words.split() if part == "V" else ():
            yield from ((word, *cell) for cell in regular_verb(word).cells())


def nominals(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    for part, *parts, comparative in written("est-nominals.tsv", 8):
        nominal = Nominal(*parts)
        yield from ((nominal.nominative, f"{part};{c}", form) for c, form in nominal.cells())
        if part == "ADJ" and comparative != "-":
            yield from compared(nominal, comparative or f"{nominal.genitive}m")
    for part, words in written("est-regular.tsv", 2):
        for word in words.split() if part != "V" else ():
            nominal = regular_nominal(word)
            yield from ((word, f"{part};{c}", form) for c, form in nominal.cells())
            if part == "ADJ" and (word.endswith("line") or not word.endswith("ne")):
                yield from compared(nominal, f"{nominal.genitive}m")


def compared(positive: Nominal, comparative: str) -> Rows:
    """The comparative, under the lemma of the positive and, as treebanks have it, under its own.

    >>> suur = Nominal("suur", "suure", "suurt", "suurte", "suuri", "suurde")
    >>> [form for word, cell, form in compared(suur, "suurem") if cell == "ADJ;CMPR;AT+ALL;SG"]
    ['suuremale', 'suuremale']
    """
    for word in (positive.nominative, comparative):
        for cell, form in regular_nominal(comparative).cells():
            yield word, f"ADJ;CMPR;{cell}", form


def regular_nominal(word: str) -> Nominal:
    """
    >>> regular_nominal("küsimus")[1:]
    ('küsimuse', 'küsimust', 'küsimuste', 'küsimusi', '')
    >>> regular_nominal("erinev").partitives, regular_nominal("eestlane").genitives
    ('erinevaid', 'eestlaste')
    """
    end = next(ending for ending in NOMINALS if word.endswith(ending))
    stem = word.removesuffix(end)
    genitive, partitive, genitives, partitives, illative = (stem + part for part in NOMINALS[end])
    short = "" if illative == stem else illative
    return Nominal(word, genitive, partitive, genitives, partitives, short)


def regular_verb(word: str) -> Verb:
    """
    >>> regular_verb("kirjutama")
    Verb(supine='kirjutama', infinitive='kirjutada', present='kirjuta', past='kirjutas', \
active='kirjutanud', passive='kirjutatud')
    """
    stem = word.removesuffix("ma")
    return Verb(word, f"{stem}da", stem, f"{stem}s", f"{stem}nud", f"{stem}tud")
