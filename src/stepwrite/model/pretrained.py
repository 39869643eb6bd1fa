"""The models that come with the package or with others, and how a model is found by its name.

Another distribution offers a folder of model directories by an entry point of the group
`stepwrite.models`, as stepwrite-languages does:

    [project.entry-points."stepwrite.models"]
    languages = "stepwrite_languages:MODELS"
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from stepwrite.errors import shown
from stepwrite.model.directory import CONFIG, TRAINING, ModelError, read_about
from stepwrite.terminal import columns_of, html_table

MODELS = Path(__file__).parents[1] / "pretrained"
GROUP = "stepwrite.models"  # of entry points


@dataclass(frozen=True)
class ShippedModel:
    """What a model that ships says of itself, as its build measured it.

    iso: the language by ISO 639-3. pos: its parts of speech. features: values by slot.
    accuracy: exact match on the test set, between 0 and 1. size: bytes of its directory.
    names: of the language in itself, and other names and codes.
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
    names: tuple[str, ...] = ()


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
    """All models that are installed, by name; only what is said of them is read, no weights.

    Of two models of one name that of the package itself is taken.
    """
    folders = {
        path.parent.name: path.parent
        for models in (*reversed(_others()), MODELS)
        for path in models.glob(f"*/{CONFIG}")
    }
    return ShippedModels(_describe(folders[name]) for name in sorted(folders))


def _others() -> list[Path]:
    """The folders of models that other distributions offer."""
    from importlib.metadata import entry_points  # takes a while, and most calls need none of it

    return [Path(point.load()) for point in entry_points(group=GROUP)]


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
        names=about.names,
    )


def locate(model: str | Path) -> Path:
    """The directory of a model, given by its path, its name or its language.

    A language is an ISO 639-1 or 639-3 code or a name, in English or in itself. What exists as a
    path is a path, but a folder that holds no model does not hide a model that is installed. Of
    several models of a language the one is taken whose name comes first: the general one, `german`
    before `german-nouns`.
    """
    path, name = Path(model), str(model)
    is_name = path.name == name
    try:
        is_model = (path / CONFIG).exists() or (path / TRAINING).exists()
    except OSError as error:  # a name that is too long, say
        raise ModelError(f"{shown(name)}: can't be read: {error.strerror}") from None
    if is_model or not is_name:
        return path
    if (MODELS / name / CONFIG).exists():
        return MODELS / name
    from stepwrite.model.languages import close_name, language_code, packages

    models = available()
    code = language_code(name) or name
    wanted = {name.casefold(), code}
    for fits in (
        lambda shipped: shipped.name == name,
        lambda shipped: shipped.iso == code,
        lambda shipped: not wanted.isdisjoint(map(str.casefold, shipped.names)),
    ):
        for shipped in filter(fits, models):
            return shipped.path
    if path.exists():
        return path
    package = packages().get(code)
    if package:
        raise ModelError(
            f"{shown(name)}: no such model directory; the model of this language comes with "
            f"{package}: pip install {package}"
        )
    if near := close_name(name):
        raise ModelError(f"{shown(name)}: no such model directory; did you mean {near}?")
    names = ", ".join(f"{shipped.name} ({shipped.iso})" for shipped in models) or "none"
    raise ModelError(f"{shown(name)}: no such model directory; models that ship: {names}")
