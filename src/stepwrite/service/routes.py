"""The routes of the service, and their description in OpenAPI."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from stepwrite import __version__
from stepwrite.service import schema

REFUSALS = {
    400: "Malformed request or JSON",
    404: "Unknown model",
    408: "The body arrived too slowly",
    413: "The body is too large",
    415: "The body is not declared as JSON",
    421: "Unknown Host",
    422: "Invalid request",
    500: "Internal error",
    503: "Too busy",
    504: "Timeout",
}
OTHER = "other"  # the route of requests that have none


@dataclass(frozen=True)
class Parameter:
    """A parameter of the query or of the path."""

    name: str
    description: str
    where: str = "query"
    required: bool = True
    many: bool = False

    def describe(self) -> dict[str, Any]:
        text = {"type": "string", "minLength": 1} if self.required else {"type": "string"}
        return {
            "name": self.name,
            "in": self.where,
            "required": self.required,
            "description": self.description,
            "schema": {"type": "array", "items": text} if self.many else text,
        }


@dataclass(frozen=True)
class Route:
    """One route. A path that ends in `{name}` has one parameter, its last part.

    answer: the schema of the response with status 200; None for what is not JSON, which has a
    media type. refusals: statuses of errors, besides those that any request may get.
    """

    path: str
    summary: str
    method: str = "GET"
    answer: type | None = None
    body: type | None = None
    parameters: tuple[Parameter, ...] = ()
    refusals: tuple[int, ...] = ()
    media_type: str = "text/plain"

    def describe(self) -> dict[str, Any]:
        refused = _json(schema.ErrorAnswer)
        answer = _json(self.answer) if self.answer else {self.media_type: {"schema": {}}}
        responses = {"200": {"description": "Success", "content": answer}} | {
            str(status): {"description": REFUSALS[status], "content": refused}
            for status in sorted({400, 421, 500, 503, *self.refusals})
        }
        if self.answer is schema.Health:
            either = {"anyOf": [_ref(schema.Health), _ref(schema.ErrorAnswer)]}
            responses["503"] = {
                "description": "Stuck, or too busy",
                "content": {"application/json": {"schema": either}},
            }
        described: dict[str, Any] = {"summary": self.summary, "responses": responses}
        if self.parameters:
            described["parameters"] = [parameter.describe() for parameter in self.parameters]
        if self.body:
            described["requestBody"] = {"required": True, "content": _json(self.body)}
        return described


MODEL = Parameter("model", "A name from `/v1/models`.")
ROUTES = (
    Route(
        "/v1/inflect",
        "Inflect words: the best form or the n best, with explanations on request.",
        method="POST",
        answer=schema.InflectAnswer,
        body=schema.InflectRequest,
        refusals=(404, 408, 413, 415, 422, 504),
    ),
    Route(
        "/v1/paradigm",
        "All cells that the training data of the model has for words like this lemma.",
        answer=schema.ParadigmAnswer,
        parameters=(
            MODEL,
            Parameter("lemma", "A word."),
            Parameter("pos", "The part of speech; guessed if not given.", required=False),
            Parameter(
                "feature", "Only cells with this value: `case=DAT`.", required=False, many=True
            ),
        ),
        refusals=(404, 422, 504),
    ),
    Route(
        "/v1/search",
        "The models whose lexicon has a word, and the lemmas that it is a form of in one of them.",
        answer=schema.SearchAnswer,
        parameters=(
            Parameter("word", "A word, in any language."),
            Parameter("model", "The model whose lemmas are wanted.", required=False),
        ),
        refusals=(404, 422),
    ),
    Route("/v1/models", "The models and their features.", answer=schema.ModelsAnswer),
    Route(
        "/v1/models/{name}",
        "One model, with all feature bundles of its training data.",
        answer=schema.ModelAnswer,
        parameters=(Parameter("name", MODEL.description, where="path"),),
        refusals=(404,),
    ),
    Route(
        "/card.png",
        "A picture of a word and its forms or, with features, of how one form is written.",
        parameters=(
            Parameter("model", MODEL.description, required=False),
            Parameter("lemma", "A word.", required=False),
            Parameter("features", "A form, in any notation.", required=False),
        ),
        media_type="image/png",
    ),
    Route("/health", "A health check.", answer=schema.Health),
    Route("/metrics", "Counters and timings in the text format of Prometheus."),
)


def openapi() -> dict[str, Any]:
    """The description of all routes, in OpenAPI 3.1."""
    types = [type for route in ROUTES for type in (route.answer, route.body) if type]
    _, schemas = msgspec.json.schema_components(
        [*types, schema.ErrorAnswer], ref_template="#/components/schemas/{name}"
    )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "stepwrite",
            "version": __version__,
            "description": "Morphological inflection: lemma + features -> form.",
        },
        "paths": {route.path: {route.method.lower(): route.describe()} for route in ROUTES},
        "components": {"schemas": schemas},
    }


def _ref(type: type) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{type.__name__}"}


def _json(type: type) -> dict[str, Any]:
    return {"application/json": {"schema": _ref(type)}}
