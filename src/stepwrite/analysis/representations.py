"""What the encoder states represent: which character it is, and its place in the word.

The paper shows 500 characters in context, projected to two dimensions. Here the plots are backed
by numbers: linear probes trained on some words and tested on others, and how well the states form
clusters by character.

Shapes: N characters, states of size D = 2H.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepwrite.data.segmentation import Symbols
from stepwrite.errors import StepwriteError
from stepwrite.inflector import Inflector
from stepwrite.kinds import kind_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DRAWN = 500  # characters, as in the paper
PROBED = 3000  # characters that a probe is trained on; half as many test it
BATCH = 128
RIDGE = 1.0  # the penalty of the probes, enough to avoid overfitting in hundreds of dimensions


@dataclass(frozen=True)
class Characters:
    """Characters in context: the words, and for each character its word and place (from 1)."""

    lemmas: tuple[Symbols, ...]
    words: Ints
    places: Ints

    @property
    def symbols(self) -> Symbols:
        pairs = zip(self.words.tolist(), self.places.tolist(), strict=True)
        return tuple(self.lemmas[word][place - 1] for word, place in pairs)

    @property
    def from_end(self) -> Ints:
        """Places counted from the end; the last character of a word has 1."""
        return np.array([len(lemma) for lemma in self.lemmas])[self.words] + 1 - self.places


@dataclass(frozen=True)
class Samples:
    """Characters to fit probes on, others from other words to test them, and some to draw."""

    fit: Characters
    test: Characters
    drawn: Characters


def sample(lemmas: Sequence[Symbols], known: frozenset[str], seed: int = 0) -> Samples:
    """Sample characters, leaving out those that a model does not know."""
    random = np.random.default_rng(seed)
    distinct = sorted(set(lemmas))
    order = random.permutation(len(distinct))
    halves = [[distinct[k] for k in half] for half in np.array_split(order, 2)]

    def draw(words: Sequence[Symbols], n: int) -> Characters:
        places = np.array(
            [
                (word, place)
                for word, lemma in enumerate(words)
                for place, symbol in enumerate(lemma, 1)
                if symbol in known
            ],
            np.int64,
        ).reshape(-1, 2)
        chosen = np.sort(random.permutation(len(places))[:n])
        return Characters(tuple(words), places[chosen, 0], places[chosen, 1])

    samples = Samples(draw(halves[0], PROBED), draw(halves[1], PROBED // 2), draw(halves[1], DRAWN))
    if min(len(set(part.symbols)) for part in vars(samples).values()) < 2:
        raise StepwriteError("too few characters known to the models to project or probe")
    return samples


def states(member: Inflector, characters: Characters) -> Floats:
    """(N, D): the encoder states of the characters in the first member of a model."""
    model = member.model
    config = model.network.of_member(1)
    network = kind_of(config.kind).network(model.members[0], config, model.vocabulary)
    found = np.empty((len(characters.words), 2 * model.network.hidden))
    used = np.unique(characters.words)
    for start in range(0, len(used), BATCH):
        words = used[start : start + BATCH]
        read = [config.in_reading_order(characters.lemmas[word]) for word in words]
        lemmas = [model.vocabulary.lemma_ids(lemma) for lemma in read]
        encoded = network.read(lemmas)
        rows = np.flatnonzero(np.isin(characters.words, words))
        columns = np.searchsorted(words, characters.words[rows])
        places = characters.places[rows]
        if config.direction == "backward":
            places = np.array([len(lemma) + 1 for lemma in read])[columns] - places
        found[rows] = encoded[places, columns]
    return found


def project(points: Floats) -> Floats:
    """(N, 2): the first two principal components, by SVD.

    Each axis is oriented so that its largest value is positive: an SVD leaves the sign open.

    >>> plane = project(np.array([[0.0, 3, 1], [0, -3, 1], [1, 0, 1], [-1, 0, 1]]))
    >>> (plane.round(6) + 0).tolist()
    [[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]]
    """
    centred = points - points.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    plane: Floats = left[:, :2] * sizes[:2]
    # Of values that are equal except for rounding, the first decides.
    largest = np.argmax(np.abs(plane) >= np.abs(plane).max(axis=0) * (1 - 1e-9), axis=0)
    signs = np.sign(plane[largest, np.arange(plane.shape[1])])
    oriented: Floats = plane * np.where(signs == 0, 1, signs)
    return oriented


def ridge(inputs: Floats, targets: Floats, tests: Floats) -> Floats:
    """Ridge regression, fitted on (N, D) and (N, K), applied to (M, D)."""
    mean, target_mean = inputs.mean(axis=0), targets.mean(axis=0)
    centred = inputs - mean
    gram = centred.T @ centred + RIDGE * np.eye(inputs.shape[1])
    weights = np.linalg.solve(gram, centred.T @ (targets - target_mean))
    predicted: Floats = (tests - mean) @ weights + target_mean
    return predicted


def one_hot(symbols: Sequence[str], labels: Sequence[str]) -> Floats:
    """(N, labels)"""
    hot: Floats = (np.array(symbols, object)[:, None] == np.array(labels, object)).astype(float)
    return hot


def read_symbols(
    fit: Floats, fit_symbols: Sequence[str], test: Floats, test_symbols: Sequence[str]
) -> float:
    """The accuracy of a linear probe for the character, on unseen words."""
    labels = sorted(set(fit_symbols))
    best = ridge(fit, one_hot(fit_symbols, labels), test).argmax(axis=1)
    named = [labels[k] for k in best]
    return float(np.mean([a == b for a, b in zip(named, test_symbols, strict=True)]))


def read_places(fit: Floats, fit_places: Ints, test: Floats, test_places: Ints) -> float:
    """R² of a linear probe for the place in the word, on unseen words.

    1 is perfect, 0 no better than the mean place, negative worse than that.
    """
    predicted = ridge(fit, fit_places[:, None].astype(float), test)[:, 0]
    left = ((test_places - predicted) ** 2).mean()
    return float(1 - left / test_places.var()) if test_places.var() else 0.0


def silhouette(points: Floats, labels: Sequence[str]) -> float:
    """The mean silhouette: how well points form clusters by label, from -1 to 1.

    For a point: (b - a) / max(a, b), with a its mean distance to its own cluster and b that to
    the nearest other one; 0 if it is alone in its cluster (Rousseeuw 1987).

    >>> points = np.array([[0.0], [1], [10], [11]])
    >>> round(silhouette(points, ["a", "a", "b", "b"]), 4)
    0.8997
    """
    names, clusters = np.unique(np.array(labels, object), return_inverse=True)
    squares = (points**2).sum(axis=1)
    apart = np.sqrt(np.maximum(squares[:, None] + squares - 2 * points @ points.T, 0))
    np.fill_diagonal(apart, 0)  # rounding may have made them nonzero
    membership = np.eye(len(names))[clusters]
    sizes = membership.sum(axis=0)
    sums = apart @ membership  # (N, clusters)
    rows = np.arange(len(points))
    own = sums[rows, clusters] / np.maximum(sizes[clusters] - 1, 1)
    others = sums / sizes
    others[rows, clusters] = np.inf
    nearest = others.min(axis=1)
    larger = np.maximum(own, nearest)
    counted = (sizes[clusters] > 1) & (larger > 0)
    return float(((nearest - own)[counted] / larger[counted]).sum() / len(points))


@dataclass(frozen=True)
class Reading:
    """What can be read from the states of one member.

    symbol: accuracy of a linear probe for the character. place, from_end: R² of a probe for the
    place counted from the start and from the end of the word. clusters: silhouette by character.
    drawn_clusters, drawn_place: silhouette, and R² of a linear fit, in the plotted plane.
    """

    symbol: float
    place: float
    from_end: float
    clusters: float
    drawn_clusters: float
    drawn_place: float


def read(member: Inflector, samples: Samples) -> Reading:
    fit, test, drawn = samples.fit, samples.test, samples.drawn
    fit_states, test_states, drawn_states = (states(member, part) for part in (fit, test, drawn))
    plane = project(drawn_states)
    return Reading(
        symbol=read_symbols(fit_states, fit.symbols, test_states, test.symbols),
        place=read_places(fit_states, fit.places, test_states, test.places),
        from_end=read_places(fit_states, fit.from_end, test_states, test.from_end),
        clusters=silhouette(drawn_states, drawn.symbols),
        drawn_clusters=silhouette(plane, drawn.symbols),
        drawn_place=read_places(plane, drawn.places, plane, drawn.places),
    )


def read_without_context(samples: Samples) -> tuple[float, float]:
    """R² of the place from the start and from the end, predicted from the character alone.

    Typical endings reveal some of the place; only what exceeds this comes from the context.
    """
    fit, test = samples.fit, samples.test
    labels = sorted(set(fit.symbols))
    seen, tested = one_hot(fit.symbols, labels), one_hot(test.symbols, labels)
    return (
        read_places(seen, fit.places, tested, test.places),
        read_places(seen, fit.from_end, tested, test.from_end),
    )
