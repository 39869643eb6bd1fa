"""The section of the report about how attention moves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stepwrite.analysis.alignments import View, view
from stepwrite.analysis.attention import agreement, monotony
from stepwrite.analysis.claims import Claim
from stepwrite.analysis.errors import feature_values
from stepwrite.analysis.estimates import over_members
from stepwrite.analysis.sections import Material, Section
from stepwrite.analysis.subject import Advance, predict
from stepwrite.analysis.tables import Cell, Table
from stepwrite.data.examples import Example
from stepwrite.kinds import HARD, SOFT

ATTENDED = 1000  # words on which the attention of each member is measured
NEARLY = 0.95  # share of moves from which attention counts as nearly monotonic
MOST_VALUES = 20  # feature values: longer tables are written to file only


def statistics(material: Material, seed: int, advance: Advance) -> Section:
    """Each member on the same words; hard and soft members are compared pairwise."""
    title = "Alignment statistics"
    by_name = {subject.name: subject for subject in material.subjects}
    if SOFT.name not in by_name:
        gap = "a hard model only moves forward; give a soft one with --soft to compare"
        return Section(title, "", gap=gap)
    order = np.random.default_rng(seed).permutation(len(material.gold))[:ATTENDED]
    examples = [material.gold[k] for k in np.sort(order)]
    views = {
        name: [
            [view(p) for p in predict(member, examples, attention=True, advance=advance)]
            for member in subject.members
        ]
        for name, subject in by_name.items()
    }
    alone = [found for member in views[SOFT.name] if (found := monotony(member))]
    pairs = zip(views.get(HARD.name, []), views[SOFT.name], strict=False)
    compared = [both for hard, soft in pairs if (both := agreement(hard, soft))]
    if not alone:
        return Section(title, "", gap="the soft model wrote nothing")
    measures = [
        ("moves that do not go back (%)", [100 * m.moves for m in alone]),
        ("words without a move back (%)", [100 * m.words for m in alone]),
        ("largest weight, mean (%)", [100 * m.peak for m in alone]),
    ]
    if compared:
        measures += [
            ("most attended is the hard position (%)", [100 * a.same for a in compared]),
            ("... or a neighbour of it (%)", [100 * a.near for a in compared]),
            ("weight on the hard position, mean (%)", [100 * a.weight for a in compared]),
            ("hard position is the output's own place (%)", [100 * a.diagonal for a in compared]),
        ]
    claim = Claim(
        f"Soft attention is nearly monotone: {NEARLY:.0%} of its moves do not go back",
        measures[0][0],
        "",
        soft=measures[0][1],
        limit=100 * NEARLY,
    )
    return Section(
        title,
        f"On {len(examples)} randomly sampled words, member by member. A move is the change of the "
        "most attended position from one written symbol to the next. Agreement is measured on "
        "words for which the hard and the soft member write the same form; the last line is what "
        "a pointer that advances by one with each written symbol would achieve.",
        tables=[
            Table(
                "statistics",
                ("soft attention", "mean over members, 95 % interval", "members"),
                [(text, over_members(values, most=100), len(values)) for text, values in measures],
            ),
            _by_feature(views[SOFT.name], examples),
        ],
        claims=[claim],
        gap="" if compared else "no hard path to compare with, or no form in common",
    )


def _by_feature(members: Sequence[Sequence[View]], examples: Sequence[Example]) -> Table:
    """Where the backward moves are: prefixes and infixes have no source in the lemma."""
    rows: dict[str, list[int]] = {}
    for row, values in enumerate(feature_values(examples)):
        for value in values:
            rows.setdefault(value, []).append(row)
    lines: list[tuple[Cell, ...]] = []
    for value, chosen in sorted(rows.items(), key=lambda item: -len(item[1])):
        found = [monotony([member[row] for row in chosen]) for member in members]
        shares = [100 * one.words for one in found if one]
        if shares:
            lines.append((value, len(chosen), over_members(shares, most=100)))
    header = ("feature value", "words", "words without a move back (%)")
    return Table("statistics-by-feature", header, lines, shown=len(lines) <= MOST_VALUES)
