"""Indonesian words as they stand in running text, with and without affixes.

UniMorph lists derived words as forms of roots: several for one cell (*berlaku, melakukan*), and no
noun or adjective without an affix. The cells that people ask for get the usual word: a root itself
if it is used by itself, as `languages/words/ind-roots.tsv` says, or else the most frequent of the
derived words. Derived words are lemmas of their own, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from language_build.frequencies import zipf_table
from language_build.sources import Places, unimorph, written

Rows = Iterator[tuple[str, str, str]]
Cells = Iterator[tuple[str, str]]
OWNERS = {"N;NEUT;DEF;SG": "nya", "N;NEUT;DEF;SG;PSS3S": "nya"}
OWNERS |= {"N;NEUT;SG;PSS1S": "ku", "N;NEUT;SG;PSS2S": "mu"}
VOICES = {"ACT": ("me", "ber", "be"), "PASS": ("di", "ter")}
SUFFIXES = ("", "kan", "i")
NASALS = (  # of the active, by the first letter of the root, of which they replace some
    *(("bfv", "m", 0), ("p", "m", 1), ("dcjz", "n", 0), ("t", "n", 1)),
    *(("s", "ny", 1), ("k", "ng", 1), ("aeioughx", "ng", 0)),
)
USUAL = 3.8  # the Zipf frequency of a derived noun that is what its root is asked for
OWN = 3.3  # of derived words that are listed as lemmas
RARER = 0.3  # than its root a derived noun may be


def words(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """The words of the file and of UniMorph in the cells that people ask for."""
    zipf = zipf_table("id")
    listed: dict[str, list[str]] = defaultdict(list)
    for part, text in written(f"{iso}-roots.tsv", 2):
        listed[part] += text.split()
    derived = _derived(places, iso)
    nouns, adjectives, done = set(listed["N"]), set(listed["ADJ"]), set(listed["V"] + listed["AUX"])
    for root, by_cell in derived.items():
        best = _usual(by_cell["N"], zipf)
        if root not in nouns and by_cell["N"]:
            usual = zipf.get(best, 0) >= max(USUAL, zipf.get(root, 0) - RARER)
            yield from ((root, *cell) for cell in noun(best if usual else root))
        if by_cell["ADJ"]:
            adjectives.add(root)
        nouns.update(word for word in by_cell["N"] if zipf.get(word, 0) >= OWN and word != root)
        for voice in VOICES:
            possible = by_cell[voice] + [w for w in verbs(root, voice) if zipf.get(w, 0) >= OWN]
            if possible and not (voice == "ACT" and root in done):
                yield root, f"V;{voice}", _usual(possible, zipf)
            for word in dict.fromkeys(possible):
                if zipf.get(word, 0) >= OWN and word not in derived:
                    yield word, f"V;{voice}", word
    for lemma in sorted(nouns):
        yield from ((lemma, *cell) for cell in noun(lemma))
    for lemma in sorted(adjectives):
        yield lemma, "ADJ;POS;SG", lemma
    for lemma in sorted(done):
        yield lemma, "V;ACT", lemma
    for lemma in dict.fromkeys(listed["AUX"] + listed["V"]):
        yield lemma, "V", lemma


def _derived(places: Places, iso: str) -> dict[str, dict[str, list[str]]]:
    """The words derived from each root: nouns, adjectives, and verbs by voice."""
    derived: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for root, features, form in unimorph(places, iso, {}):
        part, *tags = features.split(";")
        own = not {"DEF", "1", "2", "FOC", "PSS1S", "PSS2S", "PSS3S", "NEG"} & set(tags)
        if part == "N" and own and "MASC" not in tags and "ITER" not in tags:
            derived[root]["N"].append(form)
        elif part == "ADJ":
            derived[root]["ADJ"].append(form)
        elif part == "V" and own:
            for voice, prefixes in VOICES.items():
                if voice in tags and form.startswith(prefixes) and form != root:
                    derived[root][voice].append(form)
    return derived


def verbs(root: str, voice: str) -> list[str]:
    """The verbs that may be derived from a root; there are fewer.

    >>> verbs("pakai", "ACT")[:3], verbs("guna", "PASS")
    (['memakai', 'memakaikan', 'memakaii'], ['diguna', 'digunakan', 'digunai', 'terguna'])
    """
    if voice == "PASS":
        return [*(f"di{root}{suffix}" for suffix in SUFFIXES), f"ter{root}"]
    stem = next((nasal + root[cut:] for first, nasal, cut in NASALS if root[0] in first), root)
    return [*(f"me{stem}{suffix}" for suffix in SUFFIXES), f"ber{root}"]


def _usual(forms: list[str], zipf: Mapping[str, float]) -> str:
    """The most frequent of some words, the first of equals.

    >>> _usual(["berlaku", "melakukan"], {"melakukan": 6.0}), _usual([], {})
    ('melakukan', '')
    """
    return max(forms, key=lambda form: zipf.get(form, 0), default="")


def noun(lemma: str) -> Cells:
    """The cells of a noun.

    >>> [form for cell, form in noun("orang") if cell.endswith(("PL", "PSS2S"))]
    ['orangmu', 'orang-orang']
    """
    yield "N;NEUT;SG", lemma
    for cell, ending in OWNERS.items():
        yield cell, lemma + ending
    if "-" not in lemma:
        yield "N;NEUT;PL", f"{lemma}-{lemma}"
