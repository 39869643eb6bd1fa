"""Build the pretrained models from their data into `src/stepwrite/pretrained/`.

    pip install german-nouns==1.2.5 lemminflect==0.2.3
    pip install --no-deps pymorphy3-dicts-ru==2.4.417150.4580142
    python scripts/build_models.py --data DIR            # all
    python scripts/build_models.py english german-nouns  # some

A model is one network in half precision and takes at most 1.5 MB with all its files. The members
of the reproduction take 2.5 MB, so smaller networks are trained, in RUNS/shipped/NAME; an
interrupted build is resumed from there. The accuracy recorded in a model is measured here, after
rounding the weights: on dev and test, in half and in single precision. Finally the table
`results/shipped.md` is written.
"""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from english_data import draw, english
from make_demo_data import N_LEMMAS, paradigms, sample
from russian_data import russian

import stepwrite
from stepwrite import Example, StepwriteError
from stepwrite.data.examples import Examples
from stepwrite.experiments.scores import read_score
from stepwrite.files import write_whole
from stepwrite.model.about import Measured, Shipped
from stepwrite.model.directory import (
    CONFIG,
    HISTORY,
    TRAINING,
    Model,
    load_model,
    read_about,
    save_model,
)
from stepwrite.model.pretrained import MODELS
from stepwrite.morphology.cells import Cells
from stepwrite.morphology.lexicon import Lexicon

LARGEST = 1_500_000  # bytes per directory
SMALL = {"hidden": 150, "embedding": 64, "feature_embedding": 10, "dropout": 0.2}
AS_PRESET = {"dropout": 0.3}
REPORT = "shipped.md"  # in results
CLOSE = 0.0005  # the largest accepted change in accuracy by half precision
NOUN_LEMMAS = {"train": 7000, "dev": 750, "test": 750}
SHORT, SHORTEST = 8, 5  # letters
PLURALS = {"NOM;PL", "GEN;PL", "DAT;PL", "ACC;PL"}

Parts = Mapping[str, list[Example]]  # train, dev, test, lexicon


@dataclass(frozen=True)
class Recipe:
    """How to build a model; `data` is called with the folder of the benchmark data.

    settings: training settings that override `SMALL`. A small network needs less dropout than the
    preset; models that keep the preset's were built before that was tried. Hungarian and Navajo
    were better on dev with more units and epochs.
    """

    iso: str
    title: str
    source: str
    licence: str
    data: Callable[[Path | None], Parts]
    settings: Mapping[str, float] = field(default_factory=dict)


def shared_task(language: str) -> Callable[[Path | None], Parts]:
    def read(folder: Path | None) -> Parts:
        if folder is None:
            raise StepwriteError("no --data, and STEPWRITE_DATA is not set")
        parts = {
            part: stepwrite.read(
                folder / "sigmorphon2016" / f"{language}-task1-{part}", layout="sigmorphon2016"
            )
            for part in ("train", "dev", "test")
        }
        return {**parts, "lexicon": parts["train"]}

    return read


def german_nouns(_: Path | None) -> Parts:
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


def german(folder: Path | None) -> Parts:
    """The data of the shared task, with three cells of short nouns, of which it has too few.

    No lemma of its dev and test sets is added to train. The genitive singular is left out: the two
    sources choose differently between Buchs and Buches.
    """
    parts = shared_task("german")(folder)
    held_out = {example.lemma for part in ("dev", "test") for example in parts[part]}
    more, known = list[Example](), list[Example]()
    for nouns in paradigms(table_of("german_nouns", "nouns.csv")):
        cells = {}
        for lemma, features, form in nouns:
            _, gender, case, number = features.split(";")
            if (case, number) != ("GEN", "SG") and len(lemma) <= SHORTEST:
                there = f"pos=N,case={case},gen={gender},num={number}"
                cells[f"{case};{number}"] = Example(lemma, there, form)
        known += cells.values()
        if cells and nouns[0].lemma not in held_out:
            singular = min(set(cells) - PLURALS, key=lambda cell: draw(*cells[cell]))
            more += [cells[cell] for cell in ("NOM;PL", "DAT;PL", singular) if cell in cells]
    return {**parts, "train": parts["train"] + more, "lexicon": parts["train"] + known}


def english_words(_: Path | None) -> Parts:
    return english(table_of("lemminflect", "resources/infl_lu.csv.gz"))


def russian_words(_: Path | None) -> Parts:
    return russian(table_of("pymorphy3_dicts_ru", "data"))


def table_of(package: str, name: str) -> Path:
    """A file or folder of an installed package, without importing it."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise StepwriteError(f"{package} is not installed; see the docstring of this script")
    return Path(spec.submodule_search_locations[0], name)


LANGUAGES = {
    **{"arabic": "ara", "finnish": "fin", "georgian": "kat", "hungarian": "hun"},
    **{"maltese": "mlt", "navajo": "nav", "russian": "rus", "spanish": "spa", "turkish": "tur"},
}
SETTINGS: dict[str, Mapping[str, float]] = {
    **{"finnish": AS_PRESET, "georgian": AS_PRESET, "spanish": AS_PRESET},
    "hungarian": {"hidden": 160, "epochs": 30},
    "navajo": {"hidden": 160, "epochs": 80},
}
RECIPES = {
    **{
        language: Recipe(
            iso=iso,
            title=language.capitalize(),
            source="SIGMORPHON 2016 shared task, task 1, from Wiktionary",
            licence="CC BY-SA 3.0",
            data=shared_task(language),
            settings=SETTINGS.get(language, {}),
        )
        for language, iso in LANGUAGES.items()
    },
    "german": Recipe(
        iso="deu",
        title="German",
        source="SIGMORPHON 2016 shared task, task 1, from Wiktionary; german-nouns 1.2.5",
        licence="CC BY-SA 4.0",
        data=german,
        settings={"epochs": 24},
    ),
    "english": Recipe(
        iso="eng",
        title="English",
        source="lemminflect 0.2.3, from the NIH SPECIALIST Lexicon",
        licence="MIT",
        data=english_words,
        settings={"epochs": 12},
    ),
    "german-nouns": Recipe(
        iso="deu",
        title="German nouns",
        source="german-nouns 1.2.5, from the German Wiktionary",
        licence="CC BY-SA 4.0",
        data=german_nouns,
        settings=AS_PRESET,
    ),
    "russian-opencorpora": Recipe(
        iso="rus",
        title="Russian, OpenCorpora",
        source="pymorphy3-dicts-ru 2.4.417150.4580142, from OpenCorpora's dictionary",
        licence="CC BY-SA 3.0",
        data=russian_words,
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


def report(results: Path) -> str:
    """A table of the pretrained models, compared with single models of the reproduction."""
    lines = [
        "# Pretrained models",
        "",
        "Written by `scripts/build_models.py`. Exact match without the lexicon, %, in half and in "
        "single precision, compared with the mean over the single members of the reproduction.",
        "",
        "| model | code | dev, half | single | test, half | single | one model | difference | MB |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for model in stepwrite.models():
        about = read_about(model.path).shipped
        assert about is not None
        shares = [
            share
            for measured in (about.dev, about.test)
            for share in (measured.accuracy, measured.in_single_precision)
        ]
        cells = [f"{100 * share:.2f}" for share in shares] + ["", ""]
        scored = results / "sigmorphon2016" / model.name / "hard-default.json"
        if scored.exists():
            everything = read_score(scored).parts[""]
            mean = sum(everything.members) / len(everything.members) / everything.rows
            cells[4:] = [f"{100 * mean:.2f}", f"{100 * (model.accuracy - mean):+.2f}"]
        row = [model.name, model.iso, *cells, f"{model.size / 1e6:.2f}"]
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def build(name: str, data: Path | None, runs: Path) -> None:
    recipe = RECIPES[name]
    parts = recipe.data(data)
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
    parser.add_argument("--data", type=Path, default=os.environ.get("STEPWRITE_DATA"))
    parser.add_argument("--runs", type=Path, default=Path("runs"))
    options = parser.parse_args()
    for name in options.names or RECIPES:
        if name not in RECIPES:
            parser.error(f"no recipe for {name}; choose from {', '.join(RECIPES)}")
        try:
            build(name, Path(options.data) if options.data else None, options.runs)
        except StepwriteError as error:
            parser.exit(1, f"{error}\n")
    with write_whole(Path("results", REPORT)) as file:
        file.write(report(Path("results")))


if __name__ == "__main__":
    main()
