"""Persian verbs, nouns and adjectives, by rule.

`languages/words/fas-verbs.tsv` has verbs by infinitive and present stem, `fas-nominals.tsv` nouns
and adjectives. UniMorph lacks the negative, and nouns and adjectives altogether.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from language_build.sources import Places, written

Rows = Iterator[tuple[str, str, str]]
Cells = Iterator[tuple[str, str]]
JOINER = "\u200c"
PERSONS = ("1;SG", "2;SG", "3;SG", "1;PL", "2;PL", "3;PL")
PRESENT = ("م", "ی", "د", "یم", "ید", "ند")
PAST = ("م", "ی", "", "یم", "ید", "ند")
PERFECT = (f"{JOINER}ام", f"{JOINER}ای", " است", f"{JOINER}ایم", f"{JOINER}اید", f"{JOINER}اند")
PREVERBS = {"برگشتن": "بر", "برداشتن": "بر", "برخاستن": "بر"}
LIGHT = ("کن", "شو", "ده", "نمای", "یاب")  # which mostly stand without the prefix
APART = "اآدذرزژو"  # letters that do not join the next
SHORT = {"گوی": "گو", "آی": "آ"}  # imperatives


def verbs(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """All forms of the verbs of the file, and of those that `fas-compounds.tsv` makes of them."""
    stems = dict(written(f"{iso}-verbs.tsv", 2))
    for lemma, present in stems.items():
        preverb = PREVERBS.get(lemma, "")
        past = lemma.removeprefix(preverb).removesuffix("ن")
        for features, form in conjugated(past, present.removeprefix(preverb), preverb):
            yield lemma, features, form
    for simple, words in written(f"{iso}-compounds.tsv", 2):
        for word in words.replace("_", "\u00a0").split(" "):
            before = word.replace("\u00a0", " ") + " "
            for features, form in conjugated(simple.removesuffix("ن"), stems[simple], before):
                yield before + simple, features, form


def conjugated(past: str, present: str, preverb: str = "") -> Cells:
    """The cells of a verb, by its stems.

    >>> cells = dict(conjugated("آمد", "آی"))
    >>> [cells[cell] for cell in ("V;SBJV;PRS;3;SG", "V;IMP;2;SG", "V;PST;NEG;3;SG")]
    ['بیاید', 'بیا', 'نیامد']
    >>> dict(conjugated("کرد", "کن"))["V;PRS;IPFV;NEG;3;SG"].replace(JOINER, "-")
    'نمی-کند'
    """
    done, going = f"{preverb}{past}ه", f"{preverb}می{JOINER}"
    undone = f"{preverb}{_prefixed('ن', past)}ه"
    not_going = f"{preverb}نمی{JOINER}"
    joins = preverb.strip() == preverb != ""  # برگشتن, unlike نگاه کردن
    positive = preverb + (present if joins else _prefixed("ب", present))
    negative = preverb + _prefixed("ن", present)
    yield "V;NFIN", f"{preverb}{past}ن"
    yield "V.PTCP;PST", done
    yield "V.PTCP;PST;NEG", undone
    if preverb == preverb.strip():
        yield "V.PTCP;PRS", f"{preverb}{present}نده"
    short = SHORT.get(present, present)
    bare = joins or (bool(preverb) and present in LIGHT[:2])  # نگاه کن
    yield "V;IMP;2;SG", preverb + (short if bare else _prefixed("ب", short))
    yield "V;IMP;2;PL", f"{preverb + present if bare else positive}ید"
    yield "V;IMP;NEG;2;SG", preverb + _prefixed("ن", short)
    yield "V;IMP;NEG;2;PL", f"{negative}ید"
    will = ("خواهم", "خواهی", "خواهد", "خواهیم", "خواهید", "خواهند")
    for place, person in enumerate(PERSONS):
        now, then = PRESENT[place], PAST[place]
        yield f"V;PRS;IPFV;{person}", going + present + now
        yield f"V;PRS;IPFV;NEG;{person}", not_going + present + now
        usual, other = positive + now, preverb + present + now
        yield f"V;SBJV;PRS;{person}", other if present in LIGHT else usual
        yield f"V;SBJV;PRS;NEG;{person}", negative + now
        yield f"V;PFV;{person}", other
        yield f"V;PST;{person}", preverb + past + then
        yield f"V;PST;NEG;{person}", preverb + _prefixed("ن", past) + then
        yield f"V;PST;IPFV;{person}", going + past + then
        yield f"V;PST;IPFV;NEG;{person}", not_going + past + then
        yield f"V;PRS;PRF;{person}", done + PERFECT[place]
        yield f"V;PRS;PRF;NEG;{person}", undone + PERFECT[place]
        yield f"V;PST;PRF;{person}", f"{done} بود{then}"
        yield f"V;PST;PRF;NEG;{person}", f"{undone} بود{then}"
        yield f"V;SBJV;PST;{person}", f"{done} باش{now}"
        yield f"V;SBJV;PST;NEG;{person}", f"{undone} باش{now}"
        yield f"V;FUT;{person}", f"{preverb}{will[place]} {past}"
        yield f"V;FUT;NEG;{person}", f"{preverb}ن{will[place]} {past}"
        have, had = f"دار{now}", f"داشت{then}"
        yield f"V;PRS;PROG;{person}", f"{have} {going}{present}{now}"
        yield f"V;PST;PROG;{person}", f"{had} {going}{past}{then}"


def _prefixed(prefix: str, stem: str) -> str:
    """A stem behind *be-* or *na-*.

    >>> _prefixed("ن", "آور"), _prefixed("ب", "انداز"), _prefixed("ن", "ایستاد")
    ('نیاور', 'بینداز', 'نایستاد')
    """
    if stem.startswith("آ"):
        return f"{prefix}یا{stem[1:]}"
    if stem.startswith("ا") and not stem.startswith("ای"):
        return f"{prefix}ی{stem[1:]}"
    return prefix + stem


def nominals(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """The nouns and adjectives of the file."""
    for part, words in written(f"{iso}-nominals.tsv", 2):
        for word in words.split():
            lemma, _, plural = word.partition("/")
            if part == "ADJ":
                for cell, form in compared(lemma):
                    yield lemma, cell, form
                continue
            yield lemma, "N;SG", lemma
            yield lemma, "N;INDF;SG", lemma + indefinite(lemma)
            yield lemma, "N;PL", plural or joined(lemma, "ها")


def compared(lemma: str) -> Cells:
    """The cells of an adjective."""
    yield "ADJ", lemma
    yield "ADJ;CMPR", joined(lemma, "تر")
    yield "ADJ;SPRL", joined(lemma, "ترین")


def joined(word: str, ending: str) -> str:
    """A word with an ending that keeps its own shape.

    >>> joined("کشور", "ها"), joined("ملت", "ها").replace(JOINER, "-")
    ('کشورها', 'ملت-ها')
    """
    return f"{word}{'' if word[-1] in APART else JOINER}{ending}"


def indefinite(lemma: str) -> str:
    """What the indefinite ends in.

    >>> [indefinite(w).replace(JOINER, "-") for w in ("کتاب", "خانه", "دانشجو", "صندلی", "راه")]
    ['ی', '-ای', 'یی', '-ای', 'ی']
    """
    if lemma.endswith(("ا", "و")):
        return "یی"
    spoken = lemma.endswith(("اه", "وه", "یه"))  # h is not just the sign of a vowel
    return f"{JOINER}ای" if lemma.endswith(("ه", "ی")) and not spoken else "ی"
