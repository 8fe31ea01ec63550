"""Why a pipe stood still: the gaps of a lane, each with what its end waited for.

A gap counts where the next instruction of the pipe was held back by a flag, a queue, a
barrier, or by copies of other cores (bandwidth), or where the scalar unit itself stood
at a barrier or a flag for most of the gap and issued nothing. A gap without such a
reason is time in which the scalar unit had other things to do.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

import numpy as np

from npusim.view.lanes import CoreLanes

_MOSTLY = 0.5  # share of a gap that the scalar unit must have stood still
# what a gap looks like: matplotlib line styles, told apart without colour
STYLES = {"flag": ":", "queue": "--", "barrier": "-", "bandwidth": "-."}


class Stall(NamedTuple):
    """A gap in ticks and its reason (a key of STYLES)."""

    start: int
    end: int
    reason: str


def stalls(core: CoreLanes, pipe: str) -> list[Stall]:
    """The gaps of one lane that have a reason, in time order; S has none."""
    spans, notes = core.lanes[pipe], core.notes.get(pipe)
    if pipe == "S" or notes is None or not len(spans):
        return []
    ended = np.concatenate(([0], np.maximum.accumulate(spans.ends)[:-1]))
    rows = zip(ended.tolist(), spans.starts.tolist(), notes.waits.tolist(), strict=True)
    found = (
        Stall(before, start, wait if wait in STYLES else _held(core, before, start))
        for before, start, wait in rows
        if start > before
    )
    return [stall for stall in found if stall.reason]


def _held(core: CoreLanes, start: int, end: int) -> str:
    """What held the scalar unit, and so the pipe, for most of a gap; "" for nothing."""
    total: dict[str, int] = {}
    first = bisect_left(core.held, start, key=lambda held: held.end)
    for held in core.held[first:]:
        if held.start >= end:
            break
        inside = min(held.end, end) - max(held.start, start)
        total[held.reason] = total.get(held.reason, 0) + inside
    reason = max(total, key=lambda name: total[name], default="")
    enough = total.get(reason, 0) >= _MOSTLY * (end - start)
    return reason if enough and reason in STYLES else ""


def stall_ticks(found: list[Stall], start: float, end: float) -> dict[str, float]:
    """Ticks by reason inside a window, the largest first."""
    total: dict[str, float] = {}
    for stall in found:
        inside = min(stall.end, end) - max(stall.start, start)
        if inside > 0:
            total[stall.reason] = total.get(stall.reason, 0.0) + inside
    return dict(sorted(total.items(), key=lambda item: -item[1]))
