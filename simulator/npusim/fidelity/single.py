"""One instruction of the other kinds (golden values): its time on an idle pipe.

Tiles lie without gaps, so a tile takes as many repeats as its bytes need. `TLOAD` is
one copy of which L2 holds the source. Integer division and square roots of half follow
the instructions that the language has.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from npusim import asc
from npusim.fidelity.rows import InstructionRow
from npusim.launch.kernel import Kernel

CHIP = "910B3"
NUMPY = {"float": np.float32, "half": np.float16, "int16": np.int16, "int32": np.int32}
ASC = {"float": asc.float32, "half": asc.half, "int16": asc.int16, "int32": asc.int32}


def instruction(chain: Kernel) -> Kernel:
    """A kernel that copies two sources in and runs `chain` once."""

    @asc.jit
    def once(
        x: asc.GlobalAddress,
        dtype: asc.constexpr,
        total: asc.constexpr,
    ):
        gx = asc.GlobalTensor()
        gx.set_global_buffer(x)
        a = asc.LocalTensor(dtype, asc.TPosition.VECIN, 0, total)
        b = asc.LocalTensor(dtype, asc.TPosition.VECIN, 65536, total)
        c = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 131072, total)
        asc.data_copy(a, gx, total)
        asc.data_copy(b, gx, total)
        asc.set_flag(asc.HardEvent.MTE2_V, 0)
        asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        chain(c, a, b, dtype, total)

    return once


@asc.jit
def abs_chain(c, a, b, dtype, total):
    asc.abs(c.reinterpret_cast(dtype), a, total)


@asc.jit
def add_chain(c, a, b, dtype, total):
    asc.add(c.reinterpret_cast(dtype), a, b, total)


@asc.jit
def adds_chain(c, a, b, dtype, total):
    asc.adds(c.reinterpret_cast(dtype), a, 1, total)


@asc.jit
def widen_chain(c, a, b, dtype, total):
    asc.cast(c, a, asc.RoundMode.CAST_NONE, total)


@asc.jit
def div_chain(c, a, b, dtype, total):
    asc.div(c.reinterpret_cast(dtype), a, b, total)


@asc.jit
def exp_chain(c, a, b, dtype, total):
    asc.exp(c.reinterpret_cast(dtype), a, total)


@asc.jit
def max_chain(c, a, b, dtype, total):
    asc.max(c.reinterpret_cast(dtype), a, b, total)


@asc.jit
def min_chain(c, a, b, dtype, total):
    asc.min(c.reinterpret_cast(dtype), a, b, total)


@asc.jit
def mins_chain(c, a, b, dtype, total):
    asc.mins(c.reinterpret_cast(dtype), a, 1, total)


@asc.jit
def mul_chain(c, a, b, dtype, total):
    asc.mul(c.reinterpret_cast(dtype), a, b, total)


@asc.jit
def muls_chain(c, a, b, dtype, total):
    asc.muls(c.reinterpret_cast(dtype), a, 2, total)


@asc.jit
def rsqrt_chain(c, a, b, dtype, total):
    asc.rsqrt(c.reinterpret_cast(dtype), a, total)


@asc.jit
def sqrt_chain(c, a, b, dtype, total):
    asc.sqrt(c.reinterpret_cast(dtype), a, total)


@asc.jit
def sub_chain(c, a, b, dtype, total):
    asc.sub(c.reinterpret_cast(dtype), a, b, total)


@asc.jit
def load_chain(c, a, b, dtype, total):
    """Nothing: the copy in is what is timed."""


CHAINS: dict[str, Kernel] = {
    "TABS": instruction(abs_chain),
    "TADD": instruction(add_chain),
    "TADDS": instruction(adds_chain),
    "TCVT": instruction(widen_chain),
    "TDIV": instruction(div_chain),
    "TDIVS": instruction(div_chain),
    "TEXP": instruction(exp_chain),
    "TLOAD": instruction(load_chain),
    "TMAX": instruction(max_chain),
    "TMIN": instruction(min_chain),
    "TMINS": instruction(mins_chain),
    "TMUL": instruction(mul_chain),
    "TMULS": instruction(muls_chain),
    "TRSQRT": instruction(rsqrt_chain),
    "TSQRT": instruction(sqrt_chain),
    "TSUB": instruction(sub_chain),
}


def _load(x: Any, run: Callable[..., Any]) -> float:
    """Cycles of one of the two equal copies."""
    events = [e for e in run(cache="l2").events() if e.pipe == "MTE2"]
    return events[0].end_cycle - events[0].start_cycle


def cycles(row: InstructionRow) -> float:
    """Cycles in which the pipe of the row's instruction works."""
    source = row.dtype.split("->")[0]
    total = math.prod(map(int, row.shape.split("x")))
    x = np.ones(total, NUMPY[source])

    def run(**options: Any) -> Any:
        kernel = CHAINS[row.operation]
        return kernel.launch(x, ASC[source], total, blocks=1, chip=CHIP, **options)

    return _load(x, run) if row.operation == "TLOAD" else run().pipe_cycles["V"]
