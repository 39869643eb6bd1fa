"""`stepwrite report`: how good a model is, and what its data look like, for people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from stepwrite.cli.options import ReadingOptions, reading_options

if TYPE_CHECKING:
    from stepwrite.data.examples import Example
    from stepwrite.evaluation.validation import ValidatedRow
    from stepwrite.inflector import Inflector


@click.command()
@click.argument("model")
@click.option("--data", metavar="FILE", help="The training data [default: the file it was].")
@click.option(
    "--test",
    metavar="FILE",
    help="Forms of other lemmas to judge by, if the model was trained with a dev set.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write the report to this file, as HTML.",
)
@click.option(
    "--suspects",
    "suspects_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write all doubtful rows to this table (.xlsx, .ods, .csv, .tsv).",
)
@reading_options
def report(
    model: str,
    data: str | None,
    test: str | None,
    out: Path | None,
    suspects_file: Path | None,
    reading: ReadingOptions,
) -> None:
    """Report on MODEL and its training data.

    How good it is by part of speech and cell, which cells have too little data, which inflection
    classes there are, what it confuses, which rows of the data may be wrong, and whether more
    data would help. Accuracy is that of cross-validation, which `stepwrite train` does without
    --dev. How a model attends and what it represents is in `stepwrite analyse`.

    \b
    Examples:
      stepwrite report models/mine
      stepwrite report models/mine --out report.html --suspects doubtful.xlsx
      stepwrite report models/mine --data train.xlsx --test dev.xlsx
    """
    if reading.spaced:
        raise click.UsageError("--spaced can't be used here: the model defines its own symbols")
    import stepwrite
    from stepwrite.data.tables import write_table
    from stepwrite.evaluation.validation import read_validation
    from stepwrite.fieldwork import pages
    from stepwrite.fieldwork.collected import collected
    from stepwrite.fieldwork.report import odds
    from stepwrite.fieldwork.report import report as reported
    from stepwrite.files import write_whole
    from stepwrite.model.pretrained import locate

    inflector = stepwrite.load(model)
    folder = Path(locate(model))
    examples = collected(inflector.model, data)
    if test is not None:
        validated = tested(inflector, examples, list(reading.open(test, needs_form=True)))
        reading.report_skipped()
        summary = None
    else:
        found = read_validation(folder)
        validated = list(found.rows) if found else []
        summary = found.summary if found else None
    made = reported(folder.name, examples, validated, inflector.model.segmentation, summary)
    click.echo(pages.text(made))
    if suspects_file is not None:
        header = ("row", "lemma", "features", "form", "expected", "odds")
        write_table(
            suspects_file,
            [header, *((str(s.row + 1), *s.example, s.expected, odds(s)) for s in made.suspects)],
        )
        click.echo(suspects_file, err=True)
    if out is not None:
        with write_whole(out) as file:
            file.write(pages.html(made))
        click.echo(out, err=True)


def tested(inflector: Inflector, known: list[Example], rows: list[Example]) -> list[ValidatedRow]:
    """Rows of other lemmas and what the model makes of them, as cross-validation has them."""
    from stepwrite.evaluation.rules import RuleBaseline
    from stepwrite.evaluation.validation import ValidatedRow

    split = inflector.model.segmentation
    rules = RuleBaseline.fit(known, split)
    found = []
    for row, prediction in zip(rows, inflector.batch(rows), strict=True):
        form, by_rules = split.form(row.form), rules.predict(row.lemma, row.features)
        found.append(
            ValidatedRow(
                row=-1,  # not of the training data
                fold=1,
                example=row,
                predicted=prediction.form,
                probability=prediction.probability,
                gold_probability=0.0,
                rules=by_rules,
                correct=split.form(prediction.form) == form,
                rules_correct=split.form(by_rules) == form,
            )
        )
    return found
