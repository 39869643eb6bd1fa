"""Where rows come from: one reader for each kind of source.

A reader gives (lemma, features, form) in UniMorph's tags. Those of dictionaries are in
`language_build.dictionaries`.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from language_build.declaration import Source
from language_build.repairs import refiled, without_spoilt
from stepwrite.errors import StepwriteError

Rows = Iterable[tuple[str, str, str]]


@dataclass(frozen=True)
class Places:
    """Where the data are: folders with `unimorph` and `ud`, and with npm's packages."""

    corpora: Path
    node_modules: Path

    @classmethod
    def from_environment(cls) -> Places:
        corpora = os.environ.get("STEPWRITE_CORPORA")
        if not corpora:
            raise StepwriteError("STEPWRITE_CORPORA is not set: the folder of unimorph/ and ud/")
        return cls(Path(corpora), Path(os.environ.get("NODE_PATH", "node_modules")))

    def npm(self, package: str, name: str) -> Path:
        path = self.node_modules / package / "dist" / name
        if not path.exists():
            raise StepwriteError(f"{path}: no such file; install languages/package.json")
        return path

    @staticmethod
    def python(package: str, name: str) -> Path:
        """A file of an installed package, without importing it."""
        spec = find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise StepwriteError(f"{package} is not installed: see languages/requirements.txt")
        return Path(spec.submodule_search_locations[0], name)


def unimorph(
    places: Places, iso: str, options: Mapping[str, Any]
) -> Iterator[tuple[str, str, str]]:
    path = places.corpora / "unimorph" / f"{options.get('file', iso)}.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            lemma, form, features = line.rstrip("\n").split("\t")
            yield lemma, features, form


def ours(places: Places, iso: str, options: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Everyday words that other sources lack, written for this project: `languages/words/ISO.tsv`.

    A line holds a lemma, a bundle and its forms, separated by tabs; commas separate forms, the
    usual one first. Without a lemma it continues the one before.
    """
    lemma = ""
    for continued, features, forms in written(f"{iso}.tsv", 3):
        lemma = continued or lemma
        for form in forms.split(", "):
            yield lemma, features, form


def written(name: str, n_columns: int) -> Iterator[list[str]]:
    """The lines of a file in `languages/words`, without comments, each as its columns."""
    from language_build.declaration import FOLDER

    path = FOLDER / "words" / name
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        cells = line.split("\t")
        if not line or line.startswith("#"):
            continue
        if len(cells) != n_columns:
            raise StepwriteError(
                f"{path}, line {number}: {len(cells)} columns, expected {n_columns}"
            )
        yield cells


def read(source: Source, iso: str, places: Places) -> Rows:
    """The rows of a source, of the parts of speech that are wanted from it."""
    from language_build.dictionaries import DICTIONARIES

    readers: dict[str, Callable[..., Rows]] = {"unimorph": unimorph, "ours": ours, **DICTIONARIES}
    if source.reader not in readers:
        raise StepwriteError(f"{iso}: no reader {source.reader}; there are {', '.join(readers)}")
    renamed = source.options.get("bundles", {})
    rows = readers[source.reader](places, iso, source.options)
    headings, foreign = (source.options.get(key, ()) for key in ("headings", "foreign_tags"))
    if headings or foreign:
        rows = without_spoilt(rows, headings, foreign)
    if rules := source.options.get("misfiled"):
        rows = refiled(rows, rules)
    for row in rows:
        lemma, features, form = row
        head = next((tag for tag in features.split(";") if tag.partition(".")[0] in HEADS), "")
        if not source.parts or head.partition(".")[0] in source.parts:
            yield lemma, renamed.get(features, features), form


HEADS = ("N", "V", "ADJ", "ADV", "PRO", "PROPN", "NUM", "DET", "AUX", "PART")
