"""What cells say, by dimension: their tags, whatever a language's habits of writing them.

A part of speech such as `V.PTCP` has two dimensions, the part of speech and the verb form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from stepwrite.data.features import Slot, dimension_of, parse, style_of

POS, FORM = "part of speech", "verb form"
POS_SLOTS = ((POS,), ("pos",))  # in the two notations
FORMS = ("PTCP", "CVB", "MSDR", "SUP")  # of the verb, besides finite forms (FIN) and NFIN

# Other names of a tag, some of them misspelt, in the data of UniMorph and of the shared tasks.
SAME = {
    "ABESS": "PRIV", "COMPV": "CMPR", "GEADJ": "GEN", "INF": "NFIN", "INST": "INS",
    "NDEF": "INDF", "NSPEC": "INDF", "OBVI": "OBV", "PC": "PAUC", "PROXI": "PRX",
    "STELV": "STELEV", "V.CONV": "V.CVB", "V.GER": "V.MSDR", "V.PCTP": "V.PTCP",
    "LgSPEC8": "LGSPEC8", "MASV": "MASC",
}  # fmt: skip
Values = dict[str, frozenset[str]]


@lru_cache(maxsize=1 << 13)
def cell_values(features: str) -> Mapping[str, frozenset[str]]:
    """The values of a cell by dimension, whatever the habits of its language.

    >>> {name: sorted(values) for name, values in cell_values("V;V.PTCP;PST;MASC+FEM").items()}
    {'part of speech': ['V'], 'verb form': ['PTCP'], 'tense': ['PST'], 'gender': ['FEM', 'MASC']}
    >>> sorted(cell_values("N;NOM/ACC;SG")["case"]), sorted(cell_values("N;IN+ESS;PL")["case"])
    (['ACC', 'NOM'], ['IN+ESS'])
    >>> cell_values("ADJ;POS;SG")["comparison"]
    frozenset({'POS'})
    """
    values: Values = {}
    tags = [
        (slot, SAME.get(tag, tag)) for slot, tag in parse(features, style_of([features])).items()
    ]
    verbal = any(tag.startswith("V") for slot, tag in tags if slot.path in POS_SLOTS)
    for slot, tag in tags:
        dimension = _dimension(slot, tag)
        if slot.path in POS_SLOTS:
            head, _, form = tag.partition(".")
            if head == "ADV" and verbal:  # an adverbial participle
                head, form = "V", "CVB"
            values.setdefault(POS, frozenset([head]))
            if form:
                values[FORM] = frozenset([form])
        elif tag == "NFIN" or (tag in FORMS and verbal):
            values[FORM] = frozenset([tag])
        elif tag == "POS" and "ADJ" in values.get(POS, ()):  # the positive degree
            values["comparison"] = frozenset([tag])
        else:
            values[dimension] = either(dimension, tag)
    if "V" in values.get(POS, ()):
        participle = values.setdefault(FORM, frozenset(["FIN"])) & {"PTCP", "CVB"}
        if participle and "tense" not in values and values.get("aspect") == frozenset(["PRF"]):
            values["tense"] = frozenset(["PST"])  # "perfect" participles are past participles
            del values["aspect"]
    return values


def _dimension(slot: Slot, tag: str) -> str:
    """The dimension of a tag, in either notation: `num=PL` is about number."""
    is_argument = len(slot.path) > 1 and slot.path[0] != ""
    dimension = None if is_argument else dimension_of(tag)
    if dimension is None:
        return str(slot)
    return dimension if slot.occurrence == 1 else f"{dimension}.{slot.occurrence}"


def either(dimension: str, tag: str) -> frozenset[str]:
    """The values that a tag stands for: `NOM/ACC`, `{DU/PL}`, and `MASC+FEM`, but not `IN+ESS`."""
    separators = r"[/+]" if dimension in ("gender", "number", "animacy") else "/"
    return frozenset(filter(None, re.split(separators, tag.strip("{}"))))
