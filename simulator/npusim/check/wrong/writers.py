"""Who wrote an element of global memory: block, tile, step.

The *tile* of a write is how often the same line of the kernel had written before in
that block: the iteration of the copy-out. Where several wrote a byte, the last one
counts: by phase, then by block, then in program order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from npusim.core import Buffer, Execution
from npusim.core.stream import Access, Step, Stream
from npusim.lang.program import ADDRESS_BITS

NOBODY = -1


class Write(NamedTuple):
    """One step that wrote, of all its blocks; `epoch`: meetings of all cores before."""

    step: Step
    tile: int
    epoch: int
    stream: Stream


class Writer(NamedTuple):
    """Who wrote an element."""

    block: int
    tile: int
    step: Step


class Writers:
    """Of each element of `buffer`: `index` into `writes` and `block`, -1: nobody."""

    def __init__(self, execution: Execution, buffer: Buffer):
        size = buffer.nbytes // buffer.dtype.itemsize
        self.index = np.full(size, NOBODY, np.int32)
        self.block = np.full(size, NOBODY, np.int32)
        self.writes: list[Write] = []
        found = [
            (write, access)
            for stream in execution.streams
            for write, access in _writes(stream)
        ]
        for write, access in sorted(found, key=lambda pair: pair[0].epoch):
            self._paint(buffer, write, access)

    def _paint(self, buffer: Buffer, write: Write, access: Access) -> None:
        blocks = write.stream.blocks
        base = np.broadcast_to(np.asarray(access.base, np.int64), blocks.shape)
        starts = (base - buffer.address)[:, None] + access.pitch * np.arange(
            access.count, dtype=np.int64
        )
        size = buffer.dtype.itemsize
        first, length = starts // size, -(-access.nbytes // size)
        inside = (starts >= 0) & (starts < buffer.nbytes)
        if not inside.any():
            return
        self.writes.append(write)
        number = len(self.writes) - 1
        for block, row, own in zip(blocks.tolist(), first, inside, strict=True):
            elements = (row[own][:, None] + np.arange(length)).ravel()
            elements = elements[elements < len(self.index)]
            self.index[elements] = number
            self.block[elements] = block

    def tiles(self) -> np.ndarray:
        """The tile that wrote each element, -1: nobody."""
        table = np.array([*(write.tile for write in self.writes), NOBODY])
        return table[self.index]

    def of(self, element: int) -> Writer | None:
        """The writer of one element (flat index)."""
        number = int(self.index[element])
        if number == NOBODY:
            return None
        write = self.writes[number]
        return Writer(int(self.block[element]), write.tile, write.step)


def _writes(stream: Stream) -> Iterator[tuple[Write, Access]]:
    epoch, count = 0, Counter[int]()
    for step in stream.localized():
        epoch += step.sync is not None and step.sync.kind in ("all", "cross_wait")
        in_gm = [access for access in step.writes if access.space == "GM"]
        if in_gm:
            count[step.where] += 1
        for access in in_gm:
            yield Write(step, count[step.where] - 1, epoch, stream), access


def touched_buffers(execution: Execution) -> tuple[set[int], set[int]]:
    """Ids of the buffers that the launch read, and of those that it wrote."""
    read: set[int] = set()
    written: set[int] = set()
    for stream in execution.streams:
        for step in stream.steps():
            for accesses, found in ((step.reads, read), (step.writes, written)):
                for access in accesses:
                    if access.space == "GM":
                        found.add(int(np.ravel(access.base)[0]) >> ADDRESS_BITS)
    return read, written
