"""softmax and log_softmax: exp(x - max) over its sum, in float32.

Schedule of the last axis: largest of a row, subtract, exp, sum, divide. The largest is
taken off first, so no exponential overflows. half and bfloat16 are computed in float32.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npusim import asc
from npusim.launch import Run
from npusim.ops.operator import chip_in_force, operator
from npusim.ops.row_checks import axis_of, float_array
from npusim.ops.row_frame import RowTiles, map_rows
from npusim.ops.row_plan import Needs, plan_rows
from npusim.ops.rows import (
    LARGEST,
    SUM,
    divide,
    reduce_rows,
    spread,
    subtract,
    with_number,
)

Result = tuple[np.ndarray, tuple[Run, ...]]


@asc.jit
def softmax_chain(z, x, u, rows, t, values):
    """z = exp(x - max) / sum."""
    _room, stat, _one, filled, part = u[0], u[1], u[2], u[3], u[4]
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
    room, stat, _one, filled, part = u[0], u[1], u[2], u[3], u[4]
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


def _launch(name: str, x: Any, axis: int, room: int) -> Result:
    itemsize = float_array(name, x)
    place = axis_of(name, x, axis)
    result = np.empty(x.shape, x.dtype)
    if not x.size:
        return result, ()
    columns = x.shape[place]
    plan = plan_rows(x.size // columns, columns, Needs(itemsize, room), chip_in_force())
    kernel = {"softmax": softmax_rows, "log_softmax": log_softmax_rows}[name]
    return result, (kernel[plan.blocks](x, result, plan.tiles, plan.slots),)


@operator("softmax", rows=softmax_rows)
def softmax(x: Any, axis: int = -1) -> Result:
    """exp(x - max x) / sum along an axis; half, bfloat16, float32 of any shape."""
    return _launch("softmax", x, axis, 0)


@operator("log_softmax", rows=log_softmax_rows)
def log_softmax(x: Any, axis: int = -1) -> Result:
    """x - max x - ln(sum exp(x - max x)) along an axis; half, bfloat16, float32."""
    return _launch("log_softmax", x, axis, 1)
