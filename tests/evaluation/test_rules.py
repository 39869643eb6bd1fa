from __future__ import annotations

import os
from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from stepwrite.cli import stepwrite
from stepwrite.data.examples import Example, open_examples
from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import DataError
from stepwrite.evaluation.rules import LONGEST, RuleBaseline, Stem, nearest

WORDS = st.text("abc", min_size=1, max_size=8)
BUNDLES = st.sampled_from(["V;PST", "V;PRS", "N;PL"])
EXAMPLES = st.lists(st.builds(Example, WORDS, BUNDLES, WORDS), min_size=1, max_size=12)
TRAIN = [
    Example("machen", "V;PST", "machte"),
    Example("lachen", "V;PST", "lachte"),
    Example("raten", "V;PST", "riet"),
    Example("Haus", "N;PL", "Häuser"),
    Example("Tag", "N;PL", "Tage"),
]


@given(WORDS, WORDS)
def test_cuts_go_forward_in_both_words(lemma: str, form: str) -> None:
    cuts = Stem.of(tuple(lemma), tuple(form)).cuts
    for (i, j), (next_i, next_j) in pairwise(cuts):
        assert i < next_i
        assert j < next_j
    assert all(0 <= i <= len(lemma) and 0 <= j <= len(form) for i, j in cuts)


@pytest.mark.parametrize(
    ("lemma", "form", "first", "last"),
    [
        ("Haus", "Häuser", (0, 0), (4, 4)),
        ("Apfel", "Äpfel", (0, 0), (5, 5)),  # a replaced first symbol belongs to the stem
        ("machen", "gemacht", (0, 2), (4, 6)),
        ("abc", "c", (2, 0), (3, 1)),
        ("gut", "xyz", (0, 0), (0, 0)),  # nothing in common
    ],
)
def test_the_stem_is_what_lies_between_the_changes(
    lemma: str, form: str, first: tuple[int, int], last: tuple[int, int]
) -> None:
    cuts = Stem.of(tuple(lemma), tuple(form)).cuts
    assert (cuts[0], cuts[-1]) == (first, last)


@given(st.text(min_size=1, max_size=12), st.text(max_size=12))
def test_what_was_seen_once_is_repeated(lemma: str, form: str) -> None:
    segmentation = Segmentation()
    baseline = RuleBaseline.fit([Example(lemma, "V", form)])
    assert baseline.predict(lemma, "V") == "".join(segmentation.form(form))


def slow_predict(examples: list[Example], mirrored: bool, lemma: str, features: str) -> str:
    """The definition, rule by rule: longest suffix, then longest prefix of the rest."""
    turn = slice(None, None, -1 if mirrored else 1)
    ends: Counter[tuple[str, str]] = Counter()
    starts: Counter[tuple[str, str]] = Counter()
    for example in examples:
        if example.features == features:
            old, new = example.lemma[turn], example.form[turn]
            for i, j in Stem.of(tuple(old), tuple(new)).cuts:
                ends[old[i:], new[j:]] += 1
                starts[old[:i], new[:j]] += 1
    word = lemma[turn]
    fitting = [(-len(old), -n, new) for (old, new), n in ends.items() if word.endswith(old)]
    length, _, end = min(fitting, default=(0, 0, ""))
    word = word[: len(word) + length]
    fitting = [(-len(old), -n, new) for (old, new), n in starts.items() if word.startswith(old)]
    length, _, start = min(fitting, default=(0, 0, ""))
    return (start + word[-length:] + end)[turn]


@given(EXAMPLES, WORDS)
def test_agrees_with_a_slow_implementation(examples: list[Example], lemma: str) -> None:
    baseline = RuleBaseline.fit(examples)
    features = examples[0].features
    expected = slow_predict(examples, baseline.mirrored, lemma, features)
    assert baseline.predict(lemma, features) == expected


@given(EXAMPLES, WORDS, BUNDLES, st.randoms())
def test_the_order_of_examples_does_not_matter(
    examples: list[Example], lemma: str, features: str, random: Random
) -> None:
    shuffled = random.sample(examples, len(examples))
    one, other = RuleBaseline.fit(examples), RuleBaseline.fit(shuffled)
    assert one.predict(lemma, features) == other.predict(lemma, features)


def test_a_prefixing_language_is_read_from_right_to_left() -> None:
    reversed_train = [Example(e.lemma[::-1], e.features, e.form[::-1]) for e in TRAIN]
    suffixing, prefixing = RuleBaseline.fit(TRAIN), RuleBaseline.fit(reversed_train)
    assert (suffixing.mirrored, prefixing.mirrored) == (False, True)
    for lemma, features, form in [("wachen", "V;PST", "wachte"), ("Maus", "N;PL", "Mäuser")]:
        assert suffixing.predict(lemma, features) == form
        assert prefixing.predict(lemma[::-1], features) == form[::-1]


def test_no_symbol_is_rewritten_twice() -> None:
    # Both prefix and suffix rules cover the second `a`.
    baseline = RuleBaseline.fit([Example("ab", "N;PL", "aab")])
    assert baseline.predict("ab", "N;PL") == "aab"
    assert baseline.predict("ac", "N;PL") == "aac"


def test_ties_go_to_the_first_in_code_point_order() -> None:
    examples = [Example("a", "N;PL", "ay"), Example("a", "N;PL", "ax")]
    assert RuleBaseline.fit(examples).predict("a", "N;PL") == "ax"


def test_unseen_features_take_the_nearest_bundle() -> None:
    baseline = RuleBaseline.fit(TRAIN)
    assert baseline.predict("wachen", "V;PST;3;SG") == "wachte"
    assert baseline.predict("wachen", "V; PST") == "wachte"
    assert baseline.predict("wachen", "ADV") == "wachen"
    assert RuleBaseline.fit([]).predict("wachen", "V;PST") == "wachen"


@pytest.mark.parametrize(
    ("features", "seen", "expected"),
    [
        ("A;B;C", ["A;X", "A;B;V;W;X;Y"], "A;B;V;W;X;Y"),  # most shared tags first,
        ("A;B", ["A;B;C;D", "A;B;Z"], "A;B;Z"),  # then fewest others,
        ("A;B", ["B;X", "A;X"], "A;X"),  # then the first by name
        ("pos=N,num=PL", ["pos=V,num=SG", "pos=V,num=PL"], "pos=V,num=PL"),
        ("A", ["B"], None),
    ],
)
def test_nearest_bundle(features: str, seen: list[str], expected: str | None) -> None:
    assert nearest(features, seen) == expected


def test_spaced_symbols_stay_whole() -> None:
    segmentation = Segmentation(form_spaced=True)
    train = [Example("sh", "", "ʃ"), Example("ash", "", "æ ʃ")]
    baseline = RuleBaseline.fit(train, segmentation)
    assert baseline.predict("ash", "") == "æ ʃ"


def test_both_spellings_of_a_letter_are_one() -> None:
    baseline = RuleBaseline.fit([Example("Ba\u0308r", "N;PL", "Ba\u0308ren")])
    assert baseline.predict("B\u00e4r", "N;PL") == "B\u00e4ren"


def test_long_words_cost_linear_memory() -> None:
    lemma = "".join(map(chr, range(0x4E00, 0x4E00 + 5000)))
    baseline = RuleBaseline.fit([Example(lemma, "N;PL", "x" + lemma + "s")])
    assert baseline.predict(lemma, "N;PL") == "x" + lemma + "s"
    assert len(baseline.ends["N;PL"]) == len(baseline.starts["N;PL"]) == LONGEST + 1


@pytest.mark.skipif("STEPWRITE_DATA" not in os.environ, reason="STEPWRITE_DATA is not set")
@pytest.mark.parametrize(
    ("language", "accuracy"), [("german", 92.8), ("navajo", 90.9), ("spanish", 98.4)]
)
def test_accuracy_on_dev_stays(language: str, accuracy: float) -> None:
    folder = Path(os.environ["STEPWRITE_DATA"], "sigmorphon2016")
    baseline = RuleBaseline.fit(open_examples(folder / f"{language}-task1-train"))
    dev = list(open_examples(folder / f"{language}-task1-dev"))
    n_right = sum(baseline.predict(e.lemma, e.features) == e.form for e in dev)
    assert 100 * n_right / len(dev) >= accuracy


@pytest.fixture
def train_file(tmp_path: Path) -> str:
    path = tmp_path / "train.tsv"
    path.write_text("".join(f"{e.lemma}\t{e.form}\t{e.features}\n" for e in TRAIN), "utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("wachen\tV;PST\n", "wachen\tV;PST\twachte\n"),
        ("wachen\tgold\tV;PST\n", "wachen\twachte\tV;PST\n"),
        ("wachen\t\tV;PST\n", "wachen\twachte\tV;PST\n"),
        ("wachen\tV;PST\t\n", "wachen\tV;PST\twachte\n"),
    ],
)
def test_verb_keeps_the_layout_of_its_input(train_file: str, rows: str, expected: str) -> None:
    result = CliRunner().invoke(stepwrite, ["baseline", train_file, "-"], input=rows)
    assert result.exit_code == 0, result.output
    assert result.stdout == expected


@pytest.mark.parametrize("options", [[], ["--columns", "lemma,form", "--spaced", "form"]])
def test_verb_keeps_spaced_symbols_whole(tmp_path: Path, options: list[str]) -> None:
    """`s` becomes the symbol that has one more character, and no space is taken for one."""
    train = tmp_path / "train.tsv"
    train.write_text("es\tə sː\nas\ta sː\n", "utf-8")
    arguments = ["baseline", str(train), "-", *options]
    result = CliRunner().invoke(stepwrite, arguments, input="os\to  sː\n")
    assert result.exit_code == 0, result.output
    assert result.stdout == "os\to sː\n"


def test_verb_writes_whole_files(train_file: str, tmp_path: Path) -> None:
    rows, out = tmp_path / "test.tsv", tmp_path / "out.tsv"
    rows.write_text("wachen\tV;PST\n\tV;PST\nMaus\tN;PL\n", "utf-8")
    command = ["baseline", train_file, str(rows), "--out", str(out)]
    result = CliRunner().invoke(stepwrite, command)
    assert isinstance(result.exception, DataError)
    assert f"{rows}, line 2" in str(result.exception)
    assert not out.exists()
    result = CliRunner().invoke(stepwrite, [*command, "--skip-bad"])
    assert result.exit_code == 0, result.output
    assert out.read_text("utf-8") == "wachen\tV;PST\twachte\nMaus\tN;PL\tMäuser\n"
    assert "1 of 3 rows" in result.stderr


def test_verb_needs_forms_to_learn_from(tmp_path: Path) -> None:
    train = tmp_path / "train.tsv"
    train.write_text("wachen\twachte\tV;PST\nlachen\t\tV;PST\n", "utf-8")
    result = CliRunner().invoke(stepwrite, ["baseline", str(train), str(train)])
    assert isinstance(result.exception, DataError)
    assert f"{train}, line 2: empty form" in str(result.exception)
    assert result.stdout == ""


def test_verb_reads_stdin_once() -> None:
    assert CliRunner().invoke(stepwrite, ["baseline", "-", "-"]).exit_code == 2
