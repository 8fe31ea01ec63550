"""get_system_cycle: printed and stored when the launch has been timed."""

from __future__ import annotations

import re

import numpy as np
import pytest

from npusim import asc
from npusim.core.stamps import Line, Stamp
from npusim.diagnostic import KernelError
from npusim.launch import Kernel
from tests.launch.order_kernels import clocked

TEXT = """
@asc.jit
def kernel(z: asc.GlobalAddress, rounds: int):
    g = asc.GlobalTensor()
    g.set_global_buffer(z, 8)
    t = asc.get_system_cycle()
    total = t - t
    for i in range(rounds):
        total = asc.get_system_cycle() - total
    asc.printf(f"{total}")
    g.set_value(0, total)
"""


def test_stamps_are_the_cycles_of_the_events():
    x, times = np.ones(2048, np.float32), np.zeros(32, np.int64)
    run = clocked[4](x, times, x.size)
    taken, begin = times.reshape(4, 8)[:, 0], times.reshape(4, 8)[:, 1]
    for block in range(4):
        stamps = [
            int(e.end_cycle)
            for e in run.events()
            if e.block == block and e.name == "get_system_cycle"
        ]
        assert begin[block] == stamps[0]
        assert taken[block] == stamps[1] - stamps[0]
        expected = f"[core {block}] {taken[block]} of {stamps[1]:6d}"
        assert run.prints[block] == expected
    assert taken[1] > taken[0] == taken[2]


def test_execution_alone_knows_no_numbers():
    x, times = np.ones(64, np.float32), np.zeros(8, np.int64)
    run = clocked[1](x, times, x.size)
    assert run.execution.prints == ("[core 0] … of …",)
    assert re.fullmatch(r"\[core 0\] \d+ of +\d+", run.prints[0])


def test_a_launch_that_fails_stores_nothing():
    text = TEXT + "    assert rounds == 0\n"
    kernel = Kernel.from_text(text, "k.py", "kernel", {"asc": asc})
    z = np.full(8, -7, np.int64)
    with pytest.raises(KernelError):
        kernel[1](z, 1)
    assert (z == -7).all()


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64])
def test_a_sum_of_many_stamps(dtype):
    kernel = Kernel.from_text(TEXT, "k.py", "kernel", {"asc": asc})
    z = np.zeros(8, dtype)
    run = kernel[1](z, 6)
    cycles = [int(e.end_cycle) for e in run.events() if e.name == "get_system_cycle"]
    total = 0
    for cycle in cycles[1:]:
        total = cycle - total
    assert z[0] == total and run.prints == (f"[core 0] {total}",)


def test_a_difference_of_too_many_stamps_is_refused():
    kernel = Kernel.from_text(TEXT, "k.py", "kernel", {"asc": asc})
    with pytest.raises(KernelError) as info:
        kernel[1](np.zeros(8, np.int64), 100)
    assert info.value.diagnostics[-1].code == "ASC-RUN-07"


def test_an_overwritten_stamp_is_forgotten():
    text = TEXT + "    g.set_value(0, 5)\n"
    kernel = Kernel.from_text(text, "k.py", "kernel", {"asc": asc})
    z = np.zeros(8, np.int64)
    kernel[1](z, 2)
    assert z[0] == 5


def test_factors_stay_within_64_bits():
    one, none = Stamp(((3, 1),)), Stamp(())
    for _ in range(300):
        one = one.minus(none.minus(one, 0), 0)  # twice as much
    assert one.terms == () or abs(one.terms[0][1]) < 1 << 63
    assert Line(0, (one, "d"))[0] == 0
