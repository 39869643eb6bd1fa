"""The report on one model, or several side by side: a page with its figures and numbers.

report.html   everything, self-contained
*.svg, *.png  each figure
*.tsv         each table, and the numbers behind each figure
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from stepwrite import __version__
from stepwrite.analysis import figures, sections
from stepwrite.analysis.attention_section import ATTENDED, statistics
from stepwrite.analysis.error_section import mistakes
from stepwrite.analysis.sections import Drawing, Material, Section
from stepwrite.analysis.subject import Advance, Subject, predict, unknown_features
from stepwrite.analysis.tables import Cell, Table
from stepwrite.data.examples import Example
from stepwrite.errors import DataError, StepwriteError, shown
from stepwrite.files import write_whole
from stepwrite.kinds import HARD, SOFT, kind_of

STYLE = """
:root { color-scheme: light dark;
  --ink: #1c1c1c; --quiet: #5f5f5f; --page: #fdfdfb; --line: #dcdcd6 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e6e1; --quiet: #a5a29b; --page: #191917; --line: #3a3a36 } }
body { margin: 0 auto; padding: 2rem 1.2rem 5rem; max-width: 60rem; background: var(--page);
  color: var(--ink); font: 1rem/1.55 system-ui, "Segoe UI", "DejaVu Sans", sans-serif }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem }
h2 { font-size: 1.25rem; margin: 3rem 0 .5rem;
  border-top: 1px solid var(--line); padding-top: 1.5rem }
p { max-width: 44rem } .quiet, figcaption, caption, small { color: var(--quiet) }
nav a { margin-right: 1rem; color: inherit }
figure { margin: 1rem 0; display: inline-block; max-width: 100%; vertical-align: top }
figure svg { display: block; max-width: 100%; height: auto; background: #fff; border-radius: 6px }
figcaption { font-size: .85rem; margin-top: .3rem }
.table { overflow-x: auto; margin: 1rem 0 }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums }
caption { text-align: left; font-size: .85rem; padding-bottom: .3rem }
th, td { text-align: left; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top } td small { white-space: nowrap }
.gap { border-left: 3px solid #e69f00; padding-left: .8rem }
"""


@dataclass(frozen=True)
class Report:
    """The sections in order; `about` describes the models and the data."""

    title: str
    about: tuple[str, ...]
    sections: tuple[Section, ...]

    @property
    def claims(self) -> Table:
        """The paper's claims that can be tested with these models."""
        rows: list[tuple[Cell, ...]] = [
            (claim.text, claim.measure, *claim.estimates, claim.margin, claim.verdict)
            for section in self.sections
            for claim in section.claims
            if claim.margin is not None
        ]
        header = ("claim", "measure", HARD.name, SOFT.name, "margin of the claim", "verdict")
        return Table("claims", header, rows, "Mean over members, 95 % interval")

    @property
    def tables(self) -> list[Table]:
        return [self.claims, *(table for section in self.sections for table in section.tables)]

    @property
    def drawings(self) -> list[Drawing]:
        return [drawing for section in self.sections for drawing in section.drawings]


def words_to_inflect(subjects: Sequence[Subject], n_rows: int) -> int:
    """The total number of words that will be reported to `advance`."""
    members = sum(len(subject.members) for subject in subjects)
    has_soft = any(subject.name == SOFT.name for subject in subjects)
    return n_rows * len(subjects) + min(ATTENDED, n_rows) * members * has_soft


def analyse(
    subjects: Sequence[Subject],
    gold: Sequence[Example],
    *,
    words: Sequence[Example] | None = None,
    train: Sequence[Example] | None = None,
    seed: int = 0,
    advance: Advance = lambda words: None,
) -> Report:
    """Analyse one model, or several of different kinds, on rows with gold forms."""
    if not gold:
        raise StepwriteError("nothing to analyse: no rows")
    if len({subject.segmentation for subject in subjects}) > 1:
        raise StepwriteError("can't compare: the models split words into different symbols")
    predictions = [predict(s.inflector, gold, advance=advance) for s in subjects]
    material = Material(subjects, gold, predictions)
    return Report(
        title=" and ".join(kind_of(s.name).title for s in subjects).capitalize(),
        about=tuple(_about(subjects, gold)),
        sections=(
            sections.learning(material),
            sections.pictures(material, words, seed),
            statistics(material, seed, advance),
            sections.states(material, seed),
            mistakes(material, train),
        ),
    )


def _about(subjects: Sequence[Subject], gold: Sequence[Example]) -> list[str]:
    """What was analysed, and what is unknown to the models."""
    lines = [f"{len(gold)} rows; stepwrite {__version__}."]
    for subject in subjects:
        network = subject.inflector.model.network
        lines.append(
            f"{subject.name.capitalize()}: {subject.folder.name}, {len(subject.members)} "
            f"member(s), {network.layers} layer(s) of {network.hidden}."
        )
        lemmas = [example.lemma for example in gold]
        if unread := subject.unread(lemmas):
            lines.append(
                f"The {subject.name} model has never seen some symbol of {len(unread)} of the "
                f"{len(lemmas)} lemmas, the first: {shown(unread[0])}."
            )
        if unknown := unknown_features(subject, gold):
            some = ", ".join(map(shown, unknown[:5]))
            lines.append(
                f"The {subject.name} model has never seen {len(unknown)} of the feature values "
                f"and ignores them: {some}."
            )
    known = [subject.known for subject in subjects]
    if apart := sorted(frozenset.union(*known) - frozenset.intersection(*known)):
        lines.append(
            f"Not all of the models know {len(apart)} of the symbols, which "
            f"representations leave out: {' '.join(map(shown, apart[:20]))}."
        )
    return lines


def write(report: Report, folder: Path) -> None:
    """Write all files; `report.html` comes last."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"can't be created: {error.strerror}", path=str(folder)) from None
    for drawing in report.drawings:
        for kind in ("svg", "png"):
            figures.save(drawing.figure, folder / f"{drawing.name}.{kind}")
    for table in report.tables:
        with write_whole(folder / f"{table.name}.tsv") as file:
            file.write(table.tsv())
    with write_whole(folder / "report.html") as file:
        file.write(html(report))


def html(report: Report) -> str:
    """The page, with its figures as inline SVG."""
    links = "".join(
        f'<a href="#part-{k}">{escape(section.title)}</a>'
        for k, section in enumerate(report.sections)
    )
    about = "<br>".join(map(escape, report.about))
    claims = ""
    if report.claims.rows:
        claims = (
            "<h2>The paper's claims</h2><p>Each is expressed as a number for every member. It "
            "holds if the whole interval of its margin is above zero, does not hold if the "
            f"whole interval is below, and is undecided otherwise.</p>{report.claims.html()}"
        )
    parts = "\n".join(_section(section, k) for k, section in enumerate(report.sections))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(report.title)}</title><style>{STYLE}</style></head>\n"
        f'<body><h1>{escape(report.title)}</h1><p class="quiet">{about}</p>'
        f"<nav>{links}</nav>\n{claims}\n{parts}\n</body></html>\n"
    )


def _section(section: Section, number: int) -> str:
    drawings = "\n".join(
        f"<figure>{_svg(drawing)}<figcaption>{escape(drawing.caption)}</figcaption></figure>"
        for drawing in section.drawings
    )
    tables = "\n".join(table.html() for table in section.tables if table.shown and table.rows)
    text = f"<p>{escape(section.text)}</p>" if section.text else ""
    gap = f'<p class="gap">Not available: {escape(section.gap)}.</p>' if section.gap else ""
    heading = f'<h2 id="part-{number}">{escape(section.title)}</h2>'
    return f"<section>{heading}{text}{gap}\n{drawings}\n{tables}</section>"


def _svg(drawing: Drawing) -> str:
    """The SVG element of a figure, with unique ids, as a page has many figures."""
    text = figures.drawn(drawing.figure, "svg").decode()
    own = re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{drawing.name}-", text[text.index("<svg") :])
    return own.replace("<svg", f'<svg role="img" aria-label="{escape(drawing.caption)}"', 1)
