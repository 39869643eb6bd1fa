"""Named arrays in safetensors files: no pickle, nothing that could run code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO, cast

import numpy as np
from numpy.typing import NDArray

from stepwrite.errors import DataError
from stepwrite.files import write_whole


def save_tensors(
    path: Path, tensors: Mapping[str, NDArray[Any]], about: Mapping[str, str] | None = None
) -> None:
    """Write arrays, and texts about them, whole."""
    from safetensors.numpy import save

    contiguous = {name: np.asarray(array, order="C") for name, array in tensors.items()}
    with write_whole(path) as file:
        cast(TextIO, file).buffer.write(save(contiguous, metadata=dict(about or {})))


def load_tensors(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """What `save_tensors` wrote; a damaged file is an error that names it."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            return tensors, file.metadata() or {}
    # safetensors looks for kinds of numbers in NumPy that it does not have.
    except (SafetensorError, OSError, AttributeError, TypeError, ValueError) as error:
        raise DataError(f"can't be read as safetensors: {error}", path=str(path)) from None
