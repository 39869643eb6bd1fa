"""The Turkish nouns of `examples` are what their script makes, and as their README says."""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "turkish-nouns"
SPLITS = ("train", "dev", "test")
sys.path.insert(0, str(ROOT / "scripts"))

import make_turkish_nouns  # noqa: E402

from stepwrite import read  # noqa: E402


def test_the_script_makes_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["make_turkish_nouns.py", str(tmp_path)])
    make_turkish_nouns.main()
    readme = (FOLDER / "README.md").read_text("utf-8")
    for split in SPLITS:
        made = (tmp_path / f"{split}.tsv").read_bytes()
        assert made == (FOLDER / f"{split}.tsv").read_bytes()
        assert f"{hashlib.sha256(made).hexdigest()}  {split}.tsv" in readme


def test_each_noun_comes_once_and_rows_are_counted() -> None:
    rows = {split: list(read(FOLDER / f"{split}.tsv")) for split in SPLITS}
    lemmas = [row.lemma for split in SPLITS for row in rows[split]]
    assert len(set(lemmas)) == len(lemmas)
    counts = dict(re.findall(r"`(\w+)\.tsv` \| (\d+)", (FOLDER / "README.md").read_text("utf-8")))
    assert {split: int(count) for split, count in counts.items()} == {
        split: len(rows[split]) for split in SPLITS
    }
    assert len({row.features for row in rows["test"]}) == 98
