"""Measuring a model on unseen lemmas where there is no dev set.

The lemmas are divided into folds. For each fold a network is trained on the lemmas of the others
and inflects its rows. With many lemmas one fold is enough. The runs of the folds are folders like
any other, `training/fold-1` ... in the model directory, so an interrupted one resumes.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from stepwrite.data.examples import Example
from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import StepwriteError
from stepwrite.evaluation.rules import RuleBaseline
from stepwrite.evaluation.validation import (
    SUMMARY,
    Summary,
    ValidatedRow,
    Validation,
    lemma_key,
    write_validation,
)
from stepwrite.inflector import Inflector
from stepwrite.model.directory import CONFIG, TRAINING, load_model
from stepwrite.training import folder as run
from stepwrite.training.assembly import MOST_FOR_RULES, assemble
from stepwrite.training.folder import Plan
from stepwrite.training.workers import Update, train_units, unfinished

ENOUGH_LEMMAS = 300
"""From here on one split is enough: a fifth of the lemmas gives an interval of some ten points."""
FOLDS = 5
HELD_OUT = 5  # one lemma in so many, with one split
MOST_HELD_OUT = 2_000  # rows, with one split: more make the interval hardly narrower
BEAM = 8  # for the probability of forms that the network does not choose
HALVES = 4  # random halves of the lemmas, for the gain


@dataclass(frozen=True)
class Fold:
    """The numbers of the rows to train on and of those held out; no lemma is in both."""

    number: int
    train: tuple[int, ...]
    held_out: tuple[int, ...]


def usual_folds(examples: Iterable[Example]) -> int:
    """Cross-validation for few lemmas, else one split; none where there are not two lemmas."""
    n_lemmas = len({lemma_key(example.lemma) for example in examples})
    if n_lemmas < 2:
        return 0
    return min(FOLDS, n_lemmas) if n_lemmas < ENOUGH_LEMMAS else 1


def make_folds(examples: Sequence[Example], n_folds: int, seed: int) -> list[Fold]:
    """Folds without a common lemma, with about as many rows each; `n_folds` 1 is one split.

    >>> rows = [Example(lemma, "N", lemma) for lemma in ("a", "b", "a", "c")]
    >>> [(fold.train, fold.held_out) for fold in make_folds(rows, 3, seed=1)]
    [((1, 3), (0, 2)), ((0, 2, 3), (1,)), ((0, 1, 2), (3,))]
    """
    rows_of: dict[str, list[int]] = {}
    for number, example in enumerate(examples):
        rows_of.setdefault(lemma_key(example.lemma), []).append(number)
    lemmas = list(rows_of)
    if n_folds > len(lemmas) or len(lemmas) < 2:
        raise StepwriteError(f"{n_folds} folds of {len(lemmas)} lemmas: expected fewer folds")
    random.Random(seed).shuffle(lemmas)
    parts: list[list[int]] = [[] for _ in range(max(n_folds, 2))]
    if n_folds == 1:
        wanted = min(len(examples) / HELD_OUT, MOST_HELD_OUT)
        for lemma in lemmas:
            parts[0 if len(parts[0]) < wanted else 1] += rows_of[lemma]
    else:
        # Lemmas with many rows first, each to the smallest fold; the order is random otherwise.
        for lemma in sorted(lemmas, key=lambda lemma: -len(rows_of[lemma])):
            min(parts, key=len).extend(rows_of[lemma])
    everything = set(range(len(examples)))
    return [
        Fold(number, tuple(sorted(everything - set(part))), tuple(sorted(part)))
        for number, part in enumerate(parts[: max(n_folds, 1)], 1)
    ]


def announcement(folds: Sequence[Fold]) -> str:
    """What is going to be done, before it is."""
    share = f"{len(folds[0].held_out)} of {len(folds[0].train) + len(folds[0].held_out)} rows"
    what = f"{len(folds)} networks, each" if len(folds) > 1 else "a network"
    return f"measuring on unseen lemmas: {what} without {share} (--folds 0 skips this)"


def folds_left(folder: Path, plan: Plan) -> int:
    """How many folds are still to be made before the model itself is trained."""
    return 0 if (folder / SUMMARY).exists() else plan.folds


def train_folds(folder: Path, plan: Plan, folds: Sequence[Fold], jobs: int) -> Iterator[Update]:
    """Train a network for each fold that has none; in its updates, members are folds."""
    examples = run.read_examples(folder, plan, "train.tsv")
    units = []
    for fold in folds:
        path = fold_path(folder, fold)
        if (path / CONFIG).exists():
            continue
        own = replace(
            plan, members=1, others=(), folds=0, seed=plan.seed + fold.number, lexicon=False
        )
        if not run.plan_path(path).exists():
            run.lay_down(path, own, [examples[row] for row in fold.train], [])
        units += unfinished(path, own)
    numbers = {fold_path(folder, fold): fold.number for fold in folds}
    for update in train_units(units, jobs):
        yield replace(update, member=numbers[update.folder])
    for fold in folds:
        if not (fold_path(folder, fold) / CONFIG).exists():
            assemble(fold_path(folder, fold))


def fold_path(folder: Path, fold: Fold) -> Path:
    return folder / TRAINING / f"fold-{fold.number}"


def validate(folder: Path, plan: Plan, folds: Sequence[Fold]) -> Validation:
    """What the networks of all folds and the rules make of the rows held out; it is written."""
    examples = run.read_examples(folder, plan, "train.tsv")
    rows: list[ValidatedRow] = []
    for fold in folds:
        model = Inflector(load_model(fold_path(folder, fold)))
        rows += rows_of_fold(model, examples, fold, plan.segmentation)
    validation = Validation(
        tuple(sorted(rows, key=lambda row: row.row)),
        Summary.of(
            rows,
            n_examples=len(examples),
            n_lemmas=len({lemma_key(example.lemma) for example in examples}),
            gain=gain_of(examples, folds, plan.segmentation),
        ),
    )
    write_validation(folder, validation)
    return validation


def rows_of_fold(
    model: Inflector, examples: Sequence[Example], fold: Fold, segmentation: Segmentation
) -> Iterator[ValidatedRow]:
    """What a fold's network and rules make of the rows that they have not seen."""
    gold = [examples[row] for row in fold.held_out]
    predictions = model.batch([example[:2] for example in gold], warn=False)
    rules = rules_of([examples[row] for row in fold.train], segmentation)
    split = segmentation.form

    def is_gold(i: int, form: str) -> bool:
        return split(form) == split(gold[i].form)

    wrong = [i for i, prediction in enumerate(predictions) if not is_gold(i, prediction.form)]
    searched = model.batch([gold[i][:2] for i in wrong], n_best=BEAM, warn=False)
    # Of forms that are not the best one, the alternatives of a search know the probability.
    probability = {
        i: max(
            (other.probability for other in found.alternatives if is_gold(i, other.form)),
            default=found.probability if is_gold(i, found.form) else 0.0,
        )
        for i, found in zip(wrong, searched, strict=True)
    }
    for i, (row, example, prediction) in enumerate(
        zip(fold.held_out, gold, predictions, strict=True)
    ):
        by_rules = rules.predict(example.lemma, example.features)
        yield ValidatedRow(
            row=row,
            fold=fold.number,
            example=example,
            predicted=prediction.form,
            probability=prediction.probability,
            gold_probability=probability.get(i, prediction.probability),
            rules=by_rules,
            correct=i not in probability,
            rules_correct=is_gold(i, by_rules),
        )


def rules_of(examples: Sequence[Example], segmentation: Segmentation) -> RuleBaseline:
    """Rules from the examples; of very many, from the first."""
    return RuleBaseline.fit(examples[:MOST_FOR_RULES], segmentation)


def gain_of(
    examples: Sequence[Example], folds: Sequence[Fold], segmentation: Segmentation
) -> float:
    """How much better models of all lemmas are than those of the folds, as the rules show.

    Networks of the folds lack the lemmas held out. Rules learnt from half of a fold's lemmas tell
    what doubling the lemmas brings; as accuracy grows with the logarithm of their number, the
    share that the folds lack brings a part of that. Networks gain about as much as rules.
    """
    doublings, lacking = [], []
    for fold in folds:
        train = [examples[row] for row in fold.train]
        gold = [examples[row] for row in fold.held_out]
        lemmas = sorted({lemma_key(example.lemma) for example in train})
        n_held_out = len({lemma_key(example.lemma) for example in gold})
        lacking.append(math.log2(1 + n_held_out / len(lemmas)))
        whole = rules_of(train, segmentation).accuracy(gold)
        draw = random.Random(fold.number)
        for _ in range(HALVES if len(lemmas) > 1 else 0):
            half = set(draw.sample(lemmas, len(lemmas) // 2))
            part = [example for example in train if lemma_key(example.lemma) in half]
            doublings.append(whole - rules_of(part, segmentation).accuracy(gold))
    if not doublings:
        return 0.0
    mean_doubling = sum(doublings) / len(doublings)
    return max(0.0, mean_doubling * sum(lacking) / len(lacking))
