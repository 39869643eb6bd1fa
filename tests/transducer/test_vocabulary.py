"""Numbers for symbols, actions and feature values: one numbering, both ways, and on disk."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepwrite.errors import StepwriteError
from stepwrite.transducer.actions import Copy, End, Step, Write, written
from stepwrite.transducer.vocabulary import COPY, END, STEP, Vocabulary

words = st.text(min_size=1, max_size=5).map(tuple)
bundles = st.sampled_from(["", "N;SG", "N;PL", "V;PST;3", "V;NOM(3,SG)", "XYZ", "pos=N"])
vocabularies = st.builds(
    lambda pairs, features, copy: Vocabulary.fit(pairs, features, copy=copy),
    st.lists(st.tuples(words, words), max_size=5),
    st.lists(bundles, max_size=4),
    st.booleans(),
)


@given(vocabularies)
def test_actions_are_numbered_both_ways(vocabulary: Vocabulary) -> None:
    actions = vocabulary.actions()
    assert [vocabulary.action_id(action) for action in actions] == list(range(len(actions)))
    control = [End(), Step(), Copy()] if vocabulary.copy else [End(), Step()]
    assert list(actions[: len(control)]) == control
    assert [END, STEP, COPY][: len(control)] == list(range(len(control)))


@given(vocabularies)
def test_one_numbering_for_symbols_and_actions(vocabulary: Vocabulary) -> None:
    numbers = [vocabulary.symbol_id(s) for s in vocabulary.form_symbols + vocabulary.lemma_only]
    control = range(vocabulary.n_actions - len(vocabulary.form_symbols))
    everything = [*control, *numbers, vocabulary.begin, vocabulary.unknown]
    assert sorted(everything) == list(range(vocabulary.size))
    for symbol in vocabulary.form_symbols:
        assert vocabulary.symbol_id(symbol) == vocabulary.action_id(Write(symbol))
    for symbol in vocabulary.lemma_only:
        assert vocabulary.symbol_id(symbol) >= vocabulary.n_actions


@given(vocabularies, words)
def test_lemmas_are_padded(vocabulary: Vocabulary, word: tuple[str, ...]) -> None:
    first, *inside, last = vocabulary.lemma_ids(word)
    assert (first, last) == (vocabulary.begin, END)
    known = {*vocabulary.form_symbols, *vocabulary.lemma_only}
    assert [number == vocabulary.unknown for number in inside] == [s not in known for s in word]


@pytest.mark.parametrize("copy", [False, True])
@given(data=st.data())
def test_numbers_write_what_their_actions_write(copy: bool, data: st.DataObject) -> None:
    vocabulary = Vocabulary.fit([(tuple("go"), tuple("went"))], [], copy=copy)
    numbers = data.draw(st.lists(st.integers(0, vocabulary.n_actions - 1)))
    positions = data.draw(st.lists(st.integers(1, 2), min_size=len(numbers), max_size=len(numbers)))
    actions = [vocabulary.actions()[number] for number in numbers]
    assert tuple(vocabulary.written("go", numbers, positions)) == written("go", actions, positions)


def test_feature_rows() -> None:
    vocabulary = Vocabulary.fit([], ["N;SG;NOM", "N;PL;DAT", "N;PL"], copy=False)
    rows = {value: vocabulary.feature_rows(value) for value in ("N", "SG", "PL", "NOM", "DAT")}
    # Slots are case, number, part of speech; each known value has a row of its own.
    assert rows == {
        "DAT": [1, 0, 0],
        "NOM": [2, 0, 0],
        "PL": [0, 3, 0],
        "SG": [0, 4, 0],
        "N": [0, 0, 5],
    }
    assert vocabulary.n_feature_rows == 6
    assert vocabulary.feature_rows("N;ERG;PL;DEF") == [0, 3, 5]
    assert vocabulary.feature_rows("") == [0, 0, 0]
    assert Vocabulary.fit([], [""], copy=False).feature_rows("N;SG") == []


@given(vocabularies)
def test_json_round_trip(vocabulary: Vocabulary) -> None:
    assert Vocabulary.from_json(json.loads(json.dumps(vocabulary.to_json()))) == vocabulary


@pytest.mark.parametrize("key", ["form_symbols", "lemma_only_symbols", "features", "copy"])
@pytest.mark.parametrize(
    "value", [None, 1, "abc", ["a", "a"], [1], [""], {"a": 1}, [["a"]], "gone"]
)
def test_json_of_something_else(key: str, value: object) -> None:
    data = Vocabulary.fit([(("g", "o"), ("w",))], ["V;PST"], copy=True).to_json()
    data[key] = value
    if value == "gone":
        del data[key]
    with pytest.raises(StepwriteError):
        Vocabulary.from_json(data)


@pytest.mark.parametrize("data", [None, [], "vocabulary", 3])
def test_json_that_is_no_object(data: object) -> None:
    with pytest.raises(StepwriteError, match="vocabulary"):
        Vocabulary.from_json(data)
