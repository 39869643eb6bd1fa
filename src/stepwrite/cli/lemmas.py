"""`stepwrite lemmas`: from forms back to the words that they are forms of."""

from __future__ import annotations

import sys

import click

from stepwrite.cli.messages import say
from stepwrite.data.examples import Layout, open_examples, write_rows
from stepwrite.terminal import visible


@click.command()
@click.argument("model")
@click.argument("forms", metavar="[FORM]...", nargs=-1)
@click.option("--file", "file", help="Read forms from the first column of a file ('-': stdin).")
def lemmas(model: str, forms: tuple[str, ...], file: str | None) -> None:
    """List the lemmas that have each FORM in the lexicon of MODEL, with its features.

    One line for each cell: form, lemma, features. Forms that the lexicon lacks are named on stderr.

    \b
    Examples:
      stepwrite lemmas german ging Häuser
      cut -f 1 words.tsv | stepwrite lemmas finnish --file - > lemmas.tsv
    """
    import stepwrite

    if bool(forms) == (file is not None):
        raise click.UsageError("give either FORM or --file")
    inflector = stepwrite.load(model)
    if inflector.model.lexicon is None:
        raise stepwrite.StepwriteError(f"{model} has no lexicon: train it with --lexicon")
    if file is not None:
        rows = open_examples(file, Layout("forms", ("lemma",)), allow_extra=True)
        forms = tuple(example.lemma for example in rows)
    for form in dict.fromkeys(forms):
        found = inflector.lemmas(form)
        write_rows(sys.stdout, ([form, lemma, features] for lemma, features in found))
        if not found:
            say(f"{visible(form)}: not in the lexicon")
