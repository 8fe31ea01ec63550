"""What micro-benchmarks share: the chip, and cycles of one call among many."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from npusim.chip import Chip
from npusim.launch import Run

Where = str | Chip
CHIP = "910B1"
CALLS = 64
CORES = (1, 8, 24, 48)
MIB = 1 << 20


def core_cycles(run: Run) -> float:
    """Cycles of the longest core, without the launch."""
    return float(max(run.core_cycles))


def one_call(launch: Callable[[int], Run], calls: int = CALLS) -> float:
    """Cycles of one of many calls: the difference of two launches."""
    more, fewer = launch(2 * calls), launch(calls)
    return (core_cycles(more) - core_cycles(fewer)) / calls


def zeros(count: int) -> np.ndarray:
    """`count` bytes."""
    return np.zeros(count, np.int8)
