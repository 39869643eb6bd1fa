"""The oracle, and what executing it gives."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stepwrite.transducer.actions import End, Step, Write, execute, oracle
from stepwrite.transducer.alignment import Alignment, EditDistanceAligner

words = st.text(max_size=8).map(tuple)


def literal_algorithm(alignment: Alignment) -> list[str]:
    """Algorithm 1 line by line, with the authors' handling of the padded lemma around it."""
    pairs = alignment.pairs
    actions = []
    if not pairs or pairs[0][0] is not None:
        actions.append("step")
    for k, (left, right) in enumerate(pairs):
        next_is_insertion = k + 1 < len(pairs) and pairs[k + 1][0] is None
        if right is None:
            assert left is not None
        else:
            actions.append(f"write({right})")
        if not next_is_insertion:
            actions.append("step")
    return [*actions, "end"]


@given(lemma=words, form=words)
def test_oracle_writes_the_form_and_never_goes_back(lemma, form) -> None:
    [alignment] = EditDistanceAligner().align([(lemma, form)])
    actions = oracle(alignment)
    execution = execute(lemma, actions)
    assert execution.form == form
    assert list(execution.positions) == sorted(execution.positions)
    assert execution.positions[-1] == len(lemma) + 1
    assert len(actions) == len(lemma) + len(form) + 2


@given(lemma=words, form=words)
def test_oracle_is_algorithm_1(lemma, form) -> None:
    [alignment] = EditDistanceAligner().align([(lemma, form)])
    assert [str(action) for action in oracle(alignment)] == literal_algorithm(alignment)


def test_the_papers_deletion_and_insertion() -> None:
    legte = Alignment((("l", "l"), ("e", "e"), ("g", "g"), ("t", None), ("e", "e")))
    assert oracle(legte)[5:8] == (Write("g"), Step(), Step())
    prefixed = Alignment(((None, "g"), (None, "e"), ("l", "l")))
    assert oracle(prefixed) == (Write("g"), Write("e"), Step(), Write("l"), Step(), End())


def test_execute_stays_on_the_end_and_stops_there() -> None:
    execution = execute("a", [Step(), Step(), Step(), Write("b"), End(), Write("c")])
    assert execution.form == ("b",)
    assert execution.positions == (0, 1, 2, 2, 2)


def test_execute_without_end() -> None:
    assert execute("", [Write("x")]).form == ("x",)
