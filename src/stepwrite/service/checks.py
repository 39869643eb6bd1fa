"""What a request asks for, checked: limits first, and everything before batching.

So no request can make another one fail, and none costs more than its limits allow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import parse_qsl

import msgspec

from stepwrite.errors import FeatureError, StepwriteError, shown
from stepwrite.inflector import Inflector, Unknown
from stepwrite.morphology.resolution import Resolution
from stepwrite.service.limits import Limits, Refusal
from stepwrite.service.schema import InflectRequest, Word

FIELDS = 100  # in a query

_decoder = msgspec.json.Decoder(InflectRequest)


class Asked(NamedTuple):
    """A request, and what it asks for of each word."""

    request: InflectRequest
    resolutions: list[Resolution]


class ParadigmRequest(NamedTuple):
    model: str
    lemma: str
    pos: str | None
    fixed: dict[str, str]


def inflect_request(body: bytes, inflectors: Mapping[str, Inflector], limits: Limits) -> Asked:
    """The body of `POST /v1/inflect`."""
    try:
        request = _decoder.decode(body)
    except msgspec.ValidationError as error:
        # "Expected `str`, got `int` - at `$.words[0].lemma`"
        problem, _, place = str(error).partition(" - at `$.")
        where = f"{place.rstrip('`')}: " if place else ""
        raise Refusal(422, "invalid_request", where + shown(problem, 200)[1:-1]) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refusal(400, "invalid_json", f"the body is not JSON: {error}") from None
    inflector = known(request.model, inflectors)
    most = min(limits.words, limits.explained) if request.explain else limits.words
    if len(request.words) > most:
        message = f"a request may have at most {most} words" + " with explain" * request.explain
        raise Refusal(422, "too_many_words", message)
    if request.n_best > limits.n_best:
        raise Refusal(422, "n_best_too_large", f"n_best may be at most {limits.n_best}")
    resolutions = []
    for place_of_word, word in enumerate(request.words):
        try:
            check_lemma(word.lemma, inflector, limits)
            resolutions.append(_resolve(word, inflector, limits, request.unknown_features))
        except Refusal as refusal:
            refusal.message = f"words[{place_of_word}]: {refusal.message}"
            raise
    return Asked(request, resolutions)


def paradigm_request(
    query: bytes, inflectors: Mapping[str, Inflector], limits: Limits
) -> ParadigmRequest:
    """The query of `GET /v1/paradigm`."""
    fields = fields_of(query)
    said = dict(fields)
    for name in ("model", "lemma"):
        if not said.get(name):
            raise Refusal(422, "invalid_request", f"{name}: missing in the query")
    inflector = known(said["model"], inflectors)
    check_lemma(said["lemma"], inflector, limits)
    if inflector.model.cells is None:
        raise Refusal(422, "no_cells", f"the model {said['model']} has no cells")
    fixed = {}
    for feature in (value for name, value in fields if name == "feature"):
        slot, equals, value = feature.partition("=")
        if not equals:
            raise Refusal(422, "invalid_request", f"feature: {shown(feature)} is not name=value")
        fixed[slot] = value
    return ParadigmRequest(said["model"], said["lemma"], said.get("pos"), fixed)


class SearchRequest(NamedTuple):
    """A word, and the model in which it may be a form of others."""

    word: str
    inflector: Inflector | None


def search_request(
    query: bytes, inflectors: Mapping[str, Inflector], limits: Limits
) -> SearchRequest:
    """The query of `GET /v1/search`."""
    said = dict(fields_of(query))
    word, model = said.get("word", "").strip(), said.get("model")
    if not word:
        raise Refusal(422, "invalid_request", "word: missing in the query")
    if len(word) > limits.symbols:
        raise Refusal(422, "word_too_long", f"the limit is {limits.symbols} symbols")
    return SearchRequest(word, known(model, inflectors) if model else None)


class CardRequest(NamedTuple):
    """A word, or one of its forms; features as they were resolved."""

    model: str
    lemma: str
    pos: str | None
    features: str | None


def card_request(query: bytes, inflectors: Mapping[str, Inflector], limits: Limits) -> CardRequest:
    """The query of the page and of its card, which are alike."""
    request = paradigm_request(query, inflectors, limits)
    features = dict(fields_of(query)).get("features")
    if features is not None:
        word = Word(request.lemma, features)
        features = _resolve(word, inflectors[request.model], limits, "refuse").features
    return CardRequest(request.model, request.lemma, request.pos, features)


def fields_of(query: bytes) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query.decode("ascii"), keep_blank_values=True, max_num_fields=FIELDS)
    except ValueError:
        message = f"the query is not ASCII, or has more than {FIELDS} fields"
        raise Refusal(422, "invalid_request", message) from None


def known(model: str, inflectors: Mapping[str, Inflector]) -> Inflector:
    if model not in inflectors:
        names = ", ".join(sorted(inflectors))
        raise Refusal(404, "unknown_model", f"unknown model {shown(model)}: use {names}")
    return inflectors[model]


def check_lemma(lemma: str, inflector: Inflector, limits: Limits) -> None:
    # Do not segment a lemma of millions of characters.
    too_long = len(lemma) > 10 * limits.symbols
    symbols = () if too_long else inflector.model.segmentation.lemma(lemma)
    if too_long or len(symbols) > limits.symbols:
        raise Refusal(422, "word_too_long", f"the limit is {limits.symbols} symbols")
    if not symbols:
        raise Refusal(422, "empty_lemma", f"the lemma is empty: {shown(lemma)}")
    try:
        inflector.check_scripts([lemma])
    except StepwriteError as error:
        raise Refusal(422, "unknown_script", _said(error)) from None


def _resolve(word: Word, inflector: Inflector, limits: Limits, unknown: Unknown) -> Resolution:
    """The cell that a word is asked for."""
    if len(word.features) > limits.features:
        message = f"features may have at most {limits.features} characters"
        raise Refusal(422, "features_too_long", message)
    model = inflector.model
    if model.cells is None and unknown == "refuse":  # nothing to resolve the features by
        never_seen = model.vocabulary.slots.unknown(word.features)
        if never_seen:
            message = f"the model has never seen {shown(', '.join(never_seen))}"
            raise Refusal(422, "unknown_features", message)
    try:
        return inflector.resolve(word.lemma, word.features, unknown)
    except FeatureError as error:
        raise Refusal(422, "unknown_features", _said(error)) from None


def _said(error: StepwriteError) -> str:
    return shown(str(error), 500)[1:-1]
