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
PLACES = ("alt", "ara", "arka", "iç", "karşı", "orta", "ön", "yan", "üst", "dış")  # adjectives, too
HARDENED = str.maketrans("bcğ", "pçk")  # of compounds whose ending is left off
FREQUENT = 4.7  # the Zipf frequency of a verb's past
# Verbs whose t is d before vowels: also those that are made with etmek, but not öğret or üret.
SOFT = (
    *("et", "git", "güt", "tat", "affet", "bahset", "devret", "emret", "hallet", "hapset"),
    *("hisset", "kaybet", "kaydet", "mahvet", "naklet", "reddet", "sabret", "seyret", "zannet"),
)
OF_MOST = (  # negatives
    *("V.CVB;NEG", "V.CVB;NEG;3;ABL;SG", "V.PTCP;PRS;NEG", "V.MSDR;NEG;3;SG"),
    *("V.MSDR;NEG;3;SG;PSS3S", "V.PTCP;PST;PFV;NEG;PSS3S", "V.PTCP;PST;PFV;NEG;3;ACC;SG;PSS3S"),
)
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
            usual = ";POS" in tags or _of_third(tags) if frequent else _of_most(tags)
            if usual and not tags.startswith("V;IND"):
                yield lemma, tags, form
        for tags, form in _indicative(stem, aorist):
            if frequent or ";POS" in tags or _of_third(tags):
                yield lemma, tags, form
        for voice, derived in (("PASS", passive), ("CAUS", causative)):
            if derived != "-":
                for tags, form in _with_voice(_forms(derived, _aorist(derived)), voice):
                    asked = voice == "CAUS" and "V;IMP;CAUS;POS;2" in tags
                    if asked or (_of_third(tags) and (frequent or _of_most(tags))):
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
            if lemma in PLACES:
                yield lemma, f"ADJ;{tags}", form


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
    >>> forms = dict(noun_forms("cezaevi", "cezaevini"))
    >>> [forms[tags] for tags in ("DAT;SG", "ABL;PL", "LOC;SG;PSS3S", "NOM;SG;PSS1P")]
    ['cezaevine', 'cezaevlerinden', 'cezaevinde', 'cezaevimiz']
    """
    if accusative[:-2] == lemma and accusative[-2] == "n":
        yield from _compound_forms(lemma)
        return
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


def _compound_forms(lemma: str) -> Iterator[tuple[str, str]]:
    """Cells of a compound that ends as what somebody has does, as *cezaevi* "prison" from *ev*."""
    bare = lemma[:-2] if lemma.endswith(("sı", "si", "su", "sü")) else lemma[:-1]
    plural = add(bare[:-1] + bare[-1].translate(HARDENED), "lAr")
    for number, word in (("SG", lemma), ("PL", add(plural, "I"))):
        for owner in ("", ";PSS3S"):
            yield f"NOM;{number}{owner}", word
            for case, ending in CASES_OF_OWNED.items():
                yield f"{case};{number}{owner}", add(word, ending)
    for number, word in (("SG", bare), ("PL", plural)):
        for owner in ("PSS1S", "PSS2S", "PSS1P", "PSS2P"):
            owned = add(word, OWNERS[owner])
            yield f"NOM;{number};{owner}", owned
            for case, ending in CASES.items():
                yield f"{case};{number};{owner}", add(owned, ending)


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
    >>> add("kaybet", "(y)An"), add("öğret", "(y)An")
    ('kaybeden', 'öğreten')
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
        if word.rpartition(" ")[2] in SOFT:
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


def _of_most(tags: str) -> bool:
    """Whether a cell is one of those that most verbs are used in.

    >>> [_of_most(tags) for tags in ("V;COND;PRS;HAB;POS;3;SG", "V;DES;NEG;3;SG", "V.CVB;NEG")]
    [True, False, True]
    """
    said = set(tags.split(";"))
    if not _of_third(tags) or said & {"DES", "FH", "PSS3P"} or ("PL" in said and "PSS3S" in said):
        return False
    if said & {"DEB", "COND", "OPT"}:
        return {"POS", "3", "SG"} <= said and not said & {"PST", "FUT", "PROG"}
    if "POT" in said:
        return tags.endswith(("POT;PRS;HAB;POS;3;SG", "POT;PRS;POS", "POT;POS"))
    if "NEG" in said:
        return tags in OF_MOST or tags.startswith("V;IND")
    return "PROG" not in said and not ("NFH" in said and said & {"HAB", "FUT"})


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
    >>> forms["V;POT;PRS;PROG;NEG;3;SG"], forms["V.PTCP;POT;PST;PFV;POS;PSS1P"]
    ('gelemiyor', 'gelebildiğimiz')
    """
    able = add(stem, "(y)A")
    yield from _polar("POS", stem, aorist, None)
    yield from _polar("NEG", add(stem, "mA"), add(stem, "mAz"), add(stem, "mA"))
    yield from _plural_nouns(stem)
    yield from _finite("V;POT;PRS;HAB;POS", add(able, "bil", "Ir"), OF_OTHERS)
    yield from _aorist_negative("V;POT;PRS;HAB;NEG", add(able, "mA"))
    for polarity, can in (("POS", add(able, "bil")), ("NEG", add(able, "mA"))):
        will, done = add(can, "(y)AcAk"), add(can, "DIk")
        yield from _finite(f"V;POT;PST;PFV;{polarity}", add(can, "DI"), OF_PAST)
        yield from _finite(f"V;POT;PRS;PROG;{polarity}", add(can, "(I)yor"), _after_yor())
        yield from _finite(f"V;POT;FUT;IPFV;{polarity}", will, OF_OTHERS)
        yield f"V;POT;PST;PFV;{polarity};3;SG;NFH", add(can, "mIş")
        yield f"V.MSDR;POT;{polarity}", add(can, "mAk")
        yield from _possessed(f"V.MSDR;POT;{polarity}", add(can, "mA"))
        yield f"V.PTCP;POT;PRS;{polarity}", add(can, "(y)An")
        yield f"V.PTCP;POT;FUT;IPFV;{polarity}", will
        yield f"V.PTCP;POT;FUT;IPFV;{polarity};3;SG", will
        for head, participle in (("PST;PFV", done), ("FUT;IPFV", will)):
            for owner, ending in OWNERS.items():
                owned = add(participle, ending)
                accusative = (CASES_OF_OWNED if "3" in owner else CASES)["ACC"]
                yield f"V.PTCP;POT;{head};{polarity};{owner}", owned
                yield f"V.PTCP;POT;{head};{polarity};3;ACC;SG;{owner}", add(owned, accusative)


def _polar(polarity: str, stem: str, aorist: str, negated: str | None) -> Iterator[tuple[str, str]]:
    yield f"V.CVB;{polarity}", add(stem, "DAn") if negated else add(stem, "(y)Ip")
    if negated:
        yield f"V.CVB;{polarity};3;ABL;SG", add(stem, "DAn")
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
    going = add(stem, "(I)yor")
    for number, ending in (("SG", ""), ("PL", "lAr")):  # before a copula that stands by itself
        yield f"V.PTCP;PROG;{polarity};3;{number}", add(going, ending) if ending else going
    yield from _finite(f"V;PST;PFV;{polarity}", add(stem, "mIş"), OF_OTHERS, ";NFH")
    yield from _finite(f"V;DEB;{polarity}", add(stem, "mAlI"), OF_OTHERS)
    yield from _finite(f"V;DES;{polarity}", add(stem, "sA"), OF_PAST)
    yield from _before_lar(f"V;COND;PRS;HAB;{polarity}", aorist, "sA")
    yield from _before_lar(f"V;COND;PRS;PROG;{polarity}", going, "sA")
    yield from _before_lar(f"V;COND;FUT;IPFV;{polarity}", will, "sA")
    yield from _before_lar(f"V;COND;PST;PFV;{polarity}", add(stem, "DI"), "ysA")
    yield from _before_lar(f"V;DES;PST;PFV;{polarity}", add(stem, "sA"), "yDI")
    yield from _before_lar(f"V;DEB;PST;PFV;{polarity}", add(stem, "mAlI"), "yDI")
    for head, base in (("PST;PROG", going), ("PRS;HAB", aorist), ("FUT;IPFV", will)):
        yield from _before_lar(f"V;{head};{polarity}", base, "mIş", ";NFH")
        if head == "PRS;HAB":  # others are in UniMorph, as past tenses
            yield from _before_lar(f"V;{head};{polarity}", base, "DI", ";FH")
    yield f"V;IMP;{polarity};2;SG", stem
    yield f"V;IMP;{polarity};2;PL", add(stem, "(y)In")
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


def _indicative(stem: str, aorist: str) -> Iterator[tuple[str, str]]:
    """The usual forms in UniMorph's cells, for verbs that it lacks.

    >>> forms = dict(_indicative("anla", "anlar"))
    >>> [forms[f"V;IND;PST;{t};3;PL;DECL"] for t in ("POS", "PROG;NEG", "HAB;POS", "PROSP;POS")]
    ['anladılar', 'anlamıyorlardı', 'anlarlardı', 'anlayacaklardı']
    """
    cells: list[tuple[str, str]] = []
    for polarity, base, habitual in (
        ("POS", stem, aorist),
        ("NEG", add(stem, "mA"), add(stem, "mAz")),
    ):
        going, will = add(base, "(I)yor"), add(base, "(y)AcAk")
        if polarity == "NEG":
            for head in ("PRS", "PRS;HAB"):
                cells += _aorist_negative(f"V;IND;{head};NEG", base)
        else:
            for head in ("PRS", "PRS;HAB"):
                cells += _finite(f"V;IND;{head};POS", aorist, OF_OTHERS)
        cells += _finite(f"V;IND;PRS;PROG;{polarity}", going, _after_yor())
        cells += _finite(f"V;IND;FUT;{polarity}", will, OF_OTHERS)
        cells += _finite(f"V;IND;PST;{polarity}", add(base, "DI"), OF_PAST)
        cells += _finite(f"V;IRR;PST;{polarity}", add(base, "mIş"), OF_OTHERS)
        for aspect, word in (("PROG", going), ("HAB", habitual), ("PROSP", will)):
            cells += _before_lar(f"V;IND;PST;{aspect};{polarity}", word, "DI")
        cells += [(f"V;IMP;{polarity};2;SG", base), (f"V;IMP;{polarity};2;PL", add(base, "(y)In"))]
    yield "V;NFIN", add(stem, "mAk")
    for tags, form in cells:
        yield f"{tags};DECL", form


def _before_lar(head: str, stem: str, ending: str, tail: str = "") -> Iterator[tuple[str, str]]:
    """Forms whose last ending, of the past, of hearsay or of a condition, is after -lAr."""
    endings = OF_OTHERS if ending == "mIş" else OF_PAST
    for tags, form in _finite(head, add(stem, ending), endings, tail):
        yield tags, add(stem, "lAr", ending.removeprefix("y")) if ";3;PL" in tags else form


def _plural_nouns(stem: str) -> Iterator[tuple[str, str]]:
    """Verbal nouns in the plural, and what somebody did: *çalışmaları*, *yaptıklarımı*."""
    yield from _declined("V.MSDR;POS;3", add(stem, "mA", "lAr"), "PL")
    yield from _possessed("V.MSDR;POS", add(stem, "mA", "lAr"), "PL")
    yield from _possessed("V.PTCP;PST;PFV;POS", add(stem, "DIk", "lAr"), "PL")


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


def _possessed(head: str, word: str, number: str = "SG") -> Iterator[tuple[str, str]]:
    for owner, ending in OWNERS.items():
        if number == "PL":
            ending = "I" if owner == "PSS3P" else ending.removeprefix("(s)")
        owned = add(word, ending)
        yield f"{head};3;{number};{owner}", owned
        cases = CASES_OF_OWNED if owner in ("PSS3S", "PSS3P") else CASES
        for case, case_ending in cases.items():
            yield f"{head};3;{case};{number};{owner}", add(owned, case_ending)
