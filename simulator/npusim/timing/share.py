"""How a copy's own rate and its share of the chip combine: a soft maximum of times.

`combine(a, b)` is (a**p + b**p)**(1/p): close to the longer of the two, up to 1.5 times
longer where both limits bind. libm's pow may differ in its last bit between machines,
so a rational p with a power-of-two denominator is worked out by square roots and a
fixed number of Newton steps, which round alike everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import sqrt

_NEWTON_STEPS = 8


def _integer_power(base: float, exponent: int) -> float:
    result = 1.0
    for _ in range(exponent):
        result *= base
    return result


def _rational_power(base: float, numerator: int, denominator: int) -> float:
    """base**(numerator/denominator) for a denominator that is a power of two."""
    while denominator > 1:
        base, denominator = sqrt(base), denominator // 2
    return _integer_power(base, numerator)


def _inverse_power(base: float, numerator: int, denominator: int) -> float:
    """base**(denominator/numerator) for a base of 1 to 2, from above (Newton).

    The first guess is the tangent at 1, which lies above the root.
    """
    target = _integer_power(base, denominator)
    root = 1.0 + (base - 1.0) * denominator / numerator
    for _ in range(_NEWTON_STEPS):
        slope = _integer_power(root, numerator - 1)
        root -= (root * slope - target) / (numerator * slope)
    return max(1.0, root)


def soft_maximum(power: float) -> Callable[[float, float], float]:
    """`combine(a, b)` for times a, b >= 0; never below the longer of the two.

    ValueError where `power` is below 1 or its denominator is not a power of two.
    """
    fraction = Fraction(power)
    numerator, denominator = fraction.numerator, fraction.denominator
    if power < 1 or denominator & (denominator - 1) or denominator > 16:
        raise ValueError(f"power {power} is no multiple of 1/16 from 1 on")

    def combine(a: float, b: float) -> float:
        short, long = (a, b) if a < b else (b, a)
        if short <= 0.0:
            return long
        ratio = _rational_power(short / long, numerator, denominator)
        return long * _inverse_power(1.0 + ratio, numerator, denominator)

    return combine
