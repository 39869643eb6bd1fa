"""Words over all languages: which models know a word."""

from __future__ import annotations

from collections.abc import Mapping

from stepwrite.attested import DOTLESS
from stepwrite.inflector import Inflector
from stepwrite.morphology.spelling import spellings
from stepwrite.morphology.terms import Terms
from stepwrite.service.answers import language_of, title_of
from stepwrite.service.schema import Found


def find(word: str, inflectors: Mapping[str, Inflector]) -> list[Found]:
    """The models whose lexicon has a word, those where it is most frequent first."""
    found = [
        (frequency, entry)
        for name, inflector in inflectors.items()
        for frequency, entry in _found(word, name, inflector)
    ]
    found.sort(key=lambda pair: -pair[0])
    return [entry for _, entry in found]


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
