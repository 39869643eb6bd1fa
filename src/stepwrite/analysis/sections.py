"""The sections of the report: what each measures, draws and explains.

A section that can't be produced says why and does not affect the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from matplotlib.figure import Figure

from stepwrite.analysis import curves, figures, representations
from stepwrite.analysis.alignments import choose, view
from stepwrite.analysis.claims import Claim
from stepwrite.analysis.estimates import over_members
from stepwrite.analysis.subject import Subject, predict
from stepwrite.analysis.tables import Cell, Table
from stepwrite.data.examples import Example
from stepwrite.errors import StepwriteError
from stepwrite.kinds import HARD, SOFT
from stepwrite.prediction import Prediction


@dataclass(frozen=True)
class Drawing:
    """A figure with its file name and caption."""

    name: str
    figure: Figure
    caption: str


@dataclass(frozen=True)
class Section:
    """A section of the report; `gap` says what is missing and why."""

    title: str
    text: str
    drawings: list[Drawing] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    gap: str = ""


@dataclass(frozen=True)
class Material:
    """What all sections use: the models, the gold rows, and the predictions of each model."""

    subjects: Sequence[Subject]
    gold: Sequence[Example]
    predictions: Sequence[Sequence[Prediction]]

    @property
    def names(self) -> list[str]:
        return [subject.name for subject in self.subjects]


def learning(material: Material) -> Section:
    title = "Learning curves"
    drawn: dict[str, dict[str, list[curves.Spread]]] = {}
    points: list[tuple[Cell, ...]] = []
    found: dict[str, list[curves.Fit]] = {}
    gaps: list[str] = []
    for subject in material.subjects:
        try:
            history = curves.read_points(subject.folder)
        except StepwriteError as error:
            gaps.append(str(error))
            continue
        drawn[subject.name] = {
            "train": curves.spread(history, lambda point: point.train),
            "dev": curves.spread(history, lambda point: point.dev),
        }
        for part, spreads in drawn[subject.name].items():
            points += [
                (subject.name, part, s.epoch, 100 * s.mean, 100 * s.deviation, s.members)
                for s in spreads
            ]
        found[subject.name] = curves.fits(history)
        if not drawn[subject.name]["train"]:
            gaps.append(f"{subject.folder}: the history has no train accuracy")
    if not drawn:
        return Section(title, "", gap="; ".join(gaps))

    def members(name: str, value: Callable[[curves.Fit], float | None]) -> list[float]:
        return [v for v in map(value, found.get(name, [])) if v is not None]

    measures: list[tuple[str, str, Callable[[curves.Fit], float | None]]] = [
        ("dev, best epoch (%)", HARD.name, lambda fit: 100 * fit.dev),
        ("train minus dev at that epoch (points)", SOFT.name, _gap),
        (
            f"epochs until {curves.FITTED:.0%} of train are right",
            HARD.name,
            lambda fit: fit.fitted_at,
        ),
    ]
    texts = (
        "On little data hard attention is better on dev",
        "Hard attention overfits less: the gap between train and dev is smaller",
        "Soft attention fits the training data faster",
    )
    rows: list[tuple[Cell, ...]] = []
    for measure, _, value in measures:
        values = [members(name, value) for name in material.names]
        rows.append((measure, *(over_members(v) if v else None for v in values)))
    claims = [
        Claim(text, measure, larger, members(HARD.name, value), members(SOFT.name, value))
        for text, (measure, larger, value) in zip(texts, measures, strict=True)
    ]
    return Section(
        title,
        "Accuracy by epoch. Train is a fixed sample of the training words. Where the dashed "
        "line is at the top and the solid one is not, the model has memorised words without "
        "generalising.",
        [
            Drawing(
                "learning-curves",
                figures.learning_curves(drawn),
                "Mean over members, with bands of one standard deviation; dashed train, solid dev.",
            )
        ],
        [
            Table("learning", ("", *material.names), rows, "Mean over members, 95 % interval"),
            Table(
                "learning-curves",
                ("model", "part", "epoch", "mean (%)", "deviation (%)", "members"),
                points,
                shown=False,
            ),
        ],
        claims,
        "; ".join(gaps),
    )


def _gap(fit: curves.Fit) -> float | None:
    return None if fit.gap is None else 100 * fit.gap


def pictures(material: Material, words: Sequence[Example] | None, seed: int) -> Section:
    """The given words, or some where the models agree and some where they differ."""
    forms = [[p.form for p in predictions] for predictions in material.predictions]
    if words is None:
        chosen = choose(_spelt_alike(material), forms, material.names, seed=seed)
        picked = [(material.gold[choice.row], choice.reason) for choice in chosen]
    else:
        picked = [(example, "chosen") for example in words]
    examples = [example for example, _ in picked]
    seen = [predict(s.inflector, examples, attention=True) for s in material.subjects]
    drawings: list[Drawing] = []
    rows: list[tuple[Cell, ...]] = []
    for number, ((example, reason), *predictions) in enumerate(zip(picked, *seen, strict=True), 1):
        views = {
            subject.name: view(prediction)
            for subject, prediction in zip(material.subjects, predictions, strict=True)
        }
        title = figures.phrase(example.lemma, *(["→", example.form] if example.form else []))
        figure = figures.alignments(views, title, example.features)
        drawings.append(Drawing(f"alignment-{number}", figure, reason))
        for name, seen_view in views.items():
            inputs = ("(begin)", *seen_view.lemma, "(end)")
            outputs = (*seen_view.form, *["(end)"] * seen_view.ended)
            for k, (symbol, attended) in enumerate(zip(outputs, seen_view.positions, strict=True)):
                weights = seen_view.weights
                weight = None if weights is None else float(weights[k, attended])
                rows.append((number, name, k + 1, symbol, attended, inputs[attended], weight))
    return Section(
        "Alignments",
        "The lemma is shown from left to right, the form downwards. A hard model steps along the "
        "lemma and writes: two steps in a row skip a symbol, two squares in a column write two "
        "symbols for one. A soft model weights all symbols of the lemma for each one it writes.",
        drawings,
        [
            Table(
                "alignments",
                ("word", "model", "output", "symbol", "attended", "attended symbol", "weight"),
                rows,
                shown=False,
            )
        ],
        gap="" if drawings else "no words short enough to draw",
    )


def _spelt_alike(material: Material) -> list[Example]:
    """The gold rows with NFC forms, as models write them."""
    segmentation = material.subjects[0].segmentation
    forms = (segmentation.join_form(segmentation.form(e.form)) for e in material.gold)
    return [e._replace(form=form) for e, form in zip(material.gold, forms, strict=True)]


def states(material: Material, seed: int) -> Section:
    title = "Representations"
    segmentation = material.subjects[0].segmentation
    known = frozenset.intersection(*(subject.known for subject in material.subjects))
    lemmas = [segmentation.lemma(example.lemma) for example in material.gold]
    try:
        samples = representations.sample(lemmas, known, seed)
    except StepwriteError as error:
        return Section(title, "", gap=str(error))
    drawn = samples.drawn
    planes = {
        subject.name: representations.project(representations.states(subject.members[0], drawn))
        for subject in material.subjects
    }
    readings = {
        subject.name: [representations.read(member, samples) for member in subject.members]
        for subject in material.subjects
    }
    names = {
        "symbol": "character named by a linear probe (%)",
        "place": "place read by a linear probe (R²)",
        "from_end": "place from the end read by a linear probe (R²)",
        "clusters": "clusters by character (silhouette)",
        "drawn_clusters": "clusters by character in the drawn plane (silhouette)",
        "drawn_place": "place in the drawn plane (R²)",
    }

    def members(name: str, measure: str) -> list[float]:
        factor = 100 if measure == "symbol" else 1
        return [factor * getattr(reading, measure) for reading in readings.get(name, [])]

    place, from_end = representations.read_without_context(samples)
    guesses = {"place": place, "from_end": from_end}
    texts = {
        "clusters": ("Hard attention has better separated character clusters", HARD.name),
        "drawn_clusters": ("... also in the drawn plane", HARD.name),
        "place": ("Soft attention encodes the position more strongly", SOFT.name),
        "drawn_place": ("... also in the drawn plane", SOFT.name),
    }
    points: list[tuple[Cell, ...]] = [
        (name, symbol, place, *map(float, point))
        for name, plane in planes.items()
        for symbol, place, point in zip(drawn.symbols, drawn.places.tolist(), plane, strict=True)
    ]
    return Section(
        title,
        f"The encoder states of {len(drawn.words)} characters in context, projected to their "
        "first two principal components (SVD, centred; the first member). On the left, equal "
        "letters should be close together; on the right, a model that encodes the place shows a "
        f"gradient from dark to bright. The probes are trained on {len(samples.fit.words)} "
        f"characters and tested on {len(samples.test.words)} from other words.",
        [
            Drawing(
                "representations",
                figures.representations(planes, drawn),
                "Left: the characters. Right: the same points by their place in the word. The "
                "axes have no unit.",
            )
        ],
        [
            Table(
                "representations",
                ("", *material.names, "from the character alone"),
                [
                    (text, *(over_members(members(n, m)) for n in material.names), guesses.get(m))
                    for m, text in names.items()
                ],
                "Mean over members, 95 % interval",
            ),
            Table(
                "representations-drawn",
                ("model", "character", "place", "x", "y"),
                points,
                shown=False,
            ),
        ],
        [
            Claim(text, names[m], larger, members(HARD.name, m), members(SOFT.name, m))
            for m, (text, larger) in texts.items()
        ],
    )
