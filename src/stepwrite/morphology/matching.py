"""Which cell of a language is meant: the one that agrees best with what is asked for.

Languages differ in what their cells carry. Some leave the active voice, the positive degree or the
indicative out, others name them; some put a noun's gender into its cells; what one writes `LOC` is
`ESS` in another. So a request is not compared with cells as text. It wants values of dimensions
(`case`, `number`), and each cell has a cost: nothing for a value in common, a little for a usual
value that only one side names, much for a value that makes a different form, and no price makes up
for a contradiction.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from math import log2

from stepwrite.data.features import FAMILIES, SCHEMA
from stepwrite.morphology.prices import (
    ABSENT,
    ABSENT_IN_PARTICIPLE,
    AMBIGUOUS,
    CONTRADICTION,
    INFINITIVE,
    MISSING,
    NEAR,
    NEW,
    NO_VOICE,
    OTHERS,
    UNASKED_IN_PARTICIPLE,
    cheapest,
    difference,
    if_absent,
    unasked_prices,
)
from stepwrite.morphology.universal import Wanted
from stepwrite.morphology.values import FORM, FORMS, POS, SAME, cell_values, either

ORDER = [
    *re.findall(r"\w+", "mood tense aspect voice person gender animacy case definiteness number"),
    *SCHEMA,
    *FAMILIES,
]  # of the tags of a new cell

FINITE = ("person", "tense")  # which finite forms have
Item = tuple[str, frozenset[str]]  # a dimension with its values


@dataclass(frozen=True)
class Candidate:
    """A cell that could be meant.

    unasked: the part of the cost that is for values which the request leaves open.
    assumed: those values, as far as they are not always left out.
    lexical: the cost of lexical values (a noun's gender) that disagree with the request, which
    are the word's own and not a choice.
    rarity: what it costs the cell to be rare among its like, as the errors of the data are.
    silent: how many values that are wanted the cell does not name.
    """

    cost: int
    lexical: int
    unasked: int
    features: str
    assumed: tuple[tuple[str, str], ...]
    rarity: int = 0
    silent: int = 0

    @property
    def total(self) -> int:
        return self.cost + self.lexical + self.rarity


@dataclass(frozen=True)
class Inventory:
    """The cells of a language, each with how often it occurred.

    lexical: by part of speech the dimensions that belong to the word and not to the cell.

    >>> nouns = {f"N;{g};{c};{n}": 1 for g in ("MASC", "NEUT") for c in ("NOM", "DAT")
    ...          for n in ("SG", "PL")}
    >>> cells = Inventory({**nouns, "V;PST": 5}, {"N": ["gender"]})
    >>> [candidate.features for candidate in cells.rank({"case": ("DAT",), "number": ("PL",)})[:2]]
    ['N;MASC;DAT;PL', 'N;NEUT;DAT;PL']
    >>> [candidate.cost >= MISSING for candidate in cells.rank({"case": ("ERG",)})]
    [True]
    """

    counts: Mapping[str, int]
    lexical: Mapping[str, Collection[str]] = field(default_factory=dict)

    @cached_property
    def _cells(self) -> list[tuple[str, Mapping[str, frozenset[str]]]]:
        return [(features, cell_values(features)) for features in self.counts]

    @cached_property
    def known(self) -> dict[str, set[str]]:
        """The values of each dimension."""
        known: dict[str, set[str]] = defaultdict(set)
        for _, values in self._cells:
            for dimension, tags in values.items():
                known[dimension] |= tags
        return known

    @cached_property
    def _known_by_pos(self) -> dict[str, dict[str, set[str]]]:
        known: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for _, values in self._cells:
            for dimension, tags in values.items():
                known[_first(values.get(POS, ()))][dimension] |= tags
        return known

    def rank(self, wanted: Wanted, *, partial: bool = False) -> list[Candidate]:
        """The cells that do not contradict the request, best first.

        One that is just what was asked for comes first, however rare it is. A `partial` request
        for a part of speech with cases does not mean one of its few cells that have none.

        >>> long = dict.fromkeys((f"ADJ;{c};NEUT;SG" for c in ("NOM", "GEN", "DAT")), 1)
        >>> cells = Inventory({**long, "ADJ;NEUT;SG": 1})
        >>> [cells.rank({"gender": ("NEUT",)}, partial=p)[0].features for p in (False, True)]
        ['ADJ;NEUT;SG', 'ADJ;NOM;NEUT;SG']
        """
        wanted = self._as_present(self._as_noun(wanted))
        candidates = list(self._candidates(wanted, 0))
        if partial and "case" not in wanted:
            candidates = [self._with_case(candidate) for candidate in candidates]
        if self._present_is_bare and _may_be_bare(wanted):
            bare = {POS: wanted.get(POS, ("V",)), FORM: ("NFIN",)}
            candidates += self._candidates(bare, 3 if "tense" not in wanted else 2 * NEAR)
        counts = self.counts
        candidates.sort(
            key=lambda c: (
                *(c.total if c.cost else c.lexical, c.silent),
                *(-counts[c.features], c.features),
            )
        )
        return candidates

    def _with_case(self, candidate: Candidate) -> Candidate:
        """As it is, or dearer if it has no case where nearly all its like have one."""
        values = cell_values(candidate.features)
        kind = _first(values.get(POS, ())), _first(values.get(FORM, ()))
        if "case" in values or kind not in self._cased:
            return candidate
        return replace(candidate, cost=candidate.cost + 2, unasked=candidate.unasked + 2)

    @cached_property
    def _cased(self) -> set[tuple[str, str]]:
        """The parts of speech and verb forms most of whose cells have a case."""
        every, cased = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        for _, values in self._cells:
            kind = _first(values.get(POS, ())), _first(values.get(FORM, ()))
            every[kind] += 1
            cased[kind] += "case" in values
        return {kind for kind, count in every.items() if cased[kind] > count / 2}

    def _as_noun(self, wanted: Wanted) -> Wanted:
        """Without adjectives and genders in a language, adjectives are inflected as nouns are."""
        if wanted.get(POS) == ("ADJ",) and "gender" not in self.known:
            parts = self.known.get(POS, set())
            if "N" in parts and "ADJ" not in parts:
                return {**wanted, POS: ("N",)}
        return wanted

    def _as_present(self, wanted: Wanted) -> Wanted:
        """Where the present is a participle, as in Hebrew, and cells have it as a finite form."""
        forms = self._known_by_pos["V"].get(FORM, set())
        if (
            "PTCP" not in wanted.get(FORM, ())
            or {"PTCP", "CVB"} & forms
            or "tense" in wanted
            or (wanted.get("voice", ("ACT",)) != ("ACT",) and "voice" in self._known_by_pos["V"])
        ):
            return wanted
        kept = {name: tags for name, tags in wanted.items() if name not in ("person", "voice")}
        return {**kept, FORM: ("FIN",), "tense": ("PRS",)}

    @cached_property
    def _rarity(self) -> dict[str, int]:
        """What it costs each cell to be rare."""
        kind = {f: (_first(v.get(POS, ())), _first(v.get(FORM, ()))) for f, v in self._cells}
        most: dict[tuple[str, str], int] = defaultdict(int)
        for features, count in self.counts.items():
            most[kind[features]] = max(most[kind[features]], count)
        return {
            features: min(12, max(0, round(2 * log2(most[kind[features]] / max(count, 1)) - 8)))
            for features, count in self.counts.items()
        }

    @cached_property
    def _present_is_bare(self) -> bool:
        """Whether, as in English, the infinitive serves as the present but for the third person."""
        present = Counter[bool]()
        for features, values in self._cells:
            if values.get(FORM) == frozenset(["FIN"]) and "PRS" in values.get("tense", ()):
                present[values.get("person") == frozenset("3")] += self.counts[features]
        return present[True] > 10 * present[False]  # a few verbs, such as `be`, have other forms

    @cached_property
    def _priced(self) -> frozenset[str]:
        """The dimensions that a cell may have, or lack without being another one."""
        own = (dimension for dimensions in self.lexical.values() for dimension in dimensions)
        return frozenset([*self.known, *ABSENT, *ABSENT_IN_PARTICIPLE, *own])

    def _candidates(self, wanted: Wanted, extra: int) -> Iterator[Candidate]:
        if not wanted.keys() <= self._priced:
            return  # before each of a hundred strange tags is compared with hundreds of cells
        prices = unasked_prices(wanted)
        for features, values in self._cells:
            if (found := self._candidate(features, values, wanted, extra, prices)) is not None:
                yield found

    def _candidate(
        self,
        features: str,
        values: Mapping[str, frozenset[str]],
        wanted: Wanted,
        cost: int,
        open_prices: Mapping[str, Mapping[str, int]],
    ) -> Candidate | None:
        pos = _first(values.get(POS, ()))
        own = self.lexical.get(pos, ())
        known = self._known_by_pos[pos]
        verb_form = values.get(FORM, frozenset())
        participle = not verb_form <= {"FIN", "NFIN"}
        # Nobody means an infinitive, a participle or a bare stem who names a person or a tense.
        unlike = values.keys() == {POS, FORM} if verb_form == {"FIN"} else FORM not in wanted
        lexical = 0
        for dimension, alternatives in wanted.items():
            tags = self._usable(dimension, alternatives, known)
            if dimension in values:
                price = difference(dimension, tags, values[dimension])
            else:
                absent = ABSENT.get(dimension, {})
                if dimension in FINITE and verb_form and unlike:
                    absent = {}
                elif participle and dimension in ABSENT_IN_PARTICIPLE:
                    absent = ABSENT_IN_PARTICIPLE[dimension]
                elif dimension == "tense" and "NFIN" in verb_form and FORM in wanted:
                    absent = {"": INFINITIVE}
                elif dimension == "voice" and "voice" not in known:
                    absent = {**absent, "": NO_VOICE}
                price = cheapest(absent, either(dimension, tags[0]), MISSING)
            if dimension in own:
                lexical += min(price, NEAR)
            elif price == CONTRADICTION:
                return None
            else:
                cost += price
        unasked, assumed = 0, []
        for dimension, said in values.items():
            if dimension in wanted or dimension in own or dimension == POS:
                continue
            if dimension == FORM:
                price = 0 if "FIN" in said else 3 if "NFIN" in said else 8
            else:
                prices = open_prices.get(dimension, {"": OTHERS})
                if participle:
                    prices = {**prices, **UNASKED_IN_PARTICIPLE.get(dimension, {})}
                price = cheapest(prices, said, OTHERS)
            unasked += price
            if price:
                assumed.append((dimension, "/".join(sorted(said))))
        return Candidate(
            *(cost + unasked, lexical, unasked, features, tuple(assumed)),
            rarity=self._rarity[features],
            silent=len(wanted.keys() - values.keys()),
        )

    def cell_or_new(self, wanted: Wanted) -> str:
        """The language's own cell for what is wanted, or else a bundle of the same values.

        >>> cells = Inventory({"N;NOM;SG": 1, "N;DAT;PL": 1})
        >>> cells.cell_or_new({POS: ("N",), "number": ("PL",), "case": ("DAT", "GEN")})
        'N;DAT;PL'
        >>> cells.cell_or_new({POS: ("V",), FORM: ("PTCP",), "number": ("PL",), "tense": ("PST",)})
        'V.PTCP;PST;PL'
        """
        ranked = self.rank(wanted)
        for best in ranked[:1]:
            assumed = {dimension for dimension, _ in best.assumed}
            if best.cost - best.unasked < NEW and best.unasked <= 2 and not assumed & AMBIGUOUS:
                return best.features
        return self.new_cell(wanted)

    def composed(self, wanted: Wanted) -> str | None:
        """A new bundle for what is wanted, if any two of its values occur together in some cell.

        Data that are samples of running text lack cells of large paradigms by chance. Finite verbs
        have gaps, such as requests to oneself, so nothing is composed for them.

        >>> seen = "V.PTCP;PRS;FEM;GEN", "V.PTCP;PRS;MASC;NOM", "V.PTCP;PST;MASC;GEN", "V;PRS;3"
        >>> cells = Inventory(dict.fromkeys(seen, 1))
        >>> participle = {POS: ("V",), FORM: ("PTCP",), "tense": ("PRS",)}
        >>> cells.composed({**participle, "gender": ("MASC",), "case": ("GEN",)})
        'V.PTCP;PRS;MASC;GEN'
        >>> cells.composed({**participle, "person": ("3",)})
        """
        wanted = self._as_present(self._as_noun(wanted))
        if not wanted.keys() <= self._priced:
            return None
        form = wanted.get(FORM, ("FIN",))[0]
        pairs = self._pairs.get((wanted.get(POS, ("",))[0], form))
        if pairs is None or (form == "FIN" and wanted.get(POS) == ("V",)):
            return None
        there = {item for pair in pairs for item in pair}
        # Usual values, such as the positive degree, are left out where cells leave them out.
        left_out = {
            dimension
            for dimension, tags in wanted.items()
            if cheapest(if_absent(dimension, form), either(dimension, tags[0]), MISSING) <= 2
            and not any((dimension, either(dimension, tag)) in there for tag in tags)
        }
        bundle = self.new_cell({d: tags for d, tags in wanted.items() if d not in left_out})
        own = [item for item in cell_values(bundle).items() if item[0] not in (POS, FORM)]
        if len(own) < 2 or not {name for name, _ in own} >= wanted.keys() - left_out - {POS, FORM}:
            return None
        found = all(frozenset(pair) in pairs for pair in combinations(own, 2))
        return bundle if found else None

    @cached_property
    def _pairs(self) -> Mapping[tuple[str, str], Collection[frozenset[Item]]]:
        """Which values occur together, by part of speech and verb form."""
        pairs: dict[tuple[str, str], set[frozenset[Item]]] = defaultdict(set)
        for _, values in self._cells:
            own = [item for item in values.items() if item[0] not in (POS, FORM)]
            kind = _first(values.get(POS, ())), _first(values.get(FORM, ("FIN",)))
            pairs[kind].update(map(frozenset, combinations(own, 2)))
        return pairs

    def new_cell(self, wanted: Wanted) -> str:
        """A bundle of the values that are wanted, but for usual ones that the language leaves out.

        >>> cells = Inventory({"V;PST": 1})
        >>> cells.new_cell({POS: ("V",), "gender": ("FEM",), "tense": ("PST",)})
        'V;PST'
        >>> cells.new_cell({POS: ("V",), FORM: ("PTCP",), "gender": ("FEM",), "tense": ("PST",)})
        'V.PTCP;PST;FEM'
        """
        pos = wanted.get(POS, ("",))[0]
        known = self._known_by_pos[pos]
        form = wanted.get(FORM, ("FIN",))[0]
        tags = [f"{pos}.{form}" if form in FORMS else pos, "NFIN" if form == "NFIN" else ""]
        for dimension in sorted(wanted.keys() - {POS, FORM}, key=_place):
            tag = self._usable(dimension, wanted[dimension], known)[0]
            usual = cheapest(if_absent(dimension, form), either(dimension, tag), MISSING) <= 2
            if dimension not in self.lexical.get(pos, ()) and not (
                usual and dimension not in known
            ):
                spelt = self._spelt.get((dimension, either(dimension, tag)))
                tags.append(spelt or tag.replace("/", "+"))
        return ";".join(filter(None, tags))

    @cached_property
    def _spelt(self) -> Mapping[tuple[str, frozenset[str]], str]:
        """How the data spell values, where it is not as usual: COMPV for CMPR."""
        tags = {tag for features in self.counts for tag in features.split(";")}
        return {
            item: tag for tag in sorted(tags & SAME.keys()) for item in cell_values(tag).items()
        }

    @staticmethod
    def _usable(
        dimension: str, alternatives: tuple[str, ...], known: Mapping[str, Collection[str]]
    ) -> tuple[str, ...]:
        """The first of the alternatives that the part of speech knows; of verb forms, all."""
        if dimension == FORM or len(alternatives) == 1:
            return alternatives
        there = known.get(dimension, ())
        return (next((tag for tag in alternatives if tag in there), alternatives[0]),)


def _place(dimension: str) -> tuple[int, str]:
    """Where its tag stands in a bundle; a second value of a dimension stands behind the first.

    >>> sorted(["possession.2", "number", "possession", "case"], key=_place)
    ['case', 'number', 'possession', 'possession.2']
    """
    name = dimension.partition(".")[0]
    return (ORDER.index(name) if name in ORDER else len(ORDER)), dimension


def _may_be_bare(wanted: Wanted) -> bool:
    usual = {FORM: "FIN", "tense": "PRS"}
    return wanted.get("mood", ("IND",))[0] in ("IND", "IMP", "SBJV") and all(
        wanted.get(dimension, (value,))[0] == value for dimension, value in usual.items()
    )


def _first(values: Iterable[str]) -> str:
    return min(values, default="")
