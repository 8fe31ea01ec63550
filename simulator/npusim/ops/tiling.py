"""Host tiling of element-wise operators: which core works on which elements.

An array of n elements is cut into equal shares of whole 512 B lines, one a block; the
last block has the rest. A share is cut into equal tiles as large as UB allows. Small
arrays use fewer cores: a share has at least 4 KiB of the widest type.

Left out: shares that follow the L2 cache or the channels of the memory.
Numbers: `tiling.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

from npusim import asc
from npusim.chip import Chip

GRAIN = 256
"""Elements by which a tile grows: whole repeats of 256 B for every type."""

_TEXT = (resources.files(__package__) / "tiling.toml").read_text("utf-8")
NUMBERS: dict[str, int] = {k: v["value"] for k, v in tomllib.loads(_TEXT).items()}
SLOTS = NUMBERS["slots"]


@asc.tiling
class Tiles:
    """What a kernel is told. Counts are in elements, `work` in bytes.

    `result_at`, `scratch_at`: where the result and the scratch tiles of a chain lie in
    the work buffer, in its elements.
    """

    n: int
    share: int
    tile: int
    work: int
    result_at: int = 0
    scratch_at: int = 0


@dataclass(frozen=True)
class Layout:
    """What one element takes of UB.

    `queued`: bytes in each array that goes through a queue; `work`: bytes in tiles that
    stay in UB; `result`, `scratch`: how many tiles of the work buffer lie before them;
    `fixed`: bytes of UB whatever the tile.
    """

    queued: tuple[int, ...]
    work: int = 0
    result: int = 0
    scratch: int = 0
    widest: int = 0
    fixed: int = 0

    @property
    def nbytes(self) -> int:
        """Bytes of UB for one element of a tile."""
        return SLOTS * sum(self.queued) + self.work


@dataclass(frozen=True)
class Plan:
    """How many blocks to launch, and what they are told."""

    blocks: int
    tiles: Tiles


def round_up(value: int, step: int) -> int:
    """The next multiple of `step`."""
    return -(-value // step) * step


def share_of(n: int, itemsizes: Sequence[int], cores: int, widest: int = 0) -> int:
    """Elements of one core's share of n ≥ 1, in whole lines of the widest array."""
    line = max(NUMBERS["line"] // max(itemsizes), 1)
    least = NUMBERS["core_share"] // max(widest, *itemsizes)
    return max(least, round_up(-(-n // cores), line))


def largest_tile(layout: Layout, chip: Chip) -> int:
    """Elements of the largest tile that UB holds."""
    room = chip.ub_nbytes - NUMBERS["reserved"] - layout.fixed
    return room // layout.nbytes // GRAIN * GRAIN


def even_tile(share: int, largest: int) -> int:
    """Elements of a tile so that a share has as few and as equal tiles as can be."""
    tiles = -(-share // largest)
    return round_up(-(-share // tiles), GRAIN)


def split(n: int, layout: Layout, chip: Chip, cores: int | None = None) -> Plan:
    """The plan for n ≥ 1 elements; `cores`: at most so many, default all."""
    share = share_of(n, layout.queued, cores or chip.vector_cores, layout.widest)
    tile = even_tile(share, largest_tile(layout, chip))
    work = max(layout.work * tile, 32)
    places = layout.result * tile, layout.scratch * tile
    tiles = Tiles(n, share, tile, work, *places)  # type: ignore[call-arg]
    return Plan(-(-n // share), tiles)
