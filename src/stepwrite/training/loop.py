"""Training one member: epochs, the best on dev, and checkpoints between them.

A member is the unit of work. Its randomness comes from its seed and the epoch's number alone,
and its checkpoint holds all that training needs to continue, so that a run that was killed
and resumed ends with the very same weights as one that was not, on processors of one kind.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from stepwrite.data.segmentation import Symbols
from stepwrite.errors import StepwriteError
from stepwrite.inference.search import greedy
from stepwrite.kinds import kind_of
from stepwrite.training import checkpoint as files
from stepwrite.training.backbone import Trainable, format_names
from stepwrite.training.checkpoint import Checkpoint
from stepwrite.training.config import TrainingConfig
from stepwrite.training.kernels.optimisers import Adadelta, Adam, OnePass
from stepwrite.training.kernels.precision import set_precision
from stepwrite.training.recipe import Pass, Recipe
from stepwrite.transducer.vocabulary import Vocabulary

WARM_UP = 100  # updates over which Adam's rate rises
BETWEEN_CHECKPOINTS = 2.0
"""Seconds at least. Epochs over a hundred words take less, and are trained again sooner than
they are written down."""

CHECKPOINT_COST = 0.02  # of the time of training, at most

Word = tuple[Symbols, str, Symbols]  # lemma, features, form


@dataclass(frozen=True)
class Task:
    """What all members of a model share.

    dev: (lemma, features, form) to choose the best epoch on; may be empty, then it is the last.
    sample: some of the training words, to see how far it is from what it learnt to what is new.
    """

    config: TrainingConfig
    vocabulary: Vocabulary
    examples: Sequence[Any]
    dev: Sequence[Word]
    sample: Sequence[Word] = ()


@dataclass(frozen=True)
class Epoch:
    """One line of a member's history.

    accuracy, train_accuracy: on dev and on the sample of train; None where not looked at.
    """

    epoch: int
    loss: float
    accuracy: float | None
    seconds: float
    train_accuracy: float | None = None


@dataclass
class Progress:
    """A member between two epochs: all that a checkpoint holds.

    weights, average: all parameters in one row; average is empty where none is kept.
    optimiser: its state, by the quantities' names.
    best: the kept weights of the best epoch, by the parameters' names.
    stopped: why training ended before its last epoch; empty if it did not.
    """

    weights: Tensor
    optimiser: dict[str, Tensor]
    average: Tensor
    best: dict[str, Tensor]
    history: list[Epoch] = field(default_factory=list)
    best_epoch: int = 0
    stopped: str = ""

    @property
    def best_accuracy(self) -> float | None:
        return self.history[self.best_epoch - 1].accuracy if self.best_epoch else None


class Diverged(StepwriteError):
    """The weights or the loss of an epoch are no longer numbers.

    best_epoch: of the epochs before it; 0 if there is none.
    """

    def __init__(self, problem: str, best_epoch: int) -> None:
        super().__init__(problem)
        self.best_epoch = best_epoch


Report = Callable[[int, float], None]
"""Called now and then with (epoch under way, share of it done)."""


def train_member(
    task: Task,
    seed: int,
    checkpoint: Path,
    on_epoch: Callable[[Epoch, Progress], None] = lambda epoch, progress: None,
    on_batch: Report = lambda epoch, share: None,
) -> Progress:
    """Train from the checkpoint if there is one, else from the start, to the last epoch.

    If an epoch diverges, the best one before it is kept, and training does not go on.
    """
    config = task.config
    torch.manual_seed(seed)
    recipe: Recipe = kind_of(config.network.kind).load_recipe()
    network = recipe.network(config, task.vocabulary)
    weights = flatten(network)
    if checkpoint.exists():
        progress = restore(checkpoint, weights)
    else:
        average = weights.clone() if config.average else torch.empty(0)
        progress = Progress(weights, {}, average, {})
    optimiser = make_optimiser(config, network, progress.average, progress.optimiser)
    progress.optimiser = optimiser.state
    next_checkpoint = 0.0
    while not progress.stopped and not config.ends_after(
        len(progress.history), progress.best_epoch
    ):
        number = len(progress.history) + 1
        start = time.perf_counter()
        loss = run_epoch(task, recipe, network, optimiser, seed, number, on_batch)
        if not (math.isfinite(loss) and bool(weights.isfinite().all())):
            problem = f"training diverged in epoch {number} (loss {loss:g})"
            if progress.best_epoch:
                # What diverged is of no use to anyone.
                sound = replace(progress, weights=torch.zeros_like(weights), optimiser={})
                save_checkpoint(checkpoint, replace(sound, stopped=problem))
            raise Diverged(problem, progress.best_epoch)
        kept = named(network, progress.average if config.average else weights)
        accuracy = train_accuracy = None
        if number % dev_interval(task) == 0 or number == config.epochs:
            accuracy = exact_match(task, kept, task.dev)
            train_accuracy = exact_match(task, kept, task.sample)
        seconds = time.perf_counter() - start
        progress.history.append(Epoch(number, loss, accuracy, seconds, train_accuracy))
        # Of equal epochs the later one: it has seen more.
        if not task.dev or (accuracy is not None and accuracy >= (progress.best_accuracy or 0)):
            progress.best_epoch, progress.best = number, {k: t.clone() for k, t in kept.items()}
        ended = config.ends_after(number, progress.best_epoch)
        if ended or time.perf_counter() >= next_checkpoint:
            start = time.perf_counter()
            save_checkpoint(checkpoint, progress)
            now = time.perf_counter()
            next_checkpoint = now + max(BETWEEN_CHECKPOINTS, (now - start) / CHECKPOINT_COST)
        on_epoch(progress.history[-1], progress)
    return progress


def dev_interval(task: Task) -> int:
    """Epochs between two evaluations on dev: several if dev is larger than train."""
    return max(1, -(-len(task.dev) // len(task.examples)))


def run_epoch(
    task: Task,
    recipe: Recipe,
    network: Trainable,
    optimiser: OnePass,
    seed: int,
    epoch: int,
    on_batch: Report,
) -> float:
    """One pass over the examples; returns the mean loss per batch."""
    config = task.config
    set_precision(config.precision)
    network.train()
    network.backbone.random = np.random.default_rng([seed, epoch, 1])
    random = np.random.default_rng([seed, epoch, 0])
    n_batches = -(-len(task.examples) // config.batch)
    total = torch.zeros(())

    def current() -> dict[str, Any]:
        return {name: array.detach().numpy() for name, array in format_names(network).items()}

    this = Pass(config, task.vocabulary, task.examples, epoch, random, current)
    for k, batch in enumerate(recipe.batches(this)):
        done = (epoch - 1) * n_batches + k
        rate = config.rate
        if config.optimiser == "adam":
            rate *= (1 - done / (n_batches * config.epochs)) * min(1.0, (done + 1) / WARM_UP)
        loss = network.loss(batch)
        loss.backward()  # type: ignore[no-untyped-call]
        # Early on the average is over what there is, not over the random start.
        optimiser.step(rate, config.clip, min(config.average, (1 + done) / (10 + done)))
        total += loss.detach()
        if k % 20 == 0:
            on_batch(epoch, k / n_batches)
    network.eval()
    return float(total) / n_batches


def exact_match(task: Task, weights: dict[str, Tensor], words: Sequence[Word]) -> float | None:
    """The share of words whose form is right, by the decoder that inference uses."""
    if not words:
        return None
    arrays = {name: tensor.detach().numpy() for name, tensor in weights.items()}
    network = kind_of(task.config.network.kind).network(
        arrays, task.config.network, task.vocabulary
    )
    vocabulary = task.vocabulary
    hypotheses = greedy(
        network,
        [vocabulary.lemma_ids(lemma) for lemma, _, _ in words],
        [vocabulary.feature_rows(features) for _, features, _ in words],
    )
    n_right = 0
    for (lemma, _, form), hypothesis in zip(words, hypotheses, strict=True):
        written = vocabulary.written(lemma, hypothesis.actions, hypothesis.positions)
        n_right += tuple(written) == form
    return n_right / len(words)


def flatten(network: nn.Module) -> Tensor:
    """Move all parameters into one row, and return it."""
    row = nn.utils.parameters_to_vector(format_names(network).values()).detach()
    for name, part in named(network, row).items():
        format_names(network)[name].data = part
    return row


def named(network: nn.Module, weights: Tensor) -> dict[str, Tensor]:
    """The parts of such a row under the parameters' names, as views."""
    parameters = format_names(network)
    parts = torch.split(weights, [parameter.numel() for parameter in parameters.values()])
    return {
        name: part.view_as(parameter)
        for (name, parameter), part in zip(parameters.items(), parts, strict=True)
    }


def make_optimiser(
    config: TrainingConfig, network: nn.Module, average: Tensor, state: dict[str, Tensor]
) -> OnePass:
    kind = Adam if config.optimiser == "adam" else Adadelta
    return kind(format_names(network).values(), average, state)


def save_checkpoint(path: Path, progress: Progress) -> None:
    tensors = {
        "weights": progress.weights,
        "average": progress.average,
        **{f"optimiser/{name}": tensor for name, tensor in progress.optimiser.items()},
        **{f"best/{name}": tensor for name, tensor in progress.best.items()},
    }
    arrays = {name: tensor.detach().numpy() for name, tensor in tensors.items()}
    history = [vars(epoch) for epoch in progress.history]
    files.write_checkpoint(path, Checkpoint(arrays, history, progress.best_epoch, progress.stopped))


def read_checkpoint(path: Path) -> Progress:
    found = files.read_checkpoint(path)

    def tensors(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Tensor]:
        # Copied, because what is read from a file may lie where arithmetic is done differently.
        return {name: torch.from_numpy(array).clone() for name, array in arrays.items()}

    own = tensors({name: found.tensors[name] for name in ("weights", "average")})
    return Progress(
        weights=own["weights"],
        optimiser=tensors(found.part("optimiser")),
        average=own["average"],
        best=tensors(found.part("best")),
        history=[Epoch(**entry) for entry in found.history],
        best_epoch=found.best_epoch,
        stopped=found.stopped,
    )


def restore(path: Path, weights: Tensor) -> Progress:
    """What the checkpoint holds, its weights put where the network has them."""
    progress = read_checkpoint(path)
    if progress.weights.shape != weights.shape:
        raise StepwriteError(f"{path}: this checkpoint is of another network")
    weights.copy_(progress.weights)
    progress.weights = weights
    return progress
