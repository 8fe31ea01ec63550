"""The operator library: kernels in `asc`, with host tiling and shape variants.

`from npusim import ops; ops.gelu(x)` takes and returns numpy arrays; `ops.gelu.run` is
the Run of the last call, `ops.gelu.kernels` the variants. Each family has one module,
which is imported when one of its operators is first named. Where a module has the name
of an operator, `ops.name` is the operator.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from npusim.ops.operator import Operator, operator

# module of this package -> the operators it holds
FAMILIES: dict[str, tuple[str, ...]] = {
    "activation": ("fast_gelu", "gelu", "sigmoid", "silu"),
    "add_norm": ("add_rms_norm",),
    "casting": ("cast",),
    "comparison": (
        "equal",
        "greater",
        "greater_equal",
        "less",
        "less_equal",
        "not_equal",
        "where",
    ),
    "dynamic_quantisation": ("dynamic_quantize",),
    "elementwise": ("add", "div", "maximum", "minimum", "mul", "sub"),
    "exponential": ("exp", "ln"),
    "extremes": ("argmax", "argmin"),
    "gated": ("swiglu",),
    "hyperbolic": ("cosh", "erf", "sinh", "tanh"),
    "indexing": ("embedding", "gather"),
    "norms": ("layernorm", "rms_norm"),
    "predicates": ("isnan",),
    "quantisation": ("dequantize", "quantize"),
    "rectifier": ("celu", "hard_swish", "log_sigmoid", "selu", "softplus"),
    "reductions": ("mean", "mse_loss", "reduce_max", "reduce_min", "reduce_sum"),
    "scalars": ("adds", "clip_by_value", "leaky_relu", "muls", "relu"),
    "softmaxes": ("log_softmax", "softmax"),
    "transposition": ("transpose",),
    "unary": ("abs", "neg", "reciprocal", "rsqrt", "sqrt", "square"),
}
_MODULES = {name: family for family, names in FAMILIES.items() for name in names}

__all__ = ["Operator", "operator", *_MODULES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"npusim.ops has no operator {name!r}")
    return getattr(import_module(f"npusim.ops.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)


class _Library(ModuleType):
    """This package: the import of a module does not hide an operator of its name."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _MODULES or not isinstance(value, ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Library
