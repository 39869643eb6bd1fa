"""Weights in fewer bits: 16 each, or 8 with a scale for each row of a matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

Bits = Literal[8, 16, 32]
SCALE = "/scale"  # ends the names of scales
LARGEST = 127  # of an integer of 8 bits


def rounded(weights: Mapping[str, NDArray[np.float32]], bits: Bits) -> dict[str, NDArray[Any]]:
    """The arrays as they are kept in so many bits.

    In 8 bits a row, along the last axis, is integers times its scale; vectors keep 16 bits.

    >>> kept = rounded({"w": np.array([[1.0, -2.0], [0.0, 0.0]], np.float32)}, 8)
    >>> kept["w"].tolist(), restored(kept)["w"].tolist()[0][1]
    ([[64, -127], [0, 0]], -2.0)
    """
    assert bits in get_args(Bits)
    if bits != 8:
        kind = np.float16 if bits == 16 else np.float32
        return {name: array.astype(kind) for name, array in weights.items()}
    kept: dict[str, NDArray[Any]] = {}
    for name, array in weights.items():
        if array.ndim < 2 or array.size == 0:
            kept[name] = array.astype(np.float16)
            continue
        scale = np.abs(array).max(axis=-1) / np.float32(LARGEST)
        kept[name] = np.rint(array / np.where(scale, scale, 1)[..., None]).astype(np.int8)
        kept[name + SCALE] = scale
    return kept


def restored(kept: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.float32]] | None:
    """The weights of arrays in any number of bits; None if a scale or a number is amiss."""
    weights = {}
    for name, array in kept.items():
        if name.endswith(SCALE):
            continue
        if array.dtype == np.int8:
            scale = kept.get(name + SCALE)
            if scale is None or scale.dtype != np.float32 or scale.shape != array.shape[:-1]:
                return None
            array = array * scale[..., None]
        elif array.dtype not in (np.float16, np.float32):
            return None
        weights[name] = array.astype(np.float32, copy=False)
    scales = {name for name in kept if name.endswith(SCALE)}
    whole = {name + SCALE for name, array in kept.items() if array.dtype == np.int8}
    return weights if scales == whole else None
