"""What a model says about itself: its data, how it was trained, how good it is.

It is the part `about` of `config.json`. Nothing in it changes what the model does; what has a
wrong type is refused when the model is loaded, so that whoever reads it need not check.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self, cast

from stepwrite.errors import StepwriteError


class _Entry:
    """A dataclass of strings and numbers, each in JSON as it is here."""

    @classmethod
    def from_json(cls, data: object, where: str) -> Self:
        """What JSON says of it; keys that nobody knows are left out."""
        types = cls.__annotations__
        if not isinstance(data, dict) or not types.keys() <= data.keys():
            raise StepwriteError(f"{where}: expected {', '.join(types)}, got {data!r:.100}")
        for name, kind in types.items():
            if not _fits(data[name], kind):
                raise StepwriteError(f"{where}: {name} is {data[name]!r:.60}")
        return cls(**{name: data[name] for name in types})


@dataclass(frozen=True)
class DataFile(_Entry):
    """The examples that a model was trained on or chosen by; sha256: the start of their hash."""

    file: str
    rows: int
    sha256: str


@dataclass(frozen=True)
class Member(_Entry):
    """How the training of one member went; dev_accuracy: None where there was no dev set."""

    seed: int
    epochs: int
    best_epoch: int
    dev_accuracy: float | None
    seconds: float


@dataclass(frozen=True)
class Measured(_Entry):
    """Exact match on a data set, with weights as they ship and as they were trained."""

    rows: int
    accuracy: float
    in_single_precision: float


@dataclass(frozen=True)
class Common(_Entry):
    """Exact match on all cells of a language's most frequent lemmas, with and without the lexicon.

    rows: of the cells that the network was measured on.
    """

    lemmas: int
    rows: int
    accuracy: float
    without_lexicon: float


@dataclass(frozen=True)
class Shipped:
    """What else a model says that comes with the package.

    iso: the language by ISO 639-3. pos: its parts of speech. features: values by slot.
    common: None where it is not known which words are common.
    names: others of the language, besides its title.
    """

    iso: str
    title: str
    pos: tuple[str, ...]
    features: Mapping[str, tuple[str, ...]]
    source: str
    licence: str
    dev: Measured
    test: Measured
    common: Common | None = None
    names: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, data: object) -> Shipped:
        match data:
            case {
                "iso": str(iso),
                "title": str(title),
                "pos": list(pos),
                "features": dict(features),
                "source": str(source),
                "licence": str(licence),
                "dev": dev,
                "test": test,
                **newer,
            } if _are_texts(pos, names := newer.get("names", []), *features.values()):
                common = newer.get("common")
                return cls(
                    iso=iso,
                    title=title,
                    pos=tuple(pos),
                    features={slot: tuple(values) for slot, values in features.items()},
                    source=source,
                    licence=licence,
                    dev=Measured.from_json(dev, "about shipped dev"),
                    test=Measured.from_json(test, "about shipped test"),
                    common=Common.from_json(common, "about shipped common") if common else None,
                    names=tuple(cast(list[str], names)),
                )
        names = ", ".join(entry.name for entry in fields(cls))
        raise StepwriteError(f"about shipped: expected {names}, got {data!r:.100}")


@dataclass(frozen=True)
class About:
    """All that a model says; parts that it leaves out are empty.

    data: `train`, and `dev` where there was one.
    training: the settings, as `TrainingConfig.from_json` reads them; other_training: those of
    the last members where they are of other kinds.
    vote_dev_accuracy: exact match of the members' vote on dev.
    rules_dev_accuracy: that of the rule baseline, learnt from the same training examples; None
    where it was not measured.
    """

    data: Mapping[str, DataFile] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    members: tuple[Member, ...] = ()
    vote_dev_accuracy: float | None = None
    rules_dev_accuracy: float | None = None
    shipped: Shipped | None = None
    other_training: tuple[Mapping[str, Any], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain data for `config.json`; newer parts only where there is something to say."""
        data = asdict(self)
        for name in ("rules_dev_accuracy", "shipped", "other_training"):
            if not data[name] and data[name] != 0:
                del data[name]
        for name in ("common", "names") if self.shipped else ():
            if not data["shipped"][name]:
                del data["shipped"][name]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> About:
        files, training = data.get("data", {}), data.get("training", {})
        members, others = data.get("members", []), data.get("other_training", [])
        vote, rules = data.get("vote_dev_accuracy"), data.get("rules_dev_accuracy")
        expected: list[tuple[str, object, str]] = [
            ("data", files, "dict"),
            ("training", training, "dict"),
            ("members", members, "list"),
            ("other_training", others, "list"),
            ("vote_dev_accuracy", vote, "float | None"),
            ("rules_dev_accuracy", rules, "float | None"),
        ]
        if isinstance(training, dict):
            expected += [
                (f"training {name}", training[name], kind)
                for name, kind in (("preset", "str"), ("epochs", "int"))
                if name in training
            ]
        for name, value, kind in expected:
            if not _fits(value, kind):
                raise StepwriteError(f"about {name} is {value!r:.60}")
        shipped = data.get("shipped")
        return cls(
            data={
                name: DataFile.from_json(entry, f"about data {name}")
                for name, entry in files.items()
            },
            training=training,
            members=tuple(
                Member.from_json(entry, f"about member {number}")
                for number, entry in enumerate(members, 1)
            ),
            vote_dev_accuracy=vote,
            rules_dev_accuracy=rules,
            other_training=tuple(others),
            shipped=None if shipped is None else Shipped.from_json(shipped),
        )


def _fits(value: object, annotation: str) -> bool:
    """Whether a value from JSON has a type, where whole numbers are floats, too.

    >>> _fits(1, "float | None"), _fits(None, "float | None"), _fits(True, "int")
    (True, True, False)
    >>> _fits(1e999, "float"), _fits(10**400, "float")  # JSON has larger numbers than floats
    (False, False)
    """
    if isinstance(value, int | float) and not abs(value) < sys.float_info.max:
        return False
    kinds = annotation.split(" | ")
    name = "None" if value is None else type(value).__name__
    return name in kinds or (name == "int" and "float" in kinds)


def _are_texts(*lists: object) -> bool:
    return all(isinstance(x, list) and all(isinstance(text, str) for text in x) for x in lists)
