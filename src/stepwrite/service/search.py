"""Which models know a word, and which lemmas it is a form of."""

from __future__ import annotations

from collections.abc import Mapping

from stepwrite.inflector import Inflector
from stepwrite.morphology.spelling import DOTLESS, spellings
from stepwrite.morphology.terms import Terms
from stepwrite.service.answers import language_of, title_of
from stepwrite.service.schema import FormOf, Found

MOST_LEMMAS = 5  # of one form


def find(word: str, inflectors: Mapping[str, Inflector]) -> list[Found]:
    """The models whose lexicon has a word, those where it is most frequent first."""
    found = [
        (frequency, entry)
        for name, inflector in inflectors.items()
        for frequency, entry in _found(word, name, inflector)
    ]
    found.sort(key=lambda pair: -pair[0])
    return [entry for _, entry in found]


def forms_of(word: str, inflector: Inflector) -> list[FormOf]:
    """The lemmas that a word is a form of, but for those that it spells itself."""
    found: dict[str, FormOf] = {}
    for lemma, features in inflector.lemmas(word):
        if lemma.lower() != word.lower():
            found.setdefault(lemma, FormOf(lemma, [])).features.append(features)
    return list(found.values())[:MOST_LEMMAS]


def _found(word: str, name: str, inflector: Inflector) -> list[tuple[int, Found]]:
    lexicon = inflector.model.lexicon
    if lexicon is None:
        return []
    language = language_of(inflector)
    for lemma in spellings(word, dotless=language in DOTLESS):
        if lemma in lexicon:
            terms = Terms.of(language)
            readings = [terms.label((pos,)).name for pos in lexicon.parts_of_speech(lemma)]
            entry = Found(name, title_of(name, inflector), lemma, readings)
            return [(lexicon.frequency(lemma), entry)]
    return []
