"""Russian and Ukrainian from PyPI's `pymorphy3-dicts-ru` and `pymorphy2-dicts-uk`.

A dictionary consists of lexemes, a lemma and its forms, each with a tag of grammemes: `стола
NOUN,inan,masc sing,gent`. They are read here without pymorphy3. The Russian one is OpenCorpora's,
the Ukrainian one (VESUM's) has the same grammemes. As in UniMorph the prepositional or locative
case is ESS. Words of common gender are MASC+FEM. Short forms of adjectives and participles have no
case. Variants (женою, читавши) are left out, and words that are archaic, slang or wrong.

What the Ukrainian dictionary has as words of their own comes under the words that it belongs to,
too: converbs (кажучи) and comparison (сильніший). Accusatives of its adjectives are told apart by
what they are equal to.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
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
OBJECTS = {"NOM": "INAN", "GEN": "ANIM"}  # the cases that an accusative is equal to
COMPARED = {  # what is compared by another root, or with a change of its stem
    **{"великий": "більший", "малий": "менший", "маленький": "менший", "хороший": "кращий"},
    **{"добрий": "кращий", "гарний": "кращий", "поганий": "гірший", "високий": "вищий"},
    **{"низький": "нижчий", "широкий": "ширший", "довгий": "довший", "короткий": "коротший"},
    **{"глибокий": "глибший", "далекий": "дальший", "близький": "ближчий", "дорогий": "дорожчий"},
    **{"тонкий": "тонший", "легкий": "легший", "важкий": "важчий", "вузький": "вужчий"},
    **{"солодкий": "солодший", "рідкий": "рідший", "тяжкий": "тяжчий", "швидкий": "швидший"},
    **{"дужий": "дужчий", "гладкий": "гладший", "м'який": "м'якший", "товстий": "товщий"},
    **{"старий": "старший", "молодий": "молодший", "дешевий": "дешевший", "простий": "простіший"},
}


def read(places: Places, iso: str, options: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    folder = places.python(options["package"], "data")
    table = zipf_table(options["package"][-2:])
    paradigms = read_paradigms(folder)
    words: dict[str, list[tuple[str, str]]] = {}  # of adjectives and verbs
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
        cells = [(cell, form) for form, tag in forms if (cell := bundle(tag, form)) is not None]
        if iso == "ukr" and tag_of(cells) in ("ADJ", "V"):
            cells = list(with_animacy(without_variants(cells)))
            words[word] = cells
        for features, form in cells:
            yield word, features, form
    for word, cells in words.items():
        if tag_of(cells) == "V":
            yield from ((word, *cell) for cell in converbs(cells))
        for head, other in compared(word):
            for features, form in words.get(other, ()) if tag_of(cells) == "ADJ" else ():
                plain = features.replace(";SPRL", "")
                yield word, plain.replace("ADJ", head, 1), form


def tag_of(cells: Sequence[tuple[str, str]]) -> str:
    return cells[0][0].partition(";")[0] if cells else ""


def without_variants(cells: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Without the rarer locative of adjectives.

    >>> without_variants([("ADJ;NEUT;SG;ESS", "новому"), ("ADJ;NEUT;SG;ESS", "новім")])
    [('ADJ;NEUT;SG;ESS', 'новому')]
    """
    usual = {features for features, form in cells if form.endswith("ому")}
    return [(f, form) for f, form in cells if f not in usual or form.endswith("ому")]


def with_animacy(cells: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Accusatives that have two forms, with the animacy of what is spoken of.

    >>> cells = [("ADJ;NOM;PL", "нові"), ("ADJ;GEN;PL", "нових"), ("ADJ;ACC;PL", "нових")]
    >>> list(with_animacy([*cells, ("ADJ;ACC;PL", "нові")]))[2:]
    [('ADJ;ANIM;ACC;PL', 'нових'), ('ADJ;INAN;ACC;PL', 'нові')]
    """
    known = set(cells)
    for features, form in cells:
        if ";ACC" in features and sum(other == features for other, _ in cells) == 2:
            for case, animacy in OBJECTS.items():
                if (features.replace("ACC", case), form) in known:
                    yield features.replace("ACC", f"{animacy};ACC"), form
        else:
            yield features, form


def converbs(cells: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The converbs of a Ukrainian verb, from its present and its past.

    >>> list(converbs([("V;IPFV;PL;3;PRS", "кажуть"), ("V;IPFV;MASC;PST;SG", "казав")]))
    [('V.CVB;IPFV;PRS', 'кажучи'), ('V.CVB;IPFV;PST', 'казавши')]
    >>> list(converbs([("V;PFV;MASC;PST;SG", "приніс"), ("V;PFV;PL;3;FUT", "принесуть")]))
    [('V.CVB;PFV;PST', 'принісши')]
    """
    for features, form in cells:
        tags, stem = set(features.split(";")), form.removesuffix("ся")
        aspect = "IPFV" if "IPFV" in tags else "PFV"
        reflexive = "сь" if stem != form else ""
        if form.endswith("сь"):  # a variant
            continue
        if tags >= {"PRS", "3", "PL"} and stem.endswith("ть"):
            yield f"V.CVB;{aspect};PRS", f"{stem.removesuffix('ть')}чи{reflexive}"
        elif tags >= {"PST", "MASC"}:
            yield f"V.CVB;{aspect};PST", f"{stem}ши{reflexive}"


def compared(word: str) -> Iterator[tuple[str, str]]:
    """What the comparative and the superlative of a Ukrainian adjective would be.

    >>> [form for word in ("сильний", "великий") for _, form in compared(word)]
    ['сильніший', 'найсильніший', 'більший', 'найбільший']
    """
    more = COMPARED.get(word, f"{word[:-2]}іший")
    yield from (("ADJ;CMPR", more), ("ADJ;SPRL", f"най{more}"))


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
