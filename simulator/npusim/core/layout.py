"""Which elements a vector instruction touches, and where they lie.

A vector instruction works in *repeats*. `Lanes` says which elements of each repeat
take part (the mask), a `Layout` where the repeats of one operand lie: data block b of
repeat r starts at `address + r * repeat + b * block` bytes. From the two follow exact
byte ranges (`accesses`) and arrays to compute on (`views`).

The count form is one long repeat whose blocks lie side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from npusim.core.memory import DATA_BLOCK_NBYTES
from npusim.core.stream import Access

Run = tuple[int, int]  # first lane, lane after the last


class Part(NamedTuple):
    """`number` repeats from repeat `first` on, all with the same lanes `runs`."""

    first: int
    number: int
    runs: tuple[Run, ...]

    @property
    def lanes(self) -> int:
        """Elements of each repeat that take part."""
        return sum(end - begin for begin, end in self.runs)


class Lanes(NamedTuple):
    """Parts in order; the last one may be the shorter tail."""

    parts: tuple[Part, ...]

    @property
    def repeats(self) -> int:
        return sum(part.number for part in self.parts)

    @property
    def elements(self) -> int:
        return sum(part.number * part.lanes for part in self.parts)


class Layout(NamedTuple):
    """Bytes: `address` of the first block, pitch of blocks and of repeats."""

    address: int
    itemsize: int
    block: int = DATA_BLOCK_NBYTES
    repeat: int = 0

    def offset(self, lane: int) -> int:
        """Byte of a lane, from the start of its repeat."""
        per_block = DATA_BLOCK_NBYTES // self.itemsize
        within = lane % per_block * self.itemsize
        return lane // per_block * self.block + within


def contiguous(count: int) -> Lanes:
    """The first `count` elements, as the count form has them."""
    return Lanes((Part(0, 1, ((0, count),)),) if count else ())


def first_of_each(number: int, repeats: int) -> Lanes:
    """The first `number` elements of every repeat."""
    return Lanes((Part(0, repeats, ((0, number),)),) if number and repeats else ())


def total(count: int, per_repeat: int) -> Lanes:
    """`count` elements over as many repeats as they need."""
    full, rest = divmod(count, per_repeat)
    parts = [Part(0, full, ((0, per_repeat),))] if full else []
    if rest:
        parts.append(Part(full, 1, ((0, rest),)))
    return Lanes(tuple(parts))


def by_bits(bits: int, per_repeat: int, repeats: int) -> Lanes:
    """Every repeat has the lanes whose bit is set."""
    runs = _runs_of(bits & ((1 << per_repeat) - 1))
    return Lanes((Part(0, repeats, runs),) if runs and repeats else ())


@lru_cache(maxsize=256)
def _runs_of(bits: int) -> tuple[Run, ...]:
    runs, lane = [], 0
    while bits >> lane:
        if not bits >> lane & 1:
            lane += 1
            continue
        begin = lane
        while bits >> lane & 1:
            lane += 1
        runs.append((begin, lane))
    return tuple(runs)


# ---------------------------------------------------------------------- byte ranges
def extent(layout: Layout, lanes: Lanes) -> int:
    """Bytes from the operand's start to behind the last one touched."""
    ends = [
        (part.first + part.number - 1) * layout.repeat + begin + nbytes
        for part in lanes.parts
        for begin, nbytes in pieces(layout, part.runs)
    ]
    return max(ends, default=0)


def accesses(layout: Layout, lanes: Lanes, name: str) -> tuple[Access, ...]:
    """The exact bytes of an operand, as few runs as possible."""
    found: list[Access] = []
    for part in lanes.parts:
        base = layout.address + part.first * layout.repeat
        number, pitch = part.number, layout.repeat
        for begin, nbytes, count, gap in _joined(layout, part):
            if count > 1:
                found.append(Access("UB", base + begin, nbytes, count, gap, name))
            elif number == 1 or pitch == nbytes:
                long = nbytes * number
                found.append(Access("UB", base + begin, long, 1, long, name))
            else:
                found.append(Access("UB", base + begin, nbytes, number, pitch, name))
    return tuple(found)


def _joined(layout: Layout, part: Part) -> list[tuple[int, int, int, int]]:
    """Pieces of a repeat (begin, nbytes, count, pitch); evenly spaced ones are one
    where the next repeat goes on at the same distance."""
    found = pieces(layout, part.runs)
    gap = found[1][0] - found[0][0] if len(found) > 1 else 0
    even = gap > 0 and all(
        piece == (found[0][0] + i * gap, found[0][1]) for i, piece in enumerate(found)
    )
    if even and (part.number == 1 or layout.repeat == gap * len(found)):
        return [(*found[0], len(found) * part.number, gap)]
    return [(begin, nbytes, 1, 0) for begin, nbytes in found]


def pieces(layout: Layout, runs: tuple[Run, ...]) -> list[tuple[int, int]]:
    """(begin, nbytes) of the touched bytes of one repeat; touching ones are one."""
    found: set[tuple[int, int]] = set()
    per_block = DATA_BLOCK_NBYTES // layout.itemsize
    for begin, end in runs:
        found |= set(_cut(layout, begin, end, per_block))
    merged: list[list[int]] = []
    for begin, end in sorted(found):
        if merged and begin <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([begin, end])
    return [(begin, end - begin) for begin, end in merged]


def _cut(layout: Layout, begin: int, end: int, per_block: int) -> Iterator[Run]:
    if layout.block == DATA_BLOCK_NBYTES:
        yield begin * layout.itemsize, end * layout.itemsize
        return
    while begin < end:
        stop = min(end, (begin // per_block + 1) * per_block)
        first = layout.offset(begin)
        yield first, first + (stop - begin) * layout.itemsize
        begin = stop


# ---------------------------------------------------------------------------- arrays
class Picked(NamedTuple):
    """Elements `memory[:, places]`, where no strided view can name them."""

    memory: np.ndarray
    places: np.ndarray

    def load(self) -> np.ndarray:
        return self.memory[:, self.places]

    def store(self, values: np.ndarray) -> None:
        self.memory[:, self.places] = values


class Shown(NamedTuple):
    """A source whose repeats show one block of 32 B again and again: `blocks` is
    `V32[blocks, repeats, 1]`. Filling whole repeats first and computing on these is
    much faster than computing 32 B at a time."""

    blocks: np.ndarray
    times: int
    dtype: np.dtype

    def load(self) -> np.ndarray:
        return self.blocks.repeat(self.times, axis=2).view(self.dtype)


Window = np.ndarray | Picked | Shown


def views(
    memory: np.ndarray,
    operands: Sequence[tuple[Layout, np.dtype]],
    part: Part,
) -> list[Window]:
    """One window `[blocks, repeats, …]` for every operand, all of one shape."""
    layouts = [layout for layout, _ in operands]
    if _is_dense(layouts, part):
        return [_dense(memory, layout, dtype, part) for layout, dtype in operands]
    if _is_blockwise(layouts, part):
        if layouts[0].block == DATA_BLOCK_NBYTES:
            windows = [_shown_or_dense(memory, *operand, part) for operand in operands]
            if all(window is not None for window in windows):
                return windows  # type: ignore[return-value]
        return [_blockwise(memory, layout, dtype, part) for layout, dtype in operands]
    return [
        Picked(memory.view(dtype), element_index(layout, part))
        for layout, dtype in operands
    ]


def _is_dense(layouts: list[Layout], part: Part) -> bool:
    if len(part.runs) > 1:
        return False
    begin, end = part.runs[0]
    return all(
        layout.block == DATA_BLOCK_NBYTES
        or (end - 1) * layout.itemsize // DATA_BLOCK_NBYTES
        == begin * layout.itemsize // DATA_BLOCK_NBYTES
        for layout in layouts
    )


def _dense(memory: np.ndarray, layout: Layout, dtype: np.dtype, part: Part) -> Window:
    begin, end = part.runs[0]
    start = layout.address + part.first * layout.repeat + layout.offset(begin)
    shape = (memory.shape[0], part.number, end - begin)
    strides = (memory.strides[0], layout.repeat, layout.itemsize)
    return np.ndarray(shape, dtype, memory, start, strides)


def _shown_or_dense(
    memory: np.ndarray, layout: Layout, dtype: np.dtype, part: Part
) -> Window | None:
    """A window of whole repeats, if there is one. Only sources are shown."""
    if layout.block == DATA_BLOCK_NBYTES:
        return _dense(memory, layout, dtype, part)
    if layout.block:
        return None
    begin, end = part.runs[0]
    start = layout.address + part.first * layout.repeat
    shape, strides = (
        (memory.shape[0], part.number, 1),
        (memory.strides[0], layout.repeat, 0),
    )
    blocks = np.ndarray(shape, f"V{DATA_BLOCK_NBYTES}", memory, start, strides)
    return Shown(blocks, (end - begin) * layout.itemsize // DATA_BLOCK_NBYTES, dtype)


def _is_blockwise(layouts: list[Layout], part: Part) -> bool:
    if len(part.runs) > 1 or len({layout.itemsize for layout in layouts}) > 1:
        return False
    begin, end = part.runs[0]
    return not (begin * layouts[0].itemsize % 32 or end * layouts[0].itemsize % 32)


def _blockwise(
    memory: np.ndarray, layout: Layout, dtype: np.dtype, part: Part
) -> Window:
    begin, end = part.runs[0]
    per_block = DATA_BLOCK_NBYTES // layout.itemsize
    start = layout.address + part.first * layout.repeat + layout.offset(begin)
    shape = (memory.shape[0], part.number, (end - begin) // per_block, per_block)
    strides = (memory.strides[0], layout.repeat, layout.block, layout.itemsize)
    return np.ndarray(shape, dtype, memory, start, strides)


def element_index(layout: Layout, part: Part) -> np.ndarray:
    """Indices `[repeats, lanes]` into local memory seen as elements."""
    lanes = [
        layout.offset(lane) for begin, end in part.runs for lane in range(begin, end)
    ]
    repeats = np.arange(part.first, part.first + part.number) * layout.repeat
    nbytes = layout.address + repeats[:, None] + np.array(lanes, np.int64)
    return nbytes // layout.itemsize


def load(window: Window) -> np.ndarray:
    return window if isinstance(window, np.ndarray) else window.load()


def store(window: Window, values: np.ndarray) -> None:
    if isinstance(window, np.ndarray):
        window[...] = values
    else:
        assert isinstance(window, Picked)  # a target
        window.store(values)
