"""What a model says about itself: the same JSON as ever, and wrong types refused by name."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from stepwrite.errors import StepwriteError
from stepwrite.model.about import About
from stepwrite.model.languages import TABLE, language_code, packages
from stepwrite.model.pretrained import available

ABOUT: dict[str, Any] = {
    "data": {"train": {"file": "train.tsv", "rows": 3, "sha256": "0123456789ab"}},
    "training": {"preset": "default", "epochs": 2, "network": {"layers": 1}},
    "members": [
        {"seed": 1, "epochs": 2, "best_epoch": 1, "dev_accuracy": None, "seconds": 1.5},
    ],
    "vote_dev_accuracy": 0.5,
    "rules_dev_accuracy": 0.25,
    "shipped": {
        "iso": "deu",
        "title": "German",
        "pos": ["N"],
        "features": {"case": ["DAT", "NOM"]},
        "source": "somewhere",
        "licence": "CC0",
        "dev": {"rows": 1, "accuracy": 1.0, "in_single_precision": 1.0},
        "test": {"rows": 2, "accuracy": 0.5, "in_single_precision": 1},
        "common": {"lemmas": 3, "rows": 9, "accuracy": 1.0, "without_lexicon": 0.5},
        "names": ["Latina"],
    },
}


def test_round_trip() -> None:
    assert json.dumps(About.from_json(ABOUT).to_json()) == json.dumps(ABOUT)
    newer = ("rules_dev_accuracy", "shipped")
    plain = {name: value for name, value in ABOUT.items() if name not in newer}
    assert json.dumps(About.from_json(plain).to_json()) == json.dumps(plain)


def test_the_models_that_ship_keep_their_json() -> None:
    for model in available():
        stored = json.loads((model.path / "config.json").read_text("utf-8"))["about"]
        assert json.dumps(About.from_json(stored).to_json()) == json.dumps(stored)


def paths(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Where each value stands, whole tables and lists among them."""
    inside: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        inside = list(value.items())
    elif isinstance(value, list):
        inside = list(enumerate(value))
    free = path == ("training", "network")
    return [path, *(p for key, item in inside if not free for p in paths(item, (*path, key)))]


@pytest.mark.parametrize("wrong", [[1], {"a": 1}, "x", 1.5, True], ids=str)
@pytest.mark.parametrize("path", paths(ABOUT)[1:], ids=lambda path: ".".join(map(str, path)))
def test_wrong_types_are_named(path: tuple[str | int, ...], wrong: object) -> None:
    changed = copy.deepcopy(ABOUT)
    *parents, key = path
    place: Any = changed
    for name in parents:
        place = place[name]
    before = place[key]
    if type(before) is type(wrong) or (wrong == 1.5 and path[-1] in NUMBERS) or path in FREE:
        return
    place[key] = wrong
    with pytest.raises(StepwriteError, match=r"^about"):
        About.from_json(changed)


NUMBERS = (
    *("dev_accuracy", "vote_dev_accuracy", "rules_dev_accuracy"),
    *("seconds", "accuracy", "in_single_precision"),
)
FREE = [("training",), ("training", "network")]


def test_every_language_has_a_code_and_a_name_of_its_own() -> None:
    header, *rows = (line.split("\t") for line in TABLE.read_text("utf-8").splitlines())
    assert header == ["639-1", "639-3", "names", "package of the model"]
    assert sum(two != "" for two, *_ in rows) == 184
    for two, three, names, package in rows:
        for text in filter(None, (two, three, *names.split(", "))):
            assert language_code(text) == language_code(text.casefold()) == three
        assert language_code(three.upper()) == language_code((two or three).upper()) == three
        assert len(three) == 3
        assert len(two) in (0, 2)
        assert names
        assert package in ("", "stepwrite", "stepwrite-languages")
    assert (
        packages().items() == {three: package for _, three, _, package in rows if package}.items()
    )
    assert {language_code(model.iso) for model in available()} == {m.iso for m in available()}
