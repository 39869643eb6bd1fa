"""Languages by their ISO 639-1 and 639-3 codes and their names, and where their models are."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_suffix(".tsv")


def language_code(text: str) -> str | None:
    """The ISO 639-3 code of a language; None where the table has no such code or name.

    The table holds every language that has a two-letter code or a model. A macrolanguage keeps its
    own three-letter code.

    >>> [language_code(text) for text in ("de", "deu", "German", "Deutsch", "farsi", "Elvish")]
    ['deu', 'deu', 'deu', 'deu', 'fas', None]
    """
    return _codes().get(text.casefold())


def close_name(text: str) -> str | None:
    """The name of a language with a model that a text may be a misspelling of.

    >>> close_name("germn"), close_name("portugese"), close_name("Elvish")
    ('German', 'Portuguese', None)
    """
    names = [name for _, _, names, package in _rows() if package for name in names.split(", ")]
    known = {name.casefold(): name for name in reversed(names)}
    near = get_close_matches(text.casefold(), known, n=1, cutoff=0.8)
    return known[near[0]] if near else None


def packages() -> dict[str, str]:
    """The distribution that has a language's model, by ISO 639-3 code.

    >>> packages()["deu"], packages()["cym"], packages().get("vol")
    ('stepwrite', 'stepwrite-languages', None)
    """
    return {three: package for _, three, _, package in _rows() if package}


@cache
def _codes() -> dict[str, str]:
    return {
        text.casefold(): three
        for two, three, names, _ in _rows()
        for text in (two, three, *names.split(", "))
        if text
    }


@cache
def _rows() -> list[list[str]]:
    return [line.split("\t") for line in TABLE.read_text("utf-8").splitlines()[1:]]
