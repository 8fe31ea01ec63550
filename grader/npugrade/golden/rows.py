"""Golden functions over the rows of a matrix, in the dtype of the input."""

from __future__ import annotations

import numpy as np


def row_norm(
    x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, eps: float
) -> tuple[np.ndarray, np.ndarray]:
    """(y, mean) of a matrix (rows, cols) with weights (cols,): each row minus its mean,
    over the root of its variance + eps, times gamma plus beta; mean is (rows,)."""
    mean = x.mean(axis=-1, keepdims=True)
    centred = x - mean
    variance = (centred * centred).mean(axis=-1, keepdims=True)
    y = centred / np.sqrt(variance + x.dtype.type(eps)) * gamma + beta
    return y.astype(x.dtype), mean[..., 0]


def row_softmax(x: np.ndarray) -> tuple[np.ndarray]:
    """exp(x - max) over its sum, row by row."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return ((powers / powers.sum(axis=-1, keepdims=True)).astype(x.dtype),)
