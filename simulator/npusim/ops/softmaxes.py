"""softmax and log_softmax: exp(x - max) over its sum, in float32.

Schedule of the last axis: largest of a row, subtract, exp, sum, divide. The largest is
taken off first, so no exponential overflows. half and bfloat16 are computed in float32.

Variant "row" (default) has one slot: each long row, or a few short ones, are one chain
of copy, arithmetic, copy, as published times of such kernels suggest. "pipelined" has
many rows a tile and two slots: the faster exercise. Rows that do not fit UB:
`row_strips.py`.
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
from npusim.ops.row_plan import (
    MAX_ROWS,
    Needs,
    row_fits,
    rows_of_tile,
    rows_that_fit,
    variant_of,
)
from npusim.ops.row_strips import plan_strips, softmax_strips
from npusim.ops.rows import (
    LARGEST,
    SUM,
    divide,
    reduce_rows,
    spread,
    subtract,
    with_number,
)
from npusim.ops.tiling import NUMBERS
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
def softmax_rows(
    x: asc.GlobalAddress, z: asc.GlobalAddress, t: RowTiles, slots: asc.constexpr
):
    """Whole rows in UB."""
    map_rows(x, z, (), t, slots, softmax_chain, ())


@asc.jit
def log_softmax_rows(
    x: asc.GlobalAddress, z: asc.GlobalAddress, t: RowTiles, slots: asc.constexpr
):
    """Whole rows in UB."""
    map_rows(x, z, (), t, slots, log_softmax_chain, ())


KERNELS = {"softmax": softmax_rows, "log_softmax": log_softmax_rows}


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
    needs, most = Needs(itemsize, room), MAX_ROWS
    if variant == "row":
        most = rows_of_tile(rows.shape[-1], NUMBERS["softmax_tile"])
    if not row_fits(rows, needs):
        blocks, tiles = plan_strips(rows)
        return result, (softmax_strips[blocks](x, result, tiles, name != "softmax"),)
    plan = rows_that_fit(name, rows, needs, variant, most)
    run = KERNELS[name][plan.blocks](x, result, plan.tiles, plan.slots)
    return result, (run,)


def _other_axis(name: str, x: np.ndarray, place: int, room: int, kind: str) -> Result:
    """Turn the axis to the end, take the last axis, turn back: three launches."""
    matrices = x.reshape(-1, x.shape[place], math.prod(x.shape[place + 1 :]))
    turned, there = transpose.host(matrices)
    done, runs = _launch(name, turned, -1, room, kind)
    result, back = transpose.host(done)
    return result.reshape(x.shape), (*there, *runs, *back)


@operator("softmax", rows=softmax_rows, strips=softmax_strips)
def softmax(x: Any, axis: int = -1, variant: str = "row") -> Result:
    """exp(x - max x) / sum along an axis; half, bfloat16, float32 of any shape.

    `variant`: "row" or "pipelined".
    """
    return _launch("softmax", x, axis, 0, variant)


@operator("log_softmax", rows=log_softmax_rows, strips=softmax_strips)
def log_softmax(x: Any, axis: int = -1, variant: str = "row") -> Result:
    """x - max x - ln(sum exp(x - max x)) along an axis; half, bfloat16, float32.

    `variant`: "row" or "pipelined".
    """
    return _launch("log_softmax", x, axis, 1, variant)
