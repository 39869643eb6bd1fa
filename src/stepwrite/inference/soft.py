"""The soft-attention network in NumPy: Luong's global attention over the encoded lemma.

The weights' names and shapes are those of `stepwrite.training.soft`. At each action the decoder
attends to all symbols of the padded lemma; the position of an action is that of the largest
weight.

Shapes: B words, L symbols of the longest padded lemma, H hidden, A actions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from stepwrite.inference.decoder import Decoder
from stepwrite.inference.encoder import Encoder, Lemmas
from stepwrite.inference.lstm import Floats, product
from stepwrite.inference.network import Encoded, Rules, State
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.inference.prefix_sharing import Ints
from stepwrite.transducer.actions import WRITE
from stepwrite.transducer.vocabulary import Vocabulary


class SoftNetwork:
    """One trained member: a decoder that attends to all of the lemma."""

    words_at_once = 96  # each step reads all symbols, also the padding

    def __init__(
        self, weights: Mapping[str, Floats], config: NetworkConfig, vocabulary: Vocabulary
    ) -> None:
        self.vocabulary = vocabulary
        self.rules = Rules(WRITE, vocabulary)
        self.encoder = Encoder(weights, config)
        self.decoder = Decoder(weights, config)
        self.output = weights["output"]
        self.output_bias = self.rules.bias_by_place(weights["output_bias"])  # (3, A)
        self.score, self.query, self.pick = (weights[name] for name in ("score", "query", "pick"))
        self.from_state, self.from_context = np.split(weights["combine"], [config.hidden])

    def read(self, lemmas: Sequence[Sequence[int]]) -> Floats:
        return self.encoder.read(Lemmas.of(lemmas))

    def encode(self, lemmas: Sequence[Sequence[int]], features: Sequence[Sequence[int]]) -> Encoded:
        """The products are (B, L, H): what each symbol gives the score, and the context.

        The features come with what the lemma's ends give the decoder.
        """
        words = Lemmas.of(lemmas)
        by_word = np.ascontiguousarray(self.encoder.read(words).swapaxes(0, 1))
        forward, backward = np.split(by_word, 2, axis=2)
        ends = [forward[np.arange(len(lemmas)), words.lengths - 1], backward[:, 0]]
        of_ends = product(np.concatenate(ends, axis=1), self.decoder.by_state)
        return Encoded(
            lemmas=words.ids,
            lengths=words.lengths,
            places=words.places,
            beginnings=words.beginnings,
            ends=words.ends,
            products=(by_word @ self.score, by_word @ self.from_context),
            features=self.decoder.of_features(features) + of_ends,
        )

    def start(self, encoded: Encoded, words: Ints | None = None) -> State:
        if words is None:
            words = np.arange(len(encoded.lengths))
        return self.decoder.start(words, self.rules.start, self.vocabulary.begin)

    def scores(self, encoded: Encoded, state: State) -> tuple[State, Floats]:
        """Attend to the lemma; the position is that of the largest weight."""
        inputs = self.decoder.by_previous.take(state.previous, axis=1)
        inputs += encoded.features.take(state.words, axis=1)
        top = self.decoder.advance(inputs, state)
        weights = self.attend(encoded, state)
        values = _of_words(encoded.products[1], state.words)
        combined = top @ self.from_state
        combined += (weights[:, None] @ values)[:, 0]
        scores = np.tanh(combined) @ self.output
        positions = weights.argmax(axis=1)
        places = encoded.places.take(encoded.at(state.words, positions))
        scores += self.output_bias.take(places, axis=0)
        return replace(state, positions=positions), scores

    def act(self, encoded: Encoded, state: State, actions: Ints) -> State:
        """Note what was written; the attention finds its own way."""
        return replace(state, previous=self.rules.previous_after(encoded, state, actions))

    def greedy_alone(self, lemma: Sequence[int], features: Sequence[int], limit: int) -> None:
        """There is no faster way than that of many words."""
        return None

    def attend(self, encoded: Encoded, state: State) -> Floats:
        """(rows, L): the weights of the lemma's symbols after a step; 0 on padding."""
        keys = _of_words(encoded.products[0], state.words)
        queries = state.hidden[:, -len(self.query) :] @ self.query
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
            state, _ = self.scores(encoded, state)
            rows += self.attend(encoded, state).tolist()
            state = self.act(encoded, state, np.array([action]))
        return rows


def _of_words(products: Floats, words: Ints) -> Floats:
    """(rows, L, H) for (B, L, H): each row's word, without a copy where all are there once."""
    n_words = len(products)
    if n_words == 1 or (len(words) == n_words and bool((words == np.arange(n_words)).all())):
        return products
    return products[words]
