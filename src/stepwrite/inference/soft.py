"""The soft-attention network in NumPy, with the methods of the hard one.

The weights' names and shapes are those of `stepwrite.training.soft`. At each action the decoder
attends to all symbols of the padded lemma; the position of an action is that of the largest
weight.

Shapes: B words, L symbols of the longest padded lemma, H hidden, A actions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from stepwrite.inference.hard import Encoded, HardNetwork, State
from stepwrite.inference.lstm import Floats, product
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.inference.prefix_sharing import Ints
from stepwrite.transducer.vocabulary import COPY, STEP, Vocabulary


def network_of(
    weights: Mapping[str, Floats], config: NetworkConfig, vocabulary: Vocabulary
) -> HardNetwork:
    """The network that the configuration speaks of."""
    kind = SoftNetwork if config.attention == "soft" else HardNetwork
    return kind(weights, config, vocabulary)


class SoftNetwork(HardNetwork):
    """One trained member of a soft model."""

    words_at_once = 96  # each step reads all symbols, also the padding

    def __init__(
        self, weights: Mapping[str, Floats], config: NetworkConfig, vocabulary: Vocabulary
    ) -> None:
        super().__init__(weights, config, vocabulary)
        self.score, self.query, self.pick = (weights[name] for name in ("score", "query", "pick"))
        self.from_state, self.from_context = np.split(weights["combine"], [config.hidden])

    def encode(self, lemmas: Sequence[Sequence[int]], features: Sequence[Sequence[int]]) -> Encoded:
        """Encode padded lemmas (ids) with their feature rows, and with what their ends give.

        The products are (B, L, H): what each symbol gives the score, and the context.
        """
        read = self.read(lemmas)
        by_word = np.ascontiguousarray(read.states.swapaxes(0, 1))
        onward, inward = np.split(by_word, 2, axis=2)
        ends = [onward[np.arange(len(lemmas)), read.lengths - 1], inward[:, 0]]
        return Encoded(
            lemmas=read.lemmas,
            lengths=read.lengths,
            places=(read.beginnings, read.ends),
            products=(by_word @ self.score, by_word @ self.from_context),
            features=self._of_features(features)
            + product(np.concatenate(ends, axis=1), self.by_state),
        )

    def scores(self, encoded: Encoded, state: State) -> tuple[State, Floats]:
        """Attend to the lemma; return the new state and (rows, A) scores."""
        inputs = self.by_previous.take(state.previous, axis=1)
        inputs += encoded.features.take(state.words, axis=1)
        hidden, cells = self._advance(inputs, state)
        moved = State(state.words, state.positions, state.previous, hidden, cells)
        weights = self.attend(encoded, moved)
        values = _of_words(encoded.products[1], state.words)
        combined = hidden[-1] @ self.from_state
        combined += (weights[:, None] @ values)[:, 0]
        scores = np.tanh(combined) @ self.output
        scores += self.output_bias
        scores[:, STEP] = -np.inf  # there is nowhere to go
        positions = weights.argmax(axis=1)
        if self.vocabulary.copy:
            self._forbid_copying(encoded, state.words, positions, scores)
        return replace(moved, positions=positions), scores

    def act(self, encoded: Encoded, state: State, actions: Ints) -> State:
        """Note what was written; the attention finds its own way."""
        previous = actions
        if self.vocabulary.copy:
            attended = encoded.lemmas[state.positions, state.words]
            previous = np.where(actions == COPY, attended, actions)
        return replace(state, previous=previous)

    def attend(self, encoded: Encoded, state: State) -> Floats:
        """(rows, L): the weights of the lemma's symbols after a step; 0 on padding."""
        keys = _of_words(encoded.products[0], state.words)
        queries = state.hidden[-1] @ self.query
        scores = (np.tanh(keys + queries[:, None]) @ self.pick)[:, :, 0]
        padding = np.arange(scores.shape[1]) >= encoded.lengths[state.words][:, None]
        scores[padding] = -np.inf
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        return scores

    def attention(
        self, lemma: Sequence[int], features: Sequence[int], actions: Sequence[int]
    ) -> list[list[float]]:
        """The weights at each of a word's actions, found by taking them once more.

        So that searching for the actions need not keep the weights of all that it looks at.
        """
        encoded = self.encode([lemma], [features])
        state = self.start(encoded)
        rows: list[list[float]] = []
        for action in actions:
            state, _ = self.step(encoded, state)
            rows += self.attend(encoded, state).tolist()
            state = self.act(encoded, state, np.array([action]))
        return rows


def _of_words(products: Floats, words: Ints) -> Floats:
    """(rows, L, H) for (B, L, H): each row's word, without a copy where all are there once."""
    n_words = len(products)
    if n_words == 1 or (len(words) == n_words and bool((words == np.arange(n_words)).all())):
        return products
    return products[words]
