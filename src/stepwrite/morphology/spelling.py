"""Capitals and scripts: how a word is spelt, and how the data spell it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

TURKIC = str.maketrans({"I": "ı", "İ": "i"})  # to small letters, in Turkish and its relatives
POINTS = re.compile("[\u05b0-\u05c7\u0640\u064b-\u0652\u0670]")  # of Hebrew and Arabic
TURKIC_CAPITALS = str.maketrans({"ı": "I", "i": "İ"})
JOINTS = re.compile(r"(?<=\w)[#_](?=\w)")  # of compounds, as some treebanks mark them
REFLEXIVE = re.compile(r"(?<=\w)-?\(\w+\)$")  # with which a verb may be used, in Bulgarian
DOTLESS = ("aze", "crh", "tur")  # languages with a dotless ı
ABBREVIATION = 4  # letters at most
PERSIAN_STEMS = re.compile("([\u0620-\u06cc]+)#[\u0620-\u06cc]+$")  # of the past and the present


def spellings(word: str, *, dotless: bool = False) -> Iterator[str]:
    """The word as it is given, then as a dictionary may have it.

    dotless: whether the language has a dotless ı, as Turkish does.

    >>> list(spellings("Go")), list(spellings("HAUS")), list(spellings("haus"))
    (['Go', 'go'], ['HAUS', 'haus', 'Haus'], ['haus', 'Haus'])
    >>> list(spellings("мед")), list(spellings("כֶּלֶב"))[-1]
    (['мед', 'Мед', 'мёд'], 'כלב')
    >>> list(spellings("af_lopen"))
    ['af_lopen', 'aflopen', 'Aflopen']
    """
    yield word
    if (whole := joined(word)) != word:
        yield from spellings(whole, dotless=dotless)
        return
    small = (word.translate(TURKIC) if dotless else word).lower()
    small = unicodedata.normalize("NFC", small)
    if _all_capitals(word):
        yield small
        yield small[:1].upper() + small[1:]
    elif word[:1].isupper():
        yield small[:1] + word[1:]
    elif word[:1].islower():
        yield word[:1].upper() + word[1:]
    if (plain := POINTS.sub("", word)) != word:
        yield plain
    if "ё" not in small:  # which Russians often write without its dots
        for place, letter in enumerate(small):
            if letter == "е":
                yield f"{small[:place]}ё{small[place + 1 :]}"


def joined(word: str) -> str:
    """The word as a dictionary cites it, where a treebank marks its parts.

    >>> joined("työ#paikka"), joined("правя-(се)"), joined("کرد#کن")
    ('työpaikka', 'правя', 'کردن')
    """
    if "#" in word and (verb := PERSIAN_STEMS.search(word)):
        word = f"{word[: verb.start()]}{verb[1]}ن"
    return JOINTS.sub("", REFLEXIVE.sub("", word) if word.endswith(")") else word)


def with_capitals(
    form: str, given: str, read: str, *, dotless: bool = False, known: bool = True
) -> str:
    """A form of the word that was read, with the capitals of the word that was given.

    known: whether it is in the lexicon; other short words in capitals are abbreviations.

    >>> with_capitals("went", "Go", "go"), with_capitals("Häusern", "HAUS", "Haus")
    ('Went', 'HÄUSERN')
    >>> with_capitals("Häusern", "haus", "Haus"), with_capitals("cds", "CD", "cd", known=False)
    ('Häusern', 'CDs')
    """
    if given == read or not given[:1].isupper():
        return form
    if _all_capitals(given):
        if not known and len(given) <= ABBREVIATION and form.startswith(read):
            return given + form[len(read) :]
        return (form.translate(TURKIC_CAPITALS) if dotless else form).upper()
    first = form[:1].translate(TURKIC_CAPITALS) if dotless else form[:1]
    return first.upper() + form[1:]


def _all_capitals(word: str) -> bool:
    return word.isupper() and sum(letter.isupper() for letter in word) > 1


@lru_cache(maxsize=1 << 14)
def script(symbol: str) -> str | None:
    """The script of a letter; None for what occurs in all scripts, such as digits and accents.

    >>> script("ä"), script("ж"), script("א"), script("-"), script("字")
    ('Latin', 'Cyrillic', 'Hebrew', None, 'CJK')
    """
    if not unicodedata.category(symbol).startswith("L"):
        return None
    name = unicodedata.name(symbol, "").partition(" ")[0]
    return None if name in ("", "MODIFIER") else name if name == "CJK" else name.capitalize()


def scripts(words: Iterable[str]) -> set[str]:
    """The scripts of some words.

    >>> sorted(scripts(["Haus", "дом"]))
    ['Cyrillic', 'Latin']
    """
    letters = {letter for word in words for letter in word}
    return {found for letter in letters if (found := script(letter)) is not None}
