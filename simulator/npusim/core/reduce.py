"""Reductions: many elements to one, by repeat, by block of 32 B, by pair, or of all.

Order of summation: within a repeat neighbours are added in a balanced tree, each sum
rounded to the dtype. The count form of `reduce_sum` then adds repeat after repeat; the
mask form goes on as a tree over repeats; so the two can differ. A maximum or minimum is
the first of its equals; NaN wins. An index is stored as bits in the dtype's width.

The work area `tmp` must have room for what the documented steps leave in it: one
element a repeat for sums, value and index of each repeat for extremes (with index, of
each further step too), rounded up to 32 B. All of it is scratch afterwards.

Sources: public Ascend C documentation of ReduceSum, WholeReduceSum, BlockReduceSum,
PairReduceSum. Elements that a mask leaves out do not count; a block or pair without any
element writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from npusim.core.memory import DATA_BLOCK_NBYTES, REPEAT_NBYTES, round_up
from npusim.core.numeric import SATURATION, is_infinite, saturate
from npusim.lang.types import DType


class Clamp:
    """What the overflow mode does to every sum; counts what it clamped, by block."""

    def __init__(self, dtype: DType, overflow: str, lanes: int):
        self.limit = SATURATION.get(dtype.name) if overflow == "saturate" else None
        self.clamped = np.zeros(lanes, np.int64)

    def __call__(self, values: np.ndarray) -> np.ndarray:
        if self.limit is not None:
            infinite = is_infinite(values)
            self.clamped += infinite.reshape(len(values), -1).sum(1)
            saturate(values, self.limit)
        return values

    def lost(self, result: np.ndarray, finite: Callable[[], np.ndarray]) -> np.ndarray:
        """Sums of `finite()` elements that overflowed, one a block: Inf, or NaN where
        two partial sums overflowed to both sides.

        Most launches lose none: then the elements are not looked at again.
        """
        over = ~np.isfinite(result) if self.limit is None else self.clamped > 0
        return over & finite() if over.any() else over

    def lost_each(self, result: np.ndarray, infinite: np.ndarray) -> np.ndarray:
        """Which results overflowed; in the saturating mode, those at the limit."""
        if self.limit is None or not self.clamped.any():
            return infinite
        return np.abs(result) == self.limit


# ------------------------------------------------------------------------------- sums
def tree(values: np.ndarray, clamp: Clamp) -> np.ndarray:
    """Sum over the last axis, neighbours first; -0 fills up to a power of two."""
    width = 1 << max(0, values.shape[-1] - 1).bit_length()
    missing = width - values.shape[-1]
    if missing:
        fill = np.full((*values.shape[:-1], missing), -0.0, values.dtype)
        values = np.concatenate([values, fill], axis=-1)
    if width >= 4 and clamp.limit is None:
        values = fours(values)
    while values.shape[-1] > 1:
        values = clamp(values[..., 0::2] + values[..., 1::2])
    return values[..., 0]


def fours(values: np.ndarray) -> np.ndarray:
    """Two levels of a tree: the last axis, a multiple of 4 long, becomes a quarter.

    Every element is added to its right neighbour in one dense call, of which every
    other result counts: twice the work, but dense arrays add several times faster.
    """
    pairs = values[..., :-1] + values[..., 1:]
    return pairs[..., 0::4] + pairs[..., 2::4]


def one_after_another(values: np.ndarray, clamp: Clamp) -> np.ndarray:
    """Sum over the last axis from the first to the last."""
    if clamp.limit is None:  # one call; it rounds every partial sum to the dtype
        return np.add.accumulate(values, axis=-1)[..., -1].copy()
    result = values[..., 0].copy()
    for i in range(1, values.shape[-1]):
        result = clamp(result + values[..., i])
    return result


def spread(values: np.ndarray, lanes: np.ndarray, width: int) -> np.ndarray:
    """Elements at their lanes of a repeat, -0 (adds nothing) elsewhere."""
    if values.shape[-1] == width:
        return values
    full = np.full((*values.shape[:-1], width), -0.0, values.dtype)
    full[..., lanes] = values
    return full


def lost_in_sum(result: np.ndarray, sources: np.ndarray) -> np.ndarray:
    """Sums that are not finite, of elements that are (last axis of `sources`)."""
    lost = ~np.isfinite(result)
    if not lost.any():
        return lost
    return lost & np.isfinite(sources).all(-1)


# --------------------------------------------------------------------------- extremes
def extreme(values: np.ndarray, largest: bool) -> tuple[np.ndarray, np.ndarray]:
    """(value, index) of the first maximum or minimum over the last axis; NaN wins."""
    index = values.argmax(-1) if largest else values.argmin(-1)
    found = np.take_along_axis(values, index[..., None], -1)[..., 0]
    return found, index


def index_bits(index: np.ndarray, dtype: DType) -> np.ndarray:
    """An index as the dtype's bits: uint16 in a half, uint32 in a float."""
    unsigned = np.dtype(f"u{dtype.itemsize}")
    return index.astype(unsigned).view(dtype.numpy)


# -------------------------------------------------------------------------- work area
def tmp_nbytes(repeats: int, dtype: DType, sums: bool, index: bool) -> int:
    """Bytes of `tmp` that a reduction of so many repeats needs."""
    itemsize = dtype.itemsize
    if sums:
        return round_up(repeats * itemsize)
    needed = outputs = round_up(2 * repeats * itemsize)
    while index and outputs > DATA_BLOCK_NBYTES:
        steps = -(-outputs // REPEAT_NBYTES)
        outputs = round_up(2 * steps * itemsize)
        needed += outputs
        if steps == 1:
            break
    return needed


def folded_repeats(repeats: int, per_repeat: int) -> int:
    """Repeats of all steps until one element is left, for the cost."""
    total = repeats
    while repeats > 1:
        repeats = -(-repeats // per_repeat)
        total += repeats
    return total


@lru_cache(maxsize=256)
def lane_list(runs: tuple[tuple[int, int], ...]) -> np.ndarray:
    """The lanes of `runs`, one after the other; not to be written."""
    return np.array([lane for begin, end in runs for lane in range(begin, end)])
