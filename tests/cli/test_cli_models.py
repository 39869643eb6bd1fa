"""`stepwrite models`: the list, and the verification of one model."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from stepwrite.model.pretrained import available

GERMAN = next(model.path for model in available() if model.name == "german-nouns")
SHA256 = hashlib.sha256((GERMAN / "config.json").read_bytes()).hexdigest()


def test_list(stepwrite) -> None:
    ran = stepwrite("models")
    assert ran.code == 0
    assert [line.split()[0] for line in ran.out.splitlines()[1:]] == [m.name for m in available()]


@pytest.mark.parametrize("digits", [SHA256, SHA256.upper(), f" {SHA256}"])
def test_the_model_that_was_meant(stepwrite, digits: str) -> None:
    assert stepwrite("models", "verify", str(GERMAN), digits) == (0, f"{GERMAN}: verified\n", "")


def test_another_model(stepwrite) -> None:
    """Whole and sound, but not the one."""
    ran = stepwrite("models", "verify", "german", SHA256)
    assert ran.code == 1
    assert "german: another model: its SHA-256 is " in ran.err


def test_a_changed_file(stepwrite, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(GERMAN, tmp_path / "copy"))
    assert stepwrite("models", "verify", str(folder), SHA256).code == 0
    weights = folder / "member-1.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    ran = stepwrite("models", "verify", str(folder), SHA256)
    assert (ran.code, ran.out) == (1, "")
    assert "member-1.safetensors: cut short or altered" in ran.err


@pytest.mark.parametrize("digits", ["", SHA256[:-1], SHA256 + "0", "x" * 64])
def test_not_a_checksum(stepwrite, digits: str) -> None:
    ran = stepwrite("models", "verify", str(GERMAN), digits)
    assert ran.code == 2
    assert "is not 64 hexadecimal digits" in ran.err
    assert stepwrite("models", "--json", "verify", str(GERMAN), SHA256).code == 2
