"""Kazakh words by rule, from `languages/words/kaz-words.tsv`.

UniMorph has 113 verbs and 26 nouns; the negative of its verbs has the wrong persons and forms that
do not exist (*азайтамаймыз* for *азайтпаймыз*), so its verbs are made anew here, as well. Treebanks
cite verbs by their stems.

Endings are written with capitals for what depends on the word: A is а or е, I ы or і, K қ or к; at
their start L is л, д or т, N, Y and B are н, д or т after different sounds, D д or т, G ғ, г, қ or
к, M and P м, б or п. What is in parentheses stands after consonants, in square brackets after
vowels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from language_build.sources import Places, unimorph, written

Rows = Iterator[tuple[str, str, str]]
Cells = Iterator[tuple[str, str]]
BACK, FRONT = "аоұыяюё", "әеөүіэ"
VOWELS = BACK + FRONT
VOICELESS = "птккқсшщчцфхһбвгд"
LOOK_ALIKES = str.maketrans("aceopxyi", "асеорхуі")
JOINTS = {"йа": "я", "иа": "ия", "ый": "и", "ій": "и"}  # as they are spelt
CASES = {
    **{"NOM": "", "GEN": "NIң", "DAT": "GA", "ACC": "YI", "LOC": "DA", "ABL": "BAн", "INS": "Pен"},
}
OF_OWNED = {  # after the third person's owner
    **{"NOM": "", "GEN": "нIң", "DAT": "нA", "ACC": "н", "LOC": "нDA", "ABL": "нAн", "INS": "мен"},
}
OWNERS = {
    **{"PSS1S": "(I)м", "PSS2S": "(I)ң", "PSS3S": "[с]I", "PSS1P": "(I)мIз", "PSS2P": "(I)ңдAр"},
    **{"PSS3P": "[с]I", "PSS3": "[с]I"},
}
# Number, person and politeness, with the endings of the present and of the past.
PERSONS = (
    ("1;SG", "мIн", "м"),
    ("2;SG;INFM", "сIң", "ң"),
    ("2;SG;FORM", "сIз", "ңIз"),
    ("3;SG", "", ""),
    ("1;PL", "мIз", "K"),
    ("2;PL;INFM", "сIңдAр", "ңдAр"),
    ("2;PL;FORM", "сIздAр", "ңIздAр"),
    ("3;PL", "", ""),
)


def words(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """All forms of the words of the file, and of the verbs and nouns of UniMorph."""
    for part, text in written(f"{iso}-words.tsv", 2):
        for word in text.replace("_", "\u00a0").split(" "):
            lemma, _, stem = word.replace("\u00a0", " ").partition("/")
            if part == "V":
                yield from _verb_rows(lemma, stem)
            elif part == "N":
                for features, form in noun(lemma, stem):
                    yield lemma, features, form
            else:
                yield lemma, "ADJ", lemma
                yield lemma, "ADJ;CMPR", with_ending(lemma, "(I)рAK")
    for lemma, features, _ in unimorph(places, iso, options):
        if features.startswith("V") and features.endswith("PST") and "SG;1" in features:
            yield from _verb_rows(lemma.translate(LOOK_ALIKES), "")


def _verb_rows(lemma: str, stem: str) -> Rows:
    if not stem:
        stem = f"{lemma[:-1]}й" if lemma.endswith(("ою", "үю", "ұю")) else lemma[:-1]
        stem = f"{stem[:-1]}п" if stem.endswith("б") else stem
    for features, form in verb(lemma, stem):
        yield lemma, features, form
        if " " not in stem:
            yield stem, features, form


def with_ending(word: str, ending: str) -> str:
    """A word with an ending, or several set apart by `+`.

    >>> [with_ending(word, "LAр") for word in ("қала", "жыл", "кітап", "үй")]
    ['қалалар', 'жылдар', 'кітаптар', 'үйлер']
    >>> [with_ending(word, "GA") for word in ("қала", "мектеп")]
    ['қалаға', 'мектепке']
    >>> with_ending("кітап", "(I)м"), with_ending("бала", "[с]I"), with_ending("қала", "LAр+DA")
    ('кітабым', 'баласы', 'қалаларда')
    """
    for one in ending.split("+"):
        word = _joined(word, one)
    return word


def _joined(word: str, ending: str) -> str:
    last = word[-1]
    vowel = last in VOWELS or last == "и"
    ending = re.sub(r"\((.)\)", "" if vowel else r"\1", ending)
    ending = re.sub(r"\[(.?)\]", r"\1" if vowel else "", ending)
    if not ending:
        return word
    front = is_front(word)
    hard = last in VOICELESS
    nasal, buzzing = last in "мнң", last in "зж"
    starts = {
        "L": "т" if hard else "л" if vowel or last in "рйу" else "д",
        "N": "т" if hard else "н" if vowel or nasal else "д",
        "Y": "т" if hard else "н" if vowel else "д",
        "B": "т" if hard else "н" if nasal else "д",
        "D": "т" if hard else "д",
        "G": ("қк" if hard else "ғг")[front],
        "M": "п" if hard else "б" if nasal or buzzing else "м",
        "P": "п" if hard else "б" if buzzing else "м",
    }
    ending = starts.get(ending[0], ending[0]) + ending[1:]
    sounds = {"A": "ае"[front], "I": "ыі"[front], "K": "қк"[front], "D": "д"}
    ending = "".join(sounds.get(letter, letter) for letter in ending)
    if ending[0] in "аеыі" and last in "пкқ":
        word = word[:-1] + {"п": "б", "к": "г", "қ": "ғ"}[last]
    joint = JOINTS.get(word[-1] + ending[0])
    return word[:-1] + joint + ending[1:] if joint else word + ending


def is_front(word: str) -> bool:
    """Whether endings have front vowels.

    >>> [is_front(word) for word in ("мектеп", "қала", "су", "кину", "министр")]
    [True, False, False, True, True]
    """
    for letter in reversed(word):
        if letter in VOWELS:
            return letter in FRONT
    return "и" in word


def noun(lemma: str, stem: str = "") -> Cells:
    """The cells of a noun; stem: what it is before endings in a vowel.

    >>> cells = dict(noun("ауыз", "ауз"))
    >>> [cells[f"N;{cell}"] for cell in ("ABL;SG", "LOC;SG;PSS3S", "DAT;SG;PSS1S", "GEN;PL")]
    ['ауыздан', 'аузында', 'аузыма', 'ауыздардың']
    """
    for number, base in (("SG", lemma), ("PL", with_ending(lemma, "LAр"))):
        for case, ending in CASES.items():
            yield f"N;{case};{number}", with_ending(base, ending)
        for owner, of_owner in OWNERS.items():
            start = stem if stem and number == "SG" and of_owner[0] in "([" else base
            owned = with_ending(start, of_owner)
            third = owner.startswith("PSS3")
            for case, ending in (OF_OWNED if third else CASES).items():
                if case == "DAT" and owner in ("PSS1S", "PSS2S"):
                    ending = "A"
                yield f"N;{case};{number};{owner}", with_ending(owned, ending)


def verb(lemma: str, stem: str) -> Cells:
    """The cells of a verb.

    >>> cells = dict(verb("айту", "айт"))
    >>> [cells[f"V;{cell}"] for cell in ("PRS;1;SG", "PRS;NEG;3;SG", "PST;1;PL", "PST;PRF;3;SG")]
    ['айтамын', 'айтпайды', 'айттық', 'айтқан']
    >>> dict(verb("оқу", "оқы"))["V;PRS;3;SG"], dict(verb("табу", "тап"))["V.CVB;PFV"]
    ('оқиды', 'тауып')
    """
    negative = with_ending(stem, "MA")
    going = with_ending(stem, "й" if stem[-1] in VOWELS else "A")
    aorist = with_ending(stem, "р" if stem[-1] in VOWELS else "Aр")
    yield "V;NFIN", lemma
    for case, ending in CASES.items():
        yield f"V.MSDR;{case}", with_ending(lemma, ending)
    if stem[-1] == "п":
        yield "V.CVB;PFV", with_ending(f"{stem[:-1]}у", "Iп")
    else:
        yield "V.CVB;PFV", with_ending(stem, "(I)п")
    yield "V.CVB;IPFV", going
    yield "V.CVB;PFV;NEG", with_ending(negative, "й")
    for polarity, base in (("", stem), ("NEG;", negative)):
        yield f"V.PTCP;PST;{polarity}".rstrip(";"), with_ending(base, "GAн")
        now = with_ending(base, "й") if polarity else going
        yield f"V.PTCP;PRS;{polarity}".rstrip(";"), with_ending(now, "тIн")
        for person, of_present, of_past in PERSONS:
            end = of_present or "дI"
            yield f"V;PRS;{polarity}{person}", with_ending(now, end)
            yield (
                f"V;PST;{polarity}{person}",
                with_ending(base, f"DI+{of_past}" if of_past else "DI"),
            )
            yield (
                f"V;COND;{polarity}{person}",
                with_ending(base, f"сA+{of_past}" if of_past else "сA"),
            )
            yield (
                f"V;PST;PRF;{polarity}{person}",
                with_ending(base, f"GAн+{of_present}".rstrip("+")),
            )
            yield (
                f"V;PST;PROG;{polarity}{person}",
                with_ending(now, f"тIн+{of_present}".rstrip("+")),
            )
            if not polarity:
                yield (
                    f"V;SBJV;FUT;{person}",
                    with_ending(aorist, of_present) if of_present else aorist,
                )
        yield f"V;IMP;{polarity}2;SG;INFM", base
        for person, ending in (("SG;FORM", "ңIз"), ("PL;INFM", "ңдAр"), ("PL;FORM", "ңIздAр")):
            yield f"V;IMP;{polarity}2;{person}", with_ending(base, f"(I){ending}")
        yield f"V;IMP;{polarity}3;SG", with_ending(base, "сIн")
        yield f"V;IMP;{polarity}3;PL", with_ending(base, "сIн")
        yield f"V;IMP;{polarity}1;SG", with_ending(base, "йIн" if base[-1] in VOWELS else "AйIн")
        yield f"V;IMP;{polarity}1;PL", with_ending(base, "йIK" if base[-1] in VOWELS else "AйIK")
