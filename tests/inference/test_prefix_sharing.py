"""Prefixes are all there, once each, and lead back to the sequences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepwrite.inference.prefix_sharing import Prefixes, padded

SEQUENCES = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), min_size=1, max_size=12)


@given(SEQUENCES)
def test_numbers_lead_back_to_the_sequences(sequences: list[list[int]]) -> None:
    prefixes = Prefixes.of(sequences)

    def spelt(number: int) -> list[int]:
        if not number:
            return []
        return [*spelt(int(prefixes.parents[number])), int(prefixes.symbols[number])]

    for column, sequence in enumerate(sequences):
        for place in range(len(sequence)):
            assert spelt(int(prefixes.numbers[place, column])) == sequence[: place + 1]


@given(SEQUENCES)
def test_each_prefix_is_there_once(sequences: list[list[int]]) -> None:
    prefixes = Prefixes.of(sequences)
    distinct = {tuple(s[:stop]) for s in sequences for stop in range(len(s) + 1)}
    assert len(prefixes) == len(prefixes.symbols) == len(prefixes.parents) == len(distinct)
    assert prefixes.numbers.max() < len(distinct)


@given(SEQUENCES, st.integers(1, 5))
def test_blocks_have_all_their_parents_behind_them(sequences: list[list[int]], size: int) -> None:
    prefixes = Prefixes.of(sequences)
    done = 1
    for block in prefixes.blocks(size):
        assert block.start == done
        assert 1 <= block.stop - block.start <= size
        assert (prefixes.parents[block] < block.start).all()
        done = block.stop
    assert done == len(prefixes.symbols)


@pytest.mark.parametrize("padding", [0, 7])
def test_padded(padding: int) -> None:
    found = padded([1, 2, 3, 4, 5], np.array([1, 3, 1]), padding)
    assert found.tolist() == [[1, 2, 5], [padding, 3, padding], [padding, 4, padding]]
