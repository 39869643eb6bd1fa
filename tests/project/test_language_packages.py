"""The models of all declared languages, in the two distributions."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stepwrite import load

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from language_build.declaration import declared  # noqa: E402
from language_build.models import PACKAGES  # noqa: E402

LANGUAGES = declared()
MOST_MEGABYTES = {"stepwrite": 25, "stepwrite-languages": 100}


def test_every_language_has_a_model_and_no_model_lacks_a_language() -> None:
    assert len(LANGUAGES) >= 100
    for package, folder in PACKAGES.items():
        named = {language.model for language in LANGUAGES.values() if language.package == package}
        assert {path.name for path in folder.iterdir()} - {"german-nouns"} == named


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_are_small(package: str) -> None:
    size = sum(path.stat().st_size for path in PACKAGES[package].rglob("*") if path.is_file())
    assert size < MOST_MEGABYTES[package] * 1e6


@pytest.mark.parametrize("iso", LANGUAGES)
def test_models_know_their_lexicon(iso: str) -> None:
    language = LANGUAGES[iso]
    inflector = load(PACKAGES[language.package] / language.model)
    shipped, lexicon = inflector.model.about.shipped, inflector.model.lexicon
    assert shipped is not None
    assert lexicon is not None
    assert (shipped.iso, shipped.title, shipped.licence) == (iso, language.name, language.licence)
    lemma = next(iter(lexicon.lemmas))
    features, form = next(iter(lexicon.rows(lemma)))
    found = inflector(lemma, features)
    assert found.attested
    assert form in found.forms
