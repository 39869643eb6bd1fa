"""What a network is, as far as inference must know: one frozen dataclass."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from stepwrite.errors import StepwriteError

Cell = Literal["lstm", "peephole"]
Attention = Literal["hard", "soft"]
LARGEST = 10_000  # of any size: what is beyond it is a mistake, or bait to fill the memory


@dataclass(frozen=True)
class NetworkConfig:
    """Attention, cell and sizes of a network; the defaults are the paper's for CELEX."""

    cell: Cell = "lstm"
    layers: int = 2
    hidden: int = 100
    embedding: int = 100
    feature_embedding: int = 20
    attention: Attention = "hard"

    def __post_init__(self) -> None:
        for name, known in (("cell", get_args(Cell)), ("attention", get_args(Attention))):
            if getattr(self, name) not in known:
                raise StepwriteError(
                    f"unknown {name} {getattr(self, name)!r}: use {' or '.join(known)}"
                )
        for name in ("layers", "hidden", "embedding", "feature_embedding"):
            value = getattr(self, name)
            if type(value) is not int or not 1 <= value <= LARGEST:  # True is an int, too
                raise StepwriteError(f"{name} is {value!r}, expected a number up to {LARGEST}")

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Any) -> NetworkConfig:
        known = {field.name for field in fields(cls)}
        if not isinstance(data, dict) or set(data) != known:
            raise StepwriteError(f"network configuration: expected {sorted(known)}, got {data!r}")
        return cls(**data)
