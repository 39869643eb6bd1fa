"""`stepwrite complete`: fill the empty cells of a table of paradigms."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from stepwrite.cli.options import ReadingOptions, reading_options
from stepwrite.terminal import progress_bar

if TYPE_CHECKING:
    from stepwrite.data.sheets import Sheet, SheetCell
    from stepwrite.fieldwork.completion import Filled

CERTAINTY = "certainty"  # a heading that every command that reads tables ignores


@click.command()
@click.argument("model")
@click.argument("table_file", metavar="TABLE", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The table to write [default: TABLE's name with -completed].",
)
@click.option("--data", metavar="FILE", help="The training data [default: the file it was].")
@click.option(
    "--least",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="Leave cells empty whose form is less certain than this (0 to 1).",
)
@reading_options
def complete(
    model: str,
    table_file: Path,
    out: Path | None,
    data: str | None,
    least: float,
    reading: ReadingOptions,
) -> None:
    """Fill the empty cells of TABLE, a table of paradigms, using the forms that are given.

    TABLE has one row per lemma and one column per cell, or one row per form (CSV, TSV, xlsx, ods).
    Given forms show to which inflection class a word belongs, so the more there are, the better.
    A table of the same kind is written, in which filled cells are coloured (xlsx and ods), and a
    column says how certain each filled form is.

    \b
    Examples:
      stepwrite complete models/latin partial.xlsx
      stepwrite complete models/latin partial.csv --out full.csv --least 0.8
      stepwrite complete models/latin partial.xlsx --data train.xlsx
    """
    import stepwrite
    from stepwrite.data.columns import understand
    from stepwrite.data.tables import read_table, write_table
    from stepwrite.errors import StepwriteError
    from stepwrite.fieldwork.collected import collected
    from stepwrite.fieldwork.completion import complete as completed

    if reading.spaced:
        raise click.UsageError("--spaced can't be used here: the model defines its own symbols")
    out = out or table_file.with_stem(f"{table_file.stem}-completed")
    inflector = stepwrite.load(model)
    sheet = understand(read_table(table_file, reading.sheet), reading.layout)
    click.echo("\n".join(sheet.summary()), err=True)
    cells = list(sheet.cells())
    if any(cell.column < 0 for cell in cells):
        raise StepwriteError(f"{table_file}: no column of forms to fill: add one, named form")
    if all(cell.example.form for cell in cells):
        raise StepwriteError(f"{table_file}: nothing to fill: no cell is empty")
    try:
        rows = collected(inflector.model, data)
    except StepwriteError as error:
        click.echo(f"only the table's own words are compared: {error}", err=True)
        rows = []
    with progress_bar("completing") as progress:
        found = completed(inflector, [cell.example for cell in cells], rows, progress)
    filled = {
        cell: found[number]
        for number, cell in enumerate(cells)
        if number in found and found[number].probability >= least
    }
    write_table(
        out,
        with_filled(sheet, filled),
        sheet.table.style if out.suffix == table_file.suffix else None,  # by its own ending
        marked={(cell.row, cell.column) for cell in filled},
    )
    mean = sum(form.probability for form in filled.values()) / max(1, len(filled))
    left = f"; {len(found) - len(filled)} left empty" if len(found) > len(filled) else ""
    click.echo(f"{len(filled)} cells filled, mean certainty {mean:.2f}{left}", err=True)
    click.echo(out)


def with_filled(sheet: Sheet, filled: Mapping[SheetCell, Filled]) -> list[list[str]]:
    """The rows of the table with the new forms and a last column of their certainties."""
    rows = [list(row.cells) for row in sheet.table.rows]
    notes: dict[int, list[str]] = {}
    for cell, form in filled.items():
        rows[cell.row][cell.column] = form.form
        said = f"{form.probability:.2f}"
        if sheet.is_wide:
            said = f"{sheet.table.rows[0].cells[cell.column]} {said}"
        notes.setdefault(cell.row, []).append(said)
    for number, row in enumerate(rows):
        is_heading = number < sheet.n_header
        row.append(CERTAINTY if is_heading else ", ".join(notes.get(number, ())))
    return rows
