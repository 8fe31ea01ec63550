"""reduce_sum, reduce_max, reduce_min, mean, mse_loss: one number a row, or one in all.

Few long rows are cut in parts so that every core has one; a second launch reduces the
numbers of the parts, which are float32 in between. Another axis than the last is turned
to the end first, by a launch of `transpose`. Integers are left out.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from npusim.chip import Chip
from npusim.launch import Run
from npusim.ops.checks import (
    FLOATS,
    array_dtype,
    bad_shapes,
    choice,
    same_dtype,
)
from npusim.ops.operator import Operator, chip_in_force, operator
from npusim.ops.reduction_kernels import (
    ReductionTiles,
    reduce_strips,
    reduce_tiles,
    squared_strips,
)
from npusim.ops.row_checks import axis_of, float_array
from npusim.ops.row_plan import MAX_ROWS, share_of
from npusim.ops.rows import LARGEST, SMALLEST, SUM
from npusim.ops.tiling import NUMBERS, round_up
from npusim.ops.transposition import transpose

Result = tuple[np.ndarray, tuple[Run, ...]]
GRAIN = 128  # elements by which parts and strips grow: whole 512 B lines of float32
STRIP_WORK = 13  # bytes of UB an element of a strip takes beside the queue
TILE_WORK = 5  # the same of a tile of whole rows


def room_of(chip: Chip) -> int:
    """Bytes of UB for tiles and strips."""
    return chip.ub_nbytes - NUMBERS["reserved"] - 1024


def parts_of(rows: int, columns: int, chip: Chip) -> tuple[int, int]:
    """Parts of a row and elements of a part, so that few rows use all cores."""
    most = max(1, chip.vector_cores // rows)
    least = NUMBERS["core_share"] // 4
    parts = max(1, min(most, columns // least))
    length = round_up(-(-columns // parts), GRAIN) if parts > 1 else columns
    return -(-columns // length), length


def tile_rows_of(columns: int, itemsize: int, chip: Chip) -> int:
    """Whole rows that UB holds, 0 for none."""
    pitch = round_up(columns, 32 // itemsize)
    nbytes = pitch * (2 * itemsize + TILE_WORK) + 64
    return min(room_of(chip) // nbytes, MAX_ROWS)


def strips_plan(
    rows: int, columns: int, itemsize: int, sources: int = 1
) -> tuple[int, ReductionTiles]:
    """Blocks, and what `reduce_strips` is told."""
    chip = chip_in_force()
    parts, length = parts_of(rows, columns, chip)
    nbytes = 2 * sources * itemsize + STRIP_WORK
    strip = min(round_up(length, GRAIN), room_of(chip) // nbytes // GRAIN * GRAIN)
    share = share_of(rows * parts, length, chip.vector_cores)
    tiles = ReductionTiles(  # type: ignore[call-arg]
        rows, columns, share, 1, strip, parts, length, strip
    )
    return -(-rows * parts // share), tiles


def reduce(x: np.ndarray, result: np.ndarray, kind: int, scale: float) -> list[Run]:
    """result[r] = the sum (times scale), largest or smallest of row r of a matrix."""
    (rows, columns), itemsize, chip = x.shape, x.dtype.itemsize, chip_in_force()
    height = tile_rows_of(columns, itemsize, chip)
    if not height or parts_of(rows, columns, chip)[0] > 1:
        return fold((x,), reduce_strips, result, kind, scale, (kind,))
    share = share_of(rows, columns, chip.vector_cores)
    tile_rows = -(-share // -(-share // min(height, share)))
    pitch = round_up(columns, 32 // itemsize)
    tiles = ReductionTiles(  # type: ignore[call-arg]
        rows, columns, share, tile_rows, pitch, 1, columns, columns
    )
    return [reduce_tiles[-(-rows // share)](x, result, tiles, scale, kind)]


def fold(
    arrays: tuple[np.ndarray, ...],
    kernel: Any,
    result: np.ndarray,
    kind: int,
    scale: float,
    rest: tuple = (),
) -> list[Run]:
    """By strips; where rows are cut in parts, a second reduction over the parts."""
    rows, columns = arrays[0].shape
    blocks, tiles = strips_plan(rows, columns, arrays[0].dtype.itemsize, len(arrays))
    if tiles.parts == 1:
        return [kernel[blocks](*arrays, result, tiles, scale, *rest)]
    numbers = np.empty((rows, tiles.parts), np.float32)
    first = kernel[blocks](*arrays, numbers, tiles, 1.0, *rest)
    return [first, *reduce(numbers, result, kind, scale)]


def result_shape(name: str, x: Any, axis: Any) -> tuple[int, ...]:
    """x without the axis, or () for all elements; ASC-OPS-03 for a wrong axis."""
    float_array(name, x)
    if axis is None:
        return ()
    place = axis_of(name, x, axis)
    return x.shape[:place] + x.shape[place + 1 :]


def rows_along(x: np.ndarray, axis: int | None) -> Result:
    """x as a matrix whose rows lie along the axis (None: one row), and the launch that
    turned it there."""
    if axis is None:
        return x.reshape(1, -1), ()
    length, inner = x.shape[axis], math.prod(x.shape[axis % x.ndim + 1 :])
    if inner == 1:
        return x.reshape(-1, length), ()
    turned, runs = transpose.host(x.reshape(-1, length, inner))
    return turned.reshape(-1, length), runs


def _launch(name: str, kind: int, x: Any, axis: Any, mean: bool = False) -> Result:
    result = np.zeros(result_shape(name, x, axis), x.dtype)
    if not result.size or (not x.size and kind == SUM and not mean):
        return result, ()
    if not x.size:
        raise bad_shapes(name, "x.size ≥ 1", x=x)
    matrix, turning = rows_along(x, axis)
    out = np.empty(result.size, x.dtype)
    runs = reduce(matrix, out, kind, 1.0 / matrix.shape[1] if mean else 1.0)
    return out.reshape(result.shape), (*turning, *runs)


def _reduction(name: str, kind: int, what: str, mean: bool = False) -> Operator:
    """An operator with the attribute `axis`: an axis, or None."""

    def host(x: Any, axis: int | None = None) -> Result:
        return _launch(name, kind, x, axis, mean)

    host.__doc__ = f"""The {what} of all elements (axis=None) or along an axis.

    half, bfloat16, float32; taken in float32, rounded once to the dtype of x.
    """
    return operator(name, tiles=reduce_tiles, strips=reduce_strips)(host)


reduce_sum = _reduction("reduce_sum", SUM, "sum")
reduce_max = _reduction("reduce_max", LARGEST, "largest")
reduce_min = _reduction("reduce_min", SMALLEST, "smallest")
mean = _reduction("mean", SUM, "mean", True)


@operator("mse_loss", strips=squared_strips)
def mse_loss(x: Any, target: Any, reduction: str = "mean") -> Result:
    """Mean ("mean") or sum ("sum") of (x - target)²; one number of the dtype of x.

    half, bfloat16, float32 of one shape; taken in float32, rounded once.
    """
    float_array("mse_loss", x)
    array_dtype("mse_loss", "target", target, FLOATS)
    if x.shape != target.shape or not x.size:
        needed = "target.shape == x.shape, x.size ≥ 1"
        raise bad_shapes("mse_loss", needed, x=x, target=target)
    same_dtype("mse_loss", {"x": x, "target": target})
    kind = choice("mse_loss", "reduction", reduction, ("mean", "sum"))
    scale = 1.0 / x.size if kind == "mean" else 1.0
    out = np.empty(1, x.dtype)
    both = x.reshape(1, -1), target.reshape(1, -1)
    return out.reshape(()), tuple(fold(both, squared_strips, out, SUM, scale))
