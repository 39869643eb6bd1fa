"""The lexicon of a model: the attested forms of its data, in a compact text format.

A form is kept as a change of its lemma, and lemmas of one part of speech whose cells change in the
same way share a class, so that a lemma takes little more than its spelling and a number. The text
has four tables, each after its number of lines:

    stepwrite lexicon 2
    2                   bundles of features
    N;NOM;PL
    N;NOM;SG
    2                   changes: edits from left to right, each `place cut text`
    0 0 e               append e; places count symbols from the end of the lemma
    0 0                 no change
    1                   classes: `bundle change` by their numbers, for each cell
    0 0 1 1
    2                   lemmas: frequency on the Zipf scale, classes by their numbers
    Jahr  6  0
    Tag   6  0

An edit at the start of the lemma has the place `^`: `^ 0 ge` and `2 2 t` make gemacht of
machen. Tabs separate the edits of a change and the columns of a lemma. The text is unpacked when
the first question is asked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import chain
from typing import Literal
from unicodedata import normalize

from stepwrite.data.features import parse, style_of
from stepwrite.errors import StepwriteError, shown
from stepwrite.morphology.cells import head_pos
from stepwrite.morphology.edits import change_of, changed, fitting, undone

Use = Literal["prefer", "flag", "off"]
"""Return attested forms; only mark them; ignore the lexicon."""

HEAD = "stepwrite lexicon 2"
Key = frozenset[tuple[str, str]]  # of a bundle: its values by slot


@dataclass(frozen=True)
class _Tables:
    """The tables of the text, by number; lemmas by spelling, their columns as they stand."""

    bundles: tuple[str, ...]
    changes: tuple[str, ...]
    classes: tuple[str, ...]
    lemmas: Mapping[str, str]


class Lexicon:
    """Attested forms, looked up by lemma and features.

    >>> rows = [("Bau", "N;NOM;PL", "Bauten"), ("Bau", "N;NOM;PL", "Baue"), ("Tag", "N;SG", "Tag")]
    >>> lexicon = Lexicon.fit(rows, {"Tag": 6})
    >>> lexicon.forms("Bau", "N;PL;NOM"), lexicon.forms("Bau", "N;SG")
    (('Bauten', 'Baue'), ())
    >>> "Tag" in lexicon, lexicon.frequency("Tag"), lexicon.parts_of_speech("Tag")
    (True, 6, ('N',))
    >>> Lexicon.from_text(lexicon.to_text()) == lexicon
    True
    """

    def __init__(self, text: Callable[[], str], source: str = "lexicon") -> None:
        """text: called once, when the first question is asked. source: named in errors."""
        self._unpack = text
        self._source = source

    def __reduce__(self) -> tuple[type[Lexicon], tuple[Callable[[], str], str]]:
        """Other processes get it packed."""
        return Lexicon, (self._unpack, self._source)

    @classmethod
    def fit(
        cls,
        rows: Iterable[tuple[str, str, str]],
        frequencies: Mapping[str, int] | None = None,
    ) -> Lexicon:
        """From rows of (lemma, features, form).

        The forms of a cell, and the parts of speech and genders of a lemma, keep the order of the
        rows.
        frequencies: of lemmas on the Zipf scale; 0 where they say nothing.
        """
        distinct = dict.fromkeys(
            (normalize("NFC", lemma), bundle, normalize("NFC", form))
            for lemma, bundle, form in rows
        )
        bundles = tuple(sorted({bundle for _, bundle, _ in distinct}))
        numbers = {bundle: number for number, bundle in enumerate(bundles)}
        cells: dict[str, dict[str, list[tuple[int, str]]]] = defaultdict(lambda: defaultdict(list))
        for lemma, bundle, form in distinct:
            cell = numbers[bundle], change_of(lemma, form)
            cells[lemma][head_pos(bundle)].append(cell)
        changes, classes = _Numbers(), _Numbers()
        lines = []
        for lemma in sorted(cells):
            of_lemma = []
            for pos, by_pos in cells[lemma].items():
                # Sorted, so that lemmas share classes; stable, so that forms keep their order.
                genders = _ranks(_gender(bundles[k]) for k, _ in by_pos) if pos == "N" else {}
                by_pos.sort(key=lambda cell: (genders.get(_gender(bundles[cell[0]]), 0), cell[0]))
                packed = " ".join(f"{number} {changes[change]}" for number, change in by_pos)
                of_lemma.append(str(classes[packed]))
            lines.append(f"{lemma}\t{(frequencies or {}).get(lemma, 0)}\t{' '.join(of_lemma)}")
        text = _text(bundles, changes, classes, lines)
        return cls(partial(str, text))

    @classmethod
    def from_text(cls, text: str) -> Lexicon:
        lexicon = cls(partial(str, text))
        _ = lexicon._tables  # refuse bad text at once
        return lexicon

    def to_text(self) -> str:
        tables = self._tables
        lines = [f"{lemma}\t{columns}" for lemma, columns in tables.lemmas.items()]
        return _text(tables.bundles, tables.changes, tables.classes, lines)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lexicon) and self._tables == other._tables

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def _tables(self) -> _Tables:
        lines = self._unpack().split("\n")
        if lines[0] != HEAD:
            return _of_format_1(lines, self._source)._tables
        tables, start = [], 1
        try:
            for _ in range(4):
                end = start + 1 + _count(lines[start])
                tables.append(lines[start + 1 : end])
                start = end
            bundles, changes, classes = (tuple(table) for table in tables[:3])
            lemmas = dict(line.split("\t", 1) for line in tables[3])
        except (ValueError, IndexError):
            raise StepwriteError(f"{self._source}: not a lexicon") from None
        if start != len(lines) or len(lemmas) != len(tables[3]):
            raise StepwriteError(f"{self._source}: its tables do not have the lines they say")
        return _Tables(bundles, changes, classes, lemmas)

    @property
    def bundles(self) -> tuple[str, ...]:
        return self._tables.bundles

    @property
    def lemmas(self) -> Collection[str]:
        return self._tables.lemmas.keys()

    def __contains__(self, lemma: str) -> bool:
        return normalize("NFC", lemma) in self._tables.lemmas

    def __len__(self) -> int:
        """The number of forms."""
        sizes = [packed.count(" ") // 2 + 1 for packed in self._tables.classes]
        return sum(sizes[number] for lemma in self.lemmas for number in self._entry(lemma)[1])

    def rows(self, lemma: str) -> Iterator[tuple[str, str]]:
        """The attested cells of a lemma: (features, form)."""
        bundles = self._tables.bundles
        yield from [(bundles[number], form) for number, form in self._cells(lemma)]

    def forms(self, lemma: str, features: str) -> tuple[str, ...]:
        """The attested forms of a cell, the usual one first; the order of tags does not matter."""
        return tuple([form for _, form in self._cells(lemma, _key(features))])

    def _cells(self, lemma: str, key: Key | None = None) -> list[tuple[int, str]]:
        """The numbers of a lemma's bundles with their forms: of one cell, or of all."""
        lemma = normalize("NFC", lemma)
        classes, changes, keys = self._tables.classes, self._tables.changes, self._keys
        try:
            return [
                (bundle, changed(lemma, changes[change]))
                for number in self._entry(lemma)[1]
                for bundle, change in _unpacked(classes[number])
                if keys[bundle] == key or key is None
            ]
        except (ValueError, IndexError):
            raise StepwriteError(f"{self._source}: bad cell of {shown(lemma)}") from None

    @cached_property
    def _keys(self) -> tuple[Key, ...]:
        return tuple([_key(bundle) for bundle in self._tables.bundles])

    def parts_of_speech(self, lemma: str) -> tuple[str, ...]:
        """Those of the lemma's cells, the likeliest first; V also for V.PTCP."""
        return tuple(dict.fromkeys(head_pos(bundle) for bundle, _ in self.rows(lemma)))

    def values(self, lemma: str, pos: str, slot: str) -> tuple[str, ...]:
        """The values that a slot, such as gender, has in a lemma's cells."""
        return tuple(
            dict.fromkeys(
                value
                for bundle, _ in self.rows(lemma)
                if head_pos(bundle) == pos
                for name, value in _values(bundle)
                if name == slot
            )
        )

    def lemmas_of(self, form: str) -> list[tuple[str, str]]:
        """The lemmas that have a form, each with its cells: (lemma, features)."""
        form = normalize("NFC", form)
        stems = {undone(form, change) for change in self._tables.changes}
        fits = (fitting(stem, self._by_length) for stem in stems if stem is not None)
        return [
            (lemma, features)
            for lemma in sorted(set(chain.from_iterable(fits)))
            for features, written in self.rows(lemma)
            if written == form
        ]

    @cached_property
    def _by_length(self) -> Mapping[int, Sequence[str]]:
        found: defaultdict[int, list[str]] = defaultdict(list)
        for lemma in sorted(self.lemmas):
            found[len(lemma)].append(lemma)
        return found

    def frequency(self, lemma: str) -> int:
        """On the Zipf scale: 7 for the most frequent words, 4 for common ones, 0 if not known."""
        return self._entry(normalize("NFC", lemma))[0]

    def _entry(self, lemma: str) -> tuple[int, list[int]]:
        """The frequency of a lemma, and the numbers of its classes."""
        columns = self._tables.lemmas.get(lemma)
        if columns is None:
            return 0, []
        try:
            frequency, _, numbers = columns.partition("\t")
            found = [int(number) for number in numbers.split(" ")]
            if not 0 <= min(found) <= max(found) < len(self._tables.classes):
                raise ValueError
            return int(frequency), found
        except ValueError:
            raise StepwriteError(
                f"{self._source}: bad entry of {shown(lemma)}: {columns!r}"
            ) from None


def _count(text: str) -> int:
    if (count := int(text)) < 0:
        raise ValueError
    return count


def _gender(bundle: str) -> tuple[str, str]:
    """A noun's gender and animacy."""
    values = dict(_key(bundle))
    return values.get("gender", ""), values.get("animacy", "")


def _ranks(values: Iterable[tuple[str, str]]) -> dict[tuple[str, str], int]:
    return {value: rank for rank, value in enumerate(dict.fromkeys(values))}


def _text(*tables: Collection[str]) -> str:
    return "\n".join([HEAD, *(line for table in tables for line in (str(len(table)), *table))])


class _Numbers(dict[str, int]):
    """Numbers texts as they come."""

    def __missing__(self, text: str) -> int:
        self[text] = len(self)
        return self[text]


@lru_cache(maxsize=1 << 8)
def _unpacked(cells: str) -> tuple[tuple[int, int], ...]:
    """The cells of a class: the numbers of a bundle and of a change."""
    numbers = [int(number) for number in cells.split(" ")]
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


@lru_cache(maxsize=1 << 12)
def _key(features: str) -> Key:
    """What the bundles of a cell have in common; FEM+MASC is the same as MASC+FEM."""
    return frozenset(
        (slot, "+".join(sorted(value.split("+")))) for slot, value in _values(features)
    )


def _values(features: str) -> Iterator[tuple[str, str]]:
    for slot, value in parse(features, style_of([features])).items():
        yield str(slot), value


def _of_format_1(lines: list[str], source: str) -> Lexicon:
    """A lexicon whose lemmas have a column for each cell: `bundle, symbols cut, text appended`."""
    rows = []
    try:
        end = _count(lines[0]) + 1
        bundles, entries = lines[1:end], lines[end:]
        for lemma, cells in (entry.split("\t", 1) for entry in entries):
            for cell in cells.split("\t"):
                number, cut, text = cell.split(" ", 2)
                rows.append((lemma, bundles[int(number)], lemma[: len(lemma) - int(cut)] + text))
    except (ValueError, IndexError):
        raise StepwriteError(f"{source}: not a lexicon") from None
    return Lexicon.fit(rows)
