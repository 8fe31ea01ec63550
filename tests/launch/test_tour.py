"""The outside behaviour of the simulator on one page."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npusim import asc
from tests.launch import kernels


def pair(n: int, dtype=np.float16) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x = (np.arange(n) % 101).astype(dtype)
    y = (np.arange(n) % 37 - 18).astype(dtype)
    return x, y, np.zeros(n, dtype)


def test_scalar_loop():
    x, y, z = pair(191)
    run = kernels.scalar_add[3](x, y, z, 191)
    assert np.array_equal(z, x + y)
    assert run.bound == "S"


@pytest.mark.parametrize("blocks", [1, 8, 48])
def test_flags(blocks):
    x, y, z = pair(48 * 2048)
    run = kernels.flag_add[blocks](x, y, z, x.size // blocks, 1024)
    assert np.array_equal(z, x + y)
    assert not run.found
    assert (run.nbytes_read, run.nbytes_written) == (2 * x.nbytes, x.nbytes)


@pytest.mark.parametrize("buffers", [1, 2])
def test_queues(buffers):
    x, y, z = pair(8 * 16384)
    run = kernels.queue_add[8](x, y, z, 16384, 2048, buffers=buffers)
    assert np.array_equal(z, x + y)
    assert not run.found


def test_second_buffer_overlaps_copy_and_compute():
    x, y, z = pair(8 * 65536)
    one, two = (
        kernels.queue_add[8](x, y, z, 65536, 4096, buffers=b).cycles for b in (1, 2)
    )
    assert two < 0.9 * one


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 20_000),
    blocks=st.integers(1, 60),
    dtype=st.sampled_from([np.float16, np.float32, np.int32]),
    tile=st.sampled_from([64, 1024, 4096]),
)
def test_any_length(n, blocks, dtype, tile):
    x, y, z = pair(n, dtype)
    run = kernels.any_add[blocks](x, y, z, n, np.dtype(dtype), tile)
    assert np.array_equal(z, x + y)
    assert not run.found


def test_same_program_same_cycles_and_floor_below():
    x, y, z = pair(100_003)
    first, second = (
        kernels.any_add[40](x, y, z, x.size, asc.half, 4096) for _ in range(2)
    )
    assert first.cycles == second.cycles
    assert 0 < first.floor_us <= first.time_us
    assert first.time_us == pytest.approx(first.cycles / 1850)


def test_events_lie_in_the_core_time():
    x, y, z = pair(8 * 2048)
    run = kernels.queue_add[8](x, y, z, 2048, 1024)
    events = run.events()
    assert {e.block for e in events} == set(range(8))
    assert {"S", "V", "MTE2", "MTE3"} <= {e.pipe for e in events}
    assert all(0 <= e.start_cycle <= e.end_cycle for e in events)
    ends = max(e.end_cycle for e in events)
    assert max(run.core_cycles) - 1 <= ends <= max(run.core_cycles)
