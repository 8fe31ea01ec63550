"""Golden functions of assignment z0-first-check."""

from __future__ import annotations

import numpy as np


def excess(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray]:
    """z = max(x - y, 0), element by element, in the dtype of the inputs."""
    return (np.maximum(x - y, x.dtype.type(0)),)
