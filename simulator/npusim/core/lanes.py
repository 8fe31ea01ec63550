"""Scalar arithmetic on one value a block: int64, float32 and bool arrays.

These functions also serve single values where speed does not matter (floor division,
remainder), so that one block and many blocks round alike. Integers are exact: each
function tells which blocks overflow. Floats are fp32, rounded once an operation: a
result is computed in double, which is exact enough for + - * / to round correctly.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import c_float
from typing import Any

import numpy as np

LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1
_SAFE_SQUARE = 9.2e18**2  # 9.2e18 < 2**63 by more than a double operation's rounding

Lanes = Any  # an array, or one Python number


def as_float(value: Any) -> float:
    """A Python number rounded to fp32 once."""
    if type(value) is int and abs(value) >= 1 << 53:
        return float(np.int64(value).astype(np.float32))
    return c_float(value).value


def float_lanes(value: np.ndarray) -> np.ndarray:
    return value.astype(np.float32)


# --------------------------------------------------------------------------- integers
def _checked(function: Callable) -> Callable[[Lanes, Lanes], tuple[Lanes, Any]]:
    """Exact, with a cheap test first: the sum of squares of the estimated results."""

    def apply(a: Lanes, b: Lanes) -> tuple[Lanes, Any]:
        result = function(a, b)
        estimate = function(np.asarray(a, np.float64), b)
        if estimate.dot(estimate) < _SAFE_SQUARE:
            return result, False
        return result, _exact_overflow(function, a, b, result)

    return apply


def _exact_overflow(
    function: Callable, a: Lanes, b: Lanes, result: np.ndarray
) -> np.ndarray:
    pairs = np.broadcast(np.asarray(a), np.asarray(b))
    exact = [function(int(x), int(y)) for x, y in pairs]
    bad = [not LOWEST <= value <= HIGHEST for value in exact]
    return np.array(bad).reshape(result.shape)


def _quotient(a: Lanes, b: Lanes) -> tuple[Lanes, Any]:
    left, right = np.asarray(a, np.int64), np.asarray(b, np.int64)
    with np.errstate(over="ignore"):  # reported as ASC-RUN-01
        quotient = np.floor_divide(left, right)
    return quotient, (left == LOWEST) & (right == -1)


def _shift_left(a: Lanes, b: Lanes) -> tuple[Lanes, Any]:
    left, right = np.asarray(a, np.int64), np.asarray(b, np.int64)
    result = np.left_shift(left, right)
    return result, np.right_shift(result, right) != left


def _never(function: Callable) -> Callable[[Lanes, Lanes], tuple[Lanes, Any]]:
    def apply(a: Lanes, b: Lanes) -> tuple[Lanes, Any]:
        return function(np.asarray(a), b), False

    return apply


INT_LANES: dict[str, Callable[[Lanes, Lanes], tuple[Lanes, Any]]] = {
    "+": _checked(lambda a, b: a + b),
    "-": _checked(lambda a, b: a - b),
    "*": _checked(lambda a, b: a * b),
    "//": _quotient,
    "%": _never(np.remainder),
    "<<": _shift_left,
    ">>": _never(np.right_shift),
    "&": _never(np.bitwise_and),
    "|": _never(np.bitwise_or),
    "^": _never(np.bitwise_xor),
    "min": _never(np.minimum),
    "max": _never(np.maximum),
}


# ----------------------------------------------------------------------------- floats
def _rounded(function: Callable) -> Callable[[Lanes, Lanes], np.ndarray]:
    def apply(a: Lanes, b: Lanes) -> np.ndarray:
        left, right = np.asarray(a, np.float64), np.asarray(b, np.float64)
        return np.asarray(function(left, right)).astype(np.float32)

    return apply


FLOAT_LANES: dict[str, Callable[[Lanes, Lanes], np.ndarray]] = {
    "+": _rounded(np.add),
    "-": _rounded(np.subtract),
    "*": _rounded(np.multiply),
    "/": _rounded(np.divide),
    "//": _rounded(np.floor_divide),
    "%": _rounded(np.remainder),
    # as Python: the first operand stays unless the second is strictly beyond it
    "min": _rounded(lambda a, b: np.where(b < a, b, a)),
    "max": _rounded(lambda a, b: np.where(b > a, b, a)),
}

COMPARE_LANES: dict[str, Callable] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
