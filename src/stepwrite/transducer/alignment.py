"""Character alignments of lemma and form: 1-1, 1-0 (deletion) and 0-1 (insertion).

Two aligners share one interface, `align(pairs) -> list[Alignment]`:

- `ChineseRestaurantAligner`, the paper's: a pair of symbols is the likelier, the more often
  the other words use it (Sudoh et al. 2013; the SIGMORPHON 2016 baseline's aligner). Its
  Gibbs sampler is compiled with Numba, which comes with the extra `train`.
- `EditDistanceAligner`: each word pair by itself, with the fewest edits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from stepwrite.data.segmentation import Symbols
from stepwrite.errors import require

if TYPE_CHECKING:
    from stepwrite.transducer.alignment_kernel import Corpus

Pair = tuple[str | None, str | None]
WordPair = tuple[Symbols, Symbols]
Progress = Callable[[int, int], None]
"""Called with (steps done, steps in all)."""


@dataclass(frozen=True)
class Alignment:
    """Pairs (lemma symbol, form symbol) in order; `None` is the empty side of a pair.

    anchored: whether the pairs say which symbol of the lemma each symbol of the form belongs to,
    where these are not the same.

    >>> alignment = Alignment((("g", "g"), ("o", "i"), (None, "e")))
    >>> alignment.lemma, alignment.form
    (('g', 'o'), ('g', 'i', 'e'))
    """

    pairs: tuple[Pair, ...]
    anchored: bool = False

    @property
    def lemma(self) -> Symbols:
        return tuple(symbol for symbol, _ in self.pairs if symbol is not None)

    @property
    def form(self) -> Symbols:
        return tuple(symbol for _, symbol in self.pairs if symbol is not None)


class Aligner(Protocol):
    """Anything that aligns a list of word pairs."""

    def align(
        self, pairs: Sequence[WordPair], progress: Progress | None = None
    ) -> list[Alignment]: ...


@dataclass(frozen=True)
class EditDistanceAligner:
    """Fewest insertions, deletions and replacements; no learning, no Numba.

    >>> [alignment] = EditDistanceAligner().align([(tuple("legte"), tuple("lege"))])
    >>> alignment.pairs
    (('l', 'l'), ('e', 'e'), ('g', 'g'), ('t', None), ('e', 'e'))
    """

    def align(self, pairs: Sequence[WordPair], progress: Progress | None = None) -> list[Alignment]:
        alignments = []
        for done, (lemma, form) in enumerate(pairs, start=1):
            alignments.append(Alignment(tuple(_fewest_edits(lemma, form))))
            if progress and (done % 1000 == 0 or done == len(pairs)):
                progress(done, len(pairs))
        return alignments


def _fewest_edits(lemma: Symbols, form: Symbols) -> Iterable[Pair]:
    from rapidfuzz.distance import Levenshtein

    for edit in Levenshtein.opcodes(lemma, form):
        before = lemma[edit.src_start : edit.src_end]
        after = form[edit.dest_start : edit.dest_end]
        if edit.tag == "insert":
            yield from ((None, symbol) for symbol in after)
        elif edit.tag == "delete":
            yield from ((symbol, None) for symbol in before)
        else:
            yield from zip(before, after, strict=True)


@dataclass(frozen=True)
class ChineseRestaurantAligner:
    """Gibbs sampling over the pairs that all word pairs share, then the cheapest path.

    A pair costs -log((count + prior) / (total + prior * possible pairs)). Each sweep takes
    one word pair's counts away, samples its path through the trellis from the exact
    posterior (forward filtering, backward sampling) and puts the new counts back; the start
    is a left-aligned pairing. The same seed and data give the same alignments everywhere.

    >>> words = [("gehen", "geht"), ("sehen", "seht"), ("stehen", "steht"), ("holen", "holt")]
    >>> aligner = ChineseRestaurantAligner()
    >>> alignments = aligner.align([(tuple(lemma), tuple(form)) for lemma, form in words])
    >>> alignments[0].pairs
    (('g', 'g'), ('e', 'e'), ('h', 'h'), ('e', 't'), ('n', None))
    """

    sweeps: int = 10
    prior: float = 0.1
    seed: int = 0

    def align(self, pairs: Sequence[WordPair], progress: Progress | None = None) -> list[Alignment]:
        require("numba", extra="train", purpose="the Chinese-restaurant-process aligner")
        from stepwrite.transducer import alignment_kernel as kernel

        corpus = kernel.corpus_of(pairs)
        counts = kernel.empty_counts(corpus, self.sweeps, self.prior)
        kernel.seat_left_aligned(corpus, counts)
        random = np.random.default_rng(self.seed)
        for sweep in range(self.sweeps):
            kernel.sample_sweep(corpus, counts, random.random(len(corpus.moves)))
            if progress:
                progress(sweep + 1, self.sweeps + 1)
        kernel.best_paths(corpus, counts)
        if progress:
            progress(self.sweeps + 1, self.sweeps + 1)
        return [_follow(lemma, form, corpus, word) for word, (lemma, form) in enumerate(pairs)]


def _follow(lemma: Symbols, form: Symbols, corpus: Corpus, word: int) -> Alignment:
    """The alignment that the word's stored moves (1-1, 1-0, 0-1) spell out."""
    left, right = iter(lemma), iter(form)
    moves = corpus.path(word).tolist()
    return Alignment(
        tuple((next(left) if m != 2 else None, next(right) if m != 1 else None) for m in moves)
    )


def positions_of(alignment: Alignment) -> list[int]:
    """For each symbol of the form the position, from 1, of the lemma's symbol that it belongs to:
    the one it is aligned with, or else the one before.

    >>> positions_of(Alignment((("x", "k"), (None, "s"), ("e", None), ("n", "n"))))
    [1, 1, 3]
    """
    position, found = 0, []
    for before, after in alignment.pairs:
        position += before is not None
        if after is not None:
            found.append(max(1, position))
    return found
