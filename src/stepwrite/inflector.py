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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from stepwrite.data.examples import Example
from stepwrite.data.segmentation import Symbols
from stepwrite.errors import StepwriteError, UnknownFeatureWarning, shown
from stepwrite.inference.beam import beam
from stepwrite.inference.hypothesis import Hypothesis
from stepwrite.inference.network import Network
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.inference.search import greedy
from stepwrite.inference.voting import Ballot, Candidate, Tie, vote
from stepwrite.kinds import kind_of
from stepwrite.model.directory import Model
from stepwrite.morphology.cells import Cells
from stepwrite.morphology.lexicon import Use
from stepwrite.prediction import Alternative, Prediction

if TYPE_CHECKING:
    from stepwrite.morphology.paradigms import Cell, Paradigm

Features = str | Mapping[str, str | int]
"""A bundle as training has it, or values by the names of their slots."""

Word = tuple[str, Features] | Example | Mapping[str, Any]
"""A lemma and its features: a pair, an example, or a mapping with `lemma` and `features`."""


class Inflector:
    """A model ready to inflect. Calls change nothing in it, so threads may share one."""

    def __init__(self, model: Model, *, tie: Tie = "score", lexicon: Use | None = None) -> None:
        if model.lexicon is None and lexicon in ("prefer", "flag"):
            raise StepwriteError("the model has no lexicon: it was trained without --lexicon")
        self.model = model
        self.tie = tie
        self.lexicon_use: Use = lexicon or ("off" if model.lexicon is None else "flag")
        self._configs = model.networks
        self._networks = [
            kind_of(config.kind).network(weights, config, model.vocabulary)
            for weights, config in zip(model.members, self._configs, strict=True)
        ]
        self._actions = [model.vocabulary.actions(kind_of(c.kind).system) for c in self._configs]
        self._warned: set[str] = set()
        self._lock = threading.Lock()

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
        """Inflect one word; its features are a bundle, a mapping or keywords (`case="DAT"`)."""
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
        warn: bool = True,
    ) -> list[Prediction]:
        """Inflect many words at once: pairs of lemma and features, examples, or mappings.

        Greedy by default; with `beam`, or `n_best` forms wanted, a beam search of that width.
        With `attention`, a soft model's predictions hold its weights, which takes some time.
        warn: of each feature value never seen in training, once.
        """
        if n_best < 1 or (beam is not None and beam < 1):
            raise StepwriteError(f"n_best is {n_best}, beam {beam}: expected 1 or more")
        pairs = [self._pair(word, number) for number, word in enumerate(words, 1)]
        voted = [
            self._predict(pair, ballots, n_best, attention)
            for pair, ballots in zip(
                pairs, self._ballots(pairs, max(n_best, beam or 1), warn=warn), strict=True
            )
        ]
        if self.lexicon_use == "off":
            return voted
        return [self._looked_up(prediction, n_best) for prediction in voted]

    def _pair(self, word: object, number: int) -> tuple[str, str]:
        """Lemma and bundle of the word with that number."""
        lemma, features = None, None
        if isinstance(word, (tuple, list)) and len(word) in (2, 3):
            lemma, features = word[0], word[1]
        elif isinstance(word, Mapping):
            lemma, features = word.get("lemma"), word.get("features", "")
        if isinstance(lemma, str) and isinstance(features, str):
            return lemma, features
        if isinstance(lemma, str) and isinstance(features, Mapping):
            return lemma, self.model.vocabulary.slots.bundle(features)
        raise StepwriteError(f"word {number}: expected a lemma and features, got {word!r:.100}")

    @property
    def members(self) -> tuple[Inflector, ...]:
        """Each member as a model of its own."""
        alone = (
            replace(self.model, network=config, others=(), members=(weights,))
            for config, weights in zip(self._configs, self.model.members, strict=True)
        )
        return tuple(Inflector(model, tie=self.tie, lexicon=self.lexicon_use) for model in alone)

    def each_and_vote(self, pairs: Iterable[tuple[str, str]]) -> tuple[list[list[str]], list[str]]:
        """Each member's forms and the vote's, from one decoding, to see what the vote brings."""
        by_word = self._ballots(list(pairs), 1, warn=False)
        alone = [
            [ballots[member][0][0] for ballots in by_word] for member in range(len(self._networks))
        ]
        return alone, [self._vote(ballots)[0].form for ballots in by_word]

    def _looked_up(self, prediction: Prediction, n_best: int) -> Prediction:
        """The prediction as the lexicon has it."""
        assert self.model.lexicon is not None
        forms = self.model.lexicon.forms(prediction.lemma, prediction.features)
        if self.lexicon_use == "flag" or prediction.form in forms or not forms:
            return replace(prediction, attested=prediction.form in forms)
        guesses = (Alternative(prediction.form, prediction.score), *prediction.alternatives)
        return replace(
            prediction,
            form=forms[0],
            score=0.0,
            votes=0,
            actions=(),
            positions=(),
            alternatives=tuple(g for g in guesses if g.form != forms[0])[: n_best - 1],
            attention=None,
            attested=True,
            complete=True,
        )

    @property
    def cells(self) -> Mapping[str, int]:
        """The bundles of features that training showed, with how often it did."""
        return self._known_cells.counts

    @property
    def _known_cells(self) -> Cells:
        if self.model.cells is None:
            raise StepwriteError("the model does not know its cells: it is of an older stepwrite")
        return self.model.cells

    def paradigm(self, lemma: str, /, pos: str | None = None, **fixed: str) -> Paradigm:
        """All cells of a lemma; see `paradigms`."""
        return self.paradigms([lemma], pos, **fixed)[0]

    def paradigms(
        self, lemmas: Iterable[str], /, pos: str | None = None, **fixed: str
    ) -> list[Paradigm]:
        """Of each lemma all cells that training showed for words like it.

        The part of speech and lexical features, such as a noun's gender, are guessed from the
        lemma's ending unless they are given; `fixed` also narrows other features: `case="DAT"`.
        """
        from stepwrite.morphology.paradigms import Paradigm

        lemmas = list(lemmas)
        choices = [self._known_cells.choose(lemma, pos, fixed) for lemma in lemmas]
        predictions = iter(
            self.batch(
                (lemma, features)
                for lemma, choice in zip(lemmas, choices, strict=True)
                for features in choice.bundles
            )
        )
        return [
            Paradigm(
                lemma=lemma,
                pos=choice.pos,
                values=choice.values,
                guessed=choice.guessed,
                cells=tuple(cell_of(next(predictions)) for _ in choice.bundles),
            )
            for lemma, choice in zip(lemmas, choices, strict=True)
        ]

    def _symbols(self, lemma: str) -> Symbols:
        symbols = self.model.segmentation.lemma(lemma)
        if not symbols:
            raise StepwriteError(f"the lemma is empty: {shown(lemma)}")
        return symbols

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
        lemmas = [self._symbols(lemma) for lemma, _ in pairs]
        if warn:
            for features in bundles:
                self._warn(features)
        vocabulary, join = self.model.vocabulary, self.model.segmentation.join_form
        rows_of = {features: vocabulary.feature_rows(features) for features in bundles}
        rows = [rows_of[features] for _, features in pairs]
        # Members of one direction read the same.
        read = {c.direction: [c.in_reading_order(lemma) for lemma in lemmas] for c in self._configs}
        ids = {way: [vocabulary.lemma_ids(word) for word in words] for way, words in read.items()}

        def ballots(config: NetworkConfig, network: Network) -> list[Ballot]:
            """One member's, for all words."""
            order, way = config.in_reading_order, config.direction
            found = decode(network, ids[way], rows, width)
            return [
                [(join(order(vocabulary.written(lemma, h.actions, h.positions))), h) for h in best]
                for lemma, best in zip(read[way], found, strict=True)
            ]

        by_member = map(ballots, self._configs, self._networks)
        return [list(of_word) for of_word in zip(*by_member, strict=True)]

    def _vote(self, ballots: Sequence[Ballot]) -> list[Candidate]:
        return vote(ballots, self.tie, lambda form: len(self.model.segmentation.form(form)))

    def _predict(
        self, pair: tuple[str, str], ballots: Sequence[Ballot], n_best: int, attention: bool
    ) -> Prediction:
        best, *others = self._vote(ballots)
        all_actions = self._actions[best.member]
        return Prediction(
            *pair,
            form=best.form,
            score=best.score,
            votes=best.votes,
            actions=tuple([all_actions[number] for number in best.surest.actions]),
            positions=self._places(best, pair[0]),
            alternatives=tuple([Alternative(c.form, c.score) for c in others[: n_best - 1]]),
            attention=self._attention(best, *pair) if attention else None,
            direction=self._configs[best.member].direction,
            complete=best.surest.complete,
            segmentation=self.model.segmentation,
        )

    def _places(self, chosen: Candidate, lemma: str) -> tuple[int, ...]:
        """The attended positions on the lemma as it is spelt."""
        positions = chosen.surest.positions
        if self._configs[chosen.member].direction == "forward":
            return positions
        last = len(self._symbols(lemma)) + 1
        return tuple([last - position for position in positions])

    def _attention(
        self, chosen: Candidate, lemma: str, features: str
    ) -> tuple[tuple[float, ...], ...] | None:
        vocabulary, network = self.model.vocabulary, self._networks[chosen.member]
        ordered = self._configs[chosen.member].in_reading_order
        weights = network.attention(
            vocabulary.lemma_ids(ordered(self._symbols(lemma))),
            vocabulary.feature_rows(features),
            chosen.surest.actions,
        )
        return None if weights is None else tuple(map(ordered, weights))


def _callers_level() -> int:
    """The `stacklevel` of who called this package, through however many of its functions."""
    level, frame = 0, sys._getframe(1)
    while frame.f_back and frame.f_globals["__name__"].partition(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    return level + 1


def cell_of(prediction: Prediction) -> Cell:
    """What a paradigm keeps of a prediction."""
    from stepwrite.morphology.paradigms import Cell

    p = prediction
    return Cell(p.features, p.form, p.score, p.votes, p.attested, p.complete)


def decode(
    network: Network, lemmas: Sequence[list[int]], features: Sequence[list[int]], width: int
) -> list[list[Hypothesis]]:
    """One member's hypotheses for each word, best first: greedily where one is wanted."""
    if width == 1:
        return [[hypothesis] for hypothesis in greedy(network, lemmas, features)]
    return beam(network, lemmas, features, width)


def check_text(text: str) -> None:
    """Refuse half characters (lone surrogates): no file and no terminal could take the form.

    They come from bytes that are no UTF-8, in the arguments of a command, or from bad JSON.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise StepwriteError(f"no text, or not in UTF-8: {shown(text)}") from None
