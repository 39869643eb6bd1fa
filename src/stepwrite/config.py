"""What a network is, as far as inference must know: one frozen dataclass."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from stepwrite.errors import StepwriteError

Cell = Literal["lstm", "peephole"]
LARGEST = 10_000  # of any size: what is beyond it is a mistake, or bait to fill the memory


@dataclass(frozen=True)
class NetworkConfig:
    """Sizes and cell of a hard-attention network; the defaults are the paper's for CELEX."""

    cell: Cell = "lstm"
    layers: int = 2
    hidden: int = 100
    embedding: int = 100
    feature_embedding: int = 20

    def __post_init__(self) -> None:
        if self.cell not in get_args(Cell):
            raise StepwriteError(f"unknown cell {self.cell!r}: use {' or '.join(get_args(Cell))}")
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
