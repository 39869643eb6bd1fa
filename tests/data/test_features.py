"""The tags of a bundle can be recovered from its slots, so different bundles differ in slots."""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stepwrite.data.features import (
    DEEPEST,
    DIMENSIONS,
    LONGEST,
    SCHEMA,
    FeatureSlots,
    Slot,
    Style,
    _parsed,
    dimension_of,
    parse,
    part_of_speech,
    style_of,
)
from stepwrite.errors import StepwriteError

# A bundle as data: a multiset of (tag, arguments), where the arguments are such a multiset too.
Tree = frozenset  # of ((tag, Tree), count)


def multiset(trees: list[tuple[str, Tree]]) -> Tree:
    return frozenset(Counter(trees).items())


HARD_TAGS = """
    N V NOM ACC ABL SG PL 1 2 3 INCL PSS PSS2S PSSD ARGNO1P LGSPEC1 NOMS V.PTCP {NOM/ACC} NOM/ACC
    IN+ESS non{NOM} {SG;PL} {1,2} {A(B)} 3rd_PERSON_PLURAL case number person . = .2 NOM.2
    NOM.person NOM() (SG) NOM(SG)PL NOM(SG)(PL) a=b
"""
TAGS = st.sampled_from(HARD_TAGS.split())
SPACE = st.sampled_from(["", "", " ", "\t"])


@st.composite
def written_bundles(draw: st.DrawFn, depth: int = 3) -> tuple[str, Tree]:
    """A bundle generated from a tree, with the tree: its meaning is known without parsing."""
    text, trees = "", []
    for index in range(draw(st.integers(0 if depth == 3 else 1, 4))):
        separator = ";" if depth == 3 else draw(st.sampled_from(",;"))
        tag, inside, arguments = draw(TAGS), "", Tree[str]()
        # These forms have a closing bracket of their own and can't be heads.
        if depth and not set("()") & set(tag) and draw(st.booleans()):
            below, arguments = draw(written_bundles(depth - 1))
            inside = f"{draw(SPACE)}({below})"
        text += separator * bool(index) + draw(SPACE) + tag + inside + draw(SPACE)
        trees.append((tag, arguments))
    return text, multiset(trees)


def read_back(slots: dict[Slot, str]) -> Tree:
    """The tags that a bundle's slots came from: the inverse of `parse`, up to order."""

    def below(context: tuple[str, ...]) -> Tree:
        here = [
            value
            for slot, value in slots.items()
            if slot.path[:-1] == context or (slot.path[:-2] == context and slot.path[-2] == "")
        ]
        names = {
            slot.path[len(context)]
            for slot in slots
            if slot.path[: len(context)] == context
            and len(slot.path) > len(context) + 1
            and slot.path[len(context)]
        }
        trees = []
        for value, count in Counter(here).items():
            numbered = [value, *(f"{value};{n}" for n in range(2, count + 1))]
            arguments = [below((*context, name)) for name in numbered if name in names]
            trees += [(value, tree) for tree in arguments]
            trees += [(value, Tree())] * (count - len(arguments))
        return multiset(trees)

    return below(())


@given(written_bundles())
@example(("NOM(3);NOM(SG)", multiset([("NOM", multiset([(t, Tree())])) for t in ("3", "SG")])))
def test_tags_can_be_read_back_from_the_slots(written: tuple[str, Tree]) -> None:
    text, tree = written
    assert read_back(parse(text, "unimorph")) == tree


def read_slowly(text: str, separators: str = ";") -> Tree:
    """The tags of any text, well-formed or not, one character at a time."""
    pieces, depth = [""], 0
    for character in text:
        depth += character in "({"
        depth -= character in ")}" and depth > 0
        if character in separators and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += character
    trees = []
    for piece in filter(None, map(str.strip, pieces)):
        head, _, rest = piece.partition("(")
        arguments = Tree[str]()
        if rest.endswith(")") and head.strip() and closed(head) and closed(rest[:-1]):
            arguments = read_slowly(rest[:-1], ",;")
        trees.append((head.strip() if arguments else piece, arguments))
    return multiset(trees)


def closed(text: str) -> bool:
    signs = [1 if c in "({" else -1 for c in text if c in "(){}"]
    return sum(signs) == 0 and all(sum(signs[:n]) >= 0 for n in range(len(signs)))


PIECES = st.sampled_from(
    ["(", ")", "{", "}", ",", ";", " ", "NOM", "SG", "x", "2", "()", "NOM(SG)"]
)
NASTY = st.lists(PIECES | st.characters(codec="utf-8"), max_size=25).map("".join)


@given(NASTY)
@example("{NOM(SG)")
@example("NOM}(SG)")
def test_tags_can_be_read_back_whatever_the_text(text: str) -> None:
    assert read_back(parse(text, "unimorph")) == read_slowly(text)


@given(st.lists(written_bundles() | NASTY.map(lambda text: (text, read_slowly(text))), max_size=12))
def test_fitted_slots_tell_all_bundles_of_the_set_apart(written: list[tuple[str, Tree]]) -> None:
    fitted = FeatureSlots.fit(["N", *(text for text, _ in written)])
    trees: dict[tuple[int, ...], Tree] = {}
    for text, tree in written:
        assert trees.setdefault(fitted.encode(text), tree) == tree
        assert not fitted.unknown(text)
    check_ids(fitted, [text for text, _ in written])


PAIRS = st.lists(
    st.tuples(
        st.sampled_from(["pos", "case", "num", "", "a b", "x.2"]),
        st.sampled_from(["", "N", "{DU/PL}", "{A,B}", "ON+ESS", "f(a,b=c)", "a=b", "1;2"])
        | st.none(),
    ),
    max_size=6,
)


@given(PAIRS)
def test_keys_and_values_can_be_read_back(pairs: list[tuple[str, str | None]]) -> None:
    text = " ,".join(key if value is None else f"{key}={value}" for key, value in pairs)
    slots = parse(text, "key-value")
    expected = [pair for pair in pairs if pair != ("", None)]
    assert Counter(
        (slot.path[0], value) if len(slot.path) == 1 else (value, None)
        for slot, value in slots.items()
    ) == Counter(expected)
    for key in {key for key, value in pairs if value is not None}:
        in_order = [slots[s] for s in sorted(slots) if s.path == (key,)]
        assert in_order == [value for k, value in pairs if k == key and value is not None]


def named(features: str, style: Style = "unimorph") -> dict[str, str]:
    return {str(slot): value for slot, value in parse(features, style).items()}


@pytest.mark.parametrize(
    ("features", "slots"),
    [
        ("", {}),
        ("V;PST;3;SG", {"part of speech": "V", "tense": "PST", "person": "3", "number": "SG"}),
        ("ADJ;ABL; PL", {"part of speech": "ADJ", "case": "ABL", "number": "PL"}),
        ("PRS;NOM(3,SG)", {"tense": "PRS", "case": "NOM", "NOM.person": "3", "NOM.number": "SG"}),
        ("NOM(DEF;SG)", {"case": "NOM", "NOM.definiteness": "DEF", "NOM.number": "SG"}),
        (
            "INS(SG;PSS(2,SG))",
            {
                "case": "INS",
                "INS.number": "SG",
                "INS.possession": "PSS",
                "INS.PSS.person": "2",
                "INS.PSS.number": "SG",
            },
        ),
        ("{NOM/ACC};1+INCL", {"case": "{NOM/ACC}", "person": "1+INCL"}),
        ("IN+ESS;PL/DU", {"case": "IN+ESS", "number": "PL/DU"}),
        ("LGSPEC1;PSSD", {"language-specific": "LGSPEC1", "possession": "PSSD"}),
        (
            "non{NOM};3rd_PERSON_PLURAL",
            {"case": "non{NOM}", "3rd_PERSON_PLURAL": "3rd_PERSON_PLURAL"},
        ),
        ("V.PTCP;V.CVB", {"part of speech": "V.PTCP", "part of speech.2": "V.CVB"}),
        (
            "V;ARGNO1P;ARGAC3S",
            {"part of speech": "V", "argument marking": "ARGNO1P", "argument marking.2": "ARGAC3S"},
        ),
        (
            "NOM(3);NOM(SG)",
            {"case": "NOM", "case.2": "NOM", "NOM.person": "3", "NOM;2.number": "SG"},
        ),
        ("V;NOM(3;SG", {"part of speech": "V", "case": "NOM(3;SG"}),
        ("N);SG", {"part of speech": "N)", "number": "SG"}),
    ],
)
def test_unimorph_bundles_of_real_files(features: str, slots: dict[str, str]) -> None:
    assert named(features) == slots


def test_key_value_bundles_of_real_files() -> None:
    bundle = "pos=V,num={DU/PL},arg=ARGNO1P+ARGDA3SM,alt=LGSPEC1,alt=LGSPEC2"
    assert named(bundle, "key-value") == {
        "pos": "V",
        "num": "{DU/PL}",
        "arg": "ARGNO1P+ARGDA3SM",
        "alt": "LGSPEC1",
        "alt.2": "LGSPEC2",
    }
    # A bare piece is not the value of a key of that name.
    assert parse("case,case=case", "key-value") == {
        Slot(("", "case")): "case",
        Slot(("case",)): "case",
    }


def test_nesting_stops_where_no_bundle_goes() -> None:
    """Below the limit arguments fill slots; above it they stay what they are, one value."""
    for depth in (DEEPEST, DEEPEST + 1, 1100):
        slots = parse("NOM(" * depth + "SG" + ")" * depth, "unimorph")
        assert len(slots) == DEEPEST + 1
        beyond = depth - DEEPEST
        innermost = "NOM(" * beyond + "SG" + ")" * beyond
        assert slots[Slot(("NOM",) * DEEPEST + ("case" if beyond else "number",))] == innermost


def test_parsing_takes_linear_time() -> None:
    """Four times the length takes four times the work, counted in lines run."""

    def lines_run(features: str) -> int:
        count = 0

        def trace(frame: FrameType, event: str, argument: object) -> Any:
            nonlocal count
            count += 1
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            parse(features, "unimorph")
        finally:
            sys.settrace(before)
        return count

    for start, end in (("A(", ")"), ("A(B,", ")"), ("A(", ""), ("{", "}"), ("A;", "")):
        small, large = (lines_run(start * n + "X" + end * n) for n in (400, 1600))
        assert large < 5 * small, (start, end)


def test_a_bundle_beyond_all_measure_is_an_error() -> None:
    assert len(parse("A;" * (LONGEST // 2), "unimorph")) == LONGEST // 2
    with pytest.raises(StepwriteError, match="10001 characters, the limit is 10000: 'A"):
        parse("A" * (LONGEST + 1), "unimorph")


def test_every_tag_of_the_schema_has_one_dimension() -> None:
    tags = [tag for tags in SCHEMA.values() for tag in tags.split() if tag != "|"]
    assert len(tags) == len(set(tags)) == len(DIMENSIONS)
    assert all(dimension_of(tag) == dimension for tag, dimension in DIMENSIONS.items())
    families = {"BANTU12": "gender", "NAKH3": "gender", "PSS2SINFM": "possession"}
    families |= {"NO1P": "argument marking", "ARGBE3P": "argument marking"}
    assert all(dimension_of(tag) == dimension for tag, dimension in families.items())


def test_the_schema_is_complete() -> None:
    """As many tags as unimorph.github.io's `dimensions-to-features.json` lists.

    Families of tags, and V.PTCP, V.MSDR and V.CVB, which are known by their V, are not counted.
    """
    counts = {dimension: len(tags.partition("|")[0].split()) for dimension, tags in SCHEMA.items()}
    assert counts == {
        "Aktionsart": 10,
        "animacy": 4,
        "aspect": 7,
        "case": 40,
        "comparison": 5,
        "definiteness": 4,
        "deixis": 12,
        "evidentiality": 12,
        "finiteness": 2,
        "gender": 3,
        "information structure": 2,
        "interrogativity": 2,
        "mood": 19,
        "number": 8,
        "part of speech": 16,
        "person": 9,
        "polarity": 2,
        "politeness": 13,
        "possession": 2,
        "switch-reference": 8,
        "tense": 8,
        "valency": 8,
        "voice": 13,
    }


def test_style() -> None:
    assert style_of(["pos=N,case=NOM", "", "pos=V"]) == "key-value"
    assert style_of(["pos=N,case=NOM", "N;NOM"]) == "unimorph"
    assert style_of(["N;NOM(3,SG)"]) == "unimorph"


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ("pos=ADJ,case=NOM", "ADJ"),
        ("case=NOM", ""),
        ("PST;V.PTCP;N", "V.PTCP"),
        ("NOM(N)", ""),
        ("", ""),
    ],
)
def test_part_of_speech(features: str, expected: str) -> None:
    assert part_of_speech(features) == expected


def check_ids(fitted: FeatureSlots, bundles: list[str]) -> None:
    """The ids compared with a plain lookup of every slot."""
    for features in bundles:
        slots = parse(features, fitted.style)
        ids = fitted.encode(features)
        assert len(ids) == len(fitted.slots) == len(fitted.sizes)
        for slot, values, size, id in zip(
            fitted.slots, fitted.values, fitted.sizes, ids, strict=True
        ):
            assert 0 <= id < size
            assert id == (2 + values.index(slots[slot]) if slot in slots else 0)


def test_unknown_values_and_slots_are_named_and_have_an_id() -> None:
    fitted = FeatureSlots.fit(["pos=N,case=NOM", "pos=N,case=DAT", "pos=V"])
    assert fitted.slots == (Slot(("case",)), Slot(("pos",)))
    assert fitted.encode("pos=N,case=XYZ,tense=PST,odd") == (1, 2)
    assert fitted.unknown("pos=N,case=XYZ,tense=PST,odd") == ["case=XYZ", "tense=PST", "odd"]
    nested = FeatureSlots.fit(["V;NOM(3,SG)"])
    assert nested.unknown("V;NOM(2,SG);ACC(x)") == ["case.2=ACC", "NOM.person=2", "ACC.x"]


@given(st.lists(written_bundles(), max_size=8), st.randoms())
def test_the_order_of_bundles_plays_no_part_and_json_keeps_all(written, random) -> None:
    bundles = [text for text, _ in written]
    fitted = FeatureSlots.fit(bundles)
    random.shuffle(bundles)
    assert FeatureSlots.fit(bundles + bundles) == fitted
    assert list(fitted.slots) == sorted(fitted.slots)
    assert all(list(values) == sorted(values) for values in fitted.values)
    assert FeatureSlots.from_json(json.loads(json.dumps(fitted.to_json()))) == fitted
    assert pickle.loads(pickle.dumps(fitted)) == fitted


SLOT = {"path": ["case"], "occurrence": 1, "values": ["NOM"]}


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"style": "unimorph"},
        {"style": "other", "slots": []},
        {"style": "unimorph", "slots": "case"},
        {"style": "unimorph", "slots": [SLOT, SLOT]},
        {"style": "unimorph", "slots": [SLOT | {"path": []}]},
        {"style": "unimorph", "slots": [SLOT | {"path": "case"}]},
        {"style": "unimorph", "slots": [SLOT | {"path": [1]}]},
        {"style": "unimorph", "slots": [SLOT | {"path": [["case"]]}]},
        {"style": "unimorph", "slots": [SLOT | {"occurrence": 0}]},
        {"style": "unimorph", "slots": [SLOT | {"occurrence": "1"}]},
        {"style": "unimorph", "slots": [SLOT | {"values": []}]},
        {"style": "unimorph", "slots": [SLOT | {"values": ["NOM", "NOM"]}]},
        {"style": "unimorph", "slots": [SLOT | {"values": [None]}]},
    ],
)
def test_nonsense_in_json_is_named(data: object) -> None:
    with pytest.raises(StepwriteError, match="feature slots"):
        FeatureSlots.from_json(data)


def benchmark_bundles() -> Iterator[tuple[str, list[str]]]:
    folder = os.environ.get("STEPWRITE_DATA")
    if not folder:
        pytest.skip("STEPWRITE_DATA does not say where the benchmark data is")
    for path in sorted(Path(folder).glob("*/*")):
        with path.open(encoding="utf-8") as file:
            yield path.name, [line.split("\t")[1] for line in file if "\t" in line]


def test_real_files_are_told_apart() -> None:
    files = list(benchmark_bundles())
    assert files
    for name, bundles in files:
        pieces = {bundle: tuple(sorted(map(str.strip, bundle.split(",")))) for bundle in bundles}
        fitted = FeatureSlots.fit(bundles)
        assert fitted.style == "key-value", name
        assert len(set(map(fitted.encode, pieces))) == len(set(pieces.values())), name
        check_ids(fitted, list(pieces))
        # The same bundles as UniMorph writes them.
        tags = {
            ";".join(piece.partition("=")[2] for piece in sorted(pieces[bundle]))
            for bundle in pieces
        }
        fitted = FeatureSlots.fit(tags)
        assert fitted.style == "unimorph", name
        assert len(set(map(fitted.encode, tags))) == len(
            {tuple(sorted(t.split(";"))) for t in tags}
        ), name


def test_values_of_real_files_are_in_the_dimension_that_their_key_names() -> None:
    keys = {
        "alt": "language-specific",
        "anim": "animacy",
        "arg": "argument marking",
        "comp": "comparison",
        "def": "definiteness",
        "evid": "evidentiality",
        "finite": "finiteness",
        "gen": "gender",
        "inter": "interrogativity",
        "num": "number",
        "per": "person",
        "polar": "polarity",
        "polite": "politeness",
        "pos": "part of speech",
        "poss": "possession",
        "val": "valency",
    }
    pairs = {
        piece.partition("=")
        for name, bundles in benchmark_bundles()
        if "-task1-" in name
        for bundle in set(bundles)
        for piece in bundle.split(",")
    }
    assert {v: dimension_of(v) for _, _, v in pairs} == {v: keys.get(k, k) for k, _, v in pairs}


def test_equal_bundles_are_parsed_once() -> None:
    bundles = [f"V;PRS;NOM({n % 4},SG);ACC({n % 3},PL);LGSPEC{n % 50};POS" for n in range(100_000)]
    fitted = FeatureSlots.fit(bundles)
    _parsed.cache_clear()
    for features in bundles:
        fitted.encode(features)
    assert _parsed.cache_info().misses == len(set(bundles)) < 1_000
