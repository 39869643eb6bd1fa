"""The transition system: a pointer on the padded lemma, and what it can do.

The lemma is padded with a begin and an end symbol: position 0 attends begin, position k the
lemma's k-th symbol, position n + 1 the end. *Step* moves the attention one position on,
*write* emits a symbol, *end* closes the word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stepwrite.data.segmentation import Symbols
from stepwrite.transducer.alignment import Alignment


@dataclass(frozen=True)
class Step:
    """Move the attention to the next symbol of the lemma."""

    def __str__(self) -> str:
        return "step"


@dataclass(frozen=True)
class Write:
    """Emit a symbol."""

    symbol: str

    def __str__(self) -> str:
        return f"write({self.symbol})"


@dataclass(frozen=True)
class Copy:
    """Emit the attended symbol, whatever it is: how symbols never seen in training survive."""

    def __str__(self) -> str:
        return "copy"


@dataclass(frozen=True)
class End:
    """The form is complete."""

    def __str__(self) -> str:
        return "end"


Action = Step | Write | Copy | End


def oracle(alignment: Alignment) -> tuple[Action, ...]:
    """The actions that an alignment amounts to: the paper's Algorithm 1 on the padded lemma.

    Attention begins on the begin symbol, so there is a step before the first pair unless that
    is an insertion; the sequence closes with `End`, taken while the end symbol is attended.

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
class Execution:
    """What a sequence of actions did: the form it wrote, the position attended at each action."""

    form: Symbols
    positions: tuple[int, ...]


def written(lemma: Sequence[str], actions: Iterable[Action], positions: Iterable[int]) -> Symbols:
    """The form that actions write, whatever brought the attention to where it was.

    >>> written("go", [Copy(), Write("e"), Copy(), End()], [1, 2, 2, 3])
    ('g', 'e', 'o')
    """
    form: list[str] = []
    for action, position in zip(actions, positions, strict=True):
        if isinstance(action, Write):
            form.append(action.symbol)
        elif isinstance(action, Copy):
            form.append(lemma[position - 1])
    return tuple(form)


def execute(lemma: Sequence[str], actions: Iterable[Action]) -> Execution:
    """Run the actions on a lemma, up to `End` if there is one.

    A step on the end symbol changes nothing, as in the authors' program.

    >>> execute("go", [Step(), Write("w"), Write("e"), Step(), Write("n"), Step(), End()])
    Execution(form=('w', 'e', 'n'), positions=(0, 1, 1, 1, 2, 2, 3))
    """
    form: list[str] = []
    positions: list[int] = []
    position = 0
    for action in actions:
        positions.append(position)
        match action:
            case Step():
                position = min(position + 1, len(lemma) + 1)
            case Write(symbol):
                form.append(symbol)
            case Copy():
                if not 1 <= position <= len(lemma):
                    raise ValueError(f"copy at position {position}: no symbol is attended there")
                form.append(lemma[position - 1])
            case End():
                break
    return Execution(tuple(form), tuple(positions))
