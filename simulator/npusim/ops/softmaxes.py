"""softmax and log_softmax: exp(x - max) over its sum, in float32.

Schedule of the last axis: largest of a row, subtract, exp, sum, divide. The largest is
taken off first, so no exponential overflows. half and bfloat16 are computed in float32.

Variant "row" (default) has one row a tile and one slot: each row is one chain of copy,
arithmetic, copy, as published times of such kernels suggest. "pipelined" has many rows
a tile and two slots: the faster exercise.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from npusim import asc
from npusim.launch import Run
from npusim.ops.operator import operator
from npusim.ops.row_checks import axis_of, float_array
from npusim.ops.row_frame import RowTiles, map_rows
from npusim.ops.row_plan import MAX_ROWS, Needs, rows_that_fit, variant_of
from npusim.ops.rows import (
    LARGEST,
    SUM,
    divide,
    reduce_rows,
    spread,
    subtract,
    with_number,
)
from npusim.ops.transposition import transpose

Result = tuple[np.ndarray, tuple[Run, ...]]


@asc.jit
def softmax_chain(z, x, u, rows, t, values):
    """z = exp(x - max) / sum."""
    stat, filled, part = u[1], u[3], u[4]
    reduce_rows(stat, x, part, LARGEST, rows, t.columns, t.pitch)
    spread(filled, stat, rows)
    with_number(subtract, x, x, filled, rows, t.columns, t.pitch)
    asc.exp(x, x, rows * t.pitch)
    reduce_rows(stat, x, part, SUM, rows, t.columns, t.pitch)
    spread(filled, stat, rows)
    with_number(divide, z, x, filled, rows, t.columns, t.pitch)


@asc.jit
def log_softmax_chain(z, x, u, rows, t, values):
    """z = x - max - ln(sum)."""
    room, stat, filled, part = u[0], u[1], u[3], u[4]
    reduce_rows(stat, x, part, LARGEST, rows, t.columns, t.pitch)
    spread(filled, stat, rows)
    with_number(subtract, x, x, filled, rows, t.columns, t.pitch)
    asc.exp(room, x, rows * t.pitch)
    reduce_rows(stat, room, part, SUM, rows, t.columns, t.pitch)
    asc.ln(stat, stat, rows)
    spread(filled, stat, rows)
    with_number(subtract, z, x, filled, rows, t.columns, t.pitch)


@asc.jit
def softmax_row(x: asc.GlobalAddress, z: asc.GlobalAddress, t: RowTiles):
    """One row a tile, one slot."""
    map_rows(x, z, (), t, 1, softmax_chain, ())


@asc.jit
def log_softmax_row(x: asc.GlobalAddress, z: asc.GlobalAddress, t: RowTiles):
    """One row a tile, one slot."""
    map_rows(x, z, (), t, 1, log_softmax_chain, ())


@asc.jit
def softmax_rows(
    x: asc.GlobalAddress, z: asc.GlobalAddress, t: RowTiles, slots: asc.constexpr
):
    """Many rows a tile, two slots where they fit."""
    map_rows(x, z, (), t, slots, softmax_chain, ())


@asc.jit
def log_softmax_rows(
    x: asc.GlobalAddress, z: asc.GlobalAddress, t: RowTiles, slots: asc.constexpr
):
    """Many rows a tile, two slots where they fit."""
    map_rows(x, z, (), t, slots, log_softmax_chain, ())


KERNELS = {
    "softmax": {"row": softmax_row, "pipelined": softmax_rows},
    "log_softmax": {"row": log_softmax_row, "pipelined": log_softmax_rows},
}


def _launch(name: str, x: Any, axis: int, room: int, variant: str) -> Result:
    itemsize = float_array(name, x)
    place, variant = axis_of(name, x, axis), variant_of(name, variant)
    inner = math.prod(x.shape[place + 1 :])
    if inner > 1 and x.size:
        return _other_axis(name, x, place, room, variant)
    result = np.empty(x.shape, x.dtype)
    if not x.size:
        return result, ()
    rows = x.reshape(-1, x.shape[place])
    most = 1 if variant == "row" else MAX_ROWS
    plan = rows_that_fit(name, rows, Needs(itemsize, room), variant, most)
    slots = () if variant == "row" else (plan.slots,)
    kernel = KERNELS[name][variant]
    return result, (kernel[plan.blocks](x, result, plan.tiles, *slots),)


def _other_axis(name: str, x: np.ndarray, place: int, room: int, kind: str) -> Result:
    """Turn the axis to the end, take the last axis, turn back: three launches."""
    matrices = x.reshape(-1, x.shape[place], math.prod(x.shape[place + 1 :]))
    turned, there = transpose.host(matrices)
    done, runs = _launch(name, turned, -1, room, kind)
    result, back = transpose.host(done)
    return result.reshape(x.shape), (*there, *runs, *back)


@operator("softmax", **KERNELS["softmax"])
def softmax(x: Any, axis: int = -1, variant: str = "row") -> Result:
    """exp(x - max x) / sum along an axis; half, bfloat16, float32 of any shape.

    `variant`: "row" or "pipelined".
    """
    return _launch("softmax", x, axis, 0, variant)


@operator("log_softmax", **KERNELS["log_softmax"])
def log_softmax(x: Any, axis: int = -1, variant: str = "row") -> Result:
    """x - max x - ln(sum exp(x - max x)) along an axis; half, bfloat16, float32.

    `variant`: "row" or "pipelined".
    """
    return _launch("log_softmax", x, axis, 1, variant)
