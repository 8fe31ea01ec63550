"""What an integer operation demands of its right operand: no zero, a shift count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npusim.core.signals import stop


def nonzero(
    value: Callable[[list], Any], name: str, op: str, where: int
) -> Callable[[list], Any]:
    """A divisor that is a parameter of the kernel, the same in all blocks."""

    def divisor(r: list) -> Any:
        number = value(r)
        if type(number) is int and number == 0:
            stop("ASC-TILING-28", where, name=name, operation=op)
        return number

    return divisor


def _no_zero(op: str, a: Any, b: Any, where: int) -> None:
    zero = b == 0
    if zero if type(zero) is bool else zero.any():
        stop("ASC-RUN-02", where, zero, operation=op, left=a)


def _shift_count(op: str, a: Any, b: Any, where: int) -> None:
    bad = (b < 0) | (b > 63)
    if bad if type(bad) is bool else bad.any():
        facts = {"operand": "shift count", "value": b, "required": "0..63"}
        stop("ASC-RUN-07", where, bad, operation=op, **facts)


GUARDS = {"//": _no_zero, "%": _no_zero, "<<": _shift_count, ">>": _shift_count}
