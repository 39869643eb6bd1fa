"""Finnish participles, infinitives and possessives, which UniMorph lacks, from forms that it has.

UniMorph's verbs have finite forms, and its nouns no owners. The stems of the other forms are in
these: *antavat* has that of *antava* and *antama*, *annettiin* that of *annettu* and *annettava*,
*antanee* that of *antanut*.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from language_build.sources import Places, ours, unimorph

Rows = Iterator[tuple[str, str, str]]
Cells = Iterator[tuple[str, str]]
BACK = "aou"
# UniMorph has the essive of nouns and adjectives as FRML.
WEAK = {"tt": "t", "ht": "hd", "lt": "ll", "nt": "nn", "rt": "rr", "st": "st"}
SOURCES = {
    "PLURAL": "V;IND;PRS;ACT;POS;3;PL",
    "PASSIVE": "V;IND;PST;PASS;POS",
    "POTENTIAL": "V;POT;PRS;ACT;POS;3;SG",
}
STEMS = {"olla": ("olevat", "oltiin", "ollee")}  # whose finite forms are others
COMMON = ("GEN;SG", "PRT;SG", "SG", "PL", "GEN;PL", "PRT;PL")  # of participles, in running text
OWNERS = {"PSS1S": "ni", "PSS2S": "si", "PSS1P": "mme", "PSS2P": "nne", "PSS3": "nsa"}
CASES = {
    **{"IN+ESS": "ssa", "IN+ABL": "sta", "AT+ESS": "lla", "AT+ABL": "lta", "AT+ALL": "lle"},
    **{"ESS": "na", "TRANS": "ksi"},
}
DOUBLING = ("PRT", "FRML", *CASES)  # cases after which an owner may be a longer vowel


def nonfinite(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """All forms of the verbs in `languages/words/fin.tsv`, and the most frequent ones of others."""
    everyday = {lemma for lemma, *_ in ours(places, iso, options)}
    cells: dict[str, dict[frozenset[str], str]] = defaultdict(dict)
    for rows in (unimorph(places, iso, options), ours(places, iso, options)):
        for lemma, tags, form in rows:
            if tags.startswith("V"):
                cells[lemma][frozenset(tags.split(";"))] = form
    wanted = {name: frozenset(tags.split(";")) for name, tags in SOURCES.items()}
    for lemma, own in cells.items():
        if not all(tags in own for tags in wanted.values()):
            continue
        stems = STEMS.get(lemma) or tuple(own[tags] for tags in wanted.values())
        for tags, form in verb_forms(lemma, *stems):
            if lemma in everyday or common(tags):
                yield lemma, tags, form


def common(tags: str) -> bool:
    if tags.startswith("V;NFIN"):
        return "PSS" not in tags
    if "PSS" in tags:
        return False
    _, _, case = tags.partition("ACT" if "ACT" in tags else "PASS")
    return "LGSPECAGT" not in tags and case.strip(";") in ("", *COMMON)


def verb_forms(lemma: str, plural: str, passive: str, potential: str) -> Cells:
    """Participles in all cases, and infinitives.

    >>> forms = dict(verb_forms("antaa", "antavat", "annettiin", "antanee"))
    >>> [forms[f"V.PTCP;{tags}"] for tags in ("PRS;ACT;GEN;SG", "PST;ACT", "PST;ACT;PL")]
    ['antavan', 'antanut', 'antaneet']
    >>> [forms[f"V.PTCP;{tags}"] for tags in ("PST;PASS;GEN;SG", "PRS;PASS;PRT;PL")]
    ['annetun', 'annettavia']
    >>> [forms[f"V;NFIN;ACT;{t}"] for t in ("IN+ALL;SG;LGSPECINF3", "IN+ESS;SG;LGSPECINF2")]
    ['antamaan', 'antaessa']
    >>> forms = dict(verb_forms("tehdä", "tekevät", "tehtiin", "tehnee"))
    >>> [forms[f"V.PTCP;PST;PASS;PRT;{t}"] for t in ("PL", "SG;PSS3")]
    ['tehtyjä', 'tehtyään']
    >>> forms["V.PTCP;ACT;IN+ESS;SG;LGSPECAGT;PSS3"], forms["V;NFIN;ACT;TRANS;SG;PSS3"]
    ('tekemässään', 'tehdäkseen')
    >>> forms["V.PTCP;PRS;ACT;GEN;SG;PSS3"]
    'tekevänsä'
    """
    stem, passive_stem = plural[:-3], passive.removesuffix("iin")
    back = plural.endswith("vat")

    def voweled(ending: str) -> str:
        return ending if back else fronted(ending)

    for tags, word in (
        ("PRS;ACT", stem + voweled("va")),
        ("PRS;PASS", passive_stem + voweled("ava")),
        ("ACT;LGSPECAGT", stem + voweled("ma")),
    ):
        head, _, kind = tags.partition(";LGSPEC")
        cells = dict(declined_in_a(word))
        for case, form in cells.items():
            yield _tags(head, case, kind and f"LGSPEC{kind}"), form
        if tags != "PRS;PASS":
            yield from _with_owners(head, cells, kind and f"LGSPEC{kind}")
    for head, cells in (
        ("PST;ACT", dict(declined_in_nut(potential))),
        ("PST;PASS", dict(declined_in_u(passive_stem + voweled("u")))),
    ):
        for case, form in cells.items():
            yield _tags(head, case), form
        yield from _with_owners(head, cells)
    for owner, ending in OWNERS.items():  # in order to
        ending = "en" if owner == "PSS3" else ending
        yield f"V;NFIN;ACT;TRANS;SG;{owner}", lemma + "kse" + voweled(ending)
    second = lemma[:-1]
    second = (second[:-1] + "i" if second.endswith("e") else second) + "e"
    yield "V;NFIN;ACT;IN+ESS;SG;LGSPECINF2", second + voweled("ssa")
    yield "V;NFIN;ACT;INS;SG;LGSPECINF2", second + "n"
    yield "V;NFIN;PASS;IN+ESS;LGSPECINF2", passive_stem + voweled("aessa")
    for owner, ending in OWNERS.items():
        owned = voweled("ssaan") if owner == "PSS3" else voweled("ssa") + ending
        yield f"V;NFIN;ACT;IN+ESS;SG;LGSPECINF2;{owner}", second + owned
    third = {"IN+ALL": "maan", "IN+ESS": "massa", "IN+ABL": "masta", "AT+ESS": "malla"}
    for case, ending in {**third, "PRIV": "matta"}.items():
        yield f"V;NFIN;ACT;{case};SG;LGSPECINF3", stem + voweled(ending)


def _with_owners(head: str, cells: Mapping[str, str], last: str = "") -> Cells:
    """What participles with owners are used for: all cells of what somebody did, others for
    clauses, *sanoi tulevansa*, and times, *tultuaan*.
    """
    for tags, form in owned(cells):
        case, _, owner = tags.rpartition(";")
        usual = case == ("PRT;SG" if head == "PST;PASS" else "GEN;SG")
        if usual or (last and owner in ("PSS3", "PSS1S", "PSS1P")):
            yield f"{_tags(head, case, last)};{owner}", form


def _tags(head: str, case: str, last: str = "") -> str:
    case = case.removeprefix("NOM;")
    case = "" if case == "SG" and not last else case
    return ";".join(filter(None, ("V.PTCP", head, case, last)))


def fronted(ending: str) -> str:
    return ending.translate(str.maketrans("aou", "äöy"))


def harmonic(word: str, ending: str) -> str:
    """An ending after a word; a word with a, o or u has these in its endings.

    >>> harmonic("talo", "ssa"), harmonic("käte", "nsa")
    ('talossa', 'kätensä')
    """
    last = next((letter for letter in reversed(word) if letter in "aouäöy"), "ä")
    return word + (ending if last in BACK else fronted(ending))


def _local(number: str, stem: str) -> Cells:
    for case, ending in CASES.items():
        yield f"{case};{number}", harmonic(stem, ending)


def declined_in_a(word: str) -> Cells:
    """Words like *antava*: the a is lost before the plural's i."""
    several = word[:-1] + "i"
    yield "NOM;SG", word
    yield "GEN;SG", f"{word}n"
    yield "PRT;SG", word + word[-1]
    yield "IN+ALL;SG", f"{word}{word[-1]}n"
    yield from _local("SG", word)
    yield "NOM;PL", f"{word}t"
    yield "GEN;PL", f"{several}en"
    yield "PRT;PL", several + word[-1]
    yield "IN+ALL;PL", f"{several}in"
    yield from _local("PL", several)


def declined_in_nut(potential: str) -> Cells:
    """Words like *antanut*, from the potential: *antanee*.

    >>> forms = dict(declined_in_nut("noussee"))
    >>> [forms[case] for case in ("NOM;SG", "GEN;SG", "PRT;SG", "PRT;PL", "IN+ALL;PL")]
    ['noussut', 'nousseen', 'noussutta', 'nousseita', 'nousseisiin']
    """
    short, several = harmonic(potential[:-2], "ut"), potential[:-1] + "i"
    yield "NOM;SG", short
    yield "GEN;SG", f"{potential}n"
    yield "PRT;SG", harmonic(short, "ta")
    yield "IN+ALL;SG", f"{potential}seen"
    yield from _local("SG", potential)
    yield "NOM;PL", f"{potential}t"
    yield "GEN;PL", f"{several}den"
    yield "PRT;PL", harmonic(several, "ta")
    yield "IN+ALL;PL", f"{several}siin"
    yield from _local("PL", several)


def declined_in_u(word: str) -> Cells:
    """Words like *annettu*, whose consonants weaken: *annetun*."""
    before, vowel = word[:-1], word[-1]
    weak = before[:-2] + WEAK.get(before[-2:], before[-2] + "d") + vowel
    yield "NOM;SG", word
    yield "GEN;SG", f"{weak}n"
    yield "PRT;SG", harmonic(word, "a")
    yield "IN+ALL;SG", f"{word}{vowel}n"
    yield "NOM;PL", f"{weak}t"
    yield "GEN;PL", f"{word}jen"
    yield "PRT;PL", harmonic(word, "ja")
    yield "IN+ALL;PL", f"{word}ihin"
    for number, stem, strong in (("SG", weak, word), ("PL", f"{weak}i", f"{word}i")):
        yield from (cell for cell in _local(number, stem) if not cell[0].startswith("ESS"))
        yield f"ESS;{number}", harmonic(strong, "na")


def possessives(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """The nouns of `languages/words/fin.tsv` with owners."""
    nouns: dict[str, dict[str, str]] = defaultdict(dict)
    for lemma, tags, form in ours(places, iso, options):
        if tags.startswith("N;"):
            nouns[lemma].setdefault(tags[2:], form)
    for lemma, cells in nouns.items():
        for tags, form in owned(cells):
            yield lemma, f"N;{tags}", form


def owned(cells: Mapping[str, str]) -> Cells:
    """The cells of a noun with owners, from those without.

    >>> cells = {"ESS;SG": "kätenä", "GEN;PL": "käsien", "PRT;SG": "kättä", "IN+ESS;SG": "kädessä"}
    >>> forms = dict(owned(cells | {"IN+ALL;SG": "käteen", "TRANS;SG": "kädeksi"}))
    >>> [forms[f"{case};PSS3"] for case in ("NOM;SG", "PRT;SG", "IN+ESS;SG", "TRANS;SG")]
    ['kätensä', 'kättään', 'kädessään', 'kädekseen']
    >>> [forms[f"{case};PSS1S"] for case in ("GEN;SG", "NOM;PL", "GEN;PL", "IN+ALL;SG")]
    ['käteni', 'käteni', 'käsieni', 'käteeni']
    """
    strong = (cells.get("FRML;SG") or cells.get("ESS;SG", ""))[:-2]
    stems = {case: strong for case in ("NOM;SG", "GEN;SG", "NOM;PL") if strong}
    for case, form in cells.items():
        if case in ("GEN;PL", "IN+ALL;SG", "IN+ALL;PL"):
            stems[case] = form.removesuffix("n")
        elif case.startswith("TRANS"):
            stems[case] = form[:-1] + "e"
        elif case.partition(";")[0] in DOUBLING:
            stems[case] = form
    for case, stem in stems.items():
        # After a short vowel it is doubled instead: taloaan, talossaan; but vatsaansa.
        doubled = case.partition(";")[0] in DOUBLING and stem[-1] != stem[-2]
        for owner, ending in OWNERS.items():
            if owner == "PSS3" and doubled:
                yield f"{case};{owner}", f"{stem}{stem[-1]}n"
            else:
                yield f"{case};{owner}", harmonic(stem, ending)
