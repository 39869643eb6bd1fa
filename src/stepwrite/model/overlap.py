"""Whether a model is scored on rows that it was made from."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import normalize

from stepwrite.data.examples import Example
from stepwrite.model.directory import Model, data_checksum

MADE_FROM = {"train": "the model was trained on them", "dev": "its best epoch was chosen on them"}


def overlap(model: Model, rows: Sequence[Example]) -> str:
    """What is known of the rows' part in training; empty if nothing is.

    The lexicon knows single rows, the fingerprints of the data only whole files.
    """
    for part, meaning in MADE_FROM.items():
        known = model.about.data.get(part)
        if known and known.sha256 == data_checksum(rows):
            return f"these are the rows of {known.file}: {meaning}"
    if model.lexicon is None:
        return ""
    attested = sum(
        normalize("NFC", row.form) in model.lexicon.forms(row.lemma, row.features) for row in rows
    )
    if not attested:
        return ""
    return (
        f"{attested} of {len(rows)} rows are in the model's lexicon, so it may have been trained "
        "on them: other words can be harder"
    )
