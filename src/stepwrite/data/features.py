"""Feature bundles -> slots, whose embeddings the network concatenates.

Two notations are in use. `pos=V,tense=PST` names its slots itself. UniMorph's `V;PST;3;SG`
names only values, and the slot of a value is its dimension in the UniMorph schema
(Sylak-Glassman 2016, "The Composition and Use of the Universal Morphological Feature Schema").

The slots preserve everything in the bundle: its tags can be recovered from them, so bundles that
differ in any tag never have the same slots. Not preserved are the order of tags in different
slots, empty tags (`V;;SG`) and white space around tags.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple

from stepwrite.errors import StepwriteError, shown

Style = Literal["key-value", "unimorph"]
Path = tuple[str, ...]

# The tags by dimension as listed on unimorph.github.io (`dimensions-to-features.json`); after the
# bar, further tags used by later releases of UniMorph or by the shared tasks.
SCHEMA = {
    "Aktionsart": "ACCMP ACH ACTY ATEL DUR DYN PCT SEMEL STAT TEL",
    "animacy": "ANIM HUM INAN NHUM",
    "aspect": "HAB IPFV ITER PFV PRF PROG PROSP | FREQ",
    "case": "ABL ABS ACC ALL ANTE APPRX APUD AT AVR BEN BYWAY CIRC COM COMPV DAT EQTV ERG ESS FRML "
    "GEN IN INS INTER NOM NOMS ON ONHR ONVR POST PRIV PROPR PROXM PRP PRT REL REM SUB TERM TRANS "
    "VOC | BEADJ CAUSV DISTR EXCLV GEADJ LAT LOC PROL VERS",
    "comparison": "AB CMPR EQT RL SPRL",
    "definiteness": "DEF INDF NSPEC SPEC | NDEF",
    "deixis": "ABV BEL EVEN MED NOREF NVIS PHOR PROX REF1 REF2 REMT VIS",
    "evidentiality": "ASSUM AUD DRCT FH HRSY INFER NFH NVSEN QUOT RPRT SEN VISU",
    "finiteness": "FIN NFIN | INF",
    "gender": "FEM MASC NEUT",
    "information structure": "FOC TOP",
    "interrogativity": "DECL INT",
    "mood": "ADM AUNPRP AUPRP COND DEB DED IMP IND INTEN IRR LKLY OBLIG OPT PERM POT PURP REAL "
    "SBJV SIM | DES",
    "number": "DU GRPAUC GRPL INVN PAUC PL SG TRI | COLL GPAUC PC SGV",
    "part of speech": "ADJ ADP ADV ART AUX CLF COMP CONJ DET INTJ N NUM PART PRO PROPN V",
    "person": "0 1 2 3 4 EXCL INCL OBV PRX | OBVI PROXI",
    "polarity": "NEG POS",
    "politeness": "AVOID COL ELEV FOREG FORM HIGH HUMB INFM LIT LOW POL STELEV STSUPR | MPOL STELV",
    "possession": "ALN NALN",
    "switch-reference": "DS DSADV LOG OR SEQMA SIMMA SS SSADV",
    "tense": "1DAY FUT HOD IMMED PRS PST RCT RMT | NFUT",
    "valency": "APPL CAUS DITR IMPRS INTR RECP REFL TR",
    "voice": "ACFOC ACT AGFOC ANTIP BFOC CFOC DIR IFOC INV LFOC MID PASS PFOC",
}
DIMENSIONS = {
    tag: dimension for dimension, tags in SCHEMA.items() for tag in tags.replace("|", "").split()
}
# Open classes, recognised by how their tags begin: PSS2SF, ARGNO1P (or NO1P), BANTU7.
FAMILIES = {
    "argument marking": re.compile(r"ARG|(NO|AC|AB|ER|DA|BE)\d"),
    "gender": re.compile(r"(NAKH|BANTU?)\d"),
    "language-specific": re.compile(r"LGSPEC"),
    "possession": re.compile(r"PSS"),
}
POS = ("part of speech", "pos")  # the slot in the two notations
ABSENT, UNKNOWN, FIRST_VALUE = range(3)
LONGEST = 10_000  # characters of a bundle; real ones have tens
DEEPEST = 4  # levels of arguments; real bundles have one or two


class Slot(NamedTuple):
    """A slot, which holds one value.

    The path ends in a key or a dimension or, for a tag that has neither, in "" and the tag
    itself. Before that come the tags that it is an argument of. Tags and dimensions are never
    empty, so different kinds of path cannot clash. `occurrence` counts values with the same path.

    >>> print(Slot(("case",), 2), Slot(("NOM", "number")), Slot(("", "3rd_PERSON_PLURAL")))
    case.2 NOM.number 3rd_PERSON_PLURAL
    """

    path: Path
    occurrence: int = 1

    def __str__(self) -> str:
        name = ".".join(filter(None, self.path))
        return name if self.occurrence == 1 else f"{name}.{self.occurrence}"


def style_of(bundles: Iterable[str]) -> Style:
    """The notation of some bundles: `key-value` if every part of every bundle contains a `=`."""
    pieces = (piece for bundle in bundles for piece in _split(bundle, ","))
    return "key-value" if all("=" in piece for piece in pieces) else "unimorph"


def parse(features: str, style: Style) -> dict[Slot, str]:
    """The slots that a bundle fills, and the value of each.

    A tag with arguments fills its own slot, and its arguments fill slots below the tag:

    >>> for slot, value in parse("V;PRS;NOM(3,SG);ACC(1,PL)", "unimorph").items():
    ...     print(slot, "=", value)
    part of speech = V
    tense = PRS
    case = NOM
    case.2 = ACC
    NOM.person = 3
    NOM.number = SG
    ACC.person = 1
    ACC.number = PL

    Alternatives and negations are a single value, as is anything with unbalanced brackets:

    >>> list(parse("num={DU/PL},arg=ARGAC1P+ARGDA3S", "key-value").values())
    ['{DU/PL}', 'ARGAC1P+ARGDA3S']
    >>> list(parse("non{NOM};V.PTCP;ABL(SG;PL", "unimorph").values())
    ['non{NOM}', 'V.PTCP', 'ABL(SG;PL']

    Arguments nested more than `DEEPEST` levels deep are a single value, too, so that the time grows
    only linearly with the length. A bundle longer than `LONGEST` is an error.
    """
    if len(features) > LONGEST:
        raise StepwriteError(
            f"features of {len(features)} characters, the limit is {LONGEST}: {shown(features)}"
        )
    seen = Counter[Path]()
    slots = {}
    for path, value in _key_values(features) if style == "key-value" else _tags(features):
        seen[path] += 1
        slots[Slot(path, seen[path])] = value
    return slots


def _key_values(features: str) -> Iterator[tuple[Path, str]]:
    for piece in _split(features, ","):
        key, equals, value = piece.partition("=")
        yield ((key,), value) if equals else (("", piece), piece)


def _tags(features: str) -> Iterator[tuple[Path, str]]:
    contexts: list[tuple[Path, str]] = [((), features)]
    for context, text in contexts:
        heads = Counter[str]()
        for piece in _split(text, ",;" if context else ";"):
            tag, arguments = _head(piece) if len(context) < DEEPEST else (piece, "")
            dimension = dimension_of(tag)
            yield (*context, *((dimension,) if dimension else ("", tag))), tag
            if arguments:
                heads[tag] += 1
                # Arguments of a second NOM(...) go below `NOM;2`, which is not a possible tag.
                name = tag if heads[tag] == 1 else f"{tag};{heads[tag]}"
                contexts.append(((*context, name), arguments))


def dimension_of(tag: str) -> str | None:
    """The schema's dimension of the first part of `tag` that has one.

    >>> [dimension_of(tag) for tag in ("{NOM/ACC}", "V.CVB", "PSS1S", "3rd_PERSON_PLURAL")]
    ['case', 'part of speech', 'possession', None]
    """
    for part in re.findall(r"[^(){}/+.,;\s]+", tag):
        if part in DIMENSIONS:
            return DIMENSIONS[part]
        for dimension, family in FAMILIES.items():
            if family.match(part):
                return dimension
    return None


def _split(text: str, separators: str) -> list[str]:
    """The stripped, non-empty pieces between separators outside brackets.

    >>> _split("N; INS(SG;PSS(2,SG)) ;;{A;B}", ";")
    ['N', 'INS(SG;PSS(2,SG))', '{A;B}']
    """
    pieces, start, depth = [], 0, 0
    for match in re.finditer(rf"[(){{}}{separators}]", text):
        if match[0] in "({":
            depth += 1
        elif match[0] in ")}":
            depth = max(depth - 1, 0)
        elif depth == 0:
            pieces.append(text[start : match.start()])
            start = match.end()
    pieces.append(text[start:])
    return [piece for piece in map(str.strip, pieces) if piece]


def _head(piece: str) -> tuple[str, str]:
    """`NOM(3,SG)` -> `NOM` and `3,SG`; anything of another form is a tag without arguments.

    >>> _head("NOM (3,SG)"), _head("NOM()"), _head("NOM(3)(SG)"), _head("(SG)")
    (('NOM', '3,SG'), ('NOM()', ''), ('NOM(3)(SG)', ''), ('(SG)', ''))
    """
    head, _, rest = piece.partition("(")
    tag, arguments = head.strip(), rest[:-1]
    nested = rest.endswith(")") and tag and _split(arguments, ",;")
    return (tag, arguments) if nested and _balanced(tag) and _balanced(arguments) else (piece, "")


def _balanced(text: str) -> bool:
    depth = 0
    for bracket in re.findall(r"[(){}]", text):
        depth += 1 if bracket in "({" else -1
        if depth < 0:
            return False
    return depth == 0


# Files contain few distinct bundles, each of them many times. Hostile ones may be long: a cache of
# more would keep the garbage collector busy for tens of milliseconds.
@lru_cache(maxsize=1 << 10)
def _parsed(features: str, style: Style) -> tuple[tuple[Slot, str], ...]:
    return tuple(parse(features, style).items())


@lru_cache(maxsize=1 << 12)
def part_of_speech(features: str) -> str:
    """The value of `pos`, or the first part of speech among the tags; empty if there is none.

    >>> part_of_speech("pos=N,case=DAT"), part_of_speech("V.PTCP;PST"), part_of_speech("PL")
    ('N', 'V.PTCP', '')
    """
    style = style_of([features])
    slot = Slot(("pos" if style == "key-value" else "part of speech",))
    return parse(features, style).get(slot, "")


@dataclass(frozen=True)
class FeatureSlots:
    """The slots of a training set and the values of each.

    >>> slots = FeatureSlots.fit(["N;NOM;SG", "N;DAT;PL", "N"])
    >>> [str(slot) for slot in slots.slots]
    ['case', 'number', 'part of speech']
    >>> slots.encode("N;DAT;SG"), slots.encode("N"), slots.encode("N;ERG;PL;DEF")
    ((2, 3, 2), (0, 0, 2), (1, 2, 2))
    >>> slots.unknown("N;ERG;PL;DEF")
    ['case=ERG', 'definiteness=DEF']
    """

    style: Style
    slots: tuple[Slot, ...]
    values: tuple[tuple[str, ...], ...]

    @classmethod
    def fit(cls, bundles: Iterable[str]) -> FeatureSlots:
        """The slots and values of these bundles, sorted, so that their order has no effect."""
        distinct = set(bundles)
        style = style_of(distinct)
        values: dict[Slot, set[str]] = {}
        for features in distinct:
            for slot, value in parse(features, style).items():
                values.setdefault(slot, set()).add(value)
        slots = tuple(sorted(values))
        return cls(style, slots, tuple(tuple(sorted(values[slot])) for slot in slots))

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many ids each slot has: absent, unknown and its values."""
        return tuple(FIRST_VALUE + len(values) for values in self.values)

    def encode(self, features: str) -> tuple[int, ...]:
        """One id per slot: 0 for absent, 1 for a value not seen in training, 2... for the values.

        Slots that do not occur in the training set are ignored; `unknown` lists them.
        """
        ids = [ABSENT] * len(self.slots)
        for slot, value in _parsed(features, self.style):
            if slot in self._ids:
                position, known = self._ids[slot]
                ids[position] = known.get(value, UNKNOWN)
        return tuple(ids)

    def unknown(self, features: str) -> list[str]:
        """What was never seen in training, as `slot=value`, or as the tag if it has no slot."""
        return [
            str(slot) if slot.path[-2:] == ("", value) else f"{slot}={value}"
            for slot, value in _parsed(features, self.style)
            if slot not in self._ids or value not in self._ids[slot][1]
        ]

    def bundle(self, values: Mapping[str, str | int]) -> str:
        """The bundle with these values, given by the names of their slots.

        Underscores may stand for the spaces of a name, and `pos` for `part of speech`. A slot or
        a value that training never showed is an error.

        >>> slots = FeatureSlots.fit(["N;NOM;SG", "N;DAT;PL"])
        >>> slots.bundle({"number": "PL", "case": "DAT", "pos": "N"})
        'N;PL;DAT'
        >>> FeatureSlots.fit(["pos=N,case=DAT"]).bundle({"case": "DAT"})
        'case=DAT'
        >>> slots.bundle({"number": "DU"})
        Traceback (most recent call last):
        stepwrite.errors.StepwriteError: no value 'DU' of number: the model knows PL, SG
        """
        known = {
            str(slot): (slot, texts)
            for slot, texts in zip(self.slots, self.values, strict=True)
            if len(slot.path) == 1 or slot.path[0] == ""  # arguments of tags have no names
        }
        said: dict[Slot, str] = {}
        for name, value in values.items():
            spelt = "part of speech" if name == "pos" else name.replace("_", " ")
            found = known.get(name) or known.get(spelt)
            if found is None:
                names = ", ".join(known) or "none"
                raise StepwriteError(f"no feature {shown(name)}: the model knows {names}")
            if str(value) not in found[1]:
                texts = ", ".join(found[1])
                raise StepwriteError(
                    f"no value {shown(str(value))} of {name}: the model knows {texts:.500}"
                )
            said[found[0]] = str(value)
        # The part of speech comes first; a second case stands behind the first one.
        order = sorted(said, key=lambda slot: (str(slot) not in POS, slot.occurrence))
        if self.style == "unimorph":
            return ";".join(said[slot] for slot in order)
        return ",".join(
            said[slot] if slot.path[0] == "" else f"{slot.path[0]}={said[slot]}" for slot in order
        )

    @cached_property
    def _ids(self) -> dict[Slot, tuple[int, dict[str, int]]]:
        return {
            slot: (position, {value: id for id, value in enumerate(values, FIRST_VALUE)})
            for position, (slot, values) in enumerate(zip(self.slots, self.values, strict=True))
        }

    def to_json(self) -> dict[str, Any]:
        """Plain data, for the model directory."""
        slots = zip(self.slots, self.values, strict=True)
        return {
            "style": self.style,
            "slots": [
                {"path": list(path), "occurrence": occurrence, "values": list(values)}
                for (path, occurrence), values in slots
            ],
        }

    @classmethod
    def from_json(cls, data: object) -> FeatureSlots:
        """The inverse of `to_json`; anything else is an error that shows the offending part."""
        match data:
            case {"style": "key-value" | "unimorph" as style, "slots": [*entries]}:
                pass
            case _:
                raise StepwriteError(f"feature slots: missing style or slots in {data!r:.100}")
        slots: dict[Slot, tuple[str, ...]] = {}
        for entry in entries:
            match entry:
                case {"path": [*path], "occurrence": int(occurrence), "values": [*values]}:
                    slot = Slot(tuple(path), occurrence)
                case _:
                    raise StepwriteError(f"feature slots: not a slot: {entry!r:.100}")
            if not (path and values and all(isinstance(text, str) for text in path + values)):
                raise StepwriteError(f"feature slots: path or values not strings: {entry!r:.100}")
            if occurrence < 1 or slot in slots or len(set(values)) < len(values):
                raise StepwriteError(f"feature slots: repeated or miscounted: {entry!r:.100}")
            slots[slot] = tuple(values)
        return cls(style, tuple(slots), tuple(slots.values()))
