"""`stepwrite train`: from a file of examples to a model directory."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from stepwrite.cli.options import ReadingOptions, reading_options
from stepwrite.cli.progress import stoppable
from stepwrite.data.reading import SheetFile
from stepwrite.data.sheets import counted
from stepwrite.kinds import all_kinds

OVERRIDES: tuple[tuple[str, Any, str], ...] = (
    ("--epochs", click.IntRange(min=1), "Passes over the training set."),
    ("--batch", click.IntRange(min=1), "Batch size."),
    ("--optimiser", click.Choice(["adam", "adadelta"]), "Optimiser; its own rate comes with it."),
    ("--rate", click.FloatRange(min=0, min_open=True), "Learning rate."),
    ("--clip", click.FloatRange(min=0), "Length that longer gradients are cut to (0: none)."),
    ("--dropout", click.FloatRange(0, 1, max_open=True), "Share of states dropped in training."),
    ("--smoothing", click.FloatRange(0, 1, max_open=True), "Label smoothing."),
    ("--masking", click.FloatRange(0, 1, max_open=True), "Share of symbols shown as unknown."),
    (
        "--splicing",
        click.FloatRange(0, 1, max_open=True),
        "Share of words spliced with others.",
    ),
    (
        "--hallucination",
        click.FloatRange(0, 1, max_open=True),
        "Share of words given random stems, for small training sets.",
    ),
    (
        "--exploration",
        click.FloatRange(0, 1),
        "How often edit transducers take their own action in roll-ins.",
    ),
    ("--average", click.FloatRange(0, 1, max_open=True), "Decay of the weights' moving average."),
    ("--layers", click.IntRange(min=1), "LSTM layers of encoder and decoder."),
    ("--hidden", click.IntRange(min=1), "Size of the LSTM states."),
    ("--embedding", click.IntRange(min=1), "Size of the symbol embeddings."),
    ("--feature-embedding", click.IntRange(min=1), "Size of each feature slot's embedding."),
    ("--cell", click.Choice(["lstm", "peephole"]), "The LSTM's equations."),
    (
        "--direction",
        click.Choice(["forward", "backward", "alternate"]),
        "Process words left to right, right to left, or alternate between members.",
    ),
    (
        "--copy",
        click.Choice(["never", "unknown", "always"]),
        "Symbols written by a copy action: none, those never seen in training, or all.",
    ),
    (
        "--precision",
        click.Choice(["single", "bfloat16"]),
        "Precision of large products; bfloat16 is faster and needs AVX512-BF16.",
    ),
    (
        "--patience",
        click.IntRange(min=0),
        "Stop after this many epochs without improvement on dev (0: never).",
    ),
)


def override_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for name, kind, text in reversed(OVERRIDES):
        command = click.option(name, type=kind, help=f"{text} [default: the preset's]")(command)
    command = click.option(
        "--harmony/--no-harmony",
        default=None,
        help="Let hallucinated stems keep their vowels: for languages with vowel harmony. "
        "[default: if the endings in TRAIN follow the vowels of stems]",
    )(command)
    return click.option(
        "--rules/--no-rules",
        default=None,
        help="Let rules answer where the network is unsure, if they help on dev or in validation. "
        "[default: with up to 1,500 examples]",
    )(command)


class Members(click.ParamType[int | dict[str, int]]):
    """A number of members, or numbers of members by their kinds."""

    name = "members"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | dict[str, int]:
        parts = [part.strip().partition(":") for part in str(value).split(",")]
        kinds = [kind for kind, _, _ in parts]
        try:
            counts = [int(count if colon else kind) for kind, colon, count in parts]
        except ValueError:
            counts = [0]
        named = all(colon for _, colon, _ in parts)
        if min(counts) < 1 or len(set(kinds)) < len(kinds) or not (named or len(parts) == 1):
            self.fail(f"{value!r}: expected a number, or numbers of kinds: edit:3,soft:2")
        if unknown := [kind for kind in kinds if named and kind not in all_kinds()]:
            self.fail(f"{value!r}: no kind {unknown[0]!r}; use {', '.join(all_kinds())}")
        return dict(zip(kinds, counts, strict=True)) if named else counts[0]


@click.command()
@click.argument("train_file", metavar="TRAIN", required=False)
@click.option(
    "--model",
    type=click.Choice(list(all_kinds())),
    help="; ".join(f"{kind.name}: {kind.summary}" for kind in all_kinds().values())
    + ". [default: edit; hard with --preset paper]",
)
@click.option("--dev", help="File to choose the best epoch on; without it, the last is kept.")
@click.option(
    "--folds",
    type=click.IntRange(min=0),
    metavar="N",
    help="Without --dev, measure accuracy on lemmas held out before training on all of them: "
    "0 no, 1 by one split, N by cross-validation. [default: 5 below 300 lemmas, else 1]",
)
@click.option("--out", type=click.Path(path_type=Path), help="The model directory to make.")
@click.option(
    "--preset",
    "preset_name",
    type=click.Choice(["default", "paper"]),
    default="default",
    show_default=True,
    help="default: best accuracy for the time. paper: the supplement's settings to the letter.",
)
@click.option(
    "--members",
    type=Members(),
    default="1",
    show_default=True,
    help="Ensemble size: networks with different seeds that vote; or how many of each kind, as "
    "in edit:3,soft:2.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=os.cpu_count() or 1,
    show_default="the machine's cores",
    help="Members trained at the same time.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of the first member."
)
@click.option(
    "--lexicon",
    is_flag=True,
    help="Let the model carry TRAIN's forms, to tell known ones from guesses.",
)
@click.option(
    "--resume",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="MODEL",
    help="Resume an interrupted run; takes no other arguments but --jobs.",
)
@override_options
@reading_options
def train(
    train_file: str | None,
    dev: str | None,
    folds: int | None,
    out: Path | None,
    model: str | None,
    preset_name: str,
    members: int | dict[str, int],
    jobs: int,
    seed: int,
    lexicon: bool,
    resume: Path | None,
    reading: ReadingOptions,
    **overrides: Any,
) -> None:
    """Train a model on TRAIN: align, derive oracle actions, mimic them, keep the best epoch.

    \b
    Examples:
      stepwrite train nouns.xlsx --out models/nouns
      stepwrite train train.tsv --dev dev.tsv --out models/german
      stepwrite train train.tsv --dev dev.tsv --out models/german --members 5
      stepwrite train train.tsv --dev dev.tsv --out models/mixed --members edit:3,soft:2
      stepwrite train train.tsv --dev dev.tsv --out models/paper --preset paper
      stepwrite train train.tsv --dev dev.tsv --out models/soft --model soft
      stepwrite train --resume models/german
    """
    import stepwrite
    from stepwrite.model.directory import resume_command

    if resume is not None:
        if given := given_beside("resume", "jobs"):
            raise click.UsageError(f"--resume takes no {', '.join(given)}: the run's own are used")
        with stoppable(resume_command(resume)):
            stepwrite.train(resume=resume, jobs=jobs)
        return
    if train_file is None or out is None:
        raise click.UsageError("TRAIN and --out are needed (or --resume MODEL)")
    if dev is not None and folds:
        raise click.UsageError("--folds is for training without --dev")
    if isinstance(members, dict) and model is not None:
        raise click.UsageError("--members names the kinds: leave --model out")
    train_set = reading.read(train_file, needs_form=True)
    dev_set = reading.read(dev, needs_form=True) if dev else None
    if not isinstance(reading.skipped[0].file, SheetFile):  # which has been described
        click.echo("  " + "; ".join(counted(train_set)), err=True)
    reading.report_skipped()
    with stoppable(resume_command(out)):
        stepwrite.train(
            train_set,
            dev=dev_set,
            out=out,
            kind=model,
            preset=preset_name,
            members=members,
            folds=folds,
            seed=seed,
            lexicon=lexicon,
            spaced=reading.spaced,
            jobs=jobs,
            **{name: value for name, value in overrides.items() if value is not None},
        )


def given_beside(*names: str) -> list[str]:
    """What the user gave on the command line, but for the parameters of these names."""
    context = click.get_current_context()
    return [
        parameter.opts[0] if isinstance(parameter, click.Option) else parameter.human_readable_name
        for parameter in context.command.params
        if parameter.name not in names
        and context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
    ]
