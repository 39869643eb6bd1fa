"""Turkish verb forms, nouns and instrumentals, which UniMorph lacks, by rule.

UniMorph has the finite forms of the active. `languages/words/tur-verbs.tsv` has everyday verbs with
their aorist, passive and causative; from these come converbs, verbal nouns and participles with
their cases and owners, the passive, the causative, and what one can and should do. `tur-nouns.tsv`
has nouns with their accusative, from which all other forms follow. The nouns of `tur.tsv` get the
instrumental, with and without owners.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from language_build.frequencies import zipf_table
from language_build.sources import Places, ours, written

Rows = Iterator[tuple[str, str, str]]
VOWELS = "aıouâeiöüîÀÒÙ"
BACK, ROUND, VOICELESS = "aıouâ", "ouöüÒÙ", "fstkçşhp"
# Back vowels of borrowed words that front ones follow, while a word is put together: saat, saati.
FRONTED, SPELT = str.maketrans("aou", "ÀÒÙ"), str.maketrans("ÀÒÙ", "aou")
FREQUENT = 4.7  # the Zipf frequency of a verb's past
SOFT = ("et", "git", "güt", "tat")  # verbs whose t is d before vowels
PERSONS = ("1;SG", "2;SG", "3;SG", "1;PL", "2;PL", "3;PL")
OF_PAST = ("m", "n", "", "k", "nIz", "lAr")
OF_OTHERS = ("(y)Im", "sIn", "", "(y)Iz", "sInIz", "lAr")
OWNERS = {
    "PSS1S": "(I)m",
    "PSS2S": "(I)n",
    "PSS3S": "(s)I",
    "PSS1P": "(I)mIz",
    "PSS2P": "(I)nIz",
    "PSS3P": "lArI",
}
CASES = {"ACC": "(y)I", "DAT": "(y)A", "LOC": "DA", "ABL": "DAn", "GEN": "(n)In", "INS": "(y)lA"}
CASES_OF_OWNED = {case: "n" + CASES[case].partition(")")[2] for case in ("ACC", "DAT", "GEN")} | {
    **{"LOC": "nDA", "ABL": "nDAn", "INS": "(y)lA"},
}


def verbs(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """What UniMorph lacks of the active, of rarer verbs and of negatives the usual forms, as of
    passives and causatives."""
    frequency = zipf_table("tr")
    for stem, aorist, passive, causative in written("tur-verbs.tsv", 4):
        lemma = add(stem, "mAk")
        frequent = frequency.get(add(stem, "DI").rpartition(" ")[2], 0) >= FREQUENT
        for tags, form in _forms(stem, aorist):
            usual = _of_third(tags) or (frequent and ";POS" in tags)
            if usual and not tags.startswith("V;IND"):
                yield lemma, tags, form
        for voice, derived in (("PASS", passive), ("CAUS", causative)):
            if derived != "-":
                for tags, form in _with_voice(_forms(derived, _aorist(derived)), voice):
                    if _of_third(tags) and (frequent or ";POS" in tags):
                        yield lemma, tags, form


def instrumentals(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """Of nouns in `languages/words/tur.tsv`: the nominative, with any owner, and an ending."""
    for lemma, tags, form in ours(places, iso, options):
        if tags.startswith("N;NOM;"):
            yield lemma, tags.replace("NOM", "INS"), add(form, "(y)lA")


def nouns(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    for lemma, accusative in written("tur-nouns.tsv", 2):
        for tags, form in noun_forms(lemma, accusative):
            yield lemma, f"N;{tags}", form


def noun_forms(lemma: str, accusative: str) -> Iterator[tuple[str, str]]:
    """All cells of a noun.

    >>> forms = dict(noun_forms("kitap", "kitabı"))
    >>> [forms[tags] for tags in ("DAT;SG", "LOC;PL", "NOM;SG;PSS1S", "ABL;SG;PSS3S")]
    ['kitaba', 'kitaplarda', 'kitabım', 'kitabından']
    >>> forms = dict(noun_forms("saat", "saati"))
    >>> [forms[tags] for tags in ("NOM;PL", "INS;SG", "DAT;SG;PSS1P")]
    ['saatler', 'saatle', 'saatimize']
    >>> dict(noun_forms("anne", "anneyi"))["ACC;PL;PSS3P"]
    'annelerini'
    """
    put = partial(add, soft=False)  # the accusative shows how the stem changes
    stem = lemma if lemma[-1] in VOWELS else accusative[:-1]
    if accusative[-1] in "iü":  # which vowels follow
        lemma, stem = _fronted(lemma), _fronted(stem)
    for number, word, before in (("SG", lemma, stem), ("PL", *2 * (put(lemma, "lAr"),))):
        yield f"NOM;{number}", word.translate(SPELT)
        for case, ending in CASES.items():
            start = before if ending.startswith(("(y)I", "(y)A", "(n)I")) else word
            yield f"{case};{number}", put(start, ending).translate(SPELT)
        for owner, ending in OWNERS.items():
            if number == "PL":
                ending = "I" if owner == "PSS3P" else ending.removeprefix("(s)")
            owned = put(word if ending.startswith("l") else before, ending)
            yield f"NOM;{number};{owner}", owned.translate(SPELT)
            cases = CASES_OF_OWNED if owner in ("PSS3S", "PSS3P") else CASES
            for case, case_ending in cases.items():
                yield f"{case};{number};{owner}", put(owned, case_ending).translate(SPELT)


def _fronted(word: str) -> str:
    """A word whose last vowel counts as a front one."""
    place = max(map(word.rfind, VOWELS))
    return word[:place] + word[place].translate(FRONTED) + word[place + 1 :]


def add(word: str, *endings: str, soft: bool = True) -> str:
    """A word with endings: A and I harmonise, D is t after voiceless consonants, and what stands in
    brackets is there where it keeps vowels, or consonants, apart.

    soft: whether final consonants of verbs and participles soften before vowels.

    >>> [add(word, "DI", "lAr") for word in ("gel", "bak", "ol", "düş")]
    ['geldiler', 'baktılar', 'oldular', 'düştüler']
    >>> add("araba", "(y)lA"), add("ev", "(y)lA"), add("açıkla", "mA", "(s)I", "(n)DA")
    ('arabayla', 'evle', 'açıklamasında')
    >>> add("başla", "(I)yor"), add("ye", "(I)yor"), add("git", "(y)An"), add("de", "(y)An")
    ('başlıyor', 'yiyor', 'giden', 'diyen')
    """
    for ending in endings:
        word = _added(word, ending, soft)
    return word


def _added(word: str, ending: str, soft: bool) -> str:
    optional, _, rest = ending.partition(")") if ending.startswith("(") else ("", "", ending)
    vowel = word[-1] in VOWELS
    if ending == "(I)yor" and vowel:  # başla -> başlıyor
        word, ending = word[:-1], "Iyor"
        if not any(letter in VOWELS for letter in word):
            return f"{word}iyor"
    elif optional:
        letter = optional[1:]
        ending = (letter if (letter == "I") != vowel else "") + rest
    if ending[0] in VOWELS + "AI" and soft:
        if word.rpartition(" ")[2] in SOFT or word.endswith(("bet", "det", "ret")):
            word = word[:-1] + "d"
        elif word.endswith(("cak", "cek", "dık", "dik", "duk", "dük", "tık", "tik", "tuk", "tük")):
            word = word[:-1] + "ğ"
    elif ending[0] == "y" and word.rpartition(" ")[2] in ("de", "ye"):
        word = word[:-1] + "i"
    for letter in ending:
        last = next(letter for letter in reversed(word) if letter in VOWELS)
        match letter:
            case "A":
                letter = "a" if last in BACK else "e"
            case "I" if last in BACK:
                letter = "u" if last in ROUND else "ı"
            case "I":
                letter = "ü" if last in ROUND else "i"
            case "D":
                letter = "t" if word[-1] in VOICELESS else "d"
        word += letter
    return word


def _aorist(stem: str) -> str:
    """Of derived stems, which have two syllables or more, or end in a vowel."""
    if sum(letter in VOWELS for letter in stem) == 1 and stem[-1] not in VOWELS:
        return add(stem, "Ar")  # den, yen
    return add(stem, "(I)r")


def _of_third(tags: str) -> bool:
    """Whether a form is of the third person, or of none, as those of passives mostly are.

    >>> [_of_third(tags) for tags in ("V;FUT;POS;1;SG", "V.MSDR;POS;3;SG;PSS2S", "V.CVB;POS")]
    [False, False, True]
    """
    return not any(tag.startswith(("1", "2", "PSS1", "PSS2")) for tag in tags.split(";"))


def _with_voice(forms: Iterable[tuple[str, str]], voice: str) -> Iterator[tuple[str, str]]:
    for tags, form in forms:
        polarity = ";POS" if ";POS" in tags else ";NEG"
        yield tags.replace(";IND", "").replace(polarity, f";{voice}{polarity}", 1), form


def _forms(stem: str, aorist: str) -> Iterator[tuple[str, str]]:
    """All forms of a stem, the finite ones in the cells of the active.

    >>> forms = dict(_forms("gel", "gelir"))
    >>> [forms[f"V.CVB;{tags}"] for tags in ("POS", "NEG", "IMP;POS", "IMP;PRS;HAB;POS;3;SG")]
    ['gelip', 'gelmeden', 'gelerek', 'gelirken']
    >>> forms["V.PTCP;PST;PFV;NEG;3;ACC;SG;PSS3S"], forms["V.PTCP;FUT;IPFV;POS;3;DAT;SG;PSS1P"]
    ('gelmediğini', 'geleceğimize')
    >>> forms["V;POT;PRS;HAB;POS;3;SG"], forms["V;POT;PRS;HAB;NEG;1;SG"], forms["V;OPT;POS;1;PL"]
    ('gelebilir', 'gelemem', 'gelelim')
    """
    able = add(stem, "(y)A")
    yield from _polar("POS", stem, aorist, None)
    yield from _polar("NEG", add(stem, "mA"), add(stem, "mAz"), add(stem, "mA"))
    yield from _finite("V;POT;PRS;HAB;POS", add(able, "bil", "Ir"), OF_OTHERS)
    yield from _aorist_negative("V;POT;PRS;HAB;NEG", add(able, "mA"))
    yield from _finite("V;POT;PST;PFV;NEG", add(able, "mA", "DI"), OF_PAST)
    yield "V.PTCP;POT;PRS;POS", add(able, "bil", "An")
    yield from _possessed("V.MSDR;POT;POS", add(able, "bil", "mA"))


def _polar(polarity: str, stem: str, aorist: str, negated: str | None) -> Iterator[tuple[str, str]]:
    yield f"V.CVB;{polarity}", add(stem, "DAn") if negated else add(stem, "(y)Ip")
    yield f"V.CVB;IMP;{polarity}", add(stem, "(y)ArAk")
    yield f"V.CVB;IMP;PRS;HAB;{polarity};3;SG", f"{aorist}ken"
    yield f"V.MSDR;{polarity}", add(stem, "mAk")
    for case in ("LOC", "ABL", "INS"):
        yield f"V.MSDR;{polarity};{case}", add(stem, "mAk", CASES[case])
    yield from _declined(f"V.MSDR;{polarity};3", add(stem, "mA"), "SG")
    yield from _possessed(f"V.MSDR;{polarity}", add(stem, "mA"))
    yield f"V.PTCP;PRS;{polarity}", add(stem, "(y)An")
    for number, ending in (("SG", ""), ("PL", "lAr")):
        doing = add(stem, "(y)An", ending) if ending else add(stem, "(y)An")
        yield from _declined(f"V.PTCP;PRS;{polarity};3", doing, number)
    will, done = add(stem, "(y)AcAk"), add(stem, "DIk")
    yield f"V.PTCP;PROSP;{polarity};3;SG", will
    yield f"V.PTCP;FUT;IPFV;{polarity}", will
    yield f"V.PTCP;IPFV;{polarity};3;SG", add(stem, "mIş")
    for head, participle in (("PST;PFV", done), ("FUT;IPFV", will)):
        for owner, ending in OWNERS.items():
            yield f"V.PTCP;{head};{polarity};{owner}", add(participle, ending)
        yield from _possessed(f"V.PTCP;{head};{polarity}", participle)
    yield f"V.PTCP;PST;PFV;{polarity};3;ABL;SG", add(done, "DAn")
    yield from _finite(f"V;PST;PFV;{polarity}", add(stem, "mIş"), OF_OTHERS, ";NFH")
    yield from _finite(f"V;DEB;{polarity}", add(stem, "mAlI"), OF_OTHERS)
    yield from _finite(f"V;DES;{polarity}", add(stem, "sA"), OF_PAST)
    yield from _finite(f"V;COND;PRS;HAB;{polarity}", add(aorist, "sA"), OF_PAST)
    yield f"V;IMP;{polarity};3;SG", add(stem, "sIn")
    yield f"V;IMP;{polarity};3;PL", add(stem, "sIn", "lAr")
    yield f"V;OPT;{polarity};1;SG", add(stem, "(y)AyIm")
    yield f"V;OPT;{polarity};1;PL", add(stem, "(y)AlIm")
    yield from _finite(f"V;IND;PST;PFV;{polarity}", add(stem, "DI"), OF_PAST)
    yield from _finite(f"V;IND;PRS;PROG;{polarity}", add(stem, "(I)yor"), _after_yor())
    yield from _finite(f"V;IND;FUT;IPFV;{polarity}", will, OF_OTHERS)
    if negated:
        yield from _aorist_negative(f"V;IND;PRS;HAB;{polarity}", negated)
    else:
        yield from _finite(f"V;IND;PRS;HAB;{polarity}", aorist, OF_OTHERS)


def _after_yor() -> tuple[str, ...]:
    return tuple(ending.replace("(y)", "") for ending in OF_OTHERS)


def _aorist_negative(head: str, stem: str) -> Iterator[tuple[str, str]]:
    endings = ("m", "zsIn", "z", "yIz", "zsInIz", "zlAr")
    yield from _finite(head, stem, endings)


def _finite(
    head: str, stem: str, endings: tuple[str, ...], tail: str = ""
) -> Iterator[tuple[str, str]]:
    for person, ending in zip(PERSONS, endings, strict=True):
        yield f"{head};{person}{tail}", add(stem, ending) if ending else stem


def _declined(head: str, word: str, number: str) -> Iterator[tuple[str, str]]:
    yield f"{head};{number}", word
    for case, ending in CASES.items():
        yield f"{head};{case};{number}", add(word, ending)


def _possessed(head: str, word: str) -> Iterator[tuple[str, str]]:
    for owner, ending in OWNERS.items():
        owned = add(word, ending)
        yield f"{head};3;SG;{owner}", owned
        cases = CASES_OF_OWNED if owner in ("PSS3S", "PSS3P") else CASES
        for case, case_ending in cases.items():
            yield f"{head};3;{case};SG;{owner}", add(owned, case_ending)
