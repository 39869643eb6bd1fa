"""UniMorph data whose errors follow a rule: Hungarian, whose cells are shifted, and Persian."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from language_build.sources import Places, unimorph

Rows = Iterator[tuple[str, str, str]]
HUNGARIAN = {
    **{"ACC": "t", "DAT": "n[ae]k", "TERM": "ig", "FRML": "ként", "PRP": "ért", "TRANS": "[áé]"},
    **{"IN+ESS": "b[ae]n", "IN+ALL": "b[ae]", "IN+ABL": "b[óő]l", "INST": "[ae]l", "INS": "[ae]l"},
    **{"ON+ESS": "n", "ON+ALL": "r[ae]", "ON+ABL": "r[óő]l"},
    **{"AT+ESS": "n[áé]l", "AT+ALL": "h[oeö]z", "AT+ABL": "t[óő]l"},
}
JOINER = "\u200c"  # zero-width non-joiner, which the file has lost


def hungarian(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """Without the nouns that have a form with the ending of another case."""
    by_lemma: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for lemma, features, form in unimorph(places, iso, options):
        by_lemma[lemma].append((features, form))
    for lemma, cells in by_lemma.items():
        if all(has_ending(features, form) for features, form in cells):
            for features, form in cells:
                yield lemma, features, form


def has_ending(features: str, form: str) -> bool:
    """Whether a form ends as its case does; whatever has no case does.

    >>> has_ending("N;IN+ESS;SG", "házban"), has_ending("N;IN+ESS;SG", "házból")
    (True, False)
    """
    tags = features.split(";")
    endings = (HUNGARIAN[tag] for tag in tags if tag in HUNGARIAN and tags[0] == "N")
    return all(re.search(f"{ending}$", form) for ending in endings)


def persian(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    for lemma, features, form in unimorph(places, iso, options):
        yield lemma, features, joined(form) if features.startswith("V") else form


def joined(form: str) -> str:
    """A verb form with its prefixes and endings set off, as they are written.

    >>> joined("میکنیم").split(JOINER), joined("کردهایم").split(JOINER)
    (['می', 'کنیم'], ['کرده', 'ایم'])
    """
    words = []
    for word in form.split(" "):
        word = re.sub(f"^(ن?می)(?={JOINER}?.)(?!{JOINER})", rf"\1{JOINER}", word)
        words.append(re.sub("ه(ام|ای|ایم|اید|اند)$", rf"ه{JOINER}\1", word))
    return " ".join(words)
