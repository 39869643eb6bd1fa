"""The wheel, built from the sdist: in a clean venv without torch and Numba it inflects."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

from stepwrite.model.pretrained import available

ROOT = Path(__file__).parents[2]
LARGEST = 130_000_000  # bytes of the package with all its dependencies

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not available(), reason="no models are built: scripts/build_languages.py"),
]


def run(*command: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command without access to this environment or folder."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


def pythons() -> dict[str, str]:
    """This Python, and other versions on the path or from pyenv."""
    found = {f"3.{sys.version_info.minor}": sys.executable}
    for version in ("3.11", "3.12", "3.13"):
        path = shutil.which(f"python{version}")
        others = Path.home().glob(f".pyenv/versions/{version}.*/bin/python")
        for candidate in [*([path] if path else []), *map(str, others)]:
            if version not in found and run(candidate, "-c", "import ensurepip").returncode == 0:
                found[version] = candidate
    return found


class Installed(NamedTuple):
    bin: Path
    packages: Path


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the sdist, and that from a copy, because a build leaves files behind."""
    folder = tmp_path_factory.mktemp("build")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    shutil.copytree(
        ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info")
    )
    build = "import sys; from setuptools import build_meta as b; getattr(b, sys.argv[1])('..')"
    ran = run(sys.executable, "-c", build, "build_sdist", cwd=source)
    assert ran.returncode == 0, ran.stderr
    [sdist] = folder.glob("stepwrite-*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    ran = run(
        sys.executable, "-c", build, "build_wheel", cwd=folder / sdist.name[: -len(".tar.gz")]
    )
    assert ran.returncode == 0, ran.stderr
    [wheel] = folder.glob("stepwrite-*.whl")
    return wheel


@pytest.fixture(scope="module", params=(found := pythons()).values(), ids=list(found))
def installed(
    wheel: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Installed:
    folder = tmp_path_factory.mktemp("clean") / "venv"
    ran = run(request.param, "-m", "venv", folder)
    assert ran.returncode == 0, ran.stderr
    pip = (folder / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "install")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    fetched = run(*pip, "--quiet", *project["dependencies"])
    if fetched.returncode:
        pytest.skip(f"no index to install from: {fetched.stderr.splitlines()[-1]}")
    ran = run(*pip, "--quiet", "--no-index", wheel)
    assert ran.returncode == 0, ran.stderr
    [packages] = (folder / "lib").glob("python3*/site-packages")
    return Installed(folder / "bin", packages)


def test_neither_torch_nor_numba(installed: Installed) -> None:
    for module in ("torch", "numba", "scipy"):
        assert run(installed.bin / "python", "-c", f"import {module}").returncode == 1


def test_every_model_that_ships_inflects(installed: Installed, tmp_path: Path) -> None:
    ran = run(installed.bin / "stepwrite", "models", cwd=tmp_path)
    assert [line.split()[0] for line in ran.stdout.splitlines()[1:]] == [
        model.name for model in available()
    ]
    for command, form in (
        (("inflect", "german", "Haus", "N;NEUT;DAT;PL"), "Häusern"),
        (("inflect", "deu", "Mensch", "genitive singular"), "Menschen"),
        (("inflect", "german-nouns", "Haus", "N;NEUT;DAT;PL"), "Häusern"),
        (("inflect", "finnish", "nainen", "N;IN+ESS;SG"), "naisessa"),
        (("inflect", "russian", "книга", "instrumental singular"), "книгой"),
        (("paradigm", "georgian", "სახლი"), "სახლები"),
        (("inflect", "english", "go", "past"), "went"),
        (("paradigm", "english", "walk", "--pos", "V"), "walked"),
    ):
        ran = run(installed.bin / "stepwrite", *command, cwd=tmp_path)
        assert ran.returncode == 0, ran.stderr
        assert form in ran.stdout


def test_the_public_api(installed: Installed, tmp_path: Path) -> None:
    """What needs no extra works; training says which one it needs."""
    code = """
import stepwrite
from stepwrite import *

nouns = load("german-nouns")
assert nouns("Haus", "N;NEUT;DAT;PL").form == "Häusern"
assert nouns("Haus", case="DAT", number="PL").form == "Häusern"
assert 0 < nouns("Traumhaus", case="DAT", number="PL").probability < 1
assert "Häusern" in str(nouns.paradigm("Haus"))
write("test.tsv", [Example("Haus", "N;NEUT;DAT;PL", "Häusern")])
assert evaluate(nouns, "test.tsv").exact_match == 1
assert align(read("test.tsv"), aligner="edit")[0].form == tuple("Häusern")
for model in models():
    assert load(model.iso).model.about.shipped.iso == model.iso
try:
    train("test.tsv", out="model")
except StepwriteError as error:
    print(error)
"""
    ran = run(installed.bin / "python", "-c", code, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "pip install 'stepwrite[train]'" in ran.stdout


def test_size_on_disk(installed: Installed) -> None:
    own = ("pip", "setuptools", "pkg_resources", "_distutils_hack")
    sizes = {
        path.name: sum(file.stat().st_size for file in [path, *path.rglob("*")] if file.is_file())
        for path in installed.packages.iterdir()
        if not path.name.startswith(own)
    }
    print({name: size for name, size in sizes.items() if size > 1e6})
    assert sum(sizes.values()) <= LARGEST, sizes
