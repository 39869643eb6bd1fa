"""Macedonian by rule: everyday nouns, adjectives and verbs of PyPI's `spacy-lookups-data`.

Its `mk_lemma_index` lists lemmas by part of speech. Of those that are frequent, definite forms,
numbers, comparison and persons follow from the ending. Where an ending leaves a choice, texts
decide (`language_build.frequencies`): plurals in -и or -ови, the aorists of verbs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from language_build.dictionaries.lookups import table
from language_build.frequencies import zipf_table
from language_build.sources import Places

Cells = Iterator[tuple[str, str]]
LEAST = 2.5  # the Zipf frequency of the most frequent form
VOWELS = "аеиоу"
SOFTENED = {"к": "ц", "г": "з", "х": "с"}  # before the plural's -и
DISTANCES = (("", "т"), (";PROX", "в"), (";REMT", "н"))
FEMININE = frozenset(
    [
        *["ноќ", "крв", "смрт", "љубов", "пролет", "есен", "вечер", "сол", "помош", "моќ", "цел"],
        *["вест", "чест", "корист", "болест", "памет", "реч", "совест", "пешт", "жал", "власт"],
    ]
)
STEMS = {  # of adjectives that lose a vowel or a consonant beside it
    **{"тежок": "тешк", "близок": "блиск", "низок": "ниск", "редок": "ретк", "сладок": "слатк"},
    **{"краток": "кратк", "тенок": "тенк", "добар": "добр", "мудар": "мудр", "бистар": "бистр"},
    **{"храбар": "храбр", "итар": "итр", "топол": "топл", "подол": "подл", "зол": "зл"},
    **{"кроток": "кротк", "слаток": "слатк", "жежок": "жешк", "мал": "мал", "гладок": "глатк"},
}
FULL = frozenset(["зелен", "црвен", "солен", "студен", "свечен", "мален", "учен", "брашнен"])


def read(places: Places, iso: str, options: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    index, zipf = table(places, "mk_lemma_index"), zipf_table("mk")
    makers = {"noun": nouns, "adj": adjectives, "verb": verbs}
    for part, maker in makers.items():
        for lemma in index[part]:
            if not lemma.islower() or not lemma.isalpha():
                continue
            cells = list(maker(lemma, zipf))
            if any(zipf.get(form, 0) >= LEAST for _, form in cells):
                yield from ((lemma, *cell) for cell in cells)


def definite(form: str, ending: str) -> Iterator[tuple[str, str]]:
    """The definite forms with their tags; ending: that of the common one, -от, -та, -то or -те.

    >>> list(definite("жена", "та"))
    [('DEF', 'жената'), ('DEF;PROX', 'женава'), ('DEF;REMT', 'женана')]
    """
    for tag, letter in DISTANCES:
        yield f"DEF{tag}", form + ending.replace("т", letter)


def nouns(lemma: str, zipf: Mapping[str, float]) -> Cells:
    """
    >>> dict(nouns("држава", {}))["N;DEF;PL"], dict(nouns("решение", {}))["N;INDF;PL"]
    ('државите', 'решенија')
    >>> dict(nouns("партија", {}))["N;INDF;PL"]
    'партии'
    >>> [dict(nouns(word, {}))["N;INDF;PL"] for word in ("град", "учебник", "граѓанин", "студент")]
    ['градови', 'учебници', 'граѓани', 'студенти']
    """
    last, yod = lemma[-1], lemma.endswith("ја") and lemma[-3:-2] in VOWELS  # партија, партии
    if last == "а":
        article, plurals = "та", [f"{(lemma[:-2] if yod else lemma[:-1])}и"]
    elif last == "о":
        article, plurals = "то", [f"{lemma[:-1]}а"]
    elif last == "е":
        article, plurals = "то", neuter_plurals(lemma)
    elif last in VOWELS:
        return
    elif lemma in FEMININE or lemma.endswith(("ост", "аст")):
        article, plurals = "та", [f"{lemma}и"]
    else:
        article, plurals = "от", masculine_plurals(lemma, zipf)
    plural = likeliest(plurals, zipf)
    yield "N;INDF;SG", lemma
    yield "N;INDF;PL", plural
    bare = f"{lemma[:-2]}м" if lemma.endswith("изам") else lemma
    for tag, form in definite(bare, article):
        yield f"N;{tag};SG", form.replace("стта", "ста")
    several = "та" if plural.endswith("а") else "те"
    yield from ((f"N;{tag};PL", form) for tag, form in definite(plural, several))


def neuter_plurals(lemma: str) -> list[str]:
    stem = lemma[:-1]
    if stem.endswith("и"):
        return [f"{stem}ја"]
    if stem.endswith(("њ", "шт")):
        return [f"{stem}а"]
    return [f"{stem}а", f"{stem}иња"] if stem.endswith("ц") else [f"{stem}иња", f"{stem}ња"]


def masculine_plurals(lemma: str, zipf: Mapping[str, float]) -> list[str]:
    if lemma.endswith("ец") and len(lemma) > 3:
        stem = lemma[:-2]
        return [f"{stem}{'ј' if stem[-1] in VOWELS else ''}ци"]
    soft = lemma[:-1] + SOFTENED.get(lemma[-1], lemma[-1])
    stem = lemma[:-1] if lemma.endswith("ј") else soft
    if lemma.endswith("анин"):
        return [lemma[:-1]]
    plurals = [f"{stem}и", f"{lemma}ови", f"{lemma.removesuffix('ј')}еви"]
    if lemma.endswith(("ар", "ер")) and f"{lemma[:-2]}ри" in zipf:
        plurals.append(f"{lemma[:-2]}ри")
    if sum(letter in VOWELS for letter in lemma) > 1:
        return plurals
    longer = [form for form in plurals[1:] if form in zipf]
    return longer or [plurals[0] if plurals[0] in zipf else plurals[1]]


def likeliest(forms: Iterable[str], zipf: Mapping[str, float]) -> str:
    """The most frequent form, or the first of them."""
    return max(forms, key=lambda form: zipf.get(form, 0.0))


def adjectives(lemma: str, zipf: Mapping[str, float]) -> Cells:
    """
    >>> cells = dict(adjectives("важен", {}))
    >>> cells["ADJ;FEM;INDF;SG"], cells["ADJ;SPRL;MASC;DEF;SG"], cells["ADJ;CMPR;INDF;PL"]
    ('важна', 'најважниот', 'поважни')
    >>> dict(adjectives("македонски", {}))["ADJ;MASC;DEF;SG"]
    'македонскиот'
    """
    if lemma[-1] in "аеоу":
        return
    stem = STEMS.get(lemma, lemma.removesuffix("и"))
    if lemma.endswith("ен") and lemma not in FULL and lemma not in STEMS:
        stem = f"{lemma[:-2]}{'ј' if lemma[-3:-2] in VOWELS else ''}н"  # краен, крајна
        if zipf.get(f"{lemma}а", 0) > zipf.get(f"{stem}а", 0):
            stem = lemma
    elif lemma.endswith("ок") and lemma not in STEMS and f"{lemma}а" not in zipf:
        stem = f"{lemma[:-2]}к" if f"{lemma[:-2]}ка" in zipf else lemma
    degrees = [("", ""), ("CMPR;", "по"), ("SPRL;", "нај")]
    genders = [("MASC", "", "иот"), ("FEM", "а", "ата"), ("NEUT", "о", "ото")]
    for (degree, prefix), (gender, ending, article) in product(degrees, genders):
        plain = lemma if gender == "MASC" else stem + ending
        yield f"ADJ;{degree}{gender};INDF;SG", prefix + plain
        for tag, form in definite(stem + article[0], article[1:]):
            yield f"ADJ;{degree}{gender};{tag};SG", prefix + form
    for degree, prefix in degrees:
        yield f"ADJ;{degree}INDF;PL", f"{prefix}{stem}и"
        for tag, form in definite(f"{stem}и", "те"):
            yield f"ADJ;{degree}{tag};PL", prefix + form


def verbs(lemma: str, zipf: Mapping[str, float]) -> Cells:
    """
    >>> cells = dict(verbs("направи", {"направија": 4.0}))
    >>> cells["V;PRS;1;SG"], cells["V;PST;3;PL"], cells["V;PST;PROG;1;PL"], cells["V;IMP;2;PL"]
    ('направам', 'направија', 'направевме', 'направете')
    >>> cells = dict(verbs("гледа", {}))
    >>> cells["V;PRS;3;PL"], cells["V.PTCP;PST;PROG;FEM;SG"], cells["V.CVB"], cells["V;IMP;2;SG"]
    ('гледаат', 'гледала', 'гледајќи', 'гледај')
    """
    stem, vowel = lemma[:-1], lemma[-1]
    if vowel not in "аеи" or len(lemma) < 3:
        return
    after_vowel = stem[-1] in VOWELS
    yod = after_vowel and (vowel == "и" or stem[-1] == "и")  # бројам, пијам
    before = lemma if vowel == "а" else f"{stem}ј" if yod else stem
    yield "V;PRS;1;SG", f"{stem}ам" if vowel == "а" else f"{before}ам"
    yield "V;PRS;3;PL", f"{lemma}ат" if vowel == "а" else f"{before}ат"
    yield from zip(
        ("V;PRS;2;SG", "V;PRS;3;SG", "V;PRS;1;PL", "V;PRS;2;PL"),
        (f"{lemma}ш", lemma, f"{lemma}ме", f"{lemma}те"),
        strict=True,
    )
    lasting = lemma if vowel == "а" else f"{stem}е"
    yield from past(
        lasting,
        "PST;PROG",
        second=f"{lasting}ше",
        several=f"{lasting}{'ја' if after_vowel and vowel == 'е' else 'а'}",
    )
    momentary = aorist(lemma, zipf)
    if momentary:
        yield from momentary
    command = f"{lemma}ј" if vowel == "а" else f"{stem}{'ј' if after_vowel else 'и'}"
    yield "V;IMP;2;SG", command
    yield "V;IMP;2;PL", f"{command}те" if command.endswith("ј") else f"{stem}ете"
    passive = "нат" if lemma.endswith("не") else "ан"
    if (vowel != "а" and passive == "ан" and stem[-1] not in "шжч") or vowel == "и":
        passive = "ен"
    yield "V.PTCP;PST;PASS", (stem[:-1] if passive == "нат" else stem) + passive
    if vowel == "а" or not momentary:
        yield "V.CVB", f"{lasting}јќи"
        yield "V.MSDR", f"{lasting}ње"


def past(base: str, tense: str, second: str, several: str) -> Cells:
    yield f"V;{tense};1;SG", f"{base}в"
    yield f"V;{tense};2;SG", second
    yield f"V;{tense};3;SG", second
    yield f"V;{tense};1;PL", f"{base}вме"
    yield f"V;{tense};2;PL", f"{base}вте"
    yield f"V;{tense};3;PL", several
    for tags, ending in (("MASC;SG", ""), ("FEM;SG", "а"), ("NEUT;SG", "о"), ("PL", "е")):
        yield f"V.PTCP;{tense};{tags}", f"{base}л{ending}"


def aorist(lemma: str, zipf: Mapping[str, float]) -> list[tuple[str, str]]:
    """The aorist of verbs that have one, if texts know its third person of the plural.

    >>> cells = dict(aorist("најде", {"најдоа": 3.0}))
    >>> cells["V;PST;1;SG"], dict(aorist("стане", {}))["V;PST;3;PL"]
    ('најдов', 'станаа')
    """
    stem = lemma[:-1]
    if lemma.endswith("а"):
        return [] if lemma.endswith("ува") else list(past(lemma, "PST", lemma, f"{lemma}а"))
    if lemma.endswith("и"):
        return list(past(lemma, "PST", lemma, f"{lemma}ја")) if f"{lemma}ја" in zipf else []
    if f"{stem}оа" in zipf:
        cells = list(past(f"{stem}о", "PST", lemma, f"{stem}оа"))
        return [cell for cell in cells if not cell[0].startswith("V.PTCP")]
    if lemma.endswith("не") or f"{stem}аа" in zipf:
        return list(past(f"{stem}а", "PST", f"{stem}а", f"{stem}аа"))
    return []
