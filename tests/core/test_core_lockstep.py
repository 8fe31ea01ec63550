"""Lockstep and block by block leave the same bits, streams, faults and findings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from core_builder import BLOCK, Builder, buffers, gm, op, run
from core_kernels import copy_params, flag, queue_add, static_add
from hypothesis import given, settings
from hypothesis import strategies as st

from npusim.core import Stream
from npusim.lang.program import Select
from npusim.lang.types import HardEvent, TPosition, float32, half, int32

BLOCKS = 7


def plain(access, row):
    base = access.base
    at = int(base[row]) if isinstance(base, np.ndarray) else base
    return access._replace(base=at)


def history(done):
    """block → its steps, with the global addresses of that block."""
    found = {}
    for stream in done.streams:
        steps = list(stream.localized())
        for row, block in enumerate(stream.blocks.tolist()):
            found[block] = [
                step._replace(
                    reads=tuple(plain(a, row) for a in step.reads),
                    writes=tuple(plain(a, row) for a in step.writes),
                )
                for step in steps
            ]
    return found


def both_ways(program, values, blocks=BLOCKS, **more):
    """Run both ways, and again with what the first left (`npusim.core.reuse`); compare
    everything; the lockstep execution."""
    runs = []
    for lockstep in (True, False, True):
        own = {k: copy_of(v) for k, v in values.items()}
        done = run(program, own, blocks, lockstep=lockstep, **more)
        data = {i: b.data.tobytes() for i, b in done.buffers.items()}
        runs.append((done, data))
    (fast, fast_data), *others = runs
    for other, other_data in others:
        assert fast_data == other_data
        assert fast.faults == other.faults and fast.findings == other.findings
        assert fast.prints == other.prints and fast.executed == other.executed
        assert history(fast) == history(other)
    return fast


def copy_of(value):
    return replace(value, data=value.data.copy()) if hasattr(value, "data") else value


def arrays(n, dtype=np.float32):
    rng = np.random.default_rng(n)
    x, y = (rng.normal(size=n).astype(dtype) for _ in "xy")
    return buffers(x=x, y=y, z=np.zeros_like(x))


@pytest.mark.parametrize("dtype", [half, float32])
def test_static_add(dtype):
    done = both_ways(static_add(dtype, 256, 64), arrays(7 * 256, dtype.numpy))
    assert len(done.streams) == 1


@pytest.mark.parametrize("n", [0, 1, 63, 64, 300, 7 * 64 - 5])
def test_queue_add_with_tails(n):
    values = arrays(7 * 64) | {"n": n}
    done = both_ways(queue_add(float32, 64, 16), values)
    assert not done.faults
    expected = values["x"].data + values["y"].data
    expected[n:] = 0
    np.testing.assert_array_equal(done.buffers[3].data, expected)


def divergent():
    """Loops as long as the block's number, arms by remainder, an early end."""
    b = Builder()
    x = b.param("x", "buffer", int32)
    total = b.assign(op("*", BLOCK, 0))
    with b.loop(0, BLOCK) as i:
        odd = b.branch(op("==", op("%", op("+", i, BLOCK), 3), 0, "bool"))
        b.assign(op("+", total, op("*", i, 10)), total)
        b.land(odd)
        b.assign(op("+", total, 1), total)
        b.print("i=", (i, "d"), " total=", (total, "d"))
    early = b.branch(op("<", BLOCK, 4, "bool"))
    b.issue("set_value", tensor=gm(int32, x, 0, 64, "x"), index=BLOCK, value=total)
    b.land(early)
    second = op("+", BLOCK, 32)
    b.issue("set_value", tensor=gm(int32, x, 0, 64, "x"), index=second, value=total)
    return b.program()


def test_divergent_blocks_keep_their_states_apart():
    done = both_ways(divergent(), buffers(x=np.full(64, -1, np.int32)))
    expected = np.full(64, -1, np.int32)
    for block in range(BLOCKS):
        total = sum((10 * i if (i + block) % 3 == 0 else 0) + 1 for i in range(block))
        expected[block + 32] = total
        if block < 4:
            expected[block] = total
    np.testing.assert_array_equal(done.buffers[1].data, expected)
    assert 1 < len(done.streams) <= BLOCKS
    firsts = [int(s.blocks[0]) for s in done.streams]
    assert firsts == sorted(firsts)


def test_local_memory_and_flags_are_split_too():
    b = Builder()
    x = b.param("x", "buffer", int32)
    t = b.tensor(int32, 0, 8, "t")
    b.issue("set_flag", event=HardEvent.V_S, event_id=0)
    b.issue("duplicate", dst=t, scalar=op("*", BLOCK, 11), count=8)
    low = b.branch(op("<", BLOCK, 3, "bool"))
    b.issue("adds", dst=t, src=t, scalar=1000, count=8)
    b.land(low)
    b.issue("wait_flag", event=HardEvent.V_S, event_id=0)
    value = b.register()
    b.issue("get_value", (value,), tensor=t, index=5)
    b.issue("set_value", tensor=gm(int32, x, 0, 8, "x"), index=BLOCK, value=value)
    done = both_ways(b.program(), buffers(x=np.zeros(8, np.int32)))
    expected = [i * 11 + (1000 if i < 3 else 0) for i in range(BLOCKS)] + [0]
    assert done.buffers[1].data.tolist() == expected
    assert len(done.streams) == 2


def test_faults_of_some_blocks():
    b = Builder()
    x = b.param("x", "buffer", int32)
    with b.loop(0, 4) as i:
        at = op("+", op("*", BLOCK, 4), op("*", i, 3))
        b.issue("set_value", tensor=gm(int32, x, 0, 32, "x"), index=at, value=i)
        b.assign(op("//", 100, op("-", 5, op("+", BLOCK, i))))
    done = both_ways(b.program(), buffers(x=np.zeros(32, np.int32)))
    assert [(f.code, f.core) for f in done.faults] == [
        ("ASC-RUN-02", 2),
        ("ASC-GM-05", 6),
    ]


def test_faults_of_local_operands_split_by_value():
    b = Builder()
    t = b.tensor(float32, op("*", BLOCK, 8), 64, "t")
    b.issue("duplicate", dst=t, scalar=1.0, count=8)
    done = both_ways(b.program(), {})
    assert done.faults[0].core == 1 and len(done.streams) == BLOCKS


def test_differing_event_ids_and_counts():
    b = Builder()
    number = b.assign(op("%", BLOCK, 2))
    flag(b, HardEvent.MTE2_V, number)
    count = op("+", 8, op("*", number, 8))
    b.issue("duplicate", dst=b.tensor(half, 0, 64, "t"), scalar=2.0, count=count)
    assert len(both_ways(b.program(), {}).streams) == 2


@settings(max_examples=25, deadline=None)
@given(
    cut=st.integers(0, BLOCKS),
    divisor=st.integers(1, 4),
    rounds=st.integers(0, 5),
    scale=st.floats(-8, 8, width=32),
)
def test_family_of_programs(cut, divisor, rounds, scale):
    b = Builder()
    x = b.param("x", "buffer", float32)
    t = b.tensor(float32, 0, 64, "t")
    chosen = Select(op("<", BLOCK, cut, "bool"), BLOCK, op("-", 0, BLOCK), "int")
    start = b.assign(chosen)
    number = b.assign(op("*", start, scale, "float"))
    with b.loop(op("%", start, divisor), rounds) as i:
        b.assign(op("/", op("+", number, i, "float"), 3, "float"), number)
        b.issue("duplicate", dst=t, scalar=number, count=op("*", 8, divisor))
        b.issue("muls", dst=t, src=t, scalar=0.7, count=16)
        target = gm(float32, x, op("*", BLOCK, 16), 16, "x")
        b.issue("data_copy", dst=target, src=t, count=16)
    both_ways(b.program(), buffers(x=np.zeros(16 * BLOCKS, np.float32)))


NASTY = [
    0,
    1,
    -1,
    8,
    32,
    4096,
    196_608,
    2**31,
    2**39,
    2**40,
    2**62,
    -(2**62),
    2**63 - 1,
]
nasty = st.sampled_from(NASTY) | st.integers(-64, 300)


@settings(max_examples=150, deadline=None)
@given(
    name=st.sampled_from(["duplicate", "in", "out", "get", "set", "pad", "plan"]),
    numbers=st.tuples(*[nasty] * 4),
    spread=st.integers(0, 2),
)
def test_nasty_operands_never_escape(name, numbers, spread):
    address, size, count, index = numbers
    b = Builder()
    x = b.param("x", "buffer", int32)
    if spread:  # one operand differs from block to block
        index = op("+", index, op("*", BLOCK, spread))
    t = b.tensor(int32, address, size, "t")
    g = gm(int32, x, index, size, "g")
    params = copy_params(count, max(1, size % 5), 0, 0)
    result = (b.register(),)
    pipe, queue = b.resource("TPipe", "p"), b.resource("TQue", "q", TPosition.VECIN, 1)
    emit = {
        "duplicate": lambda: b.issue("duplicate", dst=t, scalar=index, count=count),
        "in": lambda: b.issue("data_copy", dst=t, src=g, count=count),
        "out": lambda: b.issue("data_copy", dst=g, src=t, count=count),
        "get": lambda: b.issue("get_value", result, tensor=g, index=count),
        "set": lambda: b.issue("set_value", tensor=t, index=index, value=size),
        "pad": lambda: b.issue("data_copy_pad", dst=t, src=g, params=params),
        "plan": lambda: b.issue(
            "init_buffer", pipe=pipe, buffer=queue, num=count, nbytes=size
        ),
    }
    emit[name]()
    done = both_ways(b.program(), buffers(x=np.arange(256, dtype=np.int32)), 3)
    for fault in done.faults:
        assert "?" not in fault.render("en") + fault.render("zh")


def test_more_blocks_than_start_together():
    done = both_ways(divergent_free(), buffers(x=np.zeros(150, np.int32)), 150)
    assert done.buffers[1].data.tolist() == [i * i for i in range(150)]
    assert len(done.streams) == 3


def divergent_free():
    b = Builder()
    x = b.param("x", "buffer", int32)
    square = op("*", BLOCK, BLOCK)
    b.issue("set_value", tensor=gm(int32, x, 0, 150, "x"), index=BLOCK, value=square)
    return b.program()


def test_segments_share_the_past():
    done = run(divergent(), buffers(x=np.zeros(64, np.int32)), BLOCKS)
    for stream in done.streams:
        assert isinstance(stream, Stream)
        chain = stream.segments()
        assert all(set(stream.blocks) <= set(s.blocks.tolist()) for s in chain)
