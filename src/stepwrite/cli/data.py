"""`stepwrite data`: the data files of the published experiments."""

from __future__ import annotations

from pathlib import Path

import click

from stepwrite.errors import StepwriteError

FOLDER = click.Path(file_okay=False, path_type=Path)


@click.group()
def data() -> None:
    """Download and check the data of the published experiments.

    The experiments are celex, sigmorphon2016, wiktionary, conll2017-low, conll2017-medium,
    conll2017-high, g2p2021-medium and g2p2021-low; instead of a name you can give the path of an
    experiment file of your own (.toml).

    \b
    Examples:
      stepwrite data get sigmorphon2016 --to data
      stepwrite data check data sigmorphon2016
    """


@data.command()
@click.argument("name")
@click.option("--to", "folder", type=FOLDER, required=True, help="The data folder.")
@click.option(
    "--base-url",
    metavar="URL",
    default="",
    help="Download from a mirror, a copy of a data folder at this address.",
)
def get(name: str, folder: Path, base_url: str) -> None:
    """Download the files of experiment NAME and verify their checksums.

    Files that are already correct are kept, and interrupted downloads are resumed. Training files
    of `wiktionary` that have no address are rebuilt from their sources.

    \b
    Examples:
      stepwrite data get celex --to data
      stepwrite data get celex --to data --base-url http://mirror.example/inflection
    """
    from stepwrite.experiments.definition import DataFile, check_file, load_experiment
    from stepwrite.experiments.download import address, download
    from stepwrite.experiments.rebuilding import rebuild
    from stepwrite.files import held
    from stepwrite.terminal import progress_bar

    if base_url and not base_url.startswith(("http://", "https://")):
        raise click.BadParameter(f"{base_url!r} is not an http(s) address", param_hint="--base-url")
    experiment = load_experiment(name)
    for dataset in experiment.datasets:
        if not dataset.files:
            click.echo(f"{dataset.name}: {dataset.note}", err=True)
    no_address = []

    def fetch(file: DataFile) -> None:
        """Download a file that is not there, or not right, and say so."""
        path = folder / file.path
        if check_file(folder, file) is None:
            click.echo(f"ok       {path}")
        elif not address(file, base_url):
            no_address.append(str(path))
        else:
            with progress_bar(path.name) as progress:
                download(file, folder, base_url, progress)
            click.echo(f"fetched  {path}")

    with held(folder):
        for dataset in experiment.datasets:
            train = dataset.train
            # A mirror has the rebuilt file itself.
            to_rebuild = train and train.rebuilt_by and not base_url and check_file(folder, train)
            for file in dataset.files:
                if not (to_rebuild and file == train):
                    fetch(file)
            if to_rebuild and train:
                for source in train.sources:
                    fetch(source)
                rebuild(dataset, folder)
                click.echo(f"rebuilt  {folder / train.path}")
    if no_address:
        raise StepwriteError(
            f"{', '.join(no_address)}: no known address; put it there by hand, or give --base-url"
        )


@data.command()
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.argument("names", metavar="[NAME]...", nargs=-1)
def check(folder: Path, names: tuple[str, ...]) -> None:
    """Verify the checksums of the files in DIR, for all experiments or for each NAME.

    Prints one line per file: ok, missing or wrong. The exit code is 1 unless all are ok.

    \b
    Examples:
      stepwrite data check data
      stepwrite data check data celex sigmorphon2016
    """
    from stepwrite.experiments.definition import (
        EXPERIMENTS,
        check_file,
        data_folder,
        load_experiment,
    )

    folder = data_folder(folder)
    experiments = map(load_experiment, names or EXPERIMENTS)
    files = dict.fromkeys(file for experiment in experiments for file in experiment.files)
    n_bad = 0
    for file in files:
        path = folder / file.path
        problem = check_file(folder, file)
        n_bad += problem is not None
        if problem is None:
            click.echo(f"ok       {path}")
        elif not path.exists():
            click.echo(f"missing  {path}")
        else:
            click.echo(f"wrong    {problem}")
    if n_bad:
        raise StepwriteError(f"{n_bad} of {len(files)} files missing or wrong")
