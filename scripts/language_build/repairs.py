"""Repairs of sources that were extracted from tables with errors, as `languages/ISO.toml` asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

Row = tuple[str, str, str]  # lemma, features, form


def refiled(rows: Iterable[Row], rules: Iterable[Mapping[str, str]]) -> list[Row]:
    """Forms that stand in another form's cell, beside it, moved to their own.

    A rule names the `bundle` that has too many forms, where the misplaced ones belong (`to`), and
    how they are known: they are a form of another bundle (`of`) with an `ending`.

    >>> rows = [("bil", "DEF;NOM", "bilen"), ("bil", "DEF;NOM", "bilens")]
    >>> refiled(rows, [{"bundle": "DEF;NOM", "to": "DEF;GEN", "of": "DEF;NOM", "ending": "s"}])
    [('bil', 'DEF;NOM', 'bilen'), ('bil', 'DEF;GEN', 'bilens')]
    """
    rows = list(rows)
    for rule in rules:
        misplaced = {(row[0], row[2] + rule["ending"]) for row in rows if row[1] == rule["of"]}
        forms = Counter(lemma for lemma, features, _ in rows if features == rule["bundle"])
        for place, (lemma, features, form) in enumerate(rows):
            if features == rule["bundle"] and forms[lemma] > 1 and (lemma, form) in misplaced:
                rows[place] = lemma, rule["to"], form
    return rows


def without_spoilt(
    rows: Iterable[Row], headings: Collection[str], foreign_tags: Collection[str]
) -> Iterator[Row]:
    """Rows of lemmas whose paradigms are sound.

    Where the heading of a table was taken for a form, the forms after it are in the wrong cells.
    Tags that a language does not have are those of another: Ancient Greek has a dual.

    >>> rows = [("kona", "N;NOM;SG", "indefinite"), ("kona", "N;ACC;SG", "kona")]
    >>> list(without_spoilt([*rows, ("saga", "N;NOM;SG", "saga")], ["indefinite"], []))
    [('saga', 'N;NOM;SG', 'saga')]
    """
    rows = list(rows)
    foreign = frozenset(foreign_tags)
    spoilt = {
        lemma
        for lemma, features, form in rows
        if form in headings or not foreign.isdisjoint(features.split(";"))
    }
    return (row for row in rows if row[0] not in spoilt)
