"""Words of running text: rows of `ud`, in the cells of the language's other sources."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from language_build.rows import Row
from language_build.sources import Places
from stepwrite.errors import StepwriteError
from stepwrite.morphology.cells import head_pos
from stepwrite.morphology.matching import Inventory
from stepwrite.morphology.prices import MISSING, NEAR, NEW
from stepwrite.morphology.spelling import joined
from stepwrite.morphology.universal import Wanted, wanted_of
from stepwrite.morphology.values import cell_values

SOURCE = "ud"
ENOUGH_LEMMAS, ENOUGH_WORDS = 2, 5  # that have a cell which no other source knows
UNMARKED = 6  # what the values of an unmarked cell, such as the nominative singular, cost at most
UNINFLECTED = 0.9  # of words without features are equal to their lemmas, or nothing is known
AGREEING = 0.3  # of the lemmas with a cell have the forms of running text, or it is another cell
FEW = 0.05  # of verbs, or of their rows, may be exceptions

Known = Mapping[str, Mapping[str, Collection[str]]]
"""The forms that other sources have, by lemma and cell."""


class Word(NamedTuple):
    """A word of running text; features in the notation of Universal Dependencies."""

    lemma: str
    features: str
    form: str
    times: int


def words(places: Places, iso: str, options: Mapping[str, Any]) -> Iterator[Word]:
    """The words of a treebank, but for what is not the usual form of any cell.

    That is colloquial words, words with clitics, and words in capitals. Options: `skipped`,
    features and forms that are passed over as well, and `unread`, names of features that are left
    out because they say nothing about the form.
    """
    path = places.corpora / "ud" / f"{options.get('file', iso)}.tsv"
    skipped, unread = set(options.get("skipped", ())), set(options.get("unread", ()))
    for line in path.read_text("utf-8").splitlines():
        lemma, form, features, count = line.split("\t")
        shouted = lemma.islower() and form[1:] != form[1:].lower()
        if not shouted and "Clitic=" not in features and "Style=" not in features:
            pieces = features.split("|")
            if form in skipped or not skipped.isdisjoint(pieces):
                continue
            features = "|".join(piece for piece in pieces if piece.split("=")[0] not in unread)
            lemma, form = (text.replace("i\u0307", "i") for text in (joined(lemma), form))
            yield Word(lemma, features, form, int(count))


def in_cells(
    found: Iterable[Word], rows: Iterable[Row]
) -> tuple[list[tuple[str, str, str]], list[tuple[str, str, str]]]:
    """Words as rows: the usual form of each cell that other sources lack, and those they differ in.

    Their cells are those that a request in their notation finds at run time. Where the other
    sources have no such cell, it is made of the tags that the features stand for. Words without
    features count where they are words that do not inflect, equal to their lemmas. Where other
    sources have another form of a cell, that of a frequent word is the usual one, but for the
    form that is the lemma itself.
    """
    words = sorted(found, key=lambda word: -word.times)
    silent = _silent(words)
    wanted = {
        features: values
        for features in dict.fromkeys(word.features for word in words)
        if features not in silent and (values := _wanted(features))
    }
    counts = Counter[str]()
    known: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        counts[row.bundle] += 1
        known[row.lemma][row.bundle].append(row.form)
    if _aspect_is_lexical(words, counts):
        for values in wanted.values():
            values.pop("aspect", None)
    words = [word for word in words if word.features in wanted]
    inventory = Inventory(counts)
    nearest = {features: _cells(values, inventory) for features, values in wanted.items()}
    others = {f for f in _other_cells(words, nearest, known) if len(wanted[f]) > 1}
    made = {
        features: inventory.new_cell(values)
        if features in others
        else inventory.cell_or_new(values)
        for features, values in wanted.items()
        if features in others or not nearest[features]
    }
    inventory = Inventory(counts + _new_cells(words, made))
    cells = {features: _cells(values, inventory) for features, values in wanted.items()}
    seen: set[tuple[str, str]] = set()
    lacking, differing = [], []
    for word in words:
        if word.lemma not in known and word.lemma.lower() in known:  # a title, or an error
            word = word._replace(lemma=word.lemma.lower(), form=word.form.lower())
        candidates, own = cells[word.features], known.get(word.lemma, {})
        if not candidates:
            continue
        cell = candidates[0]
        if word.features not in others:
            cell = next((c for c in candidates if c in own), cell)
        if (word.lemma, cell) in seen:
            continue
        seen.add((word.lemma, cell))
        if cell not in own:
            lacking.append((word.lemma, cell, word.form))
        elif (
            word.times >= ENOUGH_WORDS
            and word.form != own[cell][0] != word.lemma
            and word.form.isalpha()
            and len(word.form) > 1  # m for mètre
            and not any(word.form in own.get(c, ()) for c in candidates if c != cell)
        ):
            differing.append((word.lemma, cell, word.form))
    return lacking, differing


def _silent(words: Iterable[Word]) -> set[str]:
    """Parts of speech without features in a treebank that did not annotate them."""
    equal, every = Counter[str](), Counter[str]()
    for word in words:
        if "=" not in word.features:
            every[word.features] += word.times
            equal[word.features] += word.times * (word.lemma == word.form)
    return {features for features in every if equal[features] < UNINFLECTED * every[features]}


def _aspect_is_lexical(words: Iterable[Word], counts: Mapping[str, int]) -> bool:
    """Whether all forms of a verb have one aspect, as in Slavic languages, and cells name none."""
    aspects: dict[str, set[str]] = defaultdict(set)
    for word in words:
        pos, *features = word.features.split("|")
        if pos == "VERB":
            aspects[word.lemma] |= {f for f in features if f.startswith("Aspect=")}
    several = sum(len(found) > 1 for found in aspects.values())
    verbs = [(cell_values(cell), n) for cell, n in counts.items() if head_pos(cell) == "V"]
    naming = sum(n for values, n in verbs if "aspect" in values)
    return several < FEW * sum(map(bool, aspects.values())) and naming < FEW * sum(
        n for _, n in verbs
    )


def _wanted(features: str) -> Wanted:
    try:
        return dict(wanted_of(features))
    except StepwriteError:
        return {}


def _new_cells(words: Iterable[Word], made: Mapping[str, str]) -> Counter[str]:
    """The cells that only running text has, each with how many lemmas have it.

    made: the cells of features that other sources have no cell for.
    """
    lemmas: dict[str, set[str]] = defaultdict(set)
    times: Counter[str] = Counter()
    for word in words:
        if word.features in made:
            cell = made[word.features]
            lemmas[cell].add(word.lemma)
            times[cell] += word.times
    enough = (
        cell for cell in times if len(lemmas[cell]) >= ENOUGH_LEMMAS or times[cell] >= ENOUGH_WORDS
    )
    return Counter({cell: len(lemmas[cell]) for cell in enough})


def _other_cells(
    words: Iterable[Word], nearest: Mapping[str, Sequence[str]], known: Known
) -> Iterator[str]:
    """Features whose nearest cells are others: the words that have them differ in their forms."""
    agrees: dict[str, dict[str, bool]] = defaultdict(dict)
    times: Counter[str] = Counter()
    for word in words:
        own = known.get(word.lemma, {})
        forms = [form for cell in nearest[word.features] for form in own.get(cell, ())]
        if forms:
            said = agrees[word.features]
            said[word.lemma] = said.get(word.lemma, False) or word.form in forms
            times[word.features] += word.times
    for features, by_lemma in agrees.items():
        agreeing = sum(by_lemma.values())
        if times[features] >= ENOUGH_WORDS and agreeing < AGREEING * len(by_lemma):
            yield features


def _cells(wanted: Wanted, inventory: Inventory) -> list[str]:
    """The cells that could be meant, the likeliest first."""
    ranked = inventory.rank(wanted)
    if not ranked or ranked[0].cost - ranked[0].unasked >= NEW:
        return []
    if len(wanted) == 1 and ranked[0].unasked > UNMARKED:
        return []
    return [c.features for c in ranked if c.cost < min(MISSING, ranked[0].cost + NEAR)]
