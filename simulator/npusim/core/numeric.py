"""What elementwise vector instructions compute: one numpy function an instruction.

IEEE 754, round to nearest even, once an instruction. half is computed through a wider
type and rounded once to half, which for + - * / and the square root is the correctly
rounded result. exp and ln are computed in double and rounded once, so that they do not
depend on numpy's SIMD path; a fused multiply-add is rounded once. Integers wrap.
Maximum, minimum and relu pass NaN on; of two zeros a maximum takes +0 unless both are
-0, a minimum -0 unless both are +0, and relu gives +0.

`reciprocal` and `rsqrt` are the low-precision instructions of the hardware, whose error
the public documentation gives only as failing 1e-3 (half) and 1e-4 (float). The model:
the operand is cut to its six leading fraction bits, and the exact result for that is
rounded; so it is exact for short operands and never more than 2^-6 off (a published
operator report saw 0.0156). Not modelled: the exact error of the hardware's exp and
ln, and how the saturating mode treats NaN.

A function takes (out, source, …), arrays of one shape and of the instruction's dtype;
a scalar operand is one number or one a block. `out` may be a source.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

Numeric = Callable[..., Any]
SEED_BITS = 6  # fraction bits that reciprocal and rsqrt look at


def _into(ufunc: np.ufunc) -> Numeric:
    return lambda out, *sources: ufunc(*sources, out)


def _in_double(function: Callable[[np.ndarray], np.ndarray]) -> Numeric:
    def apply(out: np.ndarray, source: np.ndarray) -> None:
        out[...] = function(source.astype(np.float64))

    return apply


def _extreme(ufunc: np.ufunc, zero: Callable[[Any, Any], Any]) -> Numeric:
    """`zero` gives the result for two zeros."""

    def apply(out: np.ndarray, left: np.ndarray, right: Any) -> None:
        both_zero = (left == 0) & (right == 0)
        zeros = zero(left, right)[both_zero] if both_zero.any() else None
        ufunc(left, right, out=out)
        if zeros is not None:
            out[both_zero] = zeros

    return apply


def _lower_zero(left: Any, right: Any) -> Any:
    return left - right if left.dtype.kind in "iu" else -(-left + -right)


def _relu(out: np.ndarray, source: np.ndarray) -> None:
    np.maximum(source, source.dtype.type(0), out=out)
    np.add(out, out.dtype.type(0), out=out)


def _then_relu(first: Numeric) -> Numeric:
    def apply(out: np.ndarray, *sources: Any) -> None:
        first(out, *sources)
        _relu(out, out)

    return apply


def _leaky_relu(out: np.ndarray, source: np.ndarray, scalar: Any) -> None:
    out[...] = np.where(source >= 0, source, source * scalar)


def _copy(out: np.ndarray, source: Any) -> None:
    out[...] = source


# ------------------------------------------------------------------ multiply and add
def _fused(out: np.ndarray, left: Any, right: Any, addend: Any) -> None:
    """left * right + addend, rounded once: the product is exact in double, the sum is
    rounded to odd there, so that the second rounding is right."""
    product = np.multiply(left, right, dtype=np.float64)
    other = np.asarray(addend, np.float64)
    total = product + other
    part = total - product
    error = (product - (total - part)) + (other - part)
    out[...] = _to_odd(total, error)


def _to_odd(total: np.ndarray, error: np.ndarray) -> np.ndarray:
    bits = total.view(np.int64)
    inexact = np.isfinite(total) & (error != 0) & (bits & 1 == 0)
    away = (error > 0) == (total > 0)
    return np.where(inexact, bits + np.where(away, 1, -1), bits).view(np.float64)


def _mul_add_dst(out: np.ndarray, left: Any, right: Any, dst: Any) -> None:
    _fused(out, left, right, dst)


def _fused_mul_add(out: np.ndarray, source: Any, addend: Any, dst: Any) -> None:
    _fused(out, source, dst, addend)


def _axpy(out: np.ndarray, source: Any, dst: Any, scalar: Any) -> None:
    _fused(out, source, scalar, dst)


# --------------------------------------------------------------------- low precision
def _cut(source: np.ndarray) -> np.ndarray:
    """The operand without its lower fraction bits, in double."""
    fraction, exponent = np.frexp(source.astype(np.float64))
    scale = 2.0 ** (SEED_BITS + 1)
    return np.ldexp(np.trunc(fraction * scale) / scale, exponent)


def _reciprocal(out: np.ndarray, source: np.ndarray) -> None:
    out[...] = 1.0 / _cut(source)


def _rsqrt(out: np.ndarray, source: np.ndarray) -> None:
    out[...] = 1.0 / np.sqrt(_cut(source))


EXACT: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "reciprocal": lambda x: 1.0 / x,
    "rsqrt": lambda x: 1.0 / np.sqrt(x),
}
"""What the low-precision instructions approximate, in double."""


NUMERIC: dict[str, Numeric] = {
    "add": _into(np.add),
    "sub": _into(np.subtract),
    "mul": _into(np.multiply),
    "div": _into(np.divide),
    "max": _extreme(np.maximum, lambda left, right: left + right),
    "min": _extreme(np.minimum, _lower_zero),
    "bitwise_and": _into(np.bitwise_and),
    "bitwise_or": _into(np.bitwise_or),
    "mul_add_dst": _mul_add_dst,
    "fused_mul_add": _fused_mul_add,
    "fused_mul_add_relu": _then_relu(_fused_mul_add),
    "add_relu": _then_relu(_into(np.add)),
    "sub_relu": _then_relu(_into(np.subtract)),
    "adds": _into(np.add),
    "muls": _into(np.multiply),
    "maxs": _extreme(np.maximum, lambda left, right: left + right),
    "mins": _extreme(np.minimum, _lower_zero),
    "leaky_relu": _leaky_relu,
    "axpy": _axpy,
    "shift_left": _into(np.left_shift),
    "shift_right": _into(np.right_shift),
    "abs": _into(np.absolute),
    "exp": _in_double(np.exp),
    "ln": _in_double(np.log),
    "sqrt": _into(np.sqrt),
    "rsqrt": _rsqrt,
    "reciprocal": _reciprocal,
    "relu": _relu,
    "bitwise_not": _into(np.invert),
    "duplicate": _copy,
    "copy": _copy,
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


_INFINITE_BITS = {np.dtype(np.float16): 0x7C00, np.dtype(ml_dtypes.bfloat16): 0x7F80}


def is_infinite(values: np.ndarray) -> np.ndarray:
    """Which elements are ±Inf; fast for the 16-bit types."""
    bits = _INFINITE_BITS.get(values.dtype)
    if bits is None:
        return np.isinf(values) if values.dtype.kind == "f" else values != values
    return (values.view(np.uint16) & 0x7FFF) == bits
