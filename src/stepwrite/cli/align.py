"""`stepwrite align`: alignments and oracle actions, as text or JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from stepwrite.cli.options import ReadingOptions, plot_option, reading_options
from stepwrite.data.examples import Example, name_of
from stepwrite.errors import DataError, shown
from stepwrite.terminal import progress_bar

if TYPE_CHECKING:
    from stepwrite.transducer.actions import Action
    from stepwrite.transducer.alignment import Alignment

NOTHING = "·"  # the empty side of an insertion or deletion in text output


@click.command()
@click.argument("file")
@click.option(
    "--aligner",
    type=click.Choice(["crp", "edit"]),
    default="crp",
    show_default=True,
    help="crp: Chinese restaurant process, learnt from the whole file. edit: edit distance.",
)
@click.option(
    "--sweeps",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="Gibbs sampling sweeps over the file (crp).",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Random seed of the sampling (crp).",
)
@click.option("--actions", is_flag=True, help="Also show the oracle actions.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "jsonl"]),
    default="text",
    show_default=True,
    help="text: two aligned lines per word. jsonl: one JSON object per line.",
)
@plot_option
@click.option("--word", metavar="LEMMA", help="The word to draw [default: the first in the file].")
@reading_options
def align(
    file: str,
    aligner: Literal["crp", "edit"],
    sweeps: int,
    seed: int,
    actions: bool,
    output_format: str,
    plot: Path | None,
    word: str | None,
    reading: ReadingOptions,
) -> None:
    """Align each lemma in FILE ('-': standard input) with its form, symbol by symbol.

    \b
    Examples:
      stepwrite align train.tsv
      stepwrite align --actions --format jsonl train.tsv > aligned.jsonl
      head -100 train.tsv | stepwrite align --aligner edit -
      stepwrite align train.tsv --plot flog.svg --word flog
    """
    import stepwrite
    from stepwrite.transducer.actions import oracle

    if word is not None and plot is None:
        raise click.UsageError("--word needs --plot FILE")
    examples = reading.read(file, needs_form=True)
    reading.report_skipped()
    drawn = 0
    if word is not None:
        drawn = next((k for k, example in enumerate(examples) if example.lemma == word), -1)
        if drawn < 0:
            raise DataError(f"no row has the lemma {shown(word)}", path=name_of(file))
    with progress_bar("aligning") as progress:
        alignments = stepwrite.align(
            examples,
            aligner=aligner,
            sweeps=sweeps,
            seed=seed,
            spaced=reading.spaced,
            progress=progress,
        )
    if plot is not None:
        _draw(examples[drawn], alignments[drawn], plot)
    lines = _jsonl if output_format == "jsonl" else _text
    for example, alignment in zip(examples, alignments, strict=True):
        print(*lines(example, alignment, oracle(alignment) if actions else ()), sep="\n")


def _draw(example: Example, alignment: Alignment, path: Path) -> None:
    from stepwrite.analysis import figures
    from stepwrite.analysis.alignments import path_of
    from stepwrite.transducer.actions import oracle

    title = figures.phrase(example.lemma, "→", example.form)
    view = path_of(alignment.lemma, oracle(alignment))
    figures.save(figures.alignments({"oracle": view}, title, example.features), path)


def _jsonl(example: Example, alignment: Alignment, actions: Sequence[Action]) -> Iterator[str]:
    row: dict[str, object] = {**example._asdict(), "alignment": alignment.pairs}
    if actions:
        row["actions"] = [str(action) for action in actions]
    yield json.dumps(row, ensure_ascii=False)


def _text(example: Example, alignment: Alignment, actions: Sequence[Action]) -> Iterator[str]:
    from rich.cells import cell_len

    upper, lower = [], []
    for pair in alignment.pairs:
        # A combining mark has no width: put it on a space.
        cells = [symbol or NOTHING for symbol in pair]
        cells = [cell if cell_len(cell) else f" {cell}" for cell in cells]
        width = max(map(cell_len, cells))
        left, right = (cell + " " * (width - cell_len(cell)) for cell in cells)
        upper.append(left)
        lower.append(right)
    yield f"{example.lemma} + {example.features or '-'} -> {example.form}"
    yield f"  {' '.join(upper).rstrip()}"
    yield f"  {' '.join(lower).rstrip()}"
    if actions:
        yield f"  {' '.join(map(str, actions))}"
    yield ""
