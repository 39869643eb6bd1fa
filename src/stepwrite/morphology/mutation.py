"""Initial mutations of Celtic languages.

The word before decides them, so they are no cells of the word itself; but treebanks name them
(`Mutation=SM` in Welsh, `Form=Len` in Irish), and who asks for one wants the mutated form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

VOWELS = "aeiouáéíóúAEIOUÁÉÍÓÚ"
ECLIPSED = {"b": "m", "c": "g", "d": "n", "f": "bh", "g": "n", "p": "b", "t": "d"}
SOFT = {
    **{"p": "b", "t": "d", "c": "g", "b": "f", "d": "dd", "g": "", "m": "f"},
    **{
        "ll": "l",
        "rh": "r",
        "ch": "ch",
        "dd": "dd",
        "ff": "ff",
        "ng": "ng",
        "ph": "ph",
        "th": "th",
    },
}
NASAL = {
    **{"p": "mh", "t": "nh", "c": "ngh", "b": "m", "d": "n", "g": "ng"},
    **{"ch": "ch", "dd": "dd", "ng": "ng", "ph": "ph", "th": "th"},
}
ASPIRATE = {"p": "ph", "t": "th", "c": "ch", "ch": "ch", "ph": "ph", "th": "th"}


def lenited(word: str) -> str:
    """An Irish word with its first consonant lenited.

    >>> [lenited(word) for word in ("mór", "sagart", "scoil", "leabhar", "bhí", "athair")]
    ['mhór', 'shagart', 'scoil', 'leabhar', 'bhí', 'athair']
    """
    return re.sub("^([bcdfgmptBCDFGMPT]|[sS](?![cfmptv]))(?!h)", r"\1h", word)


def eclipsed(word: str) -> str:
    """An Irish word with its first sound eclipsed, as after *na* in the genitive plural.

    >>> [eclipsed(word) for word in ("fear", "bean", "uisce", "Éireannach", "lá", "bhí")]
    ['bhfear', 'mbean', 'n-uisce', 'nÉireannach', 'lá', 'bhí']
    """
    first = word[:1]
    if first and first in VOWELS:
        return f"n-{word}" if first.islower() else f"n{word}"
    return word if word[1:2] == "h" else ECLIPSED.get(first.lower(), "") + word


def _with_h(word: str) -> str:
    return f"h{word}" if word and word[0] in VOWELS else word


def _welsh(changes: Mapping[str, str]) -> Callable[[str], str]:
    """A change of first letters; of two letters that are one sound before single ones."""

    def mutate(word: str) -> str:
        for length in (2, 1):
            first, rest = word[:length], word[length:]
            if (changed := changes.get(first.lower())) is not None:
                new = changed + rest
                return new[:1].upper() + new[1:] if first[:1].isupper() else new
        return word

    return mutate


MUTATIONS: Mapping[str, Mapping[str, Callable[[str], str]]] = {
    "cym": {
        "Mutation=SM": _welsh(SOFT),
        "Mutation=NM": _welsh(NASAL),
        "Mutation=AM": _welsh(ASPIRATE),
    },
    "gle": {"Form=Len": lenited, "Form=Ecl": eclipsed, "Form=HPref": _with_h},
}


def mutation_of(features: str, iso: str) -> str:
    """The mutation that features of Universal Dependencies name; empty if none.

    >>> mutation_of("NOUN|Gender=Fem|Mutation=SM|Number=Sing", "cym"), mutation_of("N;SG", "cym")
    ('Mutation=SM', '')
    """
    known = MUTATIONS.get(iso, {})
    return next((piece for piece in features.split("|") if piece in known), "")


def mutated(form: str, mutation: str, iso: str) -> str:
    """A form as it is after a word that mutates it.

    >>> [mutated(form, "Mutation=SM", "cym") for form in ("gwlad", "plant", "llyfr", "chwaer")]
    ['wlad', 'blant', 'lyfr', 'chwaer']
    >>> [mutated(form, "Mutation=NM", "cym") for form in ("Cymru", "dŵr")]
    ['Nghymru', 'nŵr']
    """
    change = MUTATIONS.get(iso, {}).get(mutation)
    return form if change is None else change(form)
