"""Check for every row in a data folder that the oracle actions write the form.

    python scripts/check_oracle.py DATA_DIR

Each file is aligned as a whole. For each row `execute(lemma, oracle(alignment))` must give the
form, with positions that never go back; the exit code is 1 if any row fails. If the folder contains
the German training file of SIGMORPHON 2016, the time to align it is measured, too.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from statistics import median

from stepwrite.data.examples import open_examples
from stepwrite.data.segmentation import Segmentation
from stepwrite.errors import DataError
from stepwrite.transducer.actions import execute, oracle
from stepwrite.transducer.alignment import ChineseRestaurantAligner, WordPair

SPEED_FILE = "german-task1-train"
SPEED_RUNS = 5


@dataclass(frozen=True)
class Checked:
    """The result for one file."""

    n_rows: int
    n_actions: int
    failures: list[str]


def data_files(folder: Path) -> list[Path]:
    """All data files, so that an unreadable one is noticed."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".md" and path.name != "SHA256SUMS"
    )


def word_pairs(path: Path, every: int = 1) -> list[WordPair]:
    file = open_examples(path, needs_form=True)
    segmentation = Segmentation(form_spaced=file.layout.form_spaced)
    return [
        (segmentation.lemma(example.lemma), segmentation.form(example.form))
        for example in islice(file, 0, None, every)
    ]


def check(pairs: list[WordPair]) -> Checked:
    n_actions, failures = 0, []
    for (lemma, form), alignment in zip(
        pairs, ChineseRestaurantAligner().align(pairs), strict=True
    ):
        actions = oracle(alignment)
        done = execute(lemma, actions)
        n_actions += len(actions)
        goes_back = any(later < earlier for earlier, later in pairwise(done.positions))
        if done.form != form or goes_back:
            failures.append(f"{' '.join(lemma)} -> {' '.join(form)}: {' '.join(map(str, actions))}")
    return Checked(len(pairs), n_actions, failures)


def seconds_to_align(pairs: list[WordPair]) -> Iterator[float]:
    """The time of several runs, after one that compiles the code or loads it from the cache."""
    aligner = ChineseRestaurantAligner()
    aligner.align(pairs[:10])
    for _ in range(SPEED_RUNS):
        start = time.perf_counter()
        aligner.align(pairs)
        yield time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", default=os.environ.get("STEPWRITE_DATA"))
    parser.add_argument("--every", type=int, default=1, help="only every n-th row of each file")
    arguments = parser.parse_args()
    if not arguments.folder:
        parser.error("no folder: give one, or set STEPWRITE_DATA")
    files = data_files(Path(arguments.folder))
    if not files:
        sys.exit(f"{arguments.folder}: no data files")

    start = time.perf_counter()
    n_rows = n_failures = 0
    for number, path in enumerate(files, 1):
        try:
            checked = check(word_pairs(path, arguments.every))
        except DataError as error:
            sys.exit(str(error))
        n_rows += checked.n_rows
        n_failures += len(checked.failures)
        print(
            f"{number:3}/{len(files)} {time.perf_counter() - start:6.1f} s "
            f"{checked.n_rows:7,} rows {checked.n_actions / checked.n_rows:6.2f} actions per row "
            f"{len(checked.failures)} failures  {path.name}",
            flush=True,
        )
        for failure in checked.failures[:5]:
            print(f"    {failure}")
    print(f"{n_rows:,} rows, {n_failures} failures, {time.perf_counter() - start:.1f} s")
    for path in files:
        if path.name == SPEED_FILE:
            times = sorted(seconds_to_align(word_pairs(path, arguments.every)))
            print(
                f"aligning {path.name}: {median(times):.2f} s "
                f"(median of {SPEED_RUNS}, {times[0]:.2f} to {times[-1]:.2f})"
            )
    sys.exit(1 if n_failures else 0)


if __name__ == "__main__":
    main()
