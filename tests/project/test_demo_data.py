from __future__ import annotations

import hashlib
import re
import unicodedata
from itertools import chain, combinations
from pathlib import Path

import pytest

from stepwrite.data.examples import LAYOUTS, Example, open_examples
from stepwrite.model.directory import load_model
from stepwrite.model.overlap import overlap
from stepwrite.model.pretrained import MODELS

FOLDER = Path(__file__).parents[2] / "examples" / "german-nouns"
N_ROWS = {"train": 5000, "dev": 500, "test": 500, "unseen": 1250}
BUNDLE = re.compile("N;(MASC|FEM|NEUT);(NOM|GEN|DAT|ACC);(SG|PL)")


@pytest.fixture(scope="module")
def splits() -> dict[str, list[Example]]:
    files = {split: open_examples(FOLDER / f"{split}.tsv", needs_form=True) for split in N_ROWS}
    assert all(file.layout == LAYOUTS["unimorph"] for file in files.values())
    return {split: list(file) for split, file in files.items()}


@pytest.mark.parametrize("split", N_ROWS)
def test_files_are_those_of_the_readme(split: str) -> None:
    readme = (FOLDER / "README.md").read_text("utf-8")
    checksums = dict(re.findall(r"^([0-9a-f]{64})  (\S+)$", readme, re.MULTILINE))
    digest = hashlib.sha256((FOLDER / f"{split}.tsv").read_bytes()).hexdigest()
    assert checksums.get(digest) == f"{split}.tsv"


def test_rows_are_counted_and_distinct(splits: dict[str, list[Example]]) -> None:
    assert {split: len(rows) for split, rows in splits.items()} == N_ROWS
    cells = [(row.lemma, row.features) for row in chain.from_iterable(splits.values())]
    assert len(set(cells)) == len(cells)


def test_splits_share_no_lemma(splits: dict[str, list[Example]]) -> None:
    for one, other in combinations(splits.values(), 2):
        assert not {row.lemma for row in one} & {row.lemma for row in other}


def test_unseen_lemmas_come_once(splits: dict[str, list[Example]]) -> None:
    assert len({row.lemma for row in splits["unseen"]}) == N_ROWS["unseen"]


def test_the_model_that_ships_was_trained_without_the_others(
    splits: dict[str, list[Example]],
) -> None:
    model = load_model(MODELS / "german-nouns")
    assert "5000 of 5000 rows are in the model's lexicon" in overlap(model, splits["train"])
    for split in ("dev", "test", "unseen"):
        assert overlap(model, splits[split]) == "", split


def test_rows_are_clean(splits: dict[str, list[Example]]) -> None:
    for row in chain.from_iterable(splits.values()):
        assert BUNDLE.fullmatch(row.features), row
        assert (row.lemma + row.form).isalpha(), row
        assert row == tuple(unicodedata.normalize("NFC", cell) for cell in row)
        if row.features.endswith("NOM;SG"):
            assert row.form == row.lemma


def test_a_lemma_has_one_gender(splits: dict[str, list[Example]]) -> None:
    rows = list(chain.from_iterable(splits.values()))
    genders = {(row.lemma, row.features.split(";")[1]) for row in rows}
    assert len(genders) == len({row.lemma for row in rows})
