"""The host side of element-wise operators: check, plan, launch, return.

`Chain` says how a chain of instructions uses its tile; from it follow the layout of UB
and whether the kernel widens its inputs. Arrays may have any shape, also none or with a
zero in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from npusim.launch import Run
from npusim.launch.kernel import Kernel
from npusim.ops.checks import array_dtype, bad_shapes, same_dtype
from npusim.ops.operator import chip_in_force
from npusim.ops.tiling import Layout, split

Result = tuple[np.ndarray, tuple[Run, ...]]
WIDE_NBYTES = 4


@dataclass(frozen=True)
class Chain:
    """How a chain computes.

    `native`: dtypes that its instructions take as they are; `widened`: dtypes that are
    cast to float32 before and back after. `scratch`: tiles it needs beside sources and
    result. `in_place`: the result may overwrite the first source.
    """

    native: tuple[str, ...] = ("float32",)
    widened: tuple[str, ...] = ("half", "bfloat16")
    scratch: int = 0
    in_place: bool = True

    @property
    def dtypes(self) -> tuple[str, ...]:
        return tuple(sorted({*self.native, *self.widened}))

    def layout(self, itemsize: int, sources: int, wide: bool) -> Layout:
        """UB of one element for `sources` inputs and one result of that size."""
        queued = (itemsize,) * (sources + 1)
        if not wide:
            return Layout(queued, work=itemsize * self.scratch)
        result = 0 if self.in_place else sources
        scratch = sources + (not self.in_place)
        work = WIDE_NBYTES * (scratch + self.scratch)
        return Layout(queued, work, result, scratch, WIDE_NBYTES)


def run_map(
    operator: str,
    kernel: Kernel,
    chain: Chain,
    arrays: dict[str, Any],
    *values: float,
    also: tuple[str, ...] = (),
) -> Result:
    """Launch an element-wise kernel on arrays of one shape and dtype.

    The kernel takes the arrays, the result, `t`, `wide` and then `values`. `also`:
    dtypes that another kernel of the operator takes, for the message of a refusal.
    """
    for name, array in arrays.items():
        dtype = array_dtype(operator, name, array, (*chain.dtypes, *also))
    same_dtype(operator, arrays)
    if len({array.shape for array in arrays.values()}) > 1:
        raise bad_shapes(operator, "x.shape == y.shape", **arrays)
    inputs = tuple(arrays.values())
    result = np.empty(inputs[0].shape, inputs[0].dtype)
    if result.size == 0:
        return result, ()
    chip = chip_in_force()
    wide = dtype.name in chain.widened
    layout = chain.layout(dtype.itemsize, len(inputs), wide)
    plan = split(result.size, layout, chip)
    run = kernel[plan.blocks](*inputs, result, plan.tiles, wide, *values)
    return result, (run,)
