"""Russian inflection from OpenCorpora's dictionary, in the PyPI package `pymorphy3-dicts-ru`.

    pip install --no-deps pymorphy3-dicts-ru==2.4.417150.4580142

The dictionary has lexemes, a lemma and its forms, each with a tag: `стола NOUN,inan,masc
sing,gent`. It is read here without pymorphy3. What is done to it:

- Nouns, adjectives and verbs in UniMorph's tags: `N;MASC;INAN;GEN;SG`, `V;PFV;FUT;1;SG`. As in
  UniMorph the prepositional case is ESS, and an adjective without a case is short: `ADJ;FEM;SG`.
  Words of common gender are {FEM/MASC}, those that have only a plural {FEM/MASC/NEUT}. The
  infinitive is a verb's lemma, not a cell.
- What has a grammeme that is not in `TAGS` is left out, with the whole lexeme if it is the
  lemma: names, places, organisations, abbreviations; what is indeclinable, impersonal,
  pronominal, both animate and not, colloquial, slang, archaic, hypothetical or wrong; vocatives,
  second genitives and locatives; variants (женою, красивей, читавши, but not улыбнувшись);
  superlatives, participles, invitations (пойдёмте).
- Short forms and comparatives of adjectives that are not said to be gradable are left out: леснее.
- быть is left out, for only it has a future of the imperfective.
- Words of Russian letters alone: no hyphens. ё is written.
- Words that occur in texts, for most of the others are rare or made up: the package tells how
  often an ambiguous form has which of its readings there, and most words have such a form.
- One form a cell. If there are several, in one lexeme or in two that are written alike, none is
  taken, for the first is not always the usual one (лагери, лагеря).

Parts are samples: a few cells of a word, so that there are many words, and of rare classes of
words (дитя, неряха, сани) first as many as it takes to see all their cells. An adjective's full
forms are regular, and the lexicon has only those of the sample.
"""

from __future__ import annotations

import json
import re
from array import array
from base64 import b64decode
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from english_data import draw

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
    # What a bundle does not say.
    **{"Sgtm": "", "Pltm": "", "Qual": "", "Poss": "", "Anum": "", "Subx": "", "Adjx": ""},
    **{"tran": "", "intr": "", "Impx": "", "indc": "", "excl": ""},
}
ORDER = list(TAGS)
PLAIN = re.compile("[а-яё]{2,}")
POS = {"NOUN": "N", "INFN": "V", "ADJF": "ADJ"}  # of lemmas
WRONG = {"ADJS,Qual masc,sing,gent"}  # велика
FIRST = b"AAA==\n"  # how a key of the dictionary ends that is the lemma of its lexeme

SHARES = {"dev": 10, "test": 10}  # of 100 lemmas
SPLIT = "1"  # to be raised with every change that a test part gave rise to
TRAIN = {"N": 5_500, "V": 4_500, "ADJ": 3_000}  # cells
HELD_OUT = {"N": 600, "V": 500, "ADJ": 400}
A_WORD = {"NOUN": 2, "VERB": 3, "GRND": 1, "ADJF": 1, "ADJS": 1, "COMP": 1}  # cells of a sample
LEAST = 40  # words of a class in train


@dataclass(frozen=True)
class Lexeme:
    """Forms and their tags, the lemma first; cells, each with its part of speech in OpenCorpora.

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
        """What the tags of a lexeme have in common, and the lemma's part of speech."""
        return self.forms[0][1].partition(" ")[0]

    @property
    def pos(self) -> str:
        return POS[self.kind[:4]]

    @cached_property
    def cells(self) -> list[tuple[str, Example]]:
        found = []
        for form, tag in self.forms:
            # The past gerund of a reflexive verb has no other variant.
            features = bundle(tag.removesuffix(",V-sh") if form.endswith("шись") else tag)
            if features and tag[:4] in A_WORD and PLAIN.fullmatch(form):
                found.append((tag[:4], Example(self.lemma, features, form)))
        return found


def bundle(tag: str) -> str | None:
    """OpenCorpora's tag in UniMorph's; none for what is left out.

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
    """The keys of an automaton in the format of dawgdic that end in `tail`, without it.

    The file has the number of nodes and a unit of four bytes for each, which says where its
    children are; then the same number and two bytes for each: the label of its first child and
    that of its next sibling. Only nodes with a wanted key ahead are visited, once for each path.
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
    """Prefix, suffix and tag of each form of the lexemes that inflect alike."""
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
    """The lexemes of the dictionary, but those whose lemma is left out."""
    paradigms = read_paradigms(folder)
    for key in keys(folder / "words.dawg", FIRST):
        # Behind the word: the number of its paradigm and its place there, two bytes each.
        word, _, numbers = key.decode().partition("\x01")
        paradigm = paradigms[int.from_bytes(b64decode(numbers + FIRST.decode())[:2])]
        prefix, suffix, tag = paradigm[0]
        if tag[:4] in POS and bundle(tag) and PLAIN.fullmatch(word) and word != "быть":
            stem = word[len(prefix) : len(word) - len(suffix)]
            yield Lexeme(tuple((before + stem + after, tag) for before, after, tag in paradigm))


def part_of(lemma: str) -> str:
    """A lemma is in one part alone, with all its lexemes."""
    place = draw("russian", SPLIT, lemma) % 100
    return "dev" if place < SHARES["dev"] else "test" if place < sum(SHARES.values()) else "train"


def sample(
    words: Iterable[Lexeme], cells: Container[Example], n_cells: Mapping[str, int], least: int = 0
) -> list[Example]:
    """About `n_cells` of each part of speech, a few of a word; first of `least` of each kind."""
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
    """train, dev and test, and as `lexicon` what words have, from the package's folder of data."""
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
