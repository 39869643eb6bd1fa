"""`stepwrite paradigm`: all forms of words, in tables."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from math import exp
from typing import TYPE_CHECKING, Any

import click

from stepwrite.cli.inflect import visible
from stepwrite.cli.options import lexicon_option
from stepwrite.data.examples import Layout, open_examples, write_rows

if TYPE_CHECKING:
    from stepwrite.morphology.paradigms import Cell, Paradigm

CHUNK = 64  # lemmas inflected together, so that the first tables come soon
ATTESTED = {True: "yes", False: "no", None: ""}


@click.command()
@click.argument("model")
@click.argument("lemmas", metavar="[LEMMA]...", nargs=-1)
@click.option("--file", "file", help="Take the lemmas from a file's first column ('-': stdin).")
@click.option("--pos", help="The part of speech [default: guessed from the lemma's ending].")
@click.option(
    "--feature",
    "features",
    metavar="NAME=VALUE",
    multiple=True,
    help="Only cells with this value; names are those of `stepwrite info`. For what belongs to "
    "the word, such as a noun's gender, it takes the place of a guess.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "tsv", "jsonl"]),
    default="table",
    show_default=True,
    help="tsv: lemma, features, form, probability, attested; jsonl: a paradigm a line.",
)
@lexicon_option
def paradigm(
    model: str,
    lemmas: tuple[str, ...],
    file: str | None,
    pos: str | None,
    features: tuple[str, ...],
    output_format: str,
    lexicon: Any,
) -> None:
    """Show all forms of each LEMMA that MODEL, a directory or a name, can give.

    The cells are those that its training data had for the part of speech. Beside each form
    stands its probability, and * where the model's lexicon attests it.

    \b
    Examples:
      stepwrite paradigm german-nouns Haus
      stepwrite paradigm german-nouns Band --feature gender=MASC
      stepwrite paradigm english run --pos V --format tsv
      cat lemmas.txt | stepwrite paradigm english --file - --format jsonl
    """
    from stepwrite.inflector import Inflector

    if bool(lemmas) == (file is not None):
        raise click.UsageError("give either LEMMA or --file")
    fixed = dict(named_value(text) for text in features)
    inflector = Inflector.load(model, lexicon=lexicon)
    if file is not None:
        rows = open_examples(file, Layout("lemmas", ("lemma",)), allow_extra=True)
        lemmas = tuple(example.lemma for example in rows)

    def paradigms() -> Iterator[Paradigm]:
        for start in range(0, len(lemmas), CHUNK):
            yield from inflector.paradigms(lemmas[start : start + CHUNK], pos, **fixed)

    if output_format == "table":
        show_tables(paradigms())
    elif output_format == "tsv":
        write_rows(
            sys.stdout,
            (
                [p.lemma, c.features, c.form, f"{exp(c.score):.4f}", ATTESTED[c.attested]]
                for p in paradigms()
                for c in p.cells
            ),
        )
    else:
        for found in paradigms():
            click.echo(json.dumps(asdict(found), ensure_ascii=False))


def named_value(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"{text!r}: expected NAME=VALUE", param_hint="--feature")
    return name, value


def show_tables(paradigms: Iterable[Paradigm]) -> None:
    for number, found in enumerate(paradigms):
        if number:
            click.echo()
        click.echo(visible(heading(found)))
        for line in columns_of(table_texts(found)):
            click.echo(visible(line))


def heading(found: Paradigm) -> str:
    """The word, its part of speech and features, and which of these are guesses."""
    named = {"part of speech": found.pos, **found.values}
    said = (
        (value if name == "part of speech" else f"{name}={value}")
        + (" (guessed)" if name in found.guessed else "")
        for name, value in named.items()
        if value
    )
    return ", ".join([found.lemma, *said])


def table_texts(found: Paradigm) -> list[list[str]]:
    """The table as texts: a row of headings, then a row a line."""
    table = found.layout()
    headings = [*table.slots, *(column or "-" for column in table.columns)]
    if table.column_slot is None:
        headings[-1] = "form"
    return [
        headings,
        *([*(v or "-" for v in row.values), *map(cell_text, row.cells)] for row in table.rows),
    ]


def cell_text(cell: Cell | None) -> str:
    return f"{cell.form} {exp(cell.score):.2f}{'*' * bool(cell.attested)}" if cell else ""


def columns_of(rows: list[list[str]]) -> Iterator[str]:
    """Lines with the texts below each other, whatever the width of their characters."""
    from rich.cells import cell_len

    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        padded = (
            text + " " * (width - cell_len(text)) for text, width in zip(row, widths, strict=True)
        )
        yield "  ".join(padded).rstrip()
