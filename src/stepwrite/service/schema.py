"""Schemas of requests and responses: requests are checked by them, OpenAPI describes them."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct


class Word(Struct, forbid_unknown_fields=True, gc=False):
    lemma: Annotated[str, Meta(min_length=1, examples=["Haus"])]
    features: Annotated[
        str,
        Meta(
            examples=["N;NEUT;DAT;PL", "dative plural", "NOUN|Case=Dat|Number=Plur"],
            description="In any notation; what they leave open is filled in.",
        ),
    ] = ""


class InflectRequest(Struct, forbid_unknown_fields=True):
    model: Annotated[str, Meta(description="A name from `/v1/models`.")]
    words: Annotated[list[Word], Meta(min_length=1)]
    n_best: Annotated[int, Meta(ge=1, description="Number of forms per word, best first.")] = 1
    explain: Annotated[bool, Meta(description="Include the actions and positions.")] = False
    unknown_features: Annotated[
        Literal["refuse", "ignore"],
        Meta(
            description="What to do with features that the model does not know, and cells that "
            "its language does not have."
        ),
    ] = "refuse"


class Alternative(Struct):
    form: str
    score: float
    probability: float


class Step(Struct):
    """position: on the padded lemma. attended: the symbol there, empty at begin and end. symbol:
    what is written, if anything. attention: of a soft model, the weight of each position."""

    action: Annotated[str, Meta(examples=["step", "write", "copy", "end"])]
    position: int
    attended: str
    symbol: str | None
    attention: list[float] | None


class Explanation(Struct):
    """symbols: the padded lemma; its first and last, begin and end, are empty strings.
    direction: whether the steps begin at the start of the word or at its end. by: whether the
    network wrote the form, or it is the lexicon's and the steps are the shortest way to it."""

    by: Literal["network", "lexicon"]
    symbols: list[str]
    direction: Literal["forward", "backward"]
    steps: list[Step]


class Prediction(Struct):
    """features: the cell that was asked for. score: the logarithm of the probability. votes:
    members of the model that chose the form. attested: whether the model's lexicon has the form;
    null where there is none. complete: false where the limit on the number of actions cut the form
    off. notes: what the features left open, and how it was filled in. doubts: what speaks against a
    form that is not attested. direction, actions, positions: how the member with the highest
    probability wrote it; positions are on the padded lemma."""

    lemma: str
    features: str
    form: str
    score: float
    probability: float
    votes: int
    attested: bool | None
    complete: bool
    notes: list[str]
    doubts: list[str]
    direction: Literal["forward", "backward"]
    actions: list[str]
    positions: list[int]
    alternatives: list[Alternative]
    warnings: list[str]
    explanation: Explanation | None


class InflectAnswer(Struct):
    model: str
    members: int
    predictions: list[Prediction]


class Cell(Struct):
    """others: further attested forms. doubts: what speaks against a form that is not attested."""

    features: str
    values: dict[str, str]
    form: str
    score: float
    probability: float
    votes: int
    attested: bool | None
    complete: bool
    others: list[str]
    doubts: list[str]


class Row(Struct):
    values: list[str]
    cells: Annotated[list[int | None], Meta(description="Indices in the list of cells.")]


class Table(Struct):
    """slots: those whose values label the rows. column_slot: the one whose values are columns."""

    slots: list[str]
    column_slot: str | None
    columns: list[str]
    rows: list[Row]


class Label(Struct):
    """A name in English and, where it is known, in the language itself."""

    name: str
    native: str


class Line(Struct):
    label: Label
    cells: Annotated[list[list[int]], Meta(description="By column, indices in the list of cells.")]


class Grid(Struct):
    """A table as grammars print it: tenses by persons, cases by numbers."""

    title: Label
    columns: list[Label]
    rows: list[Line]


class Paradigm(Struct):
    """reading: the part of speech and the values in English. values: lexical features, such as the
    gender of a noun, and those that were given. guessed: which of them, and of "part of speech",
    were guessed. grids: the tables of a grammar, without cells that say the same twice. also:
    further paradigms, where the lexicon has the lemma with other parts of speech or genders."""

    lemma: str
    pos: str
    reading: str
    values: dict[str, str]
    guessed: list[str]
    cells: list[Cell]
    table: Table
    grids: list[Grid]
    also: list[Paradigm]


class ParadigmAnswer(Paradigm, kw_only=True):
    model: str


class Slot(Struct):
    name: str
    values: list[str]


class ModelSummary(Struct):
    """names: others of the language. lexicon: whether the model has a lexicon of attested forms.
    accuracy: exact match on its test set, if measured. lexical: by part of speech, the lexical
    slots, which can be guessed, with their values."""

    name: str
    title: str
    names: list[str]
    language: str | None
    members: int
    attention: str
    notation: Literal["key-value", "unimorph"]
    parts_of_speech: list[str]
    slots: list[Slot]
    lexical: dict[str, dict[str, list[str]]]
    lexicon: bool
    accuracy: float | None
    source: str | None
    licence: str | None


class ModelAnswer(ModelSummary):
    """cells: the feature bundles of the training data with their counts; empty if the model has
    none."""

    cells: dict[str, int]


class ModelsAnswer(Struct):
    """names: what the tags of the models are called in English."""

    models: list[ModelSummary]
    names: dict[str, str]


class Found(Struct):
    """A model whose lexicon has a word. readings: its parts of speech."""

    model: str
    title: str
    lemma: str
    readings: list[str]


class FormOf(Struct):
    """A lemma that a word is a form of, and the cells that it fills."""

    lemma: str
    features: list[str]


class SearchAnswer(Struct):
    """forms_of: in the model that was named."""

    words: list[Found]
    forms_of: list[FormOf]


class Health(Struct):
    """status: "stuck" if a batch has been running for longer than any response may take."""

    status: Literal["ok", "stuck"]


class Problem(Struct):
    code: str
    message: str


class ErrorAnswer(Struct):
    error: Problem
