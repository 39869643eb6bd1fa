"""A training run: a folder with its plan and data, out of which comes a model.

While a run is under way the model directory holds a folder `training`:

    plan.json, train.tsv, dev.tsv      all that the members need, whatever becomes of the originals
    member-1.safetensors ...           checkpoints, replaced between epochs

It appears when it is complete. When all members have ended they become the model, and the folder
goes. Until then an interrupted run resumes where they were. Plan, data and checkpoints carry
checksums. Whoever changes a run holds the lock of the model directory. Nothing here imports torch:
the members do, in their processes (`stepwrite.training.workers`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepwrite.data.examples import LAYOUTS, Example, open_examples, write_examples
from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import DataError, StepwriteError
from stepwrite.files import held, sweep, whole_folder, write_whole
from stepwrite.inference.network_config import each_network
from stepwrite.kinds import kind_of
from stepwrite.model.card import read_history
from stepwrite.model.directory import (
    CONFIG,
    HISTORY,
    TRAINING,
    data_checksum,
    json_checksum,
    load_model,
    member_file,
    resume_command,
)
from stepwrite.training.checkpoint import Checkpoint, write_checkpoint
from stepwrite.training.config import TrainingConfig
from stepwrite.training.harmony import has_harmony
from stepwrite.transducer.alignment import EditDistanceAligner
from stepwrite.transducer.vocabulary import Vocabulary

if TYPE_CHECKING:
    from stepwrite.training.loop import Task

SAMPLE = 300  # training words whose accuracy is recorded beside dev's
JUDGED = 1000  # training words, at most, that show whether there is vowel harmony
LAYOUT = LAYOUTS["sigmorphon2016"]  # of the run's own copies of the data
PLAN = "plan.json"


@dataclass(frozen=True)
class Plan:
    """All that decides what a run will do, but for the data themselves.

    members: how many. others: the settings of the last of them where they are of other kinds.
    train, dev: what the user called the files; `dev` is empty where there was none.
    lexicon: whether the model is to carry the forms of train.
    folds: by how many it is measured first, where there is no dev set (`training.validation`).
    rows: the checksum of the rows of each of the run's own copies of the data.
    """

    config: TrainingConfig
    segmentation: Segmentation
    members: int
    seed: int
    train: str
    dev: str
    lexicon: bool = False
    others: tuple[TrainingConfig, ...] = ()
    folds: int = 0
    rows: Mapping[str, str] = field(default_factory=dict)

    def seed_of(self, member: int) -> int:
        return self.seed + member - 1

    def config_of(self, member: int) -> TrainingConfig:
        """One member's settings; its network has a single direction."""
        configs = (self.config,) * (self.members - len(self.others)) + self.others
        networks = each_network([config.network for config in configs])
        return replace(configs[member - 1], network=networks[member - 1])

    @property
    def configs(self) -> tuple[TrainingConfig, ...]:
        """The settings of each kind of members."""
        return tuple(dict.fromkeys((self.config, *self.others)))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Plan:
        others = tuple(map(TrainingConfig.from_json, data.get("others", ())))
        config = TrainingConfig.from_json(data["config"])
        segmentation = Segmentation(**data["segmentation"])
        return cls(**{**data, "config": config, "segmentation": segmentation, "others": others})


def create(folder: Path, plan: Plan, train: Sequence[Example], dev: Sequence[Example]) -> None:
    """Lay down a new run; nothing that is there already is touched.

    If it fails, or is killed, the folder is as it was, but for what the next start removes.
    """
    if folder.is_dir() and all(path.name.startswith(f".{TRAINING}.") for path in folder.iterdir()):
        sweep(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        resume = f"resume with: {resume_command(folder)}"
        hint = resume if (folder / TRAINING).exists() else "choose another --out"
        raise StepwriteError(f"{folder} exists; {hint}")
    lay_down(folder, plan, train, dev)


@contextmanager
def resumed(folder: Path) -> Iterator[Plan]:
    """The plan of an interrupted run, which is locked until the block ends."""
    if not folder.is_dir():
        raise StepwriteError(f"{folder}: no training to resume")
    with held(folder):
        if plan_path(folder).exists() or (folder / CONFIG).exists():
            sweep(folder)
            sweep(folder / TRAINING)
        yield read_plan(folder)


def reopen(folder: Path, plan: Plan, train: Sequence[Example], dev: Sequence[Example]) -> None:
    """Go on with a run that has ended, by a plan for more members; those it has stay.

    The model can be used until a larger one takes its place.
    """
    model = load_model(folder)
    try:
        histories = read_history((folder / HISTORY).read_text(encoding="utf-8"))
        checkpoints = []
        for number, weights in enumerate(model.members):
            about, history = model.about.members[number], histories[number]
            history[about.best_epoch - 1]["accuracy"] = about.dev_accuracy  # not rounded
            tensors = {f"best/{name}": array for name, array in weights.items()}
            checkpoints.append(Checkpoint(tensors, history, about.best_epoch))
    except (OSError, ValueError, LookupError):
        raise StepwriteError(
            f"{folder / HISTORY}: missing, cut short or altered; without it no members can be added"
        ) from None
    lay_down(folder, plan, train, dev, checkpoints)


def lay_down(
    folder: Path,
    plan: Plan,
    train: Sequence[Example],
    dev: Sequence[Example],
    checkpoints: Sequence[Checkpoint] = (),
) -> None:
    """Write what the members need, and the checkpoints of those that are trained already.

    Precision and vowel harmony that are left open are decided here: a member must have the same
    wherever it is trained.
    """
    from stepwrite.training.kernels.precision import native

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"can't be made: {error.strerror}", path=str(folder)) from None
    data = {"train.tsv": train, "dev.tsv": dev}
    configs = (plan.config, *plan.others)
    left_open = [config for config in configs if config.harmony is None and config.hallucination]
    harmony = bool(left_open) and _harmony(plan.segmentation, train)
    config, *others = (
        replace(
            config,
            precision=config.precision or native(),
            harmony=harmony if config in left_open else bool(config.harmony),
        )
        for config in configs
    )
    rows = {name: data_checksum(examples) for name, examples in data.items()}
    with whole_folder(folder / TRAINING) as run:
        for name, examples in data.items():
            with write_whole(run / name) as file:
                write_examples(file, examples, LAYOUT)
        for number, checkpoint in enumerate(checkpoints, 1):
            write_checkpoint(run / member_file(number), checkpoint)
        write_plan(run / PLAN, replace(plan, config=config, others=tuple(others), rows=rows))


def _harmony(split: Segmentation, train: Sequence[Example]) -> bool:
    some = train[:: max(1, len(train) // JUDGED)][:JUDGED]
    pairs = [(split.lemma(example.lemma), split.form(example.form)) for example in some]
    return has_harmony(EditDistanceAligner().align(pairs))


def plan_path(folder: Path) -> Path:
    return folder / TRAINING / PLAN


def write_plan(path: Path, plan: Plan) -> None:
    data = plan.to_json()
    with write_whole(path) as file:
        data["checksum"] = json_checksum(data)
        json.dump(data, file, ensure_ascii=False, indent=1)


def read_plan(folder: Path) -> Plan:
    path = plan_path(folder)
    if not path.exists():
        done = (folder / CONFIG).exists()
        raise StepwriteError(
            f"{folder}: its training has ended" if done else f"{folder}: no training to resume"
        )
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if "checksum" in data and data.pop("checksum") != json_checksum(data):  # older plans: none
            raise ValueError
        return Plan.from_json(data)
    except (ValueError, TypeError, KeyError, RecursionError):
        raise DataError(_damage(folder), path=str(path)) from None


def read_examples(folder: Path, plan: Plan, name: str) -> list[Example]:
    path = folder / TRAINING / name
    try:
        rows = list(open_examples(path, LAYOUT)) if path.stat().st_size else []
    except (OSError, DataError):
        rows = []
    if name in plan.rows and data_checksum(rows) != plan.rows[name]:
        raise DataError(_damage(folder), path=str(path))
    return rows


def _damage(folder: Path) -> str:
    return f"missing, cut short or altered; delete {folder / TRAINING} and start again"


def prepare(folder: Path, member: int) -> Task:
    """Align the training data, derive the oracles, number symbols and features."""
    from stepwrite.training.loop import Task, Word

    plan = read_plan(folder)
    config = plan.config_of(member)
    split, ordered = plan.segmentation, config.network.in_reading_order

    def words(examples: Sequence[Example]) -> list[Word]:
        return [
            (ordered(split.lemma(lemma)), features, ordered(split.form(form)))
            for lemma, features, form in examples
        ]

    examples = read_examples(folder, plan, "train.tsv")
    train = words(examples)
    recipe = kind_of(config.network.kind).load_recipe()
    alignments = recipe.align([(word[0], word[2]) for word in train], plan.seed_of(member))
    vocabulary = fit_vocabulary(plan, examples)
    return Task(
        config=config,
        vocabulary=vocabulary,
        examples=[
            recipe.example(alignment, features, vocabulary)
            for alignment, (_, features, _) in zip(alignments, train, strict=True)
        ],
        dev=words(read_examples(folder, plan, "dev.tsv")),
        sample=train[:: max(1, len(train) // SAMPLE)][:SAMPLE],
    )


def fit_vocabulary(plan: Plan, train: Sequence[Example]) -> Vocabulary:
    split = plan.segmentation
    return Vocabulary.fit(
        ((split.lemma(example.lemma), split.form(example.form)) for example in train),
        (example.features for example in train),
        copy=any(config.copy != "never" for config in plan.configs),
    )


def checkpoint_path(folder: Path, member: int) -> Path:
    return folder / TRAINING / member_file(member)
