"""Experiment definitions: one TOML file per published table, with data, results and settings."""

from __future__ import annotations

import hashlib
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from importlib import resources
from pathlib import Path, PurePosixPath
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints
from urllib.parse import urljoin

from stepwrite.errors import DataError, StepwriteError, shown
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.kinds import BUILT_IN, all_kinds
from stepwrite.training.config import TrainingConfig

EXPERIMENTS = (
    "celex",
    "sigmorphon2016",
    "wiktionary",
    "conll2017-low",
    "conll2017-medium",
    "conll2017-high",
    "g2p2021-medium",
    "g2p2021-low",
)
VARIABLE = "STEPWRITE_DATA"
Rebuilding = Literal["paradigms", "verbiste"]


@dataclass(frozen=True)
class DataFile:
    """A file in the data folder. `url` is empty if no address is known.

    rebuilt_by: the method that makes the file of its `sources` (`experiments.rebuilding`).
    """

    path: str
    sha256: str
    url: str = ""
    rebuilt_by: Rebuilding | None = None
    sources: tuple[DataFile, ...] = ()

    def __post_init__(self) -> None:
        path = PurePosixPath(self.path)
        # Files are also written: no experiment file may reach outside the data folder.
        if not path.name or path.is_absolute() or ".." in path.parts or "\\" in self.path:
            raise ValueError(f"path {shown(self.path)} is not inside the data folder")
        if not re.fullmatch("[0-9a-f]{64}", self.sha256):
            raise ValueError(f"sha256 {shown(self.sha256)} is not 64 hexadecimal digits")
        if (self.rebuilt_by is None) != (not self.sources):
            raise ValueError("rebuilt_by and sources must be given together")


@dataclass(frozen=True)
class Dataset:
    """What one model is trained and tested on: three files, or none if they are unavailable."""

    name: str
    title: str
    train: DataFile | None = None
    dev: DataFile | None = None
    test: DataFile | None = None
    note: str = ""

    def __post_init__(self) -> None:
        _check_name(self.name)
        if len(self.files) not in (0, 3):
            raise ValueError("train, dev and test must be given together, or none of them")

    @property
    def files(self) -> tuple[DataFile, ...]:
        return tuple(file for file in (self.train, self.dev, self.test) if file)


@dataclass(frozen=True)
class Column:
    """A column of the table: the mean test accuracy over `datasets`.

    If `part` is given, only rows with these features count.
    """

    key: str
    title: str
    datasets: tuple[str, ...]
    part: str = ""


@dataclass(frozen=True)
class Published:
    """A published row of the table: figures in per cent by column key.

    They are in the experiment's measure. `scores` is empty if only the average is known.
    """

    system: str
    source: str
    scores: Mapping[str, float]
    average: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Override:
    """Settings that differ from the preset, named like the options of `stepwrite train`.

    datasets, models: what they apply to; empty means all.
    """

    settings: Mapping[str, Any]
    datasets: tuple[str, ...] = ()
    models: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        hints = get_type_hints(NetworkConfig) | get_type_hints(TrainingConfig)
        for name in ("preset", "network", "kind"):  # given by the experiment itself
            del hints[name]
        _check_known("setting", self.settings, hints)
        for name, value in self.settings.items():
            _inside(name, hints[name], value)

    def covers(self, dataset: str, model: str) -> bool:
        return dataset in (self.datasets or (dataset,)) and model in (self.models or (model,))


@dataclass(frozen=True)
class Experiment:
    """A published table and how to reproduce it.

    preset, overrides: the training settings; overrides apply only to this preset.
    members: the ensemble size; members have the seeds `seed`, `seed + 1`, ...
    measure: of the tables and the published figures; score files always contain accuracies.
    source: the base address of the files.
    notes: what a reader of the table must know, including choices on which the paper is silent.
    """

    name: str
    title: str
    datasets: tuple[Dataset, ...]
    columns: tuple[Column, ...]
    published: tuple[Published, ...] = ()
    models: tuple[str, ...] = tuple(BUILT_IN)
    preset: str = "default"
    members: int = 5
    seed: int = 1
    overrides: tuple[Override, ...] = ()
    measure: Literal["accuracy", "word error rate"] = "accuracy"
    source: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_name(self.name)
        names = [dataset.name for dataset in self.datasets]
        keys = [column.key for column in self.columns]
        for kind, found in (("dataset", names), ("column", keys), ("model", self.models)):
            if not found:
                raise ValueError(f"no {kind}")
            if len(set(found)) < len(found):
                raise ValueError(f"duplicate {kind}: {', '.join(found)}")
        for column in self.columns:
            if not column.datasets:
                raise ValueError(f"column {column.key} has no datasets")
            _check_known(f"column {column.key}: dataset", column.datasets, names)
        for row in self.published:
            _check_known(f"published {row.system}: column", row.scores, keys)
        _check_known("model", self.models, all_kinds())
        for override in self.overrides:
            _check_known("override: dataset", override.datasets, names)
            _check_known("override: model", override.models, self.models)
        if self.members < 1 or self.seed < 0:
            raise ValueError(f"invalid members {self.members} or seed {self.seed}")

    @property
    def files(self) -> tuple[DataFile, ...]:
        return tuple(file for dataset in self.datasets for file in dataset.files)

    def settings(self, dataset: str, model: str, preset: str) -> dict[str, Any]:
        """The overrides for a model on a dataset; later ones win."""
        if preset != self.preset:
            return {}  # other presets are used unchanged
        covering = [o.settings for o in self.overrides if o.covers(dataset, model)]
        return {name: value for settings in covering for name, value in settings.items()}


def load_experiment(name: str) -> Experiment:
    """Load one of `EXPERIMENTS` by name, or a user's experiment by the path of its .toml file."""
    if name in EXPERIMENTS:
        source = resources.files("stepwrite.experiments") / "definitions" / f"{name}.toml"
    elif name.endswith(".toml"):
        source = Path(name)
    else:
        known = ", ".join(EXPERIMENTS)
        raise StepwriteError(f"unknown experiment {shown(name)}: use {known}, or a .toml file")
    try:
        table = tomllib.loads(source.read_text("utf-8"))
        experiment = _read(Experiment, {"name": Path(name).stem} | table)
    except OSError as error:
        raise DataError(f"can't be read: {error.strerror}", path=name) from None
    except ValueError as error:  # also invalid TOML and invalid UTF-8
        raise DataError(str(error), path=name) from None
    return _with_addresses(experiment)


def data_folder(option: Path | None) -> Path:
    """The folder with the benchmark data: from the option, or else from the environment."""
    folder = option or (Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None)
    if folder is None:
        raise StepwriteError(
            f"no data: give --data DIR or set {VARIABLE}; "
            "download the files with: stepwrite data get NAME --to DIR"
        )
    if not folder.is_dir():
        raise StepwriteError(f"{folder}: no such data folder")
    return folder


def check_file(folder: Path, file: DataFile) -> str | None:
    """What is wrong with a file in the data folder; None if it is correct."""
    path = folder / file.path
    if not path.exists():
        return f"{path}: missing"
    try:
        found = sha256_of(path)
    except OSError as error:
        return f"{path}: can't be read: {error.strerror}"
    if found != file.sha256:
        return f"{path}: wrong checksum: SHA-256 {found}, expected {file.sha256}"
    return None


def sha256_of(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _read(kind: Any, value: object) -> Any:
    """Convert a TOML value to the type hint `kind`: the dataclasses are the schema of the file.

    >>> _read(Column, {"key": "DE", "title": "German", "datasets": ["german"]})
    Column(key='DE', title='German', datasets=('german',), part='')
    >>> _read(Column, {"key": "DE", "title": "German", "datasets": ["german", 5]})
    Traceback (most recent call last):
    ValueError: datasets: number 2: '5' is not a str
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):  # optional: TOML has no None, the key is absent instead
        return _read(arguments[0], value)
    if isinstance(kind, type) and is_dataclass(kind) and isinstance(value, dict):
        hints = get_type_hints(kind)
        needed = {f.name for f in fields(kind) if f.default is f.default_factory is MISSING}
        if missing := needed - set(value):
            raise ValueError(f"missing {', '.join(sorted(missing))}")
        if unknown := set(value) - set(hints):
            raise ValueError(f"unknown {', '.join(sorted(unknown))}")
        return kind(**{key: _inside(key, hints[key], item) for key, item in value.items()})
    if origin is Mapping and isinstance(value, dict):
        return {key: _inside(key, arguments[1], item) for key, item in value.items()}
    if origin is tuple and isinstance(value, list):
        return tuple(_inside(f"number {n}", arguments[0], item) for n, item in enumerate(value, 1))
    if origin is Literal:
        if value not in arguments:
            raise ValueError(f"{shown(str(value))} is not one of {', '.join(arguments)}")
        return value
    if kind is Any:
        return value
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        is_table = origin is Mapping or is_dataclass(kind)
        name = "table" if is_table else "list" if origin else kind.__name__
        raise ValueError(f"{shown(str(value))} is not {'an' if name[0] in 'aeiou' else 'a'} {name}")
    return value


def _inside(key: str, kind: Any, value: object) -> Any:
    try:
        return _read(kind, value)
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None


def _with_addresses(experiment: Experiment) -> Experiment:
    """The experiment with the full addresses of its files."""

    def complete(file: DataFile | None) -> DataFile | None:
        return file and replace(file, url=file.url and urljoin(experiment.source, file.url))

    datasets = tuple(
        replace(
            dataset,
            train=complete(dataset.train),
            dev=complete(dataset.dev),
            test=complete(dataset.test),
        )
        for dataset in experiment.datasets
    )
    return replace(experiment, datasets=datasets)


def _check_name(name: str) -> None:
    """Names are used as folder names."""
    if not re.fullmatch(r"\w[\w.-]*", name):
        raise ValueError(f"name {shown(name)}: expected letters, digits, '-', '_' and '.'")


def _check_known(what: str, names: Iterable[str], known: Iterable[str]) -> None:
    if unknown := set(names) - set(known):
        raise ValueError(f"{what} {', '.join(sorted(unknown))} is not one of {', '.join(known)}")
