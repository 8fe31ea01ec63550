"""softmax, log_softmax, layernorm, rms_norm of rows that do not fit UB, strip by strip.

A row is read once for each of its numbers (largest, sum; mean, mean square) and once
more for the result. One core has a row; numbers take a round trip through the scalar
unit. Left out: a row on several cores, add_rms_norm.
"""

from __future__ import annotations

import numpy as np

from npusim import asc
from npusim.ops.operator import chip_in_force
from npusim.ops.reduction_kernels import (
    ReductionTiles,
    combine,
    load_strip,
    take_strip,
)
from npusim.ops.rows import LARGEST, SUM, put, reduce_rows
from npusim.ops.tiling import NUMBERS, round_up

GRAIN = 128  # elements by which a strip grows: whole 512 B lines of float32
STRIP_WORK = 13  # bytes of UB an element of a strip takes beside the queues


def plan_strips(x: np.ndarray) -> tuple[int, ReductionTiles]:
    """Blocks, and what the kernels are told of rows along the last axis of x."""
    columns, chip = x.shape[-1], chip_in_force()
    rows = x.size // columns
    room = chip.ub_nbytes - NUMBERS["reserved"] - 1024
    strip = room // (4 * x.itemsize + STRIP_WORK) // GRAIN * GRAIN
    strip = min(strip, round_up(columns, GRAIN))
    share = -(-rows // chip.vector_cores)
    tiles = ReductionTiles(  # type: ignore[call-arg]
        rows, columns, share, 1, strip, 1, columns, strip
    )
    return -(-rows // share), tiles


@asc.jit
def itself(x, value, count):
    """x as it is."""


@asc.jit
def exp_less(x, value, count):
    """x = exp(x - value)."""
    asc.adds(x, x, -value, count)
    asc.exp(x, x, count)


@asc.jit
def square_less(x, value, count):
    """x = (x - value)²."""
    asc.adds(x, x, -value, count)
    asc.mul(x, x, x, count)


@asc.jit
def fold_row(arrive, u, gx, at, t, chain, value, kind):
    """u[2][0] = sum or largest of chain(row, value); u: strips, statistic, parts, 1."""
    load_strip(arrive, gx, at, min(t.strip, t.columns))
    for s in range(0, t.columns, t.strip):
        count, after = min(t.strip, t.columns - s), s + t.strip
        if after < t.columns:
            load_strip(arrive, gx, at + after, min(t.strip, t.columns - after))
        if s == 0:
            take_strip(arrive, u[0], gx.dtype, count)
            chain(u[0], value, count)
        else:
            take_strip(arrive, u[1], gx.dtype, count)
            chain(u[1], value, count)
            combine(u[0], u[1], kind, count)
    reduce_rows(u[2], u[0], u[3], kind, 1, min(t.strip, t.columns), t.strip)


@asc.jit
def number_of(stat):
    """stat[0] in the scalar unit."""
    asc.set_flag(asc.HardEvent.V_S, 0)
    asc.wait_flag(asc.HardEvent.V_S, 0)
    return stat.get_value(0)


@asc.jit
def give_row(arrive, leave, u, gx, gz, weights, at, t, finish, values):
    """z = finish(x) times the first weight, plus the second."""
    for s in range(0, t.columns, t.strip):
        count = min(t.strip, t.columns - s)
        load_strip(arrive, gx, at + s, count)
        take_strip(arrive, u[0], gx.dtype, count)
        finish(u[0], values, count)
        for i in asc.static_range(len(weights)):
            load_strip(arrive, weights[i], s, count)
            take_strip(arrive, u[1], gx.dtype, count)
            if i == 0:
                asc.mul(u[0], u[0], u[1], count)
            else:
                asc.add(u[0], u[0], u[1], count)
        put(leave, u[0], gz.dtype, count)
        c = leave.deque(gz.dtype)
        params = asc.DataCopyExtParams(1, count * gz.dtype.sizeof(), 0, 0)
        asc.data_copy_pad(gz[at + s :], c, params)
        leave.free_tensor(c)


@asc.jit
def share_exp(x, values, count):
    """x = exp(x - largest) / sum."""
    exp_less(x, values[0], count)
    asc.muls(x, x, 1.0 / values[1], count)


@asc.jit
def log_share(x, values, count):
    """x = x - largest - ln(sum)."""
    asc.adds(x, x, -values[0], count)
    asc.adds(x, x, -values[1], count)


@asc.jit
def normal(x, values, count):
    """x = (x - mean) * factor."""
    asc.adds(x, x, -values[0], count)
    asc.muls(x, x, values[1], count)


@asc.jit
def softmax_row_of(arrive, leave, u, gx, gz, weights, at, t, log):
    """One row of softmax, or of its logarithm."""
    fold_row(arrive, u, gx, at, t, itself, 0.0, LARGEST)
    largest = number_of(u[2])
    fold_row(arrive, u, gx, at, t, exp_less, largest, SUM)
    if log:
        asc.ln(u[2], u[2], 1)
        values = largest, number_of(u[2])
        give_row(arrive, leave, u, gx, gz, weights, at, t, log_share, values)
    else:
        values = largest, number_of(u[2])
        give_row(arrive, leave, u, gx, gz, weights, at, t, share_exp, values)


@asc.jit
def norm_row_of(arrive, leave, u, gx, gz, weights, at, t, eps):
    """One row of layernorm (two weights) or rms_norm (one)."""
    mean = 0.0
    if len(weights) == 2:
        fold_row(arrive, u, gx, at, t, itself, 0.0, SUM)
        asc.muls(u[2], u[2], 1.0 / t.columns, 1)
        mean = number_of(u[2])
    fold_row(arrive, u, gx, at, t, square_less, mean, SUM)
    asc.muls(u[2], u[2], 1.0 / t.columns, 1)
    asc.adds(u[2], u[2], eps, 1)
    asc.sqrt(u[2], u[2], 1)
    asc.div(u[2], u[4], u[2], 1)
    values = mean, number_of(u[2])
    give_row(arrive, leave, u, gx, gz, weights, at, t, normal, values)


@asc.jit
def each_row(x, z, weights, t, row, value):
    """row(…) for every row of a block, with two slots a queue."""
    pipe = asc.TPipe()
    arrive, leave = asc.TQue(asc.TPosition.VECIN, 2), asc.TQue(asc.TPosition.VECOUT, 2)
    work = asc.TBuf(asc.TPosition.VECCALC)
    part = (t.strip + 63) // 64 * 8
    pipe.init_buffer(arrive, 2, t.strip * x.dtype.sizeof())
    pipe.init_buffer(leave, 2, t.strip * z.dtype.sizeof())
    pipe.init_buffer(work, (2 * t.strip + part + 16) * 4)
    gx, gz, w = asc.GlobalTensor(), asc.GlobalTensor(), work.get(asc.float32)
    gx.set_global_buffer(x, t.rows * t.columns)
    gz.set_global_buffer(z, t.rows * t.columns)
    stat = w[2 * t.strip + part :]
    u = w, w[t.strip :], stat, w[2 * t.strip :], stat[8:]
    asc.duplicate(u[4], 1.0, 8)
    first = asc.get_block_idx() * t.share
    for i in range(first, min(first + t.share, t.rows)):
        row(arrive, leave, u, gx, gz, weights, i * t.columns, t, value)


@asc.jit
def softmax_strips(
    x: asc.GlobalAddress, z: asc.GlobalAddress, t: ReductionTiles, log: asc.constexpr
):
    """Rows of any length; log: its logarithm."""
    each_row(x, z, (), t, softmax_row_of, log)


@asc.jit
def rms_norm_strips(
    x: asc.GlobalAddress, gamma: asc.GlobalAddress, z: asc.GlobalAddress,
    t: ReductionTiles, eps: float,
):  # fmt: skip
    """Rows of any length."""
    gg = asc.GlobalTensor()
    gg.set_global_buffer(gamma, t.columns)
    each_row(x, z, (gg,), t, norm_row_of, eps)


@asc.jit
def layernorm_strips(
    x: asc.GlobalAddress, gamma: asc.GlobalAddress, beta: asc.GlobalAddress,
    z: asc.GlobalAddress, t: ReductionTiles, eps: float,
):  # fmt: skip
    """Rows of any length."""
    gg, gb = asc.GlobalTensor(), asc.GlobalTensor()
    gg.set_global_buffer(gamma, t.columns)
    gb.set_global_buffer(beta, t.columns)
    each_row(x, z, (gg, gb), t, norm_row_of, eps)
