"""Hebrew nouns and adjectives, by rule, in the spelling without points.

`languages/words/heb-nominals.tsv` has them by class. Nouns get their states, with and without the
article, and their owners; adjectives get gender and number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from language_build.sources import Places, written

Rows = Iterator[tuple[str, str, str]]
OWNERS = (
    *("PSS1S", "PSS1P", "MASC;PSS2S", "FEM;PSS2S", "MASC;PSS2P", "FEM;PSS2P"),
    *("MASC;PSS3S", "FEM;PSS3S", "MASC;PSS3P", "FEM;PSS3P"),
)
OF_ONE = ("י", "נו", "ך", "ך", "כם", "כן", "ו", "ה", "ם", "ן")
OF_MANY = ("יי", "ינו", "יך", "ייך", "יכם", "יכן", "יו", "יה", "יהם", "יהן")
KINSHIP = ("אב", "אח", "חם")  # whose owners follow other vowels
PAIRED = ("ידיים", "רגליים", "עיניים", "אוזניים", "שיניים", "כתפיים", "ברכיים")
FINAL = str.maketrans("ךםןףץ", "כמנפצ")


def nominals(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """The words of the file, each in its cells."""
    for kind, words in written(f"{iso}-nominals.tsv", 2):
        for word in words.split():
            lemma, *irregular = word.split("/")
            found = (
                _adjective(lemma, kind) if kind.startswith("adj") else noun(lemma, kind, *irregular)
            )
            for features, form in found:
                yield lemma, features, form


def noun(
    lemma: str, gender: str, plural: str = "", construct: str = ""
) -> Iterator[tuple[str, str]]:
    """The cells of a noun; its plural and construct state by rule if they are not given.

    >>> found = dict(noun("ממשלה", "fem"))
    >>> found["N;PSSD;SG"], found["N;INDF;PL"], found["N;PSS1P;PSSD;SG"]
    ('ממשלת', 'ממשלות', 'ממשלתנו')
    >>> [form for cell, form in noun("ארגון", "masc") if cell in ("N;DEF;PL", "N;PSSD;PL")]
    ['הארגונים', 'ארגוני']
    """
    stem = lemma.translate(FINAL)
    if not plural:
        plural = f"{stem.removesuffix('ה')}ים" if gender == "masc" else _feminine_plural(stem)
    if not construct:
        construct = f"{lemma[:-1]}ת" if gender == "fem" and lemma.endswith("ה") else lemma
    bound = _bound(plural)
    yield "N;INDF;SG", lemma
    yield "N;DEF;SG", f"ה{lemma}"
    yield "N;PSSD;SG", construct
    yield "N;INDF;PL", plural
    yield "N;DEF;PL", f"ה{plural}"
    yield "N;PSSD;PL", bound
    if lemma in KINSHIP or (lemma.endswith("ה") and gender == "masc"):
        return
    bound_one = construct.translate(FINAL)
    bound_many = bound if bound.endswith("ות") else bound.removesuffix("י")
    for owner, one, many in zip(OWNERS, OF_ONE, OF_MANY, strict=True):
        yield f"N;{owner};PSSD;SG", bound_one + one
        yield f"N;{owner};PSSD;PL", bound_many + many


def _feminine_plural(stem: str) -> str:
    if stem.endswith("ות"):
        return f"{stem[:-1]}יות"
    return f"{stem[:-1]}ות" if stem[-1] in "הת" else f"{stem}ות"


def _bound(plural: str) -> str:
    """The construct state of a plural.

    >>> _bound("ילדים"), _bound("ידיים"), _bound("שאלות")
    ('ילדי', 'ידי', 'שאלות')
    """
    if plural in PAIRED:
        return plural[:-2]
    return plural[:-1] if plural.endswith("ים") else plural


def _adjective(lemma: str, kind: str) -> Iterator[tuple[str, str]]:
    stem = lemma.removesuffix("ה").translate(FINAL)
    if lemma.endswith("י"):
        forms = (lemma, f"{lemma}ת", f"{lemma}ים", f"{lemma}ות")
    else:
        feminine = stem + ("ת" if kind == "adj-t" else "ה")
        forms = (lemma, feminine, f"{stem}ים", f"{stem}ות")
    for cell, form in zip(("MASC;SG", "FEM;SG", "MASC;PL", "FEM;PL"), forms, strict=True):
        yield f"ADJ;{cell}", form
