"""A training run: a folder with its plan and data, out of which comes a model.

While a run is under way the model directory holds a folder `training`:

    plan.json, train.tsv, dev.tsv      all that the members need, whatever becomes of the originals
    member-1.safetensors ...           checkpoints, replaced after each epoch

When all members have ended they become the model, and the folder goes. Until then an interrupted
run resumes where they were. Nothing here imports torch: the members do, in their processes
(`stepwrite.training.workers`).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepwrite.data.examples import LAYOUTS, Example, open_examples, write_examples
from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import StepwriteError
from stepwrite.files import write_whole
from stepwrite.inference.network_config import each_network
from stepwrite.kinds import kind_of
from stepwrite.model.about import About, DataFile, Member
from stepwrite.model.card import read_history
from stepwrite.model.directory import (
    CONFIG,
    HISTORY,
    TRAINING,
    Model,
    data_checksum,
    load_model,
    member_file,
    resume_command,
    save_model,
)
from stepwrite.model.tensors import load_tensors, save_tensors
from stepwrite.morphology.cells import Cells
from stepwrite.morphology.lexicon import Lexicon
from stepwrite.training.config import TrainingConfig
from stepwrite.transducer.vocabulary import Vocabulary

if TYPE_CHECKING:
    from stepwrite.training.loop import Task

MOST_FOR_RULES = 100_000
"""Training examples. Rules take some 4 s and 400 MB to learn from so many; of more, a network
learns what they cannot, and their score would say little."""
SAMPLE = 300  # training words whose accuracy is recorded beside dev's
LAYOUT = LAYOUTS["sigmorphon2016"]  # of the run's own copies of the data


@dataclass(frozen=True)
class Plan:
    """All that decides what a run will do, but for the data themselves.

    members: how many. others: the settings of the last of them where they are of other kinds.
    train, dev: what the user called the files; `dev` is empty where there was none.
    lexicon: whether the model is to carry the forms of train.
    """

    config: TrainingConfig
    segmentation: Segmentation
    members: int
    seed: int
    train: str
    dev: str
    lexicon: bool = False
    others: tuple[TrainingConfig, ...] = ()

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
    """Lay down a new run; nothing that is there already is touched."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        resume = f"resume with: {resume_command(folder)}"
        hint = resume if (folder / TRAINING).exists() else "choose another --out"
        raise StepwriteError(f"{folder} exists; {hint}")
    lay_down(folder, plan, train, dev)


def reopen(folder: Path, plan: Plan, train: Sequence[Example], dev: Sequence[Example]) -> None:
    """Go on with a run that has ended, by a plan for more members; those it has stay.

    The model can be used until a larger one takes its place.
    """
    model = load_model(folder)
    histories = read_history((folder / HISTORY).read_text(encoding="utf-8"))
    (folder / TRAINING).mkdir(exist_ok=True)
    for number, weights in enumerate(model.members, 1):
        about, history = model.about.members[number - 1], histories[number - 1]
        history[about.best_epoch - 1]["accuracy"] = about.dev_accuracy  # not rounded
        save_tensors(
            checkpoint_path(folder, number),
            {f"best/{name}": array for name, array in weights.items()},
            {"history": json.dumps(history), "best_epoch": str(about.best_epoch)},
        )
    lay_down(folder, plan, train, dev)


def lay_down(folder: Path, plan: Plan, train: Sequence[Example], dev: Sequence[Example]) -> None:
    """Write what the members need; the plan comes last and makes it a run.

    A precision that is left open is decided here: a member must have the same wherever it is
    trained.
    """
    from stepwrite.training.kernels.precision import native

    run = folder / TRAINING
    try:
        run.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StepwriteError(f"{run}: can't be made: {error.strerror}") from None
    for name, examples in (("train.tsv", train), ("dev.tsv", dev)):
        with write_whole(run / name) as file:
            write_examples(file, examples, LAYOUT)
    config, *others = (
        replace(config, precision=config.precision or native())
        for config in (plan.config, *plan.others)
    )
    write_plan(folder, replace(plan, config=config, others=tuple(others)))


def write_plan(folder: Path, plan: Plan) -> None:
    with write_whole(folder / TRAINING / "plan.json") as file:
        json.dump(plan.to_json(), file, ensure_ascii=False, indent=1)


def read_plan(folder: Path) -> Plan:
    path = folder / TRAINING / "plan.json"
    if not path.exists():
        done = (folder / CONFIG).exists()
        raise StepwriteError(
            f"{folder}: its training has ended" if done else f"{folder}: no training to resume"
        )
    return Plan.from_json(json.loads(path.read_text(encoding="utf-8")))


def read_examples(folder: Path, name: str) -> list[Example]:
    path = folder / TRAINING / name
    return list(open_examples(path, LAYOUT)) if path.stat().st_size else []


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

    examples = read_examples(folder, "train.tsv")
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
        dev=words(read_examples(folder, "dev.tsv")),
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


def assemble(folder: Path) -> Model:
    """Make the model of the members' best weights, measure its vote on dev, end the run."""
    from stepwrite.model.card import history_table, model_card

    plan = read_plan(folder)
    train, dev = read_examples(folder, "train.tsv"), read_examples(folder, "dev.tsv")
    members, histories, summaries = [], [], []
    for number in range(1, plan.members + 1):
        tensors, notes = load_tensors(checkpoint_path(folder, number))
        members.append(
            {
                name.removeprefix("best/"): array
                for name, array in tensors.items()
                if name.startswith("best/")
            }
        )
        history, best_epoch = json.loads(notes["history"]), int(notes["best_epoch"])
        histories.append(history)
        summaries.append(
            Member(
                seed=plan.seed_of(number),
                epochs=len(history),
                best_epoch=best_epoch,
                dev_accuracy=history[best_epoch - 1]["accuracy"],
                seconds=round(sum(epoch["seconds"] for epoch in history), 1),
            )
        )
    files = {
        name: DataFile(file, len(rows), data_checksum(rows))
        for name, file, rows in (("train", plan.train, train), ("dev", plan.dev, dev))
        if rows
    }
    about = About(
        files,
        plan.config.to_json(),
        tuple(summaries),
        other_training=tuple(config.to_json() for config in plan.others),
    )
    vocabulary = fit_vocabulary(plan, train)
    model = Model(
        network=plan.config.network,
        others=tuple(config.network for config in plan.others),
        vocabulary=vocabulary,
        segmentation=plan.segmentation,
        members=tuple(members),
        about=about,
        cells=Cells.fit((example.lemma, example.features) for example in train),
        lexicon=Lexicon.fit(train) if plan.lexicon else None,
    )
    if dev:
        about = replace(
            about,
            vote_dev_accuracy=vote_accuracy(model, dev),
            rules_dev_accuracy=rules_accuracy(plan, train, dev),
        )
        model = replace(model, about=about)
    save_model(folder, model, history_table(histories, len(train)), model_card(model, folder.name))
    (folder / TRAINING / "plan.json").unlink()  # without it the rest is no run
    shutil.rmtree(folder / TRAINING)
    return model


def vote_accuracy(model: Model, dev: Sequence[Example]) -> float:
    """Exact match of the members' vote on dev."""
    from stepwrite.inflector import Inflector

    pairs = [(example.lemma, example.features) for example in dev]
    predictions = Inflector(model).batch(pairs, warn=False)
    split = model.segmentation.form
    right = sum(split(p.form) == split(e.form) for p, e in zip(predictions, dev, strict=True))
    return right / len(dev)


def rules_accuracy(plan: Plan, train: Sequence[Example], dev: Sequence[Example]) -> float | None:
    """Exact match of the rule baseline on dev; None where there is too much to learn from."""
    from stepwrite.evaluation.rules import RuleBaseline

    if len(train) > MOST_FOR_RULES:
        return None
    return RuleBaseline.fit(train, plan.segmentation).accuracy(dev)
