"""Cores that wait for each other: closed forms of hand-made streams."""

import numpy as np
import pytest
from timing_streams import StreamBuilder, execution

from npusim.chip import load_chip
from npusim.core.stream import Cost, Sync
from npusim.timing import TICKS_PER_CYCLE, time_execution

CHIP = load_chip("910B1")
ISSUE, SYNC = (CHIP.constant(n) for n in ("scalar_issue", "core_sync"))
REPEAT_NBYTES = 256


def meet(build: StreamBuilder, number: int = 1) -> None:
    sync = Sync("all", "ALL", "ALL", ("all", number))
    build.add("sync_all", "S", Cost("sync", "sync_all"), sync=sync)


def cross(build: StreamBuilder, kind: str, pipe: str, flag=0, number=1) -> None:
    sync = Sync(f"cross_{kind}", pipe, pipe, ("cross", flag, number))
    build.add(f"cross_{kind}", "S", Cost("sync", kind), sync=sync)


def work(build: StreamBuilder, repeats: int) -> None:
    build.vector("relu", 0, [0], repeats * REPEAT_NBYTES)


def core(first: int, *repeats: int, blocks: int = 1) -> StreamBuilder:
    """A stream that works, meets, works, … ."""
    build = StreamBuilder(blocks, first)
    for number, count in enumerate(repeats, 1):
        work(build, count)
        if number < len(repeats):
            meet(build, number)
    return build


def ends(timing, name="sync_all"):
    """Cycles in which steps called `name` end, by class."""
    return [
        [
            end / TICKS_PER_CYCLE
            for step, end in zip(c.stream.steps(), c.end_ticks, strict=True)
            if step.name == name
        ]
        for c in timing.classes
    ]


def test_all_leave_when_the_last_has_arrived():
    slow, fast = core(0, 900, 10), core(1, 10, 10, blocks=3)
    timing = time_execution(execution(slow.stream(), fast.stream()))
    (first,), (second,) = ends(timing)
    alone = time_execution(execution(core(0, 900).stream())).core_cycles[0]
    assert first == second == pytest.approx(alone + SYNC, abs=1 + ISSUE)
    assert min(timing.core_cycles) > 900
    assert timing.classes[1].waits[1] == "barrier"


@pytest.mark.parametrize("rounds", [1, 5])
def test_times_do_not_depend_on_the_order_of_the_classes(rounds):
    loads = [(7 * k % 40 + 1, 3 * k + 1) for k in range(5)]
    streams = [core(k, *(pair * rounds)).stream() for k, pair in enumerate(loads)]
    forward = time_execution(execution(*streams))
    backward = time_execution(execution(*streams[::-1]))
    assert forward.core_cycles == backward.core_cycles
    assert forward.cycles == backward.cycles


def test_the_slowest_of_each_round_counts():
    """Two cores take turns in being slow: the launch takes the sum of both."""
    even, odd = core(0, 500, 1, 500, 1), core(1, 1, 500, 1, 500)
    together = time_execution(execution(even.stream(), odd.stream()))
    alone = time_execution(execution(core(0, 500, 1, 500, 1).stream()))
    assert max(together.core_cycles) > 4 * 500
    assert max(alone.core_cycles) < 2 * 500 + 4 * SYNC


def test_a_flag_holds_the_pipe_that_waits_and_no_other():
    slow, fast = StreamBuilder(1, 0), StreamBuilder(1, 1)
    work(slow, 800)
    for build in (slow, fast):
        cross(build, "set", "V")
        cross(build, "wait", "MTE3")
    work(fast, 100)  # goes on meanwhile
    timing = time_execution(execution(slow.stream(), fast.stream()))
    assert timing.core_cycles[1] < 200
    held = StreamBuilder(1, 1)
    cross(held, "set", "V")
    cross(held, "wait", "S")
    work(held, 100)
    timing = time_execution(execution(slow.stream(), held.stream()))
    assert timing.core_cycles[1] > 800 + 100 + SYNC


def test_a_flag_set_long_ago_costs_no_wait():
    build = StreamBuilder(2, 0)
    cross(build, "set", "S")
    work(build, 4000)
    build.barrier("ALL")
    cross(build, "wait", "S")
    timing = time_execution(execution(build.stream()))
    (part,) = timing.classes
    assert part.end_ticks[-1] - part.end_ticks[-2] == ISSUE * TICKS_PER_CYCLE


def test_a_stopped_launch_is_timed_too():
    """A core that never arrives (its block was at fault) holds up nobody here."""
    timing = time_execution(execution(core(0, 5, 5).stream(), core(1, 3).stream()))
    assert timing.cycles > 0 and len(timing.core_cycles) == 2


def test_a_single_core_meets_itself():
    timing = time_execution(execution(core(0, 10, 10).stream()))
    assert np.isclose(ends(timing)[0][0], SYNC, rtol=0.1)
