"""Languages by their ISO 639-1 and 639-3 codes and their English names."""

from __future__ import annotations

from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_suffix(".tsv")


def language_code(text: str) -> str | None:
    """The ISO 639-3 code of a language; None where the table has no such code or name.

    The table holds every language that has a two-letter code. A macrolanguage keeps its own
    three-letter code.

    >>> [language_code(text) for text in ("de", "deu", "German", "farsi", "Elvish")]
    ['deu', 'deu', 'deu', 'fas', None]
    """
    return _codes().get(text.casefold())


@cache
def _codes() -> dict[str, str]:
    codes = {}
    for line in TABLE.read_text("utf-8").splitlines()[1:]:
        two, three, names = line.split("\t")
        for text in (two, three, *names.split(", ")):
            codes[text.casefold()] = three
    return codes
