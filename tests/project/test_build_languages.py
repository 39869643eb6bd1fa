"""The data of languages: declarations, cleaning, splits, and a build from a tiny corpus."""

from __future__ import annotations

import doctest
import gzip
import json
import sys
from collections import Counter
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from stepwrite.errors import StepwriteError
from stepwrite.model.languages import language_code, packages
from stepwrite.morphology.lexicon import Lexicon

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from language_build import likeness, sources, splits, tags  # noqa: E402
from language_build.data import DERIVED, build, write  # noqa: E402
from language_build.declaration import (  # noqa: E402
    HeldOut,
    declared,
    read_declaration,
)
from language_build.dictionaries import DICTIONARIES  # noqa: E402
from language_build.rows import Report, Row, cleaned, merged  # noqa: E402
from tests import tiny_language  # noqa: E402

LANGUAGES = declared()
MODULES = [
    ".".join(path.relative_to(ROOT / "scripts").with_suffix("").parts)
    for path in sorted((ROOT / "scripts/language_build").rglob("*.py"))
]
TINY = replace(tiny_language.TINY, tags={"XX": "PL"}, letters={"ı": "i"})


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings(module: str) -> None:
    assert doctest.testmod(import_module(module)).failed == 0


@pytest.mark.parametrize("iso", LANGUAGES)
def test_declarations(iso: str) -> None:
    language = LANGUAGES[iso]
    assert len(iso) == 3
    assert all((language.name, language.native, language.licence, language.scripts))
    for source in language.sources:
        own = {"unimorph", "ours", "ud", "lookup-paradigms", *DERIVED}
        assert source.reader in own | set(DICTIONARIES)
        assert source.origin
        assert source.licence.startswith(("CC BY", "CC0", "MIT", "BSD", "Apache", "LGPL-LR"))
        if source.reader == "ours":
            assert list(sources.ours(None, iso, {}))
    assert language_code(iso) == iso
    assert packages()[iso] == language.package


def test_there_are_a_hundred_and_twenty_or_so_in_the_wheel() -> None:
    shares = Counter(language.package for language in LANGUAGES.values())
    assert len(LANGUAGES) >= 100
    assert 20 <= shares["stepwrite"] <= 25
    models = [language.model for language in LANGUAGES.values()]
    assert len(set(models)) == len(models)
    assert all(model.isascii() and model == model.lower() for model in models)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name = 'X'\nnative = 'x'\npackage = 'stepwrite'\nlicence = ''", "needs a source"),
        ("[[source]]\nreader = 'unimorph'\norigin = 'x'", "without licence"),
        ("nonsense = 1\n[[source]]\nreader = 'a'\norigin = 'x'\nlicence = 'y'", "nonsense"),
        ("= 1", "can't be read"),
    ],
)
def test_bad_declarations_name_the_file(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "xyz.toml").write_text(text)
    with pytest.raises(StepwriteError, match=problem) as caught:
        read_declaration(tmp_path / "xyz.toml")
    assert "xyz.toml" in str(caught.value)


def test_cleaning_is_counted() -> None:
    report = Report()
    rows = [
        ("dog", "N;SG", "dog"),
        ("dog", "N;SG", "dog"),
        ("dog", "N;INST;SG", "dogwith"),
        ("dog", "N;XX", "dogs"),
        ("dog", "N;DAT", "-"),
        ("dog", "N;ACC", "догa"),
        ("dog", "N;GEN", "dog2"),
        ("dog", "N;GEN", "'s"),
        ("dog", "SG", "dog"),
        ("dog", "N;flying", "dog"),
        ("dıg", "V;NFIN", "dıg"),
    ]
    kept = [row[:3] for row in cleaned(TINY, "here", rows, report)]
    assert kept == [
        ("dog", "N;SG", "dog"),
        ("dog", "N;INS;SG", "dogwith"),
        ("dog", "N;PL", "dogs"),
        ("dig", "V;NFIN", "dig"),
    ]
    assert (report.read["here"], report.kept["here"]) == (11, 4)
    assert report.left_out["here"] == {
        **{"repeated": 1, "no form": 1, "letters of another script": 1, "digits or symbols": 1},
        **{"part of a word": 1, "no part of speech": 1, "a word in the place of a tag": 1},
    }
    assert report.corrected["here"] == {"misspelt tag": 2, "letter or mark that is not written": 1}


def test_the_first_source_decides_and_frequent_forms_come_first() -> None:
    report = Report()
    first = [Row("go", "V;PST", "went", "a")]
    second = [
        Row("go", "V;PST", "goed", "b"),
        Row("go", "V;PST", "went", "b"),
        Row("dive", "V;PST", "dove", "b"),
        Row("dive", "V;PST", "dived", "b"),
        *(Row("be", "V;PST", "was" + "s" * k, "b") for k in range(5)),
    ]
    rows = merged([first, second], {"dived": 3.0, "dove": 2.0}, report)
    assert [row.form for row in rows] == ["went", "dived", "dove"]
    assert report.left_out["b"] == {
        **{"differs from an earlier source": 1, "in an earlier source": 1},
        "too many forms in a cell": 5,
    }


def test_no_lemma_is_in_two_parts_and_frequent_ones_are_drawn_more_often() -> None:
    lemmas = [f"word{k}" for k in range(600)]
    rows = [Row(lemma, f"N;{cell}", lemma, "a") for lemma in lemmas for cell in ("SG", "PL")]
    zipf = dict.fromkeys(lemmas[:100], 6.0)
    shares = HeldOut(dev=10, test=10, rows=50)
    parts = splits.split(rows, zipf, shares, most=200)
    seen = {part: {row.lemma for row in found} for part, found in parts.items()}
    assert not seen["train"] & seen["dev"]
    assert not seen["train"] & seen["test"]
    assert not seen["dev"] & seen["test"]
    assert (len(parts["train"]), len(parts["dev"]), len(parts["test"])) == (200, 50, 50)
    assert len(seen["train"] & set(lemmas[:100])) / len(seen["train"]) > 0.3
    assert splits.split(rows[::-1], zipf, shares, most=200) == parts
    held = frozenset(splits.common_lemmas(rows, zipf))
    assert held == set(lemmas[:100])
    without = splits.split(rows, zipf, shares, most=200, without=held)
    assert not {row.lemma for row in without["train"]} & held


def lookup(tmp_path: Path, forms: dict[str, str]) -> sources.Places:
    """Places where PyPI's tables are replaced by one of these forms and their lemmas."""
    path = tmp_path / "lookup.json.gz"
    path.write_bytes(gzip.compress(json.dumps(forms).encode()))

    class Here(sources.Places):
        @staticmethod
        def python(package: str, name: str) -> Path:
            return path

    return Here(tmp_path, tmp_path)


KNOWN = [
    Row(lemma, cell, stem + ending, "ours")
    for lemma, stem, endings in (
        ("žena", "žen", {"NOM;SG": "a", "ACC;SG": "u", "GEN;SG": "e", "INS;SG": "om"}),
        ("grad", "grad", {"NOM;SG": "", "ACC;SG": "", "GEN;SG": "a", "INS;SG": "om", "X": "u"}),
        ("brat", "brat", {"NOM;SG": "", "ACC;SG": "a", "GEN;SG": "a", "INS;SG": "om", "X": "u"}),
    )
    for cell, ending in ((f"N;{tags}", ending) for tags, ending in endings.items())
]


def test_words_inflect_like_known_ones_as_far_as_their_forms_are_attested(tmp_path: Path) -> None:
    places = lookup(
        tmp_path,
        {
            **dict.fromkeys(("kuća", "kuću", "kuće", "kućom"), "kuća"),
            **dict.fromkeys(("most", "mosta", "mostom", "mostu"), "most"),
            **dict.fromkeys(("riba", "ribu", "rib"), "riba"),  # not enough
            **dict.fromkeys(("soba", "sobu", "sobe", "sobom"), "soba"),  # rare
        },
    )
    frequency = {"kuću": 4.0, "most": 3.0, "riba": 5.0, "soba": 1.0}
    found = list(likeness.alike(places, frequency, {"table": "", "words": ["N"]}, KNOWN))
    assert [(cell, form) for lemma, cell, form in found if lemma == "kuća"] == [
        ("N;NOM;SG", "kuća"),
        ("N;ACC;SG", "kuću"),
        ("N;GEN;SG", "kuće"),
        ("N;INS;SG", "kućom"),
    ]
    # As grad or as brat: they differ in the accusative.
    assert [cell for lemma, cell, _ in found if lemma == "most"] == [
        "N;NOM;SG",
        "N;GEN;SG",
        "N;INS;SG",
        "N;X",
    ]
    assert {lemma for lemma, _, _ in found} == {"kuća", "most"}


def test_cells_that_a_word_does_not_tell_are_left_out(tmp_path: Path) -> None:
    forms = dict.fromkeys(("most", "mosta", "mostom", "mostu"), "most")
    places, known = lookup(tmp_path, forms), [row for row in KNOWN if row.lemma != "brat"]
    options = {"table": "", "words": ["N"], "least": 0}
    cells = {cell: form for _, cell, form in likeness.alike(places, {}, options, known)}
    assert cells["N;ACC;SG"] == "most"
    there = [Row("most", "N;NEUT;SG", "most", "unimorph")]
    assert list(likeness.alike(places, {}, options, known + there))
    assert not list(likeness.alike(places, {}, {**options, "new": True}, known + there))
    options["unsure"] = {"N;ACC;SG": ["N;NOM;SG", "N;GEN;SG"]}
    assert "N;ACC;SG" not in {cell for _, cell, _ in likeness.alike(places, {}, options, known)}


def test_a_table_of_some_texts_lacks_forms(tmp_path: Path) -> None:
    places = lookup(tmp_path, dict.fromkeys(("trava", "travu", "trave", "travom"), "trava"))
    dative = [Row("žena", "N;DAT;SG", "ženi", "ours"), Row("žena", "N;DAT;PL", "ženama", "ours")]
    options = {"table": "", "words": ["N"], "least": 0}
    assert not list(likeness.alike(places, {}, options, KNOWN + dative))
    found = likeness.alike(places, {}, {**options, "sample": True}, KNOWN + dative)
    assert [form for _, _, form in found] == ["trava", "travu", "trave", "travom"]


def test_no_part_of_speech_crowds_out_the_others() -> None:
    nouns = [Row(f"noun{k}", "N;PL", "x", "unimorph") for k in range(40)]
    verbs = [Row(f"verb{k}", f"V;{k % 50}", "x", "unimorph") for k in range(500)]
    zipf = {f"verb{k}": 6.0 for k in range(500)}
    drawn = Counter(row.bundle[0] for row in splits.sample(nouns + verbs, zipf, 60))
    assert drawn == {"N": 30, "V": 30}
    drawn = Counter(row.bundle[0] for row in splits.sample(nouns[:10] + verbs, zipf, 60))
    assert drawn == {"N": 10, "V": 50}


def test_tags_in_one_order() -> None:
    assert {tags.canonical(b) for b in ("V;3;SG;PRS", "PRS;V;SG;3", "V;PRS;3;SG")} == {"V;PRS;3;SG"}


def test_a_build_from_a_tiny_corpus(tmp_path: Path) -> None:
    (tmp_path / "unimorph").mkdir()
    lines = [f"{'ab' * k}o\t{'ab' * k}os\tN;PL" for k in range(1, 30)] + ["go\tgo-\tN;SG"]
    with gzip.open(tmp_path / "unimorph/xyz.tsv.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(lines))
    places = sources.Places(tmp_path, tmp_path)
    summary = write(TINY, build(TINY, places), tmp_path / "out")
    folder = tmp_path / "out/xyz"
    assert summary == json.loads((folder / "report.json").read_text("utf-8"))
    assert summary["rows"] == 29
    assert summary["sources"]["unimorph"]["left out"] == {"part of a word": 1}
    rows = gzip.decompress((folder / "rows.tsv.gz").read_bytes()).decode().splitlines()
    assert {row.split("\t")[-1] for row in rows} == {"unimorph"}
    text = gzip.decompress((folder / "lexicon.tsv.gz").read_bytes()).decode()
    assert Lexicon.from_text(text).forms("ababo", "N;PL") == ("ababos",)
    sizes = [
        len((folder / f"{part}.tsv").read_text().splitlines()) for part in ("train", "dev", "test")
    ]
    assert sizes == [summary["train"], summary["dev"], summary["test"]]
    assert sum(sizes) == 29
