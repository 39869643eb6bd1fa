"""`stepwrite paradigm`: all forms of a word in a table."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from stepwrite.cli.messages import say_lemmas
from stepwrite.cli.options import any_script_option, lexicon_option
from stepwrite.data.examples import Layout, open_examples, write_rows

if TYPE_CHECKING:
    from stepwrite.morphology.paradigms import Paradigm

CHUNK = 64  # lemmas per batch, so that the first tables appear soon
ATTESTED = {True: "yes", False: "no", None: ""}


@click.command()
@click.argument("model")
@click.argument("lemmas", metavar="[LEMMA]...", nargs=-1)
@click.option("--file", "file", help="Read lemmas from the first column of a file ('-': stdin).")
@click.option("--pos", help="The part of speech [default: the lexicon's, or guessed].")
@click.option(
    "--feature",
    "features",
    metavar="NAME=VALUE",
    multiple=True,
    help="Only cells with this value (see `stepwrite info` for names). Replaces the guess for "
    "lexical features such as the gender of a noun.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "tsv", "jsonl"]),
    default="table",
    show_default=True,
    help="tsv: lemma, features, form, probability, attested; jsonl: one paradigm per line.",
)
@lexicon_option
@any_script_option
def paradigm(
    model: str,
    lemmas: tuple[str, ...],
    file: str | None,
    pos: str | None,
    features: tuple[str, ...],
    output_format: str,
    lexicon: Any,
    any_script: bool,
) -> None:
    """Show all forms of each LEMMA, using MODEL (a directory or the name of a pretrained model).

    The cells are those of its part of speech in the training data. Each form is shown with its
    probability, and with * if it is attested in the lexicon of the model. Where the lexicon has a
    lemma with several parts of speech or genders, there is a table of each.

    \b
    Examples:
      stepwrite paradigm german-nouns Haus
      stepwrite paradigm german-nouns Band --feature gender=MASC
      stepwrite paradigm english run --pos V --format tsv
      cat lemmas.txt | stepwrite paradigm english --file - --format jsonl
    """
    import stepwrite

    if bool(lemmas) == (file is not None):
        raise click.UsageError("give either LEMMA or --file")
    fixed = dict(named_value(text) for text in features)
    inflector = stepwrite.load(model, lexicon=lexicon, any_script=any_script)
    if file is not None:
        rows = open_examples(file, Layout("lemmas", ("lemma",)), allow_extra=True)
        lemmas = tuple(example.lemma for example in rows)

    def paradigms() -> Iterator[Paradigm]:
        for start in range(0, len(lemmas), CHUNK):
            for found in inflector.paradigms(lemmas[start : start + CHUNK], pos, **fixed):
                yield from (found,) if output_format != "tsv" else (found, *found.also)

    if output_format == "table":
        for number, found in enumerate(paradigms()):
            click.echo(f"\n{found}" if number else str(found))
            if lexicon != "off":
                say_lemmas(inflector, found.lemma)
    elif output_format == "tsv":
        write_rows(
            sys.stdout,
            (
                [p.lemma, c.features, c.form, f"{c.probability:.4f}", ATTESTED[c.attested]]
                for p in paradigms()
                for c in p.cells
            ),
        )
    else:
        for found in paradigms():
            click.echo(json.dumps(found.to_json(), ensure_ascii=False))


def named_value(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"{text!r}: expected NAME=VALUE", param_hint="--feature")
    return name, value
