"""The data of a language, built from its sources: rows, splits, common words, and a report.

OUT/ISO/rows.tsv.gz     lemma, features, form, source: all that is attested
OUT/ISO/train.tsv ...   the splits, as `stepwrite train` reads them; dev.tsv, test.tsv
OUT/ISO/common.tsv      all cells of the most frequent lemmas
OUT/ISO/lexicon.tsv.gz  the lexicon
OUT/ISO/report.json     what each source gave, what was left out or corrected, sizes
"""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import Any

from language_build import likeness, treebanks
from language_build.declaration import Language
from language_build.dictionaries import czech
from language_build.frequencies import zipf_of, zipf_table
from language_build.rows import Report, Row, cleaned, merged
from language_build.sources import Places, read
from language_build.splits import common_lemmas, split
from stepwrite.data.features import part_of_speech
from stepwrite.files import write_whole
from stepwrite.morphology.cells import head_pos
from stepwrite.morphology.lexicon import Lexicon

MOST_LEMMAS = 40_000  # of a lexicon
MOST_SHARED = 8  # lemmas with the same form of a cell
MOST_TRAIN = {"stepwrite": 40_000, "stepwrite-languages": 25_000}  # rows
INFINITIVE = "V;NFIN"
GENDERS = frozenset(["MASC", "FEM", "NEUT", "ANIM", "HUM", "INAN"])  # and animacy
SLIPS = 0.05  # of infinitives; where more differ from the lemma, verbs are cited by other forms
DERIVED = {czech.SOURCE: czech.derived}  # readers of the rows of all other sources
LOOKUPS = "-lookups"  # tables of forms whose features are guessed: running text is more reliable


@dataclass(frozen=True)
class Data:
    """rows: all that is attested, forms of a cell and parts of speech of a lemma in order."""

    rows: list[Row]
    zipf: dict[str, float]
    report: Report

    def lexicon(self) -> Lexicon:
        rows = ((row.lemma, row.bundle, row.form) for row in self.rows)
        return Lexicon.fit(rows, {lemma: round(zipf) for lemma, zipf in self.zipf.items()})


def build(
    language: Language,
    places: Places,
    most_lemmas: int = MOST_LEMMAS,
    without: Collection[str] = (),
) -> Data:
    """The data of a language, but for the sources that are to be left out."""
    report, table = Report(), zipf_table(language.frequencies)
    chosen = [source for source in language.sources if source.reader not in without]
    sources = [
        list(cleaned(language, source.reader, read(source, language.iso, places), report))
        for source in chosen
        if source.reader not in (likeness.SOURCE, treebanks.SOURCE, *DERIVED)
    ]
    every = _own(merged(sources, table, report), report)
    for source in chosen:
        if source.reader in (likeness.SOURCE, *DERIVED):
            if source.reader in DERIVED:
                like: Iterable[tuple[str, str, str]] = DERIVED[source.reader](every)
            else:
                like = likeness.alike(places, table, source.options, every)
            known = {(row.lemma, row.bundle) for row in every}  # from another table, too
            for row in list(cleaned(language, source.reader, like, report)):
                if (row.lemma, row.bundle) not in known:
                    every.append(row)
                else:
                    report.kept[row.source] -= 1
                    report.left_out[row.source]["in an earlier source"] += 1
    every += _by_stem(every, language.stems) + _cited(every, language.citation)
    for source in chosen:
        if source.reader == treebanks.SOURCE:
            found = treebanks.words(places, language.iso, source.options)
            lacking, differing = treebanks.in_cells(found, every)
            text = cleaned(language, source.reader, lacking, report)
            usual = list(cleaned(language, source.reader, differing, report))
            sure = [row for row in every if not row.source.endswith(LOOKUPS)]
            unsure = [row for row in every if row.source.endswith(LOOKUPS)]
            first = {row[:3] for row in usual}
            others = merged([sure, text, unsure], {}, report)
            every = usual + [row for row in others if row[:3] not in first]
    every = _with_infinitives(every, report)
    zipf = zipf_of({row.lemma for row in every}, language.frequencies)
    every = _common_first(every, zipf, most_lemmas, report)
    return Data(_in_order(every, table), zipf, report)


def _own(rows: list[Row], report: Report) -> list[Row]:
    """Without forms that many words share: headings of tables and pronouns, read as forms."""
    lemmas: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in rows:
        lemmas[row.bundle, row.form].add(row.lemma)
    kept = []
    for row in rows:
        if len(lemmas[row.bundle, row.form]) > MOST_SHARED:
            report.left_out[row.source]["form of many words"] += 1
            report.kept[row.source] -= 1
        else:
            kept.append(row)
    return kept


def _cited(rows: list[Row], citation: Mapping[str, str]) -> list[Row]:
    """The cells that lemmas themselves stand for, of words that have other cells."""
    words = dict.fromkeys((row.lemma, head_pos(row.bundle), row.source) for row in rows)
    return [
        Row(lemma, citation[pos], lemma, source) for lemma, pos, source in words if pos in citation
    ]


def _with_infinitives(rows: list[Row], report: Report) -> list[Row]:
    """Where verbs are cited by their infinitive, another form in that cell is an error."""
    others = [row for row in rows if row.bundle == INFINITIVE and row.form != row.lemma]
    if len(others) > SLIPS * sum(row.bundle == INFINITIVE for row in rows):
        return rows
    for row in others:
        report.corrected[row.source]["infinitive that is not the lemma"] += 1
    return [row._replace(form=row.lemma) if row.bundle == INFINITIVE else row for row in rows]


def _by_stem(rows: list[Row], stems: Mapping[str, Collection[str]]) -> list[Row]:
    """The rows of words that are also named by their stem, under that name."""
    lemmas = {row.lemma for row in rows}
    return [
        row._replace(lemma=stem)
        for row in rows
        for ending in stems.get(head_pos(row.bundle), ())
        if row.lemma.endswith(ending)
        and (stem := row.lemma.removesuffix(ending))
        and stem not in lemmas
    ]


def _common_first(rows: list[Row], zipf: dict[str, float], most: int, report: Report) -> list[Row]:
    """Without the rarest lemmas of huge languages."""
    lemmas = dict.fromkeys(row.lemma for row in rows)
    if len(lemmas) <= most:
        return rows
    kept = set(sorted(lemmas, key=lambda lemma: -zipf.get(lemma, 0))[:most])
    for row in rows:
        if row.lemma not in kept:
            report.left_out[row.source]["rare lemma"] += 1
            report.kept[row.source] -= 1
    return [row for row in rows if row.lemma in kept]


def _in_order(rows: list[Row], table: dict[str, float]) -> list[Row]:
    """The rows of each lemma, those of its likeliest part of speech and gender first.

    That is the part of speech whose forms, those that are not the lemma itself, are the most
    frequent.
    """
    by_lemma: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        by_lemma[row.lemma][head_pos(row.bundle)].append(row)

    def weight(cells: list[Row]) -> float:
        return _frequency(_forms(cells) - {cells[0].lemma.casefold()}, table)

    return [
        row
        for lemma in sorted(by_lemma)
        for cells in sorted(by_lemma[lemma].values(), key=weight, reverse=True)
        for of_gender in _genders_in_order(cells, table)
        for row in of_gender
    ]


def _genders_in_order(cells: list[Row], table: dict[str, float]) -> Collection[list[Row]]:
    """The rows of nouns, those of each gender and animacy by themselves; of others all in one.

    First come genders that were written down for this project, then those that have the lemma
    among their forms (супруг is no form of a feminine супруга), then those whose own forms, which
    other genders do not share, are the most frequent.
    """
    groups: dict[frozenset[str], list[Row]] = defaultdict(list)
    for row in cells:
        tags = row.bundle.split(";")
        groups[frozenset(tags) & GENDERS if tags[0] == "N" else frozenset()].append(row)
    if len(groups) == 1:
        return groups.values()
    times = Counter(form for group in groups.values() for form in _forms(group))

    def likelihood(group: list[Row]) -> tuple[bool, bool, float]:
        lemma, forms = group[0].lemma.casefold(), _forms(group)
        own = {form for form in forms - {lemma} if times[form] == 1}
        is_ours = any(row.source == "ours" for row in group)
        return is_ours, lemma in forms, _frequency(own, table)

    return sorted(groups.values(), key=likelihood, reverse=True)


def _forms(cells: Iterable[Row]) -> set[str]:
    return {row.form.casefold() for row in cells}


def _frequency(forms: Iterable[str], table: dict[str, float]) -> float:
    return fsum(10 ** table.get(form, 0) for form in forms)


def write(
    language: Language,
    data: Data,
    out: Path,
    most: int | None = None,
    hold_common: bool = False,
) -> dict[str, Any]:
    """Write the files of a language; return the report.

    most: rows of train; by default as its package has room for. hold_common: keep the common lemmas
    out of training, to measure the network on them.
    """
    folder = out / language.iso
    folder.mkdir(parents=True, exist_ok=True)
    common = common_lemmas(data.rows, data.zipf)
    parts = split(
        data.rows,
        data.zipf,
        language.held_out,
        most or language.train or MOST_TRAIN[language.package],
        frozenset(common) if hold_common else frozenset(),
        [ending for endings in language.stems.values() for ending in endings],
    )
    chosen = set(common)
    parts["common"] = [row for row in data.rows if row.lemma in chosen]
    for part, rows in parts.items():
        with write_whole(folder / f"{part}.tsv") as file:
            file.writelines(f"{row.lemma}\t{row.bundle}\t{row.form}\n" for row in rows)
    rows_text = "".join("\t".join(row) + "\n" for row in data.rows)
    packed = {
        "rows.tsv.gz": rows_text,
        "lexicon.tsv.gz": data.lexicon().to_text(),
    }
    for name, text in packed.items():
        (folder / name).write_bytes(gzip.compress(text.encode(), 6, mtime=0))
    summary = {
        "iso": language.iso,
        "name": language.name,
        "rows": len(data.rows),
        "lemmas": len({row.lemma for row in data.rows}),
        "parts of speech": dict(_parts(data.rows)),
        "bundles": len({row.bundle for row in data.rows}),
        "common lemmas": len(common),
        "lexicon bytes": (folder / "lexicon.tsv.gz").stat().st_size,
        **{part: len(rows) for part, rows in parts.items()},
        "sources": {
            source: {
                "read": data.report.read[source],
                "kept": data.report.kept[source],
                "left out": dict(data.report.left_out[source].most_common()),
                "corrected": dict(data.report.corrected[source].most_common()),
            }
            for source in data.report.read
        },
    }
    with write_whole(folder / "report.json") as file:
        json.dump(summary, file, ensure_ascii=False, indent=1)
    return summary


def _parts(rows: Iterable[Row]) -> list[tuple[str, int]]:
    return Counter(part_of_speech(row.bundle) for row in rows).most_common()
