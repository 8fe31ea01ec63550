"""Between scalars and tensor elements.

A scalar operand takes the tensor's dtype: rounded for floating types; for integer types
a value that has a fraction or does not fit is a fault (ASC-RUN-07). The other way, half
and bfloat16 become float, integers become int; a uint64 from 2**63 on does not fit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npusim.core.signals import stop
from npusim.lang.types import DType


def to_element(value: Any, dtype: DType, where: int, operation: str, role: str) -> Any:
    """`value` (a number, or one a block) as numpy scalar or array of `dtype`."""
    if dtype.is_float:
        wide = np.asarray(value)
        if dtype.name != "float32":
            wide = wide.astype(np.float64)
        return wide.astype(dtype.numpy)
    info = np.iinfo(dtype.numpy)
    bad = _unfit(value, info)
    if bad if type(bad) is bool else bad.any():
        facts = {"operand": role, "value": value, "required": _range(dtype, info)}
        stop("ASC-RUN-07", where, bad, operation=operation, **facts)
    return np.asarray(value).astype(dtype.numpy)


def _unfit(value: Any, info: np.iinfo) -> Any:
    """Whether a number (or which of one a block) is no integer of that type."""
    if type(value) is not np.ndarray:
        return not (info.min <= value <= info.max and value == int(value))
    if value.dtype != np.float32:
        return (value < info.min) | (value > info.max)
    inside = (value >= float(info.min)) & (value < float(info.max) + 1.0)
    return ~inside | (value != np.floor(value))


def _range(dtype: DType, info: np.iinfo) -> str:
    return f"{dtype.name} ({info.min}..{info.max})"


def to_scalar(elements: np.ndarray, dtype: DType, where: int, operation: str) -> Any:
    """The elements (one a block) as a register value."""
    if dtype.is_float:
        if len(elements) == 1:
            return float(elements[0])
        return elements.astype(np.float32)
    if dtype.name == "uint64":
        _check_int(elements, where, operation)
    return int(elements[0]) if len(elements) == 1 else elements.astype(np.int64)


def _check_int(elements: np.ndarray, where: int, operation: str) -> None:
    large = elements > np.uint64(2**63 - 1)
    if large.any():
        facts = {"operand": "element", "value": elements, "required": "< 2**63"}
        stop("ASC-RUN-07", where, large, operation=operation, **facts)
