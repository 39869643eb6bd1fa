"""Named arrays in safetensors files: no pickle, nothing that could run code.

A file with texts about its arrays is sealed: one of the texts is the SHA-256 of the whole file,
computed with zeros in its own place, so that a single flipped bit is noticed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stepwrite.errors import DataError
from stepwrite.files import read_bounded, write_bytes

LARGEST = 1 << 31  # bytes of a file
SEAL, UNSEALED = "sha256", "0" * 64

Tensors = dict[str, NDArray[Any]]


def save_tensors(
    path: Path, tensors: Mapping[str, NDArray[Any]], about: Mapping[str, str] | None = None
) -> None:
    """Write arrays, and texts about them, whole."""
    from safetensors.numpy import save

    contiguous = {name: np.asarray(array, order="C") for name, array in tensors.items()}
    if not about:
        return write_bytes(path, save(contiguous, metadata={}))
    content = save(contiguous, metadata={**about, SEAL: UNSEALED})
    start = _seal_position(content, UNSEALED)
    seal = hashlib.sha256(content).hexdigest().encode()
    return write_bytes(path, content[:start] + seal + content[start + len(seal) :])


def load_tensors(path: Path) -> tuple[Tensors, dict[str, str]]:
    """What `save_tensors` wrote; a damaged file is an error that names it."""
    return parse_tensors(read_bounded(path, LARGEST), path)


def parse_tensors(content: bytes, path: Path) -> tuple[Tensors, dict[str, str]]:
    """The arrays and texts in the content of a file; `path` is for messages."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        tensors = load(content)
        size = int.from_bytes(content[:8], "little")
        about = json.loads(content[8 : 8 + size]).get("__metadata__") or {}
    # safetensors looks for kinds of numbers in NumPy that it does not have.
    except (SafetensorError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"can't be read as safetensors: {error!s:.200}", path=str(path)) from None
    if SEAL in about and not _is_sealed(content, about.pop(SEAL)):
        raise DataError("cut short or altered (its checksum is wrong)", path=str(path))
    return tensors, about


def _is_sealed(content: bytes, seal: str) -> bool:
    start = _seal_position(content, seal)
    blank = content[:start] + UNSEALED.encode() + content[start + len(UNSEALED) :]
    return hashlib.sha256(blank).hexdigest() == seal


def _seal_position(content: bytes, seal: str) -> int:
    """Where the seal begins; quotation marks within texts are escaped, so it is found once."""
    entry = f'"{SEAL}":"'.encode()
    return content.find(entry + seal.encode()) + len(entry)
