"""UniMorph bundles in one spelling: misspelt tags corrected, tags in one order."""

from __future__ import annotations

import re
from functools import cache

from stepwrite.data.features import dimension_of

# Misspelt or foreign to the schema -> what is meant; several tags where one holds several.
CORRECTIONS = {
    **{"INST": "INS", "LgSPEC8": "LGSPEC8", "MASV": "MASC", "PRES": "PRS", "PAST": "PST"},
    **{"SUBJ": "SBJV", "NDEF": "INDF", "INF": "NFIN", "GEADJ": "GEN", "OBVI": "OBV"},
    **{"V.CONV": "V.CVB", "V.PCTP": "V.PTCP", "V.NFIN": "V;NFIN", "PTCP": "V.PTCP"},
    **{"V.PTCP.PRS": "V.PTCP;PRS", "V.PTCP.PST": "V.PTCP;PST", "ADJ/GEN": "ADJ;GEN"},
    **{"ACC:SG": "ACC;SG", "IND:PASS": "IND;PASS", "PASS:PRS": "PASS;PRS"},
    **{f"{person}{number[0]}": f"{person};{number}" for person in "123" for number in ("SG", "PL")},
}
IN_ADJECTIVES = {"COMPV": "CMPR"}  # a case of nouns, but no adjective stands in it
FIRST = (
    "part of speech",
    "finiteness",
    "mood",
    "tense",
    "aspect",
    "voice",
    "polarity",
    "comparison",
    "gender",
    "animacy",
    "person",
    "definiteness",
    "case",
    "number",
)
TAG = re.compile("[A-Z0-9+/]+")
ORDER = {dimension: place for place, dimension in enumerate(FIRST)}


@cache
def canonical(bundle: str, corrections: tuple[tuple[str, str], ...] = ()) -> str:
    """A bundle with its tags corrected and in order.

    >>> canonical("V;SG;3;PRS"), canonical("V;V.PTCP;PST"), canonical("N;PL;INST")
    ('V;PRS;3;SG', 'V.PTCP;PST', 'N;INS;PL')
    >>> canonical("N;GEN/DAT;SG"), canonical("{NEUT/MASC};N"), canonical("ADJ;COMPV;DEF")
    ('N;DAT/GEN;SG', 'N;MASC/NEUT', 'ADJ;CMPR;DEF')
    """
    own = dict(corrections)
    tags = [tag.strip() for tag in bundle.split(";")]
    tags = [own.get(tag, CORRECTIONS.get(tag, tag)) for tag in tags]
    tags = [_sorted_alternatives(tag) for tag in ";".join(tags).split(";") if tag]
    if any(tag.startswith("ADJ") for tag in tags):
        tags = [IN_ADJECTIVES.get(tag, tag) for tag in tags]
    if any(tag.startswith("V.") for tag in tags):
        tags = [tag for tag in tags if tag != "V"]
    return ";".join(sorted(dict.fromkeys(tags), key=_place))


@cache
def corrected(bundle: str, corrections: tuple[tuple[str, str], ...] = ()) -> bool:
    """Whether a tag of a bundle is misspelt."""
    own = dict(corrections)
    return any(tag in CORRECTIONS or tag in own for tag in bundle.split(";"))


def _sorted_alternatives(tag: str) -> str:
    inner = tag.removeprefix("{").removesuffix("}")
    return "/".join(sorted(inner.split("/"))) if "/" in inner and "(" not in inner else tag


def _place(tag: str) -> tuple[int, str]:
    dimension = dimension_of(tag)
    return ORDER.get(dimension or "", len(ORDER)), "" if dimension in ORDER else tag


def no_tags(bundle: str) -> list[str]:
    """What cannot be a tag: words that slipped into the column.

    Tags that the schema lacks, such as JUS for the Arabic jussive, are a language's own.

    >>> no_tags("N;GEN;uçan;PSS1S"), no_tags("V;JUS;2;SG"), no_tags("N;non{NOM}")
    (['uçan'], [], [])
    """
    tags = bundle.split(";")
    return [tag for tag in tags if dimension_of(tag) is None and not TAG.fullmatch(tag)]
