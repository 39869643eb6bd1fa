"""The façade: strings in, strings out.

>>> inflector = Inflector.load("models/german")  # doctest: +SKIP
>>> inflector("Haus", "N;DAT;PL").form  # doctest: +SKIP
'Häusern'
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, inf, log, log1p
from pathlib import Path
from typing import Literal

from stepwrite.actions import Action, execute
from stepwrite.decoding import Hypothesis, beam, greedy
from stepwrite.errors import StepwriteError, shown
from stepwrite.model import Model, load_model
from stepwrite.network import HardNetwork
from stepwrite.symbols import Symbols

Tie = Literal["score", "shortest"]


class UnknownFeatureWarning(UserWarning):
    """A feature value that the model never saw in training."""


@dataclass(frozen=True)
class Alternative:
    """Another form, with its log probability."""

    form: str
    score: float


@dataclass(frozen=True)
class Prediction:
    """An inflected form and where it comes from.

    score: log of the probability of the form, averaged over the members (those that did not
    come upon it count as zero).
    votes: how many members chose it.
    actions, positions: of the member that was surest of it; positions are on the padded lemma.
    alternatives: further forms, best first, where they were asked for.
    """

    lemma: str
    features: str
    form: str
    score: float
    votes: int
    actions: tuple[Action, ...]
    positions: tuple[int, ...]
    alternatives: tuple[Alternative, ...] = ()


class Inflector:
    """A model ready to inflect. Calls change nothing in it, so threads may share one."""

    def __init__(self, model: Model, *, tie: Tie = "score") -> None:
        self.model = model
        self.tie = tie
        self._networks = [
            HardNetwork(weights, model.network, model.vocabulary) for weights in model.members
        ]
        self._warned: set[str] = set()
        self._lock = threading.Lock()

    @classmethod
    def load(cls, path: str | Path, *, tie: Tie = "score") -> Inflector:
        """Load a model directory; `tie` chooses between forms with equally many votes.

        "score": the best total log probability. "shortest", the authors' rule: if no form has
        two votes, the shortest wins.
        """
        return cls(load_model(path), tie=tie)

    def __call__(
        self, lemma: str, features: str = "", *, n_best: int = 1, beam: int | None = None
    ) -> Prediction:
        return self.batch([(lemma, features)], n_best=n_best, beam=beam)[0]

    def batch(
        self, pairs: Iterable[tuple[str, str]], *, n_best: int = 1, beam: int | None = None
    ) -> list[Prediction]:
        """Inflect many (lemma, features) at once.

        Greedy by default; with `beam`, or `n_best` forms wanted, a beam search of that width.
        """
        if n_best < 1 or (beam is not None and beam < 1):
            raise StepwriteError(f"n_best is {n_best}, beam {beam}: expected 1 or more")
        width = max(n_best, beam or 1)
        pairs = list(pairs)
        for lemma, features in pairs:
            check_text(lemma)
            check_text(features)
        lemmas = [self._symbols(lemma) for lemma, _ in pairs]
        for _, features in pairs:
            self._warn(features)
        vocabulary = self.model.vocabulary
        ids = [vocabulary.lemma_ids(lemma) for lemma in lemmas]
        rows = [vocabulary.feature_rows(features) for _, features in pairs]
        by_member = [decode(network, ids, rows, width) for network in self._networks]
        return [
            self._vote(lemma, features, symbols, [found[k] for found in by_member], n_best)
            for k, ((lemma, features), symbols) in enumerate(zip(pairs, lemmas, strict=True))
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
                    stacklevel=4,
                )

    def _vote(
        self,
        lemma: str,
        features: str,
        symbols: Symbols,
        by_member: Sequence[Sequence[Hypothesis]],
        n_best: int,
    ) -> Prediction:
        """Majority of the members' best forms, then the other forms by average probability."""
        candidates: dict[str, _Candidate] = {}
        for hypotheses in by_member:
            member: dict[str, float] = {}
            for hypothesis in hypotheses:
                actions = tuple(map(self.model.vocabulary.action, hypothesis.actions))
                form = self.model.segmentation.join_form(execute(symbols, actions).form)
                # Several derivations may write one form: its probability is their sum.
                member[form] = _log_add(member.get(form, -inf), hypothesis.score)
                candidate = candidates.setdefault(form, _Candidate())
                if hypothesis.score > candidate.best_score:
                    candidate.best_score = hypothesis.score
                    candidate.actions, candidate.positions = actions, hypothesis.positions
            for form, score in member.items():
                candidates[form].score = _log_add(
                    candidates[form].score, score - log(len(by_member))
                )
            winner = max(member, key=lambda form: member[form])
            candidates[winner].votes += 1
            candidates[winner].vote_score += member[winner]

        def rank(form: str) -> tuple[float, ...]:
            candidate = candidates[form]
            if self.tie == "shortest" and all(c.votes < 2 for c in candidates.values()):
                length = len(self.model.segmentation.form(form))
                return candidate.votes > 0, -length, candidate.vote_score
            return candidate.votes, candidate.vote_score, candidate.score

        best = max(candidates, key=rank)
        others = sorted(
            (form for form in candidates if form != best),
            key=lambda form: -candidates[form].score,
        )
        chosen = candidates[best]
        return Prediction(
            lemma=lemma,
            features=features,
            form=best,
            score=chosen.score,
            votes=chosen.votes,
            actions=chosen.actions,
            positions=chosen.positions,
            alternatives=tuple(
                Alternative(form, candidates[form].score) for form in others[: n_best - 1]
            ),
        )


@dataclass
class _Candidate:
    """What the members said of one form."""

    votes: int = 0
    vote_score: float = 0.0
    score: float = -inf
    best_score: float = -inf
    actions: tuple[Action, ...] = ()
    positions: tuple[int, ...] = ()


def decode(
    network: HardNetwork, lemmas: Sequence[list[int]], features: Sequence[list[int]], width: int
) -> list[list[Hypothesis]]:
    """One member's hypotheses for each word, best first: greedily where one is wanted."""
    if width == 1:
        return [[hypothesis] for hypothesis in greedy(network, lemmas, features)]
    return [beam(network, *word, width) for word in zip(lemmas, features, strict=True)]


def _log_add(a: float, b: float) -> float:
    """log(exp(a) + exp(b)); forms of thousands of symbols have probabilities below any double."""
    low, high = sorted((a, b))
    return high if low == -inf else high + log1p(exp(low - high))


def check_text(text: str) -> None:
    """Refuse half characters (lone surrogates): no file and no terminal could take the form.

    They come from bytes that are no UTF-8, in the arguments of a command, or from bad JSON.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise StepwriteError(f"no text, or not in UTF-8: {shown(text)}") from None
