"""Irish: single words without their particles and pronouns, and everyday verbs and adjectives.

UniMorph writes *an bhean*, *molfaidh sé* and *go mola mé* where running text has separate words.
The genitives of both numbers of a definite noun share a cell, and the relative forms have one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from language_build.sources import Places, unimorph, written
from stepwrite.morphology.mutation import eclipsed, lenited

Rows = Iterator[tuple[str, str, str]]
Cells = Iterator[tuple[str, str]]
VOWELS = "aeiouáéíóú"
BEFORE = re.compile("^(leis an|leis na|an|na|a|go|dá|níos|is) (?=.)")
PRONOUN = re.compile(" (mé|tú|sé|sí|siad|sibh)$")
PERSONS = ("1;SG", "2;SG", "3;SG", "1;PL", "2;PL", "3;PL", "AUTO")
# Endings in the order of PERSONS, after broad and slender stems, of both conjugations; a hyphen
# stands for the lemma itself.
ENDINGS = {
    "IND;PRS": ("aim ann ann aimid ann ann tar", "im eann eann imid eann eann tear"),
    "IND;PST": ("- - - amar - - adh", "- - - eamar - - eadh"),
    "IND;PST;HAB": ("ainn tá adh aimis adh aidís taí", "inn teá eadh imis eadh idís tí"),
    "IND;FUT": ("faidh faidh faidh faimid faidh faidh far", "fidh fidh fidh fimid fidh fidh fear"),
    "COND": ("fainn fá fadh faimis fadh faidís faí", "finn feá feadh fimis feadh fidís fí"),
    "IMP": ("aim - adh aimis aigí aidís tar", "im - eadh imis igí idís tear"),
    "SBJV;PRS": ("a a a aimid a a tar", "e e e imid e e tear"),
}
SECOND = {
    "IND;PRS": ("aím aíonn aíonn aímid aíonn aíonn aítear", "ím íonn íonn ímid íonn íonn ítear"),
    "IND;PST": ("- - - aíomar - - aíodh", "- - - íomar - - íodh"),
    "IND;PST;HAB": (
        "aínn aíteá aíodh aímis aíodh aídís aítí",
        "ínn íteá íodh ímis íodh ídís ítí",
    ),
    "IND;FUT": (
        "óidh óidh óidh óimid óidh óidh ófar",
        "eoidh eoidh eoidh eoimid eoidh eoidh eofar",
    ),
    "COND": ("óinn ófá ódh óimis ódh óidís ófaí", "eoinn eofá eodh eoimis eodh eoidís eofaí"),
    "IMP": ("aím - aíodh aímis aígí aídís aítear", "ím - íodh ímis ígí ídís ítear"),
    "SBJV;PRS": ("aí aí aí aímid aí aí aítear", "í í í ímid í í ítear"),
}
LENITED = ("IND;PST", "IND;PST;HAB", "COND")


def mended(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """UniMorph's forms without particles and pronouns, the genitive plural in its own cell."""
    genitives: dict[str, str] = {}
    for lemma, features, form in unimorph(places, iso, options):
        if features == "N;GEN;PL":
            genitives[lemma] = form
    for lemma, features, form in unimorph(places, iso, options):
        tags = features.split(";")
        if features == "N;GEN;SG;DEF" and form == f"na {eclipsed(genitives.get(lemma, ''))}":
            features = "N;GEN;PL;DEF"
        for cell in cells_of(features, tags):
            yield lemma, cell, alone(form) if " " not in lemma else form


def cells_of(features: str, tags: list[str]) -> list[str]:
    """The cells that a form belongs to.

    The impersonal stands for person 0 as well, as treebanks have it, and the present for the
    habitual, which only *bí* has apart.

    >>> cells_of("V;AUTO;COND", ["V", "AUTO", "COND"])
    ['V;AUTO;COND', 'V;0;COND']
    """
    cells = [features, features.replace("AUTO", "0")] if "AUTO" in tags else [features]
    if {"V", "PRS", "IND"} <= {*tags} and not {"AUTO", "REL"} & {*tags}:
        cells.append(f"{features};HAB")
    return cells


def alone(form: str) -> str:
    """A form without particles and pronouns.

    >>> [alone(form) for form in ("leis an mbean", "na mban", "molfaidh sé", "go mola mé")]
    ['mbean', 'mban', 'molfaidh', 'mola']
    """
    return PRONOUN.sub("", BEFORE.sub("", form))


def past(word: str) -> str:
    """Lenited, and with d' before a vowel.

    >>> [past(word) for word in ("bris", "ól", "fág", "freagair")]
    ['bhris', "d'ól", "d'fhág", "d'fhreagair"]
    """
    after = lenited(word)
    return f"d'{after}" if word[0] in VOWELS + "f" else after


def words(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """Everyday words by the principal parts in `languages/words`."""
    for lemma, stem, verbal_noun in written(f"{iso}-verbs.tsv", 3):
        yield lemma, "V.MSDR", verbal_noun
        for features, form in conjugated(lemma, stem):
            for cell in cells_of(features, features.split(";")):
                yield lemma, cell, form
    for lemma, gender, *parts in written(f"{iso}-nouns.tsv", 5):
        for features, form in noun(lemma, gender, *parts):
            yield lemma, features, form
    for lemma, comparative, plural in written(f"{iso}-adjectives.tsv", 3):
        for features, form in declined(lemma, comparative, plural):
            yield lemma, features, form


def conjugated(lemma: str, stem: str) -> Cells:
    """The forms of a regular verb; of the second conjugation if its stem ends in a hyphen.

    >>> forms = dict(conjugated("ceannaigh", "ceann-"))
    >>> [forms[f"V;{cell}"] for cell in ("IND;PRS;3;SG", "IND;PST;3;SG", "IND;FUT;1;PL")]
    ['ceannaíonn', 'cheannaigh', 'ceannóimid']
    >>> forms = dict(conjugated("bris", "bris"))
    >>> [forms[cell] for cell in ("V;COND;3;SG", "V;IND;PST;AUTO", "V.PTCP;PST")]
    ['bhrisfeadh', 'briseadh', 'briste']
    """
    table = SECOND if stem.endswith("-") else ENDINGS
    stem = stem.removesuffix("-")
    slender = re.search(f"[eiéí][^{VOWELS}]*$", stem) is not None
    for tense, kinds in table.items():
        for person, ending in zip(PERSONS, kinds[slender].split(" "), strict=True):
            form = lemma if ending == "-" else stem + ending
            if tense in LENITED and (tense, person) != ("IND;PST", "AUTO"):
                form = past(form)
            elif tense == "SBJV;PRS":  # after go
                form = eclipsed(form)
            yield f"V;{tense};{person}", form
    if table is SECOND:
        yield "V.PTCP;PST", stem + ("ithe" if slender else "aithe")
    else:
        aspirate = re.search("[bcgmpr]$", stem) is not None
        yield "V.PTCP;PST", stem + "t" + "h" * aspirate + ("e" if slender else "a")


def noun(lemma: str, gender: str, genitive: str, plural: str, plural_genitive: str) -> Cells:
    """The forms of a noun, without articles; a hyphen stands for a plural that it lacks.

    >>> forms = dict(noun("bean", "f", "mná", "mná", "ban"))
    >>> [forms[f"N;{cell}"] for cell in ("DEF;NOM;SG", "DEF;DAT;SG", "DEF;GEN;PL", "VOC;PL")]
    ['bhean', 'mbean', 'mban', 'mhná']
    >>> forms = dict(noun("samhradh", "m", "samhraidh", "samhraí", "samhraí"))
    >>> [forms[f"N;DEF;{cell};SG"] for cell in ("NOM", "GEN", "DAT")]
    ['samhradh', 'tsamhraidh', 'samhradh']
    """
    masculine = gender == "m"
    for case in ("NOM", "DAT"):
        yield f"N;{case};SG", lemma
    yield "N;GEN;SG", genitive
    yield "N;VOC;SG", lenited(lemma)
    yield "N;DEF;NOM;SG", with_t(lemma) if masculine else after_article(lemma)
    yield "N;DEF;GEN;SG", after_article(genitive) if masculine else with_h(genitive)
    dative = lemma if re.match("[dtDT]|[aeiouáéíóú]|s", lemma) else eclipsed(lemma)
    yield "N;DEF;DAT;SG", dative if masculine or lemma[0] != "s" else after_article(lemma)
    if plural != "-":
        for case, form in (("NOM", plural), ("DAT", plural), ("GEN", plural_genitive)):
            yield f"N;{case};PL", form
            yield f"N;DEF;{case};PL", eclipsed(form) if case == "GEN" else with_h(form)
        yield "N;VOC;PL", lenited(plural)


def after_article(word: str) -> str:
    """As after *an* where it lenites, which leaves d and t alone and puts t before s."""
    if re.match(f"s[{VOWELS}lnr]", word):
        return f"t{word}"
    return word if word[0] in "dtDT" else lenited(word)


def with_t(word: str) -> str:
    return f"t-{word}" if word[0] in VOWELS else word


def with_h(word: str) -> str:
    return f"h{word}" if word[0].lower() in VOWELS else word


def declined(lemma: str, comparative: str, plural: str) -> Cells:
    """The forms of an adjective; its genitives follow from the comparative.

    >>> forms = dict(declined("dubh", "duibhe", "dubha"))
    >>> forms["ADJ;GEN/VOC;MASC;SG"], forms["ADJ;NOM/VOC;FEM;SG"], forms["ADJ;GEN;FEM;SG"]
    ('dhuibh', 'dhubh', 'duibhe')
    """
    masculine = re.sub("och$", "gh", re.sub("ach$", "aigh", re.sub("each$", "igh", lemma)))
    if (
        masculine == lemma
        and comparative.endswith("e")
        and not lemma.endswith("e")
        and lemma[-1] not in VOWELS
    ):
        masculine = comparative[:-1]
    yield "ADJ;NOM;MASC;SG", lemma
    yield "ADJ;DAT;MASC;SG", lemma
    yield "ADJ;GEN/VOC;MASC;SG", lenited(masculine)
    for case in ("NOM/VOC", "DAT"):
        yield f"ADJ;{case};FEM;SG", lenited(lemma)
    yield "ADJ;GEN;FEM;SG", comparative
    for case in ("NOM", "VOC", "DAT"):
        yield f"ADJ;{case};PL", plural
    yield "ADJ;GEN;PL;STRONG", plural
    yield "ADJ;GEN;PL;WEAK", lemma
    yield "ADJ;CMPR", comparative
    yield "ADJ;SPRL", comparative
