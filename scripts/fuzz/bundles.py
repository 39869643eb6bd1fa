"""Hostile feature bundles.

Each is read in both notations. It must fill slots from which its tags can be recovered, whatever it
is, or be an error for its length; encoding it, naming what is unknown in it and finding its part of
speech must work; and none may take long.
"""

from __future__ import annotations

import random
import time
from functools import partial

from stepwrite import load
from stepwrite.data.features import (
    DEEPEST,
    DIMENSIONS,
    LONGEST,
    FeatureSlots,
    Style,
    parse,
    part_of_speech,
    style_of,
)
from stepwrite.errors import StepwriteError

from .tally import Tally

STYLES: tuple[Style, ...] = ("unimorph", "key-value")
TAGS = [*DIMENSIONS, "V.PTCP", "{NOM/ACC}", "non{NOM}", "PSS2S", "ARGNO1P", "LGSPEC1", "x", "", " "]
PIECES = [*"(){};,=/+.", "\t", "\n", "\x00", "\ud800", "é", "e\u0301"]
SECONDS = 0.5  # for one bundle; tens of milliseconds are normal for the longest


def main(count: int, seed: int) -> int:
    tally = Tally("bundles", seed)
    chance = random.Random(seed)
    slots = load("german-nouns").model.vocabulary.slots
    for number in range(count):
        features = bundle(chance)
        tally.attempt(partial(check, features, slots), f"number {number}, {features!r:.200}")
    return tally.report()


def bundle(chance: random.Random) -> str:
    """Tags and brackets in any order; some nest deeply, a few are very long."""
    size = chance.choice((1, 3, 6, 12, 12, 40))
    if chance.random() < 0.003:
        size = chance.choice((1000, 5000, 20_000))
    text = "".join(chance.choice(TAGS if chance.random() < 0.5 else PIECES) for _ in range(size))
    if chance.random() < 0.2:
        depth = chance.choice((1, 2, DEEPEST, DEEPEST + 1, 50, 300))
        start = chance.choice(("NOM(", "A(B,", "{", "(", "NOM(SG;", "a=("))
        text = start * depth + text + chance.choice((")", "}", "")) * depth
    if chance.random() < 0.05:
        text = text * chance.choice((2, 30))
    return text


def check(features: str, slots: FeatureSlots) -> None:
    """What must hold for any bundle that is not too long."""
    start = time.thread_time()
    try:
        use(features, slots)
    except StepwriteError:
        if len(features) <= LONGEST:
            raise AssertionError("an error for a bundle that is not too long") from None
        raise
    finally:
        if time.thread_time() - start > SECONDS:
            raise AssertionError("too slow")


def use(features: str, slots: FeatureSlots) -> None:
    style_of([features])
    part_of_speech(features)
    for style in STYLES:
        filled = parse(features, style)
        if max((len(slot.path) for slot in filled), default=0) > DEEPEST + 2:
            raise AssertionError(f"nested too deeply: {max(filled, key=len)}")
        # Nothing is lost but separators, brackets and space.
        kept = sorted("".join(filled.values()))
        wanted = {c for c in features if not c.isspace() and c not in "(){},;="}
        if not wanted <= {*kept, *(c for slot in filled for part in slot.path for c in part)}:
            raise AssertionError(f"{style}: characters are lost")
    fitted = FeatureSlots.fit([features])
    if fitted.unknown(features) or 0 in fitted.encode(features):
        raise AssertionError("a bundle does not know itself")
    if FeatureSlots.from_json(fitted.to_json()) != fitted:
        raise AssertionError("slots differ after a round trip")
    if len(slots.encode(features)) != len(slots.slots):
        raise AssertionError("wrong number of ids")
    slots.unknown(features)
