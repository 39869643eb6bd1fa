"""The runs of an experiment: their plans, their folders, and what is left to train.

The folder of a model, RUNS/EXPERIMENT/DATASET/MODEL-PRESET, is what `stepwrite train` would
write for the dataset. An existing one is reused if it was trained on the same data with the same
settings and seeds; otherwise it is an error, and nothing is changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from stepwrite.data.examples import Example, open_examples
from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import StepwriteError
from stepwrite.experiments.definition import DataFile, Dataset, Experiment, check_file
from stepwrite.files import is_temporary, remove_folder, sweep
from stepwrite.model.directory import CONFIG, TRAINING, data_checksum, load_model
from stepwrite.training import folder as training
from stepwrite.training.config import LEFT_OPEN, TrainingConfig, preset
from stepwrite.training.folder import Plan
from stepwrite.training.workers import Unit, unfinished


@dataclass(frozen=True)
class Choice:
    """Which part of an experiment to run, and where its files are."""

    data: Path
    runs: Path
    results: Path
    datasets: tuple[str, ...]
    models: tuple[str, ...]
    preset: str
    members: int


@dataclass(frozen=True)
class Run:
    """One model on one dataset.

    n_train: the number of rows of its training set.
    """

    experiment: str
    dataset: Dataset
    model: str
    preset: str
    folder: Path
    score_file: Path
    data: Path
    plan: Plan
    n_train: int

    @property
    def title(self) -> str:
        return f"{self.dataset.name} {self.model}"

    def rows(self, part: str) -> list[Example]:
        """The examples of train, dev or test."""
        return read_rows(self.data, getattr(self.dataset, part))[0]


def plan_runs(experiment: Experiment, choice: Choice) -> list[Run]:
    """The runs in the experiment's order; checks all files and folders and changes none.

    If a folder already has more members than requested, all of them are used.
    """
    datasets = [d for d in experiment.datasets if d.name in choice.datasets and d.files]
    wrong = [check_file(choice.data, file) for dataset in datasets for file in dataset.files]
    if problems := [problem for problem in wrong if problem]:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise StepwriteError(f"{problems[0]}{more}")
    return [
        plan_run(experiment, choice, dataset, model)
        for dataset in datasets
        for model in choice.models
    ]


def plan_run(experiment: Experiment, choice: Choice, dataset: Dataset, model: str) -> Run:
    train_file, dev_file, _ = dataset.files
    train, segmentation = read_rows(choice.data, train_file)
    dev, _ = read_rows(choice.data, dev_file)
    settings = experiment.settings(dataset.name, model, choice.preset)
    config = preset(choice.preset, len(train), **{"kind": model, **settings})
    plan = Plan(
        config=config,
        segmentation=segmentation,
        members=choice.members,
        seed=experiment.seed,
        train=train_file.path,
        dev=dev_file.path,
    )
    path = Path(experiment.name, dataset.name, f"{model}-{choice.preset}")
    folder = choice.runs / path
    if found := recorded(folder):
        # What is not prescribed: members are trained like those there are.
        left_open = [name for name in LEFT_OPEN if getattr(config, name) is None]
        plan = replace(
            plan, config=replace(config, **{name: found.facts[name] for name in left_open})
        )
        differences = differing(found.facts, facts(plan, train, dev))
        if differences:
            raise StepwriteError(
                f"{folder} belongs to another run: {'; '.join(differences)}; "
                "move it away or choose another --runs"
            )
        plan = replace(plan, members=max(plan.members, found.members))
    return Run(
        experiment=experiment.name,
        dataset=dataset,
        model=model,
        preset=choice.preset,
        folder=folder,
        score_file=choice.results / path.with_name(f"{path.name}.json"),
        data=choice.data,
        plan=plan,
        n_train=len(train),
    )


def read_rows(data: Path, file: DataFile) -> tuple[list[Example], Segmentation]:
    """The examples of a file, and how its words are split into symbols."""
    source = open_examples(data / file.path, needs_form=True)
    return list(source), Segmentation(form_spaced=source.layout.form_spaced)


@dataclass(frozen=True)
class Recorded:
    """What a folder says it contains."""

    members: int
    facts: Mapping[str, Any]


def recorded(folder: Path) -> Recorded | None:
    """The run or the model in a folder; None if there is neither."""
    if under_way(folder):
        plan = training.read_plan(folder)
        rows = (training.read_examples(folder, plan, name) for name in ("train.tsv", "dev.tsv"))
        return Recorded(plan.members, facts(plan, *rows))
    if (folder / CONFIG).exists():
        about = load_model(folder).about
        seeds = [member.seed for member in about.members]
        return Recorded(
            len(seeds),
            {
                "seed": seeds[0],
                **{f"{part} rows": entry.sha256 for part, entry in about.data.items()},
                # A setting newer than the model has its default value.
                **TrainingConfig.from_json(about.training).settings(),
            },
        )
    if folder.exists() and not all(
        path.name == TRAINING or is_temporary(path) for path in folder.iterdir()
    ):
        raise StepwriteError(f"{folder} exists and is not a model; choose another --runs")
    return None


def facts(plan: Plan, train: Sequence[Example], dev: Sequence[Example]) -> dict[str, Any]:
    """Everything that determines the weights of the members."""
    return {
        "seed": plan.seed,
        "train rows": data_checksum(train),
        "dev rows": data_checksum(dev),
        **plan.config.settings(),
    }


def differing(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """
    >>> differing({"seed": 1, "rate": 0.1}, {"seed": 2, "rate": 0.1})
    ['seed is 1, expected 2']
    """
    return [
        f"{key} is {found.get(key)}, expected {wanted.get(key)}"
        for key in sorted({*found, *wanted})
        if found.get(key) != wanted.get(key)
    ]


def under_way(folder: Path) -> bool:
    return training.plan_path(folder).exists()


def open_run(run: Run) -> list[Unit]:
    """Prepare the run folder for training; return the members left to train."""
    folder, plan = run.folder, run.plan
    sweep(folder)
    if under_way(folder):
        sweep(folder / TRAINING)
        plan = training.read_plan(folder)
        if plan.members < run.plan.members:
            plan = replace(plan, members=run.plan.members)
            training.write_plan(training.plan_path(folder), plan)
        return unfinished(folder, plan)
    if (folder / TRAINING).exists():  # without a plan, as versions before 0.3 left it
        remove_folder(folder / TRAINING)
    if not (folder / CONFIG).exists():
        training.lay_down(folder, plan, run.rows("train"), run.rows("dev"))
    else:
        if len(load_model(folder).members) >= plan.members:
            return []
        training.reopen(folder, plan, run.rows("train"), run.rows("dev"))
    return unfinished(folder, plan)


def members_left(run: Run) -> int:
    """How many members are left to train, whether the run has been started or not."""
    if under_way(run.folder):
        return len(unfinished(run.folder, run.plan))
    found = recorded(run.folder)
    return run.plan.members - (found.members if found else 0)
