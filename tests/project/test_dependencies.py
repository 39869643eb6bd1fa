"""What the package imports, its metadata declare: in the extra that brings the importing part."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "stepwrite"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
MODULES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))
EXTRAS = {  # all other modules work without any
    "training/": "train",
    "transducer/alignment_kernel.py": "train",
    "transducer/edit_kernel.py": "train",
    "experiments/cluster.py": "cluster",
    "bulk/cluster.py": "cluster",
    "service/cards.py": "cards",
    "service/": "serve",
    "analysis/": "analyse",
    "data/workbooks.py": "sheets",
}
NAMES = {"PIL": "pillow"}  # of packages that are imported by another one
UNSEEN = {"ray", "scipy", "uvloop", "zstandard"}  # by `require`; SciPy by Numba, uvloop by uvicorn


def declared(extra: str | None = None) -> set[str]:
    """The packages that `pip install stepwrite[extra]` asks for."""
    names: set[str] = set()
    extras = PROJECT["optional-dependencies"]
    for requirement in PROJECT["dependencies"] + (extras[extra] if extra else []):
        match = re.match(r"([\w.-]+)(?:\[(.+)\])?", requirement)
        assert match, requirement
        if match[1] == "stepwrite":
            names = names.union(*(declared(name.strip()) for name in match[2].split(",")))
        else:
            names.add(match[1].lower())
    return names


def imported(module: str) -> set[str]:
    """The packages that a module imports anywhere in it, but for Python's own and ours."""
    names: set[str] = set()
    for node in ast.walk(ast.parse((SOURCE / module).read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    packages = {NAMES.get(name, name) for name in names}
    return packages - sys.stdlib_module_names - {"stepwrite"}


@pytest.mark.parametrize("module", MODULES)
def test_imports_are_declared(module: str) -> None:
    extra = next((extra for start, extra in EXTRAS.items() if module.startswith(start)), None)
    assert imported(module) <= declared(extra)


def test_what_is_declared_is_imported() -> None:
    used = set[str]().union(*map(imported, MODULES))
    assert set[str]().union(*map(declared, EXTRAS.values())) <= used | UNSEEN
