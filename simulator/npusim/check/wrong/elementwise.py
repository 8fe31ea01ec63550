"""Functions of one, two and three arrays, element by element, under their formulas.

Formulas use a, b, c for the arguments; they are what a message shows. Values are
computed in float64. Source of the list: `reference` functions that operators of deep
learning frameworks name, and the mistakes that are made in writing them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

Function = Callable[..., np.ndarray]

_erf = np.frompyfunc(math.erf, 1, 1)


def erf(x: np.ndarray) -> np.ndarray:
    """The error function."""
    return _erf(x).astype(np.float64)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def softplus(x: np.ndarray) -> np.ndarray:
    return np.log1p(np.exp(x))


def gelu(x: np.ndarray) -> np.ndarray:
    return x / 2 * (1 + erf(x / math.sqrt(2)))


def gelu_tanh(x: np.ndarray) -> np.ndarray:
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def relu(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, x, 0.0)


def elu(x: np.ndarray) -> np.ndarray:
    negative = np.expm1(np.minimum(x, 0))
    return np.where(x > 0, x, negative)


def leaky_relu(slope: float) -> Function:
    def function(x: np.ndarray) -> np.ndarray:
        return np.where(x > 0, x, slope * x)

    return function


def round_half_away(x: np.ndarray) -> np.ndarray:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


UNARY: Mapping[str, Function] = {
    "{a}": lambda x: x,
    "abs({a})": np.abs,
    "{a}^2": np.square,
    "{a}^3": lambda x: x**3,
    "sqrt({a})": np.sqrt,
    "rsqrt({a})": lambda x: 1 / np.sqrt(x),
    "1/{a}": lambda x: 1 / x,
    "exp({a})": np.exp,
    "exp(-{a})": lambda x: np.exp(-x),
    "exp({a}) - 1": np.expm1,
    "2^{a}": np.exp2,
    "ln({a})": np.log,
    "ln(1 + {a})": np.log1p,
    "log2({a})": np.log2,
    "log10({a})": np.log10,
    "sigmoid({a})": sigmoid,
    "silu({a})": lambda x: x * sigmoid(x),
    "quick_gelu({a})": lambda x: x * sigmoid(1.702 * x),
    "gelu({a})": gelu,
    "gelu_tanh({a})": gelu_tanh,
    "erf({a})": erf,
    "normal_cdf({a})": lambda x: (1 + erf(x / math.sqrt(2))) / 2,
    "relu({a})": relu,
    "relu6({a})": lambda x: np.clip(x, 0, 6),
    "leaky_relu({a}, 0.01)": leaky_relu(0.01),
    "leaky_relu({a}, 0.1)": leaky_relu(0.1),
    "leaky_relu({a}, 0.2)": leaky_relu(0.2),
    "elu({a})": elu,
    "softplus({a})": softplus,
    "mish({a})": lambda x: x * np.tanh(softplus(x)),
    "hardsigmoid({a})": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "hardswish({a})": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "softsign({a})": lambda x: x / (1 + np.abs(x)),
    "sin({a})": np.sin,
    "cos({a})": np.cos,
    "tan({a})": np.tan,
    "tanh({a})": np.tanh,
    "sinh({a})": np.sinh,
    "cosh({a})": np.cosh,
    "sign({a})": np.sign,
    "floor({a})": np.floor,
    "ceil({a})": np.ceil,
    "trunc({a})": np.trunc,
    "rint({a})": np.rint,
    "round({a})": round_half_away,
}
BINARY: Mapping[str, Function] = {
    "{a} + {b}": np.add,
    "{a} - {b}": np.subtract,
    "{b} - {a}": lambda x, y: y - x,
    "{a} * {b}": np.multiply,
    "{a} / {b}": np.divide,
    "{b} / {a}": lambda x, y: y / x,
    "max({a}, {b})": np.maximum,
    "min({a}, {b})": np.minimum,
    "relu({a} + {b})": lambda x, y: relu(x + y),
    "relu({a} - {b})": lambda x, y: relu(x - y),
    "relu({b} - {a})": lambda x, y: relu(y - x),
    "({a} - {b})^2": lambda x, y: np.square(x - y),
    "{a}^2 + {b}^2": lambda x, y: x * x + y * y,
    "{a}^{b}": np.power,
    "{b}^{a}": lambda x, y: y**x,
    "silu({a}) * {b}": lambda x, y: x * sigmoid(x) * y,
    "silu({b}) * {a}": lambda x, y: y * sigmoid(y) * x,
    "gelu({a}) * {b}": lambda x, y: gelu(x) * y,
    "gelu({b}) * {a}": lambda x, y: gelu(y) * x,
    "sigmoid({a}) * {b}": lambda x, y: sigmoid(x) * y,
    "sigmoid({b}) * {a}": lambda x, y: sigmoid(y) * x,
}
TERNARY: Mapping[str, Function] = {
    "{a} + {b} + {c}": lambda x, y, z: x + y + z,
    "{a} * {b} * {c}": lambda x, y, z: x * y * z,
    "{a} * {b} + {c}": lambda x, y, z: x * y + z,
    "{a} * {c} + {b}": lambda x, y, z: x * z + y,
    "{b} * {c} + {a}": lambda x, y, z: y * z + x,
    "({a} + {b}) * {c}": lambda x, y, z: (x + y) * z,
    "({a} + {c}) * {b}": lambda x, y, z: (x + z) * y,
    "({b} + {c}) * {a}": lambda x, y, z: (y + z) * x,
}
