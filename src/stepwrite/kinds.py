"""Model kinds: one frozen value each, in one table.

Everything that tells one kind from another is in its `Kind`, or behind it: choices of the
command line, checks of the model directory, networks and losses derive from this table. A kind
of somebody else's is an entry point of the group `stepwrite.kinds` that gives a `Kind`:

    [project.entry-points."stepwrite.kinds"]
    mine = "my_package.kinds:MINE"
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any

from stepwrite.errors import StepwriteError, shown
from stepwrite.inference.hard import HardNetwork
from stepwrite.inference.lstm import Floats
from stepwrite.inference.network import Network
from stepwrite.inference.network_config import NetworkConfig
from stepwrite.inference.shapes import Shapes, hard_shapes, soft_shapes
from stepwrite.inference.soft import SoftNetwork
from stepwrite.transducer.actions import EDIT, STEP_WRITE, WRITE, ActionSystem
from stepwrite.transducer.vocabulary import Vocabulary

GROUP = "stepwrite.kinds"  # of entry points


@dataclass(frozen=True)
class Kind:
    """A model kind.

    name: in options, files and tables; title: in sentences; summary: for `--help`.
    system: the actions it chooses from.
    network: makes the NumPy network of a member's weights; shapes: the weights it expects.
    recipe: where its `training.recipe.Recipe` is, as "module:name"; imported only to train.
    settings: what it changes in a preset, given by its name and the number of training examples.
    copying: the values of the setting `copy` that it can be trained with.
    """

    name: str
    title: str
    summary: str
    system: ActionSystem
    network: Callable[[Mapping[str, Floats], NetworkConfig, Vocabulary], Network]
    shapes: Callable[[NetworkConfig, Vocabulary], Shapes]
    recipe: str
    settings: Callable[[str, int], Mapping[str, Any]] = lambda preset, n_examples: {}
    copying: tuple[str, ...] = ("never", "unknown", "always")

    def load_recipe(self) -> Any:
        module, _, name = self.recipe.partition(":")
        return getattr(import_module(module), name)


def _few_examples(n_examples: int) -> dict[str, Any]:
    """What small training sets want of hard attention of any kind, as chosen on dev sets
    (docs/training.md): the fewer examples, the more and smaller updates and the more hallucinated
    stems."""
    common = {"copy": "always", "clip": 1.0, "feature_embedding": 50}
    if n_examples <= 500:
        few = {"batch": 4, "dropout": 0.2, "hallucination": 0.6, "epochs": 240, "patience": 60}
        return common | few
    more = {"batch": 8, "dropout": 0.3, "hallucination": 0.3, "epochs": 100, "patience": 30}
    return common | more


def _hard_settings(preset: str, n_examples: int) -> dict[str, Any]:
    return _few_examples(n_examples) if preset == "default" and n_examples <= 1_500 else {}


def _soft_settings(preset: str, n_examples: int) -> dict[str, Any]:
    return {"clip": 1.0} if preset == "default" else {}  # its first gradients are large


def _edit_settings(preset: str, n_examples: int) -> dict[str, Any]:
    """The fewer examples, the less exploration; a hundred or two want small batches, wide feature
    embeddings and no dropout. Members that read from either end err differently, which is what a
    vote lives on."""
    settings: dict[str, Any] = {"copy": "always", "clip": 1.0, "exploration": 0.5}
    if preset != "default":
        return settings
    settings |= {"feature_embedding": 50, "direction": "alternate"}
    if n_examples <= 1_500:
        settings |= _few_examples(n_examples) | {"exploration": 0.1 if n_examples <= 500 else 0.2}
    elif n_examples <= 4_000:
        settings |= {"batch": 8, "hallucination": 0.2, "exploration": 0.2, "epochs": 60}
    if n_examples <= 200:
        settings |= {"batch": 2, "dropout": 0.0, "epochs": 120, "patience": 40}
        settings |= {"feature_embedding": 200}
    return settings


HARD = Kind(
    name="hard",
    title="hard attention",
    summary="one attended symbol at a time, steps and writes: the paper's",
    system=STEP_WRITE,
    network=HardNetwork,
    shapes=hard_shapes,
    recipe="stepwrite.training.hard:RECIPE",
    settings=_hard_settings,
)
SOFT = Kind(
    name="soft",
    title="soft attention",
    summary="attention to all symbols: the paper's baseline",
    system=WRITE,
    network=SoftNetwork,
    shapes=soft_shapes,
    recipe="stepwrite.training.soft:RECIPE",
    settings=_soft_settings,
    # With copies everywhere it would never learn to move the weights along.
    copying=("never", "unknown"),
)
EDIT_TRANSDUCER = Kind(
    name="edit",
    title="edit transducer",
    summary="one attended symbol at a time, copied, deleted or inserted before",
    system=EDIT,
    network=partial(HardNetwork, system=EDIT),
    shapes=hard_shapes,
    recipe="stepwrite.training.edit:RECIPE",
    settings=_edit_settings,
    copying=("always",),
)
BUILT_IN = {kind.name: kind for kind in (EDIT_TRANSDUCER, HARD, SOFT)}
DEFAULTS = {"default": EDIT_TRANSDUCER, "paper": HARD}
"""The kind that each preset trains unless another is asked for."""


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
    from importlib.metadata import entry_points  # takes a while, and most models need none of it

    found = {}
    for point in entry_points(group=GROUP):
        kind = point.load()
        if not isinstance(kind, Kind) or kind.name != point.name:
            raise StepwriteError(
                f"entry point {point.name} of {GROUP}: {point.value} is not a Kind of that name"
            )
        found[kind.name] = kind
    return found
