"""The forms that a model was trained on, found again."""

from __future__ import annotations

from pathlib import Path

from stepwrite.data.examples import Example
from stepwrite.data.reading import open_file
from stepwrite.errors import DataError, StepwriteError
from stepwrite.model.directory import Model, data_checksum


def collected(model: Model, data: str | Path | None = None) -> list[Example]:
    """The training rows of a model.

    data: the file to read them from. By default it is the one that training read, if it is still
    there and still the same; or else the model's lexicon.
    """
    if data is not None:
        return list(open_file(data, needs_form=True))
    trained = model.about.data.get("train")
    if trained is not None and trained.file not in ("", "-") and Path(trained.file).is_file():
        try:
            rows = list(open_file(trained.file, needs_form=True))
        except DataError:
            rows = []  # with other options, it could be read
        if data_checksum(rows) == trained.sha256:
            return rows
    if model.lexicon is not None:
        return [
            Example(lemma, features, form)
            for lemma in model.lexicon.lemmas
            for features, form in model.lexicon.rows(lemma)
        ]
    known = f" ({trained.file})" if trained and trained.file else ""
    raise StepwriteError(
        f"the data that the model was trained on{known} can't be found or has changed: "
        "give it with --data FILE"
    )
