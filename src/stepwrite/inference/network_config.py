"""What a network is, as far as inference must know: one frozen dataclass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, TypeVar, get_args

from stepwrite.errors import StepwriteError

Cell = Literal["lstm", "peephole"]
Direction = Literal["forward", "backward", "alternate"]
T = TypeVar("T")
DEFAULT_KIND = "hard"
LARGEST = 10_000  # of any size: what is beyond it is a mistake, or bait to fill the memory


@dataclass(frozen=True)
class NetworkConfig:
    """Kind, cell and sizes of a network; the defaults are the paper's for CELEX.

    kind: the name of its model kind (`stepwrite.kinds`).
    direction: whether words are processed left to right or right to left; "alternate" alternates
    between members, the first left to right, the second right to left, ...
    """

    cell: Cell = "lstm"
    layers: int = 2
    hidden: int = 100
    embedding: int = 100
    feature_embedding: int = 20
    kind: str = DEFAULT_KIND
    direction: Direction = "forward"

    def __post_init__(self) -> None:
        choices = {"cell": Cell, "direction": Direction}
        for name, kind in choices.items():
            known = get_args(kind)
            if getattr(self, name) not in known:
                raise StepwriteError(
                    f"unknown {name} {getattr(self, name)!r:.60}: use {' or '.join(known)}"
                )
        if not isinstance(self.kind, str) or not self.kind:
            raise StepwriteError(f"kind is {self.kind!r:.60}, expected the name of a model kind")
        for name in ("layers", "hidden", "embedding", "feature_embedding"):
            value = getattr(self, name)
            if type(value) is not int or not 1 <= value <= LARGEST:  # True is an int, too
                raise StepwriteError(f"{name} is {value!r:.60}, expected a number up to {LARGEST}")

    def of_member(self, number: int) -> NetworkConfig:
        """One member's configuration, whose direction is a single one; numbers begin at 1.

        >>> NetworkConfig(direction="alternate").of_member(2).direction
        'backward'
        """
        if self.direction != "alternate":
            return self
        return replace(self, direction="forward" if number % 2 else "backward")

    def in_reading_order(self, symbols: Sequence[T]) -> tuple[T, ...]:
        """A word's symbols in the order in which a member takes them; and back.

        >>> NetworkConfig(direction="backward").in_reading_order("abc")
        ('c', 'b', 'a')
        """
        return tuple(symbols if self.direction == "forward" else reversed(symbols))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Any) -> NetworkConfig:
        """What `to_json` gave. Models of format 1 call the kind "attention" and may leave the
        direction out."""
        known = {field.name for field in fields(cls)}
        if isinstance(data, dict) and "attention" in data:
            data = {"direction": "forward", "kind": data["attention"], **data}
            del data["attention"]
        if not isinstance(data, dict) or set(data) != known:
            raise StepwriteError(
                f"network configuration: expected {sorted(known)}, got {data!r:.200}"
            )
        return cls(**data)


def each_network(networks: Sequence[NetworkConfig]) -> tuple[NetworkConfig, ...]:
    """The members' configurations, each with a single direction; within a kind they alternate.

    >>> hard, soft = NetworkConfig(direction="alternate"), NetworkConfig(kind="soft")
    >>> [(n.kind, n.direction) for n in each_network([hard, hard, soft])]
    [('hard', 'forward'), ('hard', 'backward'), ('soft', 'forward')]
    """
    return tuple(
        network.of_member(networks[:number].count(network))
        for number, network in enumerate(networks, 1)
    )
