"""`stepwrite results`: the result tables of experiments, from their score files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from stepwrite.experiments.definition import Experiment


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option(
    "--results",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("results"),
    show_default=True,
    help="Folder of the score files.",
)
@click.option("--short", is_flag=True, help="Print only the published rows and our ensembles.")
def results(names: tuple[str, ...], folder: Path, short: bool) -> None:
    """Write the result tables from the score files of `stepwrite reproduce`.

    Writes table.md, table.tsv and speed.md to RESULTS/NAME for each NAME (celex, sigmorphon2016,
    wiktionary, conll2017-low, conll2017-medium, conll2017-high, g2p2021-medium, g2p2021-low, or
    the path of a .toml file; by default all that have scores).

    \b
    Examples:
      stepwrite results
      stepwrite results celex --short
    """
    from stepwrite.errors import StepwriteError
    from stepwrite.experiments.definition import EXPERIMENTS, load_experiment

    names = names or tuple(name for name in EXPERIMENTS if (folder / name).is_dir())
    if not names:
        raise StepwriteError(f"{folder}: no scores; make some with: stepwrite reproduce NAME")
    for name in names:
        click.echo(write_tables(load_experiment(name), folder, short=short))


def write_tables(experiment: Experiment, folder: Path, *, short: bool = False) -> str:
    """Write the tables and return the text to print."""
    from stepwrite.errors import StepwriteError
    from stepwrite.experiments import pages, tables
    from stepwrite.experiments.scores import read_scores
    from stepwrite.files import sweep, write_whole

    home = folder / experiment.name
    scores = read_scores(home, experiment.datasets)
    if not scores:
        raise StepwriteError(f"{home}: no score files")
    page = pages.markdown(experiment, scores)
    speed = pages.speed_markdown(experiment, scores)
    files = {"table.md": page, "table.tsv": tables.tsv(experiment, scores), "speed.md": speed}
    sweep(home)
    for name, text in files.items():
        with write_whole(home / name) as file:
            file.write(text)
    return pages.short_markdown(experiment, scores) if short else f"{page}\n{speed}"
