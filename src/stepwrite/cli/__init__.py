"""The command line: one module per command, imported only when the command is called.

`stepwrite --help` and `stepwrite inflect` must start fast, so nothing heavy is imported here,
and each command imports what it needs inside its own function.
"""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module
from typing import Any

import click

from stepwrite import __version__
from stepwrite.cli.messages import brief, plain_warnings, say
from stepwrite.errors import StepwriteError

VERBS = {
    "train": "Train a model or an ensemble.",
    "inflect": "Inflect words with a model.",
    "paradigm": "Show all forms of a word in a table.",
    "lemmas": "Find the lemmas of forms in the lexicon.",
    "models": "List the pretrained models.",
    "serve": "Serve models over HTTP, with a demo page.",
    "evaluate": "Score a model or predictions like the shared tasks.",
    "report": "Report how good a model is, and likely errors in its data.",
    "suggest": "List the cells whose forms would help a model most.",
    "complete": "Fill the empty cells of a table of paradigms.",
    "info": "Show training data, settings and vocabulary of a model.",
    "analyse": "Analyse models: learning curves, attention, states, errors.",
    "align": "Align lemmas with forms and show the oracle actions.",
    "augment": "Show what splicing and hallucination make of training examples.",
    "baseline": "Inflect with learnt prefix and suffix rules, without a network.",
    "reproduce": "Train and score the models of a published experiment.",
    "results": "Write the result tables of experiments.",
    "data": "Download and check the data of the published experiments.",
}


class LazyGroup(click.Group):
    """A group that knows the names and short help of its commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        module = import_module(f"stepwrite.cli.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with plain_warnings():
                super().invoke(ctx)
            print(end="", flush=True)  # while a full disk or a closed pipe can still be handled
        except click.ClickException as error:
            vars(error)["message"] = brief(error.message)  # it may repeat what the user gave
            raise
        except KeyboardInterrupt:
            ctx.exit(130)  # the shell's convention: 128 + SIGINT


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="stepwrite")
def stepwrite() -> None:
    """Morphological inflection with hard monotonic attention: lemma + features -> form.

    \b
    Examples:
      stepwrite train train.tsv --dev dev.tsv --out models/german --members 5
      stepwrite inflect models/german Haus 'N;NEUT;DAT;PL'
      stepwrite evaluate models/german test.tsv
      stepwrite align --actions train.tsv
    """


def main() -> None:
    """Run the command line; errors in the input print one line and exit with code 1."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # like all files, whatever the locale
    # The matrix products are too small for threads: a second one would only burn CPU time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        stepwrite(prog_name="stepwrite")
    except StepwriteError as error:
        say(str(error))
        sys.exit(1)
    except OSError as error:
        # Files report their own errors and click handles closed pipes: stdout can't be written.
        print(f"stepwrite: {error.filename or '<stdout>'}: {error.strerror}", file=sys.stderr)
        # Flushing the rest of the buffer must not fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
