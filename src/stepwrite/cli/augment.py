"""`stepwrite augment`: what splicing and hallucination make of training examples."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from stepwrite.cli.options import ReadingOptions, reading_options
from stepwrite.data.examples import Example, Examples, write_examples
from stepwrite.terminal import columns_of, visible

HEADER = ("lemma", "form", "features", "new lemma", "new form")
UNCHANGED = "="  # in the place of words that are as they were, in the view for people


@click.command()
@click.argument("file")
@click.option(
    "-n",
    "--rows",
    "n_rows",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="Number of rows to show (0: all).",
)
@click.option("--random", "drawn", is_flag=True, help="Draw rows at random, not the first ones.")
@click.option(
    "--hallucination",
    type=click.FloatRange(0, 1),
    help="Share of words given random stems [default: 1, or 0 with --splicing].",
)
@click.option(
    "--harmony/--no-harmony",
    default=None,
    help="Let random stems keep their vowels [default: if the endings in FILE follow them].",
)
@click.option(
    "--splicing",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="Share of words given another's start [default: 0].",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Of what is random; the same seed gives the same words.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "tsv"]),
    default="text",
    show_default=True,
    help="text: the words before and after. tsv: the new examples, in the layout of FILE.",
)
@reading_options
def augment(
    file: str,
    n_rows: int,
    drawn: bool,
    hallucination: float | None,
    harmony: bool | None,
    splicing: float,
    seed: int,
    output_format: str,
    reading: ReadingOptions,
) -> None:
    """Show what splicing and hallucination make of the examples of FILE ('-': standard input).

    Training changes words like this in every epoch anew (stepwrite train --hallucination,
    --splicing). Letters and beginnings come from the whole file, however few rows are shown.
    Symbols are aligned with the fewest edits.

    \b
    Examples:
      stepwrite augment train.tsv
      stepwrite augment train.tsv --splicing 1 -n 20 --random
      stepwrite augment train.tsv --hallucination 0.5 --rows 0 --format tsv > more.tsv
    """
    examples = reading.read(file, needs_form=True)
    reading.report_skipped()
    if hallucination is None:
        hallucination = 0.0 if splicing else 1.0
    new = augmented_examples(
        examples,
        reading,
        splicing=splicing,
        hallucination=hallucination,
        harmony=harmony,
        seed=seed,
    )
    chosen = chosen_rows(len(examples), n_rows or len(examples), seed if drawn else None)
    if output_format == "tsv":
        write_examples(sys.stdout, (new[row] for row in chosen), examples.layout)
    else:
        rows = [HEADER, *(_cells(examples[row], new[row]) for row in chosen)]
        click.echo("\n".join(columns_of(rows)))


def augmented_examples(
    examples: Examples,
    reading: ReadingOptions,
    *,
    splicing: float,
    hallucination: float,
    harmony: bool | None,
    seed: int,
) -> list[Example]:
    """One epoch's examples, in their order; those that are not changed stay as they are."""
    import numpy as np

    from stepwrite.training.augmentation import augmented_words
    from stepwrite.training.harmony import has_harmony
    from stepwrite.transducer.alignment import EditDistanceAligner

    split = reading.segmentation(examples.layout)
    words = EditDistanceAligner().align(
        [(split.lemma(e.lemma), split.form(e.form)) for e in examples]
    )
    new = augmented_words(
        words,
        np.random.default_rng(seed),
        splicing=splicing,
        hallucination=hallucination,
        harmony=bool(hallucination) and has_harmony(words) if harmony is None else harmony,
    )
    return [
        example
        if after == before
        else Example(split.join_lemma(after.lemma), example.features, split.join_form(after.form))
        for example, before, after in zip(examples, words, new, strict=True)
    ]


def chosen_rows(n_all: int, n_rows: int, seed: int | None) -> Sequence[int]:
    """The first rows, or, with a seed, as many drawn at random, in the order of the file.

    >>> chosen_rows(5, 3, None), chosen_rows(2, 10, None)
    (range(0, 3), range(0, 2))
    >>> len(set(chosen_rows(5, 3, 0)))
    3
    """
    n_shown = min(n_rows, n_all)
    if seed is None:
        return range(n_shown)
    from random import Random

    return sorted(Random(seed).sample(range(n_all), n_shown))


def _cells(before: Example, after: Example) -> list[str]:
    new = (UNCHANGED, UNCHANGED) if after == before else (after.lemma, after.form)
    return [visible(text) for text in (before.lemma, before.form, before.features or "-", *new)]
