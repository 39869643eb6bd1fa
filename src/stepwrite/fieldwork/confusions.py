"""The most common mistakes as pairs of changes: what was made, and what it should have been."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from stepwrite.data.examples import Example
from stepwrite.data.segmentation import Segmentation
from stepwrite.fieldwork.changes import Change


@dataclass(frozen=True)
class Confusion:
    """One change in the place of another. examples: rows and what was predicted for them."""

    made: Change
    right: Change
    examples: tuple[tuple[Example, str], ...]

    def __str__(self) -> str:
        return f"{self.made} for {self.right}"


def confusions(
    mistakes: Iterable[tuple[Example, str]], segmentation: Segmentation = Segmentation()
) -> list[Confusion]:
    """Rows and the wrong forms predicted for them, by what was confused, the most common first.

    >>> wrong = [("Tat", "Tate", "Taten"), ("Uhr", "Uhre", "Uhren"), ("Haus", "Hause", "Häuser")]
    >>> for found in confusions((Example(lemma, "N;PL", form), bad) for lemma, bad, form in wrong):
    ...     print(len(found.examples), found)
    2 -e for -en
    1 -e for -a→ä-, -er
    """
    found: dict[tuple[Change, Change], list[tuple[Example, str]]] = defaultdict(list)
    for example, predicted in mistakes:
        lemma = segmentation.lemma(example.lemma)
        made = Change.of(lemma, segmentation.form(predicted))
        right = Change.of(lemma, segmentation.form(example.form))
        found[made, right].append((example, predicted))
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), str(item[0][1])))
    return [Confusion(made, right, tuple(rows)) for (made, right), rows in ordered]
