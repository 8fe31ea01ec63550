"""What vector instructions compute: one numpy function an instruction.

IEEE 754, round to nearest even, once an instruction. half is computed through a wider
type and rounded once to half, which for these operations is the correctly rounded
result. exp is computed in double and rounded once, so that it does not depend on
numpy's SIMD path. Integers wrap. `max` and `relu` pass NaN on; of two zeros `max`
takes +0 unless both are -0, and relu gives +0. Not modelled: the exact error of the
hardware's exp, and how the saturating mode treats NaN.

A function takes (out, source, …), arrays `[blocks, count]` of the instruction's dtype;
a scalar operand is one number or `[blocks, 1]`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

Numeric = Callable[..., Any]


def _exp(out: np.ndarray, source: np.ndarray) -> None:
    out[...] = np.exp(source.astype(np.float64))


def _max(out: np.ndarray, left: np.ndarray, right: np.ndarray) -> None:
    both_zero = (left == 0) & (right == 0)
    zeros = (left[both_zero] + right[both_zero]) if both_zero.any() else None
    np.maximum(left, right, out=out)
    if zeros is not None:
        out[both_zero] = zeros


def _relu(out: np.ndarray, source: np.ndarray) -> None:
    np.maximum(source, source.dtype.type(0), out=out)
    np.add(out, out.dtype.type(0), out=out)


def _duplicate(out: np.ndarray, scalar: Any) -> None:
    out[...] = scalar


def _into(ufunc: np.ufunc) -> Numeric:
    return lambda out, *sources: ufunc(*sources, out=out)


NUMERIC: dict[str, Numeric] = {
    "add": _into(np.add),
    "sub": _into(np.subtract),
    "mul": _into(np.multiply),
    "max": _max,
    "adds": _into(np.add),
    "muls": _into(np.multiply),
    "relu": _relu,
    "exp": _exp,
    "duplicate": _duplicate,
}

SATURATION: dict[str, float] = {
    "half": float(np.finfo(np.float16).max),
    "bfloat16": float(ml_dtypes.finfo(ml_dtypes.bfloat16).max),
}
"""Largest finite value of the types that `overflow="saturate"` clamps."""


def saturate(out: np.ndarray, limit: float) -> None:
    """Clamp ±Inf to ±limit; NaN stays."""
    bound = out.dtype.type(limit)
    np.minimum(out, bound, out=out)
    np.maximum(out, -bound, out=out)
