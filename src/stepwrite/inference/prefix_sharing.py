"""The distinct prefixes of many sequences: what a network need read only once.

Words of a language begin and end alike, and the cells of a paradigm share their lemma. After the
same prefix an LSTM is in the same state: of 500 German lemmas it need read only 70 % of the
symbols forward and 58 % backward, of a whole test set about 30 %, of a paradigm one lemma.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Prefixes:
    """All distinct prefixes, numbered through, shorter ones first; 0 is the empty one.

    parents: (N,) the prefix that each continues; symbols: (N,) by which symbol.
    first: the number of the first prefix of each length, and one beyond the last.
    numbers: (L, B) the prefix that ends at each place of each sequence; without meaning after
    the sequence's end.

    >>> prefixes = Prefixes.of([[1, 2, 3], [1, 2], [1, 4, 3]])
    >>> prefixes.parents, prefixes.symbols
    (array([0, 0, 1, 1, 2, 3]), array([0, 1, 2, 4, 3, 3]))
    >>> prefixes.numbers.T
    array([[1, 2, 4],
           [1, 2, 3],
           [1, 3, 5]])
    """

    parents: Ints
    symbols: Ints
    first: tuple[int, ...]
    numbers: Ints

    @classmethod
    def of(cls, sequences: Sequence[Sequence[int]]) -> Prefixes:
        # Sorted, each shares with its neighbour before it all that it shares with any before it.
        order = sorted(range(len(sequences)), key=lambda k: tuple(sequences[k]))
        ordered = [sequences[k] for k in order]
        lengths = np.array([len(sequence) for sequence in ordered])
        columns = padded(list(chain.from_iterable(ordered)), lengths, -1)
        new = columns >= 0
        new[:, 1:] &= np.logical_or.accumulate(columns[:, 1:] != columns[:, :-1], axis=0)
        found = np.cumsum(new, dtype=np.int64).reshape(new.shape)
        shorter = np.vstack([np.zeros_like(found[0]), found[:-1]])
        numbers = np.empty_like(found)
        numbers[:, order] = found
        return cls(
            parents=np.concatenate([[0], shorter[new]]),
            symbols=np.concatenate([[0], columns[new]]),
            first=(0, 1, *(found[:, -1] + 1).tolist()),
            numbers=numbers,
        )

    def __len__(self) -> int:
        return len(self.symbols)

    def blocks(self, size: int) -> Iterator[slice]:
        """All prefixes but the empty one, at most `size` at once, parents before children.

        >>> list(Prefixes.of([[1], [2], [3], [3, 4]]).blocks(2))
        [slice(1, 3, None), slice(3, 4, None), slice(4, 5, None)]
        """
        for start, stop in pairwise(self.first[1:]):
            for part in range(start, stop, size):
                yield slice(part, min(part + size, stop))


def padded(values: Sequence[int], lengths: Ints, padding: int) -> Ints:
    """Sequences that follow each other in `values` as columns of one array.

    >>> padded([1, 2, 3, 4], np.array([3, 1]), 0)
    array([[1, 4],
           [2, 0],
           [3, 0]])
    """
    array = np.full((len(lengths), lengths.max()), padding)
    array[np.arange(lengths.max()) < lengths[:, None]] = values
    return array.T
