"""The precision of the large products in training: single, or bfloat16 where the processor has it.

AVX512-BF16 has an instruction that multiplies 32 pairs of bfloat16 at once and adds the products
up in single precision. It is what a plan takes by default on a processor that is faster with it. A
plan records its precision, and a processor that lacks it stops with an error: other weights would
come out.
"""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

from llvmlite import binding
from numba import config as numba_config

from stepwrite.errors import StepwriteError

if TYPE_CHECKING:
    from stepwrite.training.config import Precision

_processor = binding.get_host_cpu_features()

# Numba compiles for this very processor unless told otherwise; LLVM 20 knows all that is used.
AVAILABLE: bool = (
    binding.llvm_version_info >= (20,)
    and _processor.get("avx512bf16", False)
    and not (getattr(numba_config, "CPU_NAME", None) or getattr(numba_config, "CPU_FEATURES", None))
)

# Processors with AMX start one of these instructions per cycle, and two of those that multiply 16
# pairs in single precision: bfloat16 gains nothing there, and factors must be converted first.
HAS_AMX: bool = _processor.get("amx-bf16", False)

_current: Precision = "single"


def native() -> Precision:
    """The precision that this processor trains fastest with."""
    return "bfloat16" if AVAILABLE and not HAS_AMX else "single"


def check(precision: Precision | None) -> None:
    """Raise if this processor can't train in that precision; None leaves it to the processor."""
    if precision == "bfloat16" and not AVAILABLE:
        raise StepwriteError(
            f"precision is bfloat16, but the processor of {platform.node()} has no instructions "
            "for it (AVX512-BF16): use a processor that has them, or train a new model with "
            "--precision single (in an experiment's settings: precision = 'single')"
        )


def set_precision(precision: Precision | None) -> None:
    """Choose the precision of training in this process, from here on."""
    global _current
    check(precision)
    _current = precision or native()


def is_bfloat16() -> bool:
    """Whether large products of training are to be computed in bfloat16."""
    return _current == "bfloat16"
