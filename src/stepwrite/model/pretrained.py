"""The models that come with the package, and how a model is found by its name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from stepwrite.errors import shown
from stepwrite.model.directory import CONFIG, TRAINING, ModelError, read_about
from stepwrite.terminal import columns_of, html_table

MODELS = Path(__file__).parents[1] / "pretrained"


@dataclass(frozen=True)
class ShippedModel:
    """What a model that ships says of itself, as `scripts/build_models.py` measured it.

    iso: the language by ISO 639-3. pos: its parts of speech. features: values by slot.
    accuracy: exact match on the test set, between 0 and 1. size: bytes of its directory.
    """

    name: str
    iso: str
    title: str
    pos: tuple[str, ...]
    features: dict[str, tuple[str, ...]]
    accuracy: float
    n_test: int
    size: int
    source: str
    licence: str
    path: Path


class ShippedModels(tuple[ShippedModel, ...]):
    """What ships; it prints as a table."""

    def __str__(self) -> str:
        return "\n".join(columns_of(self._texts()))

    __repr__ = __str__  # so that an interpreter shows the table

    def _repr_html_(self) -> str:
        """For notebooks."""
        return html_table("", self._texts())

    def _texts(self) -> list[list[str]]:
        headings = ["name", "code", "parts of speech", "values", "test", "MB", "licence", "source"]
        return [
            headings,
            *(
                [
                    model.name,
                    model.iso,
                    " ".join(model.pos),
                    str(sum(map(len, model.features.values()))),
                    f"{100 * model.accuracy:.2f} %",
                    f"{model.size / 1e6:.2f}",
                    model.licence,
                    model.source,
                ]
                for model in self
            ),
        ]


def available() -> ShippedModels:
    """The models in the package, by name; only what is said of them is read, no weights."""
    folders = sorted(path.parent for path in MODELS.glob(f"*/{CONFIG}"))
    return ShippedModels(map(_describe, folders))


def _describe(folder: Path) -> ShippedModel:
    about = read_about(folder).shipped
    if about is None:
        raise ModelError(f"{folder}: does not say which language it is for")
    return ShippedModel(
        name=folder.name,
        iso=about.iso,
        title=about.title,
        pos=about.pos,
        features=dict(about.features),
        accuracy=about.test.accuracy,
        n_test=about.test.rows,
        size=sum(path.stat().st_size for path in folder.iterdir()),
        source=about.source,
        licence=about.licence,
        path=folder,
    )


def locate(model: str | Path) -> Path:
    """The directory of a model, given by its path, its name or its language.

    A language is an ISO 639-1 or 639-3 code or an English name. What exists as a path is a path,
    but a folder that holds no model does not hide a model that ships. Of several models of a
    language the one is taken whose name comes first: the general one, `german` before
    `german-nouns`.
    """
    path, name = Path(model), str(model)
    shipped_path = MODELS / name
    try:
        ships = path.name == name and (shipped_path / CONFIG).exists()
        is_model = (path / CONFIG).exists() or (path / TRAINING).exists()
        hides = path.exists() and not ships
    except OSError as error:  # a name that is too long, say
        raise ModelError(f"{shown(name)}: can't be read: {error.strerror}") from None
    if is_model or path.name != name or hides:
        return path
    if ships:
        return shipped_path
    from stepwrite.model.languages import language_code

    models = available()
    code = language_code(name) or name
    for shipped in models:
        if shipped.iso == code:
            return shipped.path
    names = ", ".join(f"{shipped.name} ({shipped.iso})" for shipped in models) or "none"
    raise ModelError(f"{shown(name)}: no such model directory; models that ship: {names}")
