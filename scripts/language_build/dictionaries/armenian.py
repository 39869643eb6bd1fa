"""Eastern Armenian verbs, nouns and adjectives, by rule, from `languages/words/hye-words.tsv`.

Treebanks have single words: participles by voice, the infinitive in its cases, the aorist, and the
subjunctive and conditional, which have the prospective aspect there; UniMorph has the forms with
auxiliaries besides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from language_build.sources import Places, written

Rows = Iterator[tuple[str, str, str]]
Cells = Iterator[tuple[str, str]]
VOWELS = "աեէըիոօւ"
WRITTEN = ("գր", "գրք", "թղթ", "գծ")  # compounds of monosyllables, which have their plural
PERSONS = ("1;SG", "2;SG", "3;SG", "1;PL", "2;PL", "3;PL")
AORIST = {  # of the first person in -եցի, -ացի or -րի, and in -ա
    "ի": ("ի", "իր", "", "ինք", "իք", "ին"),
    "ա": ("ա", "ար", "ավ", "անք", "աք", "ան"),
}
PRESENT = {"ե": ("եմ", "ես", "ի", "ենք", "եք", "են"), "ա": ("ամ", "աս", "ա", "անք", "աք", "ան")}
PAST = {
    "ե": ("եի", "եիր", "եր", "եինք", "եիք", "եին"),
    "ա": ("այի", "այիր", "ար", "այինք", "այիք", "ային"),
}

GOING = {"գալ": "գալիս", "տալ": "տալիս", "լալ": "լալիս"}
IS = ("եմ", "ես", "է", "ենք", "եք", "են")
WAS = ("էի", "էիր", "էր", "էինք", "էիք", "էին")
IS_NOT = ("չեմ", "չես", "չի", "չենք", "չեք", "չեն")
WAS_NOT = ("չէի", "չէիր", "չէր", "չէինք", "չէիք", "չէին")


def words(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """All forms of the words of the file."""
    for part, text in written(f"{iso}-words.tsv", 2):
        for word in text.split():
            lemma, *irregular = word.split("/")
            cells = {"V": verb, "N": noun, "A": _adjective}[part](lemma, *irregular)
            for features, form in cells:
                yield lemma, features, form


def _adjective(lemma: str) -> Cells:
    yield "ADJ", lemma
    yield "ADJ;SPRL", f"ամենա{lemma}"


def verb(lemma: str, first: str = "", third: str = "") -> Cells:
    """The single forms of a verb, by the first and third person of its aorist if irregular.

    >>> cells = dict(verb("դառնալ", "դարձա", "դարձավ"))
    >>> [cells[cell] for cell in ("V.PTCP;PFV;MID", "V;IND;PST;3;PL", "V;NFIN;ACT;POS;INS")]
    ['դարձել', 'դարձան', 'դառնալով']
    >>> dict(verb("կատարել"))["V.PTCP;IPFV;PASS"], dict(verb("ավելացնել"))["V;IND;PST;3;SG"]
    ('կատարվում', 'ավելացրեց')
    """
    theme, stem = lemma[-2], lemma[:-2]
    if not first and lemma.endswith("ցնել"):
        first, third = f"{stem[:-1]}րի", f"{stem[:-1]}րեց"
    elif not first and lemma.endswith(("ենալ", "անալ")):
        first, third = f"{stem[:-1]}ցա", f"{stem[:-1]}ցավ"
    elif not first:
        first, third = f"{stem}{theme}ցի", f"{stem}{theme}ց"
    done = first[:-1] if first[-1] == "ա" or not first.endswith("եցի") else stem
    for voice in ("ACT", "MID"):
        yield from _nonfinite(voice, lemma, stem, done)
    for place, person in enumerate(PERSONS):
        ending = AORIST[first[-1]][place]
        form = third if person == "3;SG" else first[:-1] + ending
        yield f"V;IND;PST;{person}", form
        yield f"V;IND;PST;NEG;{person}", f"չ{form}"
    yield from _moods(stem, theme, ("ACT", "MID"))
    yield from _compound(GOING.get(lemma, f"{stem}ում"), f"{done}ել", f"{lemma}ու")
    for tense, endings in (("FUT", PRESENT[theme]), ("FUT;PRF", PAST[theme])):
        for person, ending in zip(PERSONS, endings, strict=True):
            yield f"V;SBJV;{tense};{person}", stem + ending
            yield f"V;COND;{tense};{person}", f"կ{stem}{ending}"
    yield "V;IMP;2;PL", f"{stem}եք" if theme == "ե" and done == stem else f"{first[:-1]}եք"
    if theme == "ե" and not lemma.endswith("վել"):
        base = f"{stem[:-1]}վ" if lemma.endswith("ցնել") else f"{stem}վ"
        yield from _nonfinite("PASS", f"{base}ել", base, base)
        for place, person in enumerate(PERSONS):
            ending = "եց" if person == "3;SG" else "եց" + AORIST["ի"][place]
            yield f"V;IND;PST;PFV;PASS;POS;{person}", base + ending
        yield from _moods(base, "ե", ("PASS",))


def _nonfinite(voice: str, lemma: str, stem: str, done: str) -> Cells:
    yield f"V;NFIN;{voice};POS", lemma
    for cell, ending in (("DAT", "ու"), ("INS", "ով"), ("ABL", "ուց"), ("DEF;NOM", "ը")):
        yield f"V;NFIN;{voice};POS;{cell}", lemma + ending
    yield f"V;NFIN;{voice};POS;DEF;DAT", f"{lemma}ուն"
    yield f"V.PTCP;IPFV;{voice}", GOING.get(lemma, f"{stem}ում")
    if voice != "PASS":  # of which running text mostly has the resultative
        yield f"V.PTCP;PFV;{voice}", f"{done}ել"
    yield f"V.PTCP;PFV;{voice};POS", f"{done}ած"
    yield f"V.PTCP;PROG;{voice};POS", f"{done if lemma.endswith('նալ') else stem}ող"
    yield f"V.PTCP;PROSP;{voice}", f"{lemma}ու"
    yield f"V.CVB;PROG;{voice}", f"{lemma}իս"


def _compound(going: str, done: str, about: str) -> Cells:
    """The tenses of the indicative that have an auxiliary, as UniMorph has them."""
    for cell, participle, auxiliaries, negative in (
        ("PRS", going, IS, IS_NOT),
        ("IPFV", going, WAS, WAS_NOT),
        ("FUT", about, IS, IS_NOT),
        ("FUT;PRF", about, WAS, WAS_NOT),
        ("PRS;PRF", done, IS, IS_NOT),
        ("PST;PRF", done, WAS, WAS_NOT),
    ):
        for person, auxiliary, no in zip(PERSONS, auxiliaries, negative, strict=True):
            yield f"V;IND;{cell};{person}", f"{participle} {auxiliary}"
            yield f"V;IND;{cell};NEG;{person}", f"{no} {participle}"


def _moods(stem: str, theme: str, voices: tuple[str, ...]) -> Cells:
    for tense, endings in (("PRS", PRESENT[theme]), ("PST", PAST[theme])):
        for person, ending in zip(PERSONS, endings, strict=True):
            form = stem + ending
            for voice in voices:
                yield f"V;SBJV;{tense};PROSP;{voice};POS;{person}", form
                yield f"V;SBJV;{tense};PROSP;{voice};NEG;{person}", f"չ{form}"
                yield f"V;COND;{tense};PROSP;{voice};POS;{person}", f"կ{form}"


def noun(lemma: str, stem: str = "", genitive: str = "") -> Cells:
    """The cells of a noun.

    >>> cells = dict(noun("հանրապետություն"))
    >>> [cells[f"N;{cell}"] for cell in ("DAT;SG", "INS;SG", "DEF;NOM;SG", "NOM;PL")]
    ['հանրապետության', 'հանրապետությամբ', 'հանրապետությունը', 'հանրապետություններ']
    >>> [form for cell, form in noun("գին", "գն") if cell in ("N;DAT;SG", "N;NOM;PL", "N;ABL;SG")]
    ['գնի', 'գնից', 'գներ']
    """
    oblique, by, off = stem or lemma, "", ""
    if lemma.endswith("ություն"):
        genitive, by = f"{lemma[:-3]}ան", f"{lemma[:-3]}ամբ"
    elif lemma.endswith("ում") and len(lemma) > 5:
        genitive, by = f"{lemma[:-3]}ման", f"{lemma[:-3]}մամբ"
    elif not genitive:
        link = "յ" if oblique[-1] in "աո" else ""
        genitive, by, off = f"{oblique}{link}ի", f"{oblique}{link}ով", f"{oblique}{link}ից"
    base = lemma if lemma.endswith(("ություն", "ում", "ի")) else oblique
    link = "յ" if base[-1] in "աո" else ""
    if base.endswith("ի"):
        base, off = base[:-1], f"{base[:-1]}ուց"
    elif genitive.endswith("ան") and not off and base != lemma:  # of seasons
        off, by, base = f"{genitive}ից", f"{lemma}ով", lemma
    off, by = off or f"{base}{link}ից", by or f"{base}{link}ով"
    yield from _cases(lemma, genitive, off, by, f"{base}{link}ում", "SG")
    several = _syllables(lemma) > 1
    short = not several or oblique.endswith(WRITTEN)
    many = f"{oblique}եր" if short else f"{lemma}ներ"
    yield from _cases(many, f"{many}ի", f"{many}ից", f"{many}ով", f"{many}ում", "PL")


def _cases(direct: str, dative: str, off: str, by: str, within: str, number: str) -> Cells:
    yield f"N;NOM;{number}", direct
    yield f"N;DEF;NOM;{number}", direct + ("ն" if _ends_in_vowel(direct) else "ը")
    yield f"N;DAT;{number}", dative
    yield f"N;DEF;DAT;{number}", dative + ("ն" if _ends_in_vowel(dative) else "ը")
    yield f"N;ABL;{number}", off
    yield f"N;INS;{number}", by
    yield f"N;LOC;{number}", within


def _ends_in_vowel(word: str) -> bool:
    return word[-1] in VOWELS


def _syllables(word: str) -> int:
    """How many vowels are written.

    >>> _syllables("գիրք"), _syllables("ժողովուրդ"), _syllables("լույս")
    (1, 3, 1)
    >>> _syllables("շրջան")  # ə is spoken between the first consonants
    2
    """
    hidden = word[0] not in VOWELS and word[1:2] not in (*VOWELS, "յ")
    vowels = sum(letter in VOWELS for letter in word.replace("ու", "ւ").replace("ւյ", "ւ"))
    return vowels + hidden
