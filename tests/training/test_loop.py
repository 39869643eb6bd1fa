"""Batches, learning, and runs that are stopped and resumed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from stepwrite.data.examples import Example
from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import StepwriteError
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.kinds import kind_of
from stepwrite.training import folder as run
from stepwrite.training import workers
from stepwrite.training.augmentation import augmented
from stepwrite.training.batches import IGNORED, collate, epoch_batches
from stepwrite.training.config import TrainingConfig, preset
from stepwrite.training.hard import HardAttention
from stepwrite.training.kernels.optimisers import Adadelta, Adam
from stepwrite.training.kernels.precision import native
from stepwrite.training.loop import Progress, Task, read_checkpoint, train_member
from stepwrite.training.sequences import step_write_sequences
from stepwrite.training.splicing import splice
from stepwrite.training.workers import Unit, train_unit
from stepwrite.transducer.actions import Copy, execute
from stepwrite.transducer.alignment import Alignment, EditDistanceAligner
from stepwrite.transducer.vocabulary import STEP, Vocabulary

STEMS = ["walk", "talk", "jump", "look", "help", "call", "work", "play", "turn", "move"]
WORDS = [
    (tuple(stem), features, tuple(stem + ending))
    for stem in STEMS
    for features, ending in (("V;PST", "ed"), ("V;PRS", "s"), ("V;PTCP", "ing"))
]
TINY = NetworkConfig(layers=1, hidden=24, embedding=16, feature_embedding=4)


def tiny_config(**changes) -> TrainingConfig:
    settings = {"network": TINY, "epochs": 80, "dropout": 0.1, "rate": 0.02, "batch": 4}
    return TrainingConfig("tiny", **(settings | changes))


def tiny_task(**changes) -> Task:
    config = tiny_config(**changes)
    pairs = [(lemma, form) for lemma, _, form in WORDS]
    vocabulary = Vocabulary.fit(pairs, [f for _, f, _ in WORDS], copy=config.copy != "never")
    alignments = EditDistanceAligner().align(pairs)
    examples = [
        step_write_sequences(alignment, features, vocabulary)
        for alignment, (_, features, _) in zip(alignments, WORDS, strict=True)
    ]
    return Task(config, vocabulary, examples, WORDS)


@pytest.mark.parametrize("copy", ["never", "unknown", "always"])
def test_learns_a_small_set_by_heart(tmp_path: Path, copy) -> None:
    task = tiny_task(copy=copy, masking=0.0 if copy == "never" else 0.05)
    progress = train_member(task, seed=1, checkpoint=tmp_path / "checkpoint")
    assert progress.best_accuracy == 1.0
    assert progress.history[0].loss > 10 * progress.history[-1].loss


def test_peephole_cell_and_two_layers_learn(tmp_path: Path) -> None:
    network = NetworkConfig(cell="peephole", layers=2, hidden=32, embedding=16, feature_embedding=4)
    task = tiny_task(network=network, rate=0.01, dropout=0.0, copy="never", masking=0.0, epochs=120)
    assert train_member(task, 1, tmp_path / "checkpoint").best_accuracy == 1.0


def test_adadelta_without_minibatches_learns(tmp_path: Path) -> None:
    plain = {"dropout": 0.0, "copy": "never", "masking": 0.0}
    task = tiny_task(optimiser="adadelta", rate=1.0, batch=1, epochs=120, **plain)
    assert train_member(task, 1, tmp_path / "checkpoint").best_accuracy == 1.0


@pytest.mark.parametrize(
    ("our", "their", "settings"),
    [
        (Adadelta, torch.optim.Adadelta, {"lr": 0.7, "rho": 0.95, "eps": 1e-6}),
        (Adam, torch.optim.Adam, {"lr": 0.02}),
    ],
)
@pytest.mark.parametrize("clip", [0.0, 5.0])
def test_optimisers_are_torchs(our, their, settings, clip) -> None:
    generator = torch.Generator().manual_seed(0)
    start = torch.randn(40, generator=generator)
    average, theirs = start.clone(), start.clone().requires_grad_()
    parts = [part.requires_grad_() for part in start.clone().split([10, 30])]
    ours, torchs = our(parts, average), their([theirs], **settings)
    expected = start.clone()
    for _ in range(20):
        gradient = torch.randn(40, generator=generator)
        theirs.grad = gradient.clone()
        if clip:
            torch.nn.utils.clip_grad_norm_(theirs, clip)
        torchs.step()
        expected.lerp_(theirs.detach(), 0.1)
        parts[0].grad, parts[1].grad = (part.clone() for part in gradient.split([10, 30]))
        ours.step(settings["lr"], clip, decay=0.9)
    row = torch.cat([part.detach() for part in parts])
    torch.testing.assert_close(row, theirs.detach(), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(average, expected, rtol=1e-5, atol=1e-6)
    assert not torch.allclose(row, start, atol=1e-3)
    assert parts[0].grad is None
    # Torch's state, but for Adadelta's count of steps: so checkpoints fit either.
    for name, tensor in ours.state.items():
        torch.testing.assert_close(tensor, torchs.state[theirs][name])


def test_parameters_without_a_gradient_are_updated_as_with_zeros() -> None:
    rows = []
    for missing in (None, torch.zeros(3)):
        weights = torch.ones(3, requires_grad=True)
        optimiser = Adam([weights])
        for gradient in (torch.ones(3), missing):
            weights.grad = gradient
            optimiser.step(0.1)
        rows.append(weights.detach())
    assert torch.equal(*rows)
    assert not torch.allclose(rows[0], torch.full((3,), 0.9), atol=0.01)


def test_only_longer_gradients_are_cut(tmp_path: Path) -> None:
    def train(clip: float) -> Progress:
        task = tiny_task(clip=clip, epochs=3, dropout=0.0, copy="never", masking=0.0)
        return train_member(task, seed=1, checkpoint=tmp_path / str(clip))

    free, long, short = (train(clip) for clip in (0.0, 1e6, 1e-12))
    assert torch.equal(free.weights, long.weights)
    assert free.history[-1].loss < free.history[0].loss - 0.1
    assert abs(short.history[-1].loss - short.history[0].loss) < 0.02


def test_an_epoch_shows_every_example_once() -> None:
    task = tiny_task(masking=0.0)
    batches = list(
        epoch_batches(
            task.examples,
            step_write_sequences,
            task.vocabulary,
            task.config,
            np.random.default_rng(0),
        )
    )
    seen = sorted(
        tuple(column[column != IGNORED].tolist())
        for batch in batches
        for column in batch.targets.T.numpy()
    )
    assert seen == sorted(tuple(example.targets.tolist()) for example in task.examples)
    assert max(batch.targets.shape[1] for batch in batches) == task.config.batch


@pytest.mark.parametrize("attention", ["hard", "soft"])
def test_splicing_gives_a_share_of_the_words_another_beginning(attention) -> None:
    task = tiny_task(masking=0.0, splicing=0.5, network=replace(TINY, kind=attention))
    vocabulary = task.vocabulary
    stems = {tuple(stem) for stem in STEMS}
    random = np.random.default_rng(0)
    recipe = kind_of(attention).load_recipe()
    found = list(augmented(task.examples * 20, recipe.example, vocabulary, task.config, random))
    new = 0
    for word, example in zip(WORDS * 20, found, strict=True):
        lemma, form = example.alignment.lemma, example.alignment.form
        ending = word[2][len(word[0]) :]
        assert form == lemma + ending
        assert example.bundle == word[1]
        assert example.lemma.tolist() == vocabulary.lemma_ids(lemma)
        if lemma not in stems:
            new += 1
            n_taken = len(lemma) - len(word[0])
            assert lemma[n_taken:] == word[0]
            assert lemma[:n_taken] in {stem[:n_taken] for stem in stems}
            assert (STEP in example.targets) == (attention == "hard")
            written = vocabulary.written(lemma, example.targets, example.positions)
            assert tuple(written) == form
    assert 0.4 < new / len(found) < 0.6


def test_splicing_leaves_what_changes_at_once() -> None:
    plain = Alignment((("a", "a"), ("b", "b")))
    prefixed = Alignment(((None, "x"), ("a", "a")))
    random = np.random.default_rng(0)
    assert splice(plain, prefixed, "abx", random) == prefixed
    assert splice(prefixed, plain, "abx", random) == plain


def test_splicing_makes_only_a_capital_small_that_can_be_written() -> None:
    first = Alignment((("A", "A"),))
    second = Alignment((("B", "B"), ("B", None)))
    random = np.random.default_rng(0)
    assert splice(first, second, "b", random).lemma == ("A", "b", "B")
    assert splice(first, second, "B", random).lemma == ("A", "B", "B")


def test_collate_reverses_each_lemma_by_its_own_length() -> None:
    task = tiny_task(masking=0.0)
    vocabulary = task.vocabulary
    alignments = [Alignment((("w", "w"),)), Alignment((("t", "t"), ("a", "a"), ("l", None)))]
    batch = collate([step_write_sequences(a, "V;PST", vocabulary) for a in alignments], vocabulary)
    for word, alignment in enumerate(alignments):
        ids = vocabulary.lemma_ids(alignment.lemma)
        assert batch.lemmas[0, : len(ids), word].tolist() == ids
        assert batch.lemmas[1, : len(ids), word].tolist() == ids[::-1]
    # Both ways the attended symbol is the same.
    onward, inward = batch.lemmas.flatten(1).gather(1, batch.attended)
    assert torch.equal(onward, inward)


def test_a_padded_batch_has_the_loss_of_its_words() -> None:
    task = tiny_task(masking=0.0)
    torch.manual_seed(0)
    network = HardAttention(TINY, task.vocabulary).eval()

    def losses(chosen) -> list[torch.Tensor]:
        batch = collate(chosen, task.vocabulary)
        each = torch.nn.functional.cross_entropy(
            network(batch), batch.targets.flatten(), ignore_index=IGNORED, reduction="none"
        )
        return list(each.view_as(batch.targets).sum(0))

    some = task.examples[:7]
    alone = [losses([example])[0] for example in some]
    torch.testing.assert_close(torch.stack(losses(some)), torch.stack(alone), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("copy_always", [False, True])
def test_masked_symbols_are_copied_and_the_form_stays(copy_always: bool) -> None:
    """Executing the targets on the lemma writes the form, however much of it is masked."""
    task = tiny_task()
    generator = np.random.default_rng(3)
    longest = max(len(example.lemma) for example in task.examples)
    masked = generator.random((longest, len(task.examples))) < 0.5
    batch = collate(task.examples, task.vocabulary, masked, copy_always=copy_always)
    n_copies = 0
    for word, (lemma, _, form) in enumerate(WORDS):
        targets = batch.targets[:, word]
        actions = [task.vocabulary.actions()[int(k)] for k in targets[targets != IGNORED]]
        assert execute(lemma, actions).form == form
        for position in range(1, len(lemma) + 1):
            is_unknown = int(batch.lemmas[0, position, word]) == task.vocabulary.unknown
            assert is_unknown == masked[position, word]
        n_copies += actions.count(Copy())
        n_stem = len(lemma)
        expected = n_stem if copy_always else int(masked[1 : n_stem + 1, word].sum())
        assert actions.count(Copy()) >= expected - (lemma[-1] == "e")
    assert n_copies > 50
    assert (batch.previous == task.vocabulary.unknown).any()


class Killed(Exception):
    pass


@pytest.mark.parametrize("settings", [{}, {"average": 0.9}, {"optimiser": "adadelta", "rate": 1.0}])
def test_resumed_training_ends_with_the_same_bits(tmp_path: Path, settings) -> None:
    task = tiny_task(epochs=6, **settings)
    whole = train_member(task, 5, tmp_path / "whole")

    def kill(epoch, progress: Progress) -> None:
        if epoch.epoch in (1, 3, 4):
            raise Killed

    for _ in range(3):
        with pytest.raises(Killed):
            train_member(task, 5, tmp_path / "pieces", on_epoch=kill)
    pieces = train_member(task, 5, tmp_path / "pieces")
    assert len(pieces.history) == 6
    assert torch.equal(pieces.weights, whole.weights)
    assert torch.equal(pieces.average, whole.average)
    for ours, theirs in ((pieces.best, whole.best), (pieces.optimiser, whole.optimiser)):
        assert ours.keys() == theirs.keys()
        assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    other = train_member(task, 6, tmp_path / "other")
    assert not torch.equal(other.weights, whole.weights)


def test_best_epoch_is_kept_and_patience_stops(tmp_path: Path) -> None:
    task = tiny_task(epochs=60, patience=3)
    progress = train_member(task, 1, tmp_path / "checkpoint")
    accuracies = [epoch.accuracy or 0.0 for epoch in progress.history]
    assert progress.best_accuracy == max(accuracies)
    best = max(k for k, value in enumerate(accuracies, 1) if value == max(accuracies))
    assert progress.best_epoch == best
    assert len(progress.history) in (60, best + 3)


def test_patience_waits_for_the_first_look_at_dev(tmp_path: Path) -> None:
    """With a dev set five times as large as train, dev is looked at every fifth epoch."""
    task = tiny_task(epochs=6, patience=1)
    small = Task(task.config, task.vocabulary, task.examples[:6], task.dev)
    progress = train_member(small, 1, tmp_path / "checkpoint")
    assert [epoch.accuracy is None for epoch in progress.history] == [True] * 4 + [False, False]
    assert progress.best


def test_train_accuracy_is_of_the_sample(tmp_path: Path) -> None:
    task = tiny_task(epochs=2)
    wrong = [(lemma, features, ("?",)) for lemma, features, _ in WORDS]
    for sample, expected in ((wrong, 0.0), (WORDS, "dev"), ((), None)):
        sampled = replace(task, sample=sample)
        [*_, last] = train_member(sampled, 1, tmp_path / str(expected)).history
        assert last.train_accuracy == (last.accuracy if expected == "dev" else expected)


def test_without_dev_the_last_epoch_is_kept(tmp_path: Path) -> None:
    task = tiny_task(epochs=3)
    progress = train_member(
        Task(task.config, task.vocabulary, task.examples, []), 1, tmp_path / "c"
    )
    assert progress.best_epoch == 3
    best = torch.cat([tensor.flatten() for tensor in progress.best.values()])
    assert torch.equal(best, progress.weights)


def test_presets() -> None:
    celex, sigmorphon, large = (preset("paper", n) for n in (2_000, 12_000, 80_000))
    assert (celex.network.embedding, celex.epochs, celex.batch) == (100, 100, 1)
    assert (sigmorphon.network.embedding, sigmorphon.epochs) == (300, 100)
    assert large.epochs == 20
    assert preset("paper", 250_000).epochs == 5
    assert (celex.network.cell, celex.optimiser, celex.dropout) == ("peephole", "adadelta", 0.0)
    assert preset("default", 5_000, hidden=50, epochs=2).network.hidden == 50
    assert TrainingConfig.from_json(celex.to_json()) == celex
    epochs = [preset("default", n).epochs for n in (1, 500, 2_000, 6_012, 12_490, 80_460)]
    assert epochs == [240, 240, 50, 49, 24, 8]
    assert preset("default", 5_000, copy="never").masking == 0
    assert preset("default", 5_000, copy="always").masking > 0
    with pytest.raises(StepwriteError, match="dropout"):
        preset("default", 100, dropout=1.5)
    with pytest.raises(StepwriteError, match="precision is half, expected single or bfloat16"):
        preset("default", 100, precision="half")


@pytest.mark.parametrize("chosen", [None, "single", "bfloat16"])
def test_a_plan_decides_on_a_precision(tmp_path: Path, chosen) -> None:
    """Whatever processor reads it; a plan that is older than the setting can still be read."""
    plan = run.Plan(tiny_config(precision=chosen), Segmentation(), 1, 1, "train.tsv", "")
    run.create(tmp_path / "model", plan, [Example("a", "", "b")], [])
    path = tmp_path / "model" / "training" / "plan.json"
    written = json.loads(path.read_text("utf-8"))
    assert written["config"]["precision"] == (chosen or native())
    del written["config"]["precision"], written["checksum"], written["rows"]
    path.write_text(json.dumps(written), "utf-8")
    without = replace(plan.config, precision=None, harmony=False)
    assert run.read_plan(tmp_path / "model").config == without
    with pytest.raises(StepwriteError, match="unknown preset 'foo': use default or paper"):
        preset("foo", 100)


def test_create_refuses_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("mine")
    plan = run.Plan(tiny_config(), Segmentation(), 1, 1, "train.tsv", "")
    with pytest.raises(StepwriteError, match="exists; choose another --out"):
        run.create(tmp_path, plan, [Example("a", "", "b")], [])
    with pytest.raises(StepwriteError, match="no training to resume"):
        run.read_plan(tmp_path)


# Whole runs, as a user starts and stops them.


@pytest.fixture
def train_file(tmp_path: Path) -> Path:
    path = tmp_path / "train.tsv"
    rows = ["\t".join(("".join(lemma), "".join(form), f)) for lemma, f, form in WORDS]
    path.write_text("\n".join(rows) + "\n")
    return path


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "stepwrite", *map(str, arguments)]


def training(train_file: Path, out: Path, epochs: int) -> list[str]:
    sizes = ("--hidden", 16, "--embedding", 8, "--epochs", epochs, "--members", 2, "--jobs", 2)
    return command("train", train_file, "--dev", train_file, "--out", out, *sizes)


def test_the_model_records_its_precision(tmp_path: Path, train_file: Path) -> None:
    out = tmp_path / "model"
    subprocess.run(
        [*training(train_file, out, 1), "--precision", "single"], check=True, capture_output=True
    )
    about = json.loads((out / "config.json").read_text("utf-8"))["about"]
    assert about["training"]["precision"] == "single"


def test_a_processor_without_bfloat16_neither_starts_nor_resumes_a_run_in_it(
    tmp_path: Path, train_file: Path
) -> None:
    out, begun = tmp_path / "new", tmp_path / "begun"
    plan = run.Plan(tiny_config(precision="bfloat16"), Segmentation(), 1, 1, "train.tsv", "")
    run.create(begun, plan, [Example("a", "", "b")], [])
    other_processor = {**os.environ, "NUMBA_CPU_NAME": "generic"}
    for arguments in (
        [*training(train_file, out, 1), "--precision", "bfloat16"],
        command("train", "--resume", begun),
    ):
        ended = subprocess.run(arguments, capture_output=True, text=True, env=other_processor)
        assert ended.returncode == 1
        assert "AVX512-BF16" in ended.stderr
        assert "--precision single" in ended.stderr
        assert "Traceback" not in ended.stderr
    assert not out.exists()


def test_killed_at_random_moments_the_model_is_the_same(tmp_path: Path, train_file: Path) -> None:
    """kill -9 ten times, at any moment from start-up to the last epoch; then run to the end."""
    began = time.perf_counter()
    subprocess.run(training(train_file, tmp_path / "whole", 150), check=True, capture_output=True)
    whole = time.perf_counter() - began
    moments = random.Random(8)
    for name in ("pieces", "again", "once more"):
        pieces = tmp_path / name
        n_killed = killed_again_and_again(train_file, pieces, whole, moments)
        if n_killed >= 3:
            break
        whole /= 2  # other work slowed the machine down while it was measured
    assert n_killed >= 3
    for name in ("member-1.safetensors", "member-2.safetensors", "vocabulary.json"):
        assert (pieces / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert not (pieces / "training").exists()


def killed_again_and_again(
    train_file: Path, pieces: Path, whole: float, moments: random.Random
) -> int:
    """How often a training of that many seconds was killed before it came to its end."""
    start = training(train_file, pieces, 150)
    n_killed = 0
    for _ in range(10):
        process = subprocess.Popen(
            start, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            process.wait(moments.uniform(0.05, 0.9) * whole)
            break
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            n_killed += 1
        if (pieces / "training" / "plan.json").exists():
            start = command("train", "--resume", pieces)
    if not (pieces / "config.json").exists():
        subprocess.run(start, check=True, capture_output=True)
    return n_killed


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often files were opened for reading in this process, by their names."""
    counts: Counter[str] = Counter()
    path_open = Path.open

    def counting(path: Path, mode: str = "r", *arguments, **options):
        counts[path.name] += "r" in mode
        return path_open(path, mode, *arguments, **options)

    monkeypatch.setattr(Path, "open", counting)
    monkeypatch.setattr(Path, "read_text", lambda path, encoding: path.open().read())
    return counts


def test_the_plan_and_the_data_are_read_twice_at_most(
    tmp_path: Path, train_file: Path, reads: Counter[str], stepwrite
) -> None:
    """Here by the process that starts the members; theirs are others."""
    arguments = ("--out", str(tmp_path / "model"), "--epochs", "2", "--hidden", "16")
    ran = stepwrite("train", str(train_file), *arguments, "--folds", "0")
    assert ran.code == 0, ran.err
    assert 1 <= reads["plan.json"] <= 2
    assert 1 <= reads["train.tsv"] <= 2


def test_a_resumed_run_reads_its_plan_twice_at_most(
    tmp_path: Path, reads: Counter[str], stepwrite
) -> None:
    plan = run.Plan(tiny_config(epochs=1), Segmentation(), 1, 1, "train.tsv", "")
    run.create(tmp_path / "model", plan, [Example("a", "V", "b")], [])
    ran = stepwrite("train", "--resume", str(tmp_path / "model"))
    assert ran.code == 0, ran.err
    assert (reads["plan.json"], reads["train.tsv"]) == (2, 1)


def test_a_member_reads_its_plan_twice_at_most(tmp_path: Path, reads: Counter[str]) -> None:
    plan = run.Plan(tiny_config(epochs=1), Segmentation(), 1, 1, "train.tsv", "")
    run.create(tmp_path, plan, [Example("a", "V", "b")], [])
    train_unit(Unit(tmp_path, 1), lambda update: None)
    assert 1 <= reads["plan.json"] <= 2
    assert reads["train.tsv"] == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_a_checkpoint_and_says_how_to_go_on(
    tmp_path: Path, train_file: Path, number: signal.Signals
) -> None:
    out = tmp_path / "model"
    process = subprocess.Popen(
        training(train_file, out, 5000), stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    checkpoint = run.checkpoint_path(out, 1)
    deadline = time.monotonic() + 60
    while not checkpoint.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(number)
    _, messages = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert messages.splitlines()[-1] == f"stopped; resume with: stepwrite train --resume {out}"
    assert "Traceback" not in messages
    assert read_checkpoint(checkpoint).history
    refused = subprocess.run(
        command("inflect", out, "walk", "V;PST"), capture_output=True, text=True
    )
    assert refused.returncode == 1
    assert "training has not ended" in refused.stderr


def test_a_member_that_ends_without_a_word_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "_work", _say_nothing)
    with pytest.raises(StepwriteError, match="member 1 stopped with exit code 0; resume with"):
        list(workers.train_units([workers.Unit(tmp_path, 1)], jobs=1))


def _say_nothing(*_: object) -> None:
    """What a process does that is started from a script without a main guard."""
