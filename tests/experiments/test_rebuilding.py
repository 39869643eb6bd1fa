"""Training files that are rebuilt from their sources."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.mirror import Mirror

from stepwrite.errors import DataError
from stepwrite.experiments.definition import DataFile, Dataset, load_experiment
from stepwrite.experiments.rebuilding import FRENCH_CELLS, from_paradigms, from_verbiste, rebuild

PARADIGMS = "1+a+2:case=nominative#1+oi+2+n:case=genitive\t1=t,2=l#1=k,2=r#1=t,2=l\n"
VERBS = "<verbs><v><i>aimer</i><t>aim:er</t></v><v><i>ir</i><t>:ir</t></v></verbs>"
TEMPLATES = """<templates>
<template name="aim:er"><infinitive><p><i>er</i></p></infinitive>
<present><p><i>e</i><i>x</i></p><p/></present></template>
<template name=":ir"><infinitive><p><i>ir</i></p></infinitive><present><p/></present></template>
</templates>"""
CORPORA = os.environ.get("STEPWRITE_CORPORA", "")
DATA = os.environ.get("STEPWRITE_DATA", "")


def test_paradigms(tmp_path: Path) -> None:
    (tmp_path / "p").write_text(PARADIGMS, "utf-8")
    assert [tuple(row) for row in from_paradigms([tmp_path / "p"])] == [
        ("tal", "case=nominative", "tal"),
        ("tal", "case=genitive", "toiln"),
        ("kar", "case=nominative", "kar"),
        ("kar", "case=genitive", "koirn"),
    ]


def test_finnish_infinitives_are_as_in_the_paper(tmp_path: Path) -> None:
    first = "type=infinitive,form=1"
    slots = f"1+a:{first}#1+an:person=1st#1+akse:{first},case=translative"
    (tmp_path / "p").write_text(f"{slots}\t1=puhu\n", "utf-8")
    assert [tuple(row) for row in from_paradigms([tmp_path / "p"])] == [
        ("puhua", "person=1st", "puhuan"),
        ("puhua", first, "puhuakse"),
    ]


def test_verbiste(tmp_path: Path) -> None:
    """The first form of a cell; an empty cell is the bare stem, and no form where that is empty."""
    for name, text in (("verbs", VERBS), ("templates", TEMPLATES)):
        (tmp_path / name).write_text(text, "utf-8")
    assert [tuple(row) for row in from_verbiste([tmp_path / "verbs", tmp_path / "templates"])] == [
        ("aimer", "type=infinitive", "aimer"),
        ("aimer", FRENCH_CELLS[1], "aime"),
        ("aimer", FRENCH_CELLS[2], "aim"),
        ("ir", "type=infinitive", "ir"),
    ]


def tiny_dataset(folder: Path, expected: str) -> Dataset:
    """A dataset whose training file is to be made of a file of paradigms."""
    contents = {"source": PARADIGMS, "dev": "kar\tcase=genitive\tkoirn\n", "test": "x\ty\tz\n"}
    for name, text in contents.items():
        (folder / name).write_text(text, "utf-8")
    train = DataFile("train", expected, "", "paradigms", (DataFile("source", "0" * 64),))
    return Dataset("t", "t", train, DataFile("dev", "0" * 64), DataFile("test", "0" * 64))


def test_lemmas_of_dev_and_test_stay_out(tmp_path: Path) -> None:
    wanted = "tal\tcase=nominative\ttal\ntal\tcase=genitive\ttoiln\n"
    rebuild(tiny_dataset(tmp_path, hashlib.sha256(wanted.encode()).hexdigest()), tmp_path)
    assert (tmp_path / "train").read_text("utf-8") == wanted


def test_a_file_that_comes_out_wrong_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="wrong checksum after rebuilding"):
        rebuild(tiny_dataset(tmp_path, "0" * 64), tmp_path)
    assert not (tmp_path / "train").exists()


@pytest.mark.skipif(not (CORPORA and DATA), reason="needs STEPWRITE_CORPORA and STEPWRITE_DATA")
def test_the_real_files_come_out_right(
    tmp_path: Path, stepwrite: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = load_experiment("wiktionary")
    rebuilt = [d for d in experiment.datasets if d.train and d.train.rebuilt_by]
    assert [d.name for d in rebuilt] == ["es-verb", "fi-nounadj", "fi-verb", "fr-verb"]
    sources = Path(CORPORA) / "sources"
    with Mirror({path.name: path.read_bytes() for path in sources.iterdir()}) as mirror:

        def here(file: DataFile) -> DataFile:
            return replace(file, url=f"{mirror.url}/{Path(file.path).name}")

        datasets = []
        for dataset in rebuilt:
            train, dev, test = dataset.files
            for file in (dev, test):
                (tmp_path / file.path).parent.mkdir(exist_ok=True)
                (tmp_path / file.path).write_bytes((Path(DATA) / file.path).read_bytes())
            train = replace(train, sources=tuple(map(here, train.sources)))
            datasets.append(replace(dataset, train=train))
        monkeypatch.setattr(
            "stepwrite.experiments.definition.load_experiment",
            lambda name: replace(
                experiment,
                datasets=tuple(datasets),
                columns=experiment.columns[2:6],
                published=(),
                overrides=(),
            ),
        )
        outcome = stepwrite("data", "get", "wiktionary", "--to", str(tmp_path))
    assert outcome.code == 0, outcome.err
    assert outcome.out.count("rebuilt  ") == 4
    assert outcome.out.count("fetched  ") == 5
