"""The model of a language: trained, rounded, measured, and written with its lexicon and card.

Its package is the one that the language's declaration names.
"""

from __future__ import annotations

import gzip
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import stepwrite
from language_build import treebanks
from language_build.declaration import Language
from stepwrite import Example, StepwriteError
from stepwrite.data.examples import LAYOUTS
from stepwrite.evaluation.metrics import Scores
from stepwrite.model.about import Common, Measured, Shipped
from stepwrite.model.card import model_card
from stepwrite.model.directory import (
    CONFIG,
    HISTORY,
    TRAINING,
    Model,
    load_model,
    save_model,
)
from stepwrite.model.rounding import Bits
from stepwrite.morphology.cells import RARE, Cells, head_pos
from stepwrite.morphology.lexicon import Lexicon
from stepwrite.training import folder as run
from stepwrite.training.assembly import assemble
from stepwrite.training.workers import Unit, unfinished

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "stepwrite": ROOT / "src/stepwrite/pretrained",
    "stepwrite-languages": ROOT / "packages/languages/src/stepwrite_languages/models",
}
EXAMPLES = 200_000  # of a training, if that makes from 10 to 60 epochs
LOST = 0.0005  # the most that 8 bits may lose on dev
MOST_COMMON = 3_000  # cells of common words that the network is measured on


@dataclass(frozen=True)
class Folder:
    """The files of a language as `language_build.data` writes them."""

    path: Path

    def rows(self, part: str) -> list[Example]:
        path = self.path / f"{part}.tsv"
        if not path.exists():
            raise StepwriteError(f"{path}: no such file: build the data first")
        return (
            list(stepwrite.read(path, layout=LAYOUTS["sigmorphon2016"]))
            if path.stat().st_size
            else []
        )

    def lexicon(self) -> Lexicon:
        text = gzip.decompress((self.path / "lexicon.tsv.gz").read_bytes()).decode()
        return Lexicon.from_text(text)

    def bundles(self) -> Iterator[tuple[str, str]]:
        """Bundle and source of all rows."""
        with gzip.open(self.path / "rows.tsv.gz", "rt", encoding="utf-8") as file:
            for line in file:
                _, bundle, _, source = line.rstrip("\n").split("\t")
                yield bundle, source


def sized(n_examples: int) -> dict[str, Any]:
    """Settings of a small and fast model, trained on about as many examples in every language.

    >>> [sized(n)["epochs"] for n in (40_000, 25_000, 10_000, 1_500)]
    [10, 10, 20, 60]
    """
    epochs = min(max(EXAMPLES // n_examples, 10), 60)
    sizes = {"hidden": 128, "embedding": 64, "feature_embedding": 24, "batch": 32}
    return {**sizes, "epochs": epochs}


def planned(
    language: Language, data: Folder, out: Path, members: int, settings: Mapping[str, Any]
) -> list[Unit]:
    """Lay down the run of a language, if there is none; the members that are left to train."""
    if not (out / CONFIG).exists() and not (out / TRAINING / "plan.json").exists():
        from stepwrite.data.segmentation import Segmentation
        from stepwrite.training.config import preset

        train, dev = data.rows("train"), data.rows("dev")
        plan = run.Plan(
            config=preset("default", len(train), kind="edit", **{**sized(len(train)), **settings}),
            segmentation=Segmentation(),
            members=members,
            seed=1,
            train=f"{language.iso} train",
            dev=f"{language.iso} dev",
        )
        run.create(out, plan, train, dev)
    if not (out / TRAINING / "plan.json").exists():
        return []
    return unfinished(out, run.read_plan(out))


def finish(language: Language, data: Folder, trained: Path, out: Path | None = None) -> Shipped:
    """Assemble a trained model, round and measure it, and write it to `out` or its package."""
    model = assemble(trained) if (trained / TRAINING).exists() else load_model(trained)
    history = (trained / HISTORY).read_text(encoding="utf-8")
    model = replace(model, cells=cells_of(data, language.inflectional), lexicon=data.lexicon())
    dev, test = data.rows("dev"), data.rows("test")
    single = accuracy(model, dev)
    bits: Bits = 8
    rounded = _rounded(model, bits)
    share = accuracy(rounded, dev)
    if share < single - LOST:
        bits = 16
        rounded = _rounded(model, bits)
        share = accuracy(rounded, dev)
    scored = stepwrite.evaluate(_network(rounded), test)
    slots = model.vocabulary.slots
    assert model.cells is not None
    shipped = Shipped(
        iso=language.iso,
        title=language.name,
        pos=tuple(pos for pos in model.cells.parts_of_speech if pos),
        features={
            str(slot): values for slot, values in zip(slots.slots, slots.values, strict=True)
        },
        source="; ".join(dict.fromkeys(source.origin for source in language.sources)),
        licence=language.licence,
        dev=Measured(len(dev), share, single),
        test=Measured(len(test), scored.exact_match, accuracy(model, test)),
        common=common_words(rounded, data.rows("common")),
        names=(language.native, *language.names),
    )
    model = replace(model, about=replace(model.about, shipped=shipped))
    text = card(language, model, shipped, bits, scored.breakdown["part_of_speech"])
    target = (out or PACKAGES[language.package]) / language.model
    shutil.rmtree(target, ignore_errors=True)
    save_model(target, model, history, text, bits=bits)
    return shipped


def cells_of(data: Folder, inflectional: Sequence[str] = ()) -> Cells:
    """The cells of all rows; parts of speech and lexical values are guessed as in train.

    Cells that only running text has are rare, whatever their number.
    """
    cells = Cells.fit((row.lemma, row.features) for row in data.rows("train"))
    counts, text = Counter[str](), Counter[str]()
    for bundle, source in data.bundles():
        if head_pos(bundle) in cells.lexical:
            (text if source == treebanks.SOURCE else counts)[bundle] += 1
    most = Counter[str]()
    for bundle, count in counts.items():
        most[head_pos(bundle)] = max(most[head_pos(bundle)], count)
    for bundle in text.keys() - counts.keys():
        # Rare enough to be left out of the paradigms of words that are not known to have it.
        few = most[head_pos(bundle)] // (RARE + 1)
        counts[bundle] = min(text[bundle], few) if few else text[bundle]
    lexical = {
        pos: {slot: endings for slot, endings in slots.items() if slot not in inflectional}
        for pos, slots in cells.lexical.items()
    }
    return replace(cells, counts=dict(sorted(counts.items())), lexical=lexical)


def _rounded(model: Model, bits: Bits) -> Model:
    with TemporaryDirectory() as folder:
        save_model(Path(folder), model, "", "", bits=bits)
        return load_model(folder)


def accuracy(model: Model, rows: Sequence[Example]) -> float:
    """Exact match without the lexicon."""
    return stepwrite.evaluate(_network(model), rows).exact_match


def _network(model: Model) -> stepwrite.Inflector:
    """The network alone. With a lexicon, evaluation would warn that it knows the test set."""
    return stepwrite.Inflector(replace(model, lexicon=None))


def common_words(model: Model, rows: Sequence[Example]) -> Common | None:
    """Any form of a cell that is attested is right."""
    from language_build.splits import draw

    if not rows:
        return None
    forms: dict[tuple[str, str], set[str]] = {}
    for lemma, features, form in rows:
        forms.setdefault((lemma, features), set()).add(form)
    cells = sorted(forms, key=lambda cell: draw("common", *cell))[:MOST_COMMON]

    def share(inflector: stepwrite.Inflector) -> float:
        predictions = inflector.batch(cells, warn=False)
        right = sum(p.form in forms[cell] for p, cell in zip(predictions, cells, strict=True))
        return right / len(cells)

    return Common(
        lemmas=len({row.lemma for row in rows}),
        rows=len(cells),
        accuracy=share(stepwrite.Inflector(model, lexicon="prefer")),
        without_lexicon=share(_network(model)),
    )


def card(
    language: Language, model: Model, shipped: Shipped, bits: Bits, by_pos: Mapping[str, Scores]
) -> str:
    """The model's card: accuracy on unseen and on common words, sources and licence."""
    percent = "{:.2f} %".format
    lines = [
        "",
        "## Accuracy",
        f"Exact match, with weights of {bits} bits as they ship and as they were trained. No lemma "
        "of dev and test is in train.",
        "",
        f"| part | rows | {bits} bits | as trained |",
        "|---|---|---|---|",
        *(
            f"| {name} | {m.rows} | {percent(100 * m.accuracy)} "
            f"| {percent(100 * m.in_single_precision)} |"
            for name, m in (("dev", shipped.dev), ("test", shipped.test))
        ),
        "",
        "| part of speech (test) | rows | network alone |",
        "|---|---|---|",
        *(
            f"| {pos} | {scores.rows} | {percent(100 * scores.exact_match.value)} |"
            for pos, scores in by_pos.items()
        ),
        "",
    ]
    if shipped.common is not None:
        common = shipped.common
        lines += [
            f"Of {common.rows} cells of the {common.lemmas} most frequent lemmas (by wordfreq), "
            f"{percent(100 * common.accuracy)} are right with the lexicon and "
            f"{percent(100 * common.without_lexicon)} without it.",
            "",
        ]
    lines += [
        "## Sources and licence",
        f"The model and its lexicon are under {language.licence}. Their data:",
        *dict.fromkeys(f"- {source.origin} ({source.licence})" for source in language.sources),
        "",
    ]
    return model_card(model, language.model) + "\n".join(lines)
