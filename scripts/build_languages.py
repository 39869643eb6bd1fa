"""Build the data and the models of all languages from their declarations, `languages/*.toml`.

    pip install --no-deps -r languages/requirements.txt
    npm install --prefix languages
    export STEPWRITE_CORPORA=DIR NODE_PATH=languages/node_modules
    python scripts/build_languages.py data             # of all languages
    python scripts/build_languages.py train deu fin    # models of some, two at a time
    python scripts/build_languages.py train --executor ray --address HOST:6379
    python scripts/build_languages.py lexicon swe      # new data for a model as it ships
    python scripts/build_languages.py table            # results/languages.md, -cleaning.md

Training is resumed where it was interrupted; a model whose training has ended is measured and
written again, and nothing more. `--set hidden=200` and the like are settings of `stepwrite train`.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from language_build import table
from language_build.data import MOST_LEMMAS, build, write
from language_build.declaration import Language, declared
from language_build.models import PACKAGES, Folder, finish, planned
from language_build.sources import Places

from stepwrite import StepwriteError
from stepwrite.files import write_whole
from stepwrite.training.workers import Unit, Update, train_units

RESULTS = Path("results")


def data(chosen: Sequence[Language], options: argparse.Namespace) -> None:
    for language in chosen:
        places = Places.from_environment()
        built = build(language, places, options.lemmas, options.without)
        summary = write(language, built, options.data, options.rows, options.hold_common)
        say(
            f"{language.iso}: {summary['rows']} rows, {summary['lemmas']} lemmas, train "
            f"{summary['train']}, dev {summary['dev']}, lexicon {summary['lexicon bytes']} bytes"
        )


def train(chosen: Sequence[Language], options: argparse.Namespace) -> None:
    settings = {name: number(text) for name, text in (s.split("=", 1) for s in options.set)}
    by_folder = {options.runs / language.iso: language for language in chosen}
    left, units = Counter[Path](), list[Unit]()
    for folder, language in by_folder.items():
        rows = Folder(options.data / language.iso)
        units += planned(language, rows, folder, options.members, settings)
    left.update(unit.folder for unit in units)
    for folder, language in by_folder.items():
        if not left[folder]:
            done(language, folder, options)
    with closing(executor(options)(units)) as news:
        for update in news:
            if update.accuracy is not None and not update.ended:
                say(
                    f"{update.folder.name} member {update.member} epoch {update.epoch}: "
                    f"dev {100 * update.accuracy:.2f} %, "
                    f"{update.examples_per_second:.0f} examples/s"
                )
            if update.ended:
                left[update.folder] -= 1
                if not left[update.folder]:
                    done(by_folder[update.folder], update.folder, options)


def lexicon(chosen: Sequence[Language], options: argparse.Namespace) -> None:
    """Give models that ship the lexicon and the cells of new data, and measure them again.

    Lemmas are held out by their spelling alone, so no network has seen those of a new test set.
    """
    for language in chosen:
        done(language, PACKAGES[language.package] / language.model, options)


def executor(options: argparse.Namespace) -> Any:
    if options.executor == "ray":
        from stepwrite.experiments.cluster import train_on_cluster

        return partial(train_on_cluster, address=options.address)

    def local(units: Sequence[Unit]) -> Generator[Update, None, None]:
        return train_units(units, options.jobs)

    return local


def done(language: Language, folder: Path, options: argparse.Namespace) -> None:
    start = time.monotonic()
    shipped = finish(language, Folder(options.data / language.iso), folder, options.out)
    common = shipped.common
    say(
        f"{language.iso}: dev {100 * shipped.dev.accuracy:.2f} %, as trained "
        f"{100 * shipped.dev.in_single_precision:.2f}; test {100 * shipped.test.accuracy:.2f}"
        + (f"; common words {100 * common.without_lexicon:.2f} alone" if common else "")
        + f"; measured in {time.monotonic() - start:.0f} s"
    )


def tables(chosen: Sequence[Language], options: argparse.Namespace) -> None:
    by_iso = {language.iso: language for language in chosen}
    for name, text in (
        ("languages.md", table.table(by_iso, options.data)),
        ("languages-cleaning.md", table.cleaning(by_iso, options.data)),
    ):
        with write_whole(RESULTS / name) as file:
            file.write(text)


def number(text: str) -> float | int | str:
    """A setting's value.

    >>> number("128"), number("0.2"), number("always")
    (128, 0.2, 'always')
    """
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def say(line: str) -> None:
    print(line, flush=True)


STEPS = {"data": data, "train": train, "lexicon": lexicon, "table": tables}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("step", choices=STEPS)
    parser.add_argument("languages", nargs="*", metavar="ISO", help="all languages by default")
    parser.add_argument("--data", type=Path, default=Path("runs/languages"), help="of languages")
    parser.add_argument("--runs", type=Path, default=Path("runs/language-models"))
    parser.add_argument("--rows", type=int, help="of a training set")
    parser.add_argument("--lemmas", type=int, default=MOST_LEMMAS, help="of a lexicon")
    parser.add_argument(
        "--hold-common", action="store_true", help="keep the common lemmas out of training"
    )
    parser.add_argument(
        "--without", action="append", default=[], metavar="READER", help="a source to leave out"
    )
    parser.add_argument("--out", type=Path, help="of models; by default, the packages they ship in")
    parser.add_argument("--members", type=int, default=1, help="of each model")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--jobs", type=int, default=2, help="members trained at the same time")
    parser.add_argument("--executor", choices=["local", "ray"], default="local")
    parser.add_argument("--address", help="of the Ray cluster")
    options = parser.parse_args()
    known = declared()
    if unknown := [iso for iso in options.languages if iso not in known]:
        parser.error(f"no declaration languages/{unknown[0]}.toml")
    chosen = [known[iso] for iso in options.languages or known]
    try:
        STEPS[options.step](chosen, options)
    except StepwriteError as error:
        parser.exit(1, f"{error}\n")


if __name__ == "__main__":
    main()
