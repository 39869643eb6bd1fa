"""One meaning, many notations: what a user writes for features -> a cell of the language.

UniMorph tags in any order (`N;DAT;PL`), `case=DAT,number=PL`, a mapping, English words ("dative
plural") and Universal Dependencies features (`NOUN|Case=Dat|Number=Plur`) all lead to the same
cell, the one of the language's own that agrees best.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from stepwrite.data.features import DIMENSIONS, SCHEMA, dimension_of
from stepwrite.errors import StepwriteError, shown
from stepwrite.morphology import universal, words
from stepwrite.morphology.matching import (
    ABSENT,
    FORM,
    MISSING,
    NEAR,
    POS,
    Candidate,
    Inventory,
    cell_values,
)
from stepwrite.morphology.universal import Wanted

# Other names of a tag that languages use for the same thing, besides itself.
ALSO = {"LOC": "ESS", "ESS": "LOC", "ABL": "AT+ABL", "ALL": "AT+ALL", "PROPN": "N", "AUX": "V"}
NAMES = {
    "pos": POS,
    "gen": "gender",
    "num": "number",
    "per": "person",
    "def": "definiteness",
    "degree": "comparison",
    "verbform": FORM,
    "form": FORM,
    "poss": "possession",
    "polite": "politeness",
}


class FeatureError(StepwriteError):
    """Features that the model does not know, or a cell that its language does not have."""


@dataclass(frozen=True)
class Reading:
    """The cells that a request may mean, best first; all of them are consistent with it.

    The first ones differ in lexical values alone, such as the gender of a noun, and which of them
    it is depends on the word.
    """

    candidates: tuple[Candidate, ...]

    @property
    def best(self) -> Candidate:
        return self.candidates[0]


class Notation:
    """Reads features as the cells of one language.

    >>> cases, numbers = ("NOM", "DAT"), ("SG", "PL")
    >>> notation = Notation(Inventory({f"N;{c};{n}": 1 for c in cases for n in numbers}))
    >>> texts = "PL;N;DAT", "case=DAT,number=PL", "dative plural", "NOUN|Case=Dat|Number=Plur"
    >>> {notation.read(text).best.features for text in texts}
    {'N;DAT;PL'}
    >>> notation.read("N;ERG;PL")
    Traceback (most recent call last):
    stepwrite.morphology.notation.FeatureError: unknown value ERG of case: use DAT, NOM; \
nearest: N;NOM;PL
    """

    def __init__(self, inventory: Inventory) -> None:
        self.inventory = inventory
        self._read = lru_cache(maxsize=1 << 12)(self._ranked)

    def read(self, features: str | Mapping[str, object]) -> Reading:
        """The cells that are meant; a `FeatureError` if there are none."""
        if isinstance(features, str):
            return self._read(features)
        return self._ranked(features)

    def _ranked(self, features: str | Mapping[str, object]) -> Reading:
        wanted = wanted_of(features)
        ranked = self.inventory.rank(wanted)
        if not ranked or ranked[0].cost >= MISSING:
            raise FeatureError(self._problem(features, wanted))
        best = ranked[0]
        return Reading(
            tuple(
                candidate
                for candidate in ranked
                if candidate.cost <= best.cost + NEAR and candidate.unasked <= best.unasked + 3
            )
        )

    def _problem(self, features: object, wanted: Wanted) -> str:
        """What is wrong with a request, and the nearest cell."""
        near = self.nearest(wanted)
        hint = f"; nearest: {near}" if near else ""
        for dimension, tags in wanted.items():
            known = self.inventory.known.get(dimension, set())
            free = ABSENT.get(dimension, {})
            if tags[0] in free or "" in free or any(known & set(re.split("[/]", t)) for t in tags):
                continue
            if not known:
                used = ", ".join(sorted(set(self.inventory.known) - {FORM}))
                return f"unknown feature {tags[0]} ({dimension}): the language uses {used}{hint}"
            values = ", ".join(sorted(known))
            return f"unknown value {tags[0]} of {dimension}: use {values:.300}{hint}"
        return f"the language has no cell {shown(_text(features))}{hint}"

    def nearest(self, wanted: Wanted) -> str | None:
        """The cell that shares most with a request, whatever contradicts it."""

        def likeness(features: str) -> tuple[float, int]:
            values = cell_values(features)
            shared = sum(
                2.0 if dimension == POS else 1.0
                for dimension, tags in wanted.items()
                if values.get(dimension, frozenset()) & {t for tag in tags for t in tag.split("/")}
            )
            unasked = sum(0.1 for dimension in values if dimension not in wanted)
            return shared - unasked, self.inventory.counts[features]

        best = max(self.inventory.counts, key=likeness, default=None)
        return best if best is not None and likeness(best)[0] > 0 else None


def wanted_of(features: str | Mapping[str, object]) -> Wanted:
    """What features in any notation ask for, by dimension.

    >>> wanted_of({"case": "dative", "number": "PL"})
    {'case': ('DAT',), 'number': ('PL',)}
    >>> wanted_of("V.PTCP;PST")
    {'part of speech': ('V',), 'verb form': ('PTCP',), 'tense': ('PST',)}
    """
    if not isinstance(features, str):
        return _of_mapping({name: str(value) for name, value in features.items()})
    text = features.strip()
    if universal.is_universal(text):
        return universal.wanted_of(text)
    if "=" in text:
        pieces = [piece.partition("=") for piece in re.split(r"[,;]", text) if piece.strip()]
        if all(equals for _, equals, _ in pieces):
            return _of_mapping({name.strip(): value.strip() for name, _, value in pieces})
    if ";" in text or _are_tags(text):
        return _of_tags(text)
    return words.wanted_of(text)


def _are_tags(text: str) -> bool:
    """Whether a text without `;` is a single tag, such as `V.PTCP` or `PL`."""
    return " " not in text and text == text.upper() and dimension_of(text) is not None


def _of_tags(text: str) -> Wanted:
    wanted: Wanted = {}
    values = cell_values(text)
    for dimension, tags in values.items():
        if dimension == FORM and tags == {"FIN"} and len(values) == 2:
            continue  # just `V`
        tag = "/".join(sorted(tags))
        wanted[dimension] = (tag, ALSO[tag]) if tag in ALSO else (tag,)
    return wanted


def _of_mapping(values: Mapping[str, str]) -> Wanted:
    wanted: Wanted = {}
    known = words.vocabulary()
    for name, value in values.items():
        if name in universal.VALUES and value not in DIMENSIONS:
            wanted |= universal.wanted_of(f"{name}={value}")
            continue
        dimension = NAMES.get(name.lower(), name.replace("_", " "))
        if dimension not in SCHEMA and dimension != FORM and dimension_of(value) is None:
            near = get_close_matches(name, [*SCHEMA, *NAMES], n=1)
            hint = f"did you mean {near[0]}?" if near else f"use {', '.join(SCHEMA)}"
            raise FeatureError(f"unknown feature {shown(name)}: {hint}")
        if value.lower() in known and value != value.upper():
            wanted |= known[value.lower()]
        else:
            wanted |= _of_tags(value)
    if wanted.get(FORM) == ("FIN",) and len(values) == 1:
        del wanted[FORM]
    return wanted


def _text(features: object) -> str:
    if isinstance(features, Mapping):
        return ",".join(f"{name}={value}" for name, value in features.items())
    return str(features)
