"""Vowel harmony is found in training words, and decides how stems are hallucinated."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from stepwrite.data.examples import Example
from stepwrite.data.segmentation import Segmentation
from stepwrite.training.config import TrainingConfig
from stepwrite.training.display import displayed
from stepwrite.training.folder import Plan, lay_down, read_plan
from stepwrite.training.harmony import has_harmony, vowels_of
from stepwrite.transducer.alignment import Alignment, EditDistanceAligner

STEMS = [f"{a}{v}{b}{w}{c}" for a, v, b, w, c in product("bdk", "aeou", "lnr", "aeou", "st")]
Ending = Callable[[str], str]


def examples(ending: Ending, n: int = 100, lost: str = "") -> list[Example]:
    stems = random.Random(1).sample(STEMS, n)
    return [Example(stem + lost, "N;PL", stem + ending(stem)) for stem in stems]


def aligned(ending: Ending, n: int = 100, lost: str = "") -> list[Alignment]:
    rows = examples(ending, n, lost)
    return EditDistanceAligner().align([(tuple(row.lemma), tuple(row.form)) for row in rows])


def by_vowel(stem: str) -> str:
    return "lar" if stem[3] in "aou" else "ler"


def test_endings_that_follow_the_last_vowel_are_harmony() -> None:
    assert has_harmony(aligned(by_vowel))
    # Also with four vowels by two features, and where a third of the words are exceptions.
    assert has_harmony(aligned(lambda stem: dict(zip("aeou", "ıiuü", strict=True))[stem[3]] + "m"))
    assert has_harmony(aligned(lambda stem: by_vowel(stem) if stem[0] in "bd" else "lar"))


@pytest.mark.parametrize(
    "ending",
    [
        lambda stem: "en",
        lambda stem: "es" if stem[4] == "s" else "as",
        lambda stem: random.Random(stem).choice(["a", "e", "o"]),
    ],
)
def test_other_endings_are_not(ending: Ending) -> None:
    assert not has_harmony(aligned(ending))


def test_what_the_lemma_loses_says_it_already() -> None:
    verbs = aligned(lambda stem: "ado", 50, "ar") + aligned(lambda stem: "ido", 50, "er")
    assert not has_harmony(verbs)


def test_a_few_words_say_nothing() -> None:
    assert not has_harmony(aligned(by_vowel, 15))
    assert not has_harmony([])


@pytest.mark.parametrize(
    ("words", "vowels"),
    [
        ("молоко йод река ёлка дерево мыс собака съел лиса юла весна яма эхо", "аеёиоыэюя"),
        ("молоко вода река дерево канава лапа собака рыба лиса зима весна нога рука", "аеоиыу"),
        ("λόγος θάλασσα μήλο ύπνος", "άαήοόύ"),
        ("დედა მამა კაცი ქალი თავი ხელი გული ფეხი კარი ქუდი სახელი ბოლო", "აეიოუ"),
    ],
)
def test_vowels_are_found_in_any_script(words: str, vowels: str) -> None:
    assert vowels_of(words.split()) == set(vowels)
    assert vowels_of([]) == set()


@pytest.mark.parametrize("given", [None, False, True])
@pytest.mark.parametrize(
    ("ending", "found"), [(by_vowel, True), (lambda stem: "en", False)], ids=["with", "without"]
)
def test_plans_decide_what_is_left_open(
    tmp_path: Path, given: bool | None, ending: Ending, found: bool
) -> None:
    config = TrainingConfig("default", hallucination=0.5, harmony=given)
    plan = Plan(config, Segmentation(), members=1, seed=1, train="train.tsv", dev="")
    lay_down(tmp_path / "m", plan, examples(ending), [])
    assert read_plan(tmp_path / "m").config.harmony is (found if given is None else given)


def test_without_hallucination_there_is_nothing_to_decide(tmp_path: Path) -> None:
    plan = Plan(TrainingConfig("default"), Segmentation(), 1, 1, "train.tsv", "")
    lay_down(tmp_path / "m", plan, examples(by_vowel), [])
    assert read_plan(tmp_path / "m").config.harmony is False


@pytest.mark.parametrize("harmony", [True, False])
def test_whoever_trains_is_told(harmony: bool, capsys: pytest.CaptureFixture[str]) -> None:
    config = TrainingConfig("default", hallucination=0.5, harmony=harmony)
    assert list(displayed(Plan(config, Segmentation(), 1, 1, "train.tsv", ""), [])) == []
    assert ("vowel harmony" in capsys.readouterr().err) is harmony
