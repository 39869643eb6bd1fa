"""The shortest walk from a lemma to a form, for forms that no network wrote."""

from __future__ import annotations

from rapidfuzz.distance import Indel

from stepwrite.data.segmentation import Symbols
from stepwrite.transducer.actions import Action, CopyOn, Delete, End, Insert


def shortest_walk(lemma: Symbols, form: Symbols) -> tuple[tuple[Action, ...], tuple[int, ...]]:
    """Edits with the fewest insertions and deletions, and their positions on the padded lemma.

    >>> actions, positions = shortest_walk(tuple("go"), tuple("gone"))
    >>> print(*actions, positions)
    copy copy insert(n) insert(e) end (1, 2, 3, 3, 3)
    """
    walk: list[tuple[Action, int]] = []
    for step in Indel.opcodes(lemma, form):
        if step.tag == "insert":
            walk += [(Insert(c), step.src_start + 1) for c in form[step.dest_start : step.dest_end]]
        else:
            action: Action = CopyOn() if step.tag == "equal" else Delete()
            walk += [(action, place + 1) for place in range(step.src_start, step.src_end)]
    walk.append((End(), len(lemma) + 1))
    return tuple(action for action, _ in walk), tuple(place for _, place in walk)
