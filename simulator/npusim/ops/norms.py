"""layernorm, rms_norm: rows brought to mean 0 and variance 1, or to mean square 1.

The variance is taken in two passes over the row in UB (mean first, then the squares of
the differences), so that rows far from 0 keep their digits. All in float32.

rms_norm in the variant "row" (default) has one slot: one row a tile from `row_per_tile`
columns on, below it tiles of `rms_norm_tile` elements, and up to NARROW columns as many
rows as UB holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npusim import asc
from npusim.launch import Run
from npusim.ops.layernorm_steps import (
    layernorm_basic,
    layernorm_resident,
    layernorm_scalar,
    layernorm_tiled,
    layernorm_vectorised,
)
from npusim.ops.operator import operator
from npusim.ops.row_checks import epsilon, float_rows
from npusim.ops.row_frame import RowTiles, map_rows
from npusim.ops.row_plan import (
    MAX_ROWS,
    Needs,
    RowPlan,
    row_fits,
    rows_of_tile,
    rows_that_fit,
    variant_of,
)
from npusim.ops.row_strips import layernorm_strips, plan_strips, rms_norm_strips
from npusim.ops.rows import (
    NARROW,
    SUM,
    multiply,
    plus,
    reduce_rows,
    spread,
    subtract,
    with_number,
    with_row,
)
from npusim.ops.tiling import NUMBERS

Result = tuple[np.ndarray, tuple[Run, ...]]


@asc.jit
def mean_of(u, x, rows, t):
    """The mean of each row in u[1]."""
    reduce_rows(u[1], x, u[4], SUM, rows, t.columns, t.pitch)
    asc.muls(u[1], u[1], 1.0 / t.columns, rows)


@asc.jit
def scale_rows(x, u, rows, t, eps):
    """x = x / sqrt(mean of its squares + eps), row by row."""
    asc.mul(u[0], x, x, rows * t.pitch)
    mean_of(u, u[0], rows, t)
    asc.adds(u[1], u[1], eps, rows)
    asc.sqrt(u[1], u[1], rows)
    asc.div(u[1], u[2], u[1], rows)
    spread(u[3], u[1], rows)
    with_number(multiply, x, x, u[3], rows, t.columns, t.pitch)


@asc.jit
def layernorm_chain(z, x, u, rows, t, values):
    """z = (x - mean) / sqrt(variance + eps) * gamma + beta."""
    mean_of(u, x, rows, t)
    spread(u[3], u[1], rows)
    with_number(subtract, x, x, u[3], rows, t.columns, t.pitch)
    scale_rows(x, u, rows, t, values[0])
    with_row(multiply, x, x, u[5], rows, t.columns, t.pitch)
    with_row(plus, z, x, u[6], rows, t.columns, t.pitch)


@asc.jit
def rms_norm_chain(z, x, u, rows, t, values):
    """z = x / sqrt(mean of squares + eps) * gamma."""
    scale_rows(x, u, rows, t, values[0])
    with_row(multiply, z, x, u[5], rows, t.columns, t.pitch)


@asc.jit
def inverse_root(x, u, t, eps):
    """1 / sqrt(mean of squares + eps) of one row, as a number of the scalar unit."""
    asc.mul(u[0], x, x, t.columns)
    asc.muls(u[0], u[0], 1.0 / t.columns, t.columns)
    reduce_rows(u[1], u[0], u[4], SUM, 1, t.columns, t.pitch)
    asc.adds(u[1], u[1], eps, 1)
    asc.sqrt(u[1], u[1], 1)
    asc.div(u[1], u[2], u[1], 1)
    asc.set_flag(asc.HardEvent.V_S, 0)
    asc.wait_flag(asc.HardEvent.V_S, 0)
    return u[1].get_value(0)


@asc.jit
def layernorm_rows(
    x: asc.GlobalAddress,
    gamma: asc.GlobalAddress,
    beta: asc.GlobalAddress,
    z: asc.GlobalAddress,
    t: RowTiles,
    eps: float,
    slots: asc.constexpr,
):
    """Whole rows in UB."""
    map_rows(x, z, (gamma, beta), t, slots, layernorm_chain, (eps,))


@asc.jit
def rms_norm_rows(
    x: asc.GlobalAddress,
    gamma: asc.GlobalAddress,
    z: asc.GlobalAddress,
    t: RowTiles,
    eps: float,
    slots: asc.constexpr,
):
    """Whole rows in UB."""
    map_rows(x, z, (gamma,), t, slots, rms_norm_chain, (eps,))


def _strips(kernel: Any, arrays: tuple, eps: float) -> Result:
    *_, result = arrays
    blocks, tiles = plan_strips(result)
    return result, (kernel[blocks](*arrays, tiles, eps),)


def _launch(kernel: Any, plan: RowPlan, arrays: tuple, *rest: Any) -> Result:
    *_, result = arrays
    return result, (kernel[plan.blocks](*arrays, plan.tiles, *rest),)


@operator(
    "layernorm",
    scalar=layernorm_scalar,
    basic=layernorm_basic,
    vectorised=layernorm_vectorised,
    tiled=layernorm_tiled,
    pipelined=layernorm_rows,
    resident=layernorm_resident,
    strips=layernorm_strips,
)
def layernorm(x: Any, gamma: Any, beta: Any, eps: float = 1e-5) -> Result:
    """(x - mean) / sqrt(variance + eps) * gamma + beta over the last axis.

    half, bfloat16, float32; gamma and beta have the dtype of x and one row's length.
    """
    needs = Needs(float_rows("layernorm", x, gamma=gamma, beta=beta), 1, 2)
    least, result = epsilon("layernorm", eps), np.empty(x.shape, x.dtype)
    if not x.size:
        return result, ()
    arrays = x, gamma, beta, result
    if not row_fits(x, needs):
        return _strips(layernorm_strips, arrays, least)
    plan = rows_that_fit("layernorm", x, needs)
    return _launch(layernorm_rows, plan, arrays, least, plan.slots)


def _tile_rows(variant: str, columns: int) -> int:
    """Most rows of a tile of rms_norm."""
    if variant != "row" or columns <= NARROW:
        return MAX_ROWS
    return rows_of_tile(columns, NUMBERS["rms_norm_tile"])


@operator("rms_norm", rows=rms_norm_rows, strips=rms_norm_strips)
def rms_norm(x: Any, gamma: Any, eps: float = 1e-6, variant: str = "row") -> Result:
    """x / sqrt(mean x² + eps) * gamma over the last axis; half, bfloat16, float32.

    `variant`: "row" or "pipelined".
    """
    needs = Needs(float_rows("rms_norm", x, gamma=gamma), 1, 2)
    least, kind = epsilon("rms_norm", eps), variant_of("rms_norm", variant)
    result = np.empty(x.shape, x.dtype)
    if not x.size:
        return result, ()
    arrays = x, gamma, result
    if not row_fits(x, needs):
        return _strips(rms_norm_strips, arrays, least)
    most = _tile_rows(kind, x.shape[-1])
    plan = rows_that_fit("rms_norm", x, needs, kind, most)
    return _launch(rms_norm_rows, plan, arrays, least, plan.slots)
