"""Model kinds: one frozen value each, in one table.

Everything that tells one kind from another is in its `Kind`, or behind it: choices of the
command line, checks of the model directory, networks and losses derive from this table. A kind
of somebody else's is an entry point of the group `stepwrite.kinds` that gives a `Kind`:

    [project.entry-points."stepwrite.kinds"]
    mine = "my_package.kinds:MINE"
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from stepwrite.errors import StepwriteError, shown
from stepwrite.inference.hard import HardNetwork
from stepwrite.inference.lstm import Floats
from stepwrite.inference.network import Network
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.inference.shapes import Shapes, hard_shapes, soft_shapes
from stepwrite.inference.soft import SoftNetwork
from stepwrite.transducer.actions import STEP_WRITE, WRITE, ActionSystem
from stepwrite.transducer.vocabulary import Vocabulary

GROUP = "stepwrite.kinds"  # of entry points


@dataclass(frozen=True)
class Kind:
    """A model kind.

    name: in options, files and tables; title: in sentences; summary: for `--help`.
    system: the actions it chooses from.
    network: makes the NumPy network of a member's weights; shapes: the weights it expects.
    recipe: where its `training.recipe.Recipe` is, as "module:name"; imported only to train.
    settings: what it changes in a preset, by the preset's name.
    copying: the values of the setting `copy` that it can be trained with.
    """

    name: str
    title: str
    summary: str
    system: ActionSystem
    network: Callable[[Mapping[str, Floats], NetworkConfig, Vocabulary], Network]
    shapes: Callable[[NetworkConfig, Vocabulary], Shapes]
    recipe: str
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    copying: tuple[str, ...] = ("never", "unknown", "always")

    def load_recipe(self) -> Any:
        module, _, name = self.recipe.partition(":")
        return getattr(import_module(module), name)


HARD = Kind(
    name="hard",
    title="hard attention",
    summary="one attended symbol at a time, steps and writes: the paper's",
    system=STEP_WRITE,
    network=HardNetwork,
    shapes=hard_shapes,
    recipe="stepwrite.training.hard:RECIPE",
)
SOFT = Kind(
    name="soft",
    title="soft attention",
    summary="attention to all symbols: the paper's baseline",
    system=WRITE,
    network=SoftNetwork,
    shapes=soft_shapes,
    recipe="stepwrite.training.soft:RECIPE",
    settings={"default": {"clip": 1.0}},  # its first gradients are large
    # With copies everywhere it would never learn to move the weights along.
    copying=("never", "unknown"),
)
BUILT_IN = {kind.name: kind for kind in (HARD, SOFT)}
DEFAULT = HARD


def kind_of(name: str) -> Kind:
    """The kind of that name.

    >>> kind_of("hard").title
    'hard attention'
    """
    found = BUILT_IN.get(name) or _installed().get(name)
    if found is None:
        known = ", ".join(all_kinds())
        raise StepwriteError(f"unknown model kind {shown(name)}: known are {known}")
    return found


def all_kinds() -> dict[str, Kind]:
    """All kinds by name, those of other packages last."""
    return BUILT_IN | _installed()


@cache
def _installed() -> dict[str, Kind]:
    """The kinds that other packages offer."""
    found = {}
    for point in entry_points(group=GROUP):
        kind = point.load()
        if not isinstance(kind, Kind) or kind.name != point.name:
            raise StepwriteError(
                f"entry point {point.name} of {GROUP}: {point.value} is not a Kind of that name"
            )
        found[kind.name] = kind
    return found
