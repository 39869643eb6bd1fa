"""Guessing something about a word from how it ends."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

START = "^"  # before a word, so that a rule may be for the whole of it


@dataclass(frozen=True)
class Endings:
    """Rules from endings to labels, of which the longest that fits a word decides.

    An ending has a rule only where most of its words differ from what a shorter ending says, so
    that the rules are few and still right about every word they were learnt from.

    >>> genders = {"Haus": "NEUT", "Gasthaus": "NEUT", "Maus": "FEM", "Laus": "FEM", "Tat": "FEM"}
    >>> endings = Endings.fit(genders)
    >>> endings.rules
    {'': 'FEM', 'HausA': 'NEUT', 'hausA': 'NEUT'}
    >>> endings.guess("Baumhaus"), endings.guess("Fledermaus")
    ('NEUT', 'FEM')
    """

    rules: Mapping[str, str]

    @classmethod
    def fit(cls, labels: Mapping[str, str]) -> Endings:
        rules: dict[str, str] = {}
        # A list that grows while it is read: words may share more than Python's stack is deep.
        groups = [("", [(_spelt(word), label) for word, label in labels.items()], "")]
        for ending, words, inherited in groups:
            counts = Counter(label for _, label in words)
            # Of labels equally frequent the inherited one, then the first: order plays no part.
            best = min(counts, key=lambda label: (-counts[label], label != inherited, label))
            if best != inherited:
                rules[ending] = best
            if len(counts) > 1:
                longer = defaultdict(list)
                for spelt, label in words:
                    longer[spelt[-len(ending) - 1 :]].append((spelt, label))
                groups += [(key, longer[key], best) for key in sorted(longer) if key != ending]
        return cls(rules)

    def guess(self, word: str) -> str:
        """The label of the longest ending that has a rule; empty if there is none."""
        spelt = _spelt(word)
        for start in range(len(spelt) + 1):
            if spelt[start:] in self.rules:
                return self.rules[spelt[start:]]
        return ""


def _spelt(word: str) -> str:
    """The word with its start marked, and at its end whether it has a capital: a German noun."""
    return f"{START}{word}{'A' if word[:1].isupper() else 'a'}"
