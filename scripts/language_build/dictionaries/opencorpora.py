"""Russian and Ukrainian from PyPI's `pymorphy3-dicts-ru` and `pymorphy2-dicts-uk`.

A dictionary consists of lexemes, a lemma and its forms, each with a tag of grammemes: `стола
NOUN,inan,masc sing,gent`. They are read here without pymorphy3. The Russian one is OpenCorpora's,
the Ukrainian one (VESUM's) has the same grammemes. As in UniMorph the prepositional or locative
case is ESS. Words of common gender are MASC+FEM. Short forms of adjectives and participles have no
case. Variants (женою, читавши) are left out, and words that are archaic, slang or wrong.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from typing import Any

from russian_data import FIRST, keys, read_paradigms

from language_build.frequencies import zipf_table
from language_build.sources import Places

TAGS = {
    **{"NOUN": "N", "ADJF": "ADJ", "ADJS": "ADJ", "COMP": "ADJ;CMPR", "INFN": "V;NFIN"},
    **{"VERB": "V", "GRND": "V.CVB", "PRTF": "V.PTCP", "PRTS": "V.PTCP"},
    **{"impf": "IPFV", "perf": "PFV", "actv": "ACT", "pssv": "PASS", "infn": "NFIN"},
    **{"pres": "PRS", "futr": "FUT", "past": "PST", "impr": "IMP"},
    **{"1per": "1", "2per": "2", "3per": "3"},
    **{"masc": "MASC", "femn": "FEM", "neut": "NEUT", "ms-f": "MASC+FEM", "GNdr": ""},
    **{"anim": "ANIM", "inan": "INAN", "sing": "SG", "plur": "PL"},
    **{"nomn": "NOM", "gent": "GEN", "datv": "DAT", "accs": "ACC", "ablt": "INS", "loct": "ESS"},
    **{"voct": "VOC", "compb": "", "Supr": "SPRL"},
    **{"Sgtm": "", "Pltm": "", "Qual": "", "Poss": "", "Anum": "", "Subx": "", "Adjx": ""},
    **{"tran": "", "intr": "", "Impx": "", "Impe": "", "indc": "", "excl": "", "Apro": ""},
    **{"Refl": "", "Geox": "", "Coun": "", "Inmx": "", "Prdx": ""},
}
HEADS = ("NOUN", "ADJF", "INFN", "VERB")
ADJECTIVAL = ("ADJF", "PRTF")
PLAIN = re.compile("[а-яёіїєґ'’ʼ]{2,}")
LEAST = 2.5  # the Zipf frequency of the most frequent form


def read(places: Places, iso: str, options: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    folder = places.python(options["package"], "data")
    table = zipf_table(options["package"][-2:])
    paradigms = read_paradigms(folder)
    for key in keys(folder / "words.dawg", FIRST):
        # After the word: the number of its paradigm and its index there, two bytes each.
        word, _, numbers = key.decode().partition("\x01")
        paradigm = paradigms[int.from_bytes(b64decode(numbers + FIRST.decode())[:2])]
        prefix, suffix, tag = paradigm[0]
        if tag[:4] not in HEADS or bundle(tag) is None or not PLAIN.fullmatch(word):
            continue
        stem = word[len(prefix) : len(word) - len(suffix)]
        forms = [(before + stem + after, tag) for before, after, tag in paradigm]
        if max(_zipf(table, form) for form, _ in forms) < LEAST:
            continue
        for form, tag in forms:
            if (features := bundle(tag, form)) is not None:
                yield word, features, form


def _zipf(table: Mapping[str, float], form: str) -> float:
    return max(table.get(form, 0.0), table.get(form.replace("ё", "е"), 0.0))


def bundle(tag: str, form: str = "") -> str | None:
    """The UniMorph tags of a form; None for what is left out.

    >>> bundle("NOUN,inan,masc sing,gent"), bundle("VERB,perf,tran sing,1per,futr,indc")
    ('N;INAN;MASC;SG;GEN', 'V;PFV;SG;1;FUT')
    >>> bundle("PRTS,perf,past,pssv femn,sing"), bundle("NOUN,inan femn,sing,ablt,V-oy")
    ('V.PTCP;PFV;PST;PASS;FEM;SG', None)
    """
    if form.endswith("шись"):  # the past gerund of a reflexive verb has only this variant
        tag = tag.removesuffix(",V-sh")
    grammemes = re.split("[, ]", tag)
    if not TAGS.keys() >= set(grammemes):
        return None
    if grammemes[0] in ("ADJS", "COMP") and "Qual" not in grammemes:
        return None  # леснее
    if grammemes[0] in ADJECTIVAL and "plur" in grammemes:
        grammemes = [g for g in grammemes if g not in ("masc", "femn", "neut")]
    if "impr" in grammemes and "1per" not in grammemes and "2per" not in grammemes:
        grammemes.append("2per")
    has_number = {"sing", "plur"} & set(grammemes)
    gendered = {"masc", "femn", "neut", "ms-f"} & set(grammemes)
    if gendered and not has_number and grammemes[0] != "GRND":
        grammemes.append("sing")  # the Ukrainian dictionary leaves it out
    return ";".join(filter(None, (TAGS[name] for name in grammemes)))
