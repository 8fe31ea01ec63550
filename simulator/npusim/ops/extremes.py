"""argmax, argmin: where the largest or smallest element of a row stands.

A row is taken strip by strip in float32, which holds half and bfloat16 exactly. An
instruction gives value and place within a strip; the scalar unit keeps the best of the
strips, so each strip costs a round trip through it. The first of equal elements counts,
as in numpy. Left out: rows with NaN (the place is not defined), integers, a single row
on several cores.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npusim import asc
from npusim.launch import Run
from npusim.ops.checks import bad_shapes
from npusim.ops.operator import Operator, chip_in_force, operator
from npusim.ops.reduction_kernels import load_strip, take_strip
from npusim.ops.reductions import result_shape, rows_along
from npusim.ops.row_plan import share_of
from npusim.ops.rows import LARGEST, SMALLEST
from npusim.ops.tiling import round_up

Result = tuple[np.ndarray, tuple[Run, ...]]
STRIP = 4096  # elements: 16 KiB in float32, from where on copies are no faster
GROUP = 64  # rows whose places are stored by one copy


@asc.tiling
class PlaceTiles:
    """`share`: rows of a block; `strip`: elements that are loaded at once."""

    rows: int
    columns: int
    share: int
    strip: int


@asc.jit
def extreme_of(found, w, room, kind, count):
    """found[0] = the extreme of w, found[1] = its place, as a whole number's bits."""
    if kind == LARGEST:
        asc.reduce_max(found, w, room, count, True)
    else:
        asc.reduce_min(found, w, room, count, True)
    asc.set_flag(asc.HardEvent.V_S, 0)
    asc.wait_flag(asc.HardEvent.V_S, 0)


@asc.jit
def place_in_row(arrive, gx, found, w, room, row, t, kind):
    """The first place of the extreme of a row."""
    place, best = 0, 0.0
    begin = row * t.columns
    for at in range(0, t.columns, t.strip):
        count = min(t.strip, t.columns - at)
        load_strip(arrive, gx, begin + at, count)
        take_strip(arrive, w, gx.dtype, count)
        extreme_of(found, w, room, kind, count)
        value = found.get_value(0)
        better = value > best if kind == LARGEST else value < best
        if at == 0 or better:
            best = value
            place = at + found.reinterpret_cast(asc.int32).get_value(1)
        asc.set_flag(asc.HardEvent.S_V, 0)
        asc.wait_flag(asc.HardEvent.S_V, 0)
    return place


@asc.jit
def store_places(places, gz, first, rows):
    """Places that the scalar unit wrote: to GM, and wait until they have left."""
    asc.set_flag(asc.HardEvent.S_MTE3, 0)
    asc.wait_flag(asc.HardEvent.S_MTE3, 0)
    asc.data_copy_pad(gz[first:], places, asc.DataCopyExtParams(1, rows * 4, 0, 0))
    asc.set_flag(asc.HardEvent.MTE3_S, 0)
    asc.wait_flag(asc.HardEvent.MTE3_S, 0)


@asc.jit
def places_of_rows(
    x: asc.GlobalAddress, z: asc.GlobalAddress, t: PlaceTiles, kind: asc.constexpr
):
    """One place for each row of this block."""
    pipe = asc.TPipe()
    arrive = asc.TQue(asc.TPosition.VECIN, 2)
    work = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(arrive, 2, t.strip * x.dtype.sizeof())
    pipe.init_buffer(work, (2 * t.strip + 64 + 8 + GROUP) * 4)
    gx, gz = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, t.rows * t.columns)
    gz.set_global_buffer(z, t.rows)
    w = work.get(asc.float32)
    room, found = w[t.strip :], w[2 * t.strip + 64 :]
    places = found[8:].reinterpret_cast(asc.int32)
    first = asc.get_block_idx() * t.share
    last = min(first + t.share, t.rows)
    for i in range(first, last):
        at = (i - first) % GROUP
        places.set_value(at, place_in_row(arrive, gx, found, w, room, i, t, kind))
        if at == GROUP - 1 or i == last - 1:
            store_places(places, gz, i - at, at + 1)


def _places(rows: np.ndarray, kind: int) -> Result:
    """One int32 for each row of a matrix."""
    count, columns = rows.shape
    share = share_of(count, columns, chip_in_force().vector_cores)
    strip = min(STRIP, round_up(columns, 64))
    tiles = PlaceTiles(count, columns, share, strip)  # type: ignore[call-arg]
    result = np.empty(count, np.int32)
    return result, (places_of_rows[-(-count // share)](rows, result, tiles, kind),)


def _argument(name: str, kind: int, what: str) -> Operator:
    def host(x: Any, axis: int | None = None) -> Result:
        shape = result_shape(name, x, axis)
        if not (x.size if axis is None else x.shape[axis]):
            raise bad_shapes(name, "x.shape[axis] ≥ 1", x=x)
        if not x.size:
            return np.empty(shape, np.int32), ()
        rows, turning = rows_along(x, axis)
        found, runs = _places(rows, kind)
        return found.reshape(shape), (*turning, *runs)

    host.__doc__ = f"""Where the {what} element stands: int32, the first of equal ones.

    Along `axis`, or among all elements in order (axis=None); half, bfloat16, float32
    without NaN.
    """
    return operator(name, rows=places_of_rows)(host)


argmax = _argument("argmax", LARGEST, "largest")
argmin = _argument("argmin", SMALLEST, "smallest")
