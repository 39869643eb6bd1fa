"""The application: routes, validation and error responses.

It is stateless except for its counters.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response

from stepwrite import __version__
from stepwrite.errors import StepwriteError, shown
from stepwrite.inflector import Inflector, check_text
from stepwrite.service import schema
from stepwrite.service.answers import model_summary, paradigm_answer, prediction_answer
from stepwrite.service.batching import Batcher, Kind
from stepwrite.service.bodies import JSON, BodyLimit, refused
from stepwrite.service.limits import Limits, Refusal
from stepwrite.service.metrics import Measured, Metrics

REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": schema.ErrorAnswer, "description": description}
    for status, description in (
        (400, "Malformed JSON"),
        (404, "Unknown model"),
        (408, "The body arrived too slowly"),
        (413, "The body is too large"),
        (422, "Invalid request"),
        (503, "Too busy"),
        (504, "Timeout"),
    )
}
PAGE = {
    "index.html": "text/html; charset=utf-8",
    "style.css": "text/css; charset=utf-8",
    "app.js": "text/javascript; charset=utf-8",
    "names.js": "text/javascript; charset=utf-8",
    "walk.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "cache-control": "no-cache",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


def create_app(inflectors: dict[str, Inflector], limits: Limits = Limits()) -> FastAPI:
    """The application that serves these models by name."""
    metrics = Metrics()
    batcher = Batcher(inflectors, metrics, waiting=limits.waiting, seconds=limits.seconds)
    summaries = {name: model_summary(name, model) for name, model in inflectors.items()}
    app = FastAPI(
        title="stepwrite",
        version=__version__,
        description="Morphological inflection: lemma + features -> form.",
        docs_url=None,  # these pages load files from other hosts
        redoc_url=None,
    )
    app.add_middleware(BodyLimit, limits=limits, metrics=metrics)
    app.add_middleware(Measured, metrics=metrics)
    _answer_errors(app)
    _serve_page(app)

    def known(model: str) -> Inflector:
        if model not in inflectors:
            names = ", ".join(sorted(inflectors))
            raise Refusal(404, "unknown_model", f"unknown model {shown(model)}: use {names}")
        return inflectors[model]

    @app.post("/v1/inflect", response_model=schema.InflectAnswer, responses=REFUSALS)
    async def inflect(request: schema.InflectRequest) -> Response:
        """Inflect words: the best form or the n best, with explanations on request."""
        inflector = known(request.model)
        _check_words(request, inflector, limits)
        kind = Kind(request.model, request.n_best, attention=request.explain)
        pairs = [(word.lemma, word.features) for word in request.words]
        predictions = await batcher.inflect(kind, pairs)
        return JSON(
            {
                "model": request.model,
                "members": len(inflector.model.members),
                "predictions": [
                    prediction_answer(inflector, prediction, explain=request.explain)
                    for prediction in predictions
                ],
            }
        )

    @app.get("/v1/paradigm", response_model=schema.ParadigmAnswer, responses=REFUSALS)
    async def paradigm(
        model: str,
        lemma: Annotated[str, Query(min_length=1)],
        pos: Annotated[str | None, Query(description="Guessed if not given.")] = None,
        feature: Annotated[
            Sequence[str], Query(description="Only cells with this value: `case=DAT`.")
        ] = (),
    ) -> Response:
        """All cells that the training data of the model has for words like this lemma."""
        inflector = known(model)
        _check_lemma(lemma, inflector, limits)
        if inflector.model.cells is None:
            raise Refusal(422, "no_cells", f"the model {model} has no cells")
        fixed = dict(map(_named_value, feature))
        choice = inflector.model.cells.choose(lemma, pos, fixed)
        predictions = await batcher.inflect(Kind(model), [(lemma, f) for f in choice.bundles])
        return JSON({"model": model, **paradigm_answer(lemma, choice, predictions)})

    @app.get("/v1/models", response_model=schema.ModelsAnswer)
    async def models() -> Response:
        """The models and their features."""
        return JSON({"models": list(summaries.values())})

    @app.get("/v1/models/{name}", response_model=schema.ModelAnswer, responses={404: REFUSALS[404]})
    async def model(name: str) -> Response:
        """One model, with all feature bundles of its training data."""
        cells = known(name).model.cells
        return JSON({**summaries[name], "cells": dict(cells.counts) if cells else {}})

    @app.get("/health", response_model=schema.Health)
    async def health() -> Response:
        """A health check."""
        return JSON({"status": "ok"})

    @app.get("/metrics", response_class=PlainTextResponse)
    async def measured() -> Response:
        """Counters and timings in the text format of Prometheus."""
        text = metrics.text(batcher.waiting)
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    return app


def _check_words(request: schema.InflectRequest, inflector: Inflector, limits: Limits) -> None:
    """Reject bad words before batching, so that no request can make another one fail."""
    if len(request.words) > limits.words:
        raise Refusal(422, "too_many_words", f"a request may have at most {limits.words} words")
    if request.n_best > limits.n_best:
        raise Refusal(422, "n_best_too_large", f"n_best may be at most {limits.n_best}")
    for place, word in enumerate(request.words):
        _check_lemma(word.lemma, inflector, limits, f"words[{place}]: ")
        if len(word.features) > limits.features:
            message = f"features may have at most {limits.features} characters"
            raise Refusal(422, "features_too_long", f"words[{place}]: {message}")
        check_text(word.features)
        unknown = inflector.model.vocabulary.slots.unknown(word.features)
        if unknown and request.unknown_features == "refuse":
            message = f"the model has never seen {shown(', '.join(unknown))}"
            raise Refusal(422, "unknown_features", f"words[{place}]: {message}")


def _check_lemma(lemma: str, inflector: Inflector, limits: Limits, where: str = "") -> None:
    check_text(lemma)
    # Do not segment a lemma of millions of characters.
    too_long = len(lemma) > 10 * limits.symbols
    symbols = () if too_long else inflector.model.segmentation.lemma(lemma)
    if too_long or len(symbols) > limits.symbols:
        raise Refusal(422, "word_too_long", f"{where}the limit is {limits.symbols} symbols")
    if not symbols:
        raise Refusal(422, "empty_lemma", f"{where}the lemma is empty: {shown(lemma)}")


def _named_value(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise Refusal(422, "invalid_request", f"feature: {shown(text)} is not name=value")
    return name, value


def _answer_errors(app: FastAPI) -> None:
    """Every error is answered in JSON with a helpful message."""
    not_json = Refusal(400, "invalid_json", "the body is not JSON")

    @app.exception_handler(Refusal)
    async def refuse(request: Request, error: Refusal) -> Response:
        return refused(error)

    @app.exception_handler(StepwriteError)
    async def unusable(request: Request, error: StepwriteError) -> Response:
        return refused(Refusal(422, "invalid_request", str(error)))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        # The input is not repeated: it may be huge, or not representable in JSON.
        problems = error.errors()
        if problems[0]["type"] == "json_invalid":
            return refused(not_json)
        said = (f"{'.'.join(map(str, p['loc'][:8]))}: {p['msg']}" for p in problems[:5])
        return refused(Refusal(422, "invalid_request", shown("; ".join(said), 500)[1:-1]))

    @app.exception_handler(HTTPException)
    async def other(request: Request, error: HTTPException) -> Response:
        if error.status_code == 400:  # nested too deeply, numbers too long, not UTF-8
            return refused(not_json)
        codes = {404: "not_found", 405: "method_not_allowed"}
        code = codes.get(error.status_code, "invalid_request")
        response = refused(Refusal(error.status_code, code, str(error.detail)))
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> Response:
        return refused(Refusal(500, "internal_error", "an internal error; it is logged"))


def _serve_page(app: FastAPI) -> None:
    """Serve the files of the page, read once; no path from a request is ever opened."""
    folder = files("stepwrite.service") / "page"
    content = {name: (folder / name).read_bytes() for name in PAGE}

    def response(name: str) -> Response:
        return Response(content[name], headers=HEADERS | {"content-type": PAGE[name]})

    @app.get("/", include_in_schema=False)
    async def index() -> Response:
        return response("index.html")

    @app.get("/page/{name}", include_in_schema=False)
    async def page(name: str) -> Response:
        if name not in content:
            raise HTTPException(404)
        return response(name)
