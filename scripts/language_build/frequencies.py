"""How frequent words are, by PyPI's `wordfreq`: for building only, nothing of it ships."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from stepwrite.errors import StepwriteError


@cache
def zipf_table(code: str) -> dict[str, float]:
    """The frequencies of case-folded words on the Zipf scale; empty without a list."""
    if not code:
        return {}
    try:
        from wordfreq import cB_to_zipf, get_frequency_list
    except ModuleNotFoundError:
        raise StepwriteError(
            "wordfreq is not installed: pip install --no-deps -r languages/requirements.txt"
        ) from None
    table = {}
    for place, words in enumerate(get_frequency_list(code, "best")):
        for word in words:
            table[word] = cB_to_zipf(-place)
    return table


def zipf_of(lemmas: Iterable[str], code: str) -> dict[str, float]:
    """The frequency of each lemma that the list has, as it is spelt or without its accents.

    >>> zipf_of(["the"], "")
    {}
    """
    table = zipf_table(code)
    found = {}
    for lemma in lemmas:
        plain = lemma.casefold()
        if code == "ar":  # the list has no vowel signs
            plain = "".join(c for c in plain if not "\u064b" <= c <= "\u0652")
        if plain in table:
            found[lemma] = table[plain]
    return found
