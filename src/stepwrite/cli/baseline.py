"""`stepwrite baseline`: learn rules from one file and inflect the rows of another."""

from __future__ import annotations

import sys
from contextlib import nullcontext

import click

from stepwrite.cli.options import ReadingOptions, reading_options
from stepwrite.data.predictions import write_predictions
from stepwrite.files import write_whole


@click.command()
@click.argument("train")
@click.argument("rows", metavar="INPUT")
@click.option("--out", metavar="FILE", help="Write the predictions here instead of to stdout.")
@reading_options
def baseline(train: str, rows: str, out: str | None, reading: ReadingOptions) -> None:
    """Inflect the rows of INPUT with prefix and suffix rules learnt from TRAIN.

    Writes the rows of INPUT in the same layout with predicted forms; if there is no form column,
    it is added as the last one. Any forms in INPUT are ignored. One of the two files may be '-'
    (standard input).

    \b
    Example:
      stepwrite baseline train.tsv test.tsv > predictions.tsv
    """
    from stepwrite.evaluation.rules import RuleBaseline

    if train == rows == "-":
        raise click.UsageError("TRAIN and INPUT can't both be stdin")
    known = reading.open(train, needs_form=True)
    rules = RuleBaseline.fit(known, reading.segmentation(known.layout))
    covered = reading.open(rows)
    # Read all rows before writing the first, so that a bad row leaves no partial output.
    examples = list(covered)
    reading.report_skipped()
    forms = ([rules.predict(example.lemma, example.features)] for example in examples)
    with nullcontext(sys.stdout) if out is None else write_whole(out) as file:
        write_predictions(file, examples, forms, covered.layout)
