"""A non-neural baseline: prefix and suffix rules.

It follows the idea of the shared tasks' non-neural baseline. A training pair is aligned and cut
at every position of its stem; each cut gives a suffix rule (`Haus` -> `Häuser` gives `s` ->
`ser`, `us` -> `user`, `aus` -> `äuser`, ...) and a prefix rule. To inflect, the longest known
suffix of the lemma is rewritten, then the longest known prefix of the rest, so that no symbol is
rewritten twice.

It differs from the shared tasks' program in two ways, both chosen on the dev sets of SIGMORPHON
2016: that program applies the most frequent prefix rule, which matches everything and costs 20
points in Arabic, and lets it rewrite what the suffix rule has already written.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from rapidfuzz.distance import Levenshtein

from stepwrite.data.examples import Example
from stepwrite.data.segmentation import Segmentation, Symbols

Rules = Mapping[Symbols, Symbols]
"""What each prefix or suffix of a lemma becomes, for one feature bundle."""

LONGEST = 40
"""Rules that rewrite more symbols are kept only if the change itself is that long. A longer rule
is a memorised word, and all of them would need memory quadratic in the length of a word."""


@dataclass(frozen=True)
class Stem:
    """The common part of lemma and form, as the positions where both words can be cut.

    `cuts` are (position in the lemma, position in the form), from the start of the stem to its
    end; the prefix changes before the first cut, the suffix after the last. Changes inside the
    stem belong to it: cuts on both sides let rules with and without them compete.

    >>> stem = Stem.of(tuple("machen"), tuple("gemacht"))
    >>> stem.cuts
    ((0, 2), (1, 3), (2, 4), (3, 5), (4, 6))
    >>> stem.changed_before, stem.changed_after
    (2, 2)
    """

    cuts: tuple[tuple[int, int], ...]
    changed_before: int = 0
    changed_after: int = 0

    @classmethod
    def of(cls, lemma: Symbols, form: Symbols) -> Stem:
        operations = list(Levenshtein.opcodes(lemma, form))
        equal = [i for i, operation in enumerate(operations) if operation.tag == "equal"]
        if not equal:  # suppletion: the whole word counts as a suffix
            return cls(cuts=((0, 0),))
        first, last = operations[equal[0]], operations[equal[-1]]
        # A replaced first symbol (Apfel -> Äpfel) belongs to the stem, because the suffix may
        # trigger the change; only inserted or deleted symbols are a prefix.
        replaced = [i for i in range(equal[0]) if operations[i].tag == "replace"]
        cuts = [
            (operation.src_start + k, operation.dest_start + k)
            for operation in operations[min(replaced + equal) : equal[-1] + 1]
            if operation.tag in ("equal", "replace")
            for k in range(operation.src_end - operation.src_start)
        ]
        return cls(
            cuts=(*cuts, (last.src_end, last.dest_end)),
            changed_before=max(first.src_start, first.dest_start),
            changed_after=max(len(lemma) - last.src_end, len(form) - last.dest_end),
        )


def end_rules(lemma: Symbols, form: Symbols, stem: Stem) -> Iterator[tuple[Symbols, Symbols]]:
    """What each suffix of the lemma that begins in the stem becomes.

    >>> lemma, form = tuple("gut"), tuple("guten")
    >>> for old, new in end_rules(lemma, form, Stem.of(lemma, form)):
    ...     print("".join(old), ">", "".join(new))
    gut > guten
    ut > uten
    t > ten
     > en
    """
    for i, j in stem.cuts:
        if len(lemma) - i <= LONGEST or (i, j) == stem.cuts[-1]:
            yield lemma[i:], form[j:]


def start_rules(lemma: Symbols, form: Symbols, stem: Stem) -> Iterator[tuple[Symbols, Symbols]]:
    """What each prefix of the lemma that ends in the stem becomes."""
    for i, j in stem.cuts:
        if i <= LONGEST or (i, j) == stem.cuts[0]:
            yield lemma[:i], form[:j]


@dataclass(frozen=True)
class RuleBaseline:
    """Rules for each feature bundle, learnt from examples.

    >>> baseline = RuleBaseline.fit(
    ...     [
    ...         Example("machen", "V.PTCP;PST", "gemacht"),
    ...         Example("lachen", "V.PTCP;PST", "gelacht"),
    ...         Example("verlachen", "V.PTCP;PST", "verlacht"),
    ...         Example("machen", "V;PST;3;SG", "machte"),
    ...     ]
    ... )
    >>> baseline.predict("wachen", "V.PTCP;PST")
    'gewacht'
    >>> baseline.predict("vermachen", "V.PTCP;PST")
    'vermacht'
    >>> baseline.predict("wachen", "V;PST;1;SG")  # unseen; the nearest is V;PST;3;SG
    'wachte'
    """

    starts: Mapping[str, Rules]
    ends: Mapping[str, Rules]
    mirrored: bool
    """Words are processed right to left, because the language mostly changes their beginnings:
    the rules applied first, with the longest match, must be the ones for the varying side."""
    segmentation: Segmentation

    @classmethod
    def fit(
        cls, examples: Iterable[Example], segmentation: Segmentation = Segmentation()
    ) -> RuleBaseline:
        pairs = [
            (example.features, segmentation.lemma(example.lemma), segmentation.form(example.form))
            for example in examples
        ]
        stems = [Stem.of(lemma, form) for _, lemma, form in pairs]
        mirrored = sum(s.changed_before for s in stems) > sum(s.changed_after for s in stems)
        if mirrored:
            pairs = [(features, lemma[::-1], form[::-1]) for features, lemma, form in pairs]
            stems = [Stem.of(lemma, form) for _, lemma, form in pairs]
        starts, ends = RuleCounts(), RuleCounts()
        for (features, lemma, form), stem in zip(pairs, stems, strict=True):
            starts.add(features, start_rules(lemma, form, stem))
            ends.add(features, end_rules(lemma, form, stem))
        return cls(starts.best(), ends.best(), mirrored, segmentation)

    def predict(self, lemma: str, features: str) -> str:
        """The form; the lemma itself if no similar features were seen."""
        symbols = self.segmentation.lemma(lemma)
        bundle = features if features in self.ends else nearest(features, self.ends)
        if bundle is not None:
            symbols = symbols[::-1] if self.mirrored else symbols
            symbols = rewrite(symbols, self.starts[bundle], self.ends[bundle])
            symbols = symbols[::-1] if self.mirrored else symbols
        return self.segmentation.join_form(symbols)

    def accuracy(self, examples: Sequence[Example]) -> float:
        """Exact match on examples, of which there must be some."""
        split = self.segmentation.form
        right = sum(split(self.predict(e.lemma, e.features)) == split(e.form) for e in examples)
        return right / len(examples)


class RuleCounts:
    """How often each rule occurred with each feature bundle."""

    def __init__(self) -> None:
        self.counts: dict[str, dict[Symbols, Counter[Symbols]]] = {}

    def add(self, features: str, rules: Iterable[tuple[Symbols, Symbols]]) -> None:
        bundle = self.counts.setdefault(features, defaultdict(Counter))
        for old, new in rules:
            bundle[old][new] += 1

    def best(self) -> dict[str, Rules]:
        """The most frequent result of each rule; ties go to the first in code point order."""
        return {
            features: {
                old: min(news, key=lambda new: (-news[new], new)) for old, news in bundle.items()
            }
            for features, bundle in self.counts.items()
        }


def rewrite(symbols: Symbols, starts: Rules, ends: Rules) -> Symbols:
    """Rewrite the longest known suffix, then the longest known prefix of the rest.

    >>> starts = {(): ("g", "e"), tuple("ver"): tuple("ver")}
    >>> "".join(rewrite(tuple("verlegen"), starts, {("e", "n"): ("t",)}))
    'verlegt'
    >>> "".join(rewrite(tuple("legen"), starts, {("e", "n"): ("t",)}))
    'gelegt'
    """
    n_kept = next((i for i in range(len(symbols) + 1) if symbols[i:] in ends), len(symbols))
    kept, end = symbols[:n_kept], ends.get(symbols[n_kept:], ())
    n_start = next((i for i in range(len(kept), -1, -1) if kept[:i] in starts), 0)
    return starts.get(kept[:n_start], ()) + kept[n_start:] + end


@cache
def tags(features: str) -> frozenset[str]:
    """A feature bundle as a set of tags, in either notation, for comparisons only.

    >>> sorted(tags("V;PRS; NOM(3,SG)"))
    ['3', 'NOM', 'PRS', 'SG', 'V']
    """
    return frozenset(tag.strip() for tag in re.split(r"[;,()]", features)) - {""}


def nearest(features: str, seen: Iterable[str]) -> str | None:
    """The seen bundle with the most shared, then fewest other tags; None if none is shared.

    >>> nearest("N;DAT;PL", ["N;DAT;SG", "N;NOM;SG", "N;NOM;PL;DEF"])
    'N;DAT;SG'
    """
    wanted = tags(features)
    candidates = [bundle for bundle in seen if wanted & tags(bundle)]
    return min(
        candidates, key=lambda b: (-len(wanted & tags(b)), len(wanted ^ tags(b)), b), default=None
    )
