"""Spanish, Portuguese, Catalan and Dutch nouns and adjectives from PyPI's `spacy-lookups-data`, and
what Italian words have besides.

Its tables map forms to lemmas and say nothing about cells, but with a regular plural there is
little to say: a form is the plural of its lemma if a rule of the language makes it, or, in Dutch,
if it ends like a plural. Where rules give several, texts decide (`language_build.frequencies`).
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from language_build.frequencies import zipf_table
from language_build.sources import Places

Rows = Iterator[tuple[str, str, str]]
ACCENTS = str.maketrans("áéíóú", "aeiou")
GRAVES = str.maketrans("àèéíòóú", "aeeioou")
WORD = re.compile(r"[^\W\d_]{2,}")
# Portuguese adjectives without a feminine of their own, besides those with the endings.
SAME_IN_BOTH = (
    "alegre ágil azul breve capaz comum cruel difícil doce fácil feliz feroz fiel forte gentil "
    "grande inútil jovem leve livre nobre pobre quente simples suave triste útil veloz verde"
)
SAME_IN_CATALAN = ("al", "ar", "ble", "el", "eu", "il", "ista", "ior", "nt", "ç", "x")
SAME_ENDINGS = ("al", "vel", "nte", "ense", "ista")
ITALIAN_ENDINGS = {"o": "MASC;SG", "a": "FEM;SG", "i": "MASC;PL", "e": "FEM;PL"}
LEAST = 1.5  # the Zipf frequency of a lemma


def table(places: Places, name: str) -> Any:
    path = places.python("spacy_lookups_data", f"data/{name}.json.gz")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def forms_by_lemma(lookup: Mapping[str, str]) -> dict[str, set[str]]:
    forms: dict[str, set[str]] = defaultdict(set)
    for form, lemma in lookup.items():
        forms[lemma].add(form)
    return forms


def spanish(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    forms = forms_by_lemma(table(places, "es_lemma_lookup"))
    index, zipf = table(places, "es_lemma_index"), zipf_table("es")
    for lemma in index["noun"]:
        yield from _noun(lemma, spanish_plurals(lemma), forms[lemma], zipf)
    for lemma in index["adj"]:
        feminine = f"{lemma[:-1]}a" if lemma.endswith("o") else lemma
        if lemma.translate(ACCENTS) != lemma and re.search("[óéá][ns]$", lemma):
            feminine = f"{lemma.translate(ACCENTS)}a"  # alemán, alemana; inglés, inglesa
        elif lemma.endswith("dor") or lemma in ("español", "andaluz"):
            feminine = f"{lemma}a"
        if feminine == lemma or feminine in forms[lemma] or feminine in zipf:
            yield from _adjective(lemma, feminine, spanish_plurals)


def portuguese(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    forms, zipf = forms_by_lemma(table(places, "pt_lemma_lookup")), zipf_table("pt")
    for lemma in zipf:
        if zipf[lemma] < LEAST or not WORD.fullmatch(lemma) or lemma not in forms:
            continue
        yield from _noun(lemma, portuguese_plurals(lemma), forms[lemma], zipf)
        feminine = f"{lemma[:-1]}a" if lemma.endswith("o") and not lemma.endswith("ão") else ""
        if lemma.endswith(("or", "ês")):
            feminine = f"{lemma.removesuffix('ês')}{'esa' if lemma.endswith('ês') else 'a'}"
        if feminine and feminine in forms[lemma]:
            yield from _adjective(lemma, feminine, portuguese_plurals)
        elif lemma in SAME_IN_BOTH.split() or lemma.endswith(SAME_ENDINGS):
            yield from _adjective(lemma, lemma, portuguese_plurals)


def catalan(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """Nouns and adjectives whose plural and feminine a rule makes and the table has."""
    index, zipf = table(places, "ca_lemma_index"), zipf_table("ca")
    known = {kind: _by_lemma(table(places, "ca_lemma_exc")[kind]) for kind in ("noun", "adj")}
    for lemma in index["noun"]:
        forms = known["noun"].get(lemma, set())
        if zipf.get(lemma, 0) >= LEAST and WORD.fullmatch(lemma):
            found = [plural for plural in catalan_plurals(lemma) if plural in forms]
            if found:
                yield from _noun(lemma, found[:1], forms, zipf)
    for lemma in index["adj"]:
        forms = known["adj"].get(lemma, set())
        if zipf.get(lemma, 0) < LEAST or not WORD.fullmatch(lemma):
            continue
        feminine = next((form for form in catalan_feminines(lemma) if form in forms), "")
        if not feminine and lemma.endswith(SAME_IN_CATALAN):
            feminine = lemma
        elif not feminine:
            feminine = next((form for form in catalan_feminines(lemma) if form in zipf), "")
        plurals = catalan_plurals(lemma)
        if feminine:
            yield lemma, "ADJ;MASC;SG", lemma
            yield (
                lemma,
                "ADJ;MASC;PL",
                next((form for form in plurals if form in forms), plurals[0]),
            )
            yield lemma, "ADJ;FEM;SG", feminine
            yield lemma, "ADJ;FEM;PL", catalan_plurals(feminine)[0]


def _by_lemma(found: Mapping[str, Iterable[str]]) -> dict[str, set[str]]:
    forms: dict[str, set[str]] = defaultdict(set)
    for form, lemmas in found.items():
        for lemma in lemmas:
            forms[lemma].add(form)
    return forms


def italian(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    """Present participles of verbs and absolute superlatives of adjectives."""
    zipf = zipf_table("it")
    for form, lemma in table(places, "it_lemma_lookup_verb").items():
        if re.search("[ae]nt[ei]$", form) and lemma.endswith("re") and zipf.get(form, 0) >= LEAST:
            yield lemma, f"V.PTCP;PRS;{'SG' if form.endswith('e') else 'PL'}", form
    for form, lemma in table(places, "it_lemma_lookup_adj").items():
        found = re.search("issim([oaie])$", form)
        if found and not lemma.endswith("issimo") and zipf.get(form, 0) >= LEAST:
            yield lemma, f"ADJ;AB;{ITALIAN_ENDINGS[found[1]]}", form


def dutch(places: Places, iso: str, options: Mapping[str, Any]) -> Rows:
    forms, zipf = forms_by_lemma(table(places, "nl_lemma_lookup")), zipf_table("nl")
    for form, lemmas in table(places, "nl_lemma_exc")["noun"].items():
        for lemma in lemmas:
            forms[lemma].add(form)
    for lemma in table(places, "nl_lemma_index")["noun"]:
        if zipf.get(lemma, 0) >= LEAST and WORD.fullmatch(lemma):
            found = [form for form in forms[lemma] - {lemma} if form.endswith(("en", "s", "ën"))]
            yield from _noun(lemma, found, forms[lemma], zipf)


def _noun(
    lemma: str, plurals: Iterable[str], known: Collection[str], zipf: Mapping[str, float]
) -> Rows:
    yield lemma, "N;SG", lemma
    found = [plural for plural in plurals if plural in known or plural in zipf]
    if found:
        yield lemma, "N;PL", max(found, key=lambda plural: zipf.get(plural, 0))


def _adjective(lemma: str, feminine: str, plurals: Any) -> Rows:
    for gender, singular in (("MASC", lemma), ("FEM", feminine)):
        yield lemma, f"ADJ;{gender};SG", singular
        yield lemma, f"ADJ;{gender};PL", plurals(singular)[0]


def spanish_plurals(noun: str) -> list[str]:
    """What the plural of a word can be, the likeliest first.

    >>> [spanish_plurals(noun)[0] for noun in ("casa", "luz", "nación", "árbol", "crisis")]
    ['casas', 'luces', 'naciones', 'árboles', 'crisis']
    >>> [spanish_plurals(noun)[0] for noun in ("joven", "imagen", "tren", "país")]
    ['jóvenes', 'imágenes', 'trenes', 'países']
    """
    if stressed := re.fullmatch("([a-zñ]*)([aeiou])([^aeiouáéíóú]+en)", noun):
        before, vowel, rest = stressed.groups()
        return [f"{before}{'áéíóú'['aeiou'.index(vowel)]}{rest}es", f"{noun}es"]
    if re.search("[aeo]í[ns]$", noun):
        return [f"{noun}es"]
    if noun[-1] in "aeiouáéó":
        return [f"{noun}s"]
    if noun[-1] in "íú":
        return [f"{noun}es", f"{noun}s"]
    if noun.endswith("z"):
        return [f"{noun[:-1]}ces"]
    if noun[-1] in "sx" and noun[-2:].translate(ACCENTS) == noun[-2:]:
        return [noun, f"{noun}es"]
    if re.search("[áéíóú][ns]$", noun):
        return [f"{noun[:-2]}{noun[-2:].translate(ACCENTS)}es"]
    return [f"{noun}es", f"{noun}s"]


def portuguese_plurals(noun: str) -> list[str]:
    """What the plural of a word can be, the likeliest first.

    >>> [portuguese_plurals(noun)[0] for noun in ("casa", "nação", "animal", "hotel", "homem")]
    ['casas', 'nações', 'animais', 'hotéis', 'homens']
    """
    if noun.endswith("ão"):
        return [f"{noun[:-2]}{ending}" for ending in ("ões", "ãos", "ães")]
    if noun.endswith(("al", "ol", "ul", "el")) and len(noun) > 2:
        accented = {"a": "ais", "o": "óis", "u": "uis", "e": "éis"}[noun[-2]]
        stressed = re.search("[áéíóúâêô]", noun[:-2])
        plain = {"a": "ais", "o": "ois", "u": "uis", "e": "eis"}[noun[-2]]
        return [noun[:-2] + (plain if stressed else accented)]
    if noun.endswith("il"):
        stressed = re.search("[áéíóúâêô]", noun[:-2])
        return [f"{noun[:-2]}{'eis' if stressed else 'is'}"]
    if noun.endswith("m"):
        return [f"{noun[:-1]}ns"]
    if noun[-1] in "rz":
        return [f"{noun}es"]
    if noun.endswith("ês"):
        return [f"{noun[:-2]}eses"]
    if noun[-1] in "sx":
        return [noun, f"{noun}es"]
    return [f"{noun}s"]


def catalan_plurals(noun: str) -> list[str]:
    """What the plural of a word can be, the likeliest first.

    >>> [catalan_plurals(noun)[0] for noun in ("casa", "llengua", "taronja", "home", "cas")]
    ['cases', 'llengües', 'taronges', 'homes', 'casos']
    >>> [catalan_plurals(noun)[0] for noun in ("mà", "francès", "gris", "nació", "projecte")]
    ['mans', 'francesos', 'grisos', 'nacions', 'projectes']
    """
    plain = noun[:-1] + noun[-1:].translate(GRAVES)
    if noun.endswith("a"):
        for ending, other in (("ca", "ques"), ("ça", "ces"), ("ja", "ges"), ("gua", "gües")):
            if noun.endswith(ending):
                return [noun.removesuffix(ending) + other, f"{noun[:-1]}es"]
        for ending, other in (("ga", "gues"), ("qua", "qües")):
            if noun.endswith(ending):
                return [noun.removesuffix(ending) + other]
        return [f"{noun[:-1]}es"]
    if noun[-1] in "àèéíòóú":
        return [f"{plain}ns", f"{noun}s"]
    if noun[-1] in "sçx":
        grave = noun[:-2] + noun[-2:].translate(GRAVES)
        return [f"{grave}os", f"{noun}os", f"{grave}sos", noun]
    if noun.endswith(("sc", "st", "xt")):
        return [f"{noun}os", f"{noun}s"]
    if noun.endswith("ig"):
        return [f"{noun}s", f"{noun[:-2]}jos"]
    return [f"{noun}s", f"{noun}os"]


def catalan_feminines(adjective: str) -> list[str]:
    """What the feminine of an adjective can be, the likeliest first.

    >>> [catalan_feminines(word)[0] for word in ("nou", "català", "francès", "europeu")]
    ['nova', 'catalana', 'francesa', 'europea']
    >>> "antiga" in catalan_feminines("antic"), "necessària" in catalan_feminines("necessari")
    (True, True)
    """
    last = adjective[:-2] + adjective[-2:].translate(GRAVES)
    found = []
    if adjective.endswith("eu"):
        found.append(f"{adjective[:-2]}ea")
    if adjective.endswith("u"):
        found.append(f"{adjective[:-1]}va")
    if adjective[-1] in "àèéíòóú":
        found.append(f"{last}na")
    if adjective[-1] in "ctp":
        found.append(f"{adjective[:-1]}{'gdb'['ctp'.index(adjective[-1])]}a")
    if adjective.endswith(("i", "u")):
        stressed = re.sub("[aeo]([^aeiou]+)[iu]$", _with_grave, adjective)
        found += [f"{stressed}a"]
    found += [f"{adjective[:-1]}a" if adjective[-1] in "eo" else f"{last}a"]
    return [*found, f"{adjective}a", f"{last}sa", f"{adjective[:-1]}ja"]


def _with_grave(ending: re.Match[str]) -> str:
    """An ending whose vowel has got an accent: -ari, -ària.

    >>> re.sub("[aeo]([^aeiou]+)[iu]$", _with_grave, "necessari")
    'necessàri'
    """
    return "àèò"["aeo".index(ending[0][0])] + ending[0][1:]
