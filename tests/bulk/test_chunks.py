"""Results come in the order of the chunks, and few chunks are ever under way."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from stepwrite.bulk.chunks import in_order


@pytest.mark.parametrize("most", [1, 2, 7, 100])
def test_in_order_and_never_too_many(most: int) -> None:
    n_read = 0

    def chunks() -> Iterator[int]:
        nonlocal n_read
        for number in range(50):
            n_read += 1
            yield number

    found = []
    for result in in_order(chunks(), lambda n: 2 * n, lambda n: n + 1, most):
        found.append(result)
        assert n_read - len(found) <= most
    assert found == [2 * n + 1 for n in range(50)]


def test_slow_chunks_hold_the_others_back() -> None:
    order = random.Random(0).sample(range(20), 20)
    assert list(in_order(order, lambda n: n, lambda n: n, 3)) == order
    assert list(in_order([], lambda n: n, lambda n: n, 3)) == []
