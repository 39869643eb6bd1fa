"""Requests that leave out what goes without saying find the forms that lexicons attest."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from stepwrite import Inflector, load

ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT / "src/stepwrite/pretrained", ROOT / "packages/languages/src/stepwrite_languages")
MODELS = sorted(path.parent for folder in FOLDERS for path in folder.glob("**/config.json"))
GENDERS = {"MASC", "FEM", "NEUT", "ANIM", "INAN", "HUM"}
USUAL = {"IND", "ACT", "POS", "DECL"}  # what verbs are asked for without saying so
OTHERWISE = {"PASS", "NEG", "SBJV", "COND", "INT", "POL", "FORM"}
N_LEMMAS = 40


def without(tags: set[str], features: str) -> str:
    return ";".join(tag for tag in features.split(";") if not set(tag.split("+")) <= tags)


def requests(model: Inflector) -> Iterator[tuple[str, str, set[str]]]:
    """Lemmas, features that leave something out, and the forms that will do."""
    lexicon, chance = model.model.lexicon, random.Random(1)
    assert lexicon is not None
    frequent = sorted(lexicon.lemmas, key=lambda lemma: (-lexicon.frequency(lemma), lemma))[:600]
    for lemma in chance.sample(frequent, min(N_LEMMAS, len(frequent))):
        rows = list(lexicon.rows(lemma))
        for features, form in chance.sample(rows, min(3, len(rows))):
            tags = set(features.split(";"))
            yield lemma, features, {form}
            if "N" in tags:
                short = without(GENDERS, features)
                yield lemma, short, {f for cell, f in rows if without(GENDERS, cell) == short}
            elif {"V", "IND"} <= tags and not tags & OTHERWISE and "LGSPEC" not in features:
                yield lemma, without(USUAL, features), {form}


@pytest.mark.parametrize("folder", MODELS, ids=lambda path: path.name)
def test_the_attested_form_comes(folder: Path) -> None:
    model = load(folder)
    asked = list(requests(model))
    wrong = [
        (lemma, features, forms)
        for lemma, features, forms in asked
        if not forms & set(model(lemma, features).forms)
    ]
    assert len(wrong) <= 0.05 * len(asked), wrong
