"""The numbers of docs/analysis.md are those of its files, and of the models that results has."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from statistics import mean

import pytest

from stepwrite.analysis.tables import rounded

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "analysis"
PAGE = (ROOT / "docs" / "analysis.md").read_text("utf-8")
BLOCKS = dict(
    re.findall(r"^<!-- (\S+)\.tsv -->\n(.*?)^<!-- end -->", PAGE, re.DOTALL | re.MULTILINE)
)


def read(name: str) -> list[dict[str, str]]:
    text = (FOLDER / f"{name}.tsv").read_text("utf-8")
    return list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


def shown(row: dict[str, str], column: str) -> str:
    """A cell as the page has it: whole numbers and words as they are, others rounded."""
    value, low, high = (row.get(name) for name in (column, f"{column} low", f"{column} high"))
    if low and high:
        middle, least, most = (rounded(float(text or "")) for text in (value, low, high))
        return f"{middle} ({least} to {most})"
    is_decimal = re.fullmatch(r"-?\d+\.\d+|-?\d+(\.\d+)?e-?\d+", value or "")
    return rounded(float(value or "")) if is_decimal else value or ""


@pytest.mark.parametrize("name", BLOCKS)
def test_tables_are_those_of_the_files(name: str) -> None:
    rows = read(name)
    columns = [column for column in rows[0] if not column.endswith((" low", " high"))]
    lines = [columns, ["---"] * len(columns)]
    lines += [[shown(row, column) for column in columns] for row in rows]
    assert BLOCKS[name] == "".join(f"| {' | '.join(line)} |\n" for line in lines)


def test_every_table_is_on_the_page() -> None:
    only_drawn = {"learning-curves", "representations-drawn", "alignments", "accuracy-by-feature"}
    assert {path.stem for path in FOLDER.glob("*.tsv")} - only_drawn == set(BLOCKS)


@pytest.mark.parametrize("model", ["hard", "soft"])
def test_the_models_are_those_of_the_results(model: str) -> None:
    score = json.loads((ROOT / f"results/celex/fold-0/{model}-default.json").read_text("utf-8"))
    members = [100 * member["dev_accuracy"] for member in score["members"]]
    [vote], learning = read("accuracy"), read("learning")
    assert float(vote[model]) == pytest.approx(100 * score["vote_dev_accuracy"], abs=1e-3)
    assert float(learning[0][model]) == pytest.approx(mean(members), abs=1e-3)
