"""Russian data from OpenCorpora's dictionary."""

from __future__ import annotations

import doctest
import json
import struct
import sys
from array import array
from base64 import b64encode
from collections import Counter
from importlib.util import find_spec
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from stepwrite.data.examples import Example
from stepwrite.morphology.cells import Cells

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
import build_models
import russian_data

NOUN = ["NOUN,anim,masc sing,nomn", "NOUN,anim,masc sing,gent", "NOUN,anim,masc sing,gen2"]
LEXEMES = [
    [("кот", NOUN[0]), ("кота", NOUN[1]), ("коту", NOUN[2])],
    [("лагерь", NOUN[0]), ("лагеря", NOUN[1]), ("лагери", NOUN[1])],
    [
        ("улыбнуться", "INFN,perf,intr"),
        ("улыбнулся", "VERB,perf,intr masc,sing,past,indc"),
        ("улыбнёмся", "VERB,perf,intr sing,impr,incl"),
        ("улыбнувшись", "GRND,perf,intr past,V-sh"),
    ],
    [("иван", "NOUN,anim,masc,Name sing,nomn")],
    [("слоноволк", NOUN[0]), ("слоноволка", NOUN[1])],
]
TEXTS = ["кота:" + NOUN[1], "лагерь:" + NOUN[0], "иван:NOUN,anim,masc,Name sing,nomn"]
TEXTS += ["улыбнулся:VERB,perf,intr masc,sing,past,indc"]


def automaton(keys: list[bytes]) -> bytes:
    """A plain tree in dawgdic format: the children of each node have their own block."""
    prefixes = sorted({key[:end] for key in keys for end in range(len(key) + 1)})
    block = {prefix: 256 * number for number, prefix in enumerate(prefixes, 1)}
    node = {prefix: block[prefix[:-1]] + prefix[-1] if prefix else 0 for prefix in prefixes}
    units = array("I", bytes(4 * 256 * (len(prefixes) + 1)))
    guide = bytearray(2 * len(units))
    for prefix in prefixes:
        units[node[prefix]] = (node[prefix] ^ block[prefix]) << 10 | (prefix in keys) << 8
        units[node[prefix]] |= prefix[-1] if prefix else 0
        children = [longer[-1] for longer in prefixes if longer and longer[:-1] == prefix]
        guide[2 * node[prefix]] = children[0] if children else 0
        for label, following in pairwise(children):
            guide[2 * node[prefix + bytes([label])] + 1] = following
    size = struct.pack("<I", len(units))
    return size + units.tobytes() + size + bytes(guide)


@pytest.fixture
def dictionary(tmp_path: Path) -> Path:
    tags = sorted({tag for forms in LEXEMES for _, tag in forms})
    suffixes, words = list[str](), list[bytes]()
    paradigms = array("H", [len(LEXEMES)])
    for number, forms in enumerate(LEXEMES):
        # The first letter is the stem, so all suffixes are distinct and the prefix is the first.
        places = range(len(suffixes), len(suffixes) + len(forms))
        suffixes += [form[1:] for form, _ in forms]
        columns = [*places, *(tags.index(tag) for _, tag in forms), *(0 for _ in forms)]
        paradigms.extend([len(columns), *columns])
        for place, (form, _) in enumerate(forms):
            key = b64encode(struct.pack(">HH", number, place)) + b"\n"
            words.append(form.encode() + b"\x01" + key)
    meta = [["compile_options", {"paradigm_prefixes": ["", "по"]}]]
    for name, content in (
        ("suffixes", suffixes),
        ("gramtab-opencorpora-int", tags),
        ("meta", meta),
    ):
        (tmp_path / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    (tmp_path / "paradigms.array").write_bytes(paradigms.tobytes())
    (tmp_path / "words.dawg").write_bytes(automaton(words))
    texts = automaton([text.encode() for text in TEXTS])
    (tmp_path / "p_t_given_w.intdawg").write_bytes(texts)
    return tmp_path


def test_doctests() -> None:
    result = doctest.testmod(russian_data)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize("tail", [b"", b"a", b"ca", b"z"])
def test_keys_of_an_automaton(tmp_path: Path, tail: bytes) -> None:
    words = [b"a", b"abca", b"abcd", b"b", b"bca", b"ca"]
    (tmp_path / "words").write_bytes(automaton(words))
    found = list(russian_data.keys(tmp_path / "words", tail))
    wanted = [word.removesuffix(tail) for word in words if word.endswith(tail)]
    assert sorted(found) == sorted(wanted)


def test_russian_is_cleaned(dictionary: Path) -> None:
    data = russian_data.russian(dictionary)
    assert data["lexicon"] == [
        Example("кот", "N;MASC;ANIM;GEN;SG", "кота"),
        Example("кот", "N;MASC;ANIM;NOM;SG", "кот"),
        Example("лагерь", "N;MASC;ANIM;NOM;SG", "лагерь"),
        Example("улыбнуться", "V.CVB;PFV;PST", "улыбнувшись"),
        Example("улыбнуться", "V;PFV;PST;MASC;SG", "улыбнулся"),
    ]
    parts = [data[part] for part in ("train", "dev", "test")]
    assert sorted(cell for part in parts for cell in part) == data["lexicon"]


def test_a_sample_has_rare_classes_first() -> None:
    common = [
        russian_data.Lexeme(((f"{a}{b}ок", NOUN[0]), (f"{a}{b}ка", NOUN[1])))
        for a in "бвгдж"
        for b in "аеиоу"
    ]
    rare = russian_data.Lexeme((("ворота", "NOUN,inan,GNdr,Pltm plur,nomn"),))
    words = [*common, rare]
    cells = {cell for word in words for _, cell in word.cells}
    for least in (1, 2):
        sampled = russian_data.sample(words, cells, {"N": 2 * least + 1}, least)
        assert rare.cells[0][1] in sampled
    assert rare.cells[0][1] not in russian_data.sample(words, cells, {"N": 3})
    assert len(russian_data.sample(words, cells, {"N": 20})) in (20, 21)
    assert set(russian_data.sample(words, cells, {"N": 100})) == cells


@pytest.mark.slow
@pytest.mark.skipif(
    find_spec("pymorphy3_dicts_ru") is None, reason="pymorphy3-dicts-ru is not installed"
)
def test_the_dictionary() -> None:
    data = russian_data.russian(build_models.table_of("pymorphy3_dicts_ru", "data"))
    lexicon = {(lemma, features): form for lemma, features, form in data["lexicon"]}
    assert len(lexicon) == len(data["lexicon"]), "two forms in a cell"
    assert lexicon["человек", "N;MASC;ANIM;NOM;PL"] == "люди"
    assert lexicon["кошка", "N;FEM;ANIM;ACC;PL"] == "кошек"
    assert lexicon["кошка", "N;FEM;INAN;ACC;PL"] == "кошки"
    assert lexicon["сани", "N;{FEM/MASC/NEUT};INAN;GEN;PL"] == "саней"
    assert lexicon["сказать", "V;PFV;FUT;1;SG"] == "скажу"
    assert lexicon["хороший", "ADJ;CMPR"] == "лучше"
    assert lexicon["большой", "ADJ;FEM;SG"] == "велика"
    parts = [{example.lemma for example in data[part]} for part in ("train", "dev", "test")]
    assert all(one.isdisjoint(other) for one, other in combinations(parts, 2))
    assert {c.features for c in data["lexicon"]} == {c.features for c in data["train"]}
    for part, wanted in (("train", 13_000), ("dev", 1_500), ("test", 1_500)):
        counts = Counter(example.features.partition(";")[0] for example in data[part])
        assert wanted <= counts.total() < wanted + 10
    for part in ("train", "lexicon"):
        found = Cells.fit((example.lemma, example.features) for example in data[part]).lexical
        slots = {pos: sorted(found[pos]) for pos in found}
        assert slots == {"ADJ": [], "N": ["animacy", "gender"], "V": ["aspect"]}
