"""The declaration of a language: `languages/ISO.toml`.

    name = "German"
    native = "Deutsch"
    names = []                      # further names and codes that find the model
    package = "stepwrite"           # or "stepwrite-languages"
    licence = "CC BY-SA 4.0"        # of the model, as its sources require
    frequencies = "de"              # the list of wordfreq, if there is one
    scripts = ["LATIN"]             # words with letters of other scripts are left out
    marks = ""                      # combining marks of stress or length, which nobody writes
    train = 40_000                  # rows, if not as many as is usual in its package
    inflectional = []               # dimensions that are no word's own, though few words show it

    [[source]]                      # earlier sources win where two have the same cell
    reader = "german-nouns"         # see `sources.READERS`
    parts = ["N"]                   # parts of speech taken from it; all if left out
    origin = "german-nouns 1.2.5, from the German Wiktionary"
    licence = "CC BY-SA 4.0"
    bundles = {}                    # whole bundles that it should have spelt differently
    headings = []                   # of tables, taken for forms: their lemmas are left out
    foreign_tags = []               # of another language in the data: their lemmas are left out
    misfiled = []                   # forms in other forms' cells, see `repairs.refiled`
    skipped = []                    # of the reader `ud`: features and forms that are passed over,
    unread = []                     # and names of features that say nothing about the form

    [tags]                          # tags that this language's data spell differently
    LGSPEC1 = "JUS"

    [letters]                       # letters that it spells differently, such as look-alikes
    a = "а"

    [stems]                         # endings of lemmas that are left off by some, by part of speech
    V = ["mek", "mak"]

    [citation]                      # the cells that lemmas stand for, if the data leave them out
    V = "V;NFIN"

    [held_out]                      # defaults
    dev = 10                        # of 100 lemmas
    test = 10
    rows = 2000                     # at most, of each

Rows of a source with the reader `ud` are never held out. To measure a language on running text, its
data are built without them (`build_languages.py data --without ud`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from stepwrite.errors import DataError

FOLDER = Path(__file__).parents[2] / "languages"
PACKAGES = ("stepwrite", "stepwrite-languages")


@dataclass(frozen=True)
class Source:
    reader: str
    origin: str
    licence: str
    parts: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class HeldOut:
    """dev, test: of 100 lemmas. rows: the most of each."""

    dev: int = 10
    test: int = 10
    rows: int = 2000


@dataclass(frozen=True)
class Language:
    iso: str
    name: str
    native: str
    package: str
    licence: str
    scripts: tuple[str, ...]
    sources: tuple[Source, ...]
    names: tuple[str, ...] = ()
    frequencies: str = ""
    marks: str = ""
    train: int | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    letters: Mapping[str, str] = field(default_factory=dict)
    stems: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    citation: Mapping[str, str] = field(default_factory=dict)
    held_out: HeldOut = HeldOut()
    inflectional: tuple[str, ...] = ()

    @property
    def model(self) -> str:
        """The name of the model's folder.

        >>> Language("nob", "Norwegian Bokmål", "", "", "", (), ()).model
        'norwegian-bokmal'
        """
        from unicodedata import normalize

        letters = normalize("NFKD", self.name).encode("ascii", "ignore").decode().lower()
        return "-".join("".join(c if c.isalnum() else " " for c in letters).split())


def declared(folder: Path = FOLDER) -> dict[str, Language]:
    """All languages by ISO 639-3 code."""
    return {path.stem: read_declaration(path) for path in sorted(folder.glob("*.toml"))}


def read_declaration(path: Path) -> Language:
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"can't be read: {error}", path=str(path)) from None
    sources = tuple(_source(entry, path) for entry in data.pop("source", []))
    held_out = data.pop("held_out", {})
    for key in ("scripts", "names", "inflectional"):
        data[key] = tuple(data.get(key, ()))
    try:
        language = Language(iso=path.stem, sources=sources, held_out=HeldOut(**held_out), **data)
    except TypeError as error:
        raise DataError(str(error).partition(") ")[2], path=str(path)) from None
    if not sources or not language.licence or language.package not in PACKAGES:
        raise DataError(
            f"needs a source, a licence and a package: one of {', '.join(PACKAGES)}", path=str(path)
        )
    return language


def _source(entry: Mapping[str, Any], path: Path) -> Source:
    known = {f.name for f in fields(Source)} - {"options"}
    options = {key: value for key, value in entry.items() if key not in known}
    missing = {"reader", "origin", "licence"} - entry.keys()
    if missing:
        raise DataError(f"a source without {', '.join(sorted(missing))}", path=str(path))
    return Source(
        entry["reader"],
        entry["origin"],
        entry["licence"],
        tuple(entry.get("parts", ())),
        options,
    )
