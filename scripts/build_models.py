"""Build the pretrained models of one part of speech into `src/stepwrite/pretrained/`.

    pip install german-nouns==1.2.5
    python scripts/build_models.py german-nouns

Those of whole languages are built by `build_languages.py`. A model is one network in half
precision and takes at most 1.5 MB with all its files. The members of the reproduction take 2.5 MB,
so smaller networks are trained, in RUNS/shipped/NAME; an interrupted build is resumed from there.
The accuracy recorded in a model is measured here, after rounding the weights: on dev and test, in
half and in single precision.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from make_demo_data import N_LEMMAS, paradigms, sample

import stepwrite
from stepwrite import Example, StepwriteError
from stepwrite.data.examples import Examples
from stepwrite.model.about import Measured, Shipped
from stepwrite.model.directory import (
    CONFIG,
    HISTORY,
    TRAINING,
    Model,
    load_model,
    save_model,
)
from stepwrite.model.pretrained import MODELS
from stepwrite.morphology.cells import Cells
from stepwrite.morphology.lexicon import Lexicon

LARGEST = 1_500_000  # bytes per directory
SMALL = {"hidden": 150, "embedding": 64, "feature_embedding": 10, "dropout": 0.2}
AS_PRESET = {"dropout": 0.3}
CLOSE = 0.0005  # the largest accepted change in accuracy by half precision
NOUN_LEMMAS = {"train": 7000, "dev": 750, "test": 750}
SHORT = 8  # letters

Parts = Mapping[str, list[Example]]  # train, dev, test, lexicon


@dataclass(frozen=True)
class Recipe:
    """How to build a model; settings: of training, overriding `SMALL`."""

    iso: str
    title: str
    source: str
    licence: str
    data: Callable[[], Parts]
    settings: Mapping[str, float] = field(default_factory=dict)


def german_nouns() -> Parts:
    return noun_parts(list(paradigms(table_of("german_nouns", "nouns.csv"))))


def noun_parts(
    every: list[list[Example]],
    sizes: Mapping[str, int] = NOUN_LEMMAS,
    demo_sizes: Mapping[str, int] = N_LEMMAS,
) -> Parts:
    """A larger sample of the source of the demo data, without the lemmas of its dev and test parts.

    The sample begins with the demo data, so other lemmas replace these in train. The lexicon has
    all cells of the training lemmas and of short lemmas, which are everyday words: most long ones
    are compounds.
    """
    demo = sample(every, demo_sizes)
    held_out = {example.lemma for part in ("dev", "test") for example in demo[part]}
    parts = sample(every, {**sizes, "more": len(held_out)})
    drawn = parts["train"] + parts.pop("more")
    parts["train"] = sorted(example for example in drawn if example.lemma not in held_out)
    known = {example.lemma for example in parts["train"]}
    known |= {cells[0].lemma for cells in every if len(cells[0].lemma) <= SHORT}
    known -= held_out
    return {
        **parts,
        "lexicon": [cell for cells in every if cells[0].lemma in known for cell in cells],
    }


def table_of(package: str, name: str) -> Path:
    """A file or folder of an installed package, without importing it."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise StepwriteError(f"{package} is not installed; see the docstring of this script")
    return Path(spec.submodule_search_locations[0], name)


RECIPES = {
    "german-nouns": Recipe(
        iso="deu",
        title="German nouns",
        source="german-nouns 1.2.5, from the German Wiktionary",
        licence="CC BY-SA 4.0",
        data=german_nouns,
        settings=AS_PRESET,
    ),
}


def trained(name: str, recipe: Recipe, parts: Parts, runs: Path) -> tuple[Model, str]:
    """The small network, trained or taken from a finished run, and its history."""
    folder = runs / "shipped" / name
    if (folder / TRAINING / "plan.json").exists():
        stepwrite.train(resume=folder)
    elif not (folder / CONFIG).exists():
        train, dev = (Examples(parts[part], f"{name} {part}") for part in ("train", "dev"))
        settings: dict[str, Any] = {**SMALL, **recipe.settings}
        stepwrite.train(train, dev=dev, out=folder, **settings)
    return load_model(folder), (folder / HISTORY).read_text(encoding="utf-8")


def accuracy(model: Model, examples: list[Example]) -> float:
    """Exact match without using the lexicon."""
    return stepwrite.evaluate(stepwrite.Inflector(model, lexicon="off"), examples).exact_match


def write(name: str, recipe: Recipe, model: Model, history: str, parts: Parts) -> int:
    """Measure the effect of half precision, save the model with the result; return its size."""
    from stepwrite.model.card import model_card

    seen, known = (
        Cells.fit((example.lemma, example.features) for example in parts[part])
        for part in ("train", "lexicon")
    )
    # The bundles are those of train; lexical features such as gender also come from the lexicon.
    cells = replace(known, counts=seen.counts)
    model = replace(model, cells=cells, lexicon=Lexicon.fit(parts["lexicon"]))
    with TemporaryDirectory() as folder:
        save_model(Path(folder), model, history, "", bits=16)
        rounded = load_model(folder)
    measured: dict[str, Measured] = {}
    for part in ("dev", "test"):
        single, half = accuracy(model, parts[part]), accuracy(rounded, parts[part])
        if abs(single - half) > CLOSE:
            raise StepwriteError(f"{name}: {part} {single} in single precision, {half} in half")
        measured[part] = Measured(len(parts[part]), half, single)
    slots = model.vocabulary.slots
    shipped = Shipped(
        iso=recipe.iso,
        title=recipe.title,
        pos=tuple(pos for pos in cells.parts_of_speech if pos),
        features={
            str(slot): values for slot, values in zip(slots.slots, slots.values, strict=True)
        },
        source=recipe.source,
        licence=recipe.licence,
        dev=measured["dev"],
        test=measured["test"],
    )
    model = replace(model, about=replace(model.about, shipped=shipped))
    card = model_card(model, name) + "\n".join(
        [
            "",
            "## Accuracy",
            "Exact match without the lexicon, in the half precision that the weights are kept in:",
            "",
            "| part | rows | half | single |",
            "|---|---|---|---|",
            *(
                f"| {part} | {m.rows} | {100 * m.accuracy:.2f} % "
                f"| {100 * m.in_single_precision:.2f} % |"
                for part, m in measured.items()
            ),
            "",
            "## Source and licence",
            f"Data: {recipe.source}. The model and its lexicon are under {recipe.licence}.",
            "",
        ]
    )
    shutil.rmtree(MODELS / name, ignore_errors=True)
    save_model(MODELS / name, model, history, card, bits=16)
    return sum(path.stat().st_size for path in (MODELS / name).iterdir())


def build(name: str, runs: Path) -> None:
    recipe = RECIPES[name]
    parts = recipe.data()
    size = write(name, recipe, *trained(name, recipe, parts, runs), parts)
    if size > LARGEST:
        shutil.rmtree(MODELS / name)
        raise StepwriteError(f"{name}: {size} bytes, the limit is {LARGEST}")
    about = load_model(MODELS / name).about.shipped
    assert about is not None
    print(f"{name}: {size} bytes, test {100 * about.test.accuracy:.2f} %", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(RECIPES))
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    options = parser.parse_args()
    for name in options.names or RECIPES:
        if name not in RECIPES:
            parser.error(f"no recipe for {name}; choose from {', '.join(RECIPES)}")
        try:
            build(name, options.runs)
        except StepwriteError as error:
            parser.exit(1, f"{error}\n")


if __name__ == "__main__":
    main()
