"""The end of a training run: its members become a model, which is measured on dev."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from stepwrite.data.examples import Example
from stepwrite.evaluation.fallback import Fallback, best_limit
from stepwrite.evaluation.validation import read_validation
from stepwrite.files import remove_folder
from stepwrite.inference.calibration import Calibration
from stepwrite.model.about import About, DataFile, Member
from stepwrite.model.directory import TRAINING, Model, data_checksum, save_model
from stepwrite.morphology.cells import Cells
from stepwrite.morphology.lexicon import Lexicon
from stepwrite.training.checkpoint import read_checkpoint
from stepwrite.training.compact import compact_network, compact_weights
from stepwrite.training.folder import (
    Plan,
    checkpoint_path,
    fit_vocabulary,
    read_examples,
    read_plan,
)

MOST_FOR_RULES = 100_000
"""Training examples. Rules take some 4 s and 400 MB to learn from so many; of more, a network
learns what they cannot, and their score would say little."""


def assemble(folder: Path) -> Model:
    """Make the model of the members' best weights, measure its vote on dev, end the run."""
    from stepwrite.model.card import history_table, model_card

    plan = read_plan(folder)
    train, dev = read_examples(folder, plan, "train.tsv"), read_examples(folder, plan, "dev.tsv")
    vocabulary = fit_vocabulary(plan, train)
    members, histories, summaries = [], [], []
    for number in range(1, plan.members + 1):
        checkpoint = read_checkpoint(checkpoint_path(folder, number))
        history, best_epoch = checkpoint.history, checkpoint.best_epoch
        network = plan.config_of(number).network
        members.append(compact_weights(checkpoint.part("best"), network, vocabulary))
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
    model = Model(
        network=compact_network(plan.config.network, vocabulary),
        others=tuple(compact_network(config.network, vocabulary) for config in plan.others),
        vocabulary=vocabulary,
        segmentation=plan.segmentation,
        members=tuple(members),
        about=about,
        cells=Cells.fit((example.lemma, example.features) for example in train),
        lexicon=Lexicon.fit(train) if plan.lexicon else None,
    )
    rules = Fallback(tuple(train), 1.0, plan.segmentation)
    if dev:
        outcomes = dev_outcomes(model, dev)
        if plan.config.rules and (limit := best_limit(judged(rules, dev, outcomes))):
            model = replace(model, fallback=replace(rules, below=limit))
            outcomes = dev_outcomes(model, dev)
        about = replace(
            about,
            vote_dev_accuracy=sum(right for _, right in outcomes) / len(dev),
            rules_dev_accuracy=rules_accuracy(plan, train, dev),
        )
        model = replace(model, about=about, calibration=Calibration.fit(outcomes))
    elif plan.config.rules and (validation := read_validation(folder)):
        rows = [(row.probability, row.correct, row.rules_correct) for row in validation.rows]
        if limit := best_limit(rows):
            model = replace(model, fallback=replace(rules, below=limit))
    save_model(folder, model, history_table(histories, len(train)), model_card(model, folder.name))
    remove_folder(folder / TRAINING)
    return model


def judged(
    rules: Fallback, dev: Sequence[Example], outcomes: Sequence[tuple[float, bool]]
) -> list[tuple[float, bool, bool | None]]:
    """The outcomes, each with whether the rules are right; None where they have no answer."""
    split = rules.segmentation.form
    found = []
    for example, (probability, right) in zip(dev, outcomes, strict=True):
        form = rules.form(example.lemma, example.features)
        by_rules = None if form is None else split(form) == split(example.form)
        found.append((probability, right, by_rules))
    return found


def dev_outcomes(model: Model, dev: Sequence[Example]) -> list[tuple[float, bool]]:
    """Of each word of dev the probability of what the model says, and whether it is right."""
    from stepwrite.inflector import Inflector

    pairs = [(example.lemma, example.features) for example in dev]
    predictions = Inflector(model, lexicon="off").batch(pairs, warn=False)
    split = model.segmentation.form
    return [
        (p.probability, split(p.form) == split(e.form))
        for p, e in zip(predictions, dev, strict=True)
    ]


def rules_accuracy(plan: Plan, train: Sequence[Example], dev: Sequence[Example]) -> float | None:
    """Exact match of the rule baseline on dev; None where there is too much to learn from."""
    from stepwrite.evaluation.rules import RuleBaseline

    if len(train) > MOST_FOR_RULES:
        return None
    return RuleBaseline.fit(train, plan.segmentation).accuracy(dev)
