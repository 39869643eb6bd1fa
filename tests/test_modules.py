"""The map of the modules is complete, and imports go down it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "stepwrite"
MODULES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))
MAP = re.findall(r"^\| `([\w/]+\.py)` \|", (ROOT / "docs" / "modules.md").read_text("utf-8"), re.M)


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


def test_every_module_is_in_the_map() -> None:
    assert sorted(MAP) == MODULES


@pytest.mark.parametrize("module", MAP)
def test_imports_go_down(module: str) -> None:
    below = MAP[MAP.index(module) + 1 :]
    ours = {file for file in map(file_of, imported(module)) if file}
    assert ours <= set(below), f"above or beside it in docs/modules.md: {ours - set(below)}"


@pytest.mark.parametrize("module", [m for m in MODULES if not m.startswith("training/")])
def test_torch_only_in_training(module: str) -> None:
    """And only the verbs and the experiments may call on what is there."""
    may_train = module.startswith(("cli/", "experiments/"))
    heavy = ("torch",) if may_train else ("torch", "stepwrite.training")
    assert not [
        name for name in imported(module) if f"{name}.".startswith(tuple(f"{h}." for h in heavy))
    ]
