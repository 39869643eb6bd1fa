"""What is known of a word before any network is asked: its cell, and the forms that the lexicon
has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from stepwrite.errors import StepwriteError, shown
from stepwrite.model.directory import Model
from stepwrite.morphology.cells import Cells, Choice
from stepwrite.morphology.lexicon import Use
from stepwrite.morphology.mutation import mutated, mutation_of
from stepwrite.morphology.resolution import Features, Resolution, Resolver
from stepwrite.morphology.spelling import DOTLESS, spellings, with_capitals
from stepwrite.prediction import Alternative, Prediction


class Attested:
    """The cells and the lexicon of a model, as far as it has them.

    use: of the lexicon; by default, models that ship prefer theirs, others flag its forms.
    """

    def __init__(self, model: Model, use: Use | None) -> None:
        if model.lexicon is None and use in ("prefer", "flag"):
            raise StepwriteError("the model has no lexicon: it was trained without --lexicon")
        by_default: Use = "flag" if model.about.shipped is None else "prefer"
        self.use: Use = use or ("off" if model.lexicon is None else by_default)
        self._model = model
        self._iso = "" if model.about.shipped is None else model.about.shipped.iso

    @cached_property
    def _resolver(self) -> Resolver | None:
        """None for a model that does not know its cells."""
        model = self._model
        if model.cells is None:
            return None
        return Resolver(
            model.cells,
            None if self.use == "off" else model.lexicon,
            closed=model.about.shipped is not None,
            language=self._iso,
        )

    @property
    def cells(self) -> Cells:
        if self._model.cells is None:
            raise StepwriteError("the model does not know its cells: it is of an older stepwrite")
        return self._model.cells

    def is_cell(self, features: Features) -> bool:
        """Whether these are the features of a cell, as the model's data name it."""
        cells = self._model.cells
        return cells is not None and isinstance(features, str) and features in cells.counts

    def resolve(self, lemma: str, features: Features, *, ignore: bool) -> Resolution:
        """What a request means; see `Resolver.resolve`."""
        if self._resolver is not None:
            if isinstance(features, str) and not self.is_cell(features):
                check_text(features)
            resolution = self._resolver.resolve(lemma, features, ignore=ignore)
            if isinstance(features, str) and (mutation := mutation_of(features, self._iso)):
                notes = (*resolution.notes, mutation)
                return resolution._replace(mutation=mutation, notes=notes)
            return resolution
        if not isinstance(features, str):
            features = self._model.vocabulary.slots.bundle(features)
        return Resolution(features, lemma)

    def choices(self, lemma: str, pos: str | None, fixed: Mapping[str, str]) -> list[Choice]:
        """The paradigms that a lemma may have, the likeliest first."""
        if self._resolver is None:
            return [self.cells.choose(lemma, pos, fixed)]
        return self._resolver.choices(lemma, pos, fixed)

    def lemmas(self, form: str) -> list[tuple[str, str]]:
        """Each lemma and cell that the lexicon has a form of, in whatever capitals."""
        lexicon = self._model.lexicon
        if lexicon is None:
            return []
        variants = spellings(form, dotless=self._iso in DOTLESS)
        return next(filter(None, map(lexicon.lemmas_of, variants)), [])

    def prediction(self, lemma: str, asked: Resolution) -> Prediction | None:
        """What the lexicon has, if it is preferred."""
        if self.use != "prefer" or not (forms := self._forms(lemma, asked)):
            return None
        return Prediction(
            lemma,
            asked.features,
            form=forms[0],
            score=0.0,
            votes=0,
            actions=(),
            positions=(),
            alternatives=tuple([Alternative(form, 0.0) for form in forms[1:]]),
            attested=True,
            notes=asked.notes,
            segmentation=self._model.segmentation,
            read=None if asked.read == lemma else asked.read,
        )

    def checked(self, guess: Prediction, asked: Resolution, n_best: int) -> Prediction:
        """A guess as the lexicon has it; all attested forms come, the usual one first."""
        if self.use == "off":
            return guess
        forms = self._forms(guess.lemma, asked)
        if self.use == "flag" or not forms:
            return replace(guess, attested=guess.form in forms)
        guesses = (Alternative(guess.form, guess.score), *guess.alternatives)
        others = [other for other in guesses if other.form not in forms]
        alternatives = (
            *(Alternative(form, 0.0) for form in forms[1:]),
            *others[: max(n_best - len(forms), 0)],
        )
        known = replace(guess, form=forms[0], score=0.0, alternatives=alternatives, attested=True)
        return known if guess.form == forms[0] else not_by_network(known)

    def as_asked(self, form: str, lemma: str, asked: Resolution) -> str:
        """A form of the word as it is read, with the capitals and the mutation that were given."""
        phrase = asked.phrase
        if phrase is not None:
            lemma = phrase.head
        if asked.read != lemma:
            known = self._model.lexicon is None or asked.read in self._model.lexicon
            dotless = self._iso in DOTLESS
            form = with_capitals(form, lemma, asked.read, dotless=dotless, known=known)
        if phrase is not None:
            form = phrase.written(form, asked.features)
        return mutated(form, asked.mutation, self._iso) if asked.mutation else form

    def _forms(self, lemma: str, asked: Resolution) -> tuple[str, ...]:
        """The attested forms of a cell."""
        source = self._resolver or self._model.lexicon
        assert source is not None
        forms = source.forms(asked.read, asked.features)
        if asked.read == lemma and not asked.mutation:
            return forms
        return tuple([self.as_asked(form, lemma, asked) for form in forms])


def not_by_network(prediction: Prediction) -> Prediction:
    """The prediction without what tells how a network wrote it."""
    return replace(prediction, votes=0, actions=(), positions=(), attention=None, complete=True)


def check_text(text: str) -> None:
    """Refuse half characters (lone surrogates): no file and no terminal could take the form.

    They come from bytes that are no UTF-8, in the arguments of a command, or from bad JSON.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise StepwriteError(f"no text, or not in UTF-8: {shown(text)}") from None
