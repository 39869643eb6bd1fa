"""The report on a model and its data, for the people who collected them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

from stepwrite.data.examples import Example
from stepwrite.data.features import part_of_speech
from stepwrite.data.segmentation import Segmentation
from stepwrite.evaluation.metrics import Estimate
from stepwrite.evaluation.validation import (
    Summary,
    ValidatedRow,
    accuracy_of,
    clustered,
    lemma_of,
)
from stepwrite.fieldwork.analogy import Opinion, cell_names, paradigms
from stepwrite.fieldwork.classes import inflection_classes
from stepwrite.fieldwork.completion import opinion_of
from stepwrite.fieldwork.confusions import confusions
from stepwrite.fieldwork.curve import Curve, learning_curve
from stepwrite.fieldwork.suspects import Suspect, suspects

FEW = 10
"""Forms of a cell below which it has too little data."""
FIRM = 3.0
"""The odds, as a natural logarithm, from which a row is called a likely error: 20 to 1."""
LISTED = 15
SHOWN_CELLS = 4
SHOWN_WORDS = 3


@dataclass(frozen=True)
class Section:
    """A part of the report: sentences, and a table whose first row has the headings."""

    title: str
    text: tuple[str, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()
    curve: Curve | None = None


@dataclass(frozen=True)
class Report:
    """Sections in order; suspects: all of them, as the section lists only the first."""

    title: str
    sections: tuple[Section, ...]
    suspects: tuple[Suspect, ...]


def report(
    name: str,
    examples: Sequence[Example],
    validated: Sequence[ValidatedRow],
    segmentation: Segmentation = Segmentation(),
    summary: Summary | None = None,
) -> Report:
    """What there is to say about a model.

    examples: its training data. validated: predictions by models that had not seen the lemmas;
    there may be none. summary: what training reported of them.
    """
    doubtful = suspects(examples, segmentation, held_out(validated, segmentation))
    lemmas = len({example.lemma for example in examples})
    title = f"{name}: {len(examples)} forms of {lemmas} lemmas"
    sections = [
        quality(validated, summary),
        by_cell(examples, validated),
        scarce(examples),
        classes(examples, segmentation),
        confused(validated, segmentation),
        likely_errors(doubtful, len(examples)),
        growth(examples, overall(validated, summary), segmentation),
    ]
    return Report(title, tuple(sections), tuple(doubtful))


def held_out(validated: Sequence[ValidatedRow], segmentation: Segmentation) -> dict[int, Opinion]:
    """What the networks of cross-validation thought of the rows, by their numbers."""
    found = {}
    for row in validated:
        shares = {segmentation.form(row.predicted): row.probability}
        shares.setdefault(segmentation.form(row.example.form), row.gold_probability)
        if row.probability:
            found[row.row] = opinion_of(shares)
    return found


def overall(validated: Sequence[ValidatedRow], summary: Summary | None) -> Estimate | None:
    """The accuracy that training reported, or else that of the rows."""
    if summary is not None:
        return summary.accuracy
    return accuracy_of(validated) if validated else None


def quality(validated: Sequence[ValidatedRow], summary: Summary | None) -> Section:
    title = "How good is it?"
    right = overall(validated, summary)
    if right is None:
        return Section(
            title,
            (
                "Not known: the model was trained with its own dev set. Train it without --dev, "
                "or give forms of other lemmas with --test FILE.",
            ),
        )
    rules = summary.rules if summary else rules_accuracy(validated)
    n_lemmas = len({lemma_of(row) for row in validated})
    text = [
        f"Of the forms of lemmas that it has not seen, the model gets {percent(right)} right "
        f"(95 % interval {interval(right)}), simple rules {percent(rules)}: measured on "
        f"{len(validated)} forms of {n_lemmas} lemmas."
    ]
    if summary and summary.gain:
        text.append(
            "This allows for the model having seen more lemmas than the networks that were "
            "tested; the tables show what these got right."
        )
    groups: dict[str, list[ValidatedRow]] = defaultdict(list)
    for row in validated:
        groups[part_of_speech(row.example.features) or "-"].append(row)
    rows = [("part of speech", "forms", "right", "95 % interval", "rules")]
    worse = []
    for pos, members in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        own, simple = accuracy_of(members), rules_accuracy(members)
        rows.append((pos, str(len(members)), percent(own), interval(own), percent(simple)))
        if simple.value > own.high:
            worse.append(pos)
    if worse:
        text.append(
            f"On {', '.join(worse)} the rules are better than the model: collect more forms, or "
            "use `stepwrite baseline` there."
        )
    return Section(title, tuple(text), tuple(rows))


def by_cell(examples: Sequence[Example], validated: Sequence[ValidatedRow]) -> Section:
    """The cells with the most mistakes: there is most to win."""
    cell_of = cell_names(examples)
    groups: dict[str, list[ValidatedRow]] = defaultdict(list)
    for row in validated:
        groups[cell_of(row.example.features)].append(row)
    wrong = {cell: sum(not row.correct for row in rows) for cell, rows in groups.items()}
    ordered = sorted(groups, key=lambda cell: (-wrong[cell], cell))
    rows = [("cell", "forms", "wrong", "right", "95 % interval")]
    for cell in ordered[:LISTED]:
        right = accuracy_of(groups[cell])
        rows.append(
            (cell, str(len(groups[cell])), str(wrong[cell]), percent(right), interval(right))
        )
    n_shown = len(rows) - 1
    text = f"The {n_shown} of {len(groups)} cells with the most mistakes."
    if n_shown == len(groups):
        text = "All cells, those with the most mistakes first."
    return Section("Which cells are hard?", (text,) if groups else (), tuple(rows))


def scarce(examples: Sequence[Example]) -> Section:
    counts = Counter(map(cell_names(examples), (example.features for example in examples)))
    few = sorted((count, cell) for cell, count in counts.items() if count < FEW)
    title = "Which cells have too little data?"
    if not few:
        return Section(title, (f"None: each of the {len(counts)} cells has {FEW} forms or more.",))
    text = f"{len(few)} of {len(counts)} cells have fewer than {FEW} forms; the fewest:"
    rows = [("cell", "forms"), *((cell, str(count)) for count, cell in few[:LISTED])]
    return Section(title, (text, "`stepwrite suggest` lists what to ask for."), tuple(rows))


def classes(examples: Sequence[Example], segmentation: Segmentation) -> Section:
    found = inflection_classes(paradigms(examples, segmentation, cell_names(examples)))
    large = [group for group in found if len(group.lemmas) > 1]
    rows = [("part of speech", "lemmas", "changes", "such as")]
    for group in large[:LISTED]:
        changes = list(group.changes.items())
        said = "; ".join(f"{cell} {change}" for cell, change in changes[:SHOWN_CELLS])
        more = f"; {len(changes) - SHOWN_CELLS} more" if len(changes) > SHOWN_CELLS else ""
        words = ", ".join(group.lemmas[:SHOWN_WORDS])
        rows.append((group.pos or "-", str(len(group.lemmas)), (said or "none") + more, words))
    alone = len(found) - len(large)
    text = (
        f"{len(large)} groups of lemmas with the same changes"
        + (f", of which the {LISTED} largest are shown" if len(large) > LISTED else "")
        + f"; {alone} lemmas are like no other."
    )
    return Section("Which inflection classes are there?", (text,), tuple(rows))


def confused(validated: Sequence[ValidatedRow], segmentation: Segmentation) -> Section:
    wrong = [(row.example, row.predicted) for row in validated if not row.correct]
    found = confusions(wrong, segmentation)
    rows = [("times", "the model makes", "instead of", "for example")]
    for confusion in found[:LISTED]:
        example, predicted = confusion.examples[0]
        rows.append(
            (
                str(len(confusion.examples)),
                str(confusion.made),
                str(confusion.right),
                f"{example.lemma}: {predicted} for {example.form} ({example.features})",
            )
        )
    text = f"{len(wrong)} mistakes on unseen lemmas, the most common confusions first."
    return Section("What does it confuse?", (text,) if validated else (), tuple(rows))


def likely_errors(doubtful: Sequence[Suspect], n_examples: int) -> Section:
    firm = [suspect for suspect in doubtful if suspect.odds >= FIRM]
    rows = [("row", "lemma", "features", "given", "expected", "odds")]
    for suspect in firm[:LISTED]:
        example = suspect.example
        rows.append(
            (
                str(suspect.row + 1),
                example.lemma,
                example.features,
                example.form,
                suspect.expected,
                odds(suspect),
            )
        )
    text = (
        f"The other forms firmly contradict {len(firm)} of {n_examples} rows. Exceptions are "
        "among them: look before you change anything.",
    )
    return Section("Which rows may be wrong?", text, tuple(rows))


def growth(
    examples: Sequence[Example], accuracy: Estimate | None, segmentation: Segmentation
) -> Section:
    title = "Would more data help?"
    curve = learning_curve(examples, segmentation)
    if curve is None:
        return Section(title, ("There are too few lemmas to tell.",))
    rows = [("lemmas", "rules right")]
    rows += [(str(size), f"{100 * share:.1f} %") for size, share in curve.points]
    text = ["How often simple rules are right on unseen lemmas, by the number of known lemmas."]
    if accuracy is not None:
        doubled = curve.projected(accuracy.value, 2)
        text.append(
            f"With twice as many lemmas, the model would get about {100 * doubled:.0f} % right, "
            "if its mistakes become as much fewer as those of the rules."
        )
    return Section(title, tuple(text), tuple(rows), curve)


def rules_accuracy(rows: Sequence[ValidatedRow]) -> Estimate:
    return clustered([row.rules_correct for row in rows], map(lemma_of, rows))


def percent(estimate: Estimate) -> str:
    return f"{100 * estimate.value:.1f} %"


def interval(estimate: Estimate) -> str:
    return f"{100 * estimate.low:.0f} to {100 * estimate.high:.0f}"


def odds(suspect: Suspect) -> str:
    """How much likelier the form is as a mistake, in words.

    >>> [odds(Suspect(0, Example("Tat"), "", log)) for log in (3.0, 20.0, -1.4)]
    ['20 to 1', 'over 1000 to 1', '1 to 4']
    """
    times = exp(suspect.odds)
    if times < 1:
        return f"1 to {1 / times:.0f}"
    return "over 1000 to 1" if times > 1000 else f"{times:.0f} to 1"
