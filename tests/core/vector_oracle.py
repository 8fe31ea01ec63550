"""Oracles for vector instructions: kernels from text, and plain-Python references.

Local memory is three areas of `AREA` bytes: `a`, `b` (sources) and `d` (destination),
and a work area `t`. A body sees them as tensors of these names.
"""

from __future__ import annotations

from fractions import Fraction

import ml_dtypes
import numpy as np

from npusim import asc
from npusim.chip import load_chip
from npusim.core import Buffer, execute
from npusim.lang import BufferArgument, compile_source
from npusim.lang.types import DTYPES, dtype_of

AREA = 8192
CHIP = load_chip("910B1")
SOURCE = """
from npusim import asc

@asc.jit
def kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress):
    n = {na}
    ga = asc.GlobalTensor()
    ga.set_global_buffer(x + asc.get_block_idx() * {na})
    gb = asc.GlobalTensor()
    gb.set_global_buffer(y + asc.get_block_idx() * {nb})
    gd = asc.GlobalTensor()
    gd.set_global_buffer(z + asc.get_block_idx() * {nd})
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, {na})
    b = asc.LocalTensor(y.dtype, asc.TPosition.VECIN, {area}, {nb})
    d = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, {area} * 2, {nd})
    t = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, {area} * 3, {area} // 4)
    asc.data_copy(a, ga, {na})
    asc.data_copy(b, gb, {nb})
    asc.data_copy(d, gd, {nd})
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    {body}
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(gd, d, {nd})
"""


def launch(body, a, b, d, blocks=1, **options):
    """(results, execution) of `body`; arrays hold AREA bytes a block."""
    counts = {
        name: AREA // v.dtype.itemsize for name, v in zip("abd", (a, b, d), strict=True)
    }
    text = SOURCE.format(
        body=body.strip().replace("\n", "\n    "), area=AREA,
        na=counts["a"], nb=counts["b"], nd=counts["d"],
    )  # fmt: skip
    arrays = dict(zip("xyz", (a, b, d.copy()), strict=True))
    kinds = {n: BufferArgument(dtype_of(v.dtype)) for n, v in arrays.items()}
    program = compile_source(text, "k.py", "kernel", {"asc": asc}, kinds)
    values = {
        n: Buffer(i, n, dtype_of(v.dtype), v)
        for i, (n, v) in enumerate(arrays.items(), 1)
    }
    execution = execute(program, values, blocks, CHIP, **options)
    return arrays["z"], execution


def result_of(body, a, b, d, **options):
    z, execution = launch(body, a, b, d, **options)
    assert not execution.faults, [f.code for f in execution.faults]
    return z


def codes(execution):
    return [d.code for d in (*execution.findings, *execution.faults)]


# ------------------------------------------------------------------------------ numbers
SPECIAL = [
    0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 65504.0, -65504.0, 6e4, 5.96e-8,
    6.1e-5, 1e-7, 3e38, 1e-40, -1e-45, 0.5, 1.5, 2.5, -0.5, 127.5, 128.0, 255.5, 2048.5,
    2147483648.0, 9.3e18,
]  # fmt: skip


def numbers(name, seed, count=None, scale=None):
    """`AREA` bytes of a dtype, special values among them."""
    dtype = DTYPES[name]
    rng = np.random.default_rng(seed)
    count = count or AREA // dtype.itemsize
    if not dtype.is_float:
        info = np.iinfo(dtype.numpy)
        values = rng.integers(info.min, info.max, count, dtype.numpy, endpoint=True)
        small = rng.integers(0, 100, count).astype(dtype.numpy)
        return np.where(rng.random(count) < 0.3, small, values)
    scale = 10.0 ** rng.integers(-6, 6) if scale is None else scale
    values = rng.normal(scale=scale, size=count)
    places = rng.integers(0, count, count // 8)
    values[places] = rng.choice(SPECIAL, len(places))
    with np.errstate(over="ignore"):
        return values.astype(np.float32).astype(dtype.numpy)


def wide(values):
    """Exact in a type wide enough that + - * / and sqrt round once afterwards."""
    is_float = values.dtype.kind == "f" or values.dtype == ml_dtypes.bfloat16
    if not is_float:
        return values.astype(np.int64)
    return values.astype(np.float32 if values.dtype != np.float32 else None).astype(
        np.longdouble
    )


def rounded(exact, numpy_dtype):
    """A rational number in the type, to nearest even."""
    kind = np.dtype(numpy_dtype).type
    with np.errstate(over="ignore"):
        guess = kind(float(exact))
    if not np.isfinite(guess):
        return guess
    near = [
        np.nextafter(guess, kind(-np.inf)),
        guess,
        np.nextafter(guess, kind(np.inf)),
    ]
    near = [v for v in near if np.isfinite(v)]
    bits = np.dtype(f"u{np.dtype(kind).itemsize}")
    return min(near, key=lambda v: (abs(Fraction(float(v)) - exact), v.view(bits) & 1))


def same(result, expected):
    """Equal bits, except that any NaN is NaN."""
    expected = np.asarray(expected)
    assert result.dtype == expected.dtype
    if expected.dtype.kind in "iu":
        np.testing.assert_array_equal(result, expected)
        return
    nan = expected != expected
    np.testing.assert_array_equal(result != result, nan)
    unsigned = np.dtype(f"u{result.dtype.itemsize}")
    np.testing.assert_array_equal(
        result[~nan].view(unsigned), expected[~nan].view(unsigned)
    )


# ----------------------------------------------------------------- repeats, one by one
def lanes_of(mask, width):
    """Lanes of a repeat from a number or two words."""
    if isinstance(mask, int):
        return list(range(min(mask, width)))
    bits = mask[0] | mask[1] << 64
    return [lane for lane in range(width) if bits >> lane & 1]


def place(lane, repeat, block_stride, repeat_stride, itemsize):
    """Index of an element from the operand's start."""
    per_block = 32 // itemsize
    blocks = repeat * repeat_stride + lane // per_block * block_stride
    return blocks * per_block + lane % per_block


def by_repeats(compute, d, sources, strides, mask, repeats, width):
    """`d` after an instruction in its mask form, repeat after repeat.

    `strides`: (block, repeat) of d, then of each source.
    """
    d = d.copy()
    lanes = lanes_of(mask, width)
    for repeat in range(repeats):
        picked = []
        for source, pair in zip(sources, strides[1:], strict=True):
            places = [place(n, repeat, *pair, source.dtype.itemsize) for n in lanes]
            picked.append(np.array([source[at] for at in places], source.dtype))
        found = compute(*picked)
        for lane, value in zip(lanes, found, strict=True):
            d[place(lane, repeat, *strides[0], d.dtype.itemsize)] = value
    return d


def minimum(x, y):
    """The smaller; NaN passes on, and -0 lies below +0 (numpy leaves that open)."""
    both_zero = (x == 0) & (y == 0)
    zero = np.where(np.signbit(x), x, y) if x.dtype.kind == "f" else x
    return np.where(both_zero, zero, np.where((x < y) | (x != x), x, y))


def maximum(x, y):
    """The larger; NaN passes on, and +0 lies above -0."""
    both_zero = (x == 0) & (y == 0)
    zero = np.where(np.signbit(x), y, x) if x.dtype.kind == "f" else x
    return np.where(both_zero, zero, np.where((x > y) | (x != x), x, y))
