"""Host tiling of row operators: rows of a block, rows of a tile, one or two slots.

Blocks take equal shares of the rows. "pipelined": a tile has as many rows as UB holds
with two slots; a row that is too long for two slots gets one. "row": one slot, one long
row a tile, or a few short ones. A longer row is refused. Numbers: `tiling.toml`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from npusim.chip import Chip
from npusim.ops.checks import choice, refuse, shapes_of
from npusim.ops.operator import chip_in_force
from npusim.ops.row_frame import RowTiles
from npusim.ops.tiling import NUMBERS, round_up

WIDE_NBYTES = 4  # float32, in which rows are computed
MAX_ROWS = 248  # repeats of one instruction, in whole groups of 8
VARIANTS = {"row": (1,), "pipelined": (2, 1)}  # slots in the order of preference


@dataclass(frozen=True)
class Needs:
    """What a chain keeps in UB: `room` 1 for a second tile, `weights` rows.

    `copied` 1: a float32 tile beside the queues even where the dtype is float32.
    """

    itemsize: int
    room: int = 0
    weights: int = 0
    queued: int = 2  # arrays of the dtype that go through a queue
    copied: int = 0


@dataclass(frozen=True)
class RowPlan:
    """Blocks to launch, buffers of a queue (0: rows do not fit), what they are told."""

    blocks: int
    slots: int
    tiles: RowTiles


def share_of(rows: int, columns: int, cores: int) -> int:
    """Rows of a block: equal shares, but not less than `core_share` bytes."""
    least = NUMBERS["core_share"] // WIDE_NBYTES // columns
    return max(-(-rows // cores), min(least, rows), 1)


def tile_height(needs: Needs, columns: int, slots: int, chip: Chip) -> int:
    """Rows of the largest tile, 0 where not even one row fits."""
    room = chip.ub_nbytes - NUMBERS["reserved"] - fixed_nbytes(needs, columns)
    return max(0, room // row_nbytes(needs, columns, slots))


def row_nbytes(needs: Needs, columns: int, slots: int) -> int:
    """Bytes of UB that a row of a tile takes."""
    pitch = round_up(columns, 32 // needs.itemsize)
    part = round_up(-(-columns // 8), 8)
    wide = max(needs.itemsize < WIDE_NBYTES, needs.copied)
    queued = slots * needs.queued * needs.itemsize
    return pitch * (queued + 4 * (wide + needs.room)) + 4 * (part + 10)


def fixed_nbytes(needs: Needs, columns: int) -> int:
    """Bytes of UB whatever the tile: gamma, beta, rounding."""
    return 4 * needs.weights * round_up(columns, 64) + 512


def plan_rows(
    rows: int,
    columns: int,
    needs: Needs,
    chip: Chip,
    variant: str = "pipelined",
    most: int = MAX_ROWS,
) -> RowPlan:
    """The plan for a matrix of rows ≥ 1 and columns ≥ 1, with ≤ `most` rows a tile."""
    share = share_of(rows, columns, chip.vector_cores)
    heights = {s: tile_height(needs, columns, s, chip) for s in VARIANTS[variant]}
    slots = next((s for s, height in heights.items() if height), 0)
    limit = min(heights[slots] if slots else 1, most, share)
    height = -(-share // -(-share // limit))
    pitch = round_up(columns, 32 // needs.itemsize)
    tile = height * pitch
    tiles = RowTiles(  # type: ignore[call-arg]
        rows, columns, share, height, pitch,
        height * round_up(-(-columns // 8), 8), needs.room * tile,
        round_up(columns, 64) if needs.weights else 0,
    )  # fmt: skip
    return RowPlan(-(-rows // share), slots, tiles)


def rows_of_tile(columns: int, elements: int) -> int:
    """Rows of a tile in the row schedule: one from `row_per_tile` columns on, else as
    many as `elements` hold, at least one."""
    if columns >= NUMBERS["row_per_tile"]:
        return 1
    return max(1, min(MAX_ROWS, elements // columns))


def row_fits(x: np.ndarray, needs: Needs) -> bool:
    """Whether UB of the chip in force holds one row of x with one slot."""
    return tile_height(needs, x.shape[-1], 1, chip_in_force()) > 0


def variant_of(operator: str, variant: object) -> str:
    """Row or pipelined; ASC-OPS-03 for anything else."""
    return choice(operator, "variant", variant, VARIANTS)


def rows_that_fit(
    operator: str,
    x: np.ndarray,
    needs: Needs,
    variant: str = "pipelined",
    most: int = MAX_ROWS,
) -> RowPlan:
    """The plan for the last axis of x; ASC-OPS-02 where a row does not fit UB."""
    columns, chip = x.shape[-1], chip_in_force()
    plan = plan_rows(x.size // columns, columns, needs, chip, variant, most)
    if plan.slots:
        return plan
    limit = chip.ub_nbytes - NUMBERS["reserved"]
    facts = {"shapes": shapes_of({"x": x}), "reason": "ub", "limit": limit}
    nbytes = row_nbytes(needs, columns, 1) + fixed_nbytes(needs, columns)
    raise refuse("ASC-OPS-02", operator=operator, nbytes=nbytes, needed="", **facts)
