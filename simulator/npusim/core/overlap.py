"""Operands that share bytes: what is allowed, and what computes repeat by repeat.

A destination may be exactly one of its sources; a partial overlap is an error
(ASC-ALIAS-12). A destination whose repeats overlap each other is worked off repeat by
repeat, as hardware does; unless it is also a source (accumulation), that is most likely
a wrong stride (ASC-STRIDE-31). A narrower result may start where its source starts:
each repeat is read before anything of it is overwritten.

Source: public Ascend C documentation, address overlap of operands.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npusim.core.group import Group
from npusim.core.layout import Layout, pieces
from npusim.core.memory import DATA_BLOCK_NBYTES
from npusim.core.operands import Operand
from npusim.core.shape import Shaped
from npusim.core.signals import stop
from npusim.core.stream import Access

Bytes = Sequence[Access]


def check_overlap(group: Group, tensors: Sequence[Operand], shaped: Shaped) -> None:
    """ASC-ALIAS-12 where the destination overlaps a source in part."""
    dst = tensors[0]
    for tensor, layout, runs in zip(
        tensors[1:], shaped.layouts[1:], shaped.runs[1:], strict=True
    ):
        first = shaped.layouts[0]
        if layout.address == first.address and _may_share(shaped, layout, runs):
            continue
        shared = shared_nbytes(shaped.runs[0], runs)
        if shared:
            stop_overlap(group, dst, tensor, layout.address, shared)


def _may_share(shaped: Shaped, source: Layout, read: Bytes) -> bool:
    target = shaped.layouts[0]
    if target.itemsize < source.itemsize:
        ends = [
            begin + nbytes
            for part in shaped.lanes.parts
            for begin, nbytes in pieces(target, part.runs)
        ]
        repeats = shaped.lanes.repeats
        return not runs_ahead(repeats, max(ends, default=0), target.repeat, source)
    exact = _places(shaped.runs[0]) == _places(read)
    return target.itemsize == source.itemsize and exact


def runs_ahead(repeats: int, extent: int, pitch: int, source: Layout) -> bool:
    """Whether results of `extent` bytes a repeat, `pitch` apart, that start where the
    source starts may reach what a later repeat still has to read."""
    return repeats > 1 and (pitch > source.repeat or extent > source.repeat)


def _places(runs: Bytes) -> list[tuple]:
    return [(r.base, r.nbytes, r.count, r.pitch) for r in runs]


def stop_overlap(
    group: Group, dst: Operand, other: Operand, address: int, shared: int
) -> None:
    """End the group: `dst` and `other` share `shared` bytes."""
    byte = address - group.segment.origin(address)
    facts = {"buffer": other.name, "byte": byte, "element": other.element(byte)}
    stop(
        "ASC-ALIAS-12", dst.where, operation=dst.operation, operand=other.role,
        target=dst.role, nbytes=shared, required="0 / 100 %", **facts,
    )  # fmt: skip


def shared_nbytes(some: Bytes, others: Bytes) -> int:
    """Bytes that both touch."""
    low = max(_low(some), _low(others))
    high = min(_high(some), _high(others))
    if low >= high:
        return 0
    return int((_map(some, low, high) & _map(others, low, high)).sum())


def _low(runs: Bytes) -> int:
    return min((int(run.base) for run in runs), default=0)


def _high(runs: Bytes) -> int:
    ends = (int(r.base) + r.pitch * (r.count - 1) + r.nbytes for r in runs)
    return max(ends, default=0)


def _map(runs: Bytes, low: int, high: int) -> np.ndarray:
    """Which bytes of `[low, high)` are touched."""
    touched = np.zeros(high - low, bool)
    for run in runs:
        for i in range(run.count):
            begin = int(run.base) + i * run.pitch - low
            touched[max(begin, 0) : max(begin + run.nbytes, 0)] = True
    return touched


def repeats_overlap(shaped: Shaped) -> bool:
    """Whether the destination's blocks or repeats touch a byte twice."""
    lanes, layout = shaped.lanes, shaped.layouts[0]
    if not shaped.masked or not lanes.parts:
        return False
    runs = shaped.runs[0]
    written = int(_map(runs, _low(runs), _high(runs)).sum())
    return written < lanes.elements * layout.itemsize


def warn_stride(group: Group, dst: Operand, shaped: Shaped) -> None:
    """ASC-STRIDE-31: destination blocks overlap and nothing is accumulated."""
    layout = shaped.layouts[0]
    last = shaped.lanes.parts[0].runs[-1][1] - 1
    facts = {
        "operation": dst.operation,
        "buffer": dst.name,
        "blk_stride": layout.block // DATA_BLOCK_NBYTES,
        "rep_stride": layout.repeat // DATA_BLOCK_NBYTES,
        "blocks": last * layout.itemsize // DATA_BLOCK_NBYTES + 1,
    }
    core = group.first_block
    group.machine.report("ASC-STRIDE-31", "W", dst.where, core, **facts)
