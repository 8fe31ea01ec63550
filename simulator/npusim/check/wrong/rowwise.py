"""Functions along an axis: reductions, running sums, softmax, normalisations.

Each takes an array and the axis. Reductions drop the axis. `half_sum` and `half_tree`
add in half precision, one element after the other and as a tree, as a kernel does that
keeps its sum in half. Values are otherwise float64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

Along = Callable[[np.ndarray, int], np.ndarray]
EPSILONS = (0.0, 1e-12, 1e-8, 1e-6, 1e-5, 1e-3)


def variance(x: np.ndarray, axis: int, less: int = 0) -> np.ndarray:
    """Mean square of the deviations, over n - `less`; keeps the axis."""
    squares = np.square(x - x.mean(axis=axis, keepdims=True))
    return squares.sum(axis=axis, keepdims=True) / np.float64(x.shape[axis] - less)


def _var(less: int, root: bool = False) -> Along:
    def along(x: np.ndarray, axis: int) -> np.ndarray:
        result = variance(x, axis, less).squeeze(axis)
        return np.sqrt(result) if root else result

    return along


def _shifted(x: np.ndarray, axis: int) -> np.ndarray:
    return np.exp(x - x.max(axis=axis, keepdims=True))


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    e = _shifted(x, axis)
    return e / e.sum(axis=axis, keepdims=True)


def logsumexp(x: np.ndarray, axis: int) -> np.ndarray:
    top = x.max(axis=axis, keepdims=True)
    return np.log(np.exp(x - top).sum(axis=axis)) + top.squeeze(axis)


def overflowing_softmax(dtype: type) -> Along:
    """Softmax whose exponentials are not shifted by the maximum, in `dtype`."""

    def along(x: np.ndarray, axis: int) -> np.ndarray:
        e = np.exp(x.astype(dtype)).astype(np.float64)
        return e / e.sum(axis=axis, keepdims=True)

    return along


def half_sum(x: np.ndarray, axis: int) -> np.ndarray:
    """The sum in half precision, one element after the other."""
    part = np.moveaxis(x, axis, -1).astype(np.float16)
    return np.add.accumulate(part, axis=-1, dtype=np.float16)[..., -1].astype(float)


def half_tree(x: np.ndarray, axis: int) -> np.ndarray:
    """The sum in half precision, by halves."""
    part = np.moveaxis(x, axis, -1).astype(np.float16)
    while part.shape[-1] > 1:
        if part.shape[-1] % 2:
            part = np.concatenate([part, np.zeros_like(part[..., :1])], axis=-1)
        part = part[..., 0::2] + part[..., 1::2]
    return part[..., 0].astype(float)


REDUCTIONS: Mapping[str, Along] = {
    "sum({x})": lambda x, axis: x.sum(axis=axis),
    "mean({x})": lambda x, axis: x.mean(axis=axis),
    "max({x})": lambda x, axis: x.max(axis=axis),
    "min({x})": lambda x, axis: x.min(axis=axis),
    "max(abs({x}))": lambda x, axis: np.abs(x).max(axis=axis),
    "sum(abs({x}))": lambda x, axis: np.abs(x).sum(axis=axis),
    "mean(abs({x}))": lambda x, axis: np.abs(x).mean(axis=axis),
    "prod({x})": lambda x, axis: x.prod(axis=axis),
    "sum({x}^2)": lambda x, axis: np.square(x).sum(axis=axis),
    "mean({x}^2)": lambda x, axis: np.square(x).mean(axis=axis),
    "norm({x})": lambda x, axis: np.sqrt(np.square(x).sum(axis=axis)),
    "rms({x})": lambda x, axis: np.sqrt(np.square(x).mean(axis=axis)),
    "var({x}), over n": _var(0),
    "var({x}), over n - 1": _var(1),
    "std({x}), over n": _var(0, root=True),
    "std({x}), over n - 1": _var(1, root=True),
    "logsumexp({x})": logsumexp,
    "sum(exp({x}))": lambda x, axis: np.exp(x).sum(axis=axis),
    "argmax({x})": lambda x, axis: x.argmax(axis=axis).astype(float),
    "argmin({x})": lambda x, axis: x.argmin(axis=axis).astype(float),
    "last argmax({x})": lambda x, axis: (
        x.shape[axis] - 1 - np.flip(x, axis).argmax(axis=axis).astype(float)
    ),
    "sum({x}) in half, one by one": half_sum,
    "sum({x}) in half, as a tree": half_tree,
    "mean({x}) in half, one by one": lambda x, axis: half_sum(x, axis) / x.shape[axis],
    "mean({x}) in half, as a tree": lambda x, axis: half_tree(x, axis) / x.shape[axis],
}
RUNNING: Mapping[str, Along] = {
    "cumsum({x})": lambda x, axis: x.cumsum(axis=axis),
    "exclusive cumsum({x})": lambda x, axis: x.cumsum(axis=axis) - x,
    "reversed cumsum({x})": lambda x, axis: np.flip(
        np.flip(x, axis).cumsum(axis=axis), axis
    ),
    "cumprod({x})": lambda x, axis: x.cumprod(axis=axis),
    "running max({x})": lambda x, axis: np.maximum.accumulate(x, axis=axis),
    "sorted({x})": lambda x, axis: np.sort(x, axis=axis),
    "sorted({x}), falling": lambda x, axis: np.flip(np.sort(x, axis=axis), axis),
}
SOFTMAXES: Mapping[str, Along] = {
    "softmax({x})": softmax,
    "log_softmax({x})": lambda x, axis: x - np.expand_dims(logsumexp(x, axis), axis),
    "softmax({x}) without subtracting max, in half": overflowing_softmax(np.float16),
    "softmax({x}) without subtracting max": overflowing_softmax(np.float32),
    "exp({x} - max) without the division": _shifted,
    "{x} - max({x})": lambda x, axis: x - x.max(axis=axis, keepdims=True),
    "{x} / sum({x})": lambda x, axis: x / x.sum(axis=axis, keepdims=True),
    "{x} / norm({x})": lambda x, axis: (
        x / np.sqrt(np.square(x).sum(axis=axis, keepdims=True))
    ),
}
Norm = Callable[[np.ndarray, int, float], np.ndarray]


def _centred(x: np.ndarray, axis: int) -> np.ndarray:
    return x - x.mean(axis=axis, keepdims=True)


def _normaliser(power: Callable[[np.ndarray, float], np.ndarray], less: int) -> Norm:
    def norm(x: np.ndarray, axis: int, eps: float) -> np.ndarray:
        return _centred(x, axis) / power(variance(x, axis, less), eps)

    return norm


def _rms(x: np.ndarray, axis: int, eps: float) -> np.ndarray:
    return x / np.sqrt(np.square(x).mean(axis=axis, keepdims=True) + eps)


NORMS: Mapping[str, Norm] = {
    "layernorm({x})": _normaliser(lambda v, eps: np.sqrt(v + eps), 0),
    "layernorm({x}), variance over n - 1": _normaliser(
        lambda v, eps: np.sqrt(v + eps), 1
    ),
    "({x} - mean) / (std + eps)": _normaliser(lambda v, eps: np.sqrt(v) + eps, 0),
    "({x} - mean) / (var + eps), root forgotten": _normaliser(
        lambda v, eps: v + eps, 0
    ),
    "{x} / sqrt(var + eps), mean not subtracted": lambda x, axis, eps: (
        x / np.sqrt(variance(x, axis) + eps)
    ),
    "({x} - mean), not divided": lambda x, axis, eps: _centred(x, axis),
    "({x} - mean) * sqrt(var + eps)": _normaliser(
        lambda v, eps: 1 / np.sqrt(v + eps), 0
    ),
    "rms_norm({x})": _rms,
    "({x} - mean) / rms": lambda x, axis, eps: (
        _centred(x, axis) / np.sqrt(np.square(x).mean(axis=axis, keepdims=True) + eps)
    ),
    "{x} / (rms + eps)": lambda x, axis, eps: (
        x / (np.sqrt(np.square(x).mean(axis=axis, keepdims=True)) + eps)
    ),
}
