"""Train on benchmark data and report test accuracy: each member alone, and their vote.

    python -m benchmarks.accuracy --data DIR german navajo celex-0
    python -m benchmarks.accuracy --data DIR --preset paper --members 1 celex-0

Models go to runs/, results to results/accuracy/NAME-PRESET.json and the table beside them. A
run that was stopped goes on; one that has ended is only measured again. Test sets are read
here and nowhere else.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import click

from stepwrite.data import Example, open_examples
from stepwrite.evaluation import score
from stepwrite.inflector import Inflector
from stepwrite.model import CONFIG, load_model

CELEX = "celex/13SIA-13SKE_2PIE-13PKE_2PKE-z_rP-pA_{fold}.{part}.txt"


def file_of(data: Path, name: str, part: str) -> Path:
    if name.startswith("celex-"):
        return data / CELEX.format(fold=name.removeprefix("celex-"), part=part)
    return data / f"sigmorphon2016/{name}-task1-{part}"


def train(data: Path, name: str, preset: str, members: int, model: Path) -> None:
    if (model / CONFIG).exists():
        return
    command = [sys.executable, "-m", "stepwrite", "train"]
    if (model / "training" / "plan.json").exists():
        command += ["--resume", str(model)]
    else:
        files = [str(file_of(data, name, "train")), "--dev", str(file_of(data, name, "dev"))]
        command += [*files, "--out", str(model), "--preset", preset, "--members", str(members)]
    subprocess.run(command, check=True)


def exact_match(inflector: Inflector, test: list[Example]) -> dict[str, float]:
    predictions = inflector.batch((example.lemma, example.features) for example in test)
    estimate = score(test, [(prediction.form,) for prediction in predictions]).exact_match
    return {key: round(100 * value, 4) for key, value in vars(estimate).items()}


def measure(data: Path, name: str, model: Path) -> dict[str, Any]:
    loaded = load_model(model)
    test = list(open_examples(file_of(data, name, "test")))
    alone = [
        exact_match(Inflector(replace(loaded, members=(member,))), test)["value"]
        for member in loaded.members
    ]
    return {
        "data": name,
        "rows": len(test),
        "preset": loaded.about["training"]["preset"],
        "training": loaded.about["training"],
        "members": loaded.about["members"],
        "vote_dev": 100 * loaded.about["vote_dev_accuracy"],
        "test_by_member": alone,
        "test_vote": exact_match(Inflector(loaded), test),
    }


def table(folder: Path) -> str:
    """Markdown, from all results that are there."""
    lines = [
        "| data | preset | members | one model (mean ± sd) | first three | vote | 95 % interval "
        "| vote on dev | minutes a member |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for path in sorted(folder.glob("*.json")):
        result = json.loads(path.read_text("utf-8"))
        alone, vote = result["test_by_member"], result["test_vote"]
        spread = f" ± {stdev(alone):.2f}" if len(alone) > 1 else ""
        minutes = mean(member["seconds"] for member in result["members"]) / 60
        lines.append(
            f"| {result['data']} | {result['preset']} | {len(alone)} | {mean(alone):.2f}{spread} "
            f"| {mean(alone[:3]):.2f} | {vote['value']:.2f} | {vote['low']:.2f} to "
            f"{vote['high']:.2f} | {result['vote_dev']:.2f} | {minutes:.1f} |"
        )
    return "\n".join(lines) + "\n"


@click.command()
@click.argument("names", nargs=-1)
@click.option("--data", type=Path, default=os.environ.get("STEPWRITE_DATA"), required=True)
@click.option("--preset", type=click.Choice(["default", "paper"]), default="default")
@click.option("--members", type=int, default=5)
@click.option("--models", type=Path, default=Path("runs"))
@click.option("--out", type=Path, default=Path("results/accuracy"))
def main(
    names: tuple[str, ...], data: Path, preset: str, members: int, models: Path, out: Path
) -> None:
    """Train and measure NAMES: sigmorphon2016 languages, or celex-0 to celex-4."""
    out.mkdir(parents=True, exist_ok=True)
    for name in names:
        model = models / f"{name}-{preset}"
        train(data, name, preset, members, model)
        result = measure(data, name, model)
        text = json.dumps(result, indent=1) + "\n"
        (out / f"{name}-{preset}.json").write_text(text, "utf-8")
    text = table(out)
    (out / "README.md").write_text(f"# Test accuracy\n\n{text}", "utf-8")
    click.echo(text)


if __name__ == "__main__":
    main()
