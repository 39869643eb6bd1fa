"""Dutch separable verbs, which UniMorph hardly has, from particles and the verbs they go with.

`languages/words/nld-separable.tsv` says which go together. Finite forms are those of main clauses,
*kwam aan*; infinitives and participles are one word, *aangekomen*.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from language_build.sources import Places, ours, unimorph, written

Rows = Iterator[tuple[str, str, str]]


def separable(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """The forms of separable verbs, where those of the simple verb are known."""
    cells: dict[str, dict[str, str]] = defaultdict(dict)
    for rows in (ours(places, iso, options), unimorph(places, iso, options)):
        for lemma, tags, form in rows:
            if tags.startswith("V"):
                cells[lemma].setdefault(tags, form)
    for particle, verbs in written("nld-separable.tsv", 2):
        for verb in verbs.split():
            for tags, form in cells.get(verb, {}).items():
                yield particle + verb, tags, put_together(particle, tags, form)


def put_together(particle: str, tags: str, form: str) -> str:
    """A form of a simple verb with a particle.

    >>> put_together("aan", "V;IND;PST;3;SG", "kwam"), put_together("aan", "V;NFIN", "komen")
    ('kwam aan', 'aankomen')
    >>> put_together("in", "V.PTCP;PST", "gezet")
    'ingezet'
    """
    finite = tags.startswith("V;") and "NFIN" not in tags
    return f"{form} {particle}" if finite else particle + form
