"""The members of a model at work: what each would write, and what they agree on."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

from stepwrite.data.segmentation import Symbols
from stepwrite.errors import StepwriteError, shown
from stepwrite.inference.beam import beam
from stepwrite.inference.hypothesis import Hypothesis
from stepwrite.inference.network import Network
from stepwrite.inference.network_config import Direction, NetworkConfig
from stepwrite.inference.search import greedy
from stepwrite.inference.voting import Ballot, Candidate, Tie, vote
from stepwrite.kinds import kind_of
from stepwrite.model.directory import Model
from stepwrite.transducer.actions import Action

LEAST = 1e-12  # a probability whose logarithm is still a number


class Ensemble:
    """The members' networks. Lemmas are as the model reads them, features those of a cell."""

    def __init__(self, model: Model, tie: Tie) -> None:
        self.model, self.tie = model, tie
        self.configs = model.networks
        self._networks = [
            kind_of(config.kind).network(weights, config, model.vocabulary)
            for weights, config in zip(model.members, self.configs, strict=True)
        ]
        self._actions = [model.vocabulary.actions(kind_of(c.kind).system) for c in self.configs]

    def ballots(self, pairs: Sequence[tuple[str, str]], width: int) -> list[list[Ballot]]:
        """For each word what each member would write, by a search of that width."""
        lemmas = [self.symbols(lemma) for lemma, _ in pairs]
        vocabulary, join = self.model.vocabulary, self.model.segmentation.join_form
        # Many words have few bundles, and members of one direction read the same.
        rows_of = {features: vocabulary.feature_rows(features) for _, features in pairs}
        rows = [rows_of[features] for _, features in pairs]
        read = {c.direction: [c.in_reading_order(lemma) for lemma in lemmas] for c in self.configs}
        ids = {way: [vocabulary.lemma_ids(word) for word in words] for way, words in read.items()}

        def ballots(config: NetworkConfig, network: Network) -> list[Ballot]:
            """One member's, for all words."""
            order, way = config.in_reading_order, config.direction
            found = decode(network, ids[way], rows, width)
            return [
                [(join(order(vocabulary.written(lemma, h.actions, h.positions))), h) for h in best]
                for lemma, best in zip(read[way], found, strict=True)
            ]

        by_member = map(ballots, self.configs, self._networks)
        return [list(of_word) for of_word in zip(*by_member, strict=True)]

    def vote(self, ballots: Sequence[Ballot]) -> list[Candidate]:
        return vote(ballots, self.tie, lambda form: len(self.model.segmentation.form(form)))

    def by_rules(self, lemma: str, features: str, best: Candidate) -> str | None:
        """The form of rules, where the members are unsure and rules know better."""
        fallback = self.model.fallback
        return None if fallback is None else fallback(lemma, features, exp(best.score))

    def calibrated(self, scores: list[float]) -> list[float]:
        """Log probabilities as dev bears them out; the others share what the first one leaves."""
        if self.model.calibration is None:
            return scores
        first = exp(scores[0])
        probability = min(max(self.model.calibration(first), LEAST), 1.0)
        left = (1.0 - probability) / max(1.0 - first, LEAST)
        return [
            log(probability),
            *(log(min(max(exp(score) * left, LEAST), probability)) for score in scores[1:]),
        ]

    def symbols(self, lemma: str) -> Symbols:
        symbols = self.model.segmentation.lemma(lemma)
        if not symbols:
            raise StepwriteError(f"the lemma is empty: {shown(lemma)}")
        return symbols

    def actions(self, chosen: Candidate) -> tuple[Action, ...]:
        """How the surest member writes a form."""
        all_actions = self._actions[chosen.member]
        return tuple([all_actions[number] for number in chosen.surest.actions])

    def direction(self, chosen: Candidate) -> Direction:
        return self.configs[chosen.member].direction

    def places(self, chosen: Candidate, lemma: str) -> tuple[int, ...]:
        """The attended positions on the lemma as it is spelt."""
        positions = chosen.surest.positions
        if self.direction(chosen) == "forward":
            return positions
        last = len(self.symbols(lemma)) + 1
        return tuple([last - position for position in positions])

    def attention(
        self, chosen: Candidate, lemma: str, features: str
    ) -> tuple[tuple[float, ...], ...] | None:
        """The weights of each step; None where the network attends to one symbol at a time."""
        vocabulary, network = self.model.vocabulary, self._networks[chosen.member]
        ordered = self.configs[chosen.member].in_reading_order
        weights = network.attention(
            vocabulary.lemma_ids(ordered(self.symbols(lemma))),
            vocabulary.feature_rows(features),
            chosen.surest.actions,
        )
        return None if weights is None else tuple(map(ordered, weights))


def decode(
    network: Network, lemmas: Sequence[list[int]], features: Sequence[list[int]], width: int
) -> list[list[Hypothesis]]:
    """One member's hypotheses for each word, best first: greedily where one is wanted."""
    if width == 1:
        return [[hypothesis] for hypothesis in greedy(network, lemmas, features)]
    return beam(network, lemmas, features, width)
