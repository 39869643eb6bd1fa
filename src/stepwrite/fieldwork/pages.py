"""The report as text for a terminal and as one HTML file."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from stepwrite import __version__
from stepwrite.fieldwork.curve import Curve
from stepwrite.fieldwork.report import Report, Section
from stepwrite.terminal import columns_of, html_table, visible

STYLE = """
:root { color-scheme: light dark }
body { margin: 0 auto; padding: 2rem 1.2rem 4rem; max-width: 60rem;
  font: 1rem/1.55 system-ui, "Segoe UI", "DejaVu Sans", sans-serif }
h1 { font-size: 1.6rem } h2 { font-size: 1.2rem; margin-top: 2.5rem }
p { max-width: 44rem } .table { overflow-x: auto }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums }
th, td { text-align: left; vertical-align: top; padding: .25rem 1rem .25rem 0;
  border-bottom: 1px solid #8884 }
svg { max-width: 100%; height: auto } footer { margin-top: 3rem; font-size: .85rem; opacity: .7 }
"""
WIDTH, HEIGHT, LEFT, BOTTOM = 480, 240, 50, 30  # of the drawing, and of its margins


def text(report: Report) -> str:
    """The report for a terminal."""
    return "\n\n".join([report.title, *("\n".join(_lines(part)) for part in report.sections)])


def _lines(section: Section) -> Iterator[str]:
    yield f"# {section.title}"
    yield from section.text
    if len(section.table) > 1:
        yield from map(visible, columns_of(section.table))


def html(report: Report) -> str:
    """The report as a page that needs no other file."""
    parts = "\n".join(map(_section, report.sections))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(report.title)}</title><style>{STYLE}</style></head>\n"
        f"<body><h1>{escape(report.title)}</h1>\n{parts}\n"
        f"<footer>stepwrite {__version__}</footer></body></html>\n"
    )


def _section(section: Section) -> str:
    said = "".join(f"<p>{escape(line)}</p>" for line in section.text)
    table = ""
    if len(section.table) > 1:
        table = f'<div class="table">{html_table("", section.table)}</div>'
    drawn = drawing(section.curve) if section.curve else ""
    return f"<section><h2>{escape(section.title)}</h2>{said}{drawn}{table}</section>"


def drawing(curve: Curve) -> str:
    """The learning curve as SVG: lemmas to the right, accuracy upwards.

    >>> drawing(Curve(((10, 0.25), (20, 0.5)), 0.5)).count("<circle")
    2
    """
    largest = max(size for size, _ in curve.points)

    def place(size: float, share: float) -> tuple[float, float]:
        x = LEFT + (WIDTH - LEFT - 20) * size / largest
        return round(x, 1), round((HEIGHT - BOTTOM) * (1 - share) + 5, 1)

    spots = [place(*point) for point in curve.points]
    line = " ".join(f"{x},{y}" for x, y in spots)
    dots = "".join(f'<circle cx="{x}" cy="{y}" r="3.5" fill="#0072b2"/>' for x, y in spots)
    grid = "".join(
        f'<line x1="{LEFT}" x2="{WIDTH}" y1="{y}" y2="{y}" stroke="#8884"/>'
        f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{round(100 * share)} %</text>'
        for share in (0.0, 0.5, 1.0)
        for _, y in [place(0, share)]
    )
    sizes = "".join(
        f'<text x="{x}" y="{HEIGHT - 6}" text-anchor="middle">{size}</text>'
        for (x, _), (size, _) in zip(spots, curve.points, strict=True)
    )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" '
        'aria-label="accuracy of the rules by number of lemmas" font-size="12" '
        f'fill="currentColor">{grid}<polyline points="{line}" fill="none" stroke="#0072b2" '
        f'stroke-width="2"/>{dots}{sizes}</svg>'
    )
