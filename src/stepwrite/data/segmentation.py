"""Words as sequences of symbols: code points, or units separated by spaces."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from stepwrite.data.layouts import Layout

Symbols = tuple[str, ...]
Spaced = Literal["lemma", "form", "both", "none"]
"""The columns whose symbols are separated by spaces."""


@dataclass(frozen=True)
class Segmentation:
    """How the strings of a dataset are split into symbols.

    By default a symbol is a code point after NFC, so that both encodings of `é` are one symbol.
    If `lemma_spaced` or `form_spaced` is set, that column's symbols are separated by
    spaces, like the phones in pronunciation lexicons.

    >>> Segmentation().lemma("ha\\u0308rter")
    ('h', 'ä', 'r', 't', 'e', 'r')
    >>> Segmentation(form_spaced=True).form("t ʃ iː z")
    ('t', 'ʃ', 'iː', 'z')
    """

    lemma_spaced: bool = False
    form_spaced: bool = False

    @classmethod
    def of(cls, spaced: Spaced | None, layout: Layout) -> Segmentation:
        """As the user says, else as the layout has it."""
        if spaced is None:
            return cls(form_spaced=layout.form_spaced)
        return cls(spaced in ("lemma", "both"), spaced in ("form", "both"))

    def lemma(self, word: str) -> Symbols:
        return split(word, self.lemma_spaced)

    def form(self, word: str) -> Symbols:
        return split(word, self.form_spaced)

    def join_lemma(self, symbols: Iterable[str]) -> str:
        return (" " if self.lemma_spaced else "").join(symbols)

    def join_form(self, symbols: Iterable[str]) -> str:
        return (" " if self.form_spaced else "").join(symbols)


def split(word: str, spaced: bool) -> Symbols:
    """The symbols of one word."""
    word = unicodedata.normalize("NFC", word)
    return tuple(word.split()) if spaced else tuple(word)
