"""Guessing a property of a word from its ending."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

START = "^"  # marks the start of a word, so that a rule can match the whole word


@dataclass(frozen=True)
class Endings:
    """Rules that map endings to labels; the longest ending that matches a word decides.

    An ending has a rule only if most of its words differ from what a shorter ending predicts, so
    that there are few rules, which are still right about every word they were learnt from.

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
        # A growing list instead of recursion: shared endings may exceed the recursion limit.
        groups = [("", [(_spelt(word), label) for word, label in labels.items()], "")]
        for ending, words, inherited in groups:
            counts = Counter(label for _, label in words)
            # Ties go to the inherited label, then to the first one, so that order has no effect.
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
        """The label of the longest ending with a rule; empty if there is none."""
        spelt = _spelt(word)
        for start in range(len(spelt) + 1):
            if spelt[start:] in self.rules:
                return self.rules[spelt[start:]]
        return ""


def _spelt(word: str) -> str:
    """The word with its start marked, and a final mark for an initial capital (German nouns)."""
    return f"{START}{word}{'A' if word[:1].isupper() else 'a'}"
