"""The lexicon of a model: the forms that its training data attest, in few bytes.

A text: how many bundles there are, a line each, then a line for each lemma with its cells,
`number of the bundle, symbols of the lemma cut off its end, symbols added`:

    2
    N;NOM;PL
    N;NOM;SG
    Bau     0 0 ten     1 0
    Tag     0 0 e       1 0

Compressed, a row of a training set takes four to six bytes.
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
"""An attested form wins over the network's; is only told from a guess; is not looked for."""


@dataclass(frozen=True)
class Lexicon:
    """Attested forms, looked up by lemma and features; cells are unpacked when asked for.

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
        """Of (lemma, features, form); the order of rows plays no part."""
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
        """How many forms there are."""
        return sum(packed.count("\t") + 1 for packed in self.cells.values())

    def rows(self, lemma: str) -> Iterator[tuple[str, str]]:
        """What is attested of a lemma: (features, form)."""
        lemma = normalize("NFC", lemma)
        for cell in filter(None, self.cells.get(lemma, "").split("\t")):
            try:
                number, cut, added = cell.split(" ", 2)
                row = self.bundles[int(number)], lemma[: len(lemma) - int(cut)] + added
            except (ValueError, IndexError):
                raise StepwriteError(f"lexicon: not a cell of {shown(lemma)}: {cell!r}") from None
            yield row

    def forms(self, lemma: str, features: str) -> tuple[str, ...]:
        """The attested forms of a cell; bundles that say the same in another order are the same."""
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
            cells = dict(line.split("\t", 1) for line in lines[n_bundles:])
        except ValueError:
            raise StepwriteError("not a lexicon") from None
        return cls(tuple(lines[:n_bundles]), cells)


def _n_shared(lemma: str, form: str) -> int:
    """How many symbols two words share at their start."""
    pairs = enumerate(zip(lemma, form, strict=False))
    return next((k for k, (a, b) in pairs if a != b), min(len(lemma), len(form)))


@lru_cache(maxsize=1 << 12)
def _key(features: str) -> frozenset[tuple[object, str]]:
    return frozenset(parse(features, style_of([features])).items())
