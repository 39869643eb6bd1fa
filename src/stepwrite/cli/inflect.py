"""`stepwrite inflect`: forms for one word, or for a file of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from stepwrite.cli.messages import say, say_lemmas
from stepwrite.cli.options import (
    ReadingOptions,
    any_script_option,
    executor_options,
    lexicon_option,
    plot_option,
    reading_options,
    unknown_features_option,
)
from stepwrite.data.examples import Example, write_rows
from stepwrite.errors import shown
from stepwrite.terminal import visible

if TYPE_CHECKING:
    from stepwrite.inflector import Inflector
    from stepwrite.prediction import Prediction

SHOWN = 40  # symbols written last that --explain shows


@click.command()
@click.argument("model")
@click.argument("lemma", required=False)
@click.argument("features", nargs=-1)
@click.option("--file", "file", help="Inflect the rows of a file in any layout ('-': stdin).")
@click.option(
    "--n-best",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="How many forms to give for a word, best first.",
)
@click.option(
    "--beam", type=click.IntRange(min=1), help="Width of the beam [default: --n-best; 1: greedy]."
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["tsv", "jsonl"]),
    default="tsv",
    show_default=True,
    help="tsv: the form, or with --file the file's rows with it; further forms after it. "
    "jsonl: also scores, votes and actions.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With --file: write to this file, which can be resumed, instead of stdout; compressed if "
    "its name ends in .gz or .zst.",
)
@click.option("--resume", is_flag=True, help="Go on with an --out that was interrupted.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="With --file: processes that inflect at the same time.",
)
@executor_options("With --file: inflect on this machine, or on a Ray cluster.")
@click.option("--explain", is_flag=True, help="Show each action and the symbol attended at it.")
@plot_option
@click.option(
    "--tie",
    type=click.Choice(["score", "shortest"]),
    default="score",
    show_default=True,
    help="Who wins when members disagree: the best total score, or the authors' rule.",
)
@lexicon_option
@unknown_features_option
@any_script_option
@reading_options
def inflect(
    model: str,
    lemma: str | None,
    features: tuple[str, ...],
    file: str | None,
    n_best: int,
    beam: int | None,
    output_format: Any,
    out: Path | None,
    resume: bool,
    jobs: int,
    executor: str,
    address: str | None,
    explain: bool,
    plot: Path | None,
    tie: Any,
    lexicon: Any,
    unknown_features: Any,
    any_script: bool,
    reading: ReadingOptions,
) -> None:
    """Inflect LEMMA by FEATURES, or each row of a file, with MODEL: a directory, or a name.

    FEATURES are UniMorph tags in any order, case=DAT,number=PL, English words, or features of
    Universal Dependencies with the part of speech in front. Whatever they leave open, such as the
    gender of a noun, is filled in from the lexicon or guessed, and reported on stderr.

    The rows of a file are written with predicted forms, in its layout; a file without a form
    column gets one as its last. Forms that it may hold are not looked at. Files may be larger than
    memory, and compressed (.gz, .zst); all rows are checked before the first is written.

    \b
    Examples:
      stepwrite inflect german-nouns Haus 'N;NEUT;DAT;PL'
      stepwrite inflect german-nouns Haus dative plural
      stepwrite inflect german-nouns Haus 'NOUN|Case=Dat|Number=Plur'
      stepwrite inflect models/german --explain Haus 'N;NEUT;DAT;PL'
      stepwrite inflect models/german --explain --plot haus.svg Haus 'N;NEUT;DAT;PL'
      stepwrite inflect models/german --file covered.tsv > predictions.tsv
      cat words.tsv | stepwrite inflect models/german --file - --n-best 5 --format jsonl
      stepwrite inflect german --file words.tsv.gz --out forms.tsv.gz --jobs 8
      stepwrite inflect german --file words.tsv.gz --out forms.tsv.gz --jobs 8 --resume
      stepwrite inflect german --file words.tsv --out forms.tsv --executor ray --address auto
    """
    import stepwrite

    if (lemma is None) == (file is None):
        raise click.UsageError("give either LEMMA and FEATURES, or --file")
    if explain and output_format == "jsonl":
        raise click.UsageError("--format jsonl holds the actions already: leave --explain out")
    if plot is not None and not (explain and file is None):
        raise click.UsageError("--plot draws what --explain shows of one word")
    if reading.spaced:
        raise click.UsageError("--spaced is for training: the model knows what its symbols are")
    _check_bulk_options(file, out, resume, jobs, executor, address, explain)
    inflector = stepwrite.load(
        model,
        tie=tie,
        lexicon=lexicon,
        unknown_features=unknown_features,
        any_script=any_script,
    )
    if file is not None and not explain:
        from stepwrite.cli.inflect_file import executor_of, inflect_file

        chosen = executor_of(executor, jobs, address)
        wanted = {"output_format": output_format, "n_best": n_best, "beam": beam}
        inflect_file(inflector, reading, file, wanted, chosen, out, resume=resume)
        return
    examples = (
        [Example(lemma or "", " ".join(features))] if file is None else list(reading.open(file))
    )
    reading.report_skipped()
    if file is not None:
        from stepwrite.bulk.rows import check_row

        for number, example in enumerate(examples, 1):
            check_row(lambda row: inflector.resolve(*row[:2]), example, file, number)
    for prediction in inflector.batch(examples, n_best=n_best, beam=beam, attention=explain):
        if not prediction.complete:
            from stepwrite.bulk.chunks import cut_off

            say(cut_off(prediction))
        if explain:
            _explain(inflector, prediction)
            if plot is not None:
                _draw(inflector, prediction, plot)
        elif output_format == "jsonl":
            click.echo(json.dumps(prediction.to_json(), ensure_ascii=False))
        else:
            write_rows(sys.stdout, ([form] for form in prediction.forms[:n_best]))
            _comment(inflector, prediction, n_best)


def _check_bulk_options(
    file: str | None,
    out: Path | None,
    resume: bool,
    jobs: int,
    executor: str,
    address: str | None,
    explain: bool,
) -> None:
    if (out or resume or jobs > 1 or executor != "local") and (file is None or explain):
        raise click.UsageError(
            "--out, --resume, --jobs and --executor are for --file without --explain"
        )
    if resume and (out is None or file == "-"):
        raise click.UsageError("--resume goes on with an --out, and reads the same --file again")
    if address and executor == "local":
        raise click.UsageError("--address is for --executor ray")


def _comment(inflector: Inflector, prediction: Prediction, n_best: int) -> None:
    """What there is to know about a single form: what was filled in, and how sure it is."""
    if prediction.notes:
        say(f"{visible(prediction.features)}: {', '.join(map(visible, prediction.notes))}")
    if prediction.attested and (others := prediction.forms[n_best:]):
        say(f"also attested: {', '.join(map(visible, others))}")
    if prediction.attested is False:
        say(f"a guess, not in the lexicon; probability {prediction.probability:.2f}")
        say_lemmas(inflector, prediction.lemma)
    for doubt in prediction.doubts:
        say(f"doubtful: {doubt}")
    cells = inflector.model.cells
    if cells is not None and (nearest := cells.nearest(prediction.features)) is not None:
        say(
            f"training never showed the features {shown(prediction.features)} together; the "
            f"nearest that it did: {visible(nearest)}"
        )


def _explain(inflector: Inflector, prediction: Prediction) -> None:
    """A table: each action, the attended symbol, what has been written so far.

    With soft attention, the symbol attended most, and its weight.
    """
    from rich.cells import cell_len

    def cell(text: str, width: int) -> str:
        return text + " " * (width - cell_len(text))

    join = prediction.segmentation.join_form
    n_members = len(inflector.model.members)
    click.echo(
        visible(f"{prediction.lemma} + {prediction.features or '-'} -> {prediction.form}   ")
        + f"probability {prediction.probability:.4f}, {prediction.votes} of {n_members} votes"
        + {True: ", attested", False: ", not attested", None: ""}[prediction.attested]
        + ("" if prediction.complete else ", cut off")
    )
    if prediction.attention is None:
        weights, heading = [""] * len(prediction.steps), ""
    else:
        weights, heading = [f"{max(row):.4f} " for row in prediction.attention], "weight "
    click.echo(f"{'attended':<10} {heading}{'action':<12} written")
    written: list[str] = []
    for move, weight in zip(prediction.steps, weights, strict=True):
        if move.written:
            written.append(move.written)
        # Only the latest of a long word, or the table would be as large as its square.
        latest, more = written[-SHOWN:], "…" * (len(written) > SHOWN)
        forward = prediction.direction == "forward"
        text = more + join(latest) if forward else join(latest[::-1]) + more
        attended = move.attended or ("(end)" if move.position else "(begin)")
        row = f"{cell(visible(attended), 10)} {weight}{cell(visible(str(move.action)), 12)} "
        click.echo((row + visible(text)).rstrip())
    for other in prediction.alternatives:
        click.echo(f"or {visible(other.form)}   probability {other.probability:.4f}")
    click.echo()


def _draw(inflector: Inflector, prediction: Prediction, path: Path) -> None:
    from stepwrite.analysis import figures
    from stepwrite.analysis.alignments import view

    seen = view(prediction)
    title = figures.phrase(prediction.lemma, "→", prediction.form)
    name = inflector.model.network.kind
    figures.save(figures.alignments({name: seen}, title, prediction.features), path)
