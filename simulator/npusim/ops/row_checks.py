"""What row operators ask of their arguments beyond `checks`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from npusim.ops.checks import (
    FLOATS,
    array_dtype,
    bad_shapes,
    bad_value,
    number,
    same_dtype,
)


def float_array(operator: str, x: Any) -> int:
    """Bytes of an element of a good x; KernelError ASC-ARG or ASC-OPS-01."""
    return array_dtype(operator, "x", x, FLOATS).itemsize


def float_rows(operator: str, x: Any, **rows: Any) -> int:
    """Bytes of an element; x has a last axis, `rows` are rows of its length and dtype.

    KernelError ASC-ARG, ASC-OPS-01 (dtypes) or ASC-OPS-02 (shapes).
    """
    itemsize = float_array(operator, x)
    if not x.ndim:
        raise bad_shapes(operator, "x.ndim ≥ 1", x=x)
    for name, row in rows.items():
        array_dtype(operator, name, row, FLOATS)
        if row.shape != x.shape[-1:]:
            needed = f"{name}.shape == x.shape[-1:]"
            raise bad_shapes(operator, needed, x=x, **{name: row})
    same_dtype(operator, {"x": x, **rows})
    return itemsize


def axis_of(operator: str, x: np.ndarray, axis: Any) -> int:
    """The axis counted from 0; ASC-OPS-03 for one that x does not have."""
    whole = isinstance(axis, (int, np.integer)) and not isinstance(axis, bool)
    if not whole or not -x.ndim <= axis < x.ndim:
        allowed = f"{-x.ndim} … {x.ndim - 1}" if x.ndim else "x.ndim ≥ 1"
        raise bad_value(operator, "axis", axis, allowed)
    return int(axis) % x.ndim


def epsilon(operator: str, value: Any) -> float:
    """A finite number ≥ 0; ASC-OPS-03 for anything else."""
    found = number(operator, "eps", value)
    if not (math.isfinite(found) and found >= 0.0):
        raise bad_value(operator, "eps", value, "0 ≤ eps < ∞")
    return found
