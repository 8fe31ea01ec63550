"""Golden functions of element-wise operators (any shape, any floating dtype)."""

from __future__ import annotations

import numpy as np


def add(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray]:
    """z = x + y, element by element, in the dtype of the inputs."""
    return (x + y,)
