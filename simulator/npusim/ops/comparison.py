"""Comparisons to 0 and 1 (uint8), where.

A comparison leaves one bit an element; `select` turns bits into half 1.0 or 0.0, a cast
into bytes. bfloat16 and int16 are compared in float32, int8 and uint8 in half, both
exact. int32 knows only equality on the device, so x ≤ y is min(x, y) == x, and the
opposite of a test swaps what `select` gives. NaN is unequal to everything.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npusim import asc
from npusim.ops.checks import array_dtype, bad_shapes, booleans_as_bytes, same_dtype
from npusim.ops.frames import load, store
from npusim.ops.mapping import Result
from npusim.ops.marks import mark_scalar, mark_two, pick
from npusim.ops.operator import chip_in_force, operator
from npusim.ops.tiling import Layout, Tiles, split

# dtype of the arrays -> dtype in which they are compared
COMPARED = {
    "half": asc.half, "float32": asc.float32, "bfloat16": asc.float32,
    "int16": asc.float32, "int32": asc.int32, "int8": asc.half, "uint8": asc.half,
}  # fmt: skip
# test -> (what the int32 comparison takes the extreme of, whether its answer is turned)
WHOLE = {
    "LE": ("min", False), "GT": ("min", True), "GE": ("max", False),
    "LT": ("max", True), "EQ": ("", False), "NE": ("", True),
}  # fmt: skip
FLAG_NBYTES = 5  # of one element: bits (a byte is reserved), two tiles of half
PARTS = 2


@asc.jit
def as_compared(x, room, dtype, count):
    """x itself, or x cast to `dtype` in `room`."""
    if x.dtype == dtype:
        return x
    asc.cast(room, x, asc.RoundMode.CAST_NONE, count)
    return room


@asc.jit
def mark(bits, x, y, room, mode, extreme, count):
    """One bit an element for x (mode) y; `extreme` names the way round for int32."""
    if extreme == "min":
        asc.min(room, x, y, count)
        mark_two(bits, room, x, asc.CMPMODE.EQ, count)
    elif extreme == "max":
        asc.max(room, x, y, count)
        mark_two(bits, room, x, asc.CMPMODE.EQ, count)
    else:
        mark_two(bits, x, y, mode, count)


@asc.jit
def compare_kernel(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    t: Tiles,
    dtype: asc.constexpr,
    mode: asc.constexpr,
    extreme: asc.constexpr,
    turned: asc.constexpr,
):
    """z = 1 where x (mode) y, else 0; the other way round if `turned`."""
    pipe = asc.TPipe()
    arrive_x = asc.TQue(asc.TPosition.VECIN, 2)
    arrive_y = asc.TQue(asc.TPosition.VECIN, 2)
    leave = asc.TQue(asc.TPosition.VECOUT, 2)
    work, flags, marks = make_buffers(pipe, t, 2 * dtype.sizeof())  # type: ignore[attr-defined]
    pipe.init_buffer(arrive_x, 2, t.tile * x.dtype.sizeof())
    pipe.init_buffer(arrive_y, 2, t.tile * x.dtype.sizeof())
    pipe.init_buffer(leave, 2, t.tile)
    gx, gy, gz = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, t.n)
    gy.set_global_buffer(y, t.n)
    gz.set_global_buffer(z, t.n)
    flag = flags.get(asc.half)
    w = work.get(dtype)
    bits = marks.get(asc.uint8)
    asc.duplicate(flag, 0.0 if turned else 1.0, t.tile)
    start = asc.get_block_idx() * t.share
    stop = min(start + t.share, t.n)
    for at in range(start, stop, t.tile):
        count = min(t.tile, stop - at)
        load(arrive_x, gx, at, count)
        load(arrive_y, gy, at, count)
        a, b = arrive_x.deque(x.dtype), arrive_y.deque(y.dtype)
        left = as_compared(a, w, dtype, count)
        right = as_compared(b, w[t.tile :], dtype, count)
        mark(bits, left, right, w, mode, extreme, count)
        arrive_x.free_tensor(a)
        arrive_y.free_tensor(b)
        give_flags(leave, flag, bits, turned, t.tile, count)
        store(leave, gz, at, count)


@asc.jit
def make_buffers(pipe, t, nbytes):
    """Work of `nbytes` an element, two tiles of half, a tile of bits."""
    work = asc.TBuf(asc.TPosition.VECCALC)
    flags = asc.TBuf(asc.TPosition.VECCALC)
    marks = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(work, t.tile * nbytes)
    pipe.init_buffer(flags, t.tile * 4)
    pipe.init_buffer(marks, t.tile)
    return work, flags, marks


@asc.jit
def give_flags(leave, flag, bits, turned, tile, count):
    """Enqueue bytes 1 and 0 for bits; the first tile of `flag` holds what 1 gives."""
    asc.select(
        flag[tile:], bits, flag, 1.0 if turned else 0.0,
        asc.SELMODE.VSEL_TENSOR_SCALAR_MODE, count,
    )  # fmt: skip
    c = leave.alloc_tensor(asc.uint8)
    asc.cast(c, flag[tile:], asc.RoundMode.CAST_RINT, count)
    leave.enque(c)


@asc.jit
def where_kernel(
    condition: asc.GlobalAddress,
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    t: Tiles,
    dtype: asc.constexpr,
):
    """z = x where condition is not 0, else y; elements are moved as `dtype`."""
    pipe = asc.TPipe()
    arrive_c = asc.TQue(asc.TPosition.VECIN, 2)
    arrive_x = asc.TQue(asc.TPosition.VECIN, 2)
    arrive_y = asc.TQue(asc.TPosition.VECIN, 2)
    leave = asc.TQue(asc.TPosition.VECOUT, 2)
    work, flags, marks = make_buffers(pipe, t, 4)  # type: ignore[attr-defined]
    pipe.init_buffer(arrive_c, 2, t.tile)
    pipe.init_buffer(arrive_x, 2, t.tile * x.dtype.sizeof())
    pipe.init_buffer(arrive_y, 2, t.tile * x.dtype.sizeof())
    pipe.init_buffer(leave, 2, t.tile * x.dtype.sizeof())
    gc, gx, gy, gz = (
        asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    )  # fmt: skip
    gc.set_global_buffer(condition, t.n)
    gx.set_global_buffer(x, t.n)
    gy.set_global_buffer(y, t.n)
    gz.set_global_buffer(z, t.n)
    flag, w, bits = flags.get(asc.half), work.get(asc.half), marks.get(asc.uint8)
    start = asc.get_block_idx() * t.share
    stop = min(start + t.share, t.n)
    for at in range(start, stop, t.tile):
        count = min(t.tile, stop - at)
        load(arrive_c, gc, at, count)
        load(arrive_x, gx, at, count)
        load(arrive_y, gy, at, count)
        byte = arrive_c.deque(condition.dtype)
        asc.cast(flag, byte, asc.RoundMode.CAST_NONE, count)
        arrive_c.free_tensor(byte)
        mark_scalar(bits, flag, 0.0, asc.CMPMODE.NE, count)
        choose(arrive_x, arrive_y, leave, z, bits, w, dtype, t.tile, count)
        store(leave, gz, at, count)


@asc.jit
def choose(arrive_x, arrive_y, leave, z, bits, w, dtype, tile, count):
    """Enqueue x where the bit is 1, else y; bytes are picked as half."""
    a, b = arrive_x.deque(z.dtype), arrive_y.deque(z.dtype)
    c = leave.alloc_tensor(z.dtype)
    if z.dtype.sizeof() == 1:
        asc.cast(w, a, asc.RoundMode.CAST_NONE, count)
        asc.cast(w[tile:], b, asc.RoundMode.CAST_NONE, count)
        pick(w, bits, w, w[tile:], count)
        asc.cast(c, w, asc.RoundMode.CAST_RINT, count)
    else:
        pick(
            c.reinterpret_cast(dtype), bits, a.reinterpret_cast(dtype),
            b.reinterpret_cast(dtype), count,
        )  # fmt: skip
    arrive_x.free_tensor(a)
    arrive_y.free_tensor(b)
    leave.enque(c)


def run_compare(name: str, mode: str, x: Any, y: Any) -> Result:
    """Launch the comparison; 1 and 0 as uint8 in the shape of the arrays."""
    arrays = {"x": x, "y": y}
    for word, array in arrays.items():
        found = array_dtype(name, word, array, COMPARED)
    same_dtype(name, arrays)
    if x.shape != y.shape:
        raise bad_shapes(name, "x.shape == y.shape", **arrays)
    result = np.empty(x.shape, np.uint8)
    if not x.size:
        return result, ()
    dtype = COMPARED[found.name]
    work = PARTS * dtype.sizeof() + FLAG_NBYTES
    layout = Layout((found.itemsize, found.itemsize, 1), work)
    plan = split(x.size, layout, chip_in_force())
    extreme, turned = WHOLE[mode] if dtype == asc.int32 else ("", False)
    ask = asc.CMPMODE.EQ if dtype == asc.int32 else asc.CMPMODE[mode]
    run = compare_kernel[plan.blocks](
        x, y, result, plan.tiles, dtype, ask, extreme, turned
    )
    return result, (run,)


def _test(name: str, mode: str, sign: str) -> Any:
    """The operator for one comparison."""

    def host(x: Any, y: Any) -> Result:
        return run_compare(name, mode, x, y)

    host.__doc__ = f"1 where x {sign} y, else 0, as uint8; {', '.join(COMPARED)}."
    return operator(name, plain=compare_kernel)(host)


less = _test("less", "LT", "<")
less_equal = _test("less_equal", "LE", "≤")
greater = _test("greater", "GT", ">")
greater_equal = _test("greater_equal", "GE", "≥")
equal = _test("equal", "EQ", "==")
not_equal = _test("not_equal", "NE", "≠")


@operator("where", plain=where_kernel)
def where(condition: Any, x: Any, y: Any) -> Result:
    """x where condition (uint8 or bool) is not 0, else y.

    x and y have one dtype of one, two or four bytes.
    """
    condition = booleans_as_bytes(condition)
    array_dtype("where", "condition", condition, ("uint8",))
    for word, array in (("x", x), ("y", y)):
        found = array_dtype("where", word, array, (*COMPARED, "uint16", "uint32"))
    same_dtype("where", {"x": x, "y": y})
    if not condition.shape == x.shape == y.shape:
        facts = {"condition": condition, "x": x, "y": y}
        raise bad_shapes("where", "condition.shape == x.shape == y.shape", **facts)
    result = np.empty(x.shape, x.dtype)
    if not x.size:
        return result, ()
    sizes = (found.itemsize,) * 3
    layout = Layout((1, *sizes), 4 + FLAG_NBYTES)
    plan = split(x.size, layout, chip_in_force())
    dtype = asc.half if found.itemsize == 2 else asc.float32
    run = where_kernel[plan.blocks](condition, x, y, result, plan.tiles, dtype)
    return result, (run,)
