"""Paradigm cells: which feature bundles occurred in training, and which of them a word has.

Some features are inflectional (case), others lexical (gender). The data shows which: two cells of
one lemma differ in case as often as any two cells do, but almost never in gender. The paradigm of a
lemma consists of all cells of its part of speech that agree with its lexical values, which are
guessed from its ending.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Protocol

from stepwrite.data.features import parse, part_of_speech, style_of
from stepwrite.errors import StepwriteError, shown
from stepwrite.morphology.endings import Endings

LEXICAL = 0.25  # lexical features have a smaller ratio, inflectional ones about 1
# What no word has of its own, however few values its rows in the data have.
INFLECTIONAL = {
    *("case", "comparison", "definiteness", "language-specific", "mood", "part of speech"),
    *("person", "polarity", "politeness", "tense", "voice"),
}
RARE = 50  # a cell that is this many times rarer than the most frequent one: few words have it
PAIRS = 20  # the fewest pairs of cells of one lemma to decide from

Values = Mapping[str, str]  # slot -> value


class KnownWords(Protocol):
    """What a lexicon knows of the parts of speech and lexical values of lemmas."""

    def parts_of_speech(self, lemma: str) -> tuple[str, ...]: ...

    def values(self, lemma: str, pos: str, slot: str) -> tuple[str, ...]: ...

    def rows(self, lemma: str) -> Iterable[tuple[str, str]]: ...


@dataclass(frozen=True)
class Choice:
    """The cells of a lemma, and how they were selected.

    values: of the lexical slots and of the slots that the user fixed.
    guessed: which of "part of speech" and the slots of `values` were guessed.
    """

    pos: str
    values: Values
    guessed: tuple[str, ...]
    bundles: tuple[str, ...]


@dataclass(frozen=True)
class Cells:
    """The cells of the training data.

    counts: how often each bundle occurred; bundles with the same values count as one.
    pos: guesses the part of speech of a lemma.
    lexical: guesses the lexical values of a lemma, by part of speech and slot.

    >>> nouns = {"Haus": "NEUT", "Maus": "FEM", "Laus": "FEM", "Dach": "NEUT"} | {
    ...     f"{letter}aus": "FEM" for letter in "BDFGKPST"
    ... }
    >>> cells = Cells.fit(
    ...     (lemma, f"N;{gender};{cell}")
    ...     for lemma, gender in nouns.items()
    ...     for cell in ("NOM;SG", "NOM;PL", "DAT;PL")
    ... )
    >>> list(cells.lexical["N"])
    ['gender']
    >>> cells.choose("Haus").bundles
    ('N;NEUT;DAT;PL', 'N;NEUT;NOM;PL', 'N;NEUT;NOM;SG')
    >>> cells.choose("Raus", fixed={"number": "PL"})
    Choice(pos='N', values={'number': 'PL', 'gender': 'FEM'}, guessed=('gender',), \
bundles=('N;FEM;DAT;PL', 'N;FEM;NOM;PL'))
    """

    counts: Mapping[str, int]
    pos: Endings
    lexical: Mapping[str, Mapping[str, Endings]]

    @classmethod
    def fit(cls, rows: Iterable[tuple[str, str]]) -> Cells:
        """Learn from the (lemma, features) of a training set."""
        by_lemma: dict[str, Counter[str]] = defaultdict(Counter)
        spellings = Counter[str]()
        for lemma, features in rows:
            by_lemma[unicodedata.normalize("NFC", lemma)][features] += 1
            spellings[features] += 1
        values = values_of(spellings)
        counts: dict[frozenset[tuple[str, str]], Counter[str]] = defaultdict(Counter)
        for features, count in spellings.items():
            counts[frozenset(values[features].items())][features] += count
        merged = {
            min(spelt, key=lambda features: (-spelt[features], features)): spelt.total()
            for spelt in counts.values()
        }
        by_pos: dict[str, dict[str, list[Values]]] = defaultdict(lambda: defaultdict(list))
        for lemma, bundles in by_lemma.items():
            for features in bundles:
                by_pos[head_pos(features)][lemma].append(values[features])
        pos_of = {
            lemma: _most_frequent(map(head_pos, bundles.elements()))
            for lemma, bundles in by_lemma.items()
        }
        return cls(
            counts=dict(sorted(merged.items())),
            pos=Endings.fit(pos_of),
            lexical={pos: _lexical(by_pos[pos]) for pos in sorted(by_pos)},
        )

    @property
    def parts_of_speech(self) -> tuple[str, ...]:
        return tuple(self.lexical)

    @cached_property
    def _values(self) -> dict[str, Values]:
        return values_of(self.counts)

    def choose(self, lemma: str, pos: str | None = None, fixed: Values | None = None) -> Choice:
        """The cells of a lemma: those of its part of speech with its lexical and fixed values.

        A cell without a lexical slot (an infinitive without aspect) fits all its values.
        """
        return self.choices(lemma, pos, fixed)[0]

    def choices(
        self,
        lemma: str,
        pos: str | None = None,
        fixed: Values | None = None,
        lexicon: KnownWords | None = None,
        likely: str | None = None,
    ) -> list[Choice]:
        """The paradigms that a lemma may have, the likeliest first.

        There are several if the lexicon has several parts of speech or genders for it. What the
        lexicon does not know is guessed from the ending, but for a part of speech that is `likely`.
        """
        lemma = unicodedata.normalize("NFC", lemma)
        known = [part for part in _known_parts(lemma, lexicon) if part in self.lexical]
        parts = [pos] if pos is not None else known or [likely or self.pos.guess(lemma)]
        is_guess = pos is None and not known and len(self.lexical) > 1
        guessed = ["part of speech"] if is_guess else []
        if parts[0] not in self.lexical:
            known_parts = _list(self.lexical)
            raise StepwriteError(f"unknown part of speech {shown(parts[0])}: use {known_parts}")
        found: list[Choice] = []
        problem: StepwriteError | None = None
        for part in parts:
            try:
                found += self._of_part(lemma, part, dict(fixed or {}), guessed, lexicon)
            except StepwriteError as error:  # a fixed value that another part of speech may have
                problem = problem or error
        if not found and problem is not None:
            raise problem
        return found

    def _of_part(
        self,
        lemma: str,
        pos: str,
        fixed: dict[str, str],
        guessed: list[str],
        lexicon: KnownWords | None,
    ) -> list[Choice]:
        """The paradigms of a part of speech, one for each combination of lexical values."""
        bundles = [features for features in self.counts if head_pos(features) == pos]
        usual = self._usual(lemma, bundles, lexicon)
        for slot, value in fixed.items():
            self._check(slot, value, pos)
            absent = value if slot in self.lexical[pos] else ""
            bundles = [f for f in bundles if self._values[f].get(slot, absent) == value]
        variants = [(fixed, guessed, bundles)]
        for slot, endings in self.lexical[pos].items():
            if slot in fixed:
                continue
            attested = lexicon.values(lemma, pos, slot) if lexicon is not None else ()
            values = [v for v in attested if any(self._values[f].get(slot) == v for f in bundles)]
            reasons = [] if values else [slot]
            variants = [
                (
                    {**chosen, slot: value},
                    [*said, *reasons],
                    [f for f in left if self._values[f].get(slot, value) == value],
                )
                for chosen, said, left in variants
                for value in values or [endings.guess(lemma)]
            ]
        found = [
            Choice(pos, chosen, tuple(said), tuple(filter(usual.__contains__, left)) or tuple(left))
            for chosen, said, left in variants
            if left
        ]
        if not found:
            raise StepwriteError(f"the training data has no cell with {_pairs(variants[0][0])}")
        return found

    def _usual(self, lemma: str, bundles: list[str], lexicon: KnownWords | None) -> set[str]:
        """The cells of a part of speech; of rare ones, those that the lexicon has for the lemma."""
        if lexicon is None:
            return set(bundles)
        most = max((self.counts[features] for features in bundles), default=0)
        own = {features for features, _ in lexicon.rows(lemma)}
        return {f for f in bundles if RARE * self.counts[f] >= most or f in own}

    def nearest(self, features: str) -> str | None:
        """The bundle in the training data that is most similar to an unseen one.

        None if the bundle did occur, or if no bundle shares anything with it.

        >>> cells = Cells.fit([("go", "V;PST"), ("go", "V;PRS;3;SG"), ("dog", "N;SG")])
        >>> cells.nearest("V;3;SG"), cells.nearest("SG;3;PRS;V"), cells.nearest("FUT")
        ('V;PRS;3;SG', None, None)
        """
        if features in self.counts:
            return None
        wanted = {str(slot): v for slot, v in parse(features, style_of(self.counts)).items()}

        def likeness(bundle: str) -> tuple[int, int, int]:
            values = self._values[bundle]
            return len(wanted.items() & values.items()), -len(values), self.counts[bundle]

        best = max(self.counts, key=likeness)
        return best if likeness(best)[0] and self._values[best] != wanted else None

    def _check(self, slot: str, value: str, pos: str) -> None:
        known: dict[str, set[str]] = defaultdict(set)
        for features, values in self._values.items():
            if head_pos(features) == pos:
                for name in values:
                    known[name].add(values[name])
        if slot not in known:
            raise StepwriteError(
                f"unknown feature {shown(slot)} for {pos or 'words'}: use {_list(known)}"
            )
        if value not in known[slot]:
            raise StepwriteError(
                f"unknown value {shown(value)} of {slot} for {pos or 'words'}: "
                f"use {_list(known[slot])}"
            )

    def to_json(self) -> dict[str, Any]:
        """Plain data, for the model directory."""
        return {
            "counts": dict(self.counts),
            "pos": dict(self.pos.rules),
            "lexical": {
                pos: {slot: dict(endings.rules) for slot, endings in slots.items()}
                for pos, slots in self.lexical.items()
            },
        }

    @classmethod
    def from_json(cls, data: object) -> Cells:
        match data:
            case {"counts": dict(counts), "pos": dict(pos), "lexical": dict(lexical)}:
                slots = [slots for slots in lexical.values() if isinstance(slots, dict)]
                rules = [pos, *(rules for entry in slots for rules in entry.values())]
            case _:
                raise StepwriteError("cells: missing counts, parts of speech or lexical features")
        labels = [label for entry in rules if isinstance(entry, dict) for label in entry.values()]
        sound = bool(counts) and all(type(count) is int for count in counts.values())
        sound &= all(isinstance(label, str) for label in labels)
        sound &= len(slots) == len(lexical) and all(isinstance(entry, dict) for entry in rules)
        if not sound:
            raise StepwriteError("cells: malformed counts or rules")
        guesses = {
            part: {slot: Endings(entry) for slot, entry in slots.items()}
            for part, slots in lexical.items()
        }
        return cls(counts, Endings(pos), guesses)


def _known_parts(lemma: str, lexicon: KnownWords | None) -> tuple[str, ...]:
    return () if lexicon is None else lexicon.parts_of_speech(lemma)


@lru_cache(maxsize=1 << 13)
def head_pos(features: str) -> str:
    """The part of speech whose paradigm contains a bundle: V also for V.PTCP.

    >>> head_pos("V.PTCP;PST"), head_pos("pos=N,case=DAT"), head_pos("PL")
    ('V', 'N', '')
    """
    return part_of_speech(features).partition(".")[0]


def values_of(bundles: Collection[str]) -> dict[str, Values]:
    """The values of each bundle by slot name.

    >>> values_of(["N;DAT;PL"])
    {'N;DAT;PL': {'part of speech': 'N', 'case': 'DAT', 'number': 'PL'}}
    """
    style = style_of(bundles)
    return {
        features: {str(slot): value for slot, value in parse(features, style).items()}
        for features in bundles
    }


def _lexical(by_lemma: Mapping[str, list[Values]]) -> dict[str, Endings]:
    """The slots in which cells of one lemma hardly differ, with rules to guess their values."""
    slots = {slot for cells in by_lemma.values() for values in cells for slot in values}
    lexical = {}
    for slot in sorted(slots - INFLECTIONAL):
        by_word = {
            lemma: found
            for lemma, cells in by_lemma.items()
            if (found := [values[slot] for values in cells if slot in values])
        }
        differ, pairs = (
            sum(column) for column in zip(*map(_pairs_of, by_word.values()), strict=True)
        )
        all_differ, all_pairs = _pairs_of([value for found in by_word.values() for value in found])
        if all_differ and pairs >= PAIRS and differ / pairs < LEXICAL * all_differ / all_pairs:
            lexical[slot] = Endings.fit({w: _most_frequent(found) for w, found in by_word.items()})
    return lexical


def _pairs_of(values: list[str]) -> tuple[int, int]:
    """How many pairs of values differ, and how many there are.

    >>> _pairs_of(["SG", "SG", "PL"])
    (2, 3)
    """
    n = len(values)
    return (n * n - sum(count**2 for count in Counter(values).values())) // 2, n * (n - 1) // 2


def _most_frequent(values: Iterable[str]) -> str:
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], value))


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _pairs(values: Values) -> str:
    return ", ".join(f"{slot}={value}" for slot, value in values.items())
