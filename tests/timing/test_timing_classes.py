"""Blocks timed together, waves of blocks over cores, and what bounds a launch."""

import numpy as np
import pytest
from timing_streams import StreamBuilder, add_ladder, execution, gm

from npusim.core.stream import Segment, Stream
from npusim.timing import time_execution
from npusim.timing.result import bound_of


def worker(blocks=1, first=0, repeats=1000, buffer=1, offset=0) -> StreamBuilder:
    build = StreamBuilder(blocks, first)
    base = np.arange(first, first + blocks) * 4096 + offset
    build.load(0, gm(buffer, base), 4096)
    build.set("MTE2_V")
    build.wait("MTE2_V")
    build.vector("adds", 65536, [0], 256 * repeats)
    return build


def alone(build: StreamBuilder) -> list[Stream]:
    """The same blocks, each as a stream of its own."""
    whole = build.stream()
    return [
        Stream(Segment(np.array([block]), None, [_row(s, i) for s in build.steps]))
        for i, block in enumerate(whole.blocks.tolist())
    ]


def _row(step, index):
    def pick(accesses):
        return tuple(
            a._replace(base=int(a.base[index])) if np.ndim(a.base) else a
            for a in accesses
        )

    return step._replace(reads=pick(step.reads), writes=pick(step.writes))


@pytest.mark.parametrize("offset", [0, 32], ids=["aligned", "unaligned"])
@pytest.mark.parametrize("blocks", [1, 7, 48, 100])
def test_lockstep_and_block_by_block_take_the_same_cycles(blocks, offset):
    build = worker(blocks, offset=offset)
    together = time_execution(execution(build.stream()))
    apart = time_execution(execution(*alone(build)))
    assert together.cycles == apart.cycles
    assert together.core_cycles == apart.core_cycles
    assert together.floor_cycles == apart.floor_cycles
    assert len(apart.classes) == 1
    assert apart.classes[0].blocks.tolist() == list(range(blocks))


def test_a_split_group_shares_its_past():
    start = worker(4)
    shared = Segment(np.arange(4), None, start.steps)
    tails = []
    for blocks, extra in (([0, 1, 3], 1), ([2], 3)):
        tail = StreamBuilder()
        for _ in range(extra):
            tail.vector("adds", 0, [65536], 256 * 500)
        tails.append(Stream(Segment(np.array(blocks), shared, tail.steps)))
    timing = time_execution(execution(*tails))
    assert [c.blocks.tolist() for c in timing.classes] == [[0, 1, 3], [2]]
    assert [len(c.start_ticks) for c in timing.classes] == [5, 7]
    assert timing.core_cycles[2] > timing.core_cycles[3] == timing.core_cycles[0]
    assert timing.nbytes_read == 4 * 4096


def test_more_blocks_than_cores_run_in_waves():
    one = time_execution(execution(worker(48).stream()))
    three = time_execution(execution(worker(144).stream()))
    assert len(three.core_cycles) == 48
    hand_out = 37  # 20 ns
    ratio = (max(three.core_cycles) - 2 * hand_out) / max(one.core_cycles)
    assert ratio == pytest.approx(3, rel=0.02)
    assert three.launch_cycles == one.launch_cycles


def test_an_uneven_last_wave_costs_a_whole_one():
    full = time_execution(execution(worker(96).stream()))
    over = time_execution(execution(worker(97).stream()))
    assert over.core_cycles[0] > 1.45 * max(full.core_cycles)
    assert over.core_cycles[1] < 1.01 * max(full.core_cycles)
    assert over.cycles > full.cycles


def test_launch_grows_with_cores_and_cold_code():
    def launch(blocks, code):
        run = execution(worker(blocks).stream())
        return time_execution(run, code=code).launch_cycles

    assert launch(48, "warm") - launch(1, "warm") == pytest.approx(47 * 37, abs=1)
    assert launch(48, "cold") - launch(48, "warm") == pytest.approx(48 * 194.25, abs=1)
    assert launch(480, "warm") == launch(48, "warm")


def bound(**changes):
    facts = {
        "cycles": 10000,
        "launch_cycles": 1000,
        "core_cycles": (9000, 9000),
        "pipe_cycles": {"S": 900.0, "V": 1000.0, "MTE2": 8000.0},
    }
    return bound_of(**{**facts, **changes})


def test_what_bounds_a_launch():
    assert bound() == "MTE2"
    assert bound(pipe_cycles={"S": 9000.0, "V": 0.0}) == "S"
    assert bound(pipe_cycles={"MTE2": 5000.0, "V": 5300.0}) == "SYNC"
    assert bound(core_cycles=(9000, 1000, 1000)) == "IMBALANCE"
    assert bound(launch_cycles=5000) == "START"
    assert bound(core_cycles=()) == "START"


def test_bounds_of_whole_launches():
    def of(*streams):
        return time_execution(execution(*streams)).bound

    assert of(worker(repeats=30000).stream()) == "V"
    assert of(worker(repeats=1).stream()) == "START"
    uneven = worker(1, 0, 60000), worker(7, 1, 600)
    assert of(*(build.stream() for build in uneven)) == "IMBALANCE"
    assert time_execution(add_ladder(4, 2048, 1, 1 << 20)).bound == "MTE2"


GOLDEN = {
    "one block": (lambda: worker(1).stream(), 3478),
    "two waves": (lambda: worker(50).stream(), 6854),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_cycles(name):
    """A change here changes every grade: explain it in the commit."""
    stream, cycles = GOLDEN[name]
    assert time_execution(execution(stream())).cycles == cycles


LADDER = {
    (48, 4096, 1): 35428,
    (48, 4096, 2): 28092,
    (8, 16384, 2): 48761,
    (1, 2048, 2): 611024,
}


@pytest.mark.parametrize("shape", LADDER)
def test_golden_cycles_of_small_adds(shape):
    run = add_ladder(*shape, size=1 << 22)
    assert time_execution(run).cycles == LADDER[shape]
