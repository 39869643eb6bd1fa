"""What grammars call the values of features, in English and in the language itself.

The names are in `terms.toml`: under `[any]` those of every language, under its ISO 639-3 code those
of one. A key is one tag or several that together have a name of their own: `PST` is the past, but
`PST PFV` in Spanish the preterite.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import NamedTuple

Tags = tuple[str, ...]
UNSAID = {"ACT", "POS", "DECL", "FIN", "POSITIVE"}  # what goes without saying in a title
DEGREES = {"POSITIVE", "CMPR", "SPRL"}
FIRST = ("NOM", "GEN", "MASC")  # of alternatives
MANY = 3  # names in a title

FAMILIES = {  # of tags
    r"LGSPEC(\w*)": "special form {}",
    r"BANTU?(\d+)": "noun class {}",
    r"PSSB(\d+)": "of noun class {}",
    r"non\{PST\}": "non-past",
}
# Possessors and arguments with their person, number and gender: PSS1PI, ARGERG3, ARGABSPL, AC3.
PERSON = re.compile(
    r"(PSS|ARG)?(ABS|ERG|IO|NO|AC|DA|AB|BE)?([0-4R])?(SG|PL|DU|[SDP])?"
    r"(INFM|MASC|FEM|INCL|EXCL|[MFIE])?"
)
PARTS = {
    "PSS": "possessor", "ARG": "argument", "ABS": "absolutive", "AB": "absolutive",
    "ERG": "ergative", "IO": "indirect object", "DA": "indirect object", "NO": "subject",
    "AC": "object", "BE": "beneficiary", "0": "impersonal", "1": "1st", "2": "2nd", "3": "3rd",
    "4": "4th",
    "R": "reflexive", "S": "singular", "SG": "singular", "D": "dual", "DU": "dual", "P": "plural",
    "PL": "plural", "M": "masculine", "MASC": "masculine", "F": "feminine", "FEM": "feminine",
    "I": "inclusive", "INCL": "inclusive", "E": "exclusive", "EXCL": "exclusive",
    "INFM": "familiar",
}  # fmt: skip


class Label(NamedTuple):
    """A name in English, and one in the language itself where it is known."""

    name: str = ""
    native: str = ""


class Terms:
    """The terms of a language's grammar.

    >>> terms = Terms.of("spa")
    >>> terms.label(("PST", "PFV"), ("IND",))
    Label(name='preterite', native='pretérito perfecto simple')
    >>> terms.label(("PST", "PRF")), terms.label(("ACC/NOM",))
    (Label(name='pluperfect', native=''), Label(name='nominative or accusative', native=''))
    >>> [terms.label((tag,)).name for tag in ("LGSPEC7", "PSS1PI", "ARGERG3", "FROB")]
    ['special form 7', 'possessor 1st plural inclusive', 'ergative 3rd', 'frob']
    """

    def __init__(self, language: str | None) -> None:
        self._language = language

    @classmethod
    @lru_cache(maxsize=256)
    def of(cls, language: str | None) -> Terms:
        return cls(language)

    @cached_property
    def _entries(self) -> list[tuple[frozenset[str], Label]]:
        """The keys with most tags first, of equal ones those of the language."""
        own = {}
        for key, names in _table().get(self._language or "", {}).items():
            tags = key.split()
            if isinstance(names, str):
                names = [_everywhere(tuple(tag for tag in tags if tag != "IND") or tags), names]
            own[frozenset(tags)] = Label(*names)
        others = [(frozenset(key.split()), Label(str(n))) for key, n in _table()["any"].items()]
        return sorted([*own.items(), *others], key=lambda entry: -len(entry[0]))

    def label(self, tags: Tags, context: Tags = ()) -> Label:
        """The name of a row or a column. context: what its table has in common."""
        left = [tag for tag in tags if tag]
        said: list[tuple[int, Label]] = []
        for key, label in self._entries:
            if key <= {*left, *context} and (here := [tag for tag in left if tag in key]):
                said.append((left.index(here[0]), label))
                left = ["" if tag in key else tag for tag in left]
        said += [(place, self._unnamed(tag)) for place, tag in enumerate(left) if tag]
        names = [label for _, label in sorted(said, key=lambda entry: entry[0])]
        shown = [label for label in names if label.name]
        native = " ".join(label.native for label in shown) if all(n.native for n in shown) else ""
        return Label(" ".join(label.name for label in shown), native)

    def title(self, groups: Sequence[Tags]) -> Label:
        """The name of a table, also of one with rows of several kinds; none for too many."""
        names = [self.label(tuple(tag for tag in tags if tag not in UNSAID)) for tags in groups]
        if len(names) > 1:
            if all(set(tags) <= DEGREES for tags in groups):
                return self.label(("COMPARISON",))
            names = [self.label(tags) for tags in groups]
        if len(names) > MANY or not all(label.name for label in names):
            return Label()
        native = ", ".join(n.native for n in names) if all(n.native for n in names) else ""
        return Label(", ".join(label.name for label in names), native)

    def _unnamed(self, tag: str) -> Label:
        """Alternatives by their parts; a tag that no grammar knows as a plain word."""
        for mark, between in (("/", " or "), ("+", " and ")):
            parts = sorted(tag.strip("{}").split(mark), key=lambda part: (part not in FIRST, part))
            if len(parts) > 1:
                labels = [self.label((part,)) for part in parts]
                native = "/".join(n.native for n in labels) if all(n.native for n in labels) else ""
                return Label(between.join(label.name for label in labels), native)
        for family, name in FAMILIES.items():
            if found := re.fullmatch(family, tag):
                return Label(name.format(*(group.lstrip("0") for group in found.groups())).strip())
        if found := PERSON.fullmatch(tag):
            kind, role, *others = found.groups("")
            return Label(" ".join(PARTS[part] for part in (role or kind, *others) if part))
        return Label(tag.lower().replace("_", " "))


def _everywhere(tags: Sequence[str]) -> str:
    """The English name of tags."""
    return Terms.of(None).label(tuple(tags)).name


@lru_cache(maxsize=1)
def _table() -> dict[str, dict[str, str | list[str]]]:
    text = (files("stepwrite.morphology") / "terms.toml").read_text("utf-8")
    return tomllib.loads(text)
