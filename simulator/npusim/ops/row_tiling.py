"""Host tiling of a matrix that meets a row: blocks and tiles in two dimensions.

Blocks take parts of the rows; where there are fewer rows than cores, of the columns
too. A tile has whole rows of a part, or a strip of one row where that is too wide.
"""

from __future__ import annotations

from dataclasses import dataclass

from npusim import asc
from npusim.chip import Chip
from npusim.ops.tiling import GRAIN, NUMBERS, SLOTS, round_up

MAX_BURSTS = 4095  # rows that one copy instruction moves
DATA_BLOCK_NBYTES = 32


@asc.tiling
class RowTiles:
    """What a kernel is told. Counts are in elements, `work` in bytes.

    `tile`: elements of UB for a tile, its rows padded to whole data blocks.
    """

    rows: int
    columns: int
    row_share: int
    column_share: int
    column_parts: int
    tile_rows: int
    tile_columns: int
    tile: int
    work: int


@dataclass(frozen=True)
class RowPlan:
    """How many blocks to launch, and what they are told."""

    blocks: int
    tiles: RowTiles


def split_rows(
    rows: int, columns: int, itemsize: int, work: int, chip: Chip
) -> RowPlan:
    """The plan for a matrix of elements of `itemsize` bytes.

    `work`: bytes of an element in tiles that stay in UB, the repeated row included.
    """
    widest = max(itemsize, work // 2)
    least = NUMBERS["core_share"] // widest
    cores = min(chip.vector_cores, -(-rows * columns // least))
    row_share = -(-rows // min(rows, cores))
    row_parts = -(-rows // row_share)
    line = NUMBERS["line"] // itemsize
    column_share = round_up(-(-columns // max(cores // row_parts, 1)), line)
    column_parts = -(-columns // column_share)
    room = chip.ub_nbytes - NUMBERS["reserved"]
    largest = room // (2 * SLOTS * itemsize + work + itemsize) // GRAIN * GRAIN
    wide = min(column_share, columns)
    strips = -(-wide // largest)
    width = wide if strips == 1 else round_up(-(-wide // strips), GRAIN)
    pitch = round_up(width, DATA_BLOCK_NBYTES // itemsize)
    height = min(row_share, max(largest // pitch, 1), MAX_BURSTS)
    height = -(-row_share // -(-row_share // height))
    tile = height * pitch
    tiles = RowTiles(  # type: ignore[call-arg]
        rows, columns, row_share, column_share, column_parts, height, width, tile,
        tile * work,
    )  # fmt: skip
    return RowPlan(row_parts * column_parts, tiles)
