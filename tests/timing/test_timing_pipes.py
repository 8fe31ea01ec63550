"""One core, closed forms: what every step costs and what it waits for."""

import math

import pytest
from timing_streams import StreamBuilder, execution, gm

from npusim.chip import load_chip
from npusim.timing import TICKS_PER_CYCLE, launch_cycles, time_execution

CHIP = load_chip("910B1")
ISSUE, QUEUE, START = 3, 24, 22.5
READ = CHIP.cycles_of_ns(218)  # latency of a read that misses, cycles
WRITE = CHIP.cycles_of_ns(140)


def run(build: StreamBuilder, **states):
    return time_execution(execution(build.stream()), **states)


def ends(build: StreamBuilder) -> list[float]:
    """Cycles at which the steps end."""
    (one,) = run(build).classes
    return [ticks / TICKS_PER_CYCLE for ticks in one.end_ticks]


def near(*cycles):
    return pytest.approx(cycles, abs=0.02)


def test_one_vector_instruction():
    build = StreamBuilder()
    build.vector("adds", 0, [8192], 64 * 256)
    assert ends(build) == near(ISSUE + START + 64)


@pytest.mark.parametrize(
    "second, cycles",
    [(8 * 32, 64), (0, 64), (8192, 128), (24 * 32, 64), (12 * 32, 128)],
)
def test_sources_in_one_bank_group_cost_the_conflict(second, cycles):
    build = StreamBuilder()
    build.vector("add", 65536, [0, second], 64 * 256)
    assert ends(build) == near(ISSUE + START + cycles)


def test_independent_vector_instructions_follow_after_one_cycle():
    build = StreamBuilder()
    build.vector("adds", 0, [8192], 64 * 256)
    build.vector("adds", 32768, [65536], 64 * 256)
    first = ISSUE + START + 64
    assert ends(build) == near(first, first + 1 + 64)


def test_dependent_vector_instructions_wait_for_the_result():
    build = StreamBuilder()
    build.vector("adds", 0, [8192], 64 * 256)
    build.vector("adds", 32768, [0], 64 * 256)
    first = ISSUE + START + 64
    assert ends(build) == near(first, first + 22 + 64)


def test_a_barrier_drains_its_pipe():
    build = StreamBuilder()
    build.vector("adds", 0, [8192], 64 * 256)
    build.barrier("V")
    build.vector("adds", 32768, [65536], 64 * 256)
    first = ISSUE + START + 64
    assert ends(build) == near(first, 2 * ISSUE, first + START + 64)
    assert run(build).classes[0].waits == ["", "", "barrier"]


def test_a_barrier_on_all_pipes_holds_the_scalar_unit():
    build = StreamBuilder()
    build.load(0, gm(1, 0), 6000)
    build.barrier("ALL")
    build.scalar()
    read = ISSUE + READ + 100
    assert ends(build) == near(read, read, read + 10)


def drained(*barriers):
    """Cycles of the last step: vector work, barriers, a scalar read."""
    build = StreamBuilder()
    build.vector("adds", 0, [8192], 64 * 256)
    for pipe in barriers:
        build.barrier(pipe)
    build.scalar()
    return ends(build)[-1]


def test_s_learns_of_vector_work_one_round_trip_later():
    """From a flag, or from a barrier of all pipes; a barrier of V tells S nothing."""
    flagged = StreamBuilder()
    flagged.vector("adds", 0, [8192], 64 * 256)
    flagged.set("V_S")
    flagged.wait("V_S")
    flagged.scalar()
    vector = ISSUE + START + 64
    assert drained("ALL") == ends(flagged)[-1] == vector + 45 + 10
    assert drained("ALL", "ALL") == drained("ALL") + ISSUE
    assert drained("V") == 2 * ISSUE + 10
    flagged.barrier("ALL")  # S has been told
    assert ends(flagged)[-1] == vector + 45 + 10 + ISSUE


def test_a_barrier_of_all_pipes_costs_no_scalar_round_trip_when_that_is_off():
    build = StreamBuilder()
    build.vector("adds", 0, [8192], 64 * 256)
    build.barrier("ALL")
    chip = CHIP.without("scalar_cost")
    (part,) = time_execution(execution(build.stream(), chip=chip)).classes
    assert part.end_ticks[-1] == part.end_ticks[0]


def test_one_core_copies_at_its_own_rate():
    build = StreamBuilder()
    build.load(0, gm(1, 0), 6000 * 16)
    assert ends(build) == near(ISSUE + READ + 1600)


def test_back_to_back_copies_hide_the_latency():
    build = StreamBuilder()
    build.load(0, gm(1, 0), 6144)
    build.load(8192, gm(1, 8192), 6144)
    first = ISSUE + READ + 102.4
    assert ends(build) == near(first, first + 102.4)
    assert run(build).classes[0].waits == ["", "pipe"]


@pytest.mark.parametrize("nbytes, count, cycles", [(32, 1, 18), (32, 40, 160)])
def test_small_copies_cost_a_minimum(nbytes, count, cycles):
    build = StreamBuilder()
    build.load(0, gm(1, 0), nbytes, count, 512)
    assert ends(build) == near(ISSUE + READ + cycles)


def chain(build: StreamBuilder) -> None:
    build.load(0, gm(1, 0), 8192)
    build.set("MTE2_V")
    build.wait("MTE2_V")
    build.vector("adds", 65536, [0], 8192)
    build.set("V_MTE3")
    build.wait("V_MTE3")
    build.store(gm(2, 0), 65536, 8192)


def test_flags_order_pipes_and_cost_their_issue():
    build = StreamBuilder()
    chain(build)
    read = ISSUE + READ + 8192 / 60
    vector = read + START + 32
    written = vector + WRITE + 81.92
    issued = [ISSUE * n for n in range(1, 7)]
    expected = [read, *issued[1:3], vector, *issued[4:], written]
    assert ends(build) == near(*expected)
    assert run(build).classes[0].waits == ["", "", "", "flag", "", "", "flag"]


def test_cycles_are_launch_plus_core():
    build = StreamBuilder()
    chain(build)
    timing = run(build)
    core = ISSUE + READ + 8192 / 60 + START + 32 + WRITE + 81.92
    assert timing.core_cycles == (math.ceil(core),)
    assert timing.launch_cycles == math.ceil(1.85 * 1070)
    assert timing.cycles == timing.launch_cycles + math.ceil(core)
    assert (timing.nbytes_read, timing.nbytes_written) == (8192, 8192)
    assert timing.pipe_cycles["V"] == pytest.approx(54.5, abs=0.01)
    assert timing.pipe_cycles["S"] == 7 * ISSUE


def overlapped(slots: int, tiles: int) -> StreamBuilder:
    """Reads of 1000 cycles and vector work of 1000 + 22.5, `slots` buffers."""
    build = StreamBuilder()
    for tile in range(tiles):
        slot = tile % slots
        if tile >= slots:
            build.wait("V_MTE2", slot)
        build.load(slot * 65536, gm(1, tile << 16), 60000)
        build.set("MTE2_V", slot)
        build.wait("MTE2_V", slot)
        for part in range(4):
            build.vector("adds", slot * 65536, [slot * 65536], 250 * 256)
            build.steps[-1] = build.steps[-1]._replace(
                cost=build.steps[-1].cost._replace(repeats=250 - 22 * (part > 0))
            )
        if tile + slots < tiles:
            build.set("V_MTE2", slot)
    return build


def test_two_buffers_overlap_copy_and_compute():
    work, tiles = START + 1000, 8
    single = ends(overlapped(1, tiles))
    double = ends(overlapped(2, tiles))
    assert max(single) == pytest.approx(tiles * (READ + 1000 + work), abs=8 * ISSUE)
    assert max(double) == pytest.approx(
        READ + 1000 + 2 * work + 3 * (READ + 1000 + work), abs=8 * ISSUE
    )  # a slot's round trip is the limit: its read waits for its vector work


def test_scalar_unit_waits_for_the_vector_pipe():
    build = StreamBuilder()
    build.vector("adds", 0, [8192], 64 * 256)
    build.set("V_S")
    build.wait("V_S")
    build.scalar()
    vector = ISSUE + START + 64
    assert ends(build) == near(vector, 6, vector + 45, vector + 55)
    assert run(build).classes[0].waits == ["", "", "flag", ""]


def test_scalar_costs():
    build = StreamBuilder()
    build.setup()
    build.queue("alloc_tensor")
    build.scalar_steps = 7
    build.scalar("set_value")
    assert ends(build) == near(50, 74, 74 + 7 + 10)


def test_scalar_reads_of_global_memory_pay_the_latency_once():
    build = StreamBuilder()
    for index in range(3):
        build.scalar("get_value", gm(1, 4 * index), "GM", 4)
    later = 10 + READ * 4 / 64
    assert ends(build) == near(10 + READ, 10 + READ + later, 10 + READ + 2 * later)
    assert run(build).nbytes_read == 12


def test_queue_calls_order_like_flags():
    build = StreamBuilder()
    build.queue("alloc_tensor")
    build.load(0, gm(1, 0), 6000)
    build.queue("enque", "set", "MTE2", "V", (0, 0, "full"))
    build.queue("deque", "wait", "MTE2", "V", (0, 0, "full"))
    build.vector("adds", 65536, [0], 6000)
    build.queue("free_tensor", "set", "V", "MTE2", (0, 0, "free"))
    build.queue("alloc_tensor", "wait", "V", "MTE2", (0, 0, "free"))
    build.load(0, gm(1, 0), 6000)
    (one,) = run(build).classes
    assert one.waits == ["", "", "", "", "queue", "", "", "queue"]
    assert one.start_ticks[-1] == one.end_ticks[4]
    assert one.start_ticks[0] == 0 and one.end_ticks[0] == QUEUE * TICKS_PER_CYCLE


def test_an_idle_pipe_waits_for_issue():
    build = StreamBuilder()
    build.vector("adds", 0, [8192], 256)
    build.scalar_steps = 100
    build.vector("adds", 0, [8192], 256)
    assert run(build).classes[0].waits == ["", "issue"]


def test_a_wait_without_its_set_holds_nobody():
    build = StreamBuilder()
    build.wait("MTE2_V")
    build.vector("adds", 0, [8192], 256)
    assert ends(build) == near(3, 6 + START + 1)


def test_copies_inside_the_unified_buffer_run_on_the_vector_pipe():
    build = StreamBuilder()
    build.vector("copy", 0, [8192], 64 * 256)
    assert ends(build) == near(ISSUE + START + 64)


def test_an_empty_kernel_is_launch_only():
    timing = run(StreamBuilder())
    assert timing.cycles == timing.launch_cycles == launch_cycles(CHIP, 1, "warm")
    assert timing.bound == "START"
    assert timing.core_cycles == (0,)


@pytest.mark.parametrize("states", [{"cache": "hot"}, {"code": "icy"}])
def test_unknown_states_are_refused(states):
    with pytest.raises(ValueError, match="expected one of"):
        run(StreamBuilder(), **states)
