"""Make the example data of German nouns from the PyPI package `german-nouns`.

    pip install german-nouns==1.2.5
    python scripts/make_demo_data.py examples/german-nouns

The same table gives the same files on every machine and Python version, because sampling depends
on hashes of the lemmas, not on a random number generator.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

from stepwrite import Example, write

SEED = "stepwrite"
N_LEMMAS = {"train": 2500, "dev": 250, "test": 250}
CELLS_OF_LEMMA = 2
N_UNSEEN, N_BEFORE, LONG = 1250, 9000, 9
"""Of `unseen.tsv`: its lemmas, one cell of each. They come after those that the shipped model was
trained and tested with, and have so many letters at least, as shorter ones are in its lexicon."""
GENDERS = {"m": "MASC", "f": "FEM", "n": "NEUT"}
CASES = {"nominativ": "NOM", "genitiv": "GEN", "dativ": "DAT", "akkusativ": "ACC"}
NUMBERS = {"singular": "SG", "plural": "PL"}
COARSE = re.compile("arsch|fick|fotze|hure|möse|neger|nutte|piss|porn|scheiß|sex|titte|zigeuner")
"""Dictionaries contain such words, but example data does not need them."""


def is_plain(word: str) -> bool:
    """Whether it is one capitalised word: no affix, acronym, digit, hyphen or second word."""
    return len(word) > 2 and word.isalpha() and word[0].isupper() and word[1:].islower()


def the_form(row: Mapping[str, str], cell: str) -> str | None:
    """The form of a cell; None if it has none or several competing ones.

    `*` marks a second form. In the dative this is the archaic one in -e, which is ignored. In the
    genitive most nouns allow -s and -es, and which of them comes first in the table is arbitrary:
    always taking the shorter one leaves something that can be learnt.

    >>> row = {"genitiv singular": "Talentes", "genitiv singular*": "Talents"}
    >>> the_form(row, "genitiv singular")
    'Talents'
    """
    form, second = row[cell], row.get(f"{cell}*", "")
    if not is_plain(form) or any(row.get(f"{cell} {number}") for number in range(1, 5)):
        return None
    if not second or (cell == "dativ singular" and second == f"{form}e"):
        return form
    short, long = sorted((form, second), key=len)
    if cell == "genitiv singular" and short[-1] == "s" and long == f"{short[:-1]}es":
        return short
    return None


def paradigm(row: Mapping[str, str]) -> list[Example]:
    """The cells of a noun; none if it is not a common noun of one gender."""
    lemma, gender = row["lemma"], GENDERS.get(row["genus"])
    adjectival = any(row[column] for column in row if column.endswith(" stark"))
    if row["pos"] != "Substantiv" or gender is None or adjectival:
        return []
    if not is_plain(lemma) or COARSE.search(lemma.lower()):
        return []
    forms = {
        f"N;{gender};{case};{number}": form
        for case_name, case in CASES.items()
        for number_name, number in NUMBERS.items()
        if (form := the_form(row, f"{case_name} {number_name}"))
    }
    # The table has a few errors: forms of another word, or a masculine noun marked as feminine.
    singular = {form for features, form in forms.items() if features.endswith("SG")}
    if forms.get(f"N;{gender};NOM;SG") != lemma or (gender == "FEM" and singular != {lemma}):
        return []
    return [Example(lemma, features, form) for features, form in forms.items()]


def paradigms(table: Path) -> Iterator[list[Example]]:
    """The paradigms of all lemmas that occur once in the table: the others have homonyms."""
    with table.open(encoding="utf-8", newline="") as file:
        rows = [
            {column: unicodedata.normalize("NFC", cell) for column, cell in row.items()}
            for row in csv.DictReader(file)
        ]
    n_rows = Counter(row["lemma"] for row in rows)
    for row in rows:
        cells = paradigm(row)
        if n_rows[row["lemma"]] == 1 and len(cells) >= CELLS_OF_LEMMA:
            yield cells


def draw(*key: str) -> bytes:
    """A pseudo-random but reproducible value for sorting keys."""
    return hashlib.sha256("\t".join((SEED, *key)).encode()).digest()


def shuffled(all_paradigms: Iterable[list[Example]]) -> list[list[Example]]:
    """The lemmas in random order, and so the cells of each."""
    return [
        sorted(cells, key=lambda cell: draw(*cell))
        for cells in sorted(all_paradigms, key=lambda cells: draw(cells[0].lemma))
    ]


def sample(
    all_paradigms: Iterable[list[Example]],
    sizes: Mapping[str, int] = N_LEMMAS,
    n_cells: int = CELLS_OF_LEMMA,
) -> dict[str, list[Example]]:
    """Lemma-disjoint splits: each lemma contributes some of its cells to one of them."""
    ordered = iter(shuffled(all_paradigms))
    return {
        split: sorted(
            example
            for cells in (next(ordered) for _ in range(n_lemmas))
            for example in cells[:n_cells]
        )
        for split, n_lemmas in sizes.items()
    }


def unseen(all_paradigms: Iterable[list[Example]]) -> list[Example]:
    """A test set of lemmas that the shipped model knows nothing of, one cell of each."""
    rest = (cells[0] for cells in shuffled(all_paradigms)[N_BEFORE:])
    return sorted(islice((cell for cell in rest if len(cell.lemma) >= LONG), N_UNSEEN))


def installed_table() -> Path | None:
    package = find_spec("german_nouns")
    folders = package.submodule_search_locations if package else None
    return Path(folders[0], "nouns.csv") if folders else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where to write the files")
    parser.add_argument("table", type=Path, nargs="?", help="nouns.csv of german-nouns 1.2.5")
    options = parser.parse_args()
    table = options.table or installed_table()
    if table is None or not table.is_file():
        parser.error(f"no table at {table}: pip install german-nouns==1.2.5, or give its path")
    every = list(paradigms(table))
    write_splits(options.folder, {**sample(every), "unseen": unseen(every)})


def write_splits(folder: Path, splits: Mapping[str, Sequence[Example]]) -> None:
    """Write one file of each, and print the checksums."""
    folder.mkdir(parents=True, exist_ok=True)
    for split, examples in splits.items():
        path = folder / f"{split}.tsv"
        write(path, examples, layout="unimorph")
        print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}")


if __name__ == "__main__":
    main()
