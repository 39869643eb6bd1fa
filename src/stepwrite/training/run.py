"""A training run: a folder with its plan and data, members in processes of their own, a model.

While a run is under way the model directory holds a folder `training`:

    plan.json, train.tsv, dev.tsv      all that the members need, whatever becomes of the originals
    member-1.safetensors ...           checkpoints, replaced after each epoch

When all members have ended they become the model, and the folder goes. Until then
`resume` goes on where they were. Nothing here imports torch: the members do, in their processes.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import queue
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stepwrite.data import LAYOUTS, Example, open_examples, write_examples
from stepwrite.errors import StepwriteError
from stepwrite.files import write_whole
from stepwrite.model import (
    CONFIG,
    TRAINING,
    Model,
    data_checksum,
    member_file,
    resume_command,
    save_model,
)
from stepwrite.symbols import Segmentation
from stepwrite.tensors import load_tensors
from stepwrite.training.config import TrainingConfig
from stepwrite.vocabulary import Vocabulary

if TYPE_CHECKING:
    from stepwrite.training.member import Task

SAMPLE = 300  # training words whose accuracy is recorded beside dev's
LAYOUT = LAYOUTS["sigmorphon2016"]  # of the run's own copies of the data


@dataclass(frozen=True)
class Plan:
    """All that decides what a run will do, but for the data themselves.

    train, dev: what the user called the files; `dev` is empty where there was none.
    """

    config: TrainingConfig
    segmentation: Segmentation
    members: int
    seed: int
    train: str
    dev: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Plan:
        config = TrainingConfig.from_json(data["config"])
        return cls(
            **{**data, "config": config, "segmentation": Segmentation(**data["segmentation"])}
        )


@dataclass(frozen=True)
class Update:
    """News from a member; `accuracy` and `loss` are of the last epoch that ended."""

    member: int
    epoch: int
    share: float
    loss: float | None = None
    accuracy: float | None = None
    best_accuracy: float | None = None
    best_epoch: int = 0
    examples_per_second: float = 0.0
    epoch_seconds: float = 0.0
    ended: bool = False


def create(folder: Path, plan: Plan, train: Sequence[Example], dev: Sequence[Example]) -> None:
    """Lay down a new run; nothing that is there already is touched."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        resume = f"go on with: {resume_command(folder)}"
        hint = resume if (folder / TRAINING).exists() else "choose another --out"
        raise StepwriteError(f"{folder} exists; {hint}")
    run = folder / TRAINING
    try:
        run.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StepwriteError(f"{run}: can't be made: {error.strerror}") from None
    for name, examples in (("train.tsv", train), ("dev.tsv", dev)):
        with write_whole(run / name) as file:
            write_examples(file, examples, LAYOUT)
    with write_whole(run / "plan.json") as file:
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


def prepare(folder: Path, seed: int) -> Task:
    """Align the training data, derive the oracles, number symbols and features.

    The seed is the aligner's, too: members that learnt from alignments of their own make
    mistakes of their own, which is what a vote lives on.
    """
    from stepwrite.alignment import ChineseRestaurantAligner
    from stepwrite.training.batches import sequences
    from stepwrite.training.member import Task, Word

    plan = read_plan(folder)
    split = plan.segmentation

    def words(examples: Sequence[Example]) -> list[Word]:
        return [
            (split.lemma(lemma), features, split.form(form)) for lemma, features, form in examples
        ]

    examples = read_examples(folder, "train.tsv")
    train = words(examples)
    alignments = ChineseRestaurantAligner(seed=seed).align([(word[0], word[2]) for word in train])
    vocabulary = fit_vocabulary(plan, examples)
    return Task(
        config=plan.config,
        vocabulary=vocabulary,
        examples=[
            sequences(alignment, features, vocabulary)
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
        copy=plan.config.copy != "never",
    )


def checkpoint_path(folder: Path, member: int) -> Path:
    return folder / TRAINING / member_file(member)


def train_members(folder: Path, jobs: int) -> Iterator[Update]:
    """Train all members, `jobs` at a time, each in a process with one thread; yield their news.

    Leaving the iterator early stops the processes; what their checkpoints hold stays.
    """
    plan = read_plan(folder)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # for the processes, which read it when they start
    context = multiprocessing.get_context("spawn")
    news: multiprocessing.Queue[Update] = context.Queue()
    waiting = list(range(1, plan.members + 1))
    running: dict[int, SpawnProcess] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                member = waiting.pop(0)
                arguments = (folder, member, plan.seed + member - 1, news, os.getpid())
                process = context.Process(target=_work, args=arguments, daemon=True)
                process.start()
                running[member] = process
            try:
                update = news.get(timeout=0.5)
            except queue.Empty:
                for member, process in running.items():
                    if process.exitcode not in (None, 0):
                        raise StepwriteError(
                            f"member {member} stopped with exit code {process.exitcode}; "
                            f"go on with: {resume_command(folder)}"
                        ) from None
                continue
            if update.ended:
                running.pop(update.member).join()
            yield update
    finally:
        for process in running.values():
            process.terminate()
        for process in running.values():
            process.join()


def _work(
    folder: Path, member: int, seed: int, news: multiprocessing.Queue[Update], parent: int
) -> None:
    """A member's process."""
    import signal

    import torch

    from stepwrite.training.member import Epoch, Progress, train_member

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    torch.set_num_threads(1)
    task = prepare(folder, seed)

    def on_batch(epoch: int, share: float) -> None:
        if os.getppid() != parent:
            os._exit(1)  # nobody is left to report to
        news.put(Update(member, epoch, share))

    def on_epoch(epoch: Epoch, progress: Progress) -> None:
        news.put(update_of(epoch, progress))

    def update_of(epoch: Epoch, progress: Progress, *, ended: bool = False) -> Update:
        return Update(
            member=member,
            epoch=epoch.epoch,
            share=1.0,
            loss=epoch.loss,
            accuracy=epoch.accuracy,
            best_accuracy=progress.best_accuracy,
            best_epoch=progress.best_epoch,
            examples_per_second=len(task.examples) / epoch.seconds,
            epoch_seconds=epoch.seconds,
            ended=ended,
        )

    progress = train_member(task, seed, checkpoint_path(folder, member), on_epoch, on_batch)
    news.put(update_of(progress.history[-1], progress, ended=True))


def assemble(folder: Path) -> Model:
    """Make the model of the members' best weights, measure its vote on dev, end the run."""
    from stepwrite.training.card import history_table, model_card

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
            {
                "seed": plan.seed + number - 1,
                "epochs": len(history),
                "best_epoch": best_epoch,
                "dev_accuracy": history[best_epoch - 1]["accuracy"],
                "seconds": round(sum(epoch["seconds"] for epoch in history), 1),
            }
        )
    about_data = {
        name: {"file": file, "rows": len(rows), "sha256": data_checksum(rows)}
        for name, file, rows in (("train", plan.train, train), ("dev", plan.dev, dev))
        if rows
    }
    about: dict[str, Any] = {
        "data": about_data,
        "training": plan.config.to_json(),
        "members": summaries,
        "vote_dev_accuracy": None,
    }
    vocabulary = fit_vocabulary(plan, train)
    model = Model(plan.config.network, vocabulary, plan.segmentation, tuple(members), about)
    if dev:
        about["vote_dev_accuracy"] = vote_accuracy(model, dev)
    save_model(folder, model, history_table(histories, len(train)), model_card(model, folder.name))
    shutil.rmtree(folder / TRAINING)
    return model


def vote_accuracy(model: Model, dev: Sequence[Example]) -> float:
    """Exact match of the members' vote on dev."""
    from stepwrite.inflector import Inflector

    predictions = Inflector(model).batch((example.lemma, example.features) for example in dev)
    split = model.segmentation.form
    right = sum(split(p.form) == split(e.form) for p, e in zip(predictions, dev, strict=True))
    return right / len(dev)
