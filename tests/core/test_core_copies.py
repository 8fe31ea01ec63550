"""Copies: bursts, gaps, padding, exact bytes; accesses as recorded."""

import numpy as np
import pytest
from core_builder import BLOCK, Builder, buffers, gm, op, run
from core_kernels import copy_params, pad_params
from hypothesis import given, settings
from hypothesis import strategies as st

from npusim.lang.program import Record
from npusim.lang.types import float32, half, int8, int32

ROOM = 4096


def moved(build, x, z, dtype, blocks=1, **values):
    """Run what `build(b, x, tensor, z)` emits; (result, execution)."""
    b = Builder()
    gx, gz = b.param("x", "buffer", dtype), b.param("z", "buffer", dtype)
    build(b, gx, b.tensor(dtype, 0, ROOM, "t"), gz)
    given_values = buffers(x=x, z=z)
    done = run(b.program(), given_values | values, blocks)
    assert not done.faults, done.faults
    return given_values["z"].data, done


def block_params(count, length, source=0, target=0):
    """DataCopyParams."""
    fields = copy_params(length, count, source, target).fields
    return Record("DataCopyParams", fields)


def bytes_of(n):
    return np.arange(1, n + 1).astype(np.int8)


@settings(max_examples=40, deadline=None)
@given(
    count=st.integers(1, 6),
    length=st.integers(1, 4),
    gaps=st.tuples(*[st.integers(0, 3)] * 4),
)
def test_block_copies_with_gaps(count, length, gaps):
    x = bytes_of(2048)

    def build(b, gx, t, gz):
        source = gm(int8, gx, 0, 2048, "x")
        params = block_params(count, length, gaps[0], gaps[1])
        b.issue("data_copy", dst=t, src=source, params=params)
        back = block_params(count, length, gaps[1], gaps[3])
        b.issue("data_copy", dst=gm(int8, gz, 0, 2048, "z"), src=t, params=back)

    result, done = moved(build, x, np.zeros_like(x), int8)
    expected = np.zeros_like(x)
    for burst in range(count):
        start = burst * (length + gaps[0]) * 32
        target = burst * (length + gaps[3]) * 32
        expected[target : target + length * 32] = x[start : start + length * 32]
    np.testing.assert_array_equal(result, expected)
    first, second = done.streams[0].steps()
    assert (first.pipe, second.pipe) == ("MTE2", "MTE3")
    assert first.cost.repeats == first.reads[0].count == count
    assert first.reads[0].pitch == (length + gaps[0]) * 32
    assert second.writes[0].pitch == (length + gaps[3]) * 32


@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(1, 5),
    length=st.integers(1, 70),
    gap=st.integers(0, 9),
    blocks=st.integers(0, 2),
    sides=st.tuples(st.integers(0, 32), st.integers(0, 32)),
    is_pad=st.booleans(),
)
def test_padded_copy_in(count, length, gap, blocks, sides, is_pad):
    x, (left, right) = bytes_of(512), sides
    width = -(-(left + length + right) // 32) * 32

    def build(b, gx, t, gz):
        params = copy_params(length, count, gap, blocks)
        pads = pad_params(is_pad, left, right, -7)
        source = gm(int8, gx, 3, 509, "x")
        b.issue("data_copy_pad", dst=t, src=source, params=params, pad_params=pads)
        b.issue("data_copy", dst=gm(int8, gz, 0, ROOM, "z"), src=t, count=ROOM)

    result, done = moved(build, x, np.zeros(ROOM, np.int8), int8)
    expected = np.full(ROOM, -1, np.int8)  # poison is 0xFF
    for row in range(count):
        at = row * (width + blocks * 32)
        if is_pad:
            expected[at : at + left + length + right] = -7
        data = x[3 + row * (length + gap) :][:length]
        expected[at + left : at + left + length] = data
    np.testing.assert_array_equal(result, expected)
    step = next(done.streams[0].steps())
    undefined = sum(a.total_nbytes for a in step.writes if a.undefined)
    defined = length + (left + right if is_pad else 0)
    assert undefined == count * (width - defined)
    assert sum(a.total_nbytes for a in step.writes) == count * width


@settings(max_examples=40, deadline=None)
@given(
    count=st.integers(1, 5),
    length=st.integers(1, 70),
    gap=st.integers(0, 9),
    blocks=st.integers(0, 2),
)
def test_padded_copy_out_writes_exact_bytes(count, length, gap, blocks):
    x = bytes_of(1024)

    def build(b, gx, t, gz):
        b.issue("data_copy", dst=t, src=gm(int8, gx, 0, 1024, "x"), count=1024)
        params = copy_params(length, count, blocks, gap)
        b.issue("data_copy_pad", dst=gm(int8, gz, 5, 995, "z"), src=t, params=params)

    result, done = moved(build, x, np.zeros(1000, np.int8), int8)
    expected = np.zeros(1000, np.int8)
    pitch = -(-length // 32) * 32 + blocks * 32
    for row in range(count):
        at = 5 + row * (length + gap)
        expected[at : at + length] = x[row * pitch :][:length]
    np.testing.assert_array_equal(result, expected)
    assert list(done.streams[0].steps())[-1].writes[0].total_nbytes == count * length


@pytest.mark.parametrize("blocks", [1, 2, 5])
@pytest.mark.parametrize("direction", [1, -1])
def test_blocks_in_either_direction(blocks, direction):
    x = np.arange(320, dtype=np.float32)
    place = BLOCK if direction > 0 else op("-", blocks - 1, BLOCK)

    def build(b, gx, t, gz):
        at = op("*", place, 64)
        b.issue("data_copy", dst=t, src=gm(float32, gx, at, 64, "x"), count=64)
        b.issue("data_copy", dst=gm(float32, gz, at, 64, "z"), src=t, count=64)

    result, done = moved(build, x, np.zeros_like(x), float32, blocks)
    np.testing.assert_array_equal(result[: blocks * 64], x[: blocks * 64])
    if blocks > 1:
        base = next(done.streams[0].steps()).reads[0].base
        assert (np.diff(base) == direction * 256).all()


def test_uneven_and_shared_places():
    x = np.arange(256, dtype=np.int32)

    def build(b, gx, t, gz):
        uneven = op("*", op("*", BLOCK, BLOCK), 8)
        b.issue("data_copy", dst=t, src=gm(int32, gx, uneven, 8, "x"), count=8)
        b.issue("data_copy", dst=t_at(b, 8), src=gm(int32, gx, 0, 8, "x"), count=8)
        at = op("*", BLOCK, 16)
        b.issue("data_copy", dst=gm(int32, gz, at, 16, "z"), src=t, count=16)

    def t_at(b, element):
        return b.tensor(int32, element * 4, 8, "t")

    result, _ = moved(build, x, np.zeros(64, np.int32), int32, 4)
    rows = result.reshape(4, 16)
    for block, row in enumerate(rows):
        start = block * block * 8
        np.testing.assert_array_equal(row[:8], x[start : start + 8])
        np.testing.assert_array_equal(row[8:], x[:8])


@pytest.mark.parametrize("step", [0, 8])
def test_of_overlapping_writes_the_last_block_stays(step):
    x = np.arange(64, dtype=np.int32)

    def build(b, gx, t, gz):
        source = gm(int32, gx, op("*", BLOCK, 16), 16, "x")
        b.issue("data_copy", dst=t, src=source, count=16)
        target = gm(int32, gz, op("*", BLOCK, step), 16, "z")
        b.issue("data_copy", dst=target, src=t, count=16)

    result, _ = moved(build, x, np.zeros(64, np.int32), int32, 4)
    expected = np.zeros(64, np.int32)
    for block in range(4):
        expected[block * step :][:16] = x[block * 16 :][:16]
    np.testing.assert_array_equal(result, expected)


def test_copy_within_ub_runs_on_the_vector_pipe():
    x = np.arange(64, dtype=np.float16)

    def build(b, gx, t, gz):
        u = b.tensor(half, 512, 64, "u")
        b.issue("data_copy", dst=t, src=gm(half, gx, 0, 64, "x"), count=64)
        b.issue("data_copy", dst=u, src=t, params=block_params(2, 1, 1, 0))
        b.issue("data_copy", dst=gm(half, gz, 0, 32, "z"), src=u, count=32)

    result, done = moved(build, x, np.zeros(32, np.float16), half)
    np.testing.assert_array_equal(result, np.r_[x[:16], x[32:48]])
    step = list(done.streams[0].steps())[1]
    assert (step.pipe, step.cost.kind, step.cost.key) == ("V", "vector", "copy")


def test_count_of_zero_moves_nothing():
    def build(b, gx, t, gz):
        b.issue("data_copy", dst=t, src=gm(half, gx, 10**6, 0, "x"), count=0)

    _, done = moved(build, np.zeros(8, np.float16), np.zeros(8, np.float16), half)
    (step,) = done.streams[0].steps()
    assert step.reads == step.writes == () and step.cost.repeats == 0
