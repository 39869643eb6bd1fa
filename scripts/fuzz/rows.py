"""Hostile rows: files with anything in them, read, encoded, inflected and written again."""

from __future__ import annotations

import io
import random
import sys
from types import SimpleNamespace

import stepwrite
from stepwrite.data.examples import LAYOUTS, Example, open_examples, write_examples
from stepwrite.data.segmentation import Segmentation
from stepwrite.inflector import Inflector
from stepwrite.transducer.vocabulary import Vocabulary

from .tally import Tally

ROWS = 50  # of a file
WORDS = (
    "Haus",
    "gehen",
    "ö",
    "e\u0301",
    "σας",
    "ב\u05b0",
    "한국",
    "👩\u200d👧",
    "a b",
    "ﬁ",
    "i\u0307",
)
BUNDLES = ("N;NEUT;DAT;PL", "pos=V,tense=PST", "V;NOM(3,SG);ACC(1,PL)", "non{NOM};V.PTCP", "PSS1S")
PIECES = (
    *("\t", "\n", "\r", "\r\n", "\r\r\n", " ", ";", ",", "=", "(", ")", "{", "}", "/", "+", "."),
    *(
        "\x00",
        "\x0b",
        "\x1c",
        "\x85",
        "\u2028",
        "\ufeff",
        "\u200f",
        "\U0010ffff",
        "\ue000",
        "*",
        "<",
    ),
)
RAW = (
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xc0\x80",
    b"\xef\xbb\xbf",
    b"\x80",
)


def main(count: int, seed: int) -> int:
    chance, tally = random.Random(seed), Tally("rows", seed)
    model = stepwrite.load("german-nouns")
    for number in range(-(-count // ROWS)):
        content = hostile_file(chance)
        choice = chance.randrange(1 << 16)
        n_rows = content.count(b"\n") + 1
        tally.attempt(lambda: use(content, choice, model), f"file {number}", n_rows)  # noqa: B023
        if tally.n_tried >= count:
            break
    return tally.report()


def hostile_file(chance: random.Random) -> bytes:
    """Some dozen rows, most of them good before the damage."""
    order = chance.choice([(0, 1, 2), (0, 2, 1), (0, 1), (0, 2), (2,), (0, 1, 2, 2)])
    rows = []
    for _ in range(ROWS):
        word = chance.choice(WORDS)
        cells = (word, chance.choice(BUNDLES), word + chance.choice(("", "en", "\u0308", "Ω")))
        rows.append("\t".join(cells[k] for k in order).encode())
    for _ in range(chance.choice((0, 1, 3, 20, 200))):
        k = chance.randrange(len(rows))
        rows[k] = damaged(chance, rows[k])
    return chance.choice((b"", b"\xef\xbb\xbf")) + chance.choice((b"\n", b"\r\n")).join(rows)


def damaged(chance: random.Random, row: bytes) -> bytes:
    place = chance.randrange(len(row) + 1)
    match chance.randrange(7):
        case 0:
            return row[:place] + chance.choice(PIECES).encode() + row[place:]
        case 1:
            return row[:place] + chance.choice(RAW) + row[place:]
        case 2:
            return row[:place]
        case 3:
            return row + b"\t" * chance.randrange(4)
        case 4:
            return row[:place] + chance.randbytes(chance.randrange(8)) + row[place:]
        case 5:
            return row[:place] + row[place : place + 9] * chance.choice((2, 50, 500)) + row[place:]
        case _:
            brackets = chance.choice(("NOM(", "{", ")", ";(", "=,", "A;")) * chance.choice((2, 99))
            return row[:place] + brackets.encode() + row[place:]


def use(content: bytes, choice: int, model: Inflector) -> None:
    """What a command does with a file; `choice` decides on its options."""
    layout = [*LAYOUTS.values(), None, None, None][choice % 8]
    on_bad = (lambda error: None) if choice & 1056 else None
    sys.stdin = SimpleNamespace(buffer=io.BytesIO(content))
    needs_form, allow_extra = bool(choice & 8), bool(choice & 16)
    file = open_examples("-", layout, on_bad=on_bad, needs_form=needs_form, allow_extra=allow_extra)
    rows = list(file)
    split = Segmentation(bool(choice & 64), bool(choice & 128) or file.layout.form_spaced)
    pairs = [(split.lemma(row.lemma), split.form(row.form)) for row in rows]
    vocabulary = Vocabulary.fit(pairs, [row.features for row in rows], copy=bool(choice & 256))
    for (lemma, _), row in zip(pairs, rows, strict=True):
        vocabulary.lemma_ids(lemma)
        vocabulary.feature_rows(row.features)
    one = rows[choice % len(rows)]
    if one.lemma.strip() and len(one.lemma) < 200:  # longer ones take their time
        model(one.lemma, one.features)
    check_round_trip(rows)


def check_round_trip(rows: list[Example]) -> None:
    """What can be written is read as it was; what can't is an error."""
    text = io.StringIO(newline="")
    layout = LAYOUTS["sigmorphon2016"]
    kept = [row for row in rows if row.lemma.strip()]
    write_examples(text, kept, layout)
    if kept:
        sys.stdin = SimpleNamespace(buffer=io.BytesIO(text.getvalue().encode()))
        if list(open_examples("-", layout)) != kept:
            raise AssertionError("other rows were read than written")
