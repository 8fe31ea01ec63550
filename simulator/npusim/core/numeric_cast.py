"""Conversions between dtypes: rounding modes, saturation to integers.

To an integer a value is rounded by its mode and clamped to the type's range; NaN gives
0. To a floating type every mode is exact: of the two neighbours that enclose the value
the mode picks one, ties and directions as IEEE 754 has them (ROUND: ties away from
zero; ODD: if inexact, the neighbour with the odd fraction). Overflow is ±Inf, except
where a mode rounds towards a finite neighbour. NONE rounds to nearest even.

Source: public Ascend C documentation of Cast and RoundMode.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from npusim.lang.types import DType, RoundMode

Round = Callable[[np.ndarray], np.ndarray]


def _away(values: np.ndarray) -> np.ndarray:
    return np.copysign(np.floor(np.abs(values) + 0.5), values)


TO_WHOLE: dict[RoundMode, Round] = {
    RoundMode.CAST_NONE: np.rint,
    RoundMode.CAST_RINT: np.rint,
    RoundMode.CAST_FLOOR: np.floor,
    RoundMode.CAST_CEIL: np.ceil,
    RoundMode.CAST_ROUND: _away,
    RoundMode.CAST_TRUNC: np.trunc,
}


def convert(source: np.ndarray, dst: DType, mode: RoundMode) -> np.ndarray:
    """`source` as `dst`, rounded by `mode`."""
    if dst.is_float and source.dtype == dst.numpy:
        whole = TO_WHOLE[mode](source.astype(np.float64))
        return whole.astype(dst.numpy)
    if dst.is_float:
        return _to_float(source, dst, mode)
    if source.dtype.kind in "iu":
        return _clamped(source, dst)
    return _to_integer(source, dst, mode)


# ------------------------------------------------------------------------ to integers
def _to_integer(source: np.ndarray, dst: DType, mode: RoundMode) -> np.ndarray:
    whole = TO_WHOLE[mode](source.astype(np.float64))
    limits = np.iinfo(dst.numpy)
    low, high = float(limits.min), float(limits.max)
    inside = (whole >= low) & (whole <= high) & (whole < 2.0**63)
    result = np.where(inside, whole, 0.0).astype(np.int64)
    result[whole >= min(high, 2.0**63)] = limits.max
    result[whole <= low] = limits.min
    return result.astype(dst.numpy)


def _clamped(source: np.ndarray, dst: DType) -> np.ndarray:
    limits, wide = np.iinfo(dst.numpy), source.astype(np.int64)
    return wide.clip(limits.min, limits.max).astype(dst.numpy)


def lost_to_integer(source: np.ndarray, dst: DType, mode: RoundMode) -> np.ndarray:
    """Which elements did not fit the integer type (or are NaN)."""
    limits = np.iinfo(dst.numpy)
    if source.dtype.kind in "iu":
        return (source < limits.min) | (source > limits.max)
    whole = TO_WHOLE[mode](source.astype(np.float64))
    return ~((whole >= float(limits.min)) & (whole < float(limits.max) + 1.0))


# -------------------------------------------------------------------------- to floats
_HIGHEST = {"half": 2.0**16, "bfloat16": 2.0**128}  # what Inf stands for when rounding


def _to_float(source: np.ndarray, dst: DType, mode: RoundMode) -> np.ndarray:
    nearest = source.astype(dst.numpy)
    if mode in (RoundMode.CAST_NONE, RoundMode.CAST_RINT):
        return nearest
    is_integer = source.dtype.kind in "iu"
    exact = source.astype(np.int64 if is_integer else np.float64)
    negative = np.signbit(exact) if not is_integer else exact < 0
    size = _magnitude(exact) if is_integer else np.abs(exact)
    chosen = _CHOICES[mode](_Neighbours(size, nearest, dst), negative)
    unsigned = chosen.view(dst.numpy)
    result = np.where(negative, -unsigned, unsigned)
    return np.where(nearest != nearest, nearest, result)


def _magnitude(wide: np.ndarray) -> np.ndarray:
    """|value| of int64, exact in uint64."""
    return np.where(wide < 0, -wide.view(np.uint64), wide.view(np.uint64))


class _Neighbours:
    """The numbers of type `dst` on both sides of |source|, as bits."""

    def __init__(self, size: np.ndarray, nearest: np.ndarray, dst: DType):
        self.dst, self.size = dst, size
        unsigned = np.dtype(f"u{dst.itemsize}")
        sign = unsigned.type(1 << (8 * dst.itemsize - 1))
        bits = nearest.view(unsigned) & ~sign
        over = np.isinf(bits.view(dst.numpy)) & np.isfinite(size)
        above = over | (self.value(bits) > size)
        self.low = bits - above
        self.exact = (self.value(self.low) == size) | (nearest != nearest)
        self.high = self.low + ~self.exact

    def value(self, bits: np.ndarray) -> np.ndarray:
        """The numbers that bits stand for, in the type of `size`."""
        number = bits.view(self.dst.numpy).astype(np.float64)
        if self.size.dtype == np.uint64:
            return number.astype(np.uint64)
        infinite = np.isinf(number) & np.isfinite(self.size)
        return np.where(infinite, _HIGHEST.get(self.dst.name, np.inf), number)


def _nearer(near: _Neighbours, negative: np.ndarray) -> np.ndarray:
    low, high = near.value(near.low), near.value(near.high)
    up = ~near.exact & (near.size - low >= high - near.size)
    return np.where(up, near.high, near.low)


def _odd(near: _Neighbours, negative: np.ndarray) -> np.ndarray:
    return near.low | (~near.exact).astype(near.low.dtype)


_CHOICES: dict[RoundMode, Callable[[_Neighbours, np.ndarray], np.ndarray]] = {
    RoundMode.CAST_TRUNC: lambda near, negative: near.low,
    RoundMode.CAST_FLOOR: lambda near, neg: np.where(neg, near.high, near.low),
    RoundMode.CAST_CEIL: lambda near, neg: np.where(neg, near.low, near.high),
    RoundMode.CAST_ROUND: _nearer,
    RoundMode.CAST_ODD: _odd,
}
