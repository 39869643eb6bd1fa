"""How honest are the probabilities of the models that ship?

    python -m benchmarks.calibration --data runs/languages

On the test sets of `scripts/build_languages.py data`, whose lemmas no model was trained on, and
without the lexicon: the expected calibration error, in ten bins of equal width, and how many of the
forms are right that are said to be at least 99 % sure.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean

import click

from stepwrite import Inflector, read
from stepwrite.data.examples import LAYOUTS
from stepwrite.files import write_whole
from stepwrite.model.directory import load_model
from stepwrite.model.pretrained import available

BINS = 10
SURE = 0.99
MOST_ROWS = 2_000


def calibration_error(probabilities: Sequence[float], right: Sequence[bool]) -> float:
    """The distance of probability and accuracy, averaged over forms.

    >>> calibration_error([0.95, 0.95, 0.95, 0.95], [True, True, True, False])
    0.2
    >>> calibration_error([1.0, 0.0], [True, False])
    0.0
    """
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for probability, is_right in zip(probabilities, right, strict=True):
        bins[min(int(BINS * probability), BINS - 1)].append((probability, is_right))
    gaps = (
        len(found) * abs(mean(p for p, _ in found) - mean(r for _, r in found))
        for found in bins
        if found
    )
    return round(sum(gaps) / len(probabilities), 6)


def measure(model: Path, test: Path) -> dict[str, float]:
    rows = read(test, layout=LAYOUTS["sigmorphon2016"])[:MOST_ROWS]
    inflector = Inflector(replace(load_model(model), lexicon=None))
    predictions = inflector.batch([row[:2] for row in rows], warn=False)
    right = [p.form == row.form for p, row in zip(predictions, rows, strict=True)]
    sure = [r for p, r in zip(predictions, right, strict=True) if p.probability >= SURE]
    return {
        "rows": len(rows),
        "accuracy": mean(right),
        "error": calibration_error([p.probability for p in predictions], right),
        "sure": len(sure) / len(rows),
        "sure_and_right": mean(sure) if sure else 0.0,
    }


@click.command()
@click.argument("languages", nargs=-1)
@click.option("--data", type=click.Path(exists=True, path_type=Path), default="runs/languages")
@click.option("--out", type=Path, default=Path("results/calibration"), show_default=True)
def main(languages: tuple[str, ...], data: Path, out: Path) -> None:
    """Measure the models of LANGUAGES (ISO 639-3 codes; all that are installed by default)."""
    out.mkdir(parents=True, exist_ok=True)
    figures: dict[str, dict[str, float]] = {}
    for shipped in available():
        test = data / shipped.iso / "test.tsv"
        wanted = not languages or shipped.iso in languages
        if wanted and shipped.iso not in figures and test.exists() and test.stat().st_size:
            figures[shipped.iso] = found = measure(shipped.path, test)
            click.echo(f"{shipped.iso}: {100 * found['error']:.1f} points")
    with write_whole(out / "figures.json") as file:
        file.write(json.dumps(figures, indent=1) + "\n")
    with write_whole(out / "README.md") as file:
        file.write(table(figures))


def table(figures: dict[str, dict[str, float]]) -> str:
    worst = max(found["error"] for found in figures.values())
    lines = [
        "# Calibration",
        "",
        "Written by `python -m benchmarks.calibration`. Unseen lemmas, without the lexicon: "
        "accuracy; the expected calibration error in ten bins, in points; the share of forms said "
        "to be at least 99 % sure, and how many of these are right.",
        "",
        f"Mean error of {len(figures)} languages: "
        f"{100 * mean(found['error'] for found in figures.values()):.1f} points; largest "
        f"{100 * worst:.1f}.",
        "",
        "| language | rows | accuracy | error | sure | right of these |",
        "|---|---|---|---|---|---|",
        *(
            f"| {iso} | {found['rows']:.0f} | {100 * found['accuracy']:.1f} "
            f"| {100 * found['error']:.1f} | {100 * found['sure']:.1f} "
            f"| {100 * found['sure_and_right']:.1f} |"
            for iso, found in sorted(figures.items())
        ),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
