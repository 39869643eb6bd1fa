"""Romanian of UniMorph, whose nouns have singular and plural in one cell, with their articles.

Indefinite forms stand with an article (o casă, niște case), definite ones side by side (casa,
casele), all of them as if of one number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from language_build.sources import Places, unimorph

ARTICLES = {
    **{"un": "SG", "o": "SG", "unui": "SG", "unei": "SG"},
    **{"niște": "PL", "unor": "PL"},
}


PARTICLES = ("a", "să")  # of the infinitive and the subjunctive


def read(places: Places, iso: str, options: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    definite: dict[tuple[str, str], list[str]] = defaultdict(list)
    for lemma, features, form in unimorph(places, iso, options):
        if not features.startswith("N;") or features.startswith("N;VOC"):
            particle, _, verb = form.partition(" ")
            yield lemma, features, verb if particle in PARTICLES else form
        elif features.endswith("INDF"):
            article, _, noun = form.partition(" ")
            if article in ARTICLES and noun:
                yield lemma, features.replace("SG", ARTICLES[article]), noun
        else:
            definite[lemma, features].append(form)
    for (lemma, features), forms in definite.items():
        plural = definite_plural(forms)
        for form in forms:
            number = "PL" if form == plural else "SG"
            yield lemma, features.replace("PL", number), form


def definite_plural(forms: list[str]) -> str | None:
    """Which of the definite forms is the plural.

    >>> [definite_plural(f) for f in (["casa", "casele"], ["fratele", "frații"], ["omul"])]
    ['casele', 'frații', None]
    >>> definite_plural(["casei", "caselor"])
    'caselor'
    """
    for ending in ("lor", "ii", "i", "le"):
        found = [form for form in forms if form.endswith(ending)]
        if found and (len(forms) > 1 or ending == "lor"):
            return found[0]
    return None
