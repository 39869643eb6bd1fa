"""The words that the page offers: one of each model that ships, and examples with their forms."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from stepwrite import load
from stepwrite.model.pretrained import available

SCRIPT = (files("stepwrite") / "service/page/search.js").read_text("utf-8")
[TABLE] = re.findall(r"const SAMPLES = \{(.*?)\};", SCRIPT, re.DOTALL)
SAMPLES = dict(re.findall(r'"?([\w-]+)"?: "(.+?)"', TABLE))
[TABLE] = re.findall(r"const EXAMPLES = \[\n(.*?)\n\];", SCRIPT, re.DOTALL)
EXAMPLES = re.findall(r'\["([\w-]+)", "(.+?)", "(.+?)", "(.+?)"\]', TABLE)


def test_every_model_has_a_sample_and_every_sample_a_model() -> None:
    assert SAMPLES.keys() == {model.name for model in available()}


@pytest.mark.parametrize("model", SAMPLES)
def test_samples_are_known_or_come_out_well(model: str) -> None:
    cells = load(model).paradigm(SAMPLES[model]).cells
    assert any(cell.attested for cell in cells) or not any(cell.doubts for cell in cells)


def test_every_example_is_read() -> None:
    assert len(EXAMPLES) == TABLE.count("\n") + 1


@pytest.mark.parametrize(("model", "lemma", "features", "form"), EXAMPLES)
def test_examples_are_what_the_models_say(model: str, lemma: str, features: str, form: str) -> None:
    prediction = load(model)(lemma, features)
    assert prediction.form == form
    assert prediction.features == features
    assert not prediction.doubts
