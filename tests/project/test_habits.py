"""Files that must agree with each other, so that a release does not forget one of them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import stepwrite

ROOT = Path(__file__).parents[2]
PINNED = dict(
    re.findall(r"^([\w-]+)==(\S+)", (ROOT / "requirements.txt").read_text("utf-8"), re.MULTILINE)
)


def test_one_version_everywhere() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    released = re.findall(r"^## \[(\d\S*)\] - (\d{4}-\d\d-\d\d)$", changelog, re.MULTILINE)
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    [version] = re.findall(r"^version: (\S+)$", citation, re.MULTILINE)
    [date] = re.findall(r'^date-released: "(\S+)"$', citation, re.MULTILINE)
    assert released[0] == (version, date)
    assert version == stepwrite.__version__
    assert released == sorted(released, reverse=True)


def test_all_direct_requirements_are_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    wanted = {re.split(r"[^\w-]", line)[0].lower() for group in groups for line in group}
    assert wanted - {"stepwrite", "ray"} <= PINNED.keys()  # make test-cluster installs Ray


def test_the_pins_need_no_gpu_and_no_particular_machine() -> None:
    assert PINNED["torch"] == "2.13.0"  # of any build, so that every index will do
    assert not [name for name in PINNED if re.match("cuda|nvidia|triton", name)]
    text = (ROOT / "requirements.txt").read_text("utf-8")
    assert not re.search("://|^-|^/| @ ", text, re.MULTILINE)


def test_hooks_have_the_linter_of_the_requirements() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    assert f"ruff-pre-commit\n    rev: v{PINNED['ruff']} " in hooks


def test_the_reference_has_the_public_names() -> None:
    page = (ROOT / "docs" / "api.md").read_text("utf-8")
    listed = re.findall(r"^::: stepwrite\.(\w+)$", page, re.MULTILINE)
    assert sorted([*listed, "__version__"]) == sorted(stepwrite.__all__)


def test_the_site_has_every_page_of_the_documentation() -> None:
    navigation = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    assert {page.name for page in (ROOT / "docs").glob("*.md")} <= set(navigation)
