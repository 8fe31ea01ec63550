"""Times one execution: lower, group, solve, and report. Rule 9 adds the launch itself.

cycles = launch + hand-out of a block to each core + end of the last core
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from npusim.chip import Chip
from npusim.core.stream import Stream
from npusim.timing.classes import BlockClass, group_blocks, total_bytes
from npusim.timing.contention import Evaluation, Launch, solve
from npusim.timing.floor import floor_cycles, hand_out_ns, launch_cycles
from npusim.timing.lower import BANDWIDTH, CAUSES, PIPE, PIPES, WORK, Lowered, lower
from npusim.timing.pipes import Path
from npusim.timing.rates import ClassRates, CopyModel
from npusim.timing.result import ClassTiming, Timing, bound_of
from npusim.timing.reuse import reused_shares
from npusim.timing.ticks import TICKS_PER_CYCLE, cycles_of_ticks, ticks_of_cycles
from npusim.timing.traffic import (
    CACHE_STATES,
    CacheShares,
    CacheState,
    Totals,
    cache_shares,
    l2_traffic,
)

CODE_STATES = ("warm", "cold")
_ALWAYS_SHOWN = ("S", "V", "MTE2", "MTE3")


class SizedBuffer(Protocol):
    """What timing needs of a buffer: its array."""

    @property
    def data(self) -> np.ndarray: ...


class Executed(Protocol):
    """What timing needs of an execution (`npusim.core.Execution` has it)."""

    @property
    def streams(self) -> tuple[Stream, ...]: ...
    @property
    def chip(self) -> Chip: ...
    @property
    def buffers(self) -> Mapping[int, SizedBuffer]: ...


BYPASS = "CACHE_MODE_DISABLE"


def bypassing(execution: Executed) -> frozenset[int]:
    """Ids of the buffers that the kernel told to bypass L2."""
    hints: Mapping[int, str] = getattr(execution, "cache_hints", {})
    return frozenset(b for b, mode in hints.items() if mode == BYPASS)


def _check_states(cache: str, code: str) -> None:
    for name, value, known in (
        ("cache", cache, CACHE_STATES),
        ("code", code, CODE_STATES),
    ):
        if value not in known:
            raise ValueError(f"{name}={value!r}: expected one of {', '.join(known)}")


def time_execution(
    execution: Executed,
    *,
    cache: str = "cold",
    code: str = "warm",
    resident: frozenset[int] | Mapping[int, float] = frozenset(),
    older: tuple[tuple[int, float], ...] = (),
) -> Timing:
    """Cycles of a launch and of every step in it.

    `cache`, `code`: state of the chip at launch, an unknown one is a ValueError;
    `resident`: ids of the buffers in L2, for "l2" (none given: all) and "keep", taken
    in the order of their ids as far as they fit; a mapping gives the share of each.
    `older`: what else "keep" finds in L2, as `CacheState` says.
    """
    _check_states(cache, code)
    chip = execution.chip
    streams = lower(execution.streams, chip, getattr(execution, "program", None))
    classes, totals = group_blocks(streams), total_bytes(streams)
    sizes = {b: int(buf.data.nbytes) for b, buf in execution.buffers.items()}
    given = resident if isinstance(resident, Mapping) else dict.fromkeys(resident, 1.0)
    reused = reused_shares(execution.streams, chip, totals, sizes)
    state = CacheState(cache, given, bypassing(execution), older, reused)
    shares = cache_shares(chip, totals, sizes, state)
    hand_out = ticks_of_cycles(chip.cycles_of_ns(hand_out_ns(chip, code)))
    launch = Launch(chip, classes, CopyModel(chip, shares), hand_out)
    solved = solve(launch)
    return _report(chip, launch, solved, totals, shares, (cache, code))


def _report(
    chip: Chip,
    launch: Launch,
    solved: Evaluation,
    totals: Totals,
    shares: CacheShares,
    states: tuple[str, str],
) -> Timing:
    cache, code = states
    start = launch_cycles(chip, len(solved.ends), code)
    cores = tuple(cycles_of_ticks(end) for end in solved.ends)
    cycles = start + max(cores, default=0)
    pipes = _pipe_cycles(launch.classes, solved)
    read, written = shares.first_read, shares.first_written
    vector = _vector_cycles(launch.classes)
    near = shares.resident_read
    floor = floor_cycles(
        chip, read, written, vector, cache=cache, code=code, resident_nbytes=near
    )
    return Timing(
        cycles=cycles,
        core_cycles=cores,
        launch_cycles=start,
        classes=tuple(_class_timings(launch, solved)),
        block_start_ticks=tuple(solved.block_starts),
        pipe_cycles=pipes,
        nbytes_read=totals.read.total(),
        nbytes_written=totals.written.total(),
        compulsory_nbytes=(read, written),
        floor_cycles=floor,
        bound=bound_of(cycles, start, cores, pipes),
        active_copies=solved.active,
        l2=l2_traffic(totals, shares),
        moved_nbytes=shares.moved,
        conflict_cycles=_conflict_cycles(launch.classes),
    )


def _vector_cycles(classes: list[BlockClass]) -> float:
    """Conflict-free vector cycles of all blocks together."""
    ticks = sum(c.lowered.vector_ticks * len(c.blocks) for c in classes)
    return ticks / TICKS_PER_CYCLE


def _conflict_cycles(classes: list[BlockClass]) -> int:
    """Cycles that all blocks together lose to bank conflicts."""
    ticks = sum(c.lowered.conflict_ticks * len(c.blocks) for c in classes)
    return cycles_of_ticks(ticks)


def _pipe_cycles(classes: list[BlockClass], solved: Evaluation) -> dict[str, float]:
    """Mean busy cycles of a used core by pipe."""
    busy = [0] * len(PIPES)
    for members, path in zip(classes, solved.paths, strict=True):
        for index, ticks in enumerate(path.busy):
            busy[index] += ticks * len(members.blocks)
    unit = TICKS_PER_CYCLE * max(1, len(solved.ends))
    pairs = zip(PIPES, busy, strict=True)
    return {name: n / unit for name, n in pairs if n or name in _ALWAYS_SHOWN}


def _class_timings(launch: Launch, solved: Evaluation) -> list[ClassTiming]:
    parts = zip(launch.classes, solved.paths, launch.rates, strict=True)
    return [
        ClassTiming(
            stream=members.lowered.stream,
            blocks=members.blocks,
            start_ticks=path.starts,
            end_ticks=path.ends,
            waits=_waits(members.lowered, path, rates, solved.active),
            conflict_ticks=members.lowered.conflict_ticks,
        )
        for members, path, rates in parts
    ]


def _waits(lowered: Lowered, path: Path, rates: ClassRates, active: float) -> list[str]:
    """Causes by name; a copy queued behind copies that share the chip: bandwidth."""
    shared = [active * rate.machine > rate.own for rate in rates.rates]
    names = []
    for op, cause in zip(lowered.ops, path.causes, strict=True):
        if cause == PIPE and op[0] == WORK and rates.kind[op[3]] >= 0:
            cause = BANDWIDTH if shared[rates.kind[op[3]]] else PIPE
        names.append(CAUSES[cause])
    return names
