"""cast: elements of one dtype become elements of another.

The device converts only some pairs in one instruction; the others go through dtypes
that hold every value that matters (int8 and uint8 through half, 16-bit floats through
float32). Towards integers values are rounded by the mode, then clamped to the range;
NaN gives 0. int32 and int64 go to bfloat16 through float32 and are rounded twice.

Left out: uint16, uint32 and uint64, which the vector unit does not convert.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from npusim import asc
from npusim.lang.types import DTYPES, DType, RoundMode
from npusim.lang.vector_checks import round_modes
from npusim.lang.vector_signatures import CAST_PAIRS
from npusim.ops.checks import array_dtype, booleans_as_bytes, choice, device_dtype
from npusim.ops.frames import load, store
from npusim.ops.mapping import WIDE_NBYTES, Result
from npusim.ops.operator import chip_in_force, operator
from npusim.ops.tiling import Layout, Tiles, split

CASTABLE = (
    "bfloat16", "float32", "half", "int16", "int32", "int64", "int8", "uint8"
)  # fmt: skip
MODES = ("rint", "floor", "ceil", "round", "trunc")
_BYTES = ("int8", "uint8")
_HUBS = {"int8": "half", "uint8": "half", "half": "float32", "bfloat16": "float32"}
_VIA: dict[tuple[str, str], str] = {
    **{("float32", b): "int16" for b in _BYTES},
    **{("int16", b): "half" for b in _BYTES},
    **{("int32", b): "int16" for b in _BYTES},
    **{("int64", d): "int32" for d in ("int16", *_BYTES)},
    **{("int16", d): "float32" for d in ("int32", "int64", "bfloat16")},
    **{(i, d): "float32" for i in ("int32", "int64") for d in ("half", "bfloat16")},
}
"""The first stop of a conversion that is not one instruction, where it is no hub."""


def route(src: str, dst: str) -> tuple[str, ...]:
    """The dtypes from `src` to `dst`, both included, one instruction a step."""
    if src == dst:
        return (src,)
    if round_modes_of(src, dst):
        return (src, dst)
    stop = _VIA.get((src, dst)) or _HUBS[src]
    return (src, *route(stop, dst))


def round_modes_of(src: str, dst: str) -> tuple[str, ...]:
    """The modes of the instruction from `src` to `dst`; none if there is no such."""
    return round_modes(dst, src) if (dst, src) in CAST_PAIRS else ()


def modes(path: tuple[str, ...], mode: str) -> Iterator[RoundMode]:
    """The round mode of each step: `mode` where the step takes one.

    A directed mode in every step rounds as one step would; steps behind the first
    integer type find whole numbers and change nothing.
    """
    for step in zip(path, path[1:], strict=False):
        known = mode.upper() in round_modes_of(*step)
        yield RoundMode[mode.upper() if known else "NONE"]


@asc.jit
def cast_kernel(
    x: asc.GlobalAddress,
    z: asc.GlobalAddress,
    t: Tiles,
    path: asc.constexpr,
    modes: asc.constexpr,
):
    """z = x in another dtype, through the dtypes of `path`."""
    pipe = asc.TPipe()
    arrive = asc.TQue(asc.TPosition.VECIN, 2)
    leave = asc.TQue(asc.TPosition.VECOUT, 2)
    work = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(arrive, 2, t.tile * x.dtype.sizeof())
    pipe.init_buffer(leave, 2, t.tile * z.dtype.sizeof())
    pipe.init_buffer(work, t.work)
    gx, gz = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x, t.n)
    gz.set_global_buffer(z, t.n)
    w = work.get(asc.float32)
    start = asc.get_block_idx() * t.share
    stop = min(start + t.share, t.n)
    for at in range(start, stop, t.tile):
        count = min(t.tile, stop - at)
        load(arrive, gx, at, count)
        a = arrive.deque(x.dtype)
        c = leave.alloc_tensor(z.dtype)
        source = a
        for i in asc.static_range(len(modes) - 1):
            through = w[i % 2 * t.tile :].reinterpret_cast(path[i + 1])
            asc.cast(through, source, modes[i], count)
            source = through
        asc.cast(c, source, modes[len(modes) - 1], count)
        arrive.free_tensor(a)
        leave.enque(c)
        store(leave, gz, at, count)


@operator("cast", plain=cast_kernel)
def cast(x: Any, dtype: Any, round_mode: str | None = None) -> Result:
    """x as `dtype`; int8, uint8, int16, int32, int64, half, bfloat16, float32.

    `round_mode`: rint, floor, ceil, round (ties away from 0) or trunc; by default
    trunc towards integers and rint towards floats. Values outside an integer type are
    clamped. An array of bool counts as uint8.
    """
    x = booleans_as_bytes(x)
    source = array_dtype("cast", "x", x, CASTABLE)
    target = device_dtype("cast", "dtype", dtype, CASTABLE)
    default = "rint" if target.is_float else "trunc"
    mode = default if round_mode is None else round_mode
    choice("cast", "round_mode", mode, MODES)
    if source == target:
        return x.copy(), ()
    return run_cast(x, source, target, mode)


def run_cast(x: np.ndarray, source: DType, target: DType, mode: str) -> Result:
    """Launch the conversion; no launch where there is nothing to convert."""
    result = np.empty(x.shape, target.numpy)
    if not x.size:
        return result, ()
    path = route(source.name, target.name)
    between = min(len(path) - 2, 2)
    widest = max(DTYPES[name].itemsize for name in path)
    queued = source.itemsize, target.itemsize
    layout = Layout(queued, WIDE_NBYTES * between, widest=widest)
    plan = split(x.size, layout, chip_in_force())
    dtypes = tuple(DTYPES[name] for name in path)
    steps = tuple(modes(path, mode))
    run = cast_kernel[plan.blocks](x, result, plan.tiles, dtypes, steps)
    return result, (run,)
