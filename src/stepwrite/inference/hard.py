"""The hard-attention network in NumPy: all of inference, from a mapping of weights.

The weights' names and shapes are those of `stepwrite.training.hard`, where the network is
trained. An action system says what its actions do: `step` and `write`, or edits.

Shapes: B words, L symbols of the longest padded lemma, H hidden, A actions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from stepwrite.inference.decoder import Decoder
from stepwrite.inference.encoder import Encoder, Lemmas
from stepwrite.inference.hypothesis import Hypothesis
from stepwrite.inference.lstm import Floats, product
from stepwrite.inference.network import Encoded, Rules, State
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.inference.one_word import OneWord
from stepwrite.inference.prefix_sharing import Ints
from stepwrite.transducer.actions import STEP_WRITE, ActionSystem
from stepwrite.transducer.vocabulary import Vocabulary


class HardNetwork:
    """One trained member: a decoder that reads one encoded symbol at a time."""

    words_at_once = 384  # with 1024, half as much memory again and no more speed

    def __init__(
        self,
        weights: Mapping[str, Floats],
        config: NetworkConfig,
        vocabulary: Vocabulary,
        system: ActionSystem = STEP_WRITE,
    ) -> None:
        self.vocabulary = vocabulary
        self.rules = Rules(system, vocabulary)
        self.encoder = Encoder(weights, config)
        self.decoder = Decoder(weights, config)
        self.output = weights["output"]
        self.output_bias = self.rules.bias_by_place(weights["output_bias"])  # (3, A)

    def read(self, lemmas: Sequence[Sequence[int]]) -> Floats:
        return self.encoder.read(Lemmas.of(lemmas))

    def encode(self, lemmas: Sequence[Sequence[int]], features: Sequence[Sequence[int]]) -> Encoded:
        """The products are (4, N, H): what each distinct prefix gives the decoder's first layer."""
        words, encoder = Lemmas.of(lemmas, self.rules.start), self.encoder
        by_forward, by_backward = np.split(self.decoder.by_state, 2, axis=1)
        n_forward, hidden = len(words.forward), by_forward.shape[2]
        # In one array: the larger the piece, the more memory the C library keeps for the next
        # batch when it is freed. Pages fresh from the system would take 7 % of all the time.
        # And before the encoder's states, which would else take a part of the piece that the last
        # batch freed: the products would not fit there, and the memory would grow.
        products = np.empty((4, n_forward + len(words.backward), hidden), np.float32)
        product(encoder.read_forward(words), by_forward, out=products[:, :n_forward])
        product(encoder.read_backward(words), by_backward, out=products[:, n_forward:])
        return Encoded(
            lemmas=words.ids,
            lengths=words.lengths,
            places=words.places,
            beginnings=words.beginnings,
            ends=n_forward + words.ends,
            products=(products,),
            features=self.decoder.of_features(features),
        )

    def start(self, encoded: Encoded, words: Ints | None = None) -> State:
        if words is None:
            words = np.arange(len(encoded.lengths))
        return self.decoder.start(words, self.rules.start, self.vocabulary.begin)

    def scores(self, encoded: Encoded, state: State) -> tuple[State, Floats]:
        at = encoded.at(state.words, state.positions)
        [products] = encoded.products
        inputs = products.take(encoded.beginnings.take(at), axis=1)
        inputs += products.take(encoded.ends.take(at), axis=1)
        inputs += self.decoder.by_previous.take(state.previous, axis=1)
        inputs += encoded.features.take(state.words, axis=1)
        scores = self.decoder.advance(inputs, state) @ self.output
        scores += self.output_bias.take(encoded.places.take(at), axis=0)
        return state, scores

    def act(self, encoded: Encoded, state: State, actions: Ints) -> State:
        positions = self.rules.position_after(encoded, state, actions)
        previous = self.rules.previous_after(encoded, state, actions)
        return State(state.words, positions, previous, state.hidden, state.cells)

    @cached_property
    def _one_word(self) -> OneWord | None:
        if any(layer.peephole for layer in self.decoder.layers):
            return None
        return OneWord(self.encoder, self.decoder, self.rules, self.output, self.output_bias)

    def greedy_alone(
        self, lemma: Sequence[int], features: Sequence[int], limit: int
    ) -> Hypothesis | None:
        if self._one_word is None:
            return None
        return self._one_word.greedy(lemma, features, self.vocabulary.begin, limit)

    def attention(
        self, lemma: Sequence[int], features: Sequence[int], actions: Sequence[int]
    ) -> None:
        """All of it is on the attended position."""
        return None
