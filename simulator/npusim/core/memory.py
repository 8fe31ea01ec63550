"""Memory: buffers in global memory, and windows onto bytes.

Local memory is `uint8[blocks, nbytes + gap]`, one row a block. Global memory is
one array of bytes a buffer. A *window* is a view of equally long runs of bytes, equal
pitch apart, for every block at once; where the blocks' places in a buffer are not
evenly spaced there is no such view and the caller goes block by block.

Fresh local memory is filled with 0xFF: NaN in every floating type and -1 in every
signed integer type, so that a use of it shows in the result, the same in every run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from npusim.lang.program import ADDRESS_BITS
from npusim.lang.types import DType

POISON = 0xFF
DATA_BLOCK_NBYTES = 32  # unit of local memory and of copies (Ascend C documentation)
REPEAT_NBYTES = 256  # one vector repeat is eight data blocks (same source)
GAP_NBYTES = 1_344  # between two blocks' local memories: without it, equal addresses of
# all blocks fall into the same few sets of the host's caches (3 to 5 times slower)


@dataclass(eq=False)
class Buffer:
    """A range of global memory.

    `data` is 1-D of `dtype`; stores land in it. `written`, one bool a byte, is given
    for memory that started without contents (`device.empty`). `output`: the launch is
    expected to write all of it. `shape` is the host's. Buffer ids start at 1.
    """

    buffer_id: int
    name: str
    dtype: DType
    data: np.ndarray
    written: np.ndarray | None = None
    output: bool = False
    shape: tuple[int, ...] = ()

    @property
    def address(self) -> int:
        """The device address of the first byte."""
        return self.buffer_id << ADDRESS_BITS

    @property
    def nbytes(self) -> int:
        return self.data.nbytes


def round_up(nbytes: int, unit: int = DATA_BLOCK_NBYTES) -> int:
    return -(-nbytes // unit) * unit


def local_memory(blocks: int, nbytes: int) -> np.ndarray:
    """Local memory of `nbytes` a block, one row a block; the gap ends the row."""
    return np.empty((blocks, nbytes + GAP_NBYTES), np.uint8)


def local_window(
    memory: np.ndarray, address: int, nbytes: int, count: int, pitch: int
) -> np.ndarray:
    """uint8[blocks, count, nbytes] of local memory; bounds are the caller's affair."""
    blocks = memory.shape[0]
    strides = (memory.strides[0], pitch, 1)
    return np.ndarray((blocks, count, nbytes), np.uint8, memory, address, strides)


class Place(NamedTuple):
    """Where the blocks of a group touch a buffer: byte offsets into `data`.

    Evenly spaced blocks have `start` and `step`; others one offset each in `offsets`.
    `step` 0 with no offsets: all blocks at `start`.
    """

    data: np.ndarray
    start: int
    step: int = 0
    offsets: np.ndarray | None = None

    def windows(
        self, lanes: int, shape: tuple[int, int], pitch: int, writing: bool
    ) -> list[tuple[slice, np.ndarray]]:
        """Windows `uint8[blocks, count, nbytes]`, with the blocks of each.

        `shape` is (count, nbytes). One window serves evenly spaced blocks; it has one
        row where all are at one place. Else there is one a block, in block order; so it
        is where blocks write the same bytes, of which the last block's then stay.
        """
        if self.offsets is None:
            extent = (shape[0] - 1) * pitch + shape[1]
            if not writing or self.step == 0 or abs(self.step) >= extent:
                rows = lanes if self.step else 1
                return [(slice(None), self._window(self.start, rows, shape, pitch))]
        return [
            (slice(i, i + 1), self._window(start, 1, shape, pitch))
            for i, start in enumerate(self.each(lanes))
        ]

    def _window(
        self, start: int, rows: int, shape: tuple[int, int], pitch: int
    ) -> np.ndarray:
        strides = (self.step if rows > 1 else 0, pitch, 1)
        return np.ndarray((rows, *shape), np.uint8, self.data, start, strides)

    def each(self, lanes: int) -> list[int]:
        """The offset of every block."""
        if self.offsets is not None:
            return self.offsets.tolist()
        return [self.start + row * self.step for row in range(lanes)]
