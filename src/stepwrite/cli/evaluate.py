"""`stepwrite evaluate`: read gold and predictions, score them, print a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from stepwrite.cli.options import ReadingOptions, lexicon_option, reading_options
from stepwrite.data.examples import Examples, Layout, Row, name_of
from stepwrite.data.predictions import read_predictions
from stepwrite.errors import DataError, shown


@click.command()
@click.argument("model", required=False)
@click.argument("test", required=False)
@click.option("--gold", metavar="FILE", help="The right forms.")
@click.option(
    "--predictions",
    metavar="FILE",
    help="The guesses: rows as in the gold file and in its order, the form column holding the "
    "best guess, further columns further ones; or JSON lines with lemma, features, form and "
    "alternatives.",
)
@click.option("--against", metavar="FILE", help="Another system's predictions, to compare with.")
@click.option("--train", metavar="FILE", help="Training data: score seen and unseen apart.")
@click.option(
    "--errors",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Write the mistakes to this TSV file.",
)
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="json has all groups and unrounded numbers.",
)
@lexicon_option
@reading_options
def evaluate(
    model: str | None,
    test: str | None,
    gold: str | None,
    predictions: str | None,
    against: str | None,
    train: str | None,
    errors: str | None,
    style: str,
    lexicon: Any,
    reading: ReadingOptions,
) -> None:
    """Score a model on TEST, or any system's predictions, the way the shared tasks do.

    Exact match, edit distance (plain, and divided by the longer word's length) and mean
    reciprocal rank, each with a 95 % interval, for all rows and by part of speech and
    feature bundle. Every row counts, also where rows share lemma and features.

    \b
    Examples:
      stepwrite evaluate models/german test.tsv
      stepwrite evaluate german-nouns test.tsv --lexicon prefer
      stepwrite evaluate --gold test.tsv --predictions predictions.tsv
      stepwrite evaluate --gold test.tsv --predictions new.tsv --against old.tsv
      stepwrite evaluate --gold test.tsv --predictions predictions.tsv \\
          --train train.tsv --errors errors.tsv --format json
    """
    path, source = (test, model) if gold is predictions is None else (gold, predictions)
    if path is None or source is None or None not in (model or test, gold or predictions):
        raise click.UsageError("give either MODEL and TEST, or --gold and --predictions")
    if lexicon and not model:
        raise click.UsageError("--lexicon is for a MODEL")
    if [path, predictions, against, train].count("-") > 1:
        raise click.UsageError("only one of the files can be '-' (standard input)")
    import stepwrite

    data = Gold.read(path, reading)
    result = stepwrite.evaluate(
        source if model else data.guesses(source),
        data.examples,
        against=None if against is None else data.guesses(against),
        train=None if train is None else reading.open(train),
        lexicon=lexicon,
        spaced=reading.spaced,
    )
    if errors is not None:
        from stepwrite.evaluation.report import write_mistakes

        write_mistakes(errors, result.mistakes)
    reading.report_skipped()
    click.echo(result.to_json() if style == "json" else result)


@dataclass(frozen=True)
class Gold:
    """The rows to score against, the lines of those left out, and how their file is laid out."""

    path: str
    layout: Layout
    rows: list[Row]
    left_out: list[int]

    @classmethod
    def read(cls, path: str, reading: ReadingOptions) -> Gold:
        file = reading.open(path, needs_form=True)
        rows = list(file.rows())
        bad = [line for lines in reading.skipped[-1].lines.values() for line in lines if line]
        return cls(file.path, file.layout, rows, bad)

    @property
    def examples(self) -> Examples:
        return Examples((row.example for row in self.rows), self.path, self.layout)

    def guesses(self, path: str) -> list[tuple[str, ...]]:
        """The n-best guesses in a prediction file, one tuple a gold row."""
        name = name_of(path)
        found: list[Row] = []
        for row in self.without_left_out(list(read_predictions(path, self.layout))):
            if isinstance(row, DataError):
                raise row
            found.append(row)
        first = next(
            (
                number
                for number, (ours, theirs) in enumerate(zip(self.rows, found, strict=False))
                if ours.example[:2] != theirs.example[:2]
            ),
            min(len(self.rows), len(found)),
        )
        counts = f"{len(found)} rows, but {self.path} has {len(self.rows)}"
        if len(found) < len(self.rows):
            row = self.rows[first]
            raise DataError(f"{counts}: its line {row.line} is missing, {key(row)}", path=name)
        if len(found) > len(self.rows):
            row = found[first]
            raise DataError(f"{counts}: too many from here, {key(row)}", path=name, line=row.line)
        if first < len(found):
            row, gold = found[first], self.rows[first]
            problem = f"{key(row)}, but {self.path}, line {gold.line}, has {key(gold)}"
            raise DataError(problem, path=name, line=row.line)
        return [(row.example.form, *row.extra) for row in found]

    def without_left_out(self, predicted: list[Row | DataError]) -> list[Row | DataError]:
        """Predictions without those for gold rows that --skip-bad left out, if they have them.

        Only these may go: leaving out any other prediction, however broken, would leave out
        a mistake.
        """
        if len(predicted) != len(self.rows) + len(self.left_out):
            return predicted
        lines = sorted([row.line for row in self.rows] + self.left_out)
        bad = set(self.left_out)
        return [row for row, line in zip(predicted, lines, strict=True) if line not in bad]


def key(row: Row) -> str:
    return f"lemma {shown(row.example.lemma)} features {shown(row.example.features)}"
