"""New training words with hallucinated stems (Anastasopoulos & Neubig 2019).

Where lemma and form have a long part in common, its inside is replaced by random letters, the
same in both: *gesprungen* may become *geqlungen*, so that a network with few examples learns to
copy stems and to inflect by endings, not by heart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

import numpy as np

from stepwrite.transducer.alignment import Alignment, Pair

SHORTEST = 3  # symbols of a common part whose inside can be replaced; its ends stay


def hallucinate(
    alignment: Alignment, letters: Sequence[str], random: np.random.Generator
) -> Alignment:
    """The word with new insides of its common parts, each one shorter to one longer.

    >>> pairs = tuple((c, c) for c in "walk") + ((None, "e"), (None, "d"))
    >>> new = hallucinate(Alignment(pairs), "xyz", np.random.default_rng(1))
    >>> "".join(new.lemma), "".join(new.form)
    ('wyzk', 'wyzked')
    """
    pairs: list[Pair] = []
    for copied, run in groupby(alignment.pairs, key=lambda pair: pair[0] == pair[1]):
        part = list(run)
        if copied and len(part) >= SHORTEST:
            n_inner = max(1, len(part) - 2 + int(random.integers(-1, 2)))
            inner = [letters[k] for k in random.integers(0, len(letters), n_inner)]
            part[1:-1] = [(letter, letter) for letter in inner]
        pairs += part
    return Alignment(tuple(pairs))


def letters_of(alignments: Iterable[Alignment]) -> list[str]:
    """What words are hallucinated with: letters that lemmas and forms both contain."""
    lemma_symbols: set[str] = set()
    form_symbols: set[str] = set()
    for alignment in alignments:
        lemma_symbols.update(alignment.lemma)
        form_symbols.update(alignment.form)
    both = lemma_symbols & form_symbols
    return sorted(symbol for symbol in both if symbol.isalpha()) or sorted(both)
