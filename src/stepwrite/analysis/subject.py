"""A model to analyse: the ensemble, and its members one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from stepwrite.data.examples import Example
from stepwrite.data.segmentation import Segmentation, Symbols
from stepwrite.errors import StepwriteError
from stepwrite.inflector import Inflector
from stepwrite.model.directory import load_model
from stepwrite.model.pretrained import locate
from stepwrite.prediction import Prediction

CHUNK = 500  # words inflected between two progress updates

Advance = Callable[[int], None]
"""Called with the number of words inflected since the last call."""


@dataclass(frozen=True)
class Subject:
    """A model of the kind `name`, with its model directory."""

    name: str
    folder: Path
    inflector: Inflector

    @classmethod
    def load(cls, name: str, model: str | Path) -> Subject:
        folder = locate(model)
        # Analyse the network without the help of lexicon and rules.
        inflector = Inflector(replace(load_model(folder), fallback=None), lexicon="off")
        found = " and ".join(inflector.model.kinds)
        if found != name:
            raise StepwriteError(f"{folder}: a model of kind {found}: give it as --{found}")
        return cls(name, folder, inflector)

    @cached_property
    def members(self) -> tuple[Inflector, ...]:
        return self.inflector.members

    @property
    def segmentation(self) -> Segmentation:
        return self.inflector.model.segmentation

    @property
    def known(self) -> frozenset[str]:
        """The symbols seen in training."""
        vocabulary = self.inflector.model.vocabulary
        return frozenset((*vocabulary.form_symbols, *vocabulary.lemma_only))

    def unread(self, lemmas: Sequence[str]) -> list[str]:
        """The lemmas with symbols that the model has never seen."""
        return [lemma for lemma in lemmas if not self.known.issuperset(self.symbols(lemma))]

    def symbols(self, lemma: str) -> Symbols:
        return self.segmentation.lemma(lemma)


def predict(
    inflector: Inflector,
    examples: Sequence[Example],
    *,
    attention: bool = False,
    advance: Advance | None = None,
) -> list[Prediction]:
    """Predict many words, without warnings about unseen features: the report lists them once."""
    found: list[Prediction] = []
    for start in range(0, len(examples), CHUNK):
        pairs = [(e.lemma, e.features) for e in examples[start : start + CHUNK]]
        found += inflector.batch(pairs, attention=attention, warn=False)
        if advance:
            advance(len(pairs))
    return found


def unknown_features(subject: Subject, examples: Sequence[Example]) -> list[str]:
    """Feature values of the examples that the model has never seen, each once."""
    slots = subject.inflector.model.vocabulary.slots
    bundles = dict.fromkeys(example.features for example in examples)
    return list(dict.fromkeys(value for bundle in bundles for value in slots.unknown(bundle)))
