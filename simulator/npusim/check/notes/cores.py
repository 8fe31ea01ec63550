"""ASC-CORE-27: another number of blocks would be faster, by an estimate from this run.

    cycles(n) = launch + hand-out * n + once + (work of all cores) / n

`once` is what no core is spared: its set-up, the latency of a copy in and of one out;
work is the rest of what the cores took. No less than the floor of the launch.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from npusim.check.notes.work import ClassWork, Work, percent, threshold

_HALF = 0.5
_MANY = 99


def check(work: Work) -> None:
    """One note: too few cores, a last wave that is nearly empty, or too many cores."""
    if _meets(work):
        return
    chip, timing = work.execution.chip, work.timing
    fixed = chip.cycles_of_ns(chip.constant("launch"))
    hand_out = max(0.0, timing.launch_cycles - fixed) / work.used
    once = _once(work)
    shared = max(0.0, work.total - work.used * once)

    def cycles(cores: int) -> float:
        own = once + shared / cores
        return max(timing.floor_cycles, fixed + hand_out * cores + own)

    numbers = range(1, chip.vector_cores + 1)
    good = threshold("as_good") * min(map(cycles, numbers))
    best = max(n for n in numbers if cycles(n) <= good)
    gain = 1 - cycles(best) / timing.cycles
    kind = _kind(work, best)
    if kind and gain >= threshold("gain_cores"):
        work.add("ASC-CORE-27", gain, None, **_facts(work, kind, best, gain))


def _once(work: Work) -> float:
    """Cycles that each core needs besides its share of the work.

    A core with one tile spends only what its bytes and vector repeats take on them.
    """
    chip = work.execution.chip
    if all(_tiles(part) <= 1 for part in work.classes):
        timing = work.timing
        moving = timing.nbytes_read / chip.constant("read_cap")
        moving += timing.nbytes_written / chip.constant("write_cap")
        return max(0.0, work.core * (1 - work.ratio("V")) - moving / work.used)
    latency = chip.constant("read_latency") + chip.constant("write_latency")
    starts = [part.spans("MTE2")[:1] for part in work.classes]
    ramp = min((spans[0][0] for spans in starts if spans), default=0.0)
    return min(work.core, ramp + chip.cycles_of_ns(latency))


def _tiles(part: ClassWork) -> int:
    """How often a block passes its busiest copy-in; many where it works on scalars."""
    if any(step.cost.kind == "scalar" for step in part.steps):
        return _MANY
    copies = Counter(step.where for step in part.steps if step.pipe == "MTE2")
    return max(copies.values(), default=0)


def _meets(work: Work) -> bool:
    """Whether cores wait for each other: then their time cannot be divided."""
    return any(step.cost.kind == "sync" for part in work.classes for step in part.steps)


def _kind(work: Work, best: int) -> str | None:
    blocks, cores = work.execution.blocks, work.execution.chip.vector_cores
    if blocks > cores:
        last = blocks % cores
        return "wave" if 0 < last <= _HALF * cores else None
    if best > work.used:
        return "few"
    start = work.timing.launch_cycles / work.timing.cycles
    return "start" if best < work.used and start >= _HALF else None


def _facts(work: Work, kind: str, best: int, gain: float) -> dict[str, Any]:
    blocks, cores = work.execution.blocks, work.execution.chip.vector_cores
    return {
        "reason": kind, "used": work.used, "cores": cores, "blocks": blocks,
        "best": best, "saved": percent(gain), "last": blocks % cores,
        "waves": -(-blocks // cores),
        "start": percent(work.timing.launch_cycles / work.timing.cycles),
    }  # fmt: skip
