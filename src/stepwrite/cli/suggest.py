"""`stepwrite suggest`: which forms to ask for next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stepwrite.terminal import columns_of, progress_bar, visible

if TYPE_CHECKING:
    from stepwrite.inflector import Inflector

HEADER = ("lemma", "features", "form", "guess", "probability", "reason")
CHUNK = 256
MOST = 50_000
"""Candidates whose forms are guessed: more would take long."""


@click.command()
@click.argument("model")
@click.option(
    "--lemmas",
    metavar="FILE",
    required=True,
    help="Words to ask about: one lemma per line, or lemma and features ('-': stdin).",
)
@click.option(
    "-n", "n", type=click.IntRange(min=1), default=50, show_default=True, help="How many."
)
@click.option(
    "--cells",
    metavar="FILE",
    help="Cells to ask for, one feature bundle per line [default: those of the training data].",
)
@click.option("--pos", help="The part of speech of the words [default: guessed from the ending].")
@click.option("--data", metavar="FILE", help="The training data [default: the file it was].")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The table to fill in (.xlsx, .ods, .csv, .tsv) [default: print the list].",
)
def suggest(
    model: str,
    lemmas: str,
    n: int,
    cells: str | None,
    pos: str | None,
    data: str | None,
    out: Path | None,
) -> None:
    """List the cells whose true forms would teach MODEL most.

    Worth asking for are cells and endings of words of which little is known and of which there
    are many among the given words, and forms that the model is unsure of. The table has a column
    to write the form into; put the filled rows under the training data and train again.

    \b
    Examples:
      stepwrite suggest models/mine --lemmas words.txt -n 50 --out ask.xlsx
      stepwrite suggest models/mine --lemmas nouns.txt --pos N
      stepwrite suggest models/mine --lemmas words.txt --cells cells.txt --out ask.csv
    """
    import stepwrite
    from stepwrite.data.tables import write_table
    from stepwrite.errors import StepwriteError
    from stepwrite.fieldwork.collected import collected
    from stepwrite.fieldwork.suggestion import choose

    if lemmas == cells == "-":
        raise click.UsageError("only one of the files can be '-' (standard input)")
    inflector = stepwrite.load(model)
    known = [(row.lemma, row.features) for row in collected(inflector.model, data)]
    candidates = candidates_of(inflector, lemmas, cells, pos, set(known))
    if not candidates:
        raise StepwriteError(f"{lemmas}: nothing to ask: the training data has all these forms")
    if len(candidates) > MOST:
        raise StepwriteError(
            f"{lemmas}: {len(candidates)} cells to choose from, at most {MOST} are possible: "
            "give fewer words, or fewer cells with --cells"
        )
    predictions = []
    with progress_bar("guessing") as progress:
        for start in range(0, len(candidates), CHUNK):
            predictions += inflector.batch(candidates[start : start + CHUNK], warn=False)
            progress(len(predictions), len(candidates))
    sure = [prediction.probability for prediction in predictions]
    rows = [HEADER]
    for found in choose(candidates, known, n, sure):
        guess = predictions[found.candidate]
        rows.append(
            (guess.lemma, guess.features, "", guess.form, f"{guess.probability:.2f}", found.reason)
        )
    if out is None:
        for line in columns_of([(*row[:2], *row[3:]) for row in rows]):
            click.echo(visible(line))
        return
    write_table(out, rows)
    click.echo(f"{len(rows) - 1} of {len(candidates)} cells; write the forms into `form`", err=True)
    click.echo(out)


def candidates_of(
    inflector: Inflector,
    lemmas: str,
    cells: str | None,
    pos: str | None,
    known: set[tuple[str, str]],
) -> list[tuple[str, str]]:
    """The cells that can be asked for: each once, none that is known."""
    from stepwrite.data.examples import Layout, open_examples
    from stepwrite.errors import StepwriteError

    words = open_examples(lemmas, Layout("lemmas", ("lemma",)), allow_extra=True).rows()
    pairs = [(row.example.lemma, (*row.extra, "")[0]) for row in words]
    bundles: list[str] = []
    if cells is not None:
        # A file of bundles looks like a file of lemmas.
        bundles = [row.lemma for row in open_examples(cells, Layout("cells", ("lemma",)))]

    trained = inflector.model.cells
    if trained is None:
        raise StepwriteError("the model does not know its cells: it is of an older stepwrite")

    def wanted(lemma: str, features: str) -> Sequence[str]:
        if features:
            return [features]
        return bundles or trained.choose(lemma, pos).bundles

    found = dict.fromkeys(
        (lemma, features) for lemma, given in pairs for features in wanted(lemma, given)
    )
    return [pair for pair in found if pair not in known]
