"""Row operators as the measured kernels seem to be built: one buffer, small tiles.

The library's own plan (many rows a tile, two buffers) is about twice as fast as the
measured softmax and RmsNorm kernels: a better schedule, not a better prediction. Here
the library's kernels run with the plan that fits: a row a tile from `WIDE` columns on
(softmax: always), below that tiles of about `TILE` elements, one buffer. Schedules
belong to an operator; how many were tried is in `variants.toml`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from npusim.launch import Run
from npusim.ops.norms import rms_norm_rows
from npusim.ops.operator import chip_in_force
from npusim.ops.row_plan import Needs, RowPlan, plan_rows
from npusim.ops.softmaxes import softmax_rows

WIDE, TILE = 2000, 4096
SLOTS = 1


def with_height(plan: RowPlan, height: int) -> Any:
    """The tiling record of a plan with at most `height` rows a tile."""
    tiles = plan.tiles
    rows = max(1, min(height, tiles.tile_rows))
    names = ("rows", "columns", "row_share", "pitch", "weight")
    kept = {name: getattr(tiles, name) for name in names}
    part = tiles.part // tiles.tile_rows * rows
    room = tiles.pitch * rows if tiles.room else 0
    return type(tiles)(tile_rows=rows, part=part, room=room, **kept)  # type: ignore


def planned(x: np.ndarray, needs: Needs) -> RowPlan:
    """The library's plan for the last axis of x, on the chip in force."""
    columns = x.shape[-1]
    plan = plan_rows(x.size // columns, columns, needs, chip_in_force())
    return replace(plan, slots=SLOTS)


def softmax_run(x: np.ndarray) -> Run:
    """Softmax over the last axis, one row a tile."""
    plan = planned(x, Needs(x.itemsize, 0))
    tiles = with_height(plan, 1)
    return softmax_rows[plan.blocks](x, np.empty_like(x), tiles, plan.slots)


def rms_norm_run(x: np.ndarray, gamma: np.ndarray, eps: float) -> Run:
    """RmsNorm over the last axis."""
    columns = x.shape[-1]
    plan = planned(x, Needs(x.itemsize, 1, 2))
    tiles = with_height(plan, 1 if columns >= WIDE else TILE // columns)
    result = np.empty_like(x)
    return rms_norm_rows[plan.blocks](x, gamma, result, tiles, eps, plan.slots)
