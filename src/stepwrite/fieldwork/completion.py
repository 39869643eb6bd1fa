"""Empty cells of paradigms, filled from the forms that are given.

The lemma alone often leaves the inflection class open; a genitive or a plural closes it. Each
given form has a say (`stepwrite.fieldwork.analogy`), and the network has one, which knows the
lemma and the features.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from stepwrite.data.examples import Example
from stepwrite.data.segmentation import Segmentation, Symbols
from stepwrite.fieldwork.analogy import (
    LEMMA,
    Analogies,
    Opinion,
    agreed,
    cell_names,
    paradigms,
    word_of,
)

if TYPE_CHECKING:
    from stepwrite.inflector import Inflector

N_BEST = 5
CHUNK = 64


class Filled(NamedTuple):
    """A form for an empty cell. probability: how sure it is, between 0 and 1."""

    form: str
    probability: float


def complete(
    inflector: Inflector,
    rows: Sequence[Example],
    collected: Iterable[Example] = (),
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[int, Filled]:
    """The forms of the rows that have none, by their numbers.

    rows: a table of paradigms, half filled. collected: more words whose forms are known, such as
    those that the model was trained on; the table's own words count, too.
    """
    empty = [number for number, row in enumerate(rows) if not row.form]
    segmentation = inflector.model.segmentation
    completer = Completer([*collected, *rows], segmentation)
    found: dict[int, Filled] = {}
    for start in range(0, len(empty), CHUNK):
        chunk = empty[start : start + CHUNK]
        opinions = network_opinions(inflector, [rows[number] for number in chunk])
        for number, opinion in zip(chunk, opinions, strict=True):
            found[number] = completer.fill(rows[number], opinion)
        progress(start + len(chunk), len(empty))
    return found


class Completer:
    """Fills cells from what is known of words."""

    def __init__(self, known: Iterable[Example], segmentation: Segmentation) -> None:
        self.segmentation = segmentation
        known = list(known)
        self.cell_of = cell_names(known)
        self.words = paradigms(known, segmentation, self.cell_of)
        self.analogies = Analogies(self.words)

    def fill(self, row: Example, network: Opinion | None = None) -> Filled:
        given = {cell: forms[0] for cell, forms in self.words[word_of(row)].items()}
        shares = self.shares(given, self.cell_of(row.features), network)
        form, share = next(iter(shares.items()))
        return Filled(self.segmentation.join_form(form), share)

    def shares(
        self, given: dict[str, Symbols], cell: str, network: Opinion | None = None
    ) -> dict[Symbols, float]:
        """How likely each form of a cell is, the likeliest first."""
        opinions = self.analogies.opinions(given, cell)
        if network is not None:
            # It knows the lemma alone: the more forms are given, the less it counts.
            opinions.append(replace(network, weight=network.weight / len(given)))
        return agreed(opinions) or {given[LEMMA]: 0.0}


def network_opinions(inflector: Inflector, rows: Iterable[Example]) -> Iterator[Opinion]:
    """What the model's networks say about rows: their best forms."""
    split = inflector.model.segmentation.form
    for prediction in inflector.batch(rows, n_best=N_BEST):
        shares = {split(prediction.form): prediction.probability}
        for other in prediction.alternatives:
            shares.setdefault(split(other.form), other.probability)
        yield opinion_of(shares)


def opinion_of(shares: dict[Symbols, float]) -> Opinion:
    """A network's opinion: like any other source, it counts less if it is unsure."""
    return Opinion(shares, max(0.0, 1 - sum(shares.values())), max(shares.values()) ** 2)
