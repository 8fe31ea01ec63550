"""Cores that meet and accumulate, through the whole chain: values, order, times."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npusim import asc
from npusim.diagnostic import KernelError
from tests.launch.order_kernels import Tiling, accumulate, rotate


def shares(blocks: int, tile: int, dtype, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(blocks, tile)) * 20).astype(dtype)


def in_order(combine, z: np.ndarray, x: np.ndarray, rounds: int) -> np.ndarray:
    """Contributions block by block, rounded to the dtype each time."""
    for row in x:
        for _ in range(rounds):
            z = combine(z, row).astype(z.dtype)
    return z


@settings(max_examples=30, deadline=None)
@given(
    kind=st.sampled_from(["add", "max", "min"]),
    dtype=st.sampled_from(["float16", "float32", "int32", "int16", "int8"]),
    blocks=st.integers(1, 9),
    rounds=st.integers(1, 3),
    seed=st.integers(0, 99),
)
def test_contributions_are_applied_by_block_and_program_order(
    kind, dtype, blocks, rounds, seed
):
    x = shares(blocks, 64, dtype, seed)
    z = shares(1, 64, dtype, seed + 1)[0]
    combine = {"add": np.add, "max": np.maximum, "min": np.minimum}[kind]
    with np.errstate(all="ignore"):
        expected = in_order(combine, z.copy(), x, rounds)
    accumulate[blocks](x, z, Tiling(64, rounds), kind)
    assert z.tobytes() == expected.tobytes()


def test_a_half_sum_overflows_to_infinity_or_sticks():
    x = np.full((4, 16), 30_000, np.float16)
    for overflow, largest in (("inf", np.inf), ("saturate", 65_504)):
        z = np.zeros(16, np.float16)
        accumulate.launch(x, z, Tiling(16), blocks=4, overflow=overflow)
        assert (z == largest).all()


def test_a_block_sees_its_own_contribution():
    text = """
@asc.jit
def kernel(x: asc.GlobalAddress, z: asc.GlobalAddress):
    g = asc.GlobalTensor()
    g.set_global_buffer(z + asc.get_block_idx() * 64, 64)
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.duplicate(t, 1.5, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.set_atomic_add(asc.float32)
    asc.data_copy(g, t, 64)
    asc.data_copy(g[32:], t, 16)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(t, g, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.set_atomic_none()
    asc.muls(t, t, 2.0, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(g, t, 24)
"""
    from npusim.launch import Kernel

    kernel = Kernel.from_text(text, "k.py", "kernel", {"asc": asc})
    z = np.ones(192, np.float32)
    run = kernel[3](np.zeros(1, np.float32), z)
    assert not run.found
    own = np.r_[np.full(24, 5.0), np.full(8, 2.5), np.full(16, 4.0), np.full(16, 2.5)]
    assert (z.reshape(3, 64) == own).all()


@pytest.mark.parametrize("blocks", [1, 2, 8, 48])
def test_cores_read_what_others_wrote_before_they_met(blocks):
    n = 48 * 64
    x = np.arange(n, dtype=np.float32)
    z, y = np.zeros_like(x), np.zeros_like(x)
    run = rotate[blocks](x, z, y, n)
    assert not run.found
    assert (y == x).all() and (z == x).all()


def test_all_cores_leave_a_meeting_together():
    n = 8 * 1024
    x = np.arange(n, dtype=np.float32)
    run = rotate[8](x, np.zeros_like(x), np.zeros_like(x), n)
    meetings = [e for e in run.events() if e.name == "sync_all"]
    assert len({e.end_cycle for e in meetings}) == 1 and len(meetings) == 8
    done = max(e.end_cycle for e in run.events() if e.end_cycle < meetings[0].end_cycle)
    latency = asc.chip("910B1").constant("core_sync")
    assert meetings[0].end_cycle == pytest.approx(done + latency, abs=1)


def test_the_kernel_is_not_faster_than_its_slowest_core():
    """A core that works longer before the meeting holds up all others."""
    text = """
@asc.jit
def kernel(z: asc.GlobalAddress, rounds: int):
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 4096)
    if asc.get_block_idx() == 3:
        for i in range(rounds):
            asc.duplicate(t, 1.0, 4096)
    asc.sync_all()
    asc.duplicate(t, 2.0, 4096)
"""
    from npusim.launch import Kernel

    kernel = Kernel.from_text(text, "k.py", "kernel", {"asc": asc})
    z = np.zeros(8, np.float32)
    short, long = (kernel[8](z, rounds) for rounds in (0, 200))
    slowest = long.cycles - short.cycles
    assert slowest > 200 * 64
    ends = {e.end_cycle for e in long.events() if e.name == "sync_all"}
    assert len(ends) == 1
    assert min(long.core_cycles) > 200 * 64  # the others waited


def test_a_fault_before_a_meeting_is_the_only_message():
    text = """
@asc.jit
def kernel(z: asc.GlobalAddress, n: int):
    k = n // (asc.get_block_idx() - 2)
    asc.sync_all()
    asc.printf(f"{k}")
"""
    from npusim.launch import Kernel

    kernel = Kernel.from_text(text, "k.py", "kernel", {"asc": asc})
    with pytest.raises(KernelError) as info:
        kernel[4](np.zeros(8, np.float32), 6)
    assert [d.code for d in info.value.diagnostics] == ["ASC-RUN-02"]
    assert info.value.run.prints == ()
