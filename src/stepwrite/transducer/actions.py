"""The transition system: a pointer on the padded lemma, and what it can do.

The lemma is padded with a begin and an end symbol: position 0 attends begin, position k the
lemma's k-th symbol, position n + 1 the end. Each action says itself what it does to the position
(`moves`) and to the output (`writes`); nothing else in the program knows it.

An `ActionSystem` is the set of actions that a model kind chooses from:

    STEP_WRITE  step, write(c), copy (of symbols never seen), end: the paper's
    WRITE       the same without steps, for attention that finds its own way
    EDIT        copy and move on, delete, insert(c), end
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from stepwrite.data.segmentation import Symbols

if TYPE_CHECKING:
    from stepwrite.transducer.alignment import Alignment


@dataclass(frozen=True)
class Action:
    """What the pointer can do. `moves`: whether the attention moves one position on."""

    name: ClassVar[str]
    moves: ClassVar[bool] = False

    def writes(self, attended: str) -> str:
        """The symbol that is written while `attended` is attended; empty for none."""
        return ""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Step(Action):
    """Move the attention to the next symbol of the lemma."""

    name = "step"
    moves = True


@dataclass(frozen=True)
class Write(Action):
    """Write a given symbol."""

    name = "write"
    symbol: str

    def writes(self, attended: str) -> str:
        return self.symbol

    def __str__(self) -> str:
        return f"{self.name}({self.symbol})"


@dataclass(frozen=True)
class Copy(Action):
    """Write the attended symbol, whatever it is: how symbols never seen in training survive."""

    name = "copy"

    def writes(self, attended: str) -> str:
        return attended


@dataclass(frozen=True)
class End(Action):
    """The form is complete."""

    name = "end"


@dataclass(frozen=True)
class Delete(Step):
    """Move on without writing the attended symbol: an edit."""

    name = "delete"


@dataclass(frozen=True)
class Insert(Write):
    """Write a given symbol and stay: an edit."""

    name = "insert"


@dataclass(frozen=True)
class CopyOn(Copy):
    """Write the attended symbol and move on: an edit."""

    moves = True


@dataclass(frozen=True)
class ActionSystem:
    """The actions of a model kind, and when each is possible.

    controls: all actions but the writing of a given symbol, by number; the last one, a copy, is
    left out of models without copying. writing: makes the action that writes a symbol.
    start: the position before the first action.
    impossible: the numbers of the controls that can't be taken on the begin symbol, inside the
    lemma, and on the end symbol.
    feeds_copies: whether the network is told that it copied; otherwise, what it wrote by copying.
    """

    controls: tuple[Action, Action, Action]
    writing: Callable[[str], Action]
    start: int
    impossible: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    feeds_copies: bool = False

    def actions(self, form_symbols: Iterable[str], *, copy: bool) -> tuple[Action, ...]:
        """Every action by its number.

        >>> print(*EDIT.actions("ab", copy=True))
        end delete copy insert(a) insert(b)
        """
        return (*self.controls[: 2 + copy], *map(self.writing, form_symbols))


STEP_WRITE = ActionSystem((End(), Step(), Copy()), Write, 0, ((2,), (), (2,)))
WRITE = ActionSystem((End(), Step(), Copy()), Write, 0, ((1, 2), (1,), (1, 2)))
EDIT = ActionSystem(
    (End(), Delete(), CopyOn()), Insert, 1, ((0, 2), (0,), (1, 2)), feeds_copies=True
)


def oracle(alignment: Alignment) -> tuple[Action, ...]:
    """The actions that an alignment amounts to: the paper's Algorithm 1 on the padded lemma.

    Attention begins on the begin symbol, so there is a step before the first pair unless that
    is an insertion; the sequence closes with `End`, taken while the end symbol is attended.

    >>> from stepwrite.transducer.alignment import Alignment
    >>> pairs = (("f", "f"), ("l", "l"), ("o", "i"), (None, "e"), ("g", "g"))
    >>> print(*oracle(Alignment(pairs)))
    step write(f) step write(l) step write(i) write(e) step write(g) step end
    """
    actions: list[Action] = []
    for lemma_symbol, form_symbol in alignment.pairs:
        # Algorithm 1 steps after a pair if the next one is no insertion: that is before each
        # pair that reads a lemma symbol, and once more at the end.
        if lemma_symbol is not None:
            actions.append(Step())
        if form_symbol is not None:
            actions.append(Write(form_symbol))
    return (*actions, Step(), End())


@dataclass(frozen=True)
class Move:
    """One action of a derivation.

    position: the attended position of the padded lemma; attended: the symbol there, empty on the
    begin and the end symbol; written: the symbol that the action wrote, empty for none.
    """

    action: Action
    position: int
    attended: str
    written: str


def trace(
    lemma: Sequence[str], actions: Iterable[Action], positions: Iterable[int]
) -> tuple[Move, ...]:
    """What each action attended and wrote, whatever brought the attention to where it was.

    >>> for move in trace("go", [Copy(), Write("e"), Copy()], [1, 2, 2]):
    ...     print(move.action, move.position, move.attended, move.written)
    copy 1 g g
    write(e) 2 o e
    copy 2 o o
    """
    padded = ("", *lemma, "")
    return tuple(
        [
            Move(action, position, padded[position], action.writes(padded[position]))
            for action, position in zip(actions, positions, strict=True)
        ]
    )


@dataclass(frozen=True)
class Execution:
    """What a sequence of actions did: the form it wrote, the position attended at each action."""

    form: Symbols
    positions: tuple[int, ...]


def written(lemma: Sequence[str], actions: Iterable[Action], positions: Iterable[int]) -> Symbols:
    """The form that actions write at given positions.

    >>> written("go", [Copy(), Write("e"), Copy(), End()], [1, 2, 2, 3])
    ('g', 'e', 'o')
    """
    return tuple([move.written for move in trace(lemma, actions, positions) if move.written])


def execute(lemma: Sequence[str], actions: Iterable[Action], start: int = 0) -> Execution:
    """Run the actions on a lemma from position `start`, up to `End` if there is one.

    A move from the end symbol changes nothing, as in the authors' program.

    >>> execute("go", [Step(), Write("w"), Write("e"), Step(), Write("n"), Step(), End()])
    Execution(form=('w', 'e', 'n'), positions=(0, 1, 1, 1, 2, 2, 3))
    >>> execute("go", [Insert("w"), Delete(), CopyOn(), End()], EDIT.start)
    Execution(form=('w', 'o'), positions=(1, 1, 2, 3))
    """
    taken: list[Action] = []
    positions: list[int] = []
    position, last = start, len(lemma) + 1
    for action in actions:
        if isinstance(action, Copy) and not 1 <= position < last:
            raise ValueError(f"copy at position {position}: no symbol is attended there")
        taken.append(action)
        positions.append(position)
        if isinstance(action, End):
            break
        position = min(position + action.moves, last)
    return Execution(written(lemma, taken, positions), tuple(positions))
