"""What the models say, as the plain data of the service's answers."""

from __future__ import annotations

from math import exp
from typing import Any

from stepwrite.inflector import Inflector, Prediction
from stepwrite.morphology.cells import Cells, Choice, head_pos, values_of
from stepwrite.morphology.paradigms import Cell, Paradigm, Row
from stepwrite.transducer.actions import Action, Copy, Write


def model_summary(name: str, inflector: Inflector) -> dict[str, Any]:
    """What there is to choose from in a model, and where it comes from."""
    model = inflector.model
    slots, cells = model.vocabulary.slots, model.cells
    shipped = model.about.shipped
    return {
        "name": name,
        "title": shipped.title if shipped else name,
        "language": shipped and shipped.iso,
        "members": len(model.members),
        "attention": model.network.kind,
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


def prediction_answer(
    inflector: Inflector, prediction: Prediction, *, explain: bool
) -> dict[str, Any]:
    """A prediction, with what this request should know of its features."""
    unknown = inflector.model.vocabulary.slots.unknown(prediction.features)
    return {
        "lemma": prediction.lemma,
        "features": prediction.features,
        **_judged(prediction),
        "alternatives": [
            {"form": other.form, "probability": exp(other.score)}
            for other in prediction.alternatives
        ],
        "warnings": [f"the model has never seen {feature}: it is ignored" for feature in unknown],
        "explanation": _explanation(inflector, prediction) if explain else None,
    }


def _judged(found: Prediction | Cell) -> dict[str, Any]:
    return {
        "form": found.form,
        "score": found.score,
        "probability": exp(found.score),
        "votes": found.votes,
        "attested": found.attested,
    }


def _explanation(inflector: Inflector, prediction: Prediction) -> dict[str, Any]:
    symbols = ["", *inflector.model.segmentation.lemma(prediction.lemma), ""]
    rows = prediction.attention or [None] * len(prediction.actions)
    return {
        "symbols": symbols,
        "direction": prediction.direction,
        "steps": [
            {
                "action": type(action).__name__.lower(),
                "position": position,
                "symbol": _written(action, symbols[position]),
                "attention": None if row is None else [round(weight, 4) for weight in row],
            }
            for action, position, row in zip(
                prediction.actions, prediction.positions, rows, strict=True
            )
        ],
    }


def _written(action: Action, attended: str) -> str | None:
    match action:
        case Write(symbol):
            return symbol
        case Copy():
            return attended
    return None


def paradigm_answer(lemma: str, choice: Choice, predictions: list[Prediction]) -> dict[str, Any]:
    """The cells, and the table that they make."""
    cells = tuple(Cell(p.features, p.form, p.score, p.votes, p.attested) for p in predictions)
    table = Paradigm(lemma, choice.pos, choice.values, choice.guessed, cells).layout()
    values = values_of(choice.bundles)
    places = {cell.features: place for place, cell in enumerate(cells)}

    def row_answer(row: Row) -> dict[str, Any]:
        found = [cell and places[cell.features] for cell in row.cells]
        return {"values": list(row.values), "cells": found}

    return {
        "lemma": lemma,
        "pos": choice.pos,
        "values": dict(choice.values),
        "guessed": list(choice.guessed),
        "cells": [
            {"features": cell.features, "values": values[cell.features], **_judged(cell)}
            for cell in cells
        ],
        "table": {
            "slots": list(table.slots),
            "column_slot": table.column_slot,
            "columns": list(table.columns),
            "rows": [row_answer(row) for row in table.rows],
        },
    }
