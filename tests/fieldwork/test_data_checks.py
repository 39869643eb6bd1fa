"""Classes, confusions, doubtful rows and the learning curve, on small made-up languages."""

from __future__ import annotations

import random

import pytest

from stepwrite import Example
from stepwrite.fieldwork import pages
from stepwrite.fieldwork.analogy import paradigms
from stepwrite.fieldwork.classes import inflection_classes
from stepwrite.fieldwork.curve import learning_curve
from stepwrite.fieldwork.report import FIRM, report
from stepwrite.fieldwork.suspects import suspects

CELLS = {"N;GEN": ("i", "is"), "N;DAT": ("o", "e"), "N;PL": ("us", "es")}


def language(n_words: int = 40) -> list[Example]:
    """Words of two classes, which their lemmas do not tell."""
    letters = random.Random(1)
    stems = ["".join(letters.choices("bdglmnrt", k=4)) for _ in range(n_words)]
    return [
        Example(stem, cell, stem + endings[number % 2])
        for number, stem in enumerate(stems)
        for cell, endings in CELLS.items()
    ]


def test_classes_are_found() -> None:
    first, second, *others = inflection_classes(paradigms(language()))
    assert not others
    assert {len(first.lemmas), len(second.lemmas)} == {20}
    assert first.changes != second.changes


def test_words_with_few_forms_find_their_class() -> None:
    rows = [row for number, row in enumerate(language()) if number % 7]
    assert len(inflection_classes(paradigms(rows))) == 2


@pytest.mark.parametrize("wrong", range(0, 60, 7))
def test_a_form_of_the_other_class_comes_first(wrong: int) -> None:
    rows = language()
    row = rows[wrong]
    endings = CELLS[row.features]
    other = endings[row.form.endswith(endings[0]) and not row.form.endswith(endings[1])]
    right = row.form
    rows[wrong] = row._replace(form=row.lemma + other)
    found = suspects(rows)
    assert (found[0].row, found[0].expected) == (wrong, right)
    assert [suspect.row for suspect in found if suspect.odds >= FIRM] == [wrong]


def test_a_mistake_comes_before_an_exception() -> None:
    """Likely mistakes are what other words have, or almost the expected form."""
    rows = language()
    swapped, slip, exception = 0, 13, 26
    for wrong, form in ((swapped, "drrgis"), (slip, "dtbo"), (exception, "quixotl")):
        rows[wrong] = rows[wrong]._replace(form=form)
    odds = {suspect.row: suspect.odds for suspect in suspects(rows)}
    assert min(odds[swapped], odds[slip]) > odds[exception] + 1


def test_one_row_of_a_word_is_a_likelier_error_than_several() -> None:
    rows = language()
    several, one = range(3), 7
    for wrong in (*several, one):
        rows[wrong] = rows[wrong]._replace(form=rows[wrong].lemma + "x")
    odds = {suspect.row: suspect.odds for suspect in suspects(rows)}
    worst, second, *_ = sorted((odds[wrong] for wrong in several if wrong in odds), reverse=True)
    assert odds[one] > worst > second + 1.5


def test_sound_data_have_no_doubtful_rows() -> None:
    assert suspects(language()) == []


def test_more_lemmas_make_better_rules() -> None:
    rows = [
        Example(f"{a}{b}{c}", "N;PL", f"{a}{b}{c}{'s' if c in 'bdg' else 'es'}")
        for a in "klmnp"
        for b in "aei"
        for c in "bdgtkp"
    ]
    curve = learning_curve(rows)
    assert curve is not None
    assert curve.points[0][1] < curve.points[-1][1]
    assert curve.projected(0.5, 2) > 0.5
    assert learning_curve(rows[:5]) is None


def test_the_report_of_a_model_without_validation() -> None:
    made = report("<m>", language(), [])
    shown, page = pages.text(made), pages.html(made)
    assert "Not known" in shown
    assert "2 groups of lemmas with the same changes" in shown
    assert "<h1>&lt;m&gt;: 120 forms of 40 lemmas</h1>" in page
    assert page.count("<h2>") == len(made.sections)
