"""Words of running text: rows of `ud`, in the cells of the language's other sources."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from language_build.rows import Row
from language_build.sources import Places
from stepwrite.errors import StepwriteError
from stepwrite.morphology.matching import MISSING, NEAR, NEW, Inventory
from stepwrite.morphology.universal import Wanted, wanted_of

SOURCE = "ud"
ENOUGH_LEMMAS, ENOUGH_WORDS = 2, 5  # that have a cell which no other source knows
UNMARKED = 6  # what the values of an unmarked cell, such as the nominative singular, cost at most
UNINFLECTED = 0.9  # of words without features are equal to their lemmas, or nothing is known


class Word(NamedTuple):
    """A word of running text; features in the notation of Universal Dependencies."""

    lemma: str
    features: str
    form: str
    times: int


def words(places: Places, iso: str, options: Mapping[str, Any]) -> Iterator[Word]:
    """The words of a treebank, but for what is not the usual form of any cell.

    That is colloquial words, words with clitics, and words in capitals.
    """
    path = places.corpora / "ud" / f"{options.get('file', iso)}.tsv"
    for line in path.read_text("utf-8").splitlines():
        lemma, form, features, count = line.split("\t")
        shouted = lemma.islower() and form[1:] != form[1:].lower()
        if not shouted and "Clitic=" not in features and "Style=" not in features:
            # Finnish lemmas mark where compounds are joined.
            lemma, form = (text.replace("i\u0307", "i") for text in (lemma.replace("#", ""), form))
            yield Word(lemma, features, form, int(count))


def in_cells(found: Iterable[Word], rows: Iterable[Row]) -> Iterator[tuple[str, str, str]]:
    """The words that other sources do not know, as rows: the usual form of each cell.

    Their cells are those that a request in their notation finds at run time. Where the other
    sources have no such cell, it is made of the tags that the features stand for. Words without
    features count where they are words that do not inflect, equal to their lemmas.
    """
    rows = list(rows)
    words = sorted(found, key=lambda word: -word.times)
    silent = _silent(words)
    wanted = {
        word: values
        for word in words
        if word.features not in silent and (values := _wanted(word.features))
    }
    counts = Counter(row.bundle for row in rows)
    inventory = Inventory(counts + _new_cells(wanted, Inventory(counts)))
    known: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in rows:
        known[row.lemma][row.bundle].add(row.form)
    cells: dict[str, list[str]] = {}
    seen: set[tuple[str, str]] = set()
    for word, values in wanted.items():
        if word.lemma not in known and word.lemma.lower() in known:  # a title, or an error
            word = word._replace(lemma=word.lemma.lower(), form=word.form.lower())
        if word.features not in cells:
            cells[word.features] = _cells(values, inventory)
        own = known.get(word.lemma, {})
        candidates = cells[word.features]
        if candidates and not any(word.form in own.get(cell, ()) for cell in candidates):
            cell = next((c for c in candidates if c in own), candidates[0])
            if (word.lemma, cell) not in seen:
                seen.add((word.lemma, cell))
                yield word.lemma, cell, word.form


def _silent(words: Iterable[Word]) -> set[str]:
    """Parts of speech without features in a treebank that did not annotate them."""
    equal, every = Counter[str](), Counter[str]()
    for word in words:
        if "=" not in word.features:
            every[word.features] += word.times
            equal[word.features] += word.times * (word.lemma == word.form)
    return {features for features in every if equal[features] < UNINFLECTED * every[features]}


def _wanted(features: str) -> Wanted:
    try:
        return wanted_of(features)
    except StepwriteError:
        return {}


def _new_cells(wanted: Mapping[Word, Wanted], inventory: Inventory) -> Counter[str]:
    """The cells that only running text has, each with how many lemmas have it."""
    lemmas: dict[str, set[str]] = defaultdict(set)
    times: Counter[str] = Counter()
    for word, values in wanted.items():
        if not _cells(values, inventory):
            cell = inventory.cell_or_new(values)
            lemmas[cell].add(word.lemma)
            times[cell] += word.times
    enough = (
        cell for cell in times if len(lemmas[cell]) >= ENOUGH_LEMMAS or times[cell] >= ENOUGH_WORDS
    )
    return Counter({cell: len(lemmas[cell]) for cell in enough})


def _cells(wanted: Wanted, inventory: Inventory) -> list[str]:
    """The cells that could be meant, the likeliest first."""
    ranked = inventory.rank(wanted)
    if not ranked or ranked[0].cost - ranked[0].unasked >= NEW:
        return []
    if len(wanted) == 1 and ranked[0].unasked > UNMARKED:
        return []
    return [c.features for c in ranked if c.cost < min(MISSING, ranked[0].cost + NEAR)]
