"""What the command line says beside its results: lines on stderr that begin with its name."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from stepwrite.morphology.spelling import spellings
from stepwrite.terminal import visible

if TYPE_CHECKING:
    from stepwrite.inflector import Inflector

LONGEST = 1_500  # characters: most of a screen of 24 lines of 80
MOST_LEMMAS, MOST_CELLS = 3, 2  # that are named where a form was given for a lemma


def say(message: Warning | str, *_: Any, **__: Any) -> None:
    click.echo(brief(f"stepwrite: {message}"), err=True)


def say_lemmas(inflector: Inflector, word: str) -> None:
    """If a word is no lemma that the lexicon has, but a form of some, name them."""
    lexicon = inflector.model.lexicon
    if lexicon is None or any(spelt in lexicon for spelt in spellings(word)):
        return
    cells: dict[str, list[str]] = {}
    for lemma, features in inflector.lemmas(word):
        cells.setdefault(lemma, []).append(features)
    for lemma in list(cells)[:MOST_LEMMAS]:
        some = ", ".join(cells[lemma][:MOST_CELLS]) + ", ..." * (len(cells[lemma]) > MOST_CELLS)
        say(f"{visible(word)} is a form of the lemma {visible(lemma)} ({some})")


def brief(message: str) -> str:
    """A message that fits on a screen, without its middle if it is longer.

    >>> len(brief("x" * 1_000_000)) <= LONGEST
    True
    >>> brief("\\n" * 100).count("\\n")
    20
    """
    lines = message.split("\n")
    if len(lines) > 21:
        message = "\n".join([*lines[:10], "…", *lines[-10:]])
    if len(message) <= LONGEST:
        return message
    half = (LONGEST - 3) // 2
    return f"{message[:half]} … {message[-half:]}"


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Show warnings by their messages alone: files and lines of Python mean nothing to users."""
    with warnings.catch_warnings():
        warnings.showwarning = say
        yield
