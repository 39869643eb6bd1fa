"""Score files: everything the tables need about one model on one dataset, and nothing else.

A file is written when its model is complete. It holds no predictions, only their SHA-256 and one
bit per test row: whether the vote was right, which is what paired tests between two systems need.
The same model gives the same bytes, except for its training times.
"""

from __future__ import annotations

import hashlib
import io
import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stepwrite import __version__
from stepwrite.data.examples import LAYOUTS, Example, write_examples
from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import DataError, StepwriteError
from stepwrite.evaluation.metrics import score_rows, seen, wilson
from stepwrite.evaluation.rules import RuleBaseline
from stepwrite.experiments.definition import Dataset
from stepwrite.files import write_whole
from stepwrite.inflector import Inflector
from stepwrite.model.directory import CONFIG, data_checksum, load_model
from stepwrite.training.config import LEFT_OPEN, TrainingConfig, preset

PREDICTIONS = "predictions.tsv"  # in the model directory
RULES = "rules"  # the baseline, listed among the models
MOST_PARTS = 12  # the most feature bundles that are scored separately

Correct = NDArray[np.bool_]


@dataclass(frozen=True)
class Group:
    """Some test rows: how many each member got right, and which ones the vote got right.

    vote_rows: one bit per row, eight rows per byte, most significant bit first; base64.
    """

    rows: int
    members: tuple[int, ...]
    vote: int
    vote_rows: str

    @classmethod
    def of(cls, members: Sequence[Correct], vote: Correct, chosen: Correct) -> Group:
        """
        >>> some = np.array([True, False, True])
        >>> Group.of([some], ~some, np.array([True, True, False]))
        Group(rows=2, members=(1,), vote=1, vote_rows='QA==')
        """
        right = vote[chosen]
        packed = b64encode(np.packbits(right).tobytes()).decode()
        counts = tuple(int(member[chosen].sum()) for member in members)
        return cls(len(right), counts, int(right.sum()), packed)

    @property
    def correct(self) -> Correct:
        """(rows,): whether the vote was right."""
        packed = np.frombuffer(b64decode(self.vote_rows), dtype=np.uint8)
        return np.unpackbits(packed, count=self.rows).astype(bool)

    @property
    def accuracy(self) -> float:
        return self.vote / self.rows


@dataclass(frozen=True)
class Member:
    """How one member was trained. The speed includes evaluation on dev."""

    seed: int
    epochs: int
    best_epoch: int
    dev_accuracy: float | None
    minutes: float
    examples_per_second: float


@dataclass(frozen=True)
class Score:
    """One model on one dataset.

    data: file, rows and checksum of train, dev and test; for test the checksum of the file.
    parts: all rows under "", and the rows of each feature bundle if there are few bundles.
    lemmas: rows whose lemma was seen in training, and the others.
    model_sha256: of the model's configuration, which contains the checksums of its weights.
    """

    experiment: str
    dataset: str
    model: str
    preset: str
    stepwrite: str
    data: Mapping[str, Mapping[str, Any]]
    training: Mapping[str, Any]
    members: tuple[Member, ...]
    vote_dev_accuracy: float | None
    parts: Mapping[str, Group]
    lemmas: Mapping[str, Group]
    predictions_sha256: str
    model_sha256: str

    def __post_init__(self) -> None:
        _ = self.besides_preset  # fail here on invalid settings, not when writing a table

    @property
    def besides_preset(self) -> dict[str, Any]:
        """The settings that differ from the preset."""
        if not self.training:  # the rules
            return {}
        own = TrainingConfig.from_json(self.training).settings()
        given = {"kind": self.model, **{name: own[name] for name in LEFT_OPEN}}
        usual = preset(self.preset, self.data["train"]["rows"], **given).settings()
        return {name: value for name, value in own.items() if value != usual[name]}

    def to_json(self) -> dict[str, Any]:
        """Includes values derived from the rest, for people who read the file."""
        everything = self.parts[""]
        members = [
            {**asdict(member), "test_accuracy": round(right / everything.rows, 6)}
            for member, right in zip(self.members, everything.members, strict=True)
        ]
        vote = {
            key: round(value, 6)
            for key, value in asdict(wilson(everything.vote, everything.rows)).items()
        }
        return {**asdict(self), "members": members, "vote_test_accuracy": vote}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Score:
        fields = {name: data[name] for name in cls.__dataclass_fields__}
        names = Member.__dataclass_fields__
        members = tuple(Member(**{name: m[name] for name in names}) for m in data["members"])
        parts, lemmas = (
            {key: Group(**{**group, "members": tuple(group["members"])}) for key, group in groups}
            for groups in (data["parts"].items(), data["lemmas"].items())
        )
        return cls(**{**fields, "members": members, "parts": parts, "lemmas": lemmas})


def write_score(path: Path, score: Score) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"can't be created: {error.strerror}", path=str(path.parent)) from None
    with write_whole(path) as file:
        json.dump(score.to_json(), file, ensure_ascii=False, indent=1, sort_keys=True)
        file.write("\n")


def read_score(path: Path) -> Score:
    try:
        return Score.from_json(json.loads(path.read_bytes()))
    except OSError as error:
        raise DataError(f"can't be read: {error.strerror}", path=str(path)) from None
    except (StepwriteError, ValueError, KeyError, TypeError, AttributeError):
        raise DataError("truncated, altered or from another version", path=str(path)) from None


def read_scores(folder: Path, datasets: Sequence[Dataset]) -> list[Score]:
    """All scores of an experiment, in the order of its datasets."""
    return [
        read_score(path)
        for dataset in datasets
        for path in sorted((folder / dataset.name).glob("*.json"))
    ]


@dataclass(frozen=True)
class Rows:
    """What a model is evaluated on; `train` determines which lemmas were seen."""

    dataset: Dataset
    train: Sequence[Example]
    test: Sequence[Example]
    segmentation: Segmentation

    def groups(
        self, members: Sequence[Sequence[str]], vote: Sequence[str]
    ) -> dict[str, dict[str, Group]]:
        """The fields `parts` and `lemmas` of a score, from predicted forms."""
        split = self.segmentation

        def right(forms: Sequence[str]) -> Correct:
            return score_rows(self.test, [(form,) for form in forms], split).correct

        alone, together = [right(forms) for forms in members], right(vote)

        def group(labels: Sequence[str], label: str) -> Group:
            return Group.of(alone, together, np.array([found == label for found in labels]))

        parts = {"": group([""] * len(self.test), "")}
        features = [example.features for example in self.test]
        if 1 < len(set(features)) <= MOST_PARTS:
            parts |= {part: group(features, part) for part in sorted(set(features))}
        known = {split.lemma(example.lemma) for example in self.train}
        labels = [seen(split.lemma(example.lemma) in known) for example in self.test]
        lemmas = {label: group(labels, label) for label in sorted(set(labels))}
        return {"parts": parts, "lemmas": lemmas}

    def about(self) -> dict[str, dict[str, Any]]:
        """File, rows and checksum of train and test."""
        train, _, test = self.dataset.files
        return {
            "train": {
                "file": train.path,
                "rows": len(self.train),
                "sha256": data_checksum(self.train),
            },
            "test": {"file": test.path, "rows": len(self.test), "sha256": test.sha256},
        }


def score_model(experiment: str, rows: Rows, model: str, preset: str, folder: Path) -> Score:
    """Inflect the test set with the model in a folder, and write the predictions there."""
    loaded = load_model(folder)
    pairs = [(example.lemma, example.features) for example in rows.test]
    alone, vote = Inflector(loaded, lexicon="off").each_and_vote(pairs)
    text = predictions_table(rows.test, vote)
    with write_whole(folder / PREDICTIONS) as file:
        file.write(text)
    about = loaded.about
    n_train = about.data["train"].rows
    return Score(
        experiment=experiment,
        dataset=rows.dataset.name,
        model=model,
        preset=preset,
        stepwrite=__version__,
        data={
            "dev": asdict(replace(about.data["dev"], file=rows.dataset.files[1].path)),
            **rows.about(),
        },
        training=about.training,
        members=tuple(
            Member(
                seed=member.seed,
                epochs=member.epochs,
                best_epoch=member.best_epoch,
                dev_accuracy=member.dev_accuracy,
                minutes=round(member.seconds / 60, 2),
                examples_per_second=round(n_train * member.epochs / member.seconds, 1),
            )
            for member in about.members
        ),
        vote_dev_accuracy=about.vote_dev_accuracy,
        **rows.groups(alone, vote),
        predictions_sha256=hashlib.sha256(text.encode()).hexdigest(),
        model_sha256=model_checksum(folder),
    )


def score_rules(experiment: str, rows: Rows) -> Score:
    """Score the rule baseline, learnt from train."""
    baseline = RuleBaseline.fit(rows.train, rows.segmentation)
    forms = [baseline.predict(example.lemma, example.features) for example in rows.test]
    text = predictions_table(rows.test, forms)
    return Score(
        experiment=experiment,
        dataset=rows.dataset.name,
        model=RULES,
        preset="",
        stepwrite=__version__,
        data=rows.about(),
        training={},
        members=(),
        vote_dev_accuracy=None,
        **rows.groups([], forms),
        predictions_sha256=hashlib.sha256(text.encode()).hexdigest(),
        model_sha256="",
    )


def predictions_table(test: Sequence[Example], forms: Sequence[str]) -> str:
    """The test file with predicted forms, in the UniMorph layout."""
    file = io.StringIO()
    predicted = (Example(*row[:2], form) for row, form in zip(test, forms, strict=True))
    write_examples(file, predicted, LAYOUTS["unimorph"])
    return file.getvalue()


def model_checksum(folder: Path) -> str:
    return hashlib.sha256((folder / CONFIG).read_bytes()).hexdigest()
