"""Changes make what they were taken from; tables leave a word out as if it were not there."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepwrite import Example
from stepwrite.fieldwork.analogy import (
    LEMMA,
    Analogies,
    Opinion,
    Table,
    agreed,
    cell_names,
    paradigms,
)
from stepwrite.fieldwork.changes import Change

WORDS = st.text("abä", max_size=7).map(tuple)
LATIN = "rex regis regi, lex legis legi, hortus horti horto, servus servi servo, domus domus domui"


def nouns(text: str) -> list[Example]:
    cells = ("N;GEN;SG", "N;DAT;SG")
    return [
        Example(lemma, cell, form)
        for lemma, *forms in (row.split() for row in text.split(", "))
        for cell, form in zip(cells, forms, strict=False)
    ]


@given(WORDS, WORDS)
def test_a_change_makes_what_it_was_taken_from(source: tuple, target: tuple) -> None:
    assert Change.of(source, target).apply(source) == target


@pytest.mark.parametrize(
    ("pair", "other"),
    [("Haus Häuser", "Maus Mäuser"), ("geben gab", "leben lab"), ("machen gemacht", "tun None")],
)
def test_a_change_applies_to_other_words(pair: str, other: str) -> None:
    source, target = map(tuple, pair.split())
    word, expected = other.split()
    made = Change.of(source, target).apply(tuple(word))
    assert str(made and "".join(made)) == expected


@given(st.lists(st.tuples(WORDS, WORDS), min_size=2, max_size=8))
def test_a_word_that_is_left_out_has_no_say(pairs: list) -> None:
    """As if the table had been made without it."""
    whole, rest = Table(), Table()
    for number, pair in enumerate(pairs):
        whole.add(*pair)
        if number:
            rest.add(*pair)
    source, target = pairs[0]
    left_out, without = whole.opinion(source, without=target), rest.opinion(source)
    assert left_out.novel == pytest.approx(without.novel)
    assert left_out.shares == pytest.approx(dict(without.shares))


def test_given_forms_decide_where_the_lemma_does_not() -> None:
    analogies = Analogies(paradigms(nouns(LATIN)))
    lemma = {LEMMA: tuple("lupus")}
    fourth = lemma | {"N;GEN;SG": tuple("lupus")}
    second = lemma | {"N;GEN;SG": tuple("lupi")}
    for forms, dative in ((second, "lupo"), (fourth, "lupui")):
        best = next(iter(agreed(analogies.opinions(forms, "N;DAT;SG"))))
        assert "".join(best) == dative


def test_made_forms_are_counted_only_beside_known_ones() -> None:
    """Of 24 words, a third each has a dative, a plural, or only the genitive that all have."""
    words = ["".join(letters) for letters in product("bdfgklmn", "rst")]
    rows = [Example(word + "a", "N;GEN", word + "ae") for word in words]
    rows += [Example(word + "a", "N;DAT", word + "ai") for word in words[::3]]
    rows += [Example(word + "a", "N;PL", word + "as") for word in words[1::3]]
    analogies = Analogies(paradigms(rows))
    assert analogies.table("N;GEN", "N;PL").counts[()].total() == 24
    assert analogies.table("N;DAT", "N;PL").counts[()].total() == 16
    assert analogies.table(LEMMA, "N;PL").counts[()].total() == 8


def test_the_form_itself_is_no_source() -> None:
    analogies = Analogies(paradigms(nouns(LATIN)))
    known = {LEMMA: tuple("rex"), "N;DAT;SG": tuple("regi")}
    assert len(analogies.opinions(known, "N;DAT;SG")) == 1


def test_an_opinion_that_knows_nothing_changes_nothing() -> None:
    sure = Opinion({("a",): 0.8, ("b",): 0.2}, 0.0)
    alone = agreed([sure])
    assert agreed([sure, Opinion({}, 1.0)]) == pytest.approx(alone)
    assert list(agreed([sure], [("c",)])) == [("a",), ("b",), ("c",)]


def test_cells_are_the_same_for_all_genders() -> None:
    rows = [
        Example(f"{letter}{ending}", f"N;{gender};{cell}", "x")
        for letter in "bdfghklm"
        for ending, gender in (("a", "FEM"), ("o", "MASC"))
        for cell in ("NOM", "GEN", "DAT")
    ]
    cell_of = cell_names(rows)
    assert cell_of("N;FEM;GEN") == cell_of("N;MASC;GEN") != cell_of("N;MASC;DAT")
