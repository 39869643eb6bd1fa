"""Counting what hostile input does: it may raise a `StepwriteError` that fits on a screen."""

from __future__ import annotations

import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from types import FrameType

from stepwrite.errors import StepwriteError

SCREEN = (24, 80)  # lines, columns
PATIENCE = 10.0  # seconds for one input
SHOWN = 10  # failures printed in full


class TooSlow(BaseException):
    """Not an `Exception`, so that nothing handles it."""


class Tally:
    """Tries inputs; `failures` counts those that did what none may do."""

    def __init__(self, target: str, seed: int) -> None:
        self.target, self.seed = target, seed
        self.n_tried = self.failures = 0
        self.outcomes: Counter[str] = Counter()
        self.start = time.perf_counter()
        warnings.simplefilter("ignore")  # of unknown features, say
        signal.signal(signal.SIGALRM, _too_slow)

    def attempt(self, action: Callable[[], object], what: str, n: int = 1) -> None:
        """Do something with hostile input; `what` tells how to find it again. It counts as `n`."""
        self.n_tried += n
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        try:
            action()
        except StepwriteError as error:
            self.outcomes["errors"] += 1
            lines = str(error).split("\n")
            if sum(1 + len(line) // SCREEN[1] for line in lines) > SCREEN[0]:
                self.fail(f"{what}: a message of {len(str(error))} characters: {error!s:.100}")
        except (Exception, TooSlow):
            self.fail(f"{what}: {traceback.format_exc()}")
        else:
            self.outcomes["results"] += 1
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def fail(self, problem: str) -> None:
        self.failures += 1
        if self.failures <= SHOWN:
            print(f"{self.target}, seed {self.seed}: {problem}", file=sys.stderr)

    def report(self) -> int:
        """Print the figures; returns the number of failures."""
        speed = self.n_tried / (time.perf_counter() - self.start)
        outcomes = ", ".join(f"{n} {name}" for name, n in sorted(self.outcomes.items()))
        print(
            f"{self.target}: {self.n_tried} tried with seed {self.seed} at {speed:.0f}/s "
            f"({outcomes}), {self.failures} failures"
        )
        return self.failures


def run_target(target: str, count: int, seed: int) -> int:
    """Run a target in a process of its own, whose limits and signals it may change.

    Not in `__main__`, whose functions a new process does not find.
    """
    failures: int = import_module(f"scripts.fuzz.{target}").main(count, seed)
    return failures


def _too_slow(number: int, frame: FrameType | None) -> None:
    raise TooSlow
