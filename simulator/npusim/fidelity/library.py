"""Predictions for measured operators: `npusim.ops` on arrays of the measured shape.

An operator chooses its own tiling and core count. Arrays hold ones (time depends on
shapes only). Rows measured in a network are predicted in all four states of cache and
code, as theirs is not known. Operators that the library does not have are listed.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np

from npusim import asc, ops
from npusim.fidelity.rows import SPELLINGS, KernelRow, kernels_of, rules
from npusim.fidelity.score import Result

STATES = tuple(product(("dirty", "l2"), ("cold", "warm")))
Call = Callable[[KernelRow, list[np.ndarray]], float]


def numpy_dtype(word: str) -> np.dtype:
    """numpy's dtype for a word of the sources (`bf16`, `int64`)."""
    name = SPELLINGS.get(word, word)
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def arrays_of(row: KernelRow) -> list[np.ndarray]:
    """Arrays of ones with the row's shapes and dtypes."""
    pairs = zip(row.shapes, row.dtypes, strict=True)
    return [np.ones(shape, numpy_dtype(word)) for shape, word in pairs]


def footprint(row: KernelRow) -> int:
    """Bytes of the inputs and the result."""
    sizes = [array.nbytes for array in arrays_of(row)]
    size = int(np.prod(row.shapes[0]))
    return sum(sizes) + size * numpy_dtype(row.result_dtype or row.dtypes[0]).itemsize


def timed(operator: Any, *arguments: Any, **attributes: Any) -> float:
    operator(*arguments, **attributes)
    return operator.time_us


def one_call(name: str) -> Call:
    """The operator `name` on all arrays, without attributes."""
    return lambda row, arrays: timed(getattr(ops, name), *arrays)


def gelu(row: KernelRow, arrays: list[np.ndarray]) -> float:
    return timed(ops.gelu, *arrays, approximate="tanh")


def exp(row: KernelRow, arrays: list[np.ndarray]) -> float:
    """One fused kernel, or the sum of the launches that were measured."""
    if any(name.startswith("AutomaticBufferFusion") for name in row.launches):
        return timed(ops.exp, *arrays, **row.attributes)
    return summed(row, arrays[0])


SINGLE = {"Muls": "muls", "Mul": "muls", "Add": "adds", "Exp": "exp"}


def summed(row: KernelRow, x: np.ndarray) -> float:
    """Launches one after another; the later find the cache as the earlier left it."""
    total, cache = 0.0, "cold"
    for launch in row.launches:
        name, count = launch.rsplit("x", 1)
        for _ in range(int(count)):
            arguments = (x,) if name == "Exp" else (x, 1.0)
            with asc.settings(cache=cache):
                operator = getattr(ops, SINGLE[name])
                x = operator(*arguments)
                total += operator.time_us
            cache = "keep"
    return total


def add(row: KernelRow, arrays: list[np.ndarray]) -> float:
    """Two arrays; one array means a scalar of the host."""
    if len(arrays) == 2:
        return timed(ops.add, *arrays)
    if arrays[0].dtype == np.int64:  # the library adds int64 arrays only
        return timed(ops.add, arrays[0], arrays[0])
    return timed(ops.adds, arrays[0], 1)


def cast(row: KernelRow, arrays: list[np.ndarray]) -> float:
    """To bool: as bytes, which is the same traffic."""
    dtype = numpy_dtype(row.result_dtype)
    target = np.dtype(np.uint8) if dtype == np.bool_ else dtype
    return timed(ops.cast, arrays[0], target)


def softmax_other(row: KernelRow, arrays: list[np.ndarray]) -> float:
    return timed(ops.softmax, *arrays, axis=row.attributes["dim"])


def rms_norm(row: KernelRow, arrays: list[np.ndarray]) -> float:
    return timed(ops.rms_norm, *arrays, eps=row.attributes["epsilon"])


CALLS: dict[str, tuple[str, Call]] = {
    "sigmoid": ("sigmoid", one_call("sigmoid")),
    "gelu": ("gelu", gelu),
    "exp": ("exp", exp),
    "softmax": ("softmax", one_call("softmax")),
    "softmax_other": ("softmax", softmax_other),
    "rms_norm": ("rms_norm", rms_norm),
    "add_network": ("add", add),
    "add_rms_norm_network": ("add_rms_norm", one_call("add_rms_norm")),
    "cast_network": ("cast", cast),
    "cast_a3": ("cast", cast),
}
IN_NETWORK = tuple(name for name in CALLS if name.endswith(("network", "a3")))
FLUSHED = tuple(name for name in CALLS if name not in IN_NETWORK)
NAMED_APART = ("exp", "softmax_other")


def available(group: str) -> bool:
    """Whether the operator library has the operator of a group."""
    return CALLS[group][0] in ops.__all__


def flushed(row: KernelRow) -> Result:
    """L2 holds nothing of use at the start, the code is warm."""
    with asc.settings(chip=row.chip, cache="cold", code="warm"):
        time_us = CALLS[row.group][1](row, arrays_of(row))
    counted = row.group not in NAMED_APART
    return Result(row.id, row.condition, time_us, row.measured_us, "us", counted)


def in_network(row: KernelRow) -> Result:
    """All four states; the prediction takes cold code and a guess of the cache."""
    call, arrays, times = CALLS[row.group][1], arrays_of(row), {}
    for cache, code in STATES:
        with asc.settings(chip=row.chip, cache=cache, code=code):
            times[cache, code] = call(row, arrays)
    near = footprint(row) <= rules()["resident_limit"]
    guess = times["l2" if near else "dirty", "cold"]
    result = Result(
        row.id, row.condition, guess, row.measured_us, "us",
        low=min(times.values()), high=max(times.values()),
    )  # fmt: skip
    return result


def predict(group: str) -> list[Result]:
    """Results of all rows of a group in microseconds; empty without an operator."""
    if not available(group):
        return []
    predictor = in_network if group in IN_NETWORK else flushed
    return [predictor(row) for row in kernels_of(group)]
