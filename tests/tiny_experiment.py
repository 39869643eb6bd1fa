"""An experiment with a few dozen made-up words, for testing experiment runs."""

from __future__ import annotations

import hashlib
import random
import sys
from pathlib import Path

ENDINGS = {"pos=PAST": "ed", "pos=HERE": "s"}
SETTINGS = (
    "hidden = 24, embedding = 16, feature_embedding = 4, "
    "batch = 8, rate = 0.02, dropout = 0.0, average = 0.0"
)


def make_experiment(folder: Path, *, epochs: int = 14, shuffle: bool = False) -> Path:
    """Write data and tiny.toml: two datasets, and two columns that are parts of both.

    `shuffle` makes it of other words.
    """
    letters = random.Random(5 if shuffle else 4)
    lines = [
        'title = "Tiny"',
        'models = ["hard", "soft"]',
        "members = 2",
        'notes = ["Made up."]',
        f"overrides = [{{ settings = {{ epochs = {epochs}, {SETTINGS} }} }}]",
    ]
    for key, part in (("P", "pos=PAST"), ("H", "pos=HERE")):
        lines += ["[[columns]]", f'key = "{key}"', f'title = "{part}"']
        lines += ['datasets = ["one", "two"]', f'part = "{part}"']
    lines += ["[[published]]", 'system = "Hard"', 'source = "Aharoni & Goldberg (2017)"']
    lines += ["scores = { P = 90.0, H = 80.0 }", "average = 85.0"]
    for name in ("one", "two"):
        lines += ["[[datasets]]", f'name = "{name}"', f'title = "Number {name}"']
        for part, n_words in (("train", 40), ("dev", 10), ("test", 20)):
            stems = ["".join(letters.choices("aekls", k=3)) for _ in range(n_words)]
            rows = [
                f"{stem}\t{features}\t{stem}{ending}\n"
                for stem in stems
                for features, ending in ENDINGS.items()
            ]
            path = folder / "data" / name / f"{part}.tsv"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(rows), "utf-8")
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            lines.append(f'{part} = {{ path = "{name}/{part}.tsv", sha256 = "{digest}" }}')
    path = folder / "tiny.toml"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def command(folder: Path, *options: str, out: str = "out") -> list[str]:
    """Run it, with runs and results in separate folders."""
    places = ["--data", folder / "data", "--runs", folder / out / "runs"]
    places += ["--results", folder / out / "results"]
    arguments = ("reproduce", folder / "tiny.toml", *places, *options)
    return [sys.executable, "-m", "stepwrite", *map(str, arguments)]


def tables(folder: Path, out: str = "out") -> dict[str, str]:
    """The tables that must be the same however the experiment was run."""
    home = folder / out / "results" / "tiny"
    return {name: (home / name).read_text("utf-8") for name in ("table.md", "table.tsv")}
