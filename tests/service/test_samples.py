"""The word that the page shows at first for each model that ships."""

from __future__ import annotations

import re
from importlib.resources import files

from stepwrite.model.pretrained import available

SCRIPT = (files("stepwrite") / "service/page/app.js").read_text("utf-8")
[TABLE] = re.findall(r"const SAMPLES = \{(.*?)\};", SCRIPT, re.DOTALL)
SAMPLES = dict(re.findall(r'"?([\w-]+)"?: "(.+?)"', TABLE))


def test_every_model_has_a_sample_and_every_sample_a_model() -> None:
    assert SAMPLES.keys() == {model.name for model in available()}
