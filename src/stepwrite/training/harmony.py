"""Vowel harmony: whether the vowels of endings follow the last vowel of the stem.

It is looked for in the training words themselves. Each word whose end changes gives a pair, the
last vowel that lemma and form have in common and the first vowel of the new end. Words that lose
the same end are compared with each other only: Turkish *gelmek* and *almak*, or verbs in *-ar* and
*-er*, say by their own ends what is to come. If pairs associate more strongly than they do with
their second vowels shuffled, endings follow the stem.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import groupby, pairwise
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from stepwrite.transducer.alignment import Alignment

SHORTEST = 3  # symbols that lemma and form have in common in one place, for it to be a stem
LETTERS = frozenset("aeiouæøœəɛɔıɨʉɯаеёиоуыэюяєіїөүұәαεηιουω")  # but for accents
EITHER = frozenset("yw")  # a vowel in some languages
CONSONANTS = frozenset("йў")  # that are vowels with an accent to Unicode
FEWEST = 20  # pairs to judge by
N_SHUFFLES = 200
STRONG, SURE = 0.2, 5.0  # the association beyond that by chance, and in its standard deviations


def has_harmony(words: Iterable[Alignment]) -> bool:
    """Whether endings follow the last vowels of stems, in words in the order of spelling.

    >>> from stepwrite.transducer.alignment import EditDistanceAligner
    >>> stems = [f"{c}{v}{d}" for c in "bdgkm" for v in "aeou" for d in "lnrst"]
    >>> def words(ending):
    ...     forms = [stem + ending(stem) for stem in stems]
    ...     return EditDistanceAligner().align(list(zip(map(tuple, stems), map(tuple, forms))))
    >>> has_harmony(words(lambda stem: "lar" if stem[1] in "aou" else "ler"))
    True
    >>> has_harmony(words(lambda stem: "lar" if stem[0] in "bdg" else "ler"))
    False
    """
    words = list(words)
    vowels = vowels_of(spelling for word in words for spelling in (word.lemma, word.form))
    pairs: defaultdict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
    for word in words:
        if (pair := _junction(word, vowels)) is not None:
            lost, before, after = pair
            pairs[lost].append((before, after))
    alike = [group for group in pairs.values() if len(group) > 1]
    if sum(map(len, alike)) < FEWEST:
        return False
    found, by_chance = _association(alike)
    beyond = found - by_chance.mean()
    return bool(beyond >= STRONG and beyond >= SURE * by_chance.std())


def _junction(word: Alignment, vowels: Collection[str]) -> tuple[tuple[str, ...], str, str] | None:
    """What the lemma loses at its end, the last vowel before that and the first one of the new
    end; None if there are no such vowels."""
    end = place = 0
    for copied, run in groupby(word.pairs, key=lambda pair: pair[0] == pair[1]):
        length = len(list(run))
        place += length
        if copied and length >= SHORTEST:
            end = place
    kept, new = word.pairs[:end], word.pairs[end:]
    before = [symbol for symbol, _ in kept if symbol is not None and symbol.lower() in vowels]
    after = [symbol for _, symbol in new if symbol is not None and symbol.lower() in vowels]
    if not before or not after:
        return None
    lost = tuple(symbol for symbol, _ in new if symbol is not None)
    return lost, before[-1].lower(), after[0].lower()


def _association(groups: Sequence[Sequence[tuple[str, str]]]) -> tuple[float, NDArray[np.float64]]:
    """How strongly pairs associate within their groups, and how strongly shuffled ones do.

    It is the largest singular value of the table of pairs, as its counts differ from those of
    independent members: large if the vowels fall into classes that do not mix.
    """
    pairs = [pair for group in groups for pair in group]
    _, before = np.unique([one for one, _ in pairs], return_inverse=True)
    _, after = np.unique([other for _, other in pairs], return_inverse=True)
    group = np.repeat(np.arange(len(groups)), [len(members) for members in groups])
    sizes = np.array([[len(members)] for members in groups])
    expected = (_table(group, before) / sizes).T @ _table(group, after)

    def strength(after: NDArray[np.int64]) -> float:
        counts = _table(before, after)
        residuals = (counts - expected) / np.sqrt(np.maximum(expected, 0.5))
        return float(np.linalg.norm(residuals, 2) / np.sqrt(len(pairs)))

    random = np.random.default_rng(0)
    shuffled = (after[np.lexsort((random.random(len(pairs)), group))] for _ in range(N_SHUFFLES))
    return strength(after), np.array([strength(each) for each in shuffled])


def _table(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float64]:
    """How often each row comes with each column."""
    counts = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(counts, (rows, columns), 1)
    return counts


def vowels_of(words: Iterable[Sequence[str]]) -> set[str]:
    """The vowels of an alphabet, in lower case.

    Of Latin, Cyrillic and Greek letters it is known which are vowels, whatever their accents. In
    other alphabets, and for y and w, Sukhotin's algorithm decides.

    >>> sorted(vowels_of("kylä hyvä työ pöytä mökki tyttö kynä myrsky".split()))
    ['i', 'y', 'ä', 'ö']
    >>> sorted(vowels_of("yol köy oyun ayak yaprak deniz kalem yaz boya tuz dere".split()))
    ['a', 'e', 'i', 'o', 'u', 'ö']
    """
    lower = [[symbol.lower() for symbol in word] for word in words]
    letters = {symbol for word in lower for symbol in word if symbol}
    plain = {letter: normalize("NFD", letter)[0] for letter in letters - CONSONANTS}
    sure = {letter for letter, base in plain.items() if base in LETTERS}
    likely = _likely_vowels(lower)
    if not sure:
        return likely
    return sure | {letter for letter in likely if plain.get(letter) in EITHER}


def _likely_vowels(words: Iterable[Sequence[str]]) -> set[str]:
    """By Sukhotin's algorithm: vowels stand beside consonants.

    >>> sorted(_likely_vowels("talo kala kana sana mato tupa ilma lumi joki meri silta".split()))
    ['a', 'e', 'i', 'o', 'u']
    """
    beside: dict[str, Counter[str]] = defaultdict(Counter)
    for word in words:
        for one, other in pairwise(word):
            if one != other:
                beside[one][other] += 1
                beside[other][one] += 1
    left = {letter: counts.total() for letter, counts in beside.items()}
    vowels: set[str] = set()
    while left:
        likeliest = max(left, key=lambda letter: (left[letter], letter))
        if left.pop(likeliest) <= 0:
            break
        vowels.add(likeliest)
        for letter in left:
            left[letter] -= 2 * beside[likeliest][letter]
    return vowels
