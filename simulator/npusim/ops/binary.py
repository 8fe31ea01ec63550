"""The host side of two-array operators: which kernel fits the two shapes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from npusim.diagnostic import KernelError
from npusim.launch.kernel import Kernel
from npusim.ops.checks import array_dtype, refuse, same_dtype, shapes_of
from npusim.ops.mapping import WIDE_NBYTES, Chain, Result, run_map
from npusim.ops.operator import chip_in_force
from npusim.ops.row_tiling import split_rows
from npusim.ops.tiling import Layout, split
from npusim.ops.wide_integers import FIXED_NBYTES, WORK_NBYTES

INT64 = "int64"
COLUMN_NBYTES = 40  # of UB for a row: a data block, the element as it came and widened
Shape = tuple[int, ...]
BinaryKernels = dict[str, Kernel]  # same_shape, row, element, …


def run_binary(
    operator: str, kernels: BinaryKernels, chain: Chain, x: Any, y: Any
) -> Result:
    """Launch the kernel for these shapes: same, a row, or a single element."""
    for name, array in (("x", x), ("y", y)):
        array_dtype(operator, name, array, _dtypes(kernels, chain))
    same_dtype(operator, {"x": x, "y": y})
    if str(x.dtype) == INT64:
        return _by_words(operator, kernels[INT64], x, y)
    if x.shape == y.shape:
        return run_map(operator, kernels["same_shape"], chain, {"x": x, "y": y})
    swapped = y.size > x.size
    large, small = (y, x) if swapped else (x, y)
    shape, form = _form(large.shape, small.shape)
    if not form:
        raise _no_fit(operator, "broadcast", x, y)
    result = np.empty(shape, large.dtype)
    if not result.size:
        return result, ()
    kernel = kernels[form + "_first" * swapped]
    return _LAUNCH[form](kernel, chain, large, small, result)


def _no_fit(operator: str, reason: str, x: np.ndarray, y: np.ndarray) -> KernelError:
    facts = {"shapes": shapes_of({"x": x, "y": y}), "reason": reason}
    return refuse("ASC-OPS-02", operator=operator, **facts)


def _dtypes(kernels: BinaryKernels, chain: Chain) -> tuple[str, ...]:
    return (*chain.dtypes, *([INT64] if INT64 in kernels else []))


def _by_words(operator: str, kernel: Kernel, x: np.ndarray, y: np.ndarray) -> Result:
    if x.shape != y.shape:
        raise _no_fit(operator, "int64", x, y)
    result = np.empty(x.shape, x.dtype)
    if not x.size:
        return result, ()
    size = x.itemsize
    layout = Layout((size, size, size), WORK_NBYTES, fixed=FIXED_NBYTES)
    plan = split(x.size, layout, chip_in_force())
    return result, (kernel[plan.blocks](x, y, result, plan.tiles),)


def _form(large: Shape, small: Shape) -> tuple[Shape, str]:
    """The shape of the result; `small` is an `element`, `row` or `column` of it.

    An empty form where it is neither.
    """
    try:
        shape = np.broadcast_shapes(large, small)
    except ValueError:
        return (), ""
    if math.prod(shape) not in (0, math.prod(large)):
        return shape, ""
    row = small[next((i for i, side in enumerate(small) if side != 1), len(small)) :]
    if not row:
        return shape, "element"
    if shape[len(shape) - len(row) :] == row:
        return shape, "row"
    same = len(small) - next(i for i, n in enumerate(small[::-1]) if n != 1)
    column = small[:same] == shape[: len(shape) - len(small) + same]
    return shape, "column" if column else ""


def _by_element(
    kernel: Kernel, chain: Chain, x: np.ndarray, y: np.ndarray, z: np.ndarray
) -> Result:
    size, wide = x.itemsize, str(x.dtype) in chain.widened
    layout = Layout((size, size), size)
    if wide:
        layout = Layout((size, size), 2 * WIDE_NBYTES, 0, 1, WIDE_NBYTES)
    plan = split(x.size, layout, chip_in_force())
    return z, (kernel[plan.blocks](x, y, z, plan.tiles, wide),)


def _by_row(
    kernel: Kernel, chain: Chain, x: np.ndarray, y: np.ndarray, z: np.ndarray
) -> Result:
    wide = str(x.dtype) in chain.widened
    work = 2 * WIDE_NBYTES if wide else x.itemsize
    plan = split_rows(x.size // y.size, y.size, x.itemsize, work, chip_in_force())
    return z, (kernel[plan.blocks](x, y, z, plan.tiles, wide),)


def _by_column(
    kernel: Kernel, chain: Chain, x: np.ndarray, y: np.ndarray, z: np.ndarray
) -> Result:
    wide = str(x.dtype) in chain.widened
    work = 2 * WIDE_NBYTES if wide else x.itemsize
    shape = y.size, x.size // y.size
    plan = split_rows(*shape, x.itemsize, work, chip_in_force(), COLUMN_NBYTES)
    return z, (kernel[plan.blocks](x, y, z, plan.tiles, wide),)


_LAUNCH = {"element": _by_element, "row": _by_row, "column": _by_column}
