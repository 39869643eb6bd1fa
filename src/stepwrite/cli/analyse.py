"""`stepwrite analyse`: an illustrated report on trained models."""

from __future__ import annotations

import warnings
from pathlib import Path

import click

from stepwrite.cli.options import ReadingOptions, reading_options
from stepwrite.kinds import EDIT_TRANSDUCER, HARD, SOFT
from stepwrite.terminal import progress_bar


@click.command()
@click.option("--edit", metavar="MODEL", help="An edit transducer.")
@click.option("--hard", metavar="MODEL", help="A model with hard attention.")
@click.option("--soft", metavar="MODEL", help="A model with soft attention.")
@click.option("--data", metavar="FILE", required=True, help="Examples with gold forms (dev).")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder for report.html, figures (SVG, PNG) and numbers (TSV).",
)
@click.option("--train", metavar="FILE", help="Training data, to find unseen lemmas.")
@click.option(
    "--words",
    metavar="FILE",
    help="Examples to draw [default: some where the models agree, some where they do not].",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed for sampling."
)
@reading_options
def analyse(
    edit: str | None,
    hard: str | None,
    soft: str | None,
    data: str,
    out: Path,
    train: str | None,
    words: str | None,
    seed: int,
    reading: ReadingOptions,
) -> None:
    """Analyse a model, or models of different kinds side by side.

    The report shows learning curves, alignments, how monotonic soft attention is, what the
    encoder states represent, and errors by type. With a hard and a soft model it also tests the
    paper's claims.

    \b
    Examples:
      stepwrite analyse --hard models/hard --soft models/soft --data dev.tsv --out report/
      stepwrite analyse --hard models/german --data dev.tsv --train train.tsv --out report/
      stepwrite analyse --edit models/edit --hard models/hard --data dev.tsv --out report/
      stepwrite analyse --soft models/soft --data dev.tsv --words words.tsv --out report/
    """
    given = {EDIT_TRANSDUCER.name: edit, HARD.name: hard, SOFT.name: soft}
    if not any(given.values()):
        raise click.UsageError("give --edit, --hard or --soft, or several of them")
    if [data, train, words].count("-") > 1:
        raise click.UsageError("only one of the files can be '-' (standard input)")
    if reading.spaced:
        raise click.UsageError("--spaced can't be used here: the models define their own symbols")
    from stepwrite.errors import require

    require("matplotlib", extra="analyse", purpose="drawing")
    from stepwrite.analysis import report
    from stepwrite.analysis.subject import Subject

    subjects = [Subject.load(name, model) for name, model in given.items() if model]
    gold = list(reading.open(data, needs_form=True))
    chosen = None if words is None else list(reading.open(words))
    training = None if train is None else list(reading.open(train))
    reading.report_skipped()
    total, done = report.words_to_inflect(subjects, len(gold)), 0
    with progress_bar("analysing") as progress:

        def advance(n_words: int) -> None:
            nonlocal done
            done += n_words
            progress(done, total)

        found = report.analyse(
            subjects, gold, words=chosen, train=training, seed=seed, advance=advance
        )
        with warnings.catch_warnings():
            warnings.simplefilter("once")  # one line for each symbol missing from the fonts
            report.write(found, out)
    for text, *_, verdict in found.claims.rows:
        click.echo(f"{verdict}: {text}", err=True)
    for section in found.sections:
        if section.gap:
            click.echo(f"{section.title}: not available: {section.gap}", err=True)
    click.echo(out / "report.html")
