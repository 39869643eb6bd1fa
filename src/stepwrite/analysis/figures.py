"""Drawing: each function takes numbers and returns a figure; `save` writes it.

The colours are the colour-blind safe palette of Okabe and Ito, and viridis for heat maps. DejaVu
comes with matplotlib and covers Latin with diacritics, Cyrillic, Greek, Georgian, Armenian,
Hebrew and Arabic; matplotlib shapes words and handles right-to-left scripts. Text is saved as
outlines, so that an SVG looks the same everywhere.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast
from unicodedata import category, combining

import numpy as np

from stepwrite.errors import StepwriteError, require, shown
from stepwrite.files import write_whole
from stepwrite.kinds import EDIT_TRANSDUCER, HARD, SOFT

require("matplotlib", extra="analyse", purpose="drawing")

from matplotlib import font_manager, rc_context  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.patches import Rectangle  # noqa: E402
from matplotlib.ticker import MaxNLocator  # noqa: E402

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from stepwrite.analysis.alignments import View
    from stepwrite.analysis.curves import Spread
    from stepwrite.analysis.errors import Group
    from stepwrite.analysis.representations import Characters, Floats

BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, VERMILION, PURPLE = (
    *("#000000", "#E69F00", "#56B4E9", "#009E73"),
    *("#F0E442", "#0072B2", "#D55E00", "#CC79A7"),
)
OF_MODEL = {EDIT_TRANSDUCER.name: GREEN, HARD.name: BLUE, SOFT.name: VERMILION}
GREY, LIGHT = "#6b6b6b", "#d9d9d9"
FORMATS = ("svg", "png", "pdf")
# For symbols missing from DejaVu, if one of these is installed.
OTHER_FONTS = ("Noto Sans", "Noto Sans Devanagari", "Noto Sans CJK SC", "Arial Unicode MS")
STYLE: dict[Any, Any] = {
    "font.family": ["DejaVu Sans", *sorted({*OTHER_FONTS} & {*font_manager.get_font_names()})],
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": False,
    "figure.constrained_layout.use": True,
    "legend.frameon": False,
    "text.parse_math": False,  # a $ in a word is not math
    "svg.fonttype": "path",
    "svg.hashsalt": "stepwrite",  # reproducible files
}
CELL = 0.3  # inches per symbol in an alignment
WIDEST = 60.0  # inches: larger figures are scaled down


def save(figure: Figure, path: Path) -> None:
    """Write a figure in the format given by the file name."""
    kind = path.suffix.removeprefix(".").lower()
    if kind not in FORMATS:
        raise StepwriteError(f"{path}: the file name must end in .svg, .png or .pdf")
    with write_whole(path) as file:
        cast(TextIO, file).buffer.write(drawn(figure, kind))


def drawn(figure: Figure, kind: str) -> bytes:
    """The figure as the bytes of a file, the same for each call."""
    buffer = io.BytesIO()
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with rc_context(STYLE):
        figure.savefig(
            buffer, format=kind, dpi=160, bbox_inches="tight", metadata=dates.get(kind, {})
        )
    return buffer.getvalue()


def label(symbol: str) -> str:
    """A symbol in a form that is visible on its own.

    >>> label("a"), label(" "), label("\\u0301"), label("\\t")
    ('a', '␣', '◌́', '\\\\t')
    """
    if symbol.isspace() and symbol.isprintable():
        return "␣"
    if combining(symbol[0]) or category(symbol[0]) == "Mn":
        return "◌" + symbol
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in symbol)


def phrase(*parts: str) -> str:
    """Words in left-to-right order, whatever the direction of each script."""
    visible = (" ".join(label(piece) if piece else "" for piece in p.split(" ")) for p in parts)
    return "\u200e" + " \u200e".join(visible)


def learning_curves(curves: Mapping[str, Mapping[str, Sequence[Spread]]]) -> Figure:
    """Train and dev accuracy by epoch: `curves[model][part]`; bands are ± 1 standard deviation."""
    with rc_context(STYLE):
        figure = Figure(figsize=(7, 4))
        axes = figure.add_subplot()
        for name, parts in curves.items():
            for part, spreads in parts.items():
                if not spreads:
                    continue
                epochs = [s.epoch for s in spreads]
                mean = np.array([100 * s.mean for s in spreads])
                deviation = 100 * np.nan_to_num([s.deviation for s in spreads])
                line = "-" if part == "dev" else "--"
                colour = OF_MODEL.get(name, BLACK)
                axes.plot(epochs, mean, line, color=colour, label=f"{name}, {part}")
                axes.fill_between(
                    epochs, mean - deviation, mean + deviation, color=colour, alpha=0.2, lw=0
                )
        axes.set(xlabel="epoch", ylabel="right forms (%)")
        axes.set_ylim(top=101)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(axis="y", color=LIGHT, lw=0.5)
        axes.legend(loc="lower right")
        return figure


def alignments(views: Mapping[str, View], title: str = "", features: str = "") -> Figure:
    """One word, one panel per model: the lemma at the top, the form downwards."""
    # A very short lemma gets a wider panel, to make room for the text below it.
    sizes = [(max(6, len(view.lemma) + 2), len(view.positions)) for view in views.values()]
    width = sum(columns * CELL + 0.7 for columns, _ in sizes) + 0.2
    height = max(rows for _, rows in sizes) * CELL + 1.2
    scale = min(1.0, WIDEST / max(width, height))
    with rc_context(STYLE):
        figure = Figure(figsize=(max(width * scale, 2.6), max(height * scale, 1.6)))
        panels = figure.subplots(
            1, len(views), squeeze=False, width_ratios=[columns for columns, _ in sizes]
        )[0]
        for axes, (name, view) in zip(panels, views.items(), strict=True):
            draw_alignment(axes, view, scale)
            how = "→ step  ■ write  □ end" if view.weights is None else "dark 0, bright 1"
            axes.set_xlabel(f"{name}: {how}", color=OF_MODEL.get(name, BLACK), fontsize=8)
        if title or features:
            # Wrapped to the width of the panels, so that many features do not widen the figure.
            spaced = re.sub("([,;])", r"\1 ", features)
            lines = textwrap.wrap(spaced, max(28, int(13 * width * scale)))
            figure.suptitle("\n".join([title, *lines]), fontsize=9)
        return figure


def draw_alignment(axes: Axes, view: View, scale: float = 1.0) -> None:
    """Soft weights as a heat map; a hard path as steps (arrows) and writes (squares)."""
    columns, rows = len(view.lemma) + 2, len(view.positions)
    size = max(2.0, 11 * scale)
    if view.weights is not None:
        axes.pcolormesh(
            np.arange(columns + 1) - 0.5,
            np.arange(rows + 1) - 0.5,
            view.weights,
            cmap="viridis",
            vmin=0,
            vmax=1,
        )
    else:
        _draw_path(axes, view)
    axes.set_xlim(-0.5, columns - 0.5)
    axes.set_ylim(rows - 0.5, -0.5)
    axes.set_aspect("equal", anchor="N")
    axes.xaxis.tick_top()
    axes.set_xticks(range(columns), ["begin", *map(label, view.lemma), "end"], fontsize=size)
    ended = ["end"] * view.ended
    axes.set_yticks(range(rows), [*map(label, view.form), *ended], fontsize=size)
    axes.tick_params(length=0)
    for text in (axes.get_xticklabels()[0], axes.get_xticklabels()[-1]):
        text.set(rotation=90, color=GREY, fontsize=size * 0.75)
    if ended:
        axes.get_yticklabels()[-1].set(color=GREY, fontsize=size * 0.75)
    for spine in axes.spines.values():
        spine.set(visible=True, color=LIGHT)


def _draw_path(axes: Axes, view: View) -> None:
    columns, rows = len(view.lemma) + 2, len(view.positions)
    axes.vlines(np.arange(columns - 1) + 0.5, -0.5, rows - 0.5, color=LIGHT, lw=0.5)
    axes.hlines(np.arange(rows - 1) + 0.5, -0.5, columns - 0.5, color=LIGHT, lw=0.5)
    before = 0
    for row, position in enumerate(view.positions):
        if row:
            axes.plot([before, before], [row - 1, row], color=GREY, lw=1, zorder=1)
        for step in range(before, position):
            axes.annotate(
                "",
                xy=(step + 1 - 0.3 * (step + 1 == position), row),
                xytext=(step, row),
                arrowprops={
                    "arrowstyle": "-|>,head_width=0.2,head_length=0.35",
                    "color": VERMILION,
                    "lw": 1.2,
                    "shrinkA": 0,
                    "shrinkB": 0,
                },
                zorder=2,
            )
        written = row < len(view.form)
        axes.add_patch(
            Rectangle(
                (position - 0.3, row - 0.3),
                0.6,
                0.6,
                facecolor=BLUE if written else "white",
                edgecolor=BLUE,
                zorder=3,
            )
        )
        before = position


def representations(planes: Mapping[str, Floats], drawn_characters: Characters) -> Figure:
    """The projected states of each model twice: by character, and by place in the word."""
    symbols = drawn_characters.symbols
    frequent = sorted(set(symbols), key=lambda symbol: (-symbols.count(symbol), symbol))
    palette = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK)
    colours = {symbol: palette[k % len(palette)] for k, symbol in enumerate(frequent)}
    with rc_context(STYLE):
        figure = Figure(figsize=(9, 4.2 * len(planes)))
        grid = figure.subplots(len(planes), 2, squeeze=False)
        for (name, plane), (left, right) in zip(planes.items(), grid, strict=True):
            for axes in (left, right):
                axes.set(xticks=[], yticks=[], xlim=_limits(plane[:, 0]), ylim=_limits(plane[:, 1]))
            for (x, y), symbol in zip(plane, symbols, strict=True):
                left.text(
                    *(x, y, label(symbol)),
                    **{"color": colours[symbol], "fontsize": 8, "ha": "center", "va": "center"},
                    clip_on=True,
                )
            points = right.scatter(
                *plane.T, c=drawn_characters.places, cmap="viridis", s=14, linewidths=0
            )
            figure.colorbar(points, ax=right, label="place in the word", fraction=0.05)
            left.set_title(f"{name}: by character", color=OF_MODEL.get(name, BLACK))
            right.set_title(f"{name}: by place", color=OF_MODEL.get(name, BLACK))
        return figure


def _limits(values: Floats) -> tuple[float, float]:
    margin = 0.05 * float(np.ptp(values)) or 1.0
    return float(values.min()) - margin, float(values.max()) + margin


def mistakes_by_kind(counts: Mapping[str, Mapping[str, int]]) -> Figure:
    """Bars: `counts[model][kind]`; types without errors are left out."""
    kinds = [kind for kind in next(iter(counts.values())) if any(c[kind] for c in counts.values())]
    with rc_context(STYLE):
        figure = Figure(figsize=(7, 0.9 + 0.45 * max(1, len(kinds))))
        axes = figure.add_subplot()
        high = 0.8 / len(counts)
        for k, (name, by_kind) in enumerate(counts.items()):
            places = np.arange(len(kinds)) + (k - (len(counts) - 1) / 2) * high
            values = [by_kind[kind] for kind in kinds]
            bars = axes.barh(places, values, high, color=OF_MODEL.get(name, BLACK), label=name)
            axes.bar_label(bars, padding=2, fontsize=8)
        axes.set_yticks(range(len(kinds)), kinds)
        axes.invert_yaxis()
        axes.set_xlabel("mistakes")
        axes.margins(x=0.08)
        figure.legend(loc="outside upper right", ncols=2)
        return figure


def accuracy_by_value(groups: Mapping[str, Mapping[str, Group]], values: Sequence[str]) -> Figure:
    """Dots with intervals: `groups[model][value]`."""
    with rc_context(STYLE):
        figure = Figure(figsize=(7, 0.9 + 0.34 * max(1, len(values))))
        axes = figure.add_subplot()
        for k, (name, by_value) in enumerate(groups.items()):
            places = np.arange(len(values)) + (k - (len(groups) - 1) / 2) * 0.25
            accuracies = [by_value[value].accuracy for value in values]
            middle = 100 * np.array([a.value for a in accuracies])
            sides = 100 * np.array([[a.value - a.low, a.high - a.value] for a in accuracies]).T
            colour = OF_MODEL.get(name, BLACK)
            axes.errorbar(
                middle, places, xerr=np.maximum(sides, 0), fmt="o", ms=4, color=colour, label=name
            )
        rows = next(iter(groups.values()))
        names = [f"{shown(value, 40)[1:-1]} ({rows[value].rows})" for value in values]
        axes.set_yticks(range(len(values)), names)
        axes.set_ylim(len(values) - 0.5, -0.5)
        axes.set_xlabel("right forms (%), with 95 % intervals")
        axes.grid(axis="x", color=LIGHT, lw=0.5)
        figure.legend(loc="outside upper right", ncols=2)
        return figure
