"""How a network is trained: one frozen dataclass, and the two presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal, get_args

from stepwrite.errors import StepwriteError
from stepwrite.evaluation.fallback import MOST_EXAMPLES
from stepwrite.inference.network_config import DEFAULT_KIND, NetworkConfig
from stepwrite.kinds import kind_of

Optimiser = Literal["adam", "adadelta"]
Copying = Literal["never", "unknown", "always"]
Precision = Literal["single", "bfloat16"]
LEFT_OPEN = ("precision", "harmony")  # by presets, to the processor and to the training words
RATES: Mapping[str, float] = {"adam": 0.002, "adadelta": 1.0}


@dataclass(frozen=True)
class TrainingConfig:
    """Everything that decides what training does to given data.

    With a seed, and with the same libraries on processors of one kind, to the last bit.

    rate: the optimiser's; Adam's falls linearly to zero over the epochs.
    clip: the length that longer gradients are cut to; 0 leaves them as they are.
    dropout: on embeddings, encoder states, features and decoder states.
    smoothing: of the targets (label smoothing).
    masking: the share of lemma symbols that are shown as unknown.
    hallucination: the share of examples that get new stems (`training.hallucination`).
    harmony: let hallucinated stems keep their vowels, for languages with vowel harmony. None, in
    the presets, is decided when a plan is written: by the training words (`training.harmony`).
    exploration: for kinds with roll-ins, how often the network takes its own action in them.
    splicing: the share of examples that get another one's beginning (`training.splicing`).
    average: decay of a moving average of the weights that is what is evaluated and kept;
    0 for none.
    copy: which symbols are written by the action copy while they are attended: none, those
    that are shown as unknown, or all.
    patience: number of epochs without a better dev accuracy after which training stops; 0: never.
    rules: let rules answer where the network is unsure, if they help (`evaluation.fallback`).
    precision: of large products. None, in the presets, is decided when a plan is written: what
    the processor is fastest with. In models that are older than the setting it is not known.
    """

    preset: str
    network: NetworkConfig = field(default_factory=NetworkConfig)
    optimiser: Optimiser = "adam"
    rate: float = RATES["adam"]
    clip: float = 0.0
    batch: int = 16
    epochs: int = 30
    dropout: float = 0.3
    smoothing: float = 0.0
    masking: float = 0.02
    splicing: float = 0.0
    hallucination: float = 0.0
    harmony: bool | None = None
    exploration: float = 0.0
    average: float = 0.0
    copy: Copying = "unknown"
    patience: int = 0
    rules: bool = False
    precision: Precision | None = None

    def __post_init__(self) -> None:
        for name, kind in (("optimiser", Optimiser), ("copy", Copying)):
            if (value := getattr(self, name)) not in (known := get_args(kind)):
                raise StepwriteError(f"unknown {name} {value!r}: use {' or '.join(known)}")
        shares = ("dropout", "smoothing", "masking", "splicing", "hallucination", "average")
        for name in shares:
            if not 0 <= getattr(self, name) < 1:
                raise StepwriteError(f"{name} is {getattr(self, name)}, expected 0 <= {name} < 1")
        if not 0 <= self.exploration <= 1:
            raise StepwriteError(f"exploration is {self.exploration}, expected 0 to 1")
        if self.batch < 1 or self.epochs < 1 or self.rate <= 0:
            raise StepwriteError("batch, epochs and rate must be positive")
        if self.clip < 0 or self.patience < 0:
            raise StepwriteError("clip and patience must not be negative")
        if self.precision not in (None, *get_args(Precision)):
            raise StepwriteError(f"precision is {self.precision}, expected single or bfloat16")
        if self.masking and self.copy == "never":
            raise StepwriteError("masking needs the action copy: unknown symbols can't be written")
        if self.copy not in (known := kind_of(self.network.kind).copying):
            raise StepwriteError(
                f"copy is {self.copy}: models of kind {self.network.kind} can be trained with "
                f"{' or '.join(known)}"
            )

    def ends_after(self, n_epochs: int, best_epoch: int) -> bool:
        """Whether a member is done after `n_epochs`; `best_epoch` is 0 where none is known."""
        waited = n_epochs - best_epoch if best_epoch else 0
        return n_epochs >= self.epochs or 0 < self.patience <= waited

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def settings(self) -> dict[str, Any]:
        """All settings by name, the network's among them."""
        plain = self.to_json()
        return {**plain.pop("network"), **plain}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TrainingConfig:
        unknown = set(data) - {field.name for field in fields(cls)}
        if unknown:
            raise StepwriteError(f"training configuration: unknown {sorted(unknown)}")
        return cls(**{**data, "network": NetworkConfig.from_json(data["network"])})


def preset(name: str, n_examples: int, **changes: Any) -> TrainingConfig:
    """A preset fitted to the size of the training set, with the user's changes."""
    presets = {"default": default, "paper": paper}
    if name not in presets:
        raise StepwriteError(f"unknown preset {name!r}: use {' or '.join(presets)}")
    configuration = presets[name](n_examples)
    kind = kind_of(changes.get("kind", DEFAULT_KIND))
    changes = {**kind.settings(name, n_examples), **changes}
    if changes.get("optimiser") in RATES:
        changes.setdefault("rate", RATES[changes["optimiser"]])
    if changes.get("copy") == "never":
        changes.setdefault("masking", 0.0)  # what is masked could not be written
    of_network = {field.name for field in fields(NetworkConfig)} & set(changes)
    network = replace(configuration.network, **{key: changes.pop(key) for key in of_network})
    return replace(configuration, network=network, **changes)


def paper(n_examples: int) -> TrainingConfig:
    """The supplement's settings to the letter.

    It gives 100-entry character embeddings to CELEX (2,000 examples) and 300-entry ones to
    the others (6,000 and more): we draw the line between them.
    """
    return TrainingConfig(
        preset="paper",
        network=NetworkConfig(
            cell="peephole",
            layers=2,
            hidden=100,
            embedding=100 if n_examples <= 4_000 else 300,
            feature_embedding=20,
        ),
        optimiser="adadelta",
        rate=RATES["adadelta"],
        batch=1,
        epochs=100 if n_examples <= 50_000 else 20 if n_examples <= 200_000 else 5,
        dropout=0.0,
        masking=0.0,
        copy="never",
    )


def default(n_examples: int) -> TrainingConfig:
    """The best accuracy for the time, as chosen on dev sets (docs/training.md).

    Small sets are seen more often and need more dropout; the largest are seen eight times.
    """
    often = max(50, min(200, 100_000 // max(1, n_examples)))
    return TrainingConfig(
        preset="default",
        network=NetworkConfig(layers=1, hidden=200, embedding=100, feature_embedding=20),
        epochs=max(8, min(often, 300_000 // max(1, n_examples))),
        dropout=0.4 if n_examples < 4_000 else 0.3,
        average=0.999,
        rules=n_examples <= MOST_EXAMPLES,
    )
