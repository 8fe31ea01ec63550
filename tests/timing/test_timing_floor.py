"""The floor: monotone, and below every stream that can be written."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from timing_streams import StreamBuilder, execution, gm

from npusim.chip import chip_names, load_chip
from npusim.timing import floor_cycles, time_execution

CHIP = load_chip("910B1")
MIB = 1 << 20
ROOM = 1 << 28  # bytes of each buffer in the random streams

sizes = st.sampled_from([32, 96, 512, 4096, 16384, 65536])
steps = st.one_of(
    st.tuples(st.just("load"), sizes, st.integers(1, 6), st.booleans()),
    st.tuples(st.just("store"), sizes, st.integers(1, 6), st.booleans()),
    st.tuples(st.just("vector"), sizes, st.integers(0, 2), st.booleans()),
    st.tuples(st.just("get"), st.sampled_from([2, 4, 8]), st.just(0), st.booleans()),
    st.tuples(st.just("put"), st.sampled_from([2, 4, 8]), st.just(0), st.booleans()),
)


def append(build: StreamBuilder, index: int, blocks: int, step) -> None:
    kind, nbytes, number, flag = step
    stride = number * nbytes * (1 if flag else 2) or nbytes
    base = np.arange(blocks) * 65536 * 12 + index * stride * (index % 3)
    if kind == "load":
        build.load(0, gm(1, base), nbytes, number, stride)
    elif kind == "store":
        build.store(gm(2, base), 0, nbytes, number, stride)
    elif kind == "vector":
        build.vector(("add", "exp", "adds")[number], 0, [65536, 65792], nbytes)
    elif kind == "get":
        build.scalar("get_value", gm(1, base), "GM", nbytes)
    else:
        build.scalar("set_value", gm(2, base), "GM", nbytes)


@settings(max_examples=250, deadline=None, derandomize=True)
@given(
    program=st.lists(steps, min_size=1, max_size=25),
    blocks=st.sampled_from([1, 2, 17, 48, 60, 200]),
    states=st.sampled_from(
        [("cold", "warm"), ("dirty", "cold"), ("l2", "warm"), ("keep", "warm")]
    ),
    chip=st.sampled_from(chip_names()),
    resident=st.dictionaries(
        st.sampled_from([1, 2]), st.sampled_from([0.01, 0.4, 1.0]), max_size=2
    ),
    older=st.lists(st.tuples(st.sampled_from([MIB, ROOM]), st.floats(0, 1))),
    bypassed=st.frozensets(st.sampled_from([1, 2])),
    room=st.sampled_from([ROOM, 8 * MIB]),
    off=st.frozensets(st.sampled_from(sorted(CHIP.mechanisms)), max_size=2),
)
def test_no_stream_is_below_its_floor(
    program, blocks, states, chip, resident, older, bypassed, room, off
):
    build = StreamBuilder(blocks)
    for index, step in enumerate(program):
        append(build, index, blocks, step)
    chosen = load_chip(chip).without(*off)
    run = execution(build.stream(), chip=chosen, sizes={1: room, 2: room})
    run.cache_hints = dict.fromkeys(bypassed, "CACHE_MODE_DISABLE")
    cache, code = states
    timing = time_execution(
        run, cache=cache, code=code, resident=resident, older=tuple(older)
    )
    assert timing.cycles >= timing.floor_cycles


def test_floor_of_nothing_is_the_launch_on_one_core():
    assert floor_cycles(CHIP, 0, 0) == pytest.approx(1.85 * 1070, abs=1)


def test_floor_of_a_large_add_is_the_bandwidth():
    """Add 8192 x 8192 fp16: inputs past L2 at HBM rate, L2 holds all writes."""
    written = 128 * MIB
    time_ns = 2 * written / 1500
    cycles = floor_cycles(CHIP, 2 * written, written)
    launch = 1.85 * (1050 + 20 * 5)
    assert time_ns * 1.85 < cycles < time_ns * 1.85 + 1.85 * (1050 + 20 * 48)
    assert cycles > time_ns * 1.85 + launch


def test_floor_without_bypass_lets_inputs_push_writes_out():
    written = 128 * MIB
    back = 1 - CHIP.l2_nbytes / (3 * written)
    time_ns = 2 * written / 1500 + written * (back / 1000 + (1 - back) / 12000)
    cycles = floor_cycles(CHIP.without("l2_bypass"), 2 * written, written)
    assert time_ns * 1.85 < cycles < time_ns * 1.85 + 1.85 * (1050 + 20 * 48)


def test_floor_of_compute_uses_all_cores():
    cycles = floor_cycles(CHIP, 0, 0, 48 * 100_000)
    assert cycles == pytest.approx(100_000 + 1.85 * 2010, abs=2)


def test_floor_of_little_work_uses_few_cores():
    assert floor_cycles(CHIP, 4096, 4096) < floor_cycles(CHIP, 1 << 20, 1 << 20)
    assert floor_cycles(CHIP, 512, 512) < 1.85 * (1050 + 20 * 48)


def test_floor_grows_with_its_inputs():
    amounts = [0, 1000, MIB, 20 * MIB, 300 * MIB]
    for cache in ("cold", "dirty", "l2", "keep"):
        reads = [floor_cycles(CHIP, n, MIB, cache=cache) for n in amounts]
        writes = [floor_cycles(CHIP, MIB, n, cache=cache) for n in amounts]
        vector = [floor_cycles(CHIP, MIB, MIB, n, cache=cache) for n in amounts]
        assert reads == sorted(reads)
        assert writes == sorted(writes)
        assert vector == sorted(vector)


def test_floor_knows_the_state_of_the_caches():
    def floor(**states):
        return floor_cycles(CHIP, 50 * MIB, 25 * MIB, **states)

    assert floor(cache="l2") < floor(cache="cold") < floor(cache="dirty")
    assert floor(code="warm") < floor(code="cold")
    assert floor(cache="keep", resident_nbytes=0) == floor(cache="cold")
