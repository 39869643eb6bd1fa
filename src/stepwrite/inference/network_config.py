"""What a network is, as far as inference must know: one frozen dataclass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, TypeVar, get_args

from stepwrite.errors import StepwriteError

Cell = Literal["lstm", "peephole"]
Attention = Literal["hard", "soft"]
Direction = Literal["forward", "backward", "alternate"]
T = TypeVar("T")
LARGEST = 10_000  # of any size: what is beyond it is a mistake, or bait to fill the memory


@dataclass(frozen=True)
class NetworkConfig:
    """Attention, cell and sizes of a network; the defaults are the paper's for CELEX.

    direction: words are read and written from their start, or from their end, or members take
    turns: the first from the start, the second from the end, ...
    """

    cell: Cell = "lstm"
    layers: int = 2
    hidden: int = 100
    embedding: int = 100
    feature_embedding: int = 20
    attention: Attention = "hard"
    direction: Direction = "forward"

    def __post_init__(self) -> None:
        choices = {"cell": Cell, "attention": Attention, "direction": Direction}
        for name, kind in choices.items():
            known = get_args(kind)
            if getattr(self, name) not in known:
                raise StepwriteError(
                    f"unknown {name} {getattr(self, name)!r}: use {' or '.join(known)}"
                )
        for name in ("layers", "hidden", "embedding", "feature_embedding"):
            value = getattr(self, name)
            if type(value) is not int or not 1 <= value <= LARGEST:  # True is an int, too
                raise StepwriteError(f"{name} is {value!r}, expected a number up to {LARGEST}")

    def of_member(self, number: int) -> NetworkConfig:
        """One member's configuration, whose direction is a single one; numbers begin at 1.

        >>> NetworkConfig(direction="alternate").of_member(2).direction
        'backward'
        """
        if self.direction != "alternate":
            return self
        return replace(self, direction="forward" if number % 2 else "backward")

    def turn(self, symbols: Sequence[T]) -> tuple[T, ...]:
        """A word's symbols in the order in which a member takes them; and back.

        >>> NetworkConfig(direction="backward").turn("abc")
        ('c', 'b', 'a')
        """
        return tuple(symbols if self.direction == "forward" else reversed(symbols))

    def to_json(self) -> dict[str, Any]:
        """Without the direction where it is the usual one: older readers do not know it."""
        data = asdict(self)
        if self.direction == "forward":
            del data["direction"]
        return data

    @classmethod
    def from_json(cls, data: Any) -> NetworkConfig:
        known = {field.name for field in fields(cls)}
        if not isinstance(data, dict) or {"direction", *data} != known:
            raise StepwriteError(f"network configuration: expected {sorted(known)}, got {data!r}")
        return cls(**data)
