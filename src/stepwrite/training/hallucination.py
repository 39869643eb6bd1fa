"""New training words with hallucinated stems (Anastasopoulos & Neubig 2019).

Where lemma and form have a long part in common, its inside is replaced by random letters, the
same in both: *gesprungen* may become *geqlungen*, so that a network with few examples learns to
copy stems and to inflect by endings, not by heart.

Endings depend on the stem's vowels where a language has vowel harmony. There only consonants are
replaced, by other consonants.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from stepwrite.training.harmony import SHORTEST, vowels_of
from stepwrite.transducer.alignment import Alignment, Pair


@dataclass(frozen=True)
class Letters:
    """What words are hallucinated with: letters that lemmas and forms both contain.

    kept: vowels that are to stay, in lower case; the letters are then consonants.
    """

    every: tuple[str, ...]
    kept: frozenset[str] = frozenset()

    @classmethod
    def of(cls, words: Sequence[Alignment], *, harmony: bool = False) -> Letters:
        lemmas = [word.lemma for word in words]
        both = {s for lemma in lemmas for s in lemma} & {s for word in words for s in word.form}
        kept = frozenset(vowels_of(lemmas) if harmony else ())
        both = {symbol for symbol in both if symbol.lower() not in kept}
        every = sorted(symbol for symbol in both if symbol.isalpha()) or sorted(both)
        return cls(tuple(every), kept)


def hallucinate(alignment: Alignment, letters: Letters, random: np.random.Generator) -> Alignment:
    """The word with new insides of its common parts, each one shorter to one longer; as long as
    they were where vowels stay.

    >>> pairs = tuple((c, c) for c in "wander") + ((None, "e"), (None, "d"))
    >>> for kept in "", "ae":
    ...     letters = Letters(tuple("xyz"), frozenset(kept))
    ...     new = hallucinate(Alignment(pairs), letters, np.random.default_rng(1))
    ...     "".join(new.lemma), "".join(new.form)
    ('wyzzxr', 'wyzzxred')
    ('wayzer', 'wayzered')
    """

    def drawn(n: int) -> list[Pair]:
        chosen = (letters.every[k] for k in random.integers(0, len(letters.every), n))
        return [(letter, letter) for letter in chosen]

    pairs: list[Pair] = []
    for copied, run in groupby(alignment.pairs, key=lambda pair: pair[0] == pair[1]):
        part = list(run)
        if copied and len(part) >= SHORTEST:
            inner = part[1:-1]
            if letters.kept:
                new = zip(inner, drawn(len(inner)), strict=True)
                part[1:-1] = [
                    old if (old[0] or "").lower() in letters.kept else other for old, other in new
                ]
            else:
                part[1:-1] = drawn(max(1, len(inner) + int(random.integers(-1, 2))))
        pairs += part
    return Alignment(tuple(pairs))
