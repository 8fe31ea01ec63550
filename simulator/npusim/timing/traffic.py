"""Bytes that copies move in global memory, and what the L2 cache makes of them.

Every access counts its bytes plus one 512-byte line for each line that its rows touch
beyond the fewest possible (unaligned rows). The L2 is in its simple form: a state at
launch (`cold`, `dirty`, `l2`, `keep`), first reads miss, later reads of a buffer hit as
long as the buffers read most often fit, and writes are absorbed as far as the launch's
footprint leaves room. Lines that an earlier launch left dirty are written back when
they have to make room. Buffers with the hint CACHE_MODE_DISABLE take no room: each read
misses and each write leaves. Left out: order of accesses, channels.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from npusim.chip import Chip
from npusim.core.stream import Access
from npusim.lang.program import ADDRESS_BITS

CACHE_STATES = ("cold", "dirty", "l2", "keep")

Traffic = dict[int, int]  # buffer id -> bytes, lines counted as above


def _runs(access: Access) -> tuple[int, int]:
    """`(count, nbytes)` with rows that touch each other taken as one."""
    if access.pitch == access.nbytes:
        return 1, access.total_nbytes
    return access.count, access.nbytes


def extra_lines(bases: np.ndarray, access: Access, line: int) -> int:
    """Lines beyond the fewest possible that all rows from all bases touch."""
    count, nbytes = _runs(access)
    starts = bases[:, None] + access.pitch * np.arange(count, dtype=np.int64)
    touched = ((starts % line) + nbytes - 1) // line + 1
    return int(touched.sum()) - len(bases) * count * -(-nbytes // line)


def _of_buffer(access: Access, bases: np.ndarray, bits: int, line: int) -> int:
    """Bytes of all rows with their extra lines; `bits`: the bases or-ed together."""
    nbytes = access.total_nbytes * len(bases)
    if _runs(access)[0] > 1:
        bits |= access.pitch
    return nbytes + (line * extra_lines(bases, access, line) if bits % line else 0)


def gm_traffic(
    access: Access, rows: np.ndarray | None, blocks: int, line: int
) -> tuple[Traffic, Traffic]:
    """Bytes by buffer that `blocks` blocks move: plain, and with extra lines.

    `rows`: which entries of an array base belong to these blocks; None means all.
    """
    base, total = access.base, access.total_nbytes
    if total == 0:
        return {}, {}
    if not isinstance(base, np.ndarray):
        lined = _of_buffer(access, np.full(1, base, dtype=np.int64), base, line)
        buffer = base >> ADDRESS_BITS
        return {buffer: total * blocks}, {buffer: lined * blocks}
    if rows is not None:
        base = base[rows]
    bits, common = int(np.bitwise_or.reduce(base)), int(np.bitwise_and.reduce(base))
    buffer = bits >> ADDRESS_BITS
    if buffer != common >> ADDRESS_BITS:
        return _mixed_traffic(access, base, line)
    lined = _of_buffer(access, base, bits, line)
    return {buffer: total * len(base)}, {buffer: lined}


def gm_bytes(access: Access, rows: np.ndarray | None, blocks: int) -> Traffic:
    """Bytes by buffer that `blocks` blocks touch, without extra lines."""
    base, total = access.base, access.total_nbytes
    if not isinstance(base, np.ndarray):
        return {base >> ADDRESS_BITS: total * blocks} if total else {}
    if rows is not None:
        base = base[rows]
    buffers = base >> ADDRESS_BITS
    first = int(buffers[0])
    if (buffers == first).all():
        return {first: total * len(base)}
    found, counts = np.unique(buffers, return_counts=True)
    return dict(zip(found.tolist(), (counts * total).tolist(), strict=True))


def _mixed_traffic(
    access: Access, bases: np.ndarray, line: int
) -> tuple[Traffic, Traffic]:
    """The general case: blocks that address different buffers."""
    buffers = bases >> ADDRESS_BITS
    plain: Traffic = {}
    lined: Traffic = {}
    for buffer in np.unique(buffers).tolist():
        part = access._replace(base=bases[buffers == buffer])
        one, with_lines = gm_traffic(part, None, 0, line)
        plain |= one
        lined |= with_lines
    return plain, lined


@dataclass
class Totals:
    """Bytes that a launch reads and writes, by buffer, without line overhead."""

    read: Counter[int]
    written: Counter[int]

    @classmethod
    def of(cls, parts: Iterable[Totals]) -> Totals:
        total = cls(Counter(), Counter())
        for part in parts:
            total.read.update(part.read)
            total.written.update(part.written)
        return total


@dataclass(frozen=True)
class CacheShares:
    """Where bytes go: share of a buffer's reads that miss L2, of writes that leave it.

    `first_read`, `first_written`: bytes of distinct memory, the least that a launch
    with this result must move; `resident_read`: those of the reads in L2 at launch.
    `apart`: every read goes past L2 (none is resident), so that absorbed writes have
    L2 for themselves. `moved`: distinct bytes (read, written) by buffer.
    """

    miss: Mapping[int, float]
    write_back: Mapping[int, float]
    first_read: int
    first_written: int
    resident_read: int
    apart: bool = False
    moved: Mapping[int, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class L2Traffic:
    """Bytes of a launch by what L2 did: reads that hit and missed, writes that it kept
    until the end and that left it."""

    read_hit: float
    read_miss: float
    write_hit: float
    write_miss: float


def _weighted(moved: Mapping[int, int], share: Mapping[int, float]) -> float:
    return math.fsum(n * share.get(b, 1.0) for b, n in moved.items())


def l2_traffic(totals: Totals, shares: CacheShares) -> L2Traffic:
    """The bytes of `totals`, split by the shares of each buffer."""
    missed = _weighted(totals.read, shares.miss)
    left = _weighted(totals.written, shares.write_back)
    read, written = totals.read.total(), totals.written.total()
    return L2Traffic(read - missed, missed, written - left, left)


def _distinct(moved: Counter[int], sizes: Mapping[int, int]) -> dict[int, int]:
    return {b: min(n, sizes.get(b, n)) for b, n in sorted(moved.items())}


def _fitting(sizes: Iterable[tuple[int, int]], room: int) -> set[int]:
    """Buffers taken in order while they fit into `room` bytes."""
    chosen = set()
    for buffer, nbytes in sizes:
        if nbytes <= room:
            chosen.add(buffer)
            room -= nbytes
    return chosen


def _resident(
    state: CacheState, sizes: Mapping[int, int], room: int
) -> dict[int, float]:
    """Share of each buffer that is in L2 at launch: in the order of ids, while they
    fit."""
    given = state.given
    if state.cache not in ("l2", "keep"):
        return {}
    if state.cache == "l2" and not given:
        given = dict.fromkeys(sizes, 1.0)
    near = [(b, math.ceil(sizes.get(b, 0) * given[b])) for b in sorted(given)]
    return {b: given[b] for b in _fitting(near, room)}


def _kept(moved: Counter[int], distinct: Mapping[int, int], room: int) -> set[int]:
    """Buffers whose later reads hit: those read most often first, while they fit."""
    order = sorted(distinct, key=lambda b: (-(moved[b] / max(1, distinct[b])), b))
    return _fitting(((b, distinct[b]) for b in order), room)


def absorbed_share(cache: str, footprint: int, l2_nbytes: int) -> float:
    """Share of written bytes that L2 still holds when the kernel ends."""
    if cache == "dirty":
        return 0.0
    return min(1.0, l2_nbytes / footprint) if footprint else 1.0


@dataclass(frozen=True)
class CacheState:
    """L2 when a launch starts.

    `cache`: its name. `given`: the share of each buffer, by id, that is resident.
    `bypass`: ids of the buffers that the kernel told to go past L2. `older`: what else
    lies there, the oldest first, as (bytes, share that must be written back). `reused`:
    share of a buffer's reads that hit by reuse, where it does not fit as a whole.
    """

    cache: str
    given: Mapping[int, float] = field(default_factory=dict)
    bypass: frozenset[int] = frozenset()
    older: tuple[tuple[int, float], ...] = ()
    reused: Mapping[int, float] = field(default_factory=dict)


def cache_shares(
    chip: Chip, totals: Totals, sizes: Mapping[int, int], state: CacheState
) -> CacheShares:
    """Miss and write-back shares of every buffer; `sizes` in bytes by buffer id."""
    bypass = state.bypass if chip.has("l2_bypass") else frozenset()
    reuses, room = chip.has("l2_residency"), chip.l2_nbytes
    near = _resident(state, sizes, room) if reuses else {}
    reads = _distinct(totals.read, sizes)
    writes = _distinct(totals.written, sizes)
    allocated = {b: n for b, n in reads.items() if b not in bypass}
    kept = _kept(totals.read, allocated, room) if reuses else set()
    again = {b: s for b, s in state.reused.items() if b in allocated and reuses}
    back = _write_back(chip, state, allocated, writes, near)
    miss = {
        b: (1.0 - near.get(b, 0.0))
        * (n / totals.read[b] if b in kept else 1.0 - again.get(b, 0.0))
        for b, n in reads.items()
        if n
    }
    return CacheShares(
        miss,
        {b: 1.0 if b in bypass else back * (1.0 - near.get(b, 0.0)) for b in writes},
        sum(reads.values()),
        sum(writes.values()),
        sum(math.ceil(reads[b] * near[b]) for b in reads if b in near),
        bool(reads) and not allocated and near.keys().isdisjoint(reads),
        {b: (reads.get(b, 0), writes.get(b, 0)) for b in {**reads, **writes}},
    )


def _write_back(
    chip: Chip,
    state: CacheState,
    reads: Mapping[int, int],
    writes: Mapping[int, int],
    near: Mapping[int, float],
) -> float:
    """Share of the written bytes that leave L2 before the kernel ends, with those of
    earlier launches that have to leave for them."""
    if not chip.has("l2_write_absorption"):
        return 1.0
    bypass = state.bypass if chip.has("l2_bypass") else frozenset()
    stay = {b: n for b, n in writes.items() if b not in bypass}
    footprint = sum(reads.values()) + sum(stay.values())
    back = 1.0 - absorbed_share(state.cache, footprint, chip.l2_nbytes)
    new = [n * (1.0 - near.get(b, 0.0)) for m in (reads, stay) for b, n in m.items()]
    leaving = displaced_dirty(state.older, math.fsum(new))
    return min(1.0, back + leaving / max(1, sum(stay.values())))


def displaced_dirty(older: Iterable[tuple[int, float]], nbytes: float) -> float:
    """Dirty bytes among the oldest `nbytes` of what lies in L2."""
    dirty = 0.0
    for held, share in older:
        taken = min(float(held), nbytes)
        dirty, nbytes = dirty + taken * share, nbytes - taken
    return dirty
