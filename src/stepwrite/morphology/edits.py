"""What makes a form of its lemma: changes, in the notation of `morphology.lexicon`."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

START, NEXT = "^", "\t"  # the place before the first symbol; between two edits
GAP = "\0"  # a symbol of a lemma that is not known
LAST = chr(0x10FFFF)
Edit = tuple[str, int, str]  # place, symbols cut from there, text in their stead


def change_of(lemma: str, form: str) -> str:
    """The edits that make a form of its lemma, in the notation of the text.

    >>> [change_of("machen", form).split(NEXT) for form in ("machst", "gemacht")]
    [['2 2 st'], ['^ 0 ge', '2 2 t']]
    >>> [change_of("Vater", "Vätern").split(NEXT), change_of("go", "went").split(NEXT)]
    [['4 1 ä', '0 0 n'], ['^ 2 went']]
    """
    from rapidfuzz.distance import Levenshtein

    edits: list[tuple[int, int, str]] = []  # start, end, text
    for step in Levenshtein.opcodes(lemma, form):
        if step.tag != "equal":
            start, text = step.src_start, form[step.dest_start : step.dest_end]
            if edits and edits[-1][1] == start:
                start, text = edits[-1][0], edits.pop()[2] + text
            edits.append((start, step.src_end, text))
    size = len(lemma)
    return NEXT.join(
        f"{size - start if start else START} {end - start} {text}" for start, end, text in edits
    )


@lru_cache(maxsize=1 << 14)
def edits_of(change: str) -> tuple[Edit, ...]:
    parts = (edit.split(" ", 2) for edit in change.split(NEXT)) if change else ()
    return tuple((place, int(cut), text) for place, cut, text in parts)


def changed(lemma: str, change: str) -> str:
    """The form that a change makes of a lemma.

    >>> [changed("machen", change_of("machen", form)) for form in ("gemacht", "machen", "x")]
    ['gemacht', 'machen', 'x']
    """
    written, done = [], 0
    for place, cut, text in edits_of(change):
        start = 0 if place == START else len(lemma) - int(place)
        if not done <= start <= start + cut <= len(lemma):
            raise ValueError(f"{change!r} of {lemma!r}")
        written += [lemma[done:start], text]
        done = start + cut
    return "".join([*written, lemma[done:]])


def undone(form: str, change: str) -> str | None:
    """The lemma that a change may have made a form of, with gaps for what was cut.

    >>> [undone("Häuser", change) for change in ("3 1 ä\\t0 0 er", "0 0 er", "0 0 en")]
    ['H\\x00us', 'Häus', None]
    >>> undone("went", change_of("go", "went"))
    '\\x00\\x00'
    """
    edits = edits_of(change)
    size = len(form) + sum(cut - len(text) for _, cut, text in edits)
    kept, at, done = [], 0, 0  # at: place on the form; done: on the lemma
    for place, cut, text in edits:
        start = 0 if place == START else size - int(place)
        if not done <= start <= start + cut <= size:
            return None
        same = form[at : at + start - done]
        at += start - done
        if not form.startswith(text, at):
            return None
        kept += [same, GAP * cut]
        at += len(text)
        done = start + cut
    return "".join([*kept, form[at:]])


def fitting(stem: str, lemmas: Mapping[int, Sequence[str]]) -> Iterator[str]:
    """The lemmas that a stem with gaps may be. lemmas: by length, in the order of spelling.

    >>> list(fitting("H\\0us", {4: ["Halm", "Haus", "Hius"]}))
    ['Haus', 'Hius']
    """
    alike = lemmas.get(len(stem), ())
    known = stem.partition(GAP)[0]
    first, last = bisect_left(alike, known), bisect_left(alike, known + LAST)
    fits = re.compile(re.escape(stem).replace(re.escape(GAP), "."), re.DOTALL).fullmatch
    return filter(fits, alike[first:last])
