"""Measures stepwrite and its counterpart on `torch.nn.LSTM`; prints one JSON object.

Each call is one run in a separate process, so that runs do not influence each other.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from stepwrite import Example, read
from stepwrite.data.segmentation import Segmentation
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.training.config import TrainingConfig

LENGTHS = (10, 30, 100, 300, 1000)


def main() -> None:
    tasks: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
        "training": training,
        "members": members,
        "model": model,
        "decoding": decoding,
        "lengths": lengths,
        "aligner": aligner,
        "evaluation": evaluation,
    }
    parser = argparse.ArgumentParser()
    parser.add_argument("task", choices=tasks)
    parser.add_argument("--train", type=Path, required=True)
    parser.add_argument("--words", type=Path, help="lemma, features, form to decode")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--network", choices=("stepwrite", "torch"), default="stepwrite")
    parser.add_argument("--embedding", type=int, default=100)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--steps", type=int, default=256)
    parser.add_argument("--examples", type=int, help="number of training examples; all by default")
    parser.add_argument("--members", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=1)
    arguments = parser.parse_args()
    print(json.dumps(tasks[arguments.task](arguments)))


def configuration(arguments: argparse.Namespace) -> TrainingConfig:
    """The sizes of all contenders; no copy action, because the others have none."""
    network = NetworkConfig("lstm", 2, 100, arguments.embedding, 20)
    return TrainingConfig(
        preset="benchmark",
        network=network,
        batch=16,
        epochs=arguments.epochs,
        dropout=arguments.dropout,
        masking=0.0,
        copy="never",
    )


def training(arguments: argparse.Namespace) -> dict[str, Any]:
    """Examples/s of the real training loop, including batching and optimiser."""
    import numpy as np
    import torch

    from benchmarks.torch_baseline import TorchHardAttention, check_same
    from stepwrite.training.batches import collate
    from stepwrite.training.hard import RECIPE, HardAttention
    from stepwrite.training.loop import Task, flatten, make_optimiser, run_epoch
    from stepwrite.training.workers import keep_memory

    torch.set_num_threads(1)
    keep_memory()  # for both networks
    torch.manual_seed(0)
    config = configuration(arguments)
    task = prepare(read(arguments.train), config)
    check_same(config.network, task.vocabulary, collate(task.examples[:16], task.vocabulary))
    order = np.random.default_rng(0).permutation(len(task.examples))
    kind: Any = HardAttention if arguments.network == "stepwrite" else TorchHardAttention
    network = kind(config.network, task.vocabulary, config.dropout)
    flatten(network)
    optimiser = make_optimiser(config, network, torch.empty(0), {})

    def run(n_steps: int, epoch: int) -> float:
        """Seconds per example."""
        chosen = [task.examples[k] for k in order[: n_steps * config.batch]]
        part = Task(config, task.vocabulary, chosen, ())
        start = time.perf_counter()
        run_epoch(part, RECIPE, network, optimiser, 0, epoch, lambda *news: None)
        return (time.perf_counter() - start) / len(chosen)

    run(10, epoch=1)
    return {"examples/s": 1 / run(arguments.steps, epoch=1)}


def prepare(examples: Sequence[Example], config: TrainingConfig) -> Any:
    """Align and encode the examples, as the process of a member does before training."""
    from stepwrite.training import folder as run

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"
        run.create(folder, run.Plan(config, Segmentation(), 1, 0, "train", ""), examples, ())
        return run.prepare(folder, member=1)


def members(arguments: argparse.Namespace) -> dict[str, Any]:
    """Examples/s of one or several members in parallel, from the start of their processes.

    Alignment and start-up take a large part of such a short run; longer runs can only do better.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"
        examples = read(arguments.train)[: arguments.examples]
        seconds = train(folder, arguments, examples)
    done = arguments.members * arguments.epochs * len(examples)
    return {"examples/s": done / seconds}


def train(folder: Path, arguments: argparse.Namespace, examples: Sequence[Example]) -> float:
    """Train all members in parallel; return the seconds it took."""
    from stepwrite.training import folder as run
    from stepwrite.training import workers as units

    plan = run.Plan(
        configuration(arguments), Segmentation(), arguments.members, 1, arguments.train.name, ""
    )
    run.create(folder, plan, examples, ())
    start = time.perf_counter()
    for _ in units.train_members(folder, plan, jobs=arguments.members):
        pass
    return time.perf_counter() - start


def model(arguments: argparse.Namespace) -> dict[str, Any]:
    """Train the model used by the other measurements."""
    from stepwrite.training.assembly import assemble

    train(arguments.model, arguments, read(arguments.train)[: arguments.examples])
    assemble(arguments.model)
    return {}


def decoding(arguments: argparse.Namespace) -> dict[str, Any]:
    """Words/s in a batch and milliseconds for one word, strings in, strings out."""
    from stepwrite import load

    inflector = load(arguments.model)
    examples = read(arguments.words)
    pairs = [(example.lemma, example.features) for example in examples]
    predictions = inflector.batch(pairs)
    seconds = [seconds_of(partial(inflector.batch, pairs)) for _ in range(3)]
    some = pairs[:: max(1, len(pairs) // 200)]
    single = [seconds_of(partial(inflector, *pair)) for pair in some]
    n_written = sum(len(prediction.form) for prediction in predictions)
    return {
        "words/s": len(pairs) / statistics.median(seconds),
        "ms a word": 1000 * statistics.median(single),
        # As many symbols as the gold forms: nothing is gained by stopping early.
        "written / true symbols": n_written / sum(len(example.form) for example in examples),
    }


def lengths(arguments: argparse.Namespace) -> dict[str, Any]:
    """Milliseconds to decode one word of each length, by a network forced to copy it."""
    from stepwrite.inference.beam import beam
    from stepwrite.inference.hard import HardNetwork
    from stepwrite.inference.lstm import Floats
    from stepwrite.inference.network import Encoded, State
    from stepwrite.inference.search import greedy
    from stepwrite.model.directory import load_model
    from stepwrite.transducer.vocabulary import END, STEP

    class Copying(HardNetwork):
        """Does all the work of the network, then takes the next action that copies the lemma."""

        def greedy_alone(self, *word: object) -> None:
            """It would not call `scores`."""

        def scores(self, encoded: Encoded, state: State) -> tuple[State, Floats]:
            state, scores = super().scores(encoded, state)
            position, length = state.positions[0], encoded.lengths[0]
            attended = encoded.lemmas[position, 0]
            stepped = state.previous[0] == STEP
            action = END if position == length - 1 else attended if stepped else STEP
            scores[0, action] = scores[0].max() + 1
            return state, scores

    loaded = load_model(arguments.model)
    vocabulary = loaded.vocabulary
    network = Copying(loaded.members[0], loaded.network, vocabulary)
    letters = [vocabulary.symbol_id(symbol) for symbol in vocabulary.form_symbols]
    features = vocabulary.feature_rows(read(arguments.words)[0].features)
    found = {}
    for length in LENGTHS:
        word = (letters * length)[:length]
        lemma = [vocabulary.begin, *word, END]
        [hypothesis] = greedy(network, [lemma], [features])
        written = [b for a, b in pairwise(hypothesis.actions) if a == STEP and b != END]
        if written != word:
            raise RuntimeError(f"a word of {length} symbols was not copied")
        decode = partial(greedy, network, [lemma], [features])
        times = [seconds_of(decode) for _ in range(9)]
        found[f"ms for {length} symbols"] = 1000 * statistics.median(times)
    weights = loaded.members[0]
    bias = weights["output_bias"].copy()
    bias[END] = -1000  # each word is searched to its limit, which is linear in its length
    endless = HardNetwork({**weights, "output_bias": bias}, loaded.network, vocabulary)
    for length in (100, 1000):
        lemma = [vocabulary.begin, *(letters * length)[:length], END]
        times = [seconds_of(partial(beam, endless, [lemma], [features], 3)) for _ in range(3)]
        found[f"ms for {length} symbols, beam 3"] = 1000 * statistics.median(times)
    return found


def aligner(arguments: argparse.Namespace) -> dict[str, Any]:
    """Pairs/s of ten sweeps over the whole training set, with compiled code loaded."""
    from stepwrite import align

    examples = read(arguments.train)
    align(examples[:100])
    return {"pairs/s": len(examples) / seconds_of(partial(align, examples))}


def evaluation(arguments: argparse.Namespace) -> dict[str, Any]:
    """Rows/s of encoding features, and milliseconds per test that compares two systems."""
    import numpy as np

    from stepwrite.data.features import FeatureSlots
    from stepwrite.evaluation.significance import mcnemar

    bundles = [f"V;PRS;NOM({n % 4},SG);ACC({n % 3},PL);LGSPEC{n % 50};POS" for n in range(100_000)]
    slots = FeatureSlots.fit(bundles)
    right = np.arange(20_000) < 10_200
    return {
        "rows/s": len(bundles) / seconds_of(lambda: [slots.encode(bundle) for bundle in bundles]),
        "ms per test": 1000 * seconds_of(partial(mcnemar, right, ~right)),
    }


def seconds_of(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
