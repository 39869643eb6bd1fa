"""What the models say, as the plain data of the service's answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

import msgspec

from stepwrite.inflector import Inflector, paradigm_of
from stepwrite.morphology.cells import Cells, Choice, head_pos, values_of
from stepwrite.morphology.paradigms import Paradigm
from stepwrite.morphology.terms import Terms
from stepwrite.morphology.textbook import grids
from stepwrite.prediction import Prediction
from stepwrite.service.checks import Asked


def model_summary(name: str, inflector: Inflector) -> dict[str, Any]:
    """What there is to choose from in a model, and where it comes from."""
    model = inflector.model
    slots, cells = model.vocabulary.slots, model.cells
    shipped = model.about.shipped
    return {
        "name": name,
        "title": title_of(name, inflector),
        "names": list(shipped.names) if shipped else [],
        "language": shipped and shipped.iso,
        "members": len(model.members),
        "attention": ", ".join(model.kinds),
        "notation": slots.style,
        "parts_of_speech": list(cells.parts_of_speech) if cells else [],
        "slots": [
            {"name": str(slot), "values": list(values)}
            for slot, values in zip(slots.slots, slots.values, strict=True)
        ],
        "lexical": _lexical(cells) if cells else {},
        "lexicon": model.lexicon is not None,
        "accuracy": shipped and shipped.test.accuracy,
        "source": shipped and shipped.source,
        "licence": shipped and shipped.licence,
    }


def _lexical(cells: Cells) -> dict[str, dict[str, list[str]]]:
    """By part of speech and slot, the values that belong to words."""
    values = values_of(cells.counts)
    return {
        pos: {
            slot: sorted(
                {values[f][slot] for f in values if head_pos(f) == pos and slot in values[f]}
            )
            for slot in slots
        }
        for pos, slots in cells.lexical.items()
    }


def inflect_answer(inflector: Inflector, asked: Asked, predictions: Sequence[Prediction]) -> bytes:
    """The body of the response, word by word: the encoder does not let go of a large one."""
    request = asked.request
    words = [
        msgspec.json.encode(
            prediction_answer(inflector, prediction, resolution.notes, explain=request.explain)
        )
        for prediction, resolution in zip(predictions, asked.resolutions, strict=True)
    ]
    return b'{"model":%s,"members":%d,"predictions":[%s]}' % (
        msgspec.json.encode(request.model),
        len(inflector.model.members),
        b",".join(words),
    )


def prediction_answer(
    inflector: Inflector, prediction: Prediction, notes: Sequence[str], *, explain: bool
) -> dict[str, Any]:
    """A prediction, with what this request should know of its features and its form.

    notes: how its features were filled in; the prediction is that of the resulting cell.
    """
    _check_score(prediction)
    warnings = []
    if prediction.alternatives or prediction.by != "lexicon":  # else no network was asked
        unknown = inflector.model.vocabulary.slots.unknown(prediction.features)
        warnings = [f"the model has never seen {feature}: it is ignored" for feature in unknown]
    if not prediction.complete:
        warnings.append("the form was cut off at the limit of actions")
    plain = prediction.to_json(explain=explain)
    plain["notes"], plain["warnings"] = list(notes), warnings
    plain.setdefault("explanation", None)
    return plain


def paradigm_answer(
    inflector: Inflector, lemma: str, choices: Sequence[Choice], predictions: Sequence[Prediction]
) -> dict[str, Any]:
    """The cells, and the tables that they make; other paradigms of the lemma beside it."""
    for prediction in predictions:
        _check_score(prediction)
    paradigm = paradigm_of(lemma, choices, iter(predictions))
    return _with_grids(paradigm, language_of(inflector))


def _with_grids(paradigm: Paradigm, language: str | None) -> dict[str, Any]:
    terms = Terms.of(language)
    named = [paradigm.pos, *(value for value in paradigm.values.values() if value)]
    return {
        **paradigm.to_json(),
        "reading": ", ".join(terms.label((tag,)).name for tag in named if tag),
        "grids": [grid.to_json() for grid in grids(paradigm, language)],
        "also": [_with_grids(other, language) for other in paradigm.also],
    }


def language_of(inflector: Inflector) -> str | None:
    """The ISO 639-3 code of a model that ships."""
    shipped = inflector.model.about.shipped
    return shipped.iso if shipped else None


def title_of(name: str, inflector: Inflector) -> str:
    shipped = inflector.model.about.shipped
    return shipped.title if shipped else name


def tag_names(inflectors: Iterable[Inflector]) -> dict[str, str]:
    """English names of all tags of the models."""
    terms = Terms.of(None)
    tags = {
        tag
        for inflector in inflectors
        for values in inflector.model.vocabulary.slots.values
        for tag in values
    }
    return {tag: terms.label((tag,)).name for tag in sorted(tags)}


def _check_score(prediction: Prediction) -> None:
    """JSON has no number for NaN or infinity, and no form was chosen for a good reason then."""
    scores = [prediction.score, *[other.score for other in prediction.alternatives]]
    if not all(map(isfinite, scores)):
        raise ValueError(f"no finite score: broken weights? {prediction!r:.500}")
