"""Cells that say the same: data of several sources have words in more and in less detail."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from stepwrite.morphology.paradigms import Cell, Paradigm

Slots = Mapping[str, str]
Key = tuple[tuple[str, str], ...]  # slot and value
LEXICAL = ("gender", "animacy")  # which a noun has once for all
AGREEMENT = ("person", "number")


def without_doubles(paradigm: Paradigm, values: dict[int, Slots]) -> dict[int, Slots]:
    """The cells to show, with their values: what the data say in more and less detail, once.

    A noun has one gender: guesses at its forms in another one are left out. A cell gives way to a
    more detailed one with the same form, or which is attested while it is not.
    """
    cells = paradigm.cells
    if paradigm.pos in ("N", "PROPN"):
        values = _of_one_gender(cells, values)
    alike: dict[Key, list[int]] = defaultdict(list)  # but for person and number
    for cell, own in values.items():
        alike[_without(own, AGREEMENT)].append(cell)

    def is_said_elsewhere(cell: int) -> bool:
        own = values[cell].items()
        return any(
            own < values[other].items()
            and (
                cells[other].form == cells[cell].form
                or (cells[other].attested and not cells[cell].attested)
            )
            for other in alike[_without(values[cell], AGREEMENT)]
        )

    return {cell: own for cell, own in values.items() if not is_said_elsewhere(cell)}


def _of_one_gender(cells: Sequence[Cell], values: dict[int, Slots]) -> dict[int, Slots]:
    """The cells of a noun that agree with its likeliest gender and animacy; all attested ones."""
    kinds = {cell: _lexical(own) for cell, own in values.items()}

    def agree(one: Key, other: Key) -> bool:
        return all(dict(other).get(slot, value) == value for slot, value in one)

    def likelihood(kind: Key) -> tuple[int, int, int, float]:
        found = [cell for cell in values if agree(kind, kinds[cell])]
        covered = len({_without(values[cell], LEXICAL) for cell in found})
        attested = sum(bool(cells[cell].attested) for cell in found)
        mean = sum(cells[cell].probability for cell in found) / len(found)
        return attested, covered, -len(kind), mean

    best = max(dict.fromkeys(kinds.values()), key=likelihood)
    kept = {k: own for k, own in values.items() if cells[k].attested or agree(best, kinds[k])}
    forms: dict[Key, set[str]] = defaultdict(set)
    for cell, own in kept.items():
        if cells[cell].attested:
            forms[_without(own, LEXICAL)].add(cells[cell].form)
    if any(len(found) > 1 for found in forms.values()):  # a form for each gender
        return kept
    return {cell: dict(_without(own, LEXICAL)) for cell, own in kept.items()}


def _without(values: Slots, slots: Collection[str]) -> Key:
    return tuple((slot, value) for slot, value in sorted(values.items()) if slot not in slots)


def _lexical(values: Slots) -> Key:
    return tuple((slot, values[slot]) for slot in LEXICAL if slot in values)
