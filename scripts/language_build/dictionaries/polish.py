"""Polish from the dictionary of PyPI's `morfeusz2` (SGJP, BSD licence).

The generator gives the forms of a lemma with tags of the national corpus, in which dots separate
alternatives: `subst:sg:nom.acc:m3`. Lemmas are the words of wordfreq's list that are lemmas.
Masculine nouns are HUM (m1), ANIM (m2) or INAN (m3). The past and the conditional are put together
from participle and endings: robił + em. Impersonal pasts (robiono) are of person 0; words such as
*powinien* and *trzeba* have a present with gender, or one form of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from language_build.frequencies import zipf_table
from language_build.sources import Places

GENDERS = {"m1": "MASC;HUM", "m2": "MASC;ANIM", "m3": "MASC;INAN", "f": "FEM", "n": "NEUT"}
CASES = {
    **{"nom": "NOM", "gen": "GEN", "dat": "DAT", "acc": "ACC", "inst": "INS", "loc": "ESS"},
    "voc": "VOC",
}
NUMBERS = {"sg": "SG", "pl": "PL"}
PERSONS = {"pri": "1", "sec": "2", "ter": "3"}
ASPECTS = {"perf": "PFV", "imperf": "IPFV"}
LEAST = 2.5  # the Zipf frequency of a lemma
PAST = "IND;PST"
PERSONAL = {"SG": {"1": "m", "2": "ś"}, "PL": {"1": "śmy", "2": "ście"}}
DEGREES = {"pos": "", "com": "CMPR", "sup": "SPRL"}
CLASSES = {
    "subst",
    "adj",
    "fin",
    "bedzie",
    "praet",
    "impt",
    "inf",
    "pcon",
    "pant",
    "pact",
    "ppas",
    "ger",
    "imps",
    "winien",
    "pred",
}
COLLOQUIAL = "pot."


def read(places: Places, iso: str, options: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    from morfeusz2 import Morfeusz

    generator = Morfeusz(analyse=False, generate=True)
    for word, zipf in zipf_table("pl").items():
        if zipf < LEAST or not word.isalpha():
            continue
        forms = generator.generate(word)
        plain = {tag.partition(":")[0] for *_, tag, _, labels in forms if COLLOQUIAL not in labels}
        for form, name, tag, _, labels in forms:
            lemma = name.partition(":")[0]
            if lemma != word or {"przest.", "daw.", "gwar.", "rzad."} & set(labels):
                continue
            if COLLOQUIAL in labels and tag.partition(":")[0] in plain:  # psowie beside psy
                continue
            for bundle in bundles(tag):
                if PAST in bundle and not tag.startswith("imps"):
                    yield from ((lemma, *cell) for cell in past(bundle, form, tag))
                else:
                    yield lemma, bundle, form


def past(bundle: str, form: str, tag: str) -> Iterator[tuple[str, str]]:
    """The persons of the past and of the conditional, from that of the third person.

    Some verbs have a form of their own before endings (mógł, but mogłem), which the tag calls agl.

    >>> list(past("V;IND;PST;IPFV;MASC;3;SG", "mogł", "praet:sg:m1.m2.m3:imperf:agl"))
    [('V;IND;PST;IPFV;MASC;1;SG', 'mogłem'), ('V;IND;PST;IPFV;MASC;2;SG', 'mogłeś')]
    """
    conditional = bundle.replace(PAST, "COND")
    if not tag.endswith(":agl"):
        yield bundle, form
        yield conditional, f"{form}by"
        for person, ending in PERSONAL[bundle[-2:]].items():
            yield conditional.replace(";3;", f";{person};"), f"{form}by{ending}"
    if not tag.endswith(":nagl"):
        vowel = "e" if bundle.endswith("MASC;3;SG") else ""
        for person, ending in PERSONAL[bundle[-2:]].items():
            yield bundle.replace(";3;", f";{person};"), f"{form}{vowel}{ending}"


def bundles(tag: str) -> Iterator[str]:
    """The UniMorph bundles of a tag.

    >>> list(bundles("subst:sg:nom.acc:m3")), list(bundles("fin:sg:ter:imperf"))
    (['N;MASC;INAN;NOM;SG', 'N;MASC;INAN;ACC;SG'], ['V;IND;PRS;IPFV;3;SG'])
    >>> list(bundles("imps:perf")), list(bundles("winien:pl:m1:imperf")), list(bundles("pred"))
    (['V;IND;PST;PFV;0'], ['V;IND;PRS;IPFV;MASC;HUM;PL'], ['V;IND;PRS'])
    >>> list(bundles("adj:pl:nom.voc:m1:pos")), list(bundles("ppron12:sg:nom:m1.m2.m3.f.n:pri"))
    (['ADJ;MASC;HUM;NOM;PL', 'ADJ;MASC;HUM;VOC;PL'], [])
    """
    head, *values = tag.split(":")
    if head not in CLASSES or "neg" in values:
        return
    for combination in product(*(value.split(".") for value in values)):
        said = set(combination)
        aspect = _of(ASPECTS, said)
        case, number, person = _of(CASES, said), _of(NUMBERS, said), _of(PERSONS, said)
        gender, degree = _of(GENDERS, said), _of(DEGREES, said)
        if number == "PL" and head in ("adj", "pact", "ppas", "praet", "winien"):
            if said & {"f", "n", "m2"}:  # the same as m3: everything that is no man
                continue
            gender = gender if "m1" in said else ""
        elif head in ("pact", "ppas", "adj", "praet", "winien") and case != "ACC":
            if said & {"m1", "m2"}:
                continue  # the same as m3
            gender = gender.partition(";")[0]
        match head:
            case "subst":
                yield _join("N", gender, case, number)
            case "adj":
                yield _join("ADJ", degree, gender, case, number)
            case "fin" | "bedzie":
                tense = "FUT" if aspect == "PFV" or head == "bedzie" else "PRS"
                yield _join("V", "IND", tense, aspect, person, number)
            case "praet":
                yield _join("V", "IND", "PST", aspect, gender, "3", number)
            case "imps":
                yield _join("V", "IND", "PST", aspect, "0")
            case "winien":
                yield _join("V", "IND", "PRS", aspect, gender, number)
            case "pred":
                yield "V;IND;PRS"
            case "impt":
                yield _join("V", "IMP", aspect, person, number)
            case "inf":
                yield _join("V", "NFIN", aspect)
            case "pcon" | "pant":
                yield _join("V.CVB", "PRS" if head == "pcon" else "PST", aspect)
            case "pact" | "ppas":
                voice = "ACT" if head == "pact" else "PASS"
                yield _join("V.PTCP", aspect, voice, gender, case, number)
            case "ger":
                yield _join("V.MSDR", aspect, case, number)


def _of(names: Mapping[str, str], said: set[str]) -> str:
    return next((tag for name, tag in names.items() if name in said), "")


def _join(*tags: str) -> str:
    return ";".join(filter(None, tags))
