"""Host tiling of a matrix that meets a row: blocks and tiles in two dimensions.

Blocks take parts of the rows, and of the columns where that spreads the work better. A
tile has whole rows of a part, or a strip of one row where that is too wide.
"""

from __future__ import annotations

from dataclasses import dataclass

from npusim import asc
from npusim.chip import Chip
from npusim.ops.tiling import GRAIN, NUMBERS, SLOTS, round_up

MAX_BURSTS = 4095  # rows that one copy instruction moves
LANES = 8  # rows that `brcb` serves in a repeat
MAX_SPREAD = 255 * LANES
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


def even_shares(rows: int, columns: int, cores: int, line: int) -> tuple[int, int]:
    """Rows and columns of a block: the least work for the core that has most.

    Columns are split in whole lines, and only where that gains something.
    """
    shares = []
    for parts in range(1, min(rows, cores) + 1):
        row_share = -(-rows // parts)
        column_parts = cores // -(-rows // row_share)
        column_share = round_up(-(-columns // column_parts), line)
        shares.append((row_share, column_share))
    return min(shares, key=lambda s: (s[0] * min(s[1], columns), -s[1]))


def split_rows(
    rows: int, columns: int, itemsize: int, work: int, chip: Chip, per_row: int = 0
) -> RowPlan:
    """The plan for a matrix of elements of `itemsize` bytes.

    `work`: bytes of an element in tiles that stay in UB, the repeated row included;
    `per_row`: bytes of UB for a row of a tile, whatever its length.
    """
    widest = max(itemsize, work // 2)
    least = NUMBERS["core_share"] // widest
    cores = min(chip.vector_cores, -(-rows * columns // least))
    row_share, column_share = even_shares(
        rows, columns, cores, NUMBERS["line"] // itemsize
    )
    row_parts, column_parts = -(-rows // row_share), -(-columns // column_share)
    room = chip.ub_nbytes - NUMBERS["reserved"] - LANES * per_row
    element = 2 * SLOTS * itemsize + work + itemsize
    largest = room // element // GRAIN * GRAIN
    wide = min(column_share, columns)
    strips = -(-wide // largest)
    width = wide if strips == 1 else round_up(-(-wide // strips), GRAIN)
    pitch = round_up(width, DATA_BLOCK_NBYTES // itemsize)
    height = max(room // (pitch * element + per_row), 1)
    height = min(row_share, height, MAX_BURSTS if not per_row else MAX_SPREAD)
    height = -(-row_share // -(-row_share // height))
    tile = height * pitch
    tiles = RowTiles(  # type: ignore[call-arg]
        rows, columns, row_share, column_share, column_parts, height, width, tile,
        tile * work,
    )  # fmt: skip
    return RowPlan(row_parts * column_parts, tiles)
