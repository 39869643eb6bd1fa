"""The README shows the results of the score files, and links lead somewhere.

Its commands and Python blocks run in `test_docs.py`.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from stepwrite.experiments.definition import EXPERIMENTS

ROOT = Path(__file__).parents[2]
TABLES = [name for name in EXPERIMENTS if (ROOT / "results" / name).is_dir()]
README = (ROOT / "README.md").read_text("utf-8")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the example data, where commands may leave their files."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)


def test_results_are_those_of_the_score_files(tmp_path: Path) -> None:
    [shown] = re.findall(r"^<!-- results -->\n(.*?)^<!-- end -->", README, re.DOTALL | re.MULTILINE)
    scores = [file for name in TABLES for file in (ROOT / "results" / name).glob("*/*.json")]
    for file in scores:
        copy = tmp_path / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
    command = [sys.executable, "-m", "stepwrite", "results", "--short"]
    ran = subprocess.run(command, capture_output=True, check=True)
    assert shown == ran.stdout.decode()
    assert {"celex", "sigmorphon2016", "wiktionary"} <= set(TABLES)
    written = [file for name in TABLES for file in (tmp_path / "results" / name).glob("*.*")]
    assert len(written) == 3 * len(TABLES)
    for file in written:
        assert file.read_bytes() == (ROOT / file.relative_to(tmp_path)).read_bytes(), file.name


def test_accuracy_is_that_of_the_results() -> None:
    """The table of the first screen: averages, where those of hard attention are complete."""
    [results] = re.findall(
        r"^<!-- results -->\n(.*?)^<!-- end -->", README, re.DOTALL | re.MULTILINE
    )
    averages = {}
    for table in filter(None, results.split("\n\n")):
        rows = [line.strip("| ").split(" | ") for line in table.splitlines()]
        by_system = {row[0]: row[-1] for row in rows}
        if by_system.get("hard, vote", "-") != "-":
            published = by_system["paper: Hard, vote of five"]
            averages[rows[0][0]] = [published, by_system["hard, vote"], by_system["edit, vote"]]
    [shown] = re.findall(
        r"^<!-- accuracy -->\n(.*?)^<!-- end accuracy", README, re.DOTALL | re.MULTILINE
    )
    rows = [line.strip("| ").split(" | ") for line in shown.splitlines()[2:]]
    assert {row[0].partition(",")[0].lower().replace(" ", ""): row[1:] for row in rows} == averages


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for link in re.findall(r"\]\(([^)#]+)", page.read_text("utf-8")):
            assert link.startswith("https://") or (page.parent / link).exists(), (page, link)
