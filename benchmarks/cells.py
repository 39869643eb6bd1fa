"""How well part of speech and lexical features of unseen lemmas are guessed from their endings.

    python -m benchmarks.cells --data DIR

Trained on each training set, evaluated on the lemmas of its test set that are not in it. Writes
results/cells/README.md.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import click

from stepwrite import Example, read
from stepwrite.files import write_whole
from stepwrite.morphology.cells import Cells, head_pos, values_of

LANGUAGES = [
    "arabic",
    "finnish",
    "georgian",
    "german",
    "hungarian",
    "maltese",
    "navajo",
    "russian",
    "spanish",
    "turkish",
]


def line(name: str, train: Sequence[Example], test: Sequence[Example]) -> str:
    """A row of the table."""
    cells = Cells.fit((example.lemma, example.features) for example in train)
    known = {example.lemma for example in train}
    bundles: dict[str, Counter[str]] = defaultdict(Counter)
    for example in test:
        if example.lemma not in known:
            bundles[example.lemma][example.features] += 1
    values = values_of({features for found in bundles.values() for features in found})
    right, total = Counter[str](), Counter[str]()
    for lemma, found in bundles.items():
        [(features, _)] = found.most_common(1)
        pos = head_pos(features)
        total["part of speech"] += 1
        right["part of speech"] += cells.pos.guess(lemma) == pos
        for slot, endings in cells.lexical.get(pos, {}).items():
            if slot in values[features]:
                what = f"{slot} of {pos}"
                total[what] += 1
                right[what] += endings.guess(lemma) == values[features][slot]
    lexical = [f"{slot} of {pos}" for pos, slots in cells.lexical.items() for slot in slots]

    def share(what: str) -> str:
        return f"{100 * right[what] / total[what]:.1f} % of {total[what]}" if total[what] else "-"

    guessed = "; ".join(f"{what}: {share(what)}" for what in lexical) or "none"
    return f"| {name} | {share('part of speech')} | {guessed} |"


@click.command()
@click.option("--data", type=click.Path(path_type=Path, exists=True), required=True)
@click.option("--out", type=Path, default=Path("results/cells"))
def main(data: Path, out: Path) -> None:
    files = {
        name: [data / f"sigmorphon2016/{name}-task1-{part}" for part in ("train", "test")]
        for name in LANGUAGES
    }
    nouns = Path("examples/german-nouns")
    files["examples/german-nouns"] = [nouns / "train.tsv", nouns / "test.tsv"]
    rows = [line(name, *map(read, pair)) for name, pair in files.items()]
    text = "\n".join(
        [
            "# Guesses from endings",
            "",
            "Written by `python -m benchmarks.cells`: correct guesses for lemmas of the test set",
            "that do not occur in training, and the features found to be lexical.",
            "",
            "| data | part of speech | lexical features |",
            "| --- | --- | --- |",
            *rows,
        ]
    )
    out.mkdir(parents=True, exist_ok=True)
    with write_whole(out / "README.md") as file:
        file.write(f"{text}\n")
    click.echo(text)


if __name__ == "__main__":
    main()
