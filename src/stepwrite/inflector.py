"""The façade: strings in, strings out.

>>> from stepwrite import load
>>> inflector = load("german-nouns")
>>> inflector("Haus", "N;NEUT;DAT;PL").form
'Häusern'
>>> [cell.form for cell in inflector.paradigm("Haus", case="DAT").cells]
['Häusern', 'Haus']
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from stepwrite.attested import Attested, check_text, not_by_network
from stepwrite.data.examples import Example
from stepwrite.errors import StepwriteError, UnknownFeatureWarning, shown
from stepwrite.inference.voting import Ballot, Tie
from stepwrite.model.directory import Model
from stepwrite.model.ensemble import Ensemble
from stepwrite.morphology.cells import Choice
from stepwrite.morphology.lexicon import Use
from stepwrite.morphology.resolution import Features, Resolution
from stepwrite.morphology.spelling import scripts
from stepwrite.prediction import Alternative, Prediction

if TYPE_CHECKING:
    from stepwrite.morphology.paradigms import Cell, Paradigm

Unknown = Literal["refuse", "ignore"]
"""What to do with features that the model does not know, and cells its language does not have."""

Word = tuple[str, Features] | Example | Mapping[str, Any]
"""A lemma and its features: a pair, an example, or a mapping with `lemma` and `features`."""


class Inflector:
    """A model ready to inflect. Calls change nothing in it, so threads may share one."""

    def __init__(
        self,
        model: Model,
        *,
        tie: Tie = "score",
        lexicon: Use | None = None,
        unknown_features: Unknown = "refuse",
        any_script: bool = False,
    ) -> None:
        self.model = model
        self.tie = tie
        self.unknown_features = unknown_features
        self.any_script = any_script or model.segmentation.lemma_spaced
        self._attested = Attested(model, lexicon)
        self._ensemble = Ensemble(model, tie)
        self._warned: set[str] = set()
        self._lock = threading.Lock()

    @property
    def options(self) -> dict[str, Any]:
        """What it was made with, besides the model."""
        return {
            "tie": self.tie,
            "lexicon": self._attested.use,
            "unknown_features": self.unknown_features,
            "any_script": self.any_script,
        }

    def __call__(
        self,
        lemma: str,
        features: Features = "",
        *,
        n_best: int = 1,
        beam: int | None = None,
        attention: bool = False,
        **values: str | int,
    ) -> Prediction:
        """Inflect one word; its features may be given in any notation.

        UniMorph tags in any order, `case=DAT,number=PL`, a mapping, keywords (`case="DAT"`),
        English words ("dative plural") and features of Universal Dependencies
        (`NOUN|Case=Dat|Number=Plur`) mean the same. What they leave open, such as the gender of
        a noun, is filled in and said in the prediction's notes.
        """
        if values:
            if features:
                raise StepwriteError("give the features either as an argument or as keywords")
            features = values
        words = [(lemma, features)]
        return self.batch(words, n_best=n_best, beam=beam, attention=attention)[0]

    def batch(
        self,
        words: Iterable[Word],
        *,
        n_best: int = 1,
        beam: int | None = None,
        attention: bool = False,
        unknown_features: Unknown | None = None,
        warn: bool = True,
    ) -> list[Prediction]:
        """Inflect many words at once: pairs of lemma and features, examples, or mappings.

        Greedy by default; with `beam`, or `n_best` forms wanted, a beam search of that width.
        Where the lexicon is preferred and knows the form, the network is asked for further forms
        and with `attention` alone; then a soft model's predictions hold its weights, too.
        unknown_features: as in `load`, for these words. warn: where they are ignored, say so of
        each value, once; without it they are ignored in silence.
        """
        if n_best < 1 or (beam is not None and beam < 1):
            raise StepwriteError(f"n_best is {n_best}, beam {beam}: expected 1 or more")
        free = not warn or unknown_features == "ignore"  # the caller wants a form for every word
        ignore = free or (unknown_features or self.unknown_features) == "ignore"
        given = [self._given(word, number) for number, word in enumerate(words, 1)]
        if not free:
            self.check_scripts([lemma for lemma, _ in given])
        asked = [self._attested.resolve(*word, ignore=ignore) for word in given]
        width = max(n_best, beam or 1)
        found = [
            None if width > 1 or attention else self._attested.prediction(lemma, resolution)
            for (lemma, _), resolution in zip(given, asked, strict=True)
        ]
        left = [place for place, prediction in enumerate(found) if prediction is None]
        pairs = [(asked[place].read, asked[place].features) for place in left]
        for place, ballots in zip(left, self._ballots(pairs, width, warn=warn), strict=True):
            lemma, _ = given[place]
            voted = self._predict(lemma, asked[place], ballots, n_best, attention)
            found[place] = self._attested.checked(voted, asked[place], n_best)
        return [prediction for prediction in found if prediction is not None]

    def known(self, pairs: Sequence[tuple[str, str]]) -> list[Prediction] | None:
        """The predictions of words that the lexicon knows, all of them; else None.

        No network is asked, so that this takes no time worth mentioning. pairs: with the features
        of cells, as `resolve` returns them.
        """
        found = []
        for lemma, features in pairs:
            if not self._attested.is_cell(features):
                return None
            asked = self._attested.resolve(lemma, features, ignore=False)
            if (prediction := self.looked_up(lemma, asked)) is None:
                return None
            found.append(prediction)
        return found

    def lemmas(self, form: str) -> list[tuple[str, str]]:
        """The words that a form may be of: each attested (lemma, features), if there is a lexicon.

        >>> from stepwrite import load
        >>> load("german-nouns").lemmas("Häusern")
        [('Haus', 'N;NEUT;DAT;PL')]
        """
        return self._attested.lemmas(form)

    def looked_up(self, lemma: str, asked: Resolution) -> Prediction | None:
        """What the lexicon has, if it is preferred. asked: what `resolve` returns."""
        return self._attested.prediction(lemma, asked)

    def resolve(
        self, lemma: str, features: Features, unknown_features: Unknown | None = None
    ) -> Resolution:
        """What a request means: a cell of the language, and the lemma as the model reads it.

        A `FeatureError` if the language has no such cell, unless such features are ignored; an
        error if the lemma is in a script that the model never saw.
        """
        self.check_scripts([lemma])
        ignore = (unknown_features or self.unknown_features) == "ignore"
        return self._attested.resolve(lemma, features, ignore=ignore)

    @cached_property
    def _known_letters(self) -> frozenset[str]:
        vocabulary = self.model.vocabulary
        return frozenset(chain(vocabulary.form_symbols, vocabulary.lemma_only))

    def check_scripts(self, lemmas: Iterable[str]) -> None:
        """Refuse letters of a script that the model never saw, unless any script is allowed."""
        for lemma in lemmas:
            if self.any_script or self._known_letters.issuperset(lemma):
                continue
            known = scripts(self._known_letters)
            if known and (strange := scripts([lemma]) - known):
                raise StepwriteError(
                    f"{shown(lemma)} is in {min(strange)} script, which the model never saw: write "
                    f"it in {' or '.join(sorted(known))} letters, romanised if need be, or allow "
                    "any script (any_script=True, --any-script)"
                )

    def _given(self, word: object, number: int) -> tuple[str, Features]:
        """Lemma and features of the word with that number."""
        lemma, features = None, None
        if isinstance(word, (tuple, list)) and len(word) in (2, 3):
            lemma, features = word[0], word[1]
        elif isinstance(word, Mapping):
            lemma, features = word.get("lemma"), word.get("features", "")
        if isinstance(lemma, str) and isinstance(features, str | Mapping):
            return lemma, features
        raise StepwriteError(f"word {number}: expected a lemma and features, got {word!r:.100}")

    @property
    def members(self) -> tuple[Inflector, ...]:
        """Each member as a model of its own."""
        alone = (
            replace(self.model, network=config, others=(), members=(weights,), fallback=None)
            for config, weights in zip(self._ensemble.configs, self.model.members, strict=True)
        )
        return tuple(Inflector(model, **self.options) for model in alone)

    def each_and_vote(self, pairs: Iterable[tuple[str, str]]) -> tuple[list[list[str]], list[str]]:
        """Each member's forms and the vote's, from one decoding, to see what the vote brings."""
        by_word = self._ballots(pairs := list(pairs), 1, warn=False)
        n_members = len(self.model.members)
        alone = [[ballots[n][0][0] for ballots in by_word] for n in range(n_members)]
        voted = []
        for (lemma, features), ballots in zip(pairs, by_word, strict=True):
            best = self._ensemble.vote(ballots)[0]
            voted.append(self._ensemble.by_rules(lemma, features, best) or best.form)
        return alone, voted

    @property
    def cells(self) -> Mapping[str, int]:
        """The bundles of features that training showed, with how often it did."""
        return self._attested.cells.counts

    def paradigm(self, lemma: str, /, pos: str | None = None, **fixed: str) -> Paradigm:
        """All cells of a lemma; see `paradigms`."""
        return self.paradigms([lemma], pos, **fixed)[0]

    def paradigms(
        self, lemmas: Iterable[str], /, pos: str | None = None, **fixed: str
    ) -> list[Paradigm]:
        """Of each lemma all cells that training showed for words like it.

        The part of speech and lexical features, such as a noun's gender, are the lexicon's, or
        else guessed from the lemma's ending, unless they are given; `fixed` also narrows other
        features: `case="DAT"`. Where the lexicon has several parts of speech or genders of a
        lemma, the further paradigms are in `also` of the likeliest one.
        """
        lemmas = list(lemmas)
        self.check_scripts(lemmas)
        choices = [self.choices(lemma, pos, fixed) for lemma in lemmas]
        predictions = iter(
            self.batch(
                [
                    (lemma, features)
                    for lemma, found in zip(lemmas, choices, strict=True)
                    for choice in found
                    for features in choice.bundles
                ],
                unknown_features="ignore",
            )
        )
        return [
            paradigm_of(lemma, found, predictions)
            for lemma, found in zip(lemmas, choices, strict=True)
        ]

    def choices(self, lemma: str, pos: str | None, fixed: Mapping[str, str]) -> list[Choice]:
        """The paradigms that a lemma may have, the likeliest first."""
        return self._attested.choices(lemma, pos, fixed)

    def _warn(self, features: str) -> None:
        for unknown in self.model.vocabulary.slots.unknown(features):
            with self._lock:
                first_time = unknown not in self._warned
                self._warned.add(unknown)
            if first_time:
                warnings.warn(
                    f"the model has never seen the feature {shown(unknown)}: it is ignored",
                    UnknownFeatureWarning,
                    stacklevel=_callers_level(),
                )

    def _ballots(
        self, pairs: Sequence[tuple[str, str]], width: int, *, warn: bool
    ) -> list[list[Ballot]]:
        """For each word what each member would write, by a search of that width."""
        bundles = dict.fromkeys(features for _, features in pairs)  # many words, few bundles
        for text in chain((lemma for lemma, _ in pairs), bundles):
            check_text(text)
        if warn:
            for features in bundles:
                self._warn(features)
        return self._ensemble.ballots(pairs, width)

    def _predict(
        self,
        lemma: str,
        asked: Resolution,
        ballots: Sequence[Ballot],
        n_best: int,
        attention: bool,
    ) -> Prediction:
        ensemble, read, features = self._ensemble, asked.read, asked.features
        voted = ensemble.vote(ballots)
        best, by_rules = voted[0], ensemble.by_rules(read, features, voted[0])
        if by_rules is not None and by_rules != best.form:
            others = [candidate for candidate in voted if candidate.form != by_rules]
            voted = [replace(best, form=by_rules), *others]
        forms = [candidate.form for candidate in voted[:n_best]]
        forms = [self._attested.as_asked(form, lemma, asked) for form in forms]
        scores = ensemble.calibrated([candidate.score for candidate in voted[:n_best]])
        prediction = Prediction(
            lemma,
            features,
            form=forms[0],
            score=scores[0],
            votes=best.votes,
            actions=ensemble.actions(best),
            positions=ensemble.places(best, read),
            alternatives=tuple(map(Alternative, forms[1:], scores[1:])),
            attention=ensemble.attention(best, read, features) if attention else None,
            direction=ensemble.direction(best),
            complete=best.surest.complete,
            notes=asked.notes,
            segmentation=self.model.segmentation,
            read=None if read == lemma else read,
        )
        if voted[0] is best:
            return prediction
        notes = (*asked.notes, "by rules: the network is unsure")
        return not_by_network(replace(prediction, direction="forward", notes=notes))


def _callers_level() -> int:
    """The `stacklevel` of who called this package, through however many of its functions."""
    level, frame = 0, sys._getframe(1)
    while frame.f_back and frame.f_globals["__name__"].partition(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    return level + 1


def paradigm_of(
    lemma: str, choices: Iterable[Choice], predictions: Iterator[Prediction]
) -> Paradigm:
    """The paradigm of the first choice, with the others in `also`; one prediction per bundle."""
    from stepwrite.morphology.paradigms import Paradigm

    first, *others = [
        Paradigm(
            lemma=lemma,
            pos=choice.pos,
            values=choice.values,
            guessed=choice.guessed,
            cells=tuple(_cell_of(next(predictions)) for _ in choice.bundles),
        )
        for choice in choices
    ]
    return replace(first, also=tuple(others))


def _cell_of(prediction: Prediction) -> Cell:
    """What a paradigm keeps of a prediction."""
    from stepwrite.morphology.paradigms import Cell

    p = prediction
    others = tuple([other.form for other in p.alternatives]) if p.attested else ()
    return Cell(p.features, p.form, p.score, p.votes, p.attested, p.complete, others, p.doubts)
