"""A kernel over rows with a hole for its middle, and launches of it.

Each block works on its rows, `rows` of `width` elements a tile, in UB tensors x, y, z
(and w, v to spare); the middle computes z. Order by barriers.
"""

from __future__ import annotations

import textwrap

import numpy as np

from npusim import asc
from npusim.launch import Kernel

TEXT = """from npusim import asc


@asc.jit
def kernel(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    z: asc.GlobalAddress,
    n: int,
    out: int,
    width: asc.constexpr,
):
    share = n // width // asc.get_block_num()
    dtype = asc.float32
    xg = asc.GlobalTensor()
    xg.set_global_buffer(x, n)
    yg = asc.GlobalTensor()
    yg.set_global_buffer(y, {y_size})
    zg = asc.GlobalTensor()
    zg.set_global_buffer(z, out)
    size = (width + 63) // 64 * 64
    x_in = asc.LocalTensor(asc.{dtype}, asc.TPosition.VECIN, 0, size)
    y_in = asc.LocalTensor(asc.{dtype}, asc.TPosition.VECIN, 4 * size, size)
    z_out = asc.LocalTensor(asc.{dtype}, asc.TPosition.VECOUT, 8 * size, size)
    w = asc.LocalTensor(asc.{dtype}, asc.TPosition.VECCALC, 12 * size, size)
    v = asc.LocalTensor(asc.{dtype}, asc.TPosition.VECCALC, 16 * size, size)
    h = asc.LocalTensor(asc.half, asc.TPosition.VECCALC, 20 * size, size)
    pad = asc.DataCopyPadExtParams(True, 0, {padding}, 0)
    block = asc.get_block_idx()
    for i in range(share):
        row = block * share + i
        start = row * width
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        copy = asc.DataCopyExtParams(1, width * {size}, 0, 0)
        asc.data_copy_pad(x_in, xg[{x_at}:], copy, pad)
        asc.data_copy_pad(y_in, yg[{y_at}:], copy, pad)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
{middle}
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        {copy_out}
"""
ELEMENTWISE = (
    "asc.data_copy_pad(zg[{z_at}:], z_out, "
    "asc.DataCopyExtParams(1, width * {size}, 0, 0))"
)
REDUCTION = "asc.data_copy_pad(zg[row:], z_out, asc.DataCopyExtParams(1, {size}, 0, 0))"
PLACES = {"x_at": "start", "y_at": "start", "z_at": "start", "y_size": "n"}


def launch(
    x,
    y,
    middle,
    *,
    blocks=1,
    copy_out=ELEMENTWISE,
    out=None,
    z=None,
    **places,
):
    """The run of the kernel with `middle` on x (rows, width) and y; z is zeros."""
    width, itemsize = x.shape[1], x.dtype.itemsize
    unit = 32 // itemsize
    facts = {**PLACES, **places, "size": itemsize}
    facts |= {"dtype": "half" if x.dtype == np.float16 else "float32"}
    facts |= {"padding": -width % unit}
    facts["copy_out"] = copy_out.format(**facts)
    body = textwrap.indent(textwrap.dedent(middle).strip("\n"), " " * 8)
    text = TEXT.format(middle=body, **facts)
    kernel = Kernel.from_text(text, "faulty.py", "kernel", {"asc": asc})
    z = np.zeros(out or x.shape, x.dtype) if z is None else z
    return kernel[blocks](x, y, z, x.size, z.size, width)


def reduced(x, middle, **places):
    """The same for kernels that give one number a row."""
    return launch(x, x.copy(), middle, copy_out=REDUCTION, out=(len(x),), **places)


def normal(shape, dtype=np.float32, seed=1):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)
