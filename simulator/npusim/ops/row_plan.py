"""Host tiling of row operators: rows of a block, rows of a tile, one or two slots.

Blocks take equal shares of the rows. A tile has as many rows as UB holds with two
slots; a row that is too long for two slots gets one; beyond that the rows are read
strip by strip. Numbers: `tiling.toml`.
"""

from __future__ import annotations

from dataclasses import dataclass

from npusim.chip import Chip
from npusim.ops.row_frame import RowTiles
from npusim.ops.tiling import NUMBERS, round_up

WIDE_NBYTES = 4  # float32, in which rows are computed
MAX_ROWS = 248  # repeats of one instruction, in whole groups of 8


@dataclass(frozen=True)
class Needs:
    """What a chain keeps in UB: `room` 1 for a second tile, `weights` rows."""

    itemsize: int
    room: int = 0
    weights: int = 0
    queued: int = 2  # arrays of the dtype that go through a queue


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
    pitch = round_up(columns, 32 // needs.itemsize)
    part = round_up(-(-columns // 8), 8)
    wide = needs.itemsize < WIDE_NBYTES
    row = pitch * (slots * needs.queued * needs.itemsize + 4 * (wide + needs.room))
    row += 4 * (part + 10)
    fixed = 4 * needs.weights * round_up(columns, 64) + 512
    return max(0, (chip.ub_nbytes - NUMBERS["reserved"] - fixed) // row)


def plan_rows(rows: int, columns: int, needs: Needs, chip: Chip) -> RowPlan:
    """The plan for a matrix of rows ≥ 1 and columns ≥ 1."""
    share = share_of(rows, columns, chip.vector_cores)
    heights = {slots: tile_height(needs, columns, slots, chip) for slots in (2, 1)}
    slots = next((s for s, height in heights.items() if height), 0)
    limit = min(max(heights[slots] if slots else 1, 1), MAX_ROWS, share)
    height = -(-share // -(-share // limit))
    pitch = round_up(columns, 32 // needs.itemsize)
    tile = height * pitch
    tiles = RowTiles(  # type: ignore[call-arg]
        rows, columns, share, height, pitch,
        height * round_up(-(-columns // 8), 8), needs.room * tile,
        round_up(columns, 64) if needs.weights else 0,
    )  # fmt: skip
    return RowPlan(-(-rows // share), slots, tiles)
