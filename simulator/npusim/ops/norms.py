"""layernorm, rms_norm: rows brought to mean 0 and variance 1, or to mean square 1.

The variance is taken in two passes over the row in UB (mean first, then the squares of
the differences), so that rows far from 0 keep their digits. All in float32.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npusim import asc
from npusim.launch import Run
from npusim.ops.operator import chip_in_force, operator
from npusim.ops.row_checks import epsilon, float_rows
from npusim.ops.row_frame import RowTiles, map_rows
from npusim.ops.row_plan import Needs, plan_rows
from npusim.ops.rows import (
    SUM,
    multiply,
    plus,
    reduce_rows,
    spread,
    subtract,
    with_number,
    with_row,
)

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


def _launch(name: str, kernel: Any, x: Any, weights: dict, eps: Any) -> Result:
    itemsize = float_rows(name, x, **weights)
    least, result = epsilon(name, eps), np.empty(x.shape, x.dtype)
    if not x.size:
        return result, ()
    columns = x.shape[-1]
    needs = Needs(itemsize, 1, 2)
    plan = plan_rows(x.size // columns, columns, needs, chip_in_force())
    arrays = x, *weights.values(), result
    return result, (kernel[plan.blocks](*arrays, plan.tiles, least, plan.slots),)


@operator("layernorm", rows=layernorm_rows)
def layernorm(x: Any, gamma: Any, beta: Any, eps: float = 1e-5) -> Result:
    """(x - mean) / sqrt(variance + eps) * gamma + beta over the last axis.

    half, bfloat16, float32; gamma and beta have the dtype of x and one row's length.
    """
    weights = {"gamma": gamma, "beta": beta}
    return _launch("layernorm", layernorm_rows, x, weights, eps)


@operator("rms_norm", rows=rms_norm_rows)
def rms_norm(x: Any, gamma: Any, eps: float = 1e-6) -> Result:
    """x / sqrt(mean x² + eps) * gamma over the last axis; half, bfloat16, float32."""
    return _launch("rms_norm", rms_norm_rows, x, {"gamma": gamma}, eps)
