"""Reads that hit L2 because the same bytes were read shortly before in this launch.

Buffers that fit L2 are dealt with by `traffic`. Here are those that do not, but of
which a part is read again before other traffic has pushed it out: one block of each
stream is followed, and a tile that it read before hits if the blocks that run at once
have moved no more than the capacity of L2 since. Left out: reuse between blocks, tiles
that overlap in part. Buffers that bypass L2 never hit. The published copy ladder has
such a step: slices of a matrix, each read four times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from npusim.chip import Chip
from npusim.core.stream import Access, Stream
from npusim.lang.program import ADDRESS_BITS
from npusim.timing.traffic import Totals

Tile = tuple[int, int, int, int]  # address, pitch, rows, bytes of a row


def needs_a_look(totals: Totals, sizes: Mapping[int, int], room: int) -> bool:
    """Whether a buffer larger than `room` is read more than once."""
    return any(
        sizes.get(b, n) > room and n > sizes.get(b, n) for b, n in totals.read.items()
    )


def _address(access: Access) -> int:
    """The address that the first block of a stream uses."""
    base = access.base
    return base if isinstance(base, int) else int(base.flat[0])


def _tile(access: Access) -> Tile:
    return _address(access), access.pitch, access.count, access.nbytes


def _follow(stream: Stream, blocks: int, room: int, hits: Counter[int]) -> None:
    """Adds the bytes of the stream's first block that hit, by buffer."""
    moved, seen = 0, dict[Tile, int]()
    for step in stream.localized():
        for access in step.reads:
            if access.space != "GM":
                continue
            tile = _tile(access)
            if tile in seen and (moved - seen[tile]) * blocks <= room:
                buffer = tile[0] >> ADDRESS_BITS
                hits[buffer] += access.total_nbytes * len(stream.blocks)
            moved += access.total_nbytes
            seen[tile] = moved
        moved += sum(a.total_nbytes for a in step.writes if a.space == "GM")


def reused_shares(
    streams: Iterable[Stream], chip: Chip, totals: Totals, sizes: Mapping[int, int]
) -> dict[int, float]:
    """Share of the read bytes of each buffer that hit by reuse; empty if none can."""
    if not needs_a_look(totals, sizes, chip.l2_nbytes):
        return {}
    parts, hits = list(streams), Counter[int]()
    blocks = min(sum(len(s.blocks) for s in parts), chip.vector_cores)
    for stream in parts:
        _follow(stream, blocks, chip.l2_nbytes, hits)
    return {b: n / totals.read[b] for b, n in hits.items()}
