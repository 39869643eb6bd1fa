"""Norwegian Nynorsk: everyday words by class or principal parts, and adjectives of UniMorph.

The classes are explained in `languages/words/nno-nouns.tsv`, `nno-verbs.tsv` and
`nno-adjectives.tsv`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from language_build.sources import Places, unimorph, written

Rows = Iterator[tuple[str, str, str]]
Cells = Iterator[tuple[str, str]]
VOWELS = "aeiouyæøåé"
NOUNS = {  # definite singular, plural, definite plural
    **{"MASC": ("en", "ar", "ane"), "MASC-er": ("en", "er", "ene")},
    **{"FEM": ("a", "er", "ene"), "FEM-ar": ("a", "ar", "ane"), "NEUT": ("et", "", "a")},
}
NOUN_CELLS = ("N;INDF;SG", "N;DEF;SG", "N;INDF;PL", "N;DEF;PL")
VERBS = {"AR": ("ar", "a", "a"), "TE": ("er", "te", "t"), "DE": ("er", "de", "t/d")}
COMMON, NEUTER, DEFINITE, PLURAL = "MASC+FEM;SG", "NEUT;SG", "DEF;SG", "PL"
ADJECTIVE_CELLS = (
    *(f"ADJ;{features}" for features in (COMMON, NEUTER, DEFINITE, PLURAL)),
    *("ADJ;CMPR", "ADJ;SPRL;INDF", "ADJ;SPRL;DEF"),
)
WITH_T = ("frisk", "fersk", "rask", "besk", "falsk")  # in the neuter, unlike others in -sk
DEFECTIVE = ("slåst", "kunne", "skulle", "ville", "vilje", "måtte", "burde")
STRESSED = "([^n]del|tunnel|karakter|passasjer|offiser|psykiater)$"  # in the last syllable
# Their participles are those of take, gje ...
SHORT = ("ta", "gi", "gje", "bli", "dra", "be", "la", "ha")
UNIMORPH = {  # its cells of adjectives, and what they hold
    "ADJ;NDEF;SG": (COMMON,),
    "ADJ;MASC+FEM": (COMMON,),
    "ADJ;MASC": (COMMON,),
    "ADJ;FEM": (COMMON,),
    "ADJ;NEUT": (NEUTER,),
    "ADJ;NDEF;NEUT;SG": (NEUTER,),
    "ADJ;SG+PL": (COMMON,),
    "N;DEF;SG+PL": (DEFINITE, PLURAL),
}


def read(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """Everyday words: nouns, verbs and adjectives."""
    for kind, inflect in (("nouns", noun), ("verbs", verb), ("adjectives", adjective)):
        for name, entries in written(f"{iso}-{kind}.tsv", 2):
            for entry in entries.split(", "):
                lemma = entry.split(" ")[0].replace("(m)", "")
                for features, form in inflect(name, entry):
                    yield lemma, features, form
                    if kind == "verbs":
                        yield from spelt_otherwise(lemma, features, form)


def mended(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """UniMorph, whose definite and plural adjectives are filed under nouns."""
    for lemma, features, form in unimorph(places, iso, options):
        cells = [f"ADJ;{cell}" for cell in UNIMORPH.get(features, ())]
        for cell in cells or [features]:
            yield lemma, cell, form


def spelt_otherwise(lemma: str, features: str, form: str) -> Rows:
    """A form under the other spellings of an infinitive, in -a and without j.

    >>> [row[::2] for row in spelt_otherwise("byggje", "V;PRS", "byggjer")]
    [('byggja', 'byggjer'), ('bygge', 'bygger')]
    """
    if re.search(f"[^{VOWELS}]e$", lemma):
        yield f"{lemma[:-1]}a", features, form
    if re.search(f"[^{VOWELS}].*[^d][gk]je$", lemma) and lemma != "segje":
        yield lemma.replace("je", "e"), features, re.sub("(?<=[gk])j(?=e|a)", "", form)


def noun(name: str, entry: str) -> Cells:
    """The forms of a noun of a class, or of one whose principal parts are given.

    >>> [form for cell, form in noun("MASC", "artikkel") if "GEN" not in cell]
    ['artikkel', 'artikkelen', 'artiklar', 'artiklane']
    >>> [form for cell, form in noun("FEM", "melding") if "PL" in cell]
    ['meldingar', 'meldingars', 'meldingane', 'meldinganes']
    """
    forms = entry.split(" ") if name == "FORMS" else declined(name, entry)
    for cell, form in zip(NOUN_CELLS, forms, strict=True):
        yield cell, form
        if not form.endswith("s"):
            yield cell.replace("N;", "N;GEN;"), f"{form}s"


def declined(name: str, entry: str) -> list[str]:
    """Both forms of the singular and of the plural.

    >>> declined("NEUT", "rom(m)"), declined("NEUT", "studium"), declined("MASC", "idé")
    (['rom', 'rommet', 'rom', 'romma'], ['studium', 'studiet', 'studium', 'studia'], ['idé', \
'ideen', 'idear', 'ideane'])
    >>> declined("NEUT", "tre"), declined("NEUT", "eple"), declined("NEUT", "teikn")
    (['tre', 'treet', 'tre', 'trea'], ['eple', 'eplet', 'eple', 'epla'], ['teikn', 'teiknet', \
'teikn', 'teikna'])
    """
    lemma, stem = entry.replace("(m)", ""), entry.replace("(m)", "m")
    if name == "FEM" and lemma.endswith("ing"):
        name = "FEM-ar"
    singular, plural, definite = NOUNS[name]
    stem = re.sub("é$", "e", stem)
    if lemma.endswith(("ium", "eum")):
        stem = stem.removesuffix("um")
    elif re.search(f"[{VOWELS}].*e$", lemma):
        stem = stem.removesuffix("e")
    short = contracted(stem) if name.startswith("MASC") or lemma.endswith("el") else stem
    plurals = short + plural if plural else lemma
    return [lemma, stem + singular, plurals, short + definite]


def contracted(stem: str) -> str:
    """Without the vowel of an unstressed last syllable.

    >>> [contracted(stem) for stem in ("vinter", "sykkel", "engel", "tunnel", "kjel")]
    ['vintr', 'sykl', 'engl', 'tunnel', 'kjel']
    """
    if re.search(STRESSED, stem) or not re.search(f"[{VOWELS}][^{VOWELS}]+e[lr]$", stem):
        return stem
    return re.sub(r"(.)\1(?=.$)", r"\1", f"{stem[:-2]}{stem[-1]}")


def verb(name: str, entry: str) -> Cells:
    """The forms of a verb of a class, or of one whose principal parts are given.

    >>> forms = dict(verb("FORMS", "skrive skriv skreiv skrive"))
    >>> forms["V;IMP"], forms["V.PTCP;PRS"], forms["V.PTCP;PST;PL"], forms["V;NFIN;PASS"]
    ('skriv', 'skrivande', 'skrivne', 'skrivast')
    """
    lemma, *parts = entry.split(" ")
    if name != "FORMS":
        stem = lemma.removesuffix("e")
        parts = ["/".join(stem + e for e in ending.split("/")) for ending in VERBS[name]]
    present, past, supine = (part.split("/") for part in parts)
    cells = ("V;PRS", "V;PST", "V.PTCP;PST")
    for cell, forms in zip(cells, (present, past, supine), strict=True):
        for form in forms:
            yield cell, form
    if lemma.endswith("st"):
        yield "V;NFIN;PASS", lemma
        yield "V;PRS;PASS", present[0]
        yield "V;PST;PASS", past[0]
    if lemma.endswith("ast") or lemma in DEFECTIVE:
        return
    yield "V;IMP", imperative(lemma, past[0])
    if lemma in SHORT:
        return
    stem = lemma.removesuffix("e") if re.search(f"[{VOWELS}].*e$", lemma) else lemma
    yield "V;NFIN;PASS", f"{stem}ast"
    yield "V.PTCP;PRS", f"{stem}ande"
    for features, form in participles(lemma, past[0], supine):
        yield f"V.PTCP;PST;{features}", form


def imperative(lemma: str, past: str) -> str:
    """The imperative: an infinitive without its ending, and without the j before it.

    >>> [imperative(*verb) for verb in (("kaste", "kasta"), ("byggje", "bygde"), ("gå", "gjekk"))]
    ['kast', 'bygg', 'gå']
    >>> [imperative(*verb) for verb in (("opne", "opna"), ("komme", "kom"), ("seie", "sa"))]
    ['opne', 'kom', 'sei']
    """
    if not re.search(f"[{VOWELS}].*e$", lemma):
        return lemma
    if past.endswith("a") and re.search(f"[^{VOWELS}lnr][lnr]e$|rje$", lemma):
        return lemma
    stem = re.sub(f"(?<=[^{VOWELS}])j$", "", lemma[:-1])
    return re.sub("mm$", "m", stem)


def participles(lemma: str, past: str, supine: list[str]) -> Cells:
    """The past participle as an adjective.

    >>> [form for _, form in participles("kjenne", "kjende", ["kjent"])]
    ['kjend', 'kjent', 'kjende', 'kjende']
    >>> [form for _, form in participles("finne", "fann", ["funne"])]
    ['funnen', 'funne', 'funne', 'funne']
    """
    neuter = supine[0]
    stem = neuter[:-1]
    if neuter.endswith("a"):
        forms = neuter, neuter, neuter
    elif neuter.endswith("e"):
        forms = f"{neuter}n", neuter, neuter if neuter.endswith("nne") else f"{stem}ne"
    elif past.endswith(("de", "la")) and not neuter.endswith(("dd", "tt", "gt")):
        forms = f"{stem}d", f"{stem}t", f"{stem}de"
    elif neuter.endswith("gt"):
        forms = f"{stem}d", neuter, f"{stem}de"
    else:
        forms = neuter, neuter, f"{neuter}e"
    yield from zip((COMMON, NEUTER, DEFINITE, PLURAL), (*forms, forms[2]), strict=True)


def adjective(name: str, entry: str) -> Cells:
    """The forms of an adjective of a class, or of one whose principal parts are given.

    >>> [form for _, form in adjective("CMPR", "vakker")]
    ['vakker', 'vakkert', 'vakre', 'vakre', 'vakrare', 'vakrast', 'vakraste']
    >>> [form for _, form in adjective("CMPR", "trygg")][1:5]
    ['trygt', 'trygge', 'trygge', 'tryggare']
    >>> [form for _, form in adjective("POS", "politisk")]
    ['politisk', 'politisk', 'politiske', 'politiske']
    """
    if name == "FORMS":
        lemma, neuter, definite, plural, comparative, superlative = entry.split(" ")
    else:
        lemma = entry.replace("(m)", "")
        neuter = lemma if name == "SAME" else neuter_of(lemma)
        stem = contracted(entry.replace("(m)", "m"))
        definite = plural = lemma if name == "SAME" else f"{stem}e"
        comparative, superlative = (f"{stem}are", f"{stem}ast") if name == "CMPR" else ("-", "-")
    forms = (lemma, neuter, definite, plural, comparative, superlative, f"{superlative}e")
    for cell, form in zip(ADJECTIVE_CELLS, forms, strict=True):
        if not form.startswith("-"):
            yield cell, form


def neuter_of(lemma: str) -> str:
    """The neuter of a regular adjective.

    >>> [neuter_of(lemma) for lemma in ("frisk", "historisk", "viktig", "fin", "konkret", "tom")]
    ['friskt', 'historisk', 'viktig', 'fint', 'konkret', 'tomt']
    """
    if lemma.endswith(("leg", "ig", "t")) or (lemma.endswith("sk") and lemma not in WITH_T):
        return lemma
    return f"{lemma}t" if lemma.endswith("full") else re.sub(r"([^s])\1$", r"\1", lemma) + "t"
