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

from stepwrite.data.features import DIMENSIONS, FAMILIES, SCHEMA, dimension_of
from stepwrite.errors import FeatureError, shown
from stepwrite.morphology import universal, words
from stepwrite.morphology.cells import head_pos
from stepwrite.morphology.matching import Candidate, Inventory
from stepwrite.morphology.prices import ABSENT, MISSING, NEAR
from stepwrite.morphology.universal import Wanted
from stepwrite.morphology.values import FORM, POS, cell_values

# Other names of a tag that languages use for the same thing, besides itself.
ALSO = {"LOC": "ESS", "ESS": "LOC", "ABL": "AT+ABL", "ALL": "AT+ALL", "PROPN": "N", "AUX": "V"}
NAMES = {"pos": POS, "degree": "comparison", "verbform": FORM, "form": FORM}


@dataclass(frozen=True)
class Reading:
    """The cells that a request may mean; all of them are consistent with it.

    wanted: what the request says. by_pos: the cells by part of speech, best first, the part of
    speech with the best cell first. The first cells of a part of speech often differ in lexical
    values alone, such as the gender of a noun; which of them is meant depends on the word.
    composed: whether the data have no such cell, but its values in others.
    """

    wanted: Wanted
    by_pos: Mapping[str, tuple[Candidate, ...]]
    composed: bool = False

    @property
    def best(self) -> Candidate:
        return self.by_pos[self.parts_of_speech[0]][0]

    @property
    def parts_of_speech(self) -> tuple[str, ...]:
        return tuple(self.by_pos)

    def candidates_of(self, pos: str) -> tuple[Candidate, ...]:
        return self.by_pos.get(pos, ())


class Notation:
    """Reads features as the cells of one language.

    >>> cases, numbers = ("NOM", "DAT"), ("SG", "PL")
    >>> notation = Notation(Inventory({f"N;{c};{n}": 1 for c in cases for n in numbers}))
    >>> texts = "PL;N;DAT", "case=DAT,number=PL", "dative plural", "NOUN|Case=Dat|Number=Plur"
    >>> {notation.read(text).best.features for text in texts}
    {'N;DAT;PL'}
    >>> notation.read("N;ERG;PL")
    Traceback (most recent call last):
    stepwrite.errors.FeatureError: unknown value ERG of case: use DAT, NOM; \
nearest: N;NOM;PL
    """

    def __init__(self, inventory: Inventory) -> None:
        self.inventory = inventory
        self._found = lru_cache(maxsize=1 << 12)(self._ranked)

    def read(self, features: str | Mapping[str, object]) -> Reading:
        """The cells that are meant; a `FeatureError` if there are none."""
        if (found := self.find(features)) is None:
            raise self.error(features)
        return found

    def error(self, features: str | Mapping[str, object]) -> FeatureError:
        """What is wrong with a request that means no cell."""
        return FeatureError(self._problem(features, wanted_of(features)))

    def find(self, features: str | Mapping[str, object]) -> Reading | None:
        """As `read`, but None if there are no such cells, which takes less time than to say why.

        Words, names and values that mean nothing are still a `FeatureError`.
        """
        return self._found(features) if isinstance(features, str) else self._ranked(features)

    def _ranked(self, features: str | Mapping[str, object]) -> Reading | None:
        wanted = wanted_of(features)
        ranked = self.inventory.rank(wanted, partial=is_partial(features))
        if not ranked or ranked[0].cost >= MISSING:
            new = self.inventory.composed(wanted)
            if new is None:
                return None
            return Reading(wanted, {head_pos(new): (Candidate(0, 0, 0, new, ()),)}, composed=True)
        by_pos: dict[str, list[Candidate]] = {}
        for candidate in ranked:
            found = by_pos.setdefault(head_pos(candidate.features), [])
            best = found[0] if found else candidate
            near = candidate.cost <= best.cost + NEAR and candidate.unasked <= best.unasked + 3
            if candidate.cost < MISSING and near:
                found.append(candidate)
        return Reading(wanted, {pos: tuple(found) for pos, found in by_pos.items() if found})

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
        asked = {
            dimension: {value for tag in tags for value in tag.split("/")}
            for dimension, tags in wanted.items()
        }

        def likeness(features: str) -> tuple[float, int]:
            values = cell_values(features)
            shared = sum(
                2.0 if dimension == POS else 1.0
                for dimension, said in values.items()
                if dimension in asked and said & asked[dimension]
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


def is_partial(features: str | Mapping[str, object]) -> bool:
    """Whether a request names what its writer thought of, rather than all that a cell has.

    >>> is_partial("neuter singular"), is_partial("ADJ;NEUT;SG"), is_partial({"gender": "NEUT"})
    (True, False, True)
    """
    if not isinstance(features, str):
        return True
    text = features.strip()
    return not (universal.is_universal(text) or ";" in text or _are_tags(text))


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
        dimension = _dimension_named(name)
        said = known.get(value.lower(), {}) if value != value.upper() else _of_tags(value)
        if not said or (dimension in SCHEMA and not said.keys() & {dimension, FORM}):
            raise FeatureError(f"unknown value {shown(value)} of {name}")
        wanted |= said
    if wanted.get(FORM) == ("FIN",) and len(values) == 1:
        del wanted[FORM]
    return wanted


def _dimension_named(name: str) -> str:
    """The dimension of a name, which may be shortened: `num`, `gen`, `poss`."""
    spelt = NAMES.get(name.lower(), name.lower().replace("_", " "))
    names = [FORM, *SCHEMA, *FAMILIES]
    if spelt in names:
        return spelt
    if len(spelt) > 2 and (longer := [known for known in names if known.startswith(spelt)]):
        return longer[0]
    near = get_close_matches(name, [*NAMES, *names], n=1)
    hint = f"did you mean {near[0]}?" if near else f"use {', '.join(SCHEMA)}"
    raise FeatureError(f"unknown feature {shown(name)}: {hint}")


def _text(features: object) -> str:
    if isinstance(features, Mapping):
        return ",".join(f"{name}={value}" for name, value in features.items())
    return str(features)
