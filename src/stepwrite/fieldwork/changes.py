"""Changes: what turns one word into another, as a rule that can be applied to further words.

`Haus` becomes `Häuser` by the same change as `Dach` becomes `Dächer`: an umlaut in the stem, and
`-er`. Inflection classes, confusions and completion all count changes.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from stepwrite.data.segmentation import Symbols


class Part(NamedTuple):
    """Symbols that become others; either may be empty."""

    old: Symbols
    new: Symbols


NOTHING = Part((), ())


class Change(NamedTuple):
    """What happens at the start of a word, inside it (from left to right), and at its end.

    A part inside the word applies to the last place, left of the next part, where its old symbols
    occur.

    >>> umlaut = Change.of(tuple("Haus"), tuple("Häuser"))
    >>> print(umlaut, "".join(umlaut.apply(tuple("Dach")) or ()))
    -a→ä-, -er Dächer
    >>> participle = Change.of(tuple("machen"), tuple("gemacht"))
    >>> print(participle, "".join(participle.apply(tuple("lachen")) or ()))
    ge-, -en→-t gelacht
    >>> print(Change.of(tuple("Wagen"), tuple("Wagen")), participle.apply(tuple("tun")))
    no change None
    """

    start: Part = NOTHING
    inside: tuple[Part, ...] = ()
    end: Part = NOTHING

    @staticmethod
    def of(source: Symbols, target: Symbols) -> Change:
        """The change that turns `source` into `target`."""
        return _change(source, target)

    def apply(self, word: Symbols) -> Symbols | None:
        """The changed word; None if the word does not have what the change takes away."""
        start, end = self.start, self.end
        n_start, n_end = len(start.old), len(end.old)
        if len(word) < n_start + n_end or word[:n_start] != start.old:
            return None
        if word[len(word) - n_end :] != end.old:
            return None
        stem, right = word[n_start : len(word) - n_end], end.new
        for part in reversed(self.inside):
            place = _last(stem, part.old)
            if place is None:
                return None
            right = part.new + stem[place + len(part.old) :] + right
            stem = stem[:place]
        return start.new + stem + right

    def __str__(self) -> str:
        """In the notation of grammars: what is put before, changed inside, put behind."""
        said = [
            _said(self.start, "{}-"),
            *(_said(part, "-{}-", inside=True) for part in self.inside),
            _said(self.end, "-{}"),
        ]
        return ", ".join(filter(None, said)) or "no change"


def _said(part: Part, pattern: str, *, inside: bool = False) -> str:
    old, new = "".join(part.old), "".join(part.new)
    if old == new:
        return ""
    if inside:
        return pattern.format(f"{old}→{new or '∅'}")
    if not old:
        return pattern.format(new)
    return f"{pattern.format(old)}→{pattern.format(new) if new else '∅'}"


@lru_cache(maxsize=1 << 16)
def _change(source: Symbols, target: Symbols) -> Change:
    blocks = [block for block in Levenshtein.opcodes(source, target) if block.tag == "equal"]
    if not blocks:
        return Change(end=Part(source, target))
    first, last = blocks[0], blocks[-1]
    inside = []
    for left, right in pairwise(blocks):
        old = source[left.src_end : right.src_start]
        new = target[left.dest_end : right.dest_start]
        if not old:  # an insertion is found again by the symbol before it
            before = source[left.src_end - 1 : left.src_end]
            old, new = before, before + new
        inside.append(Part(old, new))
    change = Change(
        start=Part(source[: first.src_start], target[: first.dest_start]),
        inside=tuple(inside),
        end=Part(source[last.src_end :], target[last.dest_end :]),
    )
    if change.apply(source) == target:
        return change
    # What changes inside is not at the last place of its kind: all from there on is the end.
    return Change(
        start=change.start,
        end=Part(source[first.src_end :], target[first.dest_end :]),
    )


def _last(word: Symbols, part: Symbols) -> int | None:
    """Where a part occurs for the last time in a word."""
    for place in range(len(word) - len(part), -1, -1):
        if word[place : place + len(part)] == part:
            return place
    return None
