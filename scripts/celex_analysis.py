"""Write docs/analysis/ and the tables of docs/analysis.md from the CELEX models of fold 0.

    STEPWRITE_DATA=DIR python scripts/celex_analysis.py [RUNS]

It needs the models of `stepwrite reproduce celex --only fold-0` in RUNS, by default runs/: those
whose scores are in results/celex/fold-0. CELEX is licensed: the lists of words (errors,
disagreements) and the page that contains them are not kept, and the alignments are of words
printed in the paper.
"""

from __future__ import annotations

import os
import re
import sys
import time
from pathlib import Path

from stepwrite import Example, read
from stepwrite.analysis import figures
from stepwrite.analysis.report import analyse
from stepwrite.analysis.subject import Subject
from stepwrite.analysis.tables import Cell, Table, plain, rounded
from stepwrite.evaluation.metrics import Estimate
from stepwrite.files import write_whole

ROOT = Path(__file__).parents[1]
PAGE, FOLDER = ROOT / "docs" / "analysis.md", ROOT / "docs" / "analysis"
DATA = "celex/13SIA-13SKE_2PIE-13PKE_2PKE-z_rP-pA_0.{}.txt"
WORDS = [
    Example("flog", "pos=13SIA-13SKE", "fliege"),
    Example("legte", "pos=13SIA-13SKE", "lege"),
]
OF_WORDS = re.compile(r"mistakes-(hard|soft)|disagreements$")


def markdown(table: Table) -> str:
    def number(value: float) -> str:
        """Rounded from the digits of the TSV, so that page and file agree."""
        return rounded(float(plain(value, 6) or "nan"))

    def cell(value: Cell) -> str:
        if not isinstance(value, Estimate):
            return number(value) if isinstance(value, float) else plain(value, 6)
        low, middle, high = map(number, (value.low, value.value, value.high))
        return f"{middle} ({low} to {high})" if low else middle

    rows = [list(table.header), ["---"] * len(table.header)]
    rows += [[cell(value) for value in row] for row in table.rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> None:
    if "STEPWRITE_DATA" not in os.environ:
        sys.exit("set STEPWRITE_DATA to the folder of the benchmark data")
    data = Path(os.environ["STEPWRITE_DATA"])
    runs = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "runs") / "celex" / "fold-0"
    start = time.monotonic(), time.process_time()
    report = analyse(
        [Subject.load(name, runs / f"{name}-default") for name in ("hard", "soft")],
        read(data / DATA.format("dev")),
        words=WORDS,
        train=read(data / DATA.format("train")),
    )
    FOLDER.mkdir(exist_ok=True)
    for drawing in report.drawings:
        for kind in ("svg", "png"):
            figures.save(drawing.figure, FOLDER / f"{drawing.name}.{kind}")
    page = PAGE.read_text("utf-8")
    for table in report.tables:
        if OF_WORDS.match(table.name):
            continue
        with write_whole(FOLDER / f"{table.name}.tsv") as file:
            file.write(table.tsv())
        block = rf"(<!-- {table.name}\.tsv -->\n).*?(<!-- end -->)"
        rows = markdown(table)
        page = re.sub(block, lambda m: f"{m[1]}{rows}\n{m[2]}", page, flags=re.S)  # noqa: B023
    about = "\n".join(f"- {line}" for line in report.about)
    page = re.sub(r"(<!-- about -->\n).*?(<!-- end -->)", rf"\g<1>{about}\n\g<2>", page, flags=re.S)
    with write_whole(PAGE) as file:
        file.write(page)
    wall, processor = time.monotonic() - start[0], time.process_time() - start[1]
    print(f"{wall:.0f} s, {processor:.0f} s of them on the processor")


if __name__ == "__main__":
    main()
