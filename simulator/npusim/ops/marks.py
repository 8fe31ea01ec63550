"""Helpers around bits: compare a tile of any length, turn bits into 0 and 1.

The count form of a comparison takes whole repeats of 256 B. In counter mode the mask is
the number of elements, so a tail needs no filler.
"""

from __future__ import annotations

from npusim import asc


@asc.jit
def mark_scalar(bits, x, number, mode, count):
    """Bit i of `bits` = x[i] (mode) number."""
    asc.set_mask_count()
    asc.compare_scalar(bits, x, number, mode, count, 1, asc.UnaryRepeatParams())
    asc.set_mask_norm()
    asc.reset_mask()


@asc.jit
def mark_two(bits, x, y, mode, count):
    """Bit i of `bits` = x[i] (mode) y[i]."""
    asc.set_mask_count()
    asc.compare(bits, x, y, mode, count, 1, asc.BinaryRepeatParams())
    asc.set_mask_norm()
    asc.reset_mask()


@asc.jit
def pick(z, bits, x, y, count):
    """z = x where the bit is 1, else y; z may be x or y."""
    asc.select(z, bits, x, y, asc.SELMODE.VSEL_TENSOR_TENSOR_MODE, count)
