"""The lexicon of a model: the attested forms of its training data in a compact text format.

The text holds the number of bundles, one line per bundle, then one line per lemma with its cells:
`number of the bundle, number of symbols removed from the end of the lemma, symbols appended`.

    2
    N;NOM;PL
    N;NOM;SG
    Bau     0 0 ten     1 0
    Tag     0 0 e       1 0

Compressed, a row of a training set takes two to six bytes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal
from unicodedata import normalize

from stepwrite.data.features import parse, style_of
from stepwrite.errors import StepwriteError, shown

Use = Literal["prefer", "flag", "off"]
"""Return attested forms; only mark them; ignore the lexicon."""


@dataclass(frozen=True)
class Lexicon:
    """Attested forms, looked up by lemma and features; cells are unpacked on demand.

    >>> lexicon = Lexicon.fit([("Bau", "N;NOM;PL", "Bauten"), ("Tag", "N;NOM;PL", "Tage")])
    >>> lexicon.forms("Bau", "N;PL;NOM"), lexicon.forms("Bau", "N;NOM;SG")
    (('Bauten',), ())
    >>> Lexicon.from_text(lexicon.to_text()) == lexicon
    True
    """

    bundles: tuple[str, ...]
    cells: Mapping[str, str]

    @classmethod
    def fit(cls, rows: Iterable[tuple[str, str, str]]) -> Lexicon:
        """From rows of (lemma, features, form); their order has no effect."""
        distinct = {(normalize("NFC", lemma), bundle, form) for lemma, bundle, form in rows}
        bundles = tuple(sorted({bundle for _, bundle, _ in distinct}))
        numbers = {bundle: number for number, bundle in enumerate(bundles)}
        cells: dict[str, list[str]] = defaultdict(list)
        for lemma, bundle, form in sorted(distinct):
            form = normalize("NFC", form)
            shared = _n_shared(lemma, form)
            cells[lemma].append(f"{numbers[bundle]} {len(lemma) - shared} {form[shared:]}")
        return cls(bundles, {lemma: "\t".join(packed) for lemma, packed in cells.items()})

    def __len__(self) -> int:
        """The number of forms."""
        return sum(packed.count("\t") + 1 for packed in self.cells.values())

    def rows(self, lemma: str) -> Iterator[tuple[str, str]]:
        """The attested cells of a lemma: (features, form)."""
        lemma = normalize("NFC", lemma)
        for cell in filter(None, self.cells.get(lemma, "").split("\t")):
            try:
                number, cut, added = cell.split(" ", 2)
                row = self.bundles[int(number)], lemma[: len(lemma) - int(cut)] + added
            except (ValueError, IndexError):
                raise StepwriteError(
                    f"lexicon: bad cell of {shown(lemma)}: {shown(cell)}"
                ) from None
            yield row

    def forms(self, lemma: str, features: str) -> tuple[str, ...]:
        """The attested forms of a cell; the order of the tags does not matter."""
        key = _key(features)
        return tuple(form for bundle, form in self.rows(lemma) if _key(bundle) == key)

    def to_text(self) -> str:
        lines = [str(len(self.bundles)), *self.bundles]
        return "\n".join([*lines, *(f"{lemma}\t{cells}" for lemma, cells in self.cells.items())])

    @classmethod
    def from_text(cls, text: str) -> Lexicon:
        size, *lines = text.split("\n")
        try:
            n_bundles = int(size)
            if not 0 <= n_bundles <= len(lines):
                raise ValueError
            cells = dict(line.split("\t", 1) for line in lines[n_bundles:])
        except ValueError:
            raise StepwriteError("not a lexicon") from None
        return cls(tuple(lines[:n_bundles]), cells)


def _n_shared(lemma: str, form: str) -> int:
    """The length of the common prefix of two words."""
    pairs = enumerate(zip(lemma, form, strict=False))
    return next((k for k, (a, b) in pairs if a != b), min(len(lemma), len(form)))


@lru_cache(maxsize=1 << 12)
def _key(features: str) -> frozenset[tuple[object, str]]:
    return frozenset(parse(features, style_of([features])).items())
