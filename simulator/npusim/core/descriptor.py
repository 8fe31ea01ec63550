"""What a copy moves: equally long bursts, equally far apart on either side.

`data_copy` counts elements, or 32 B blocks in `DataCopyParams`. `data_copy_pad` counts
bytes; its gaps are bytes in global memory and 32 B blocks in local memory, where each
burst starts on a data block. Coming in, a burst may be padded on either side; what
fills its last data block beyond that is undefined. Field widths and the limits of
padding are those of the public DataCopy and DataCopyPad documentation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from npusim.core.memory import DATA_BLOCK_NBYTES, round_up
from npusim.core.operands import Operand, check_range
from npusim.core.signals import stop

COPY_FIELDS = ("block_count", "block_len", "src_stride", "dst_stride")
PAD_FIELDS = ("is_pad", "left_padding", "right_padding")

MAX_BURSTS = 4_095  # 12 bits
MAX_BLOCKS = 65_535  # 16 bits, in data blocks
MAX_BURST_NBYTES = 2_097_151  # 21 bits
MAX_GAP = 2**32 - 1


class Bursts(NamedTuple):
    """`number` bursts of `nbytes`; pitches in bytes; `left`, `right`, `tail` are the
    padding and the undefined rest of a burst in local memory, in bytes."""

    number: int
    nbytes: int
    source_pitch: int
    target_pitch: int
    left: int = 0
    right: int = 0
    tail: int = 0
    filled: bool = False  # padding holds a value

    @property
    def source_extent(self) -> int:
        return (self.number - 1) * self.source_pitch + self.nbytes if self.number else 0

    @property
    def target_extent(self) -> int:
        width = self.left + self.nbytes + self.right + self.tail
        return (self.number - 1) * self.target_pitch + width if self.number else 0


def from_count(dst: Operand, src: Operand, values: Sequence[int]) -> Bursts:
    """`data_copy(dst, src, count)`: one burst of whole data blocks."""
    (count,) = values
    check_range(dst.where, dst.operation, "count", count, 0, 2**31 - 1)
    nbytes = count * dst.dtype.itemsize
    if nbytes % DATA_BLOCK_NBYTES:
        local = src if dst.memory == "GM" else dst
        facts = {"count": count, "dtype": dst.dtype.name, "nbytes": nbytes}
        place = {"buffer": local.name, "element": 0, "byte": 0}
        facts = {**facts, **place, "required": DATA_BLOCK_NBYTES}
        stop("ASC-MTE-01", dst.where, operation=dst.operation, **facts)
    return Bursts(min(count, 1), nbytes, nbytes, nbytes)


def whole_blocks(dst: Operand, values: Sequence[int]) -> Bursts:
    """As `from_count`, the length rounded down to data blocks, as the hardware does."""
    (count,) = values
    nbytes = count * dst.dtype.itemsize // DATA_BLOCK_NBYTES * DATA_BLOCK_NBYTES
    return Bursts(min(nbytes, 1), nbytes, nbytes, nbytes)


def from_blocks(dst: Operand, src: Operand, values: Sequence[int]) -> Bursts:
    """`data_copy(dst, src, DataCopyParams)`: lengths and gaps in data blocks."""
    _check_fields(dst, values, (MAX_BURSTS, MAX_BLOCKS, MAX_BLOCKS, MAX_BLOCKS))
    count, length, source_gap, target_gap = values
    return Bursts(
        count,
        length * DATA_BLOCK_NBYTES,
        (length + source_gap) * DATA_BLOCK_NBYTES,
        (length + target_gap) * DATA_BLOCK_NBYTES,
    )


def from_bytes(dst: Operand, src: Operand, values: Sequence[int]) -> Bursts:
    """`data_copy_pad`: block lengths in bytes; `values` are both records' fields."""
    _check_fields(dst, values[:4], (MAX_BURSTS, MAX_BURST_NBYTES, MAX_GAP, MAX_GAP))
    count, nbytes, source_gap, target_gap = values[:4]
    if dst.memory == "GM":
        pitch = round_up(nbytes) + source_gap * DATA_BLOCK_NBYTES
        return Bursts(count, nbytes, pitch, nbytes + target_gap)
    is_pad, left, right = values[4:]
    left, right = (
        _padding(dst, "left_padding", left),
        _padding(dst, "right_padding", right),
    )
    width = round_up(left + nbytes + right)
    return Bursts(
        count,
        nbytes,
        nbytes + source_gap,
        width + target_gap * DATA_BLOCK_NBYTES,
        left,
        right,
        width - (left + nbytes + right),
        bool(is_pad),
    )


def _check_fields(
    dst: Operand, values: Sequence[int], limits: tuple[int, int, int, int]
) -> None:
    lowest = (1, 1, 0, 0)
    rows = zip(COPY_FIELDS, values, lowest, limits, strict=True)
    for field, value, low, high in rows:
        check_range(dst.where, dst.operation, field, value, low, high)


def _padding(dst: Operand, field: str, elements: int) -> int:
    nbytes = elements * dst.dtype.itemsize
    if not 0 <= nbytes <= DATA_BLOCK_NBYTES:
        stop(
            "ASC-PAD-04",
            dst.where,
            reason="limit",
            operation=dst.operation,
            field=field,
            value=elements,
            nbytes=nbytes,
            required=f"0..{DATA_BLOCK_NBYTES} B",
            buffer=dst.name,
            element=0,
            byte=0,
        )
    return nbytes
