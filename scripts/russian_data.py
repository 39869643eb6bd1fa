"""Russian inflection from OpenCorpora's dictionary, in the PyPI package `pymorphy3-dicts-ru`.

    pip install --no-deps pymorphy3-dicts-ru==2.4.417150.4580142

The dictionary consists of lexemes, a lemma and its forms, each with a tag: `стола NOUN,inan,masc
sing,gent`. It is read here without pymorphy3, and converted as follows:

- Nouns, adjectives and verbs with UniMorph tags: `N;MASC;INAN;GEN;SG`, `V;PFV;FUT;1;SG`. As in
  UniMorph the prepositional case is ESS, and an adjective without a case is a short form:
  `ADJ;FEM;SG`. Words of common gender are {FEM/MASC}, pluralia tantum {FEM/MASC/NEUT}. The
  infinitive is the lemma of a verb, not a cell.
- Forms with a grammeme that is not in `TAGS` are left out, and the whole lexeme if it is the lemma:
  names, places, organisations, abbreviations; indeclinable, impersonal and pronominal words; words
  that are both animate and inanimate, colloquial, slang, archaic, hypothetical or wrong; vocatives,
  second genitives and locatives; variants (женою, красивей, читавши, but not улыбнувшись);
  superlatives, participles, inclusive imperatives (пойдёмте).
- Short forms and comparatives of adjectives not marked as gradable are left out: леснее.
- быть is left out, because no other verb has an imperfective future.
- Only words of Russian letters: no hyphens. ё is written as ё.
- Only words that occur in texts, because most of the others are rare or made up: the package gives
  the frequencies of the readings of ambiguous forms, and most words have such a form.
- One form per cell. If there are several, in one lexeme or in two with the same spelling, the cell
  is left out, because the first is not always the usual one (лагери, лагеря).

The splits are samples: a few cells per word, to have many words, and for rare classes of words
(дитя, неряха, сани) first as many words as are needed to cover all their cells. The full forms of
adjectives are regular, and the lexicon contains only those of the sample.
"""

from __future__ import annotations

import hashlib
import json
import re
from array import array
from base64 import b64decode
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from stepwrite.data.examples import Example

TAGS = {  # in the order of a bundle
    **{"NOUN": "N", "ADJF": "ADJ", "ADJS": "ADJ", "COMP": "ADJ;CMPR"},
    **{"INFN": "V;NFIN", "VERB": "V", "GRND": "V.CVB"},
    **{"impf": "IPFV", "perf": "PFV"},
    **{"pres": "PRS", "futr": "FUT", "past": "PST", "impr": "IMP;2"},
    **{"1per": "1", "2per": "2", "3per": "3"},
    **{"masc": "MASC", "femn": "FEM", "neut": "NEUT"},
    **{"ms-f": "{FEM/MASC}", "GNdr": "{FEM/MASC/NEUT}"},
    **{"anim": "ANIM", "inan": "INAN"},
    **{"nomn": "NOM", "gent": "GEN", "datv": "DAT", "accs": "ACC", "ablt": "INS", "loct": "ESS"},
    **{"sing": "SG", "plur": "PL"},
    # Grammemes without a tag in the bundle.
    **{"Sgtm": "", "Pltm": "", "Qual": "", "Poss": "", "Anum": "", "Subx": "", "Adjx": ""},
    **{"tran": "", "intr": "", "Impx": "", "indc": "", "excl": ""},
}
ORDER = list(TAGS)
PLAIN = re.compile("[а-яё]{2,}")
POS = {"NOUN": "N", "INFN": "V", "ADJF": "ADJ"}  # of lemmas
WRONG = {"ADJS,Qual masc,sing,gent"}  # велика
FIRST = b"AAA==\n"  # the end of dictionary keys that are the lemma of their lexeme

SHARES = {"dev": 10, "test": 10}  # of 100 lemmas
SPLIT = "1"  # to be raised with every change motivated by a test set
TRAIN = {"N": 5_500, "V": 4_500, "ADJ": 3_000}  # cells
HELD_OUT = {"N": 600, "V": 500, "ADJ": 400}
A_WORD = {"NOUN": 2, "VERB": 3, "GRND": 1, "ADJF": 1, "ADJS": 1, "COMP": 1}  # cells per word
LEAST = 40  # words per class in train


@dataclass(frozen=True)
class Lexeme:
    """Forms and their tags, the lemma first; each cell has its OpenCorpora part of speech.

    >>> wife = Lexeme(
    ...     (
    ...         ("жена", "NOUN,anim,femn sing,nomn"),
    ...         ("женой", "NOUN,anim,femn sing,ablt"),
    ...         ("женою", "NOUN,anim,femn sing,ablt,V-oy"),
    ...     )
    ... )
    >>> [f"{features} {form}" for _, (_, features, form) in wife.cells]
    ['N;FEM;ANIM;NOM;SG жена', 'N;FEM;ANIM;INS;SG женой']
    >>> wife.pos, wife.kind
    ('N', 'NOUN,anim,femn')
    """

    forms: tuple[tuple[str, str], ...]

    @property
    def lemma(self) -> str:
        return self.forms[0][0]

    @property
    def kind(self) -> str:
        """What the tags of a lexeme have in common, with the part of speech of the lemma."""
        return self.forms[0][1].partition(" ")[0]

    @property
    def pos(self) -> str:
        return POS[self.kind[:4]]

    @cached_property
    def cells(self) -> list[tuple[str, Example]]:
        found = []
        for form, tag in self.forms:
            # The past gerund of a reflexive verb has only this variant.
            features = bundle(tag.removesuffix(",V-sh") if form.endswith("шись") else tag)
            if features and tag[:4] in A_WORD and PLAIN.fullmatch(form):
                found.append((tag[:4], Example(self.lemma, features, form)))
        return found


def bundle(tag: str) -> str | None:
    """Convert an OpenCorpora tag to a UniMorph bundle; None for what is left out.

    >>> bundle("ADJF,Qual anim,masc,sing,accs"), bundle("ADJS,Qual femn,sing"), bundle("COMP,Qual")
    ('ADJ;MASC;ANIM;ACC;SG', 'ADJ;FEM;SG', 'ADJ;CMPR')
    >>> bundle("VERB,perf,tran sing,1per,futr,indc"), bundle("VERB,impf,tran plur,impr,excl")
    ('V;PFV;FUT;1;SG', 'V;IPFV;IMP;2;PL')
    >>> bundle("GRND,impf,tran pres"), bundle("NOUN,inan,GNdr,Pltm plur,gent")
    ('V.CVB;IPFV;PRS', 'N;{FEM/MASC/NEUT};INAN;GEN;PL')
    >>> bundle("NOUN,anim,femn,Name sing,gent"), bundle("VERB,perf,tran plur,impr,incl")
    (None, None)
    >>> bundle("ADJF masc,sing,nomn"), bundle("ADJS masc,sing"), bundle("COMP")
    ('ADJ;MASC;NOM;SG', None, None)
    """
    grammemes = re.split("[, ]", tag)
    gradable = "Qual" in grammemes or grammemes[0] not in ("ADJS", "COMP")
    if tag in WRONG or not gradable or not TAGS.keys() >= set(grammemes):
        return None
    return ";".join(filter(None, (TAGS[name] for name in sorted(grammemes, key=ORDER.index))))


def keys(path: Path, tail: bytes = b"") -> Iterator[bytes]:
    """The keys of a dawgdic automaton that end in `tail`, without it.

    The file contains the number of nodes and a four-byte unit for each, which locates its children;
    then the same number and two bytes for each: the labels of its first child and of its next
    sibling. Only nodes that lead to a wanted key are visited, once for each path.
    """
    data = path.read_bytes()
    end = 4 + 4 * int.from_bytes(data[:4], "little")
    units, guide = array("I", data[4:end]), data[end + 4 :]

    def step(node: int, label: int) -> int:
        unit = units[node]
        return node ^ (unit >> 10 << (unit >> 6 & 8)) ^ label

    def children(node: int) -> Iterator[tuple[int, int]]:
        label = guide[2 * node]
        while label:
            child = step(node, label)
            yield label, child
            label = guide[2 * child + 1]

    def ends(node: int) -> bool:
        for label in tail:
            node = step(node, label)
            if units[node] & 0x800000FF != label:
                return False
        return bool(units[node] >> 8 & 1)

    @cache
    def leads(node: int) -> bool:
        return ends(node) or any(leads(child) for _, child in children(node))

    paths = [(0, b"")]
    while paths:
        node, key = paths.pop()
        if ends(node):
            yield key
        paths += [(child, key + bytes([label])) for label, child in children(node) if leads(child)]


def read_paradigms(folder: Path) -> list[list[tuple[str, str, str]]]:
    """The paradigms: prefix, suffix and tag of each form."""
    suffixes, tags, meta = (
        json.loads((folder / name).read_text(encoding="utf-8"))
        for name in ("suffixes.json", "gramtab-opencorpora-int.json", "meta.json")
    )
    prefixes = dict(meta)["compile_options"]["paradigm_prefixes"]
    numbers = iter(array("H", (folder / "paradigms.array").read_bytes()))
    paradigms = []
    for _ in range(next(numbers)):
        n = next(numbers) // 3
        columns = [[next(numbers) for _ in range(n)] for _ in range(3)]
        paradigms.append(
            [(prefixes[p], suffixes[s], tags[t]) for s, t, p in zip(*columns, strict=True)]
        )
    return paradigms


def lexemes(folder: Path) -> Iterator[Lexeme]:
    """The lexemes of the dictionary, except those whose lemma is left out."""
    paradigms = read_paradigms(folder)
    for key in keys(folder / "words.dawg", FIRST):
        # After the word: the number of its paradigm and its index there, two bytes each.
        word, _, numbers = key.decode().partition("\x01")
        paradigm = paradigms[int.from_bytes(b64decode(numbers + FIRST.decode())[:2])]
        prefix, suffix, tag = paradigm[0]
        if tag[:4] in POS and bundle(tag) and PLAIN.fullmatch(word) and word != "быть":
            stem = word[len(prefix) : len(word) - len(suffix)]
            yield Lexeme(tuple((before + stem + after, tag) for before, after, tag in paradigm))


def part_of(lemma: str) -> str:
    """The split of a lemma, the same for all its lexemes."""
    place = draw("russian", SPLIT, lemma) % 100
    return "dev" if place < SHARES["dev"] else "test" if place < sum(SHARES.values()) else "train"


def draw(*key: str) -> int:
    """A pseudo-random but reproducible number for sorting keys."""
    return int.from_bytes(hashlib.sha256("\t".join(("stepwrite", *key)).encode()).digest()[:8])


def sample(
    words: Iterable[Lexeme], cells: Container[Example], n_cells: Mapping[str, int], least: int = 0
) -> list[Example]:
    """About `n_cells` per part of speech, a few per word; first `least` words of each kind."""
    seen = Counter[str]()
    first, later = list[Lexeme](), list[Lexeme]()
    for word in sorted(words, key=lambda word: draw("word", word.lemma, word.kind)):
        seen[word.kind] += 1
        (first if seen[word.kind] <= least else later).append(word)
    taken: dict[str, set[Example]] = {pos: set() for pos in n_cells}
    for word in first + later:
        if len(taken[word.pos]) < n_cells[word.pos]:
            for pos, n in A_WORD.items():
                known = [cell for kind, cell in word.cells if kind == pos and cell in cells]
                taken[word.pos].update(sorted(known, key=lambda cell: draw(*cell))[:n])
    return sorted(set().union(*taken.values()))


def russian(folder: Path) -> dict[str, list[Example]]:
    """train, dev and test, and the cells of words as `lexicon`, from the data of the package."""
    texts = set(keys(folder / "p_t_given_w.intdawg"))
    words = [
        word
        for word in lexemes(folder)
        if any(f"{form}:{tag}".encode() in texts for form, tag in word.forms)
    ]
    every = {cell for word in words for _, cell in word.cells}
    rivals = Counter((lemma, features) for lemma, features, _ in every)
    cells = {cell for cell in every if rivals[cell.lemma, cell.features] == 1}
    by_part: dict[str, list[Lexeme]] = {"train": [], "dev": [], "test": []}
    for word in words:
        by_part[part_of(word.lemma)].append(word)
    train = sample(by_part["train"], cells, TRAIN, LEAST)
    irregular = {cell for word in words for pos, cell in word.cells if pos != "ADJF"}
    return {
        "train": train,
        **{part: sample(by_part[part], cells, HELD_OUT) for part in ("dev", "test")},
        "lexicon": sorted(cells & irregular | set(train)),
    }
