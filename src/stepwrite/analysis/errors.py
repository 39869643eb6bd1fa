"""Errors: their types, where they occur, and which of two models makes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from rapidfuzz.distance import Levenshtein

from stepwrite.data.examples import Example
from stepwrite.data.features import parse, style_of
from stepwrite.data.segmentation import Segmentation, Symbols
from stepwrite.evaluation.metrics import Estimate, wilson
from stepwrite.evaluation.rules import Stem
from stepwrite.evaluation.significance import McNemar, mcnemar
from stepwrite.prediction import Prediction

Kind = Literal[
    "unseen symbol",
    "over-copying",
    "under-copying",
    "wrong prefix",
    "wrong suffix",
    "stem change missed",
    "wrong stem change",
    "other",
]
KINDS: tuple[Kind, ...] = get_args(Kind)


def kind_of(lemma: Symbols, gold: Symbols, predicted: Symbols, known: frozenset[str]) -> Kind:
    """The type of error in a predicted form; the first that applies.

    *unseen symbol*: the lemma or the gold form has a symbol not seen in training. *over-copying*:
    a sequence is written twice, or one from the lemma that is not in the gold form.
    *under-copying*: a sequence that the gold form has from the lemma is missing. Otherwise by
    where the differences are, with lemma and gold form split into prefix, stem and suffix: *stem
    change missed* if the stem is that of the lemma and should not be, *wrong stem change* if it
    is neither that of the lemma nor right, or changed needlessly. *other*: in several places at
    once, or without a stem.

    >>> known = frozenset("abcdefghijklmnopqrstuvwxyz")
    >>> def kind(lemma, gold, predicted):
    ...     return kind_of(tuple(lemma), tuple(gold), tuple(predicted), known)
    >>> kind("hielt", "halte", "hielte"), kind("hielt", "halte", "hulte")
    ('stem change missed', 'wrong stem change')
    >>> kind("legte", "legen", "legest"), kind("begegnet", "begegne", "begegnegne")
    ('wrong suffix', 'over-copying')
    >>> kind("sammelt", "sammle", "sammele"), kind("pflag", "pflege", "pflge")
    ('over-copying', 'wrong stem change')
    >>> kind("sammelt", "sammle", "samle"), kind("flöge", "fliege", "floge")
    ('under-copying', 'unseen symbol')
    """
    assert gold != predicted
    if not known.issuperset(lemma + gold):
        return "unseen symbol"
    stem = Stem.of(lemma, gold)
    (lemma_start, start), (lemma_end, end) = stem.cuts[0], stem.cuts[-1]
    if start == end:
        return "other"
    edits = [edit for edit in Levenshtein.opcodes(gold, predicted) if edit.tag != "equal"]
    if len(edits) == 1:
        [edit] = edits
        added = predicted[edit.dest_start : edit.dest_end]
        around = predicted[: edit.dest_start], predicted[edit.dest_end :]
        twice = around[0][-len(added) :] == added or around[1][: len(added)] == added
        if edit.tag == "insert" and (
            twice or _copied(lemma, predicted, edit.dest_start, edit.dest_end)
        ):
            return "over-copying"
        if edit.tag == "delete" and _copied(lemma, gold, edit.src_start, edit.src_end):
            return "under-copying"
    if predicted[:end] == gold[:end]:
        return "wrong suffix"
    if predicted[max(0, len(predicted) - len(gold) + start) :] == gold[start:]:
        return "wrong prefix"
    # Include the last symbol of the stem, which lemma and gold share: the suffix may be empty.
    last = gold[end - 1 :]
    rest = len(predicted) - len(last)
    if rest >= start and predicted[:start] == gold[:start] and predicted[rest:] == last:
        missed = predicted[start : rest + 1] == lemma[lemma_start:lemma_end]
        return "stem change missed" if missed else "wrong stem change"
    return "other"


def _copied(lemma: Symbols, form: Symbols, start: int, end: int) -> bool:
    """Whether form[start:end] is copied unchanged from the lemma."""
    return any(
        edit.tag == "equal" and edit.dest_start <= start and end <= edit.dest_end
        for edit in Levenshtein.opcodes(lemma, form)
    )


@dataclass(frozen=True)
class Mistake:
    """A wrong form; `score` is its log probability under the model."""

    row: int
    example: Example
    predicted: str
    score: float
    kind: Kind


def mistakes(
    gold: Sequence[Example],
    predictions: Sequence[Prediction],
    segmentation: Segmentation,
    known: frozenset[str],
) -> list[Mistake]:
    """The rows that a model got wrong, in order."""
    found = []
    for row, (example, prediction) in enumerate(zip(gold, predictions, strict=True)):
        right, form = segmentation.form(example.form), segmentation.form(prediction.form)
        if right != form:
            kind = kind_of(segmentation.lemma(example.lemma), right, form, known)
            found.append(Mistake(row, example, prediction.form, prediction.score, kind))
    return found


@dataclass(frozen=True)
class Group:
    """Rows with the same label, and the accuracy of a model on them."""

    label: str
    rows: int
    wrong: int
    accuracy: Estimate


def groups(labels: Sequence[Iterable[str]], wrong: Iterable[int]) -> dict[str, Group]:
    """Accuracy by label, most errors first; a row may have several labels.

    >>> groups([["N", "PL"], ["N"]], wrong=[1])["N"].accuracy.value
    0.5
    """
    wrong_rows = set(wrong)
    rows: dict[str, list[int]] = {}
    for row, row_labels in enumerate(labels):
        for label in row_labels:
            rows.setdefault(label, []).append(row)
    found = []
    for label, members in rows.items():
        n_wrong = len(wrong_rows.intersection(members))
        right = wilson(len(members) - n_wrong, len(members))
        found.append(Group(label, len(members), n_wrong, right))
    found.sort(key=lambda group: (-group.wrong, group.label))
    return {group.label: group for group in found}


def feature_values(gold: Sequence[Example]) -> list[list[str]]:
    """The feature values of each row, as `slot = value`."""
    style = style_of(example.features for example in gold)
    return [
        [f"{slot} = {value}" for slot, value in parse(example.features, style).items()]
        for example in gold
    ]


@dataclass(frozen=True)
class Disagreement:
    """Two models on the same rows: which is right where, and a test of the difference."""

    both_right: int
    only_first: tuple[int, ...]
    only_second: tuple[int, ...]
    same_mistake: int
    other_mistakes: int
    test: McNemar


def disagreement(
    gold: Sequence[Symbols], first: Sequence[Symbols], second: Sequence[Symbols]
) -> Disagreement:
    """Rows that only one model gets right are listed by index, the others counted.

    >>> found = disagreement("aaaaa", "aabbb", "abbca")
    >>> found.both_right, found.only_first, found.only_second
    (1, (1,), (4,))
    >>> found.same_mistake, found.other_mistakes
    (1, 1)
    """
    rights = [(a == g, b == g) for g, a, b in zip(gold, first, second, strict=True)]
    both_wrong = [
        a == b for a, b, right in zip(first, second, rights, strict=True) if not any(right)
    ]
    return Disagreement(
        both_right=rights.count((True, True)),
        only_first=tuple(row for row, right in enumerate(rights) if right == (True, False)),
        only_second=tuple(row for row, right in enumerate(rights) if right == (False, True)),
        same_mistake=both_wrong.count(True),
        other_mistakes=both_wrong.count(False),
        test=mcnemar([a for a, _ in rights], [b for _, b in rights]),
    )
