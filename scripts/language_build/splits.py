"""Training, dev and test sets without common lemmas, and the common words.

Frequent words are more likely to be drawn for training: people ask for them first, and they hold
most of what is irregular. Everything depends on hashes alone, so that the same rows give the same
sets on every machine.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from language_build.declaration import HeldOut
from language_build.rows import Row
from stepwrite.morphology.cells import head_pos

COMMON = 300  # lemmas
EVERYDAY = ("ours", "ud")  # sources of words that people write every day
PREFERRED = 4  # times the weight of others
SPLIT = "1"  # to be raised with every change motivated by a test set


def draw(*key: str) -> float:
    """A pseudo-random but reproducible number between 0 and 1."""
    digest = hashlib.blake2b("\t".join(key).encode(), digest_size=8).digest()
    return (int.from_bytes(digest) + 1) / 2**64


def part_of(lemma: str, shares: HeldOut) -> str:
    """The part that a lemma belongs to, whatever its cells."""
    place = 100 * draw("split", SPLIT, lemma)
    if place < shares.dev:
        return "dev"
    return "test" if place < shares.dev + shares.test else "train"


def split(
    rows: Iterable[Row],
    zipf: Mapping[str, float],
    shares: HeldOut,
    most: int,
    without: frozenset[str] = frozenset(),
    endings: Collection[str] = (),
) -> dict[str, list[Row]]:
    """train, dev and test; one form of each cell, the first.

    Words written for this project and words of running text are not held out; of lemmas that are,
    training sees neither. most: rows of train. without: lemmas that training must not see.
    endings: of lemmas; a word with and one without them are the same.
    """
    first: dict[tuple[str, str], Row] = {}
    for row in rows:
        first.setdefault((row.lemma, row.bundle), row)
    ours = {row.lemma for row in first.values() if row.source == "ours"}
    part_by_lemma: dict[str, str] = {}
    for row in first.values():
        if row.source not in EVERYDAY and row.lemma not in ours:
            stem = next((row.lemma.removesuffix(e) for e in endings if row.lemma.endswith(e)), "")
            part_by_lemma[row.lemma] = part_of(stem or row.lemma, shares)
    parts: dict[str, list[Row]] = {"train": [], "dev": [], "test": []}
    for row in first.values():
        part = part_by_lemma.get(row.lemma, "train")
        if row.lemma not in without if part == "train" else row.source not in EVERYDAY:
            parts[part].append(row)
    for part in ("dev", "test"):
        drawn = sorted(parts[part], key=lambda row: draw(part, *row[:3]))
        parts[part] = sorted(drawn[: shares.rows])
    parts["train"] = sample(parts["train"], zipf, most)
    return parts


def sample(rows: list[Row], zipf: Mapping[str, float], most: int) -> list[Row]:
    """At most so many rows, drawn without replacement by weights.

    A row weighs the more, the more frequent its lemma is and the fewer rows share its cell, so that
    rare cells are learnt, too; everyday words weigh most. No part of speech gets more than half,
    unless the others have too few rows: verbs with hundreds of cells do not crowd out nouns.
    """
    if len(rows) <= most:
        return sorted(rows)
    cells = Counter(row.bundle for row in rows)

    def key(row: Row) -> float:
        weight = 2 ** (zipf.get(row.lemma, 0.0) / 2) / math.sqrt(cells[row.bundle])
        weight *= PREFERRED if row.source in EVERYDAY else 1
        return math.log(draw("train", *row[:3])) / weight

    chosen: list[Row] = []
    beyond: list[Row] = []
    parts = Counter[str]()
    for row in sorted(rows, key=key, reverse=True):
        pos = head_pos(row.bundle)
        parts[pos] += 1
        (chosen if parts[pos] <= most // 2 else beyond).append(row)
    return sorted((chosen[:most] + beyond)[:most])


def common_lemmas(rows: Iterable[Row], zipf: Mapping[str, float]) -> list[str]:
    """The most frequent lemmas that have rows, the most frequent first."""
    lemmas = {row.lemma for row in rows if zipf.get(row.lemma, 0) > 0}
    return sorted(lemmas, key=lambda lemma: (-zipf[lemma], lemma))[:COMMON]
