"""Micro-benchmarks of one core without copies: vector pipe, banks, scalar unit."""

from __future__ import annotations

import numpy as np

from npusim.fidelity.micro import kernels
from npusim.fidelity.micro.measuring import (
    CHIP,
    Where,
    core_cycles,
    one_call,
    zeros,
)
from npusim.fidelity.micro.table import Table
from npusim.launch import Run

APART = 16640  # bytes between two sources that share no bank group
REPEATS = (1, 8, 64)
LANES = 64  # float32 of a repeat


def _adds(chip: Where, count: int, gap: int, step: int, calls: int) -> Run:
    x = np.zeros(8, np.float32)
    return kernels.vector_calls.launch(x, count, gap, step, calls, blocks=1, chip=chip)


def _add(chip: Where, count: int, gap: int = APART, step: int = 1) -> float:
    return one_call(lambda calls: _adds(chip, count, gap, step, calls))


def vector_startup(chip: Where = CHIP) -> Table:
    """Adds that find the pipe idle, and adds in a stream."""
    rows = [(n, _add(chip, n * LANES, step=2), _add(chip, n * LANES)) for n in REPEATS]
    return Table("vector_startup", tuple(rows))


def vector_dependency(chip: Where = CHIP) -> Table:
    """Adds that need each other's result, and adds that do not."""
    rows = [(n, _add(chip, n * LANES, step=0), _add(chip, n * LANES)) for n in REPEATS]
    return Table("vector_dependency", tuple(rows))


def masked_rows(chip: Where = CHIP) -> Table:
    """Adds that fill their repeats, and adds that miss it by 16 elements."""
    rows = [(n, _add(chip, n), _add(chip, n - 16)) for n in (256, 1024, 4096)]
    return Table("masked_rows", tuple(rows))


def bank_conflicts(chip: Where = CHIP) -> Table:
    """Sources 16384 B apart and up to 512 B further."""
    shifts = (0, 32, 128, 256, 384, 512)
    rows = [(shift, _add(chip, 4096, 16384 + shift)) for shift in shifts]
    return Table("bank_conflicts", tuple(rows))


def scalar_cost(chip: Where = CHIP) -> Table:
    """z[i] = x[i] + y[i] in UB: by a scalar loop, and by one instruction."""
    x = np.zeros(8, np.float32)
    rows = []
    for count in (64, 256, 1024):
        found = [
            core_cycles(kernels.element_loop.launch(x, count, way, blocks=1, chip=chip))
            for way in (0, 1, 2)
        ]
        rows.append((count, found[1] - found[0], found[2] - found[0]))
    return Table("scalar_cost", tuple(rows))


def round_trip(chip: Where = CHIP) -> Table:
    """Reduce, get_value, muls: cycles of one turn."""
    x = np.zeros(8, np.float32)

    def go(calls: int) -> Run:
        return kernels.round_trips.launch(x, calls, blocks=1, chip=chip)

    rows = [(calls, one_call(go, calls)) for calls in (8, 64)]
    return Table("round_trip", tuple(rows))


def queue_cost(chip: Where = CHIP) -> Table:
    """Four queue calls a turn without work."""

    def go(turns: int) -> Run:
        return kernels.queue_calls.launch(zeros(32), turns, blocks=1, chip=chip)

    rows = [(turns, one_call(go, turns)) for turns in (8, 64)]
    return Table("queue_cost", tuple(rows))


def tpipe_setup(chip: Where = CHIP) -> Table:
    """A kernel that sets up 1 to 16 buffers and does nothing else."""
    rows = [
        (n, core_cycles(kernels.set_up.launch(zeros(32), n, blocks=1, chip=chip)))
        for n in (1, 4, 16)
    ]
    return Table("tpipe_setup", tuple(rows))


def instruction_cache(chip: Where = CHIP) -> Table:
    """A loop of 100 to 800 instructions: cycles of one."""
    rows = []
    for length in (100, 200, 400, 800):

        def go(turns: int, length: int = length) -> Run:
            return kernels.long_loop.launch(
                zeros(32), turns, length, blocks=1, chip=chip
            )

        rows.append((length, one_call(go, 4) / length))
    return Table("instruction_cache", tuple(rows))
