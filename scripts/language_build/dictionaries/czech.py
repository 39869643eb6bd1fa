"""What follows by rule from the Czech forms of other sources, and comparison.

Verbs and adjectives have negative forms with ne-, which treebanks put under the positive lemma,
and passive participles come under their own adjective (*určen* under *určený*), too.
`languages/words/ces-compared.tsv` has adjectives with their comparatives, which inflect like
*jarní*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from language_build.frequencies import zipf_table
from language_build.rows import Row
from language_build.sources import Places, written

Rows = Iterator[tuple[str, str, str]]
SOURCE = "czech-derived"  # from the rows of other sources
LEAST = 2.5  # the Zipf frequency of a negative adjective
PARTICIPLES = {"MASC;SG": "MASC;SG", "NEUT;SG": "NEUT;SG", "FEM;SG": "FEM+NEUT;PL+SG"}
PARTICIPLES |= {"MASC;ANIM;PL": "MASC;ANIM;PL", "MASC;INAN;PL": "MASC;INAN;PL", "FEM;PL": "FEM;PL"}
SHORT = {"MASC;SG": "", "FEM+NEUT;PL+SG": "a", "NEUT;SG": "o", "MASC;ANIM;PL": "i"}
SHORT |= {"MASC;INAN;PL": "y", "FEM;PL": "y"}
ENDINGS = {  # of soft adjectives
    **{"GEN;SG": "ho", "DAT;SG": "mu", "ESS;SG": "m", "INS;SG": "m", "GEN;PL": "ch"},
    **{"DAT;PL": "m", "ESS;PL": "ch", "INS;PL": "mi"},
}
GENDERS = ("MASC;ANIM", "MASC;INAN", "FEM", "NEUT")


def derived(rows: Iterable[Row]) -> Rows:
    zipf = zipf_table("cs")
    for lemma, cell, form, _ in rows:
        if " " in form or ";NEG" in cell:
            continue
        if cell.startswith("ADJ;") and zipf.get(f"ne{lemma}", 0) >= LEAST:
            yield lemma, cell.replace("ADJ;", "ADJ;NEG;", 1), f"ne{form}"
        elif (other := negative(cell)) and not lemma.startswith("ne"):
            yield lemma, other, "není" if form == "je" and lemma == "být" else f"ne{form}"
        elif cell == "ADJ;MASC;NOM;SG" and (short := short_of(lemma)):
            if any(f"{short}{vowel}" in zipf for vowel in "ao"):
                yield from ((lemma, *passive) for passive in short_forms(short))
        elif cell == "V.PTCP;PASS;MASC;SG" and (adjective := adjective_of(form)):
            yield from ((adjective, *passive) for passive in short_forms(form))


def negative(cell: str) -> str | None:
    """The cell of the negative form, as treebanks name it.

    >>> negative("V;IND;PRS;3;SG"), negative("V.PTCP;PRF;ACT;FEM;SG"), negative("N;NOM;SG")
    ('V;IND;PRS;ACT;NEG;3;SG', 'V.PTCP;PST;ACT;NEG;FEM+NEUT;PL+SG', None)
    """
    for tense in ("PRS", "FUT"):
        if cell.startswith(f"V;IND;{tense};") and "FORM" not in cell:
            return cell.replace(tense, f"{tense};ACT;NEG")
    gender = cell.removeprefix("V.PTCP;PRF;ACT;")
    if gender in PARTICIPLES:
        return f"V.PTCP;PST;ACT;NEG;{PARTICIPLES[gender]}"
    return {"V;NFIN": "V;NFIN;NEG", "V;IMP;2;SG": "V;IMP;NEG;2;SG"}.get(cell)


def adjective_of(short: str) -> str | None:
    """The adjective that a short participle belongs to.

    >>> adjective_of("udělán"), adjective_of("určen"), adjective_of("otevřít")
    ('udělaný', 'určený', None)
    """
    if short.endswith("án"):
        return f"{short[:-2]}aný"
    return f"{short}ý" if short.endswith(("en", "at", "ut")) else None


def short_of(adjective: str) -> str | None:
    """The short participle that an adjective would have, if it is one of a verb.

    >>> short_of("založený"), short_of("udělaný"), short_of("nový")
    ('založen', 'udělán', None)
    """
    if adjective.endswith("ený"):
        return adjective[:-1]
    return f"{adjective[:-3]}án" if adjective.endswith("aný") else None


def short_forms(short: str) -> Iterator[tuple[str, str]]:
    """Without a case, by which adjectives tell them from their long forms.

    >>> dict(short_forms("udělán"))["ADJ;FEM+NEUT;PL+SG"]
    'udělána'
    """
    for tags, ending in SHORT.items():
        yield f"ADJ;{tags}", short + ending


def comparison(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    for lemma, comparative in written("ces-compared.tsv", 2):
        for degree, form in (("CMPR", comparative), ("SPRL", f"nej{comparative}")):
            yield from ((lemma, f"ADJ;{degree};{cell}", word) for cell, word in soft(form))


def soft(form: str) -> Iterator[tuple[str, str]]:
    """All cells of a soft adjective.

    >>> cells = dict(soft("lepší"))
    >>> cells["MASC;ANIM;ACC;SG"], cells["FEM;GEN;SG"], cells["NEUT;INS;PL"]
    ('lepšího', 'lepší', 'lepšími')
    """
    for gender in GENDERS:
        for number in ("SG", "PL"):
            for case in ("NOM", "GEN", "DAT", "ACC", "VOC", "ESS", "INS"):
                cell = f"{case};{number}"
                ending = "" if gender == "FEM" and number == "SG" else ENDINGS.get(cell, "")
                if gender == "MASC;ANIM" and cell == "ACC;SG":
                    ending = "ho"
                yield f"{gender};{cell}", form + ending
