"""Kill a real training run ten times with -9, resume it, and compare with an uninterrupted one.

    python -m benchmarks.resume --data DIR --epochs 3

The weights must be bit-identical. (`make test` does the same with a tiny model.)
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "stepwrite", "train", *map(str, arguments)]


@click.command()
@click.option("--data", type=Path, default=os.environ.get("STEPWRITE_DATA"), required=True)
@click.option("--language", default="german", show_default=True)
@click.option("--epochs", type=int, default=3, show_default=True)
@click.option("--kills", type=int, default=10, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed for the kill times.")
@click.option("--out", type=Path, default=Path("results/resume"))
def main(data: Path, language: str, epochs: int, kills: int, seed: int, out: Path) -> None:
    """Train twice on a language of SIGMORPHON 2016, once with repeated kills."""
    files = [data / f"sigmorphon2016/{language}-task1-{part}" for part in ("train", "dev")]
    with tempfile.TemporaryDirectory() as folder:
        whole, pieces = Path(folder) / "whole", Path(folder) / "pieces"
        start = time.monotonic()
        given = (files[0], "--dev", files[1], "--epochs", epochs, "--out")
        subprocess.run(command(*given, whole), check=True)
        seconds = time.monotonic() - start
        moments = random.Random(seed)
        waits: list[float] = []
        n_killed = 0
        for _ in range(kills):
            resume = (pieces / "training" / "plan.json").exists()
            arguments = ("--resume", pieces) if resume else (*given, pieces)
            process = subprocess.Popen(command(*arguments), start_new_session=True)
            # Up to longer than an epoch, so that each attempt can make some progress.
            waits.append(round(moments.uniform(0, 1.2 * seconds / epochs + 5), 1))
            try:
                process.wait(waits[-1])
                break  # it finished before it could be killed
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                n_killed += 1
        if not (pieces / "config.json").exists():
            subprocess.run(command("--resume", pieces), check=True)
        weights = [folder / "member-1.safetensors" for folder in (whole, pieces)]
        result = {
            "language": language,
            "epochs": epochs,
            "kills": n_killed,
            "seconds_before_each_kill": waits,
            "same_weights": weights[0].read_bytes() == weights[1].read_bytes(),
        }
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{language}.json").write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    click.echo(json.dumps(result, indent=1))
    sys.exit(0 if result["same_weights"] else 1)


if __name__ == "__main__":
    main()
