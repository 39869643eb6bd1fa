"""The shortest walk from a lemma to a form."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stepwrite.transducer.actions import trace
from stepwrite.transducer.shortest import shortest_walk

WORDS = st.text("abc", max_size=8).map(tuple)


@given(WORDS, WORDS)
def test_the_walk_writes_the_form_and_never_goes_back(
    lemma: tuple[str, ...], form: tuple[str, ...]
) -> None:
    actions, positions = shortest_walk(lemma, form)
    moves = trace(lemma, actions, positions)
    assert tuple(move.written for move in moves if move.written) == form
    assert list(positions) == sorted(positions)
    place = 1
    for action, position in zip(actions, positions, strict=True):
        assert position == place
        place += action.moves
    assert positions[-1] == len(lemma) + 1
