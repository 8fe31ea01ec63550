"""Golden functions: what each task's outputs should be, in plain numpy.

A golden function takes the inputs (and attributes) and returns the tuple of outputs.
The judge calls it with float64 inputs for the true value, and with the inputs as they
are for the same-precision reference that the tolerance rule compares with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from npugrade.golden import (
    elementwise,
    first_check,
    moving,
    pairs,
    performance,
    reductions,
    rows,
    z5,
    z6,
)
from npusim.lang.types import dtype_of

Golden = Callable[..., tuple[np.ndarray, ...]]
GOLDEN: Mapping[str, Golden] = {
    "add": elementwise.add,
    "excess": first_check.excess,
    "row-norm": rows.row_norm,
    "row-softmax": rows.row_softmax,
    "window": moving.window,
    "signed-parts": pairs.signed_parts,
    "triple-and-raise": pairs.triple_and_raise,
    "absolute-difference": pairs.absolute_difference,
    "contrast": pairs.contrast,
    "squared-difference": z5.squared_difference,
    "tanh-shrink": z6.tanh_shrink,
    "hard-shrink": z6.hard_shrink,
    "standardise": performance.standardise,
    "row-logsumexp": reductions.row_logsumexp,
    "row-variance": reductions.row_variance,
}


def in_double(array: np.ndarray) -> np.ndarray:
    """A floating array in float64; integers as they are, since they must be exact."""
    dtype = dtype_of(array.dtype)
    return array.astype(np.float64) if dtype and dtype.is_float else array
