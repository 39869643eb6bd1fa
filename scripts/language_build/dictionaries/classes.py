"""Words that inflect like a known one, as lists written for this project say.

A line of `languages/words/ISO-classes.tsv` holds a word whose whole paradigm the language's own
words or UniMorph have, its part of speech, and words that have the same endings, separated by
spaces: `жена`, `N`, `страна година рана`. What no form of the known word changes is its stem.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from language_build.declaration import FOLDER, Language, read_declaration
from language_build.rows import without
from language_build.sources import Places, ours, unimorph, written
from language_build.tags import canonical
from stepwrite.errors import StepwriteError
from stepwrite.morphology.cells import head_pos

Cells = Sequence[tuple[str, str]]


def read(places: Places, iso: str, options: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """The forms of listed words; cells that begin as `options["without"]` has it are left out."""
    lines = [(model, pos, words.split()) for model, pos, words in written(f"{iso}-classes.tsv", 3)]
    language, unwanted = read_declaration(FOLDER / f"{iso}.toml"), tuple(options.get("without", ()))
    known: dict[tuple[str, str], dict[str, list[str]]] = {(m, pos): {} for m, pos, _ in lines}
    for reader in (ours, unimorph):
        found: dict[tuple[str, str], dict[str, list[str]]] = {key: {} for key in known}
        for lemma, features, form in reader(places, iso, options):
            cell = canonical(features)
            lemma, form = as_written(lemma, language), as_written(form, language)
            cells = found.get((lemma, head_pos(cell)))
            if cells is not None and not cell.startswith(unwanted):
                cells.setdefault(cell, []).append(form)
        known = {key: found[key] | cells for key, cells in known.items()}
    for model, pos, words in lines:
        paradigm = [(cell, form) for cell, forms in known[model, pos].items() for form in forms]
        if not paradigm:
            raise StepwriteError(f"{iso}: no cells of {model} ({pos})")
        for word in words:
            yield from ((word, *cell) for cell in like(word, model, paradigm))


def as_written(word: str, language: Language) -> str:
    letters = str.maketrans(dict(language.letters))
    return without(language.marks, word.translate(letters))


def like(word: str, model: str, cells: Cells) -> Iterator[tuple[str, str]]:
    """The cells of a word that inflects like another.

    >>> list(like("страна", "жена", [("N;DEF;SG", "жената"), ("N;VOC;SG", "жено")]))
    [('N;DEF;SG', 'страната'), ('N;VOC;SG', 'страно')]
    >>> list(like("стар", "нов", [("ADJ;INDF;PL", "нови"), ("ADJ;CMPR;INDF;PL", "по-нови")]))
    [('ADJ;INDF;PL', 'стари'), ('ADJ;CMPR;INDF;PL', 'по-стари')]
    """
    known = model
    while not all(known in form for _, form in cells):
        known = known[:-1]
    ending = model[len(known) :]
    if not known or not word.endswith(ending):
        raise StepwriteError(f"{word} can't inflect like {model}")
    stem = word.removesuffix(ending)
    for cell, form in cells:
        before, _, after = form.partition(known)
        yield cell, before + stem + after
