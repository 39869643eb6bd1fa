"""What it costs a cell to differ from a request: the prices of values that only one side names.

Nothing for a value that languages leave out as they like (the active voice, the positive degree), a
little for a usual one, much for a value that makes a different form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from stepwrite.morphology.values import FORMS, either

MISSING = 100  # a cell of this cost or more is not the one that was asked for
NEAR = 10  # attested cells that cost so much more than the best are still the same
CONTRADICTION = 10_000


# What a wanted value costs that a cell does not name; others than these make another form.
ABSENT: Mapping[str, Mapping[str, int]] = {
    "animacy": {"": 1},
    "aspect": {"PFV": 1, "IPFV": 2, "HAB": 5},
    "case": {"NOM": 0, "ABS": 0},
    "comparison": {"POS": 0},
    "definiteness": {"INDF": 0, "DEF": 40},
    "evidentiality": {"FH": 0, "DRCT": 0},
    "finiteness": {"FIN": 0},
    "gender": {"": 2},
    "interrogativity": {"DECL": 0},
    "mood": {"IND": 0},
    "number": {"SG": 2, "": 8},
    "person": {"3": 2, "": 4},
    "polarity": {"POS": 0},
    "politeness": {"INFM": 0, "FORM": 5},
    "tense": {"PRS": 3},
    "valency": {"CAUS": 25, "": 2},
    "voice": {"ACT": 0, "MID": 3},
}
ABSENT_IN_PARTICIPLE: Mapping[str, Mapping[str, int]] = {
    "gender": {"MASC": 1, "": 25},
    "number": {"SG": 1, "": 25},
    "person": {"": 1},
    "tense": {"": 5},
    "voice": {"": 5},
}
INFINITIVE = 10  # for the tense of an infinitive, if one is asked for and has none in the language
NO_VOICE = 20  # for any other voice than the active in languages whose verbs name none
# What a value costs that only the cell names.
UNASKED: Mapping[str, Mapping[str, int]] = {
    "animacy": {"INAN": 1, "": 2},
    "aspect": {"PFV": 2, "IPFV": 3, "": 9},
    "case": {"NOM": 1, "ABS": 1, "ACC": 4, "": 6},
    "comparison": {"POS": 0, "": 30},
    "definiteness": {"INDF": 1, "": 3},
    "finiteness": {"FIN": 0},
    "evidentiality": {"FH": 0, "": 9},
    "gender": {"MASC": 2, "FEM": 4, "": 5},
    "interrogativity": {"DECL": 0, "": 30},
    "mood": {"IND": 0, "": 7},
    "number": {"SG": 1, "PL": 4, "": 6},
    "person": {"3": 1, "": 4},
    "polarity": {"POS": 0, "NEG": 30},
    "politeness": {"INFM": 0, "": 9},
    "possession": {"": 30},
    "tense": {"PRS": 2, "PST": 4, "FUT": 6, "": 7},
    "valency": {"": 15},
    "voice": {"ACT": 0, "": 9},
}
# The same for the imperative, which is said to somebody, and the present, which lasts.
UNASKED_IN: Mapping[tuple[str, str], Mapping[str, Mapping[str, int]]] = {
    ("mood", "IMP"): {"person": {"2": 1, "": 4}},
    ("tense", "PRS"): {"aspect": {"IPFV": 1, "PFV": 4, "": 9}},
}
UNASKED_IN_PARTICIPLE: Mapping[str, Mapping[str, int]] = {
    "tense": {"PST": 1, "": 6},
    "voice": {"PASS": 1},
}
NEW = 20  # what a cell may cost that stands for a new one
OTHERS = 12  # for a value of any other dimension that only the cell names
AMBIGUOUS = {"person", "number", "gender"}  # forms differ in them, so no value can be assumed


def if_absent(dimension: str, form: str) -> Mapping[str, int]:
    """What values of a dimension cost that a cell of this verb form does not name."""
    usual = ABSENT.get(dimension, {})
    return ABSENT_IN_PARTICIPLE.get(dimension, usual) if form in FORMS else usual


def unasked_prices(wanted: Mapping[str, Sequence[str]]) -> dict[str, Mapping[str, int]]:
    """What values cost that a request leaves open.

    >>> unasked_prices({})["person"], unasked_prices({"mood": ("IMP",)})["person"]
    ({'3': 1, '': 4}, {'2': 1, '': 4})
    """
    prices = dict(UNASKED)
    for (dimension, tag), others in UNASKED_IN.items():
        if wanted.get(dimension, ("",))[0] == tag:
            prices |= others
    return prices


def difference(dimension: str, wanted: tuple[str, ...], said: frozenset[str]) -> int:
    """What the values of a dimension that both sides name cost."""
    for rank, tags in enumerate(wanted):
        possible = either(dimension, tags)
        if possible & said:
            return 4 * rank + (possible != said) * (1 if possible < said else 2)
    return CONTRADICTION


def cheapest(prices: Mapping[str, int], tags: Iterable[str], otherwise: int) -> int:
    return min(prices.get(tag, prices.get("", otherwise)) for tag in tags)
