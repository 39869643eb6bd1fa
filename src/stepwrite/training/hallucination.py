"""New training words with hallucinated stems (Anastasopoulos & Neubig 2019).

Where lemma and form have a long part in common, its inside is replaced by random letters, the
same in both: *gesprungen* may become *geqlungen*, so that a network with few examples learns to
copy stems and to inflect by endings, not by heart.

Endings depend on the stem's vowels where a language has vowel harmony. For such languages the last
vowel of a part can stay, with all that follows it. Which letters are vowels is found in the words
themselves.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np

from stepwrite.transducer.alignment import Alignment, Pair

SHORTEST = 3  # symbols of a common part whose inside can be replaced; its ends stay


@dataclass(frozen=True)
class Letters:
    """What words are hallucinated with: letters that lemmas and forms both contain.

    vowels: those of the lemmas, if they are to be kept.
    """

    every: tuple[str, ...]
    vowels: frozenset[str] = frozenset()

    @classmethod
    def of(cls, words: Sequence[Alignment], *, harmony: bool = False) -> Letters:
        lemmas = [word.lemma for word in words]
        both = {s for lemma in lemmas for s in lemma} & {s for word in words for s in word.form}
        every = sorted(symbol for symbol in both if symbol.isalpha()) or sorted(both)
        return cls(tuple(every), frozenset(vowels_of(lemmas) if harmony else ()))


def hallucinate(alignment: Alignment, letters: Letters, random: np.random.Generator) -> Alignment:
    """The word with new insides of its common parts, each one shorter to one longer.

    >>> pairs = tuple((c, c) for c in "wander") + ((None, "e"), (None, "d"))
    >>> letters = Letters(tuple("xyz"), frozenset("ae"))
    >>> new = hallucinate(Alignment(pairs), letters, np.random.default_rng(1))
    >>> "".join(new.lemma), "".join(new.form)
    ('wyzzer', 'wyzzered')
    """
    pairs: list[Pair] = []
    for copied, run in groupby(alignment.pairs, key=lambda pair: pair[0] == pair[1]):
        part = list(run)
        kept = _last_vowel(part, letters.vowels)  # and what follows it
        if copied and len(part) >= SHORTEST and kept > 1:
            n_inner = max(1, kept - 1 + int(random.integers(-1, 2)))
            inner = [letters.every[k] for k in random.integers(0, len(letters.every), n_inner)]
            part[1:kept] = [(letter, letter) for letter in inner]
        pairs += part
    return Alignment(tuple(pairs))


def _last_vowel(part: Sequence[Pair], vowels: Collection[str]) -> int:
    """The place of the last vowel, or of the last symbol."""
    places = (k for k in range(len(part) - 1, -1, -1) if part[k][0] in vowels)
    return next(places, len(part) - 1)


def vowels_of(words: Iterable[Sequence[str]]) -> set[str]:
    """The vowels of an alphabet, by Sukhotin's algorithm: they stand beside consonants.

    >>> sorted(vowels_of("talo kala kana sana mato tupa ilma lumi joki meri silta".split()))
    ['a', 'e', 'i', 'o', 'u']
    """
    beside: dict[str, Counter[str]] = defaultdict(Counter)
    for word in words:
        for one, other in pairwise(word):
            if one != other:
                beside[one][other] += 1
                beside[other][one] += 1
    left = {letter: counts.total() for letter, counts in beside.items()}
    vowels: set[str] = set()
    while left:
        likeliest = max(left, key=lambda letter: (left[letter], letter))
        if left.pop(likeliest) <= 0:
            break
        vowels.add(likeliest)
        for letter in left:
            left[letter] -= 2 * beside[likeliest][letter]
    return vowels
