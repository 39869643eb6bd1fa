"""The functions of the public API; `import stepwrite` offers them.

Each imports what it needs when it is called, so that no call pays for another one's packages.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from stepwrite.data.examples import Example, Examples, Layout, write_examples
from stepwrite.data.layouts import LAYOUTS
from stepwrite.data.reading import open_file
from stepwrite.data.segmentation import Segmentation, Spaced
from stepwrite.errors import StepwriteError, require, shown

if TYPE_CHECKING:
    from stepwrite.evaluation.report import Evaluation
    from stepwrite.inference.voting import Tie
    from stepwrite.inflector import Inflector, Unknown
    from stepwrite.model.pretrained import ShippedModels
    from stepwrite.morphology.lexicon import Use
    from stepwrite.training.config import TrainingConfig
    from stepwrite.training.folder import Plan
    from stepwrite.transducer.alignment import Aligner, Alignment
    from stepwrite.transducer.alignment import Progress as AlignmentProgress

Source = str | Path | Iterable[Example]
"""A file of examples, or examples in memory."""

Guesses = Sequence[str] | Sequence[Sequence[str]]
"""A form for each row, or several, best first."""

Columns = str | Sequence[str] | Layout
"""The layout of a file: its name, or the names of its columns (`lemma`, `features`, `form`, or
`_` to ignore one)."""


def load(
    model: str | Path,
    *,
    tie: Tie = "score",
    lexicon: Use | None = None,
    unknown_features: Unknown = "refuse",
    any_script: bool = False,
) -> Inflector:
    """Load a model: a directory, or a shipped model by its name or its language.

    A language is an ISO 639-1 or 639-3 code or an English name.

    tie: which form wins with equally many votes. "score": the best total log probability.
    "shortest", the authors' rule: if no form has two votes, the shortest wins.
    lexicon: "prefer" returns attested forms, "flag" marks them, "off" ignores the lexicon; by
    default "prefer" for a model that ships, "flag" for others that have a lexicon.
    unknown_features: "refuse" makes features that the model does not know, and cells that its
    language does not have, an error with the nearest that exists; "ignore" ignores them.
    any_script: also inflect words in a script that the model never saw.

    >>> load("german-nouns")("Haus", "N;NEUT;DAT;PL").form
    'Häusern'
    """
    from stepwrite.inflector import Inflector
    from stepwrite.model.directory import load_model
    from stepwrite.model.pretrained import locate

    return Inflector(
        load_model(locate(model)),
        tie=tie,
        lexicon=lexicon,
        unknown_features=unknown_features,
        any_script=any_script,
    )


def models() -> ShippedModels:
    """The models that come with the package, as rows that print as a table.

    >>> [model.name for model in models() if model.iso == "deu"]
    ['german', 'german-nouns']
    """
    from stepwrite.model.pretrained import available

    return available()


def read(path: str | Path, *, layout: Columns | None = None, sheet: str | None = None) -> Examples:
    """Read the examples of a text file or a spreadsheet; its layout is detected unless given.

    sheet: the name of the sheet to read, for a workbook that has several.
    """
    return _examples(path, layout, sheet=sheet)


def write(path: str | Path, examples: Iterable[Example], *, layout: Columns | None = None) -> None:
    """Write examples to a file, by default in the layout of the file that they were read from.

    A name that ends in .xlsx, .ods or .csv gives a table with headings.
    """
    from stepwrite.data.examples import cells_of
    from stepwrite.data.tables import SPREADSHEETS, write_table
    from stepwrite.files import write_whole

    rows = _examples(examples, None)
    columns = _layout(layout) or rows.layout
    if Path(path).suffix.lower() in SPREADSHEETS:
        write_table(path, [columns.columns, *(cells_of(row, columns) for row in rows)])
        return
    with write_whole(path) as file:
        write_examples(file, rows, columns)


def align(
    source: str | Path | Iterable[Example | tuple[str, str]],
    *,
    aligner: Literal["crp", "edit"] = "crp",
    sweeps: int = 10,
    seed: int = 0,
    layout: Columns | None = None,
    spaced: Spaced | None = None,
    progress: AlignmentProgress | None = None,
) -> list[Alignment]:
    """Align lemmas with forms, symbol by symbol.

    source: a file, examples, or pairs (lemma, form).
    aligner: "crp", a Chinese restaurant process learnt from all pairs in so many `sweeps`; "edit",
    the fewest edits.
    spaced: the columns whose symbols are separated by spaces.

    >>> [alignment] = align([("Haus", "Häuser")], aligner="edit")
    >>> alignment.pairs
    (('H', 'H'), ('a', 'ä'), ('u', 'u'), ('s', 's'), (None, 'e'), (None, 'r'))
    """
    from stepwrite.transducer.alignment import ChineseRestaurantAligner, EditDistanceAligner

    if not isinstance(source, str | Path | Examples):
        source = Examples(_pair(row, number) for number, row in enumerate(source, 1))
    examples = _examples(source, layout, needs_form=True)
    segmentation = Segmentation.of(spaced, examples.layout)
    pairs = [(segmentation.lemma(e.lemma), segmentation.form(e.form)) for e in examples]
    aligners: dict[str, Aligner] = {
        "crp": ChineseRestaurantAligner(sweeps=sweeps, seed=seed),
        "edit": EditDistanceAligner(),
    }
    if aligner not in aligners:
        raise StepwriteError(f"unknown aligner {aligner!r}: use {' or '.join(aligners)}")
    return aligners[aligner].align(pairs, progress)


def evaluate(
    system: Inflector | str | Path | Guesses,
    test: Source,
    *,
    against: Guesses | None = None,
    train: Source | None = None,
    lexicon: Use | None = None,
    layout: Columns | None = None,
    spaced: Spaced | None = None,
) -> Evaluation:
    """Score a model, or any system's guesses, the way the shared tasks do.

    Warns if rows of `test` were in the model's training data, as far as it can tell.

    system: a model, loaded or as `load` takes it; or guesses for the rows of `test`, each a form
    or a list of forms, best first.
    against: the guesses of another system, to compare with.
    train: training examples, to score seen and unseen lemmas and bundles apart.
    lexicon: as in `load`, for a model that is not loaded.
    spaced: the columns whose symbols are separated by spaces; a model knows it itself.
    """
    from stepwrite.evaluation.report import evaluation
    from stepwrite.inflector import Inflector
    from stepwrite.model.overlap import overlap

    gold = _examples(test, layout, needs_form=True)
    if isinstance(system, str | Path):
        system = load(system, lexicon=lexicon)
    if isinstance(system, Inflector):
        if found := overlap(system.model, gold):
            warnings.warn(f"{gold.path}: {found}".removeprefix(": "), stacklevel=2)
        segmentation = system.model.segmentation
        system = [p.form for p in system.batch(gold, unknown_features="ignore")]
    else:
        segmentation = Segmentation.of(spaced, gold.layout)
    return evaluation(
        gold,
        _guesses(system),
        segmentation,
        against=None if against is None else _guesses(against),
        train=read(train) if isinstance(train, str | Path) else train,
    )


def train(
    source: Source | None = None,
    *,
    dev: Source | None = None,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    kind: str | None = None,
    preset: str = "default",
    members: int | Mapping[str, int] = 1,
    folds: int | None = None,
    seed: int = 1,
    lexicon: bool = False,
    layout: Columns | None = None,
    spaced: Spaced | None = None,
    jobs: int | None = None,
    progress: bool = True,
    **settings: Any,
) -> Inflector:
    """Train a model and return it loaded.

    source: training examples. dev: examples to choose the best epoch on; without them the last
    epoch is kept. out: the model directory to make.
    folds: without dev, the parts of the lemmas that networks are tested on before the model is
    trained on all of them: 0 none, 1 one split, more cross-validation; by default 5 with fewer
    than 300 lemmas, else 1.
    resume: the directory of an interrupted run to finish; takes no other arguments but `jobs` and
    `progress`.
    kind: "edit", "hard", "soft", or one that another package offers; by default the edit
    transducer, or with the preset "paper" the paper's hard attention.
    preset and the `settings` are those of `stepwrite train`, where `--feature-embedding` is
    `feature_embedding`. members: ensemble size, or
    how many of each kind: `{"edit": 3, "soft": 2}`. seed: of the first member.
    lexicon: let the model carry the forms of the training data, to tell known forms from guesses.
    spaced: the columns whose symbols are separated by spaces.
    jobs: members trained at the same time, by default one per core.
    progress: show on stderr how the members do.
    """
    for module in ("torch", "numba"):
        require(module, extra="train", purpose="training")
    from stepwrite.files import held
    from stepwrite.kinds import DEFAULTS
    from stepwrite.training import folder as run
    from stepwrite.training import validation
    from stepwrite.training.kernels import precision

    if resume is not None:
        if source is not None or dev is not None or out is not None or settings:
            raise StepwriteError("resume takes no data, out or settings: the run has its own")
        with run.resumed(Path(resume)) as plan:
            for config in plan.configs:
                precision.check(config.precision)
            return _follow(Path(resume), plan, jobs, progress)
    if source is None or out is None:
        raise StepwriteError("training needs examples and out, a directory (or resume)")
    if isinstance(members, Mapping) and kind is not None:
        raise StepwriteError("give the kind either by itself or with the members of each kind")
    train_set = _examples(source, layout, needs_form=True)
    dev_set = Examples() if dev is None else _examples(dev, layout, needs_form=True)
    if kind is None and preset in DEFAULTS:
        kind = DEFAULTS[preset].name
    counts = members if isinstance(members, Mapping) else {kind: members}
    if not counts or min(counts.values()) < 1:
        raise StepwriteError(f"members is {members}: expected 1 or more")
    config, *others = (
        config
        for name, count in counts.items()
        for config in [_config(preset, len(train_set), {"kind": name, **settings})] * count
    )
    if dev is not None and folds:
        raise StepwriteError("give either dev or folds")
    if dev is not None:
        folds = 0
    elif folds is None:
        folds = validation.usual_folds(train_set)
    if folds:
        validation.make_folds(train_set, folds, seed)  # or say what is wrong with them
    plan = run.Plan(
        config=config,
        segmentation=Segmentation.of(spaced, train_set.layout),
        members=sum(counts.values()),
        others=tuple(other for other in others if other != config),
        seed=seed,
        train=train_set.path,
        dev=dev_set.path,
        lexicon=lexicon,
        folds=folds,
    )
    for config in plan.configs:
        precision.check(config.precision)
    with held(Path(out)):
        run.create(Path(out), plan, train_set, dev_set)
        return _follow(Path(out), run.read_plan(Path(out)), jobs, progress)


def _follow(folder: Path, plan: Plan, jobs: int | None, progress: bool) -> Inflector:
    """Measure folds if that is planned, train the members that have not ended, make the model."""
    from stepwrite.inflector import Inflector
    from stepwrite.training import assembly, validation
    from stepwrite.training import folder as run
    from stepwrite.training.display import displayed, measured, outcome, watched
    from stepwrite.training.workers import train_members

    if n_folds := validation.folds_left(folder, plan):
        folds = validation.make_folds(
            run.read_examples(folder, plan, "train.tsv"), n_folds, plan.seed
        )
        updates = validation.train_folds(folder, plan, folds, jobs or os.cpu_count() or 1)
        if progress:
            print(validation.announcement(folds), file=sys.stderr)
            updates = watched(replace(plan, members=n_folds, others=()), updates, "fold")
        for _ in updates:
            pass
        found = validation.validate(folder, plan, folds)
        if progress:
            print(*measured(found), sep="\n", file=sys.stderr)
    updates = train_members(folder, plan, jobs or os.cpu_count() or 1)
    for _ in displayed(plan, updates) if progress else updates:
        pass
    model = assembly.assemble(folder)
    if progress:
        print(*outcome(folder, plan, model.about), sep="\n", file=sys.stderr)
    return Inflector(model)


def _config(name: str, n_examples: int, settings: dict[str, Any]) -> TrainingConfig:
    from stepwrite.training.config import preset

    known = preset(name, n_examples).settings().keys() - {"preset"}
    if unknown := sorted(settings.keys() - known):
        raise StepwriteError(
            f"unknown setting {', '.join(unknown)}: use {', '.join(sorted(known))}"
        )
    return preset(name, n_examples, **settings)


def _layout(layout: Columns | None) -> Layout | None:
    if layout is None or isinstance(layout, Layout):
        return layout
    if isinstance(layout, str):
        if layout not in LAYOUTS:
            raise StepwriteError(f"unknown layout {shown(layout)}: use {', '.join(LAYOUTS)}")
        return LAYOUTS[layout]
    try:
        return Layout("columns", tuple(layout))
    except ValueError as error:
        raise StepwriteError(str(error)) from None


def _examples(
    source: Source,
    layout: Columns | None,
    *,
    sheet: str | None = None,
    needs_form: bool = False,
) -> Examples:
    if isinstance(source, str | Path):
        file = open_file(source, _layout(layout), sheet=sheet, needs_form=needs_form)
        return Examples(file, str(source), file.layout)
    if isinstance(source, Examples):
        examples = source
    else:
        examples = Examples(_example(row, number) for number, row in enumerate(source, 1))
    for number, example in enumerate(examples, 1):
        if not example.lemma.strip() or (needs_form and not example.form.strip()):
            raise StepwriteError(f"example {number}: empty lemma or form: {tuple(example)}")
    return examples


def _example(row: object, number: int) -> Example:
    match row:
        case (str(lemma), str(features), str(form)):
            return Example(lemma, features, form)
    raise StepwriteError(f"example {number}: expected lemma, features and form, got {row!r:.100}")


def _pair(row: object, number: int) -> Example:
    match row:
        case (str(lemma), str(form)) | (str(lemma), str(), str(form)):
            return Example(lemma, form=form)
    raise StepwriteError(f"pair {number}: expected lemma and form, got {row!r:.100}")


def _guesses(guesses: Guesses) -> list[tuple[str, ...]]:
    return [(guess,) if isinstance(guess, str) else tuple(guess) for guess in guesses]
