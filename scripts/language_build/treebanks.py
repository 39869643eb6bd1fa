"""Words of running text: rows of `ud`, in the cells of the language's other sources."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from language_build.rows import Row
from language_build.sources import Places
from stepwrite.errors import StepwriteError
from stepwrite.morphology.cells import head_pos
from stepwrite.morphology.matching import MISSING, NEAR, Inventory
from stepwrite.morphology.universal import Wanted, wanted_of

SOURCE = "ud"


class Word(NamedTuple):
    """A word of running text; features in the notation of Universal Dependencies."""

    lemma: str
    features: str
    form: str
    times: int


def words(places: Places, iso: str, options: Mapping[str, Any]) -> Iterator[Word]:
    path = places.corpora / "ud" / f"{options.get('file', iso)}.tsv"
    for line in path.read_text("utf-8").splitlines():
        lemma, form, features, count = line.split("\t")
        # Finnish lemmas mark where compounds are joined.
        yield Word(lemma.replace("#", ""), features, form, int(count))


def in_cells(found: Iterable[Word], rows: Iterable[Row]) -> Iterator[tuple[str, str, str]]:
    """The words that other sources do not know, as rows, the usual form of a cell first.

    Their cells are those that a request in their notation finds at run time. Where the other
    sources have no such cell, it is made of the tags that the features stand for. Words without
    features say nothing about a cell.
    """
    rows = list(rows)
    inventory = Inventory(Counter(row.bundle for row in rows))
    known: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in rows:
        known[row.lemma][row.bundle].add(row.form)
    cells: dict[str, list[str]] = {}
    for word in sorted(found, key=lambda word: -word.times):
        if word.features not in cells:
            cells[word.features] = _cells(word.features, inventory)
        own = known.get(word.lemma, {})
        candidates = cells[word.features]
        if candidates and not any(word.form in own.get(cell, ()) for cell in candidates):
            yield word.lemma, next((c for c in candidates if c in own), candidates[0]), word.form


def _cells(features: str, inventory: Inventory) -> list[str]:
    """The cells that could be meant, the likeliest first."""
    if "=" not in features:
        return []
    try:
        wanted = wanted_of(features)
    except StepwriteError:
        return []
    ranked = inventory.rank(wanted)
    if ranked and ranked[0].cost < MISSING:
        return [c.features for c in ranked if c.cost < min(MISSING, ranked[0].cost + NEAR)]
    heads = {head_pos(bundle) for bundle in inventory.counts}
    return [] if heads & set(wanted["part of speech"]) else [bundle_of(wanted)]


def bundle_of(wanted: Wanted) -> str:
    """The tags that are wanted; what is usual (active, indicative, positive) stays unsaid.

    >>> bundle_of({"part of speech": ("V", "AUX"), "verb form": ("PTCP",), "voice": ("ACT",)})
    'V.PTCP'
    """
    usual = {("voice", "ACT"), ("comparison", "POS"), ("polarity", "POS"), ("verb form", "FIN")}
    tags = {d: tags[0] for d, tags in wanted.items() if (d, tags[0]) not in usual}
    form = tags.pop("verb form", "")
    pos = tags.pop("part of speech")
    first = f"{pos};NFIN" if form == "NFIN" else f"{pos}.{form}" if form else pos
    return ";".join([first, *tags.values()])
