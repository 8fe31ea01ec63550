"""A stream in brief: what lies between two synchronisations as one operation.

The solver of `contention` times a launch several times and needs only the end of each
core. Works that one pipe is given one after the other, with durations that the load of
the chip does not change, end at

    max(issued + a, held + b, free + c)

with constants that are sums and maxima of theirs, so the end is the same to the tick.
When single steps start, and why, is lost; that is found once, for the solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from npusim.timing.lower import NONE, RUN, SCALAR, WORK, Op
from npusim.timing.pipes import Bounds, Duration

_NEVER = -(1 << 62)  # ticks: a bound that no work has set


class _Works:
    """Works of one pipe in a row; `ticks`: what S has spent when the last is issued."""

    def __init__(self, pipe: int):
        self.pipe, self.ticks = pipe, 0
        self.issued = self.held = _NEVER
        self.free = 0

    def add(self, ticks: int, duration: Duration) -> None:
        latency, gap, transfer = duration
        self.ticks = ticks
        self.issued = max(ticks + latency, self.issued + gap) + transfer
        self.held = max(latency, self.held + gap) + transfer
        self.free += gap + transfer

    def bounds(self) -> Bounds:
        """Counted from the time at which the last of them is issued."""
        return Bounds(self.issued - self.ticks, self.held, self.free)


@dataclass
class Brief:
    """`ops` for `pipes.pipe_run`; bounds of its `RUN`s follow the durations of works.

    `fixed`: durations of works, None for those that the load changes.
    """

    fixed: Sequence[Duration | None]
    ops: list[Op] = field(default_factory=list)
    bounds: list[Bounds] = field(default_factory=list)

    def runs(self, stretch: Sequence[Op]) -> tuple[list[Op], int]:
        """A stretch of fixed works and scalar steps as `RUN`s, and the ticks that S
        spends after the last of them."""
        runs: list[Op] = []
        works, ticks = None, 0
        for kind, own, pipe, index, _ in stretch:
            ticks += own
            if kind == SCALAR:
                continue
            if works is None or works.pipe != pipe:
                ticks -= self._close(works, runs)
                works = _Works(pipe)
            duration = self.fixed[index]
            assert duration is not None
            works.add(ticks, duration)
        return runs, ticks - self._close(works, runs)

    def _close(self, works: _Works | None, runs: list[Op]) -> int:
        if works is None:
            return 0
        index = len(self.fixed) + len(self.bounds)
        runs.append((RUN, works.ticks, works.pipe, index, NONE))
        self.bounds.append(works.bounds())
        return works.ticks


def brief(ops: Sequence[Op], fixed: Sequence[Duration | None]) -> Brief:
    """`ops` in brief: a core ends at the same tick. Loops repeat their stretches."""
    made, stretch = Brief(fixed), list[Op]()
    known: dict[tuple[Op, ...], tuple[list[Op], int]] = {}
    for op in (*ops, _LAST):
        kind = op[0]
        if kind == SCALAR or kind == WORK and fixed[op[3]] is not None:
            stretch.append(op)
            continue
        key = tuple(stretch)
        if key not in known:
            known[key] = made.runs(key)
        runs, ticks = known[key]
        made.ops += runs
        made.ops.append((kind, op[1] + ticks, *op[2:]))
        stretch.clear()
    made.ops[-1] = (SCALAR, *made.ops[-1][1:])
    return made


_LAST: Op = (-1, 0, 0, 0, NONE)
