"""From what a user asks for to a cell of the language and a lemma as the data spell it.

The lexicon decides where it can: which parts of speech and genders a word has, and how it is
written. The rest is guessed from the ending of the word. Whatever the user left open is said in
notes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from itertools import chain
from typing import NamedTuple
from unicodedata import normalize

from stepwrite.data.features import parse, style_of
from stepwrite.errors import FeatureError
from stepwrite.morphology.cells import Cells, Choice, head_pos
from stepwrite.morphology.lexicon import Lexicon
from stepwrite.morphology.matching import Candidate, Inventory
from stepwrite.morphology.notation import Notation, Reading
from stepwrite.morphology.phrases import Phrase, phrases
from stepwrite.morphology.spelling import DOTLESS, joined, spellings
from stepwrite.morphology.universal import Wanted, as_verb
from stepwrite.morphology.values import POS, cell_values

Features = str | Mapping[str, str | int]
"""Features in any notation; see `Notation`."""

INFLECTED = (
    "case",
    "definiteness",
    "gender",
    "number",
    "person",
)  # what is assumed where it is left open


class Resolution(NamedTuple):
    """What a request means.

    features: a cell. read: the lemma as the lexicon or the training data spell it.
    notes: what was filled in, and why. mutation: of the form's first letter, if one is asked for.
    phrase: the lemma, if it has several words of which one is read.
    """

    features: str
    read: str
    notes: tuple[str, ...] = ()
    mutation: str = ""
    phrase: Phrase | None = None


class Resolver:
    """Finds the cells that requests mean.

    closed: whether the cells are all that the language has, as in the models that ship. With few
    training examples they are not, and other combinations of their values are allowed.
    language: its ISO 639-3 code, if it is known.
    """

    def __init__(
        self,
        cells: Cells,
        lexicon: Lexicon | None = None,
        *,
        closed: bool = True,
        language: str = "",
    ) -> None:
        self.cells, self.lexicon, self.closed = cells, lexicon, closed
        self.language, self.dotless = language, language in DOTLESS

    @cached_property
    def notation(self) -> Notation:
        """Of all cells; those that only the lexicon has are rare ones."""
        counts = dict(self.cells.counts)
        if self.lexicon is not None:
            known = {_key(features) for features in counts}
            for features in self.lexicon.bundles:
                if _key(features) not in known:
                    counts[features] = 1
        return Notation(Inventory(counts, self.cells.lexical))

    def resolve(self, lemma: str, features: Features, *, ignore: bool = False) -> Resolution:
        """The cell that is meant, and the lemma as it is read.

        Where cells can be missing, no value that the data know is given up for one that they have.
        Features that the model does not know, and cells that its language does not have, are a
        `FeatureError`, unless they are to be ignored.
        """
        for phrase in self._phrases(lemma):
            found = self.resolve(phrase.head, features, ignore=ignore)
            if phrase.fits(found.features) and not self._has(lemma, found.features):
                notes = (*found.notes, f"inflected word={phrase.head} (lexicon)")
                return found._replace(notes=notes, phrase=phrase)
        if isinstance(features, str) and features in self.cells.counts:
            return Resolution(features, self.spelt(lemma, features))
        if isinstance(features, str) and (of_verb := as_verb(features)) and self._is_verb(lemma):
            features = of_verb
        items = _items(features) if isinstance(features, str) else set()
        said = items & self._known_items
        own = isinstance(features, str) and said == items
        if own and ignore:
            return self._as_given(lemma, features)
        may_be_new = own and not self.closed and self._is_whole(items)
        lenient = ignore or may_be_new
        try:
            reading = self.notation.find(features)
        except FeatureError:
            if not lenient:
                raise
            reading = None
        if reading is not None and not (may_be_new and reading.best.cost > 0):
            chosen = self._chosen(lemma, reading)
            if self.closed or said <= _items(chosen.features):
                return chosen
        if lenient:
            return self._as_given(lemma, features)
        raise self.notation.error(features)

    def forms(self, read: str, features: str) -> tuple[str, ...]:
        """The attested forms of a cell, or of the word's own cell that means the same."""
        if self.lexicon is None or read not in self.lexicon:
            return ()
        found = self.lexicon.forms(read, features)
        if found or features not in self.cells.counts:
            return found
        reading = self.notation.read(features)
        own = self._attested(read, reading.candidates_of(head_pos(features)))
        return self.lexicon.forms(read, own.features) if own is not None else ()

    def spelt(self, lemma: str, features: str) -> str:
        """The lemma as the lexicon has it, or else as the training data would spell it.

        Of several spellings the first that has the cell: Russian *ребенок* may stand for *ребёнок*.
        """
        lexicon = self.lexicon
        if lexicon is None or (lemma in lexicon and lexicon.forms(lemma, features)):
            return lemma
        pos = head_pos(features)
        variants = list(spellings(lemma, dotless=self.dotless))
        known = [variant for variant in variants if variant in lexicon]
        if len(known) > 1 and features in self.cells.counts:
            known.sort(key=lambda variant: not self.forms(variant, features))
        if lemma in known[:1]:
            return lemma
        for variant in known:
            if not pos or pos in lexicon.parts_of_speech(variant):
                return variant
        if lemma in known:
            return lemma
        if lemma.isupper() and len(variants) > 2:
            likely = (v for v in variants[1:3] if self.cells.pos.guess(v) == pos)
            return next(likely, variants[1])
        return joined(lemma)

    def _is_verb(self, lemma: str) -> bool:
        """Whether a word is a verb, and neither a noun nor an adjective, besides."""
        parts = self._known_parts(lemma) or (self._guessed_pos(lemma),)
        return "V" in parts and not {"N", "ADJ"} & {*parts}

    def choices(self, lemma: str, pos: str | None, fixed: Mapping[str, str]) -> list[Choice]:
        """The paradigms of a lemma, the likeliest first; see `Cells.choices`."""
        readings = [] if self._known_parts(lemma) else self._phrases(lemma)
        for phrase in readings:
            if pos is None or phrase.pos in ("", pos):
                return self.choices(phrase.head, phrase.pos or pos, fixed)
        likely = self._guessed_pos(lemma)
        return self.cells.choices(self.spelt(lemma, pos or ""), pos, fixed, self.lexicon, likely)

    def _phrases(self, lemma: str) -> list[Phrase]:
        """How a lemma may be read as several words, the likeliest reading first."""
        if self.lexicon is None or not self.closed:
            return []
        return list(phrases(lemma, self.language, self._known_parts))

    def _has(self, lemma: str, features: str) -> bool:
        """Whether the lexicon has a cell of a word, however it is spelt."""
        return any(self.forms(spelt, features) for spelt in spellings(lemma, dotless=self.dotless))

    def _known_parts(self, lemma: str) -> tuple[str, ...]:
        """The parts of speech that the lexicon has for a word, however it is spelt."""
        if self.lexicon is None:
            return ()
        variants = spellings(lemma, dotless=self.dotless)
        return tuple(
            dict.fromkeys(chain.from_iterable(map(self.lexicon.parts_of_speech, variants)))
        )

    def _guessed_pos(self, lemma: str) -> str:
        """The part of speech of a word that the lexicon lacks: names are nouns."""
        is_name = self.closed and lemma[:1].isupper() and not lemma.isupper()
        return "N" if is_name and "N" in self.cells.lexical else self.cells.pos.guess(lemma)

    def _chosen(self, lemma: str, reading: Reading) -> Resolution:
        """The cell of this word among those that a request may mean."""
        notes = ["a combination of features that the data lack"] if reading.composed else []
        pos, read, source = self._part_of_speech(lemma, reading)
        candidates = reading.candidates_of(pos)
        if source and len(reading.parts_of_speech) > 1:
            notes.append(f"part of speech={pos} ({source})")
        chosen, source = self._attested(read, candidates), "lexicon"
        if chosen is None:
            chosen, source = self._guessed(read, pos, candidates), "guessed"
        values = cell_values(chosen.features)
        notes += [
            f"{slot}={'/'.join(sorted(values[slot]))} ({source})"
            for slot in self.cells.lexical.get(pos, ())
            if slot in values and not _says(reading.wanted, slot, values[slot])
        ]
        notes += [f"{dimension}={value} (assumed)" for dimension, value in chosen.assumed]
        return Resolution(chosen.features, read, tuple(notes))

    def _part_of_speech(self, lemma: str, reading: Reading) -> tuple[str, str, str]:
        """The part of speech, the lemma as it is read, and where the part of speech is from."""
        possible, is_said = reading.parts_of_speech, POS in reading.wanted
        found: list[tuple[str, str]] = []
        known: set[str] = set()
        if self.lexicon is not None:
            for variant in spellings(lemma, dotless=self.dotless):
                parts = self.lexicon.parts_of_speech(variant)
                known.update(parts)
                likely = self._likely([pos for pos in parts if pos in possible], reading)
                found += [(pos, variant) for pos in likely]
        if not is_said and "N" in possible and "N" not in known and "ADJ" in known:
            # Adjectives without such cells of their own, as in Turkish, inflect as nouns.
            prices = {pos: reading.candidates_of(pos)[0].total for pos in possible}
            if all(prices[pos] > prices["N"] + 2 for pos, _ in found):
                return "N", self.spelt(lemma, reading.candidates_of("N")[0].features), "guessed"
        for pos, variant in found:
            if self._attested(variant, reading.candidates_of(pos)) is not None:
                return pos, variant, "" if is_said else "lexicon"
        for pos, variant in found:
            return pos, variant, "" if is_said else "lexicon"
        pos = possible[0]
        if not is_said and (guess := self._guessed_pos(lemma)) in possible:
            pos = guess
        read = self.spelt(lemma, reading.candidates_of(pos)[0].features)
        return pos, read, "" if is_said else "guessed"

    @staticmethod
    def _likely(parts: list[str], reading: Reading) -> list[str]:
        """Without those whose cell fits much worse: *cat* in the plural is a noun, not a verb."""
        prices = [reading.candidates_of(pos)[0].total for pos in parts]
        return [pos for pos, price in zip(parts, prices, strict=True) if price <= min(prices) + 2]

    def _attested(self, read: str, candidates: tuple[Candidate, ...]) -> Candidate | None:
        """The best of the cells that the lexicon has for a word; of several genders the usual one.

        A cell of another number, say, than the one that is assumed where none is asked for counts
        only if the word is cited in it, as a noun without a singular is.
        """
        if self.lexicon is None or read not in self.lexicon:
            return None
        rows = [(cell_values(cell), form) for cell, form in self.lexicon.rows(read)]
        own = list(dict.fromkeys(frozenset(values.items()) for values, _ in rows))
        cited = [values for values, form in rows if form == read]
        usual = {"definiteness": "INDF"} | dict(candidates[0].assumed)
        found: list[Candidate] = []
        for candidate in candidates:
            unusual = {
                name: set(value.split("/"))
                for name, value in candidate.assumed
                if name in INFLECTED and usual.get(name, value) != value
            }
            if _key(candidate.features) in own and (
                not unusual or any(_has(values, unusual) for values in cited)
            ):
                found.append(candidate)
        alike = [candidate for candidate in found if _is_alike(candidate, found[0])]
        return min(alike, key=lambda candidate: own.index(_key(candidate.features)), default=None)

    def _guessed(self, read: str, pos: str, candidates: tuple[Candidate, ...]) -> Candidate:
        """The best of the cells that training showed, with the lexical values of the ending."""
        trained = [c for c in candidates if c.features in self.cells.counts] or candidates
        first = min(trained, key=lambda c: c.total)  # networks know little of rare cells
        best = [c for c in trained if (c.cost, c.lexical) == (first.cost, first.lexical)]
        for slot, endings in self.cells.lexical.get(pos, {}).items():
            guess = endings.guess(normalize("NFC", read))
            same = [c for c in best if guess in cell_values(c.features).get(slot, (guess,))]
            best = same or best
        return best[0]

    def _is_whole(self, items: set[tuple[str, str]]) -> bool:
        """Whether these can be all that a cell has; `PL` can't where cells name parts of speech."""
        return not items or _names_pos(items) or not _names_pos(self._known_items)

    @cached_property
    def _known_items(self) -> set[tuple[str, str]]:
        return {item for cell in self.cells.counts for item in _items(cell)}

    def _as_given(self, lemma: str, features: Features) -> Resolution:
        if not isinstance(features, str):
            features = ";".join(str(value) for value in features.values())
        return Resolution(features, self.spelt(lemma, features))


def _is_alike(one: Candidate, other: Candidate) -> bool:
    """Whether cells of nouns differ in nothing but their gender, or in person or animal.

    Most nouns that are a thing and a being are things.
    """
    if one is other:
        return True
    if head_pos(one.features) != "N" or (one.lexical, one.silent) != (other.lexical, other.silent):
        return False
    values, others = dict(_key(one.features)), dict(_key(other.features))
    for own in (values, others):
        own.pop("gender", None)
    animacy = {own.pop("animacy", frozenset()) for own in (values, others)} - {frozenset()}
    is_either = len(animacy) > 1 and frozenset(["INAN"]) in animacy
    return values == others and not is_either


def _key(features: str) -> frozenset[tuple[str, frozenset[str]]]:
    return frozenset(cell_values(features).items())


def _has(values: Mapping[str, frozenset[str]], wanted: Mapping[str, set[str]]) -> bool:
    """Whether a cell has one of the values wanted in each dimension."""
    return all(values.get(name, frozenset()) & some for name, some in wanted.items())


def _says(wanted: Wanted, slot: str, values: frozenset[str]) -> bool:
    """Whether a request names one of these values itself."""
    return any(values & set(re.split(r"[/+]", tag)) for tag in wanted.get(slot, ()))


def _names_pos(items: set[tuple[str, str]]) -> bool:
    return any(slot in (POS, "pos") for slot, _ in items)


def _items(features: str) -> set[tuple[str, str]]:
    parsed = parse(features, style_of([features]))
    return {(str(slot), value) for slot, value in parsed.items()}
