"""Time as integers: one tick is 1/256 of a core cycle.

Every step time is a whole number of ticks, so the same stream gives the same cycles on
every machine. Durations are rounded up, never down: a rounded time stays above the
bound it came from.
"""

from __future__ import annotations

import math

TICKS_PER_CYCLE = 256


def ticks_of_cycles(cycles: float) -> int:
    """Ticks that last at least `cycles` cycles."""
    return math.ceil(cycles * TICKS_PER_CYCLE)


def cycles_of_ticks(ticks: int) -> int:
    """Whole cycles that last at least `ticks` ticks."""
    return -(-ticks // TICKS_PER_CYCLE)
