"""The command line: one module a verb, imported only when its verb is called.

`stepwrite --help` and `stepwrite inflect` must answer at once, so nothing heavy is
imported here, and each verb imports what it needs inside its own function.
"""

from __future__ import annotations

import io
import os
import sys
from importlib import import_module
from typing import Any

import click

from stepwrite import __version__
from stepwrite.cli.messages import plain_warnings
from stepwrite.errors import StepwriteError

VERBS = {
    "train": "Train a model, or several that vote.",
    "inflect": "Inflect words with a model.",
    "paradigm": "Show all forms of words in tables.",
    "models": "List the models that ship.",
    "serve": "Serve models over HTTP, with a page to try them on.",
    "evaluate": "Score predictions the way the shared tasks do.",
    "info": "Say what a model was trained on and what it knows.",
    "analyse": "Look inside models: curves, alignments, states, mistakes.",
    "align": "Align lemmas with forms; show the oracle's actions.",
    "baseline": "Inflect with prefix and suffix rules learnt from a training file.",
    "reproduce": "Train and score the models of a published experiment.",
    "results": "Write the tables of experiments from their scores.",
    "data": "Get and check the data of the published experiments.",
}


class LazyGroup(click.Group):
    """A group that knows its verbs' names and one-line helps without importing them."""

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
            print(end="", flush=True)  # now a full disk or a closed pipe can still be handled
        except KeyboardInterrupt:
            ctx.exit(130)  # as the shell has it: 128 + SIGINT


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
    """Run the command line; a user's mistake costs one line on stderr and exit code 1."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # as all files are, whatever the locale
    # The products here are too small to be shared out: a second thread only waits and burns.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        stepwrite(prog_name="stepwrite")
    except StepwriteError as error:
        print(f"stepwrite: {error}", file=sys.stderr)
        sys.exit(1)
    except OSError as error:
        # Files report their own failures, click sees to closed pipes: stdout can't be written.
        print(f"stepwrite: {error.filename or '<stdout>'}: {error.strerror}", file=sys.stderr)
        # What is left in the buffer must not fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
