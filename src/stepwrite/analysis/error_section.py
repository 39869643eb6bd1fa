"""The section of the report about errors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import exp

from stepwrite.analysis import errors, figures
from stepwrite.analysis.sections import Drawing, Material, Section
from stepwrite.analysis.tables import Cell, Table, percent
from stepwrite.data.examples import Example
from stepwrite.evaluation.metrics import wilson

WORST = 20  # feature values drawn and errors listed


def mistakes(material: Material, train: Sequence[Example] | None) -> Section:
    gold, names = material.gold, material.names
    segmentation = material.subjects[0].segmentation
    found = {
        subject.name: errors.mistakes(gold, predictions, segmentation, subject.known)
        for subject, predictions in zip(material.subjects, material.predictions, strict=True)
    }
    counts: dict[str, dict[str, int]] = {
        name: {kind: sum(m.kind == kind for m in made) for kind in errors.KINDS}
        for name, made in found.items()
    }
    right = [percent(wilson(len(gold) - len(found[n]), len(gold))) for n in names]
    tables = [
        Table("accuracy", ("", *names), [("vote of the members, right forms (%)", *right)]),
        Table(
            "mistakes-by-kind",
            ("mistake", *names),
            [(kind, *(counts[name][kind] for name in names)) for kind in errors.KINDS],
        ),
    ]
    drawings = [
        Drawing("mistakes-by-kind", figures.mistakes_by_kind(counts), "Errors of the vote.")
    ]
    labels = {"features": errors.feature_values(gold)}
    if train is not None:
        lemmas = {segmentation.lemma(example.lemma) for example in train}
        seen = [segmentation.lemma(example.lemma) in lemmas for example in gold]
        labels["lemma"] = [["seen" if known else "unseen"] for known in seen]
    for part, of_rows in labels.items():
        groups = {n: errors.groups(of_rows, (m.row for m in found[n])) for n in names}
        values = list(groups[names[0]])
        if not values:
            continue
        columns = [f"{name} (%)" for name in names]
        rows: list[tuple[Cell, ...]] = [
            (v, groups[names[0]][v].rows, *(percent(groups[n][v].accuracy) for n in names))
            for v in values
        ]
        heading = "feature value" if part == "features" else "lemma in training data"
        name = f"accuracy-by-{'feature' if part == 'features' else 'lemma'}"
        tables.append(Table(name, (heading, "rows", *columns), rows, shown=len(rows) <= WORST))
        if part == "features":
            caption = "The values with the most errors, with the number of rows."
            figure = figures.accuracy_by_value(groups, values[:WORST])
            drawings.append(Drawing(name, figure, caption))
    for name in names:
        header = ("lemma", "features", "gold", "predicted", "probability", "kind")
        made = [(*_words(m.example), m.predicted, exp(m.score), m.kind) for m in found[name]]
        made.sort(key=lambda row: -row[4])
        caption = f"The most confident errors of the {name} model"
        tables.append(Table(f"mistakes-{name}-surest", header, made[:WORST], caption))
        tables.append(Table(f"mistakes-{name}", header, made, shown=False))
    for pair in combinations(range(len(names)), 2):
        tables += _compared(material, *pair)
    return Section(
        "Mistakes",
        "What the vote of the members gets wrong. Errors are classified by comparing lemma, gold "
        "form and prediction symbol by symbol; if several types apply, the first one counts.",
        drawings,
        tables,
        gap="seen and unseen lemmas: give the training data with --train" if train is None else "",
    )


def _words(example: Example) -> tuple[str, str, str]:
    return example.lemma, example.features, example.form


def _compared(material: Material, one: int, other: int) -> list[Table]:
    """Two of the models, given by their places."""
    form = material.subjects[0].segmentation.form
    of_both = [material.predictions[k] for k in (one, other)]
    first, second = ([form(p.form) for p in found] for found in of_both)
    result = errors.disagreement([form(e.form) for e in material.gold], first, second)
    a, b = material.names[one], material.names[other]
    of_pair = "" if len(material.names) == 2 else f"-{a}-{b}"
    rows: list[tuple[Cell, ...]] = [
        ("both right", result.both_right),
        (f"only {a} right", len(result.only_first)),
        (f"only {b} right", len(result.only_second)),
        ("both wrong, the same form", result.same_mistake),
        ("both wrong, different forms", result.other_mistakes),
        ("p, McNemar's exact test", result.test.p_value),
    ]
    apart = [(row, a) for row in result.only_first] + [(row, b) for row in result.only_second]
    return [
        Table(f"disagreement{of_pair}", (f"{a} and {b}", "rows"), rows),
        Table(
            f"disagreements{of_pair}",
            ("lemma", "features", "gold", a, b, "right"),
            [
                (
                    *_words(material.gold[row]),
                    *(predictions[row].form for predictions in of_both),
                    who,
                )
                for row, who in sorted(apart)
            ],
            shown=False,
        ),
    ]
