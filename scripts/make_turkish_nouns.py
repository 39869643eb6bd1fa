"""Make the small data set of Turkish nouns from the words in `languages/words`.

    python scripts/make_turkish_nouns.py examples/turkish-nouns

One cell of each noun, all nouns in one of three files. The same words give the same files on every
machine, as with `make_demo_data.py`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from language_build.dictionaries.turkish import noun_forms
from language_build.sources import written
from make_demo_data import sample, write_splits

from stepwrite import Example

N_TRAIN, N_DEV = 300, 150


def paradigms() -> Iterator[list[Example]]:
    for lemma, accusative in written("tur-nouns.tsv", 2):
        yield [Example(lemma, f"N;{tags}", form) for tags, form in noun_forms(lemma, accusative)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where to write the files")
    options = parser.parse_args()
    every = list(paradigms())
    sizes = {"train": N_TRAIN, "dev": N_DEV, "test": len(every) - N_TRAIN - N_DEV}
    write_splits(options.folder, sample(every, sizes, n_cells=1))


if __name__ == "__main__":
    main()
