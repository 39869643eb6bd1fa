"""Imports go down the table of docs/modules.md, in no circle, and only training imports torch."""

from __future__ import annotations

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "stepwrite"
MODULES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))
PAGE = (ROOT / "docs" / "modules.md").read_text("utf-8")
PARTS = re.findall(r"^\| `([\w.]+/?)` \|", PAGE, re.MULTILINE)


def part_of(module: str) -> str:
    """The row of the table that a module belongs to."""
    folder, slash, _ = module.partition("/")
    return folder + slash


def imported(module: str) -> set[str]:
    """What a module imports anywhere in it, by full names."""
    names: set[str] = set()
    for node in ast.walk(ast.parse((SOURCE / module).read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative import"
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def file_of(name: str) -> str | None:
    """The module of the package that gives the name, if it is one of ours.

    A package's `__init__.py` is run as well when one of its modules is imported, but that is
    Python's doing and no import of the package's content.
    """
    parts = name.split(".")
    if parts[0] != "stepwrite":
        return None
    for size in range(len(parts), 0, -1):
        for file in ("/".join(parts[1:size]) + ".py", "/".join([*parts[1:size], "__init__.py"])):
            if file in MODULES:
                return file
    return None


def ours(module: str) -> set[str]:
    """The modules of the package that a module imports; `__init__.py` does so only on demand."""
    if module == "__init__.py":
        return set()
    return {file for file in map(file_of, imported(module)) if file}


def test_the_table_names_what_is_there() -> None:
    assert sorted(PARTS) == sorted({part_of(module) for module in MODULES} - {"__main__.py"})


@pytest.mark.parametrize("module", [m for m in MODULES if m not in ("__init__.py", "__main__.py")])
def test_imports_go_down(module: str) -> None:
    part = part_of(module)
    allowed = PARTS[PARTS.index(part) :]
    above = {file for file in ours(module) if part_of(file) not in allowed}
    assert not above, f"above {part} in docs/modules.md: {sorted(above)}"


def test_no_circles() -> None:
    TopologicalSorter({module: ours(module) for module in MODULES}).prepare()


@pytest.mark.parametrize("module", [m for m in MODULES if not m.startswith("training/")])
def test_torch_only_in_training(module: str) -> None:
    assert not [name for name in imported(module) if f"{name}.".startswith("torch.")]
