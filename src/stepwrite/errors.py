"""Errors caused by input, each with a message that names file, line and value.

The command line prints the message alone and exits with code 1; anything that is not a
`StepwriteError` is a bug in stepwrite and keeps its traceback.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

TORCH_CPU = "https://download.pytorch.org/whl/cpu"  # elsewhere torch brings gigabytes of CUDA


class StepwriteError(Exception):
    """Base class of all errors caused by the input rather than by a bug."""


class DataError(StepwriteError):
    """A file or a row that can't be used.

    >>> print(DataError("2 columns, expected 3", path="train.tsv", line=17))
    train.tsv, line 17: 2 columns, expected 3
    """

    def __init__(self, problem: str, *, path: str, line: int | None = None) -> None:
        self.problem, self.path, self.line = problem, path, line
        where = path if line is None else f"{path}, line {line}"
        super().__init__(f"{where}: {problem}")


class ModelError(StepwriteError):
    """A model that can't be loaded, with the reason."""


class FeatureError(StepwriteError):
    """Features that a model does not know, or a cell that its language does not have."""


class UnknownFeatureWarning(UserWarning):
    """A feature value that the model never saw in training."""


class MissingExtraError(StepwriteError):
    """A part of stepwrite needs packages that are not installed."""


def require(module: str, extra: str, purpose: str) -> ModuleType:
    """Import `module`, or say in one line which extra installs it.

    >>> require("absent", extra="serve", purpose="the service")
    Traceback (most recent call last):
    stepwrite.errors.MissingExtraError: the service needs absent: pip install 'stepwrite[serve]'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0]:
            raise
        command = f"pip install 'stepwrite[{extra}]'"
        if extra in ("train", "cluster"):
            command += f" (without CUDA: PIP_EXTRA_INDEX_URL={TORCH_CPU} {command})"
        raise MissingExtraError(f"{purpose} needs {module}: {command}") from None


def shown(text: str, limit: int = 60) -> str:
    """A value for an error message, on one line and truncated if it is long."""
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")
