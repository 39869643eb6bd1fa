"""Run fuzz targets, in several processes if asked, and write their figures."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import platform
import sys
import time
from pathlib import Path

from stepwrite import __version__
from stepwrite.files import write_whole

from .tally import run_target

TARGETS = {  # inputs in the quick run and in the full campaign
    "rows": (20_000, 10_000_000),
    "bundles": (2_000, 1_000_000),
    "model_directories": (500, 100_000),
    "requests": (500, 1_000_000),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", help=f"of {', '.join(TARGETS)} [default: all]")
    parser.add_argument("--full", action="store_true", help="as many inputs as the campaign")
    parser.add_argument("--count", type=int, help="inputs for each target")
    parser.add_argument("--seed", type=int, default=1, help="of the first process [default: 1]")
    parser.add_argument("--jobs", type=int, default=1, help="processes [default: 1]")
    parser.add_argument("--out", type=Path, help="update the figures in this JSON file")
    options = parser.parse_args()
    if unknown := set(options.targets) - TARGETS.keys():
        parser.error(f"unknown target: {', '.join(sorted(unknown))}")
    n_failures = 0
    for target in options.targets or TARGETS:
        count = options.count or TARGETS[target][options.full]
        figures = run(target, count, options.seed, options.jobs)
        n_failures += figures["failures"]
        if options.out:
            update(options.out, target, figures)
    return int(n_failures > 0)


def run(target: str, count: int, seed: int, jobs: int) -> dict[str, int]:
    start = time.perf_counter()
    shares = [(target, -(-count // jobs), seed + k) for k in range(jobs)]
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        failures = pool.starmap(run_target, shares)
    seconds = round(time.perf_counter() - start)
    return {"tried": jobs * shares[0][1], "failures": sum(failures), "seed": seed, "jobs": jobs} | {
        "seconds": seconds
    }


def update(path: Path, target: str, figures: dict[str, int]) -> None:
    """Replace the figures of one target; they say what they were measured with."""
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    known[target] = {**figures, "stepwrite": __version__, "python": platform.python_version()}
    with write_whole(path) as file:
        json.dump(known, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    sys.exit(main())
