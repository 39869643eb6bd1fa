"""The table of all languages: `results/languages.md`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from statistics import median

from language_build.declaration import Language
from language_build.models import PACKAGES
from stepwrite.model.directory import CONFIG, read_about

LARGE = 10_000  # rows: languages with fewer are left out of the median


def table(languages: Mapping[str, Language], data: Path) -> str:
    """Markdown: one row per language whose model is built."""
    rows, large = [], []
    for language in sorted(languages.values(), key=lambda language: language.name):
        folder = PACKAGES[language.package] / language.model
        if not (folder / CONFIG).exists():
            continue
        about = read_about(folder).shipped
        assert about is not None
        summary = json.loads((data / language.iso / "report.json").read_text("utf-8"))
        if summary["rows"] >= LARGE:
            large.append(about.test.accuracy)
        common = ["", ""]
        if about.common is not None:
            shares = (about.common.accuracy, about.common.without_lexicon)
            common = [f"{100 * share:.2f}" for share in shares]
        size = sum(path.stat().st_size for path in folder.iterdir())
        cells = [
            language.name,
            language.iso,
            language.package,
            f"{summary['rows']:,}",
            f"{summary['lemmas']:,}",
            " ".join(about.pos),
            f"{100 * about.dev.accuracy:.2f}",
            f"{100 * about.test.accuracy:.2f}",
            *common,
            f"{size / 1e6:.2f}",
            about.licence,
        ]
        rows.append(f"| {' | '.join(cells)} |")
    headings = (
        "language | code | package | rows | lemmas | parts of speech | dev | test "
        "| common, lexicon | common, network | MB | licence"
    )
    middle = f"{100 * median(large):.2f} %" if large else "unknown"
    return "\n".join(
        [
            "# Languages",
            "",
            "Written by `scripts/build_languages.py table`. Exact match, %: dev and test are "
            "unseen lemmas, without the lexicon; common words are all cells of the 300 most "
            "frequent lemmas (by wordfreq) that the data attest, with the lexicon and by the "
            "network alone.",
            "",
            f"{len(rows)} languages. Median on test of the {len(large)} languages with {LARGE:,} "
            f"rows or more: {middle}.",
            "",
            f"| {headings} |",
            f"|{'---|' * (headings.count('|') + 1)}",
            *rows,
            "",
        ]
    )


def cleaning(languages: Mapping[str, Language], data: Path) -> str:
    """Markdown: what each source gave, and what cleaning left out or corrected."""
    lines = [
        "# Cleaning",
        "",
        "Written by `scripts/build_languages.py table`. Rows of each source, and how many of them "
        "were left out or corrected for which reason.",
        "",
        "| language | source | read | kept | left out | corrected |",
        "|---|---|---|---|---|---|",
    ]
    for iso in languages:
        report = data / iso / "report.json"
        if not report.exists():
            continue
        for source, entry in json.loads(report.read_text("utf-8"))["sources"].items():
            reasons = (
                ", ".join(f"{reason} {count}" for reason, count in entry[kind].items())
                for kind in ("left out", "corrected")
            )
            cells = [iso, source, str(entry["read"]), str(entry["kept"]), *reasons]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
