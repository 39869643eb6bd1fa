"""How many words of running text are written right by the models that ship?

    export STEPWRITE_CORPORA=DIR
    python scripts/build_languages.py data --without ud --data runs/no-ud
    python scripts/build_languages.py train --data runs/no-ud --runs runs/no-ud-models --out M
    python -m benchmarks.running_text --models M

Content words of Universal Dependencies' treebanks, `DIR/ud/ISO.tsv`, asked for by lemma and
features as the treebank has them, weighted by how often they occur. The models are those that ship,
built without these words. A request that is refused counts as wrong.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import click

from stepwrite import Inflector, StepwriteError, load
from stepwrite.files import write_whole

BATCH = 2_000
TREEBANKS = {"hbs": "hrv"}  # files that are not named like the model's language


@dataclass
class Figures:
    """Counts of running words."""

    words: int = 0
    right: int = 0
    known: int = 0
    known_right: int = 0
    refused: int = 0
    wrong: Counter[tuple[str, str, str, str, str]] = field(default_factory=Counter)

    def add(self, row: tuple[str, str, str], got: str, how: str, times: int) -> None:
        right = got == row[2]
        self.words += times
        self.right += times * right
        self.known += times * (how == "known")
        self.known_right += times * (how == "known" and right)
        self.refused += times * (how == "refused")
        if not right:
            self.wrong[(*row, got, how)] += times


def measure(inflector: Inflector, path: Path) -> Figures:
    asked: list[tuple[tuple[str, str, str], int]] = []
    figures = Figures()
    for row, times in rows_of(path):
        try:
            inflector.resolve(row[0], row[1])
        except StepwriteError as error:
            figures.add(row, str(error), "refused", times)
        else:
            asked.append((row, times))
    for start in range(0, len(asked), BATCH):
        part = asked[start : start + BATCH]
        predictions = inflector.batch([row[:2] for row, _ in part])
        for (row, times), prediction in zip(part, predictions, strict=True):
            how = "known" if prediction.attested else "guessed"
            figures.add(row, prediction.form, how, times)
    return figures


def rows_of(path: Path) -> Iterator[tuple[tuple[str, str, str], int]]:
    for line in path.read_text("utf-8").splitlines():
        lemma, form, features, times = line.split("\t")
        # Finnish lemmas mark where compounds are joined.
        yield (lemma.replace("#", ""), features, form), int(times)


@click.command()
@click.argument("languages", nargs=-1)
@click.option("--corpora", type=Path, envvar="STEPWRITE_CORPORA", required=True)
@click.option("--models", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--out", type=Path, default=Path("results/running-text"), show_default=True)
@click.option("--mistakes", type=Path, help="write the wrong forms of each language to this folder")
def main(
    languages: tuple[str, ...], corpora: Path, models: Path, out: Path, mistakes: Path | None
) -> None:
    """Measure LANGUAGES (ISO 639-3 codes; all by default) on words of running text."""
    for folder in filter(None, (out, mistakes)):
        folder.mkdir(parents=True, exist_ok=True)
    for folder in sorted(models.iterdir()):
        inflector = load(folder)
        iso = inflector.model.about.shipped.iso if inflector.model.about.shipped else ""
        path = corpora / f"ud/{TREEBANKS.get(iso, iso)}.tsv"
        if not path.exists() or (languages and iso not in languages):
            continue
        figures = measure(inflector, path)
        counts = asdict(figures)
        del counts["wrong"]
        with write_whole(out / f"{iso}.json") as file:
            file.write(json.dumps(counts, indent=1) + "\n")
        click.echo(f"{iso} {line(counts)}")
        if mistakes:
            with write_whole(mistakes / f"{iso}.tsv") as file:
                for row, times in figures.wrong.most_common():
                    file.write("\t".join((*row, str(times))) + "\n")
    with write_whole(out / "README.md") as file:
        file.write(table(out))


def line(counts: dict[str, int]) -> str:
    words, known = counts["words"], counts["known"]
    return (
        f"| {words:,} | {100 * counts['right'] / words:.1f} | {100 * known / words:.1f} "
        f"| {100 * counts['known_right'] / max(known, 1):.1f} "
        f"| {100 * (counts['right'] - counts['known_right']) / max(words - known, 1):.1f} "
        f"| {100 * counts['refused'] / words:.1f} |"
    )


def table(out: Path) -> str:
    by_iso = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(out.glob("*.json"))}
    mean = sum(100 * counts["right"] / counts["words"] for counts in by_iso.values()) / len(by_iso)
    lines = [
        "# Words of running text",
        "",
        "Written by `python -m benchmarks.running_text`. Content words of Universal Dependencies' "
        "treebanks, weighted by how often they occur, asked for by lemma and features. Nothing in "
        "the lexicons and training sets used here comes from these files. In %: of all words; of "
        "the words that the lexicon knows in that cell; of the others (guessed, or refused).",
        "",
        f"Mean of {len(by_iso)} languages: {mean:.1f} %.",
        "",
        "| language | words | right | in lexicon | right of these | right of others | refused |",
        "|---|---|---|---|---|---|---|",
        *(f"| {iso} {line(counts)}" for iso, counts in by_iso.items()),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
