"""Plain data between the judge and a learner's function: tagged JSON, never pickle.

`encode` makes what the limited process decodes; `decode` believes nothing: depth, tags,
dtypes and sizes are checked, and whatever is not plain data becomes `Opaque`.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from npugrade.host import HostFailure, limits
from npugrade.kernels import Opaque
from npusim.lang.types import DTYPES

_DTYPES = {d.numpy.name: d.numpy for d in DTYPES.values()} | {
    name: np.dtype(name) for name in ("float64", "bool")
}
INTEGER_BITS = 64
_SCALARS = (bool, int, float, str, type(None))


def encode(value: Any) -> dict[str, Any]:
    """A trusted value for the limited process; TypeError where it is not plain."""
    if type(value) in _SCALARS:
        return {"v": value}
    if type(value) in (list, tuple):
        return {type(value).__name__: [encode(v) for v in value]}
    if type(value) is dict:
        return {"dict": [[encode(k), encode(v)] for k, v in value.items()]}
    if isinstance(value, np.ndarray):
        text = base64.b64encode(value.tobytes()).decode()
        return {"array": [value.dtype.name, list(value.shape), text]}
    raise TypeError(f"{type(value).__name__} is not plain data")


def decode(value: Any, depth: int = 0) -> Any:
    """The value of a learner's process; HostFailure where it is not well formed."""
    if depth > limits()["host"]["plain_depth"]:
        raise HostFailure("host.malformed")
    if not isinstance(value, dict) or len(value) != 1:
        raise HostFailure("host.malformed")
    ((tag, content),) = value.items()
    if tag not in _DECODERS:
        raise HostFailure("host.malformed")
    return _DECODERS[tag](content, depth + 1)


def _scalar(content: Any, depth: int) -> Any:
    if type(content) not in _SCALARS:
        raise HostFailure("host.malformed")
    if type(content) is int and content.bit_length() > INTEGER_BITS:
        return Opaque("int of more than 64 bits")
    return content


def _list(content: Any, depth: int) -> list[Any]:
    if not isinstance(content, list):
        raise HostFailure("host.malformed")
    return [decode(v, depth) for v in content]


def _dict(content: Any, depth: int) -> dict[Any, Any]:
    if not isinstance(content, list):
        raise HostFailure("host.malformed")
    pairs: list[Any] = [_list(pair, depth) for pair in content]
    if any(len(pair) != 2 or type(pair[0]) not in _SCALARS for pair in pairs):
        raise HostFailure("host.malformed")
    return dict(pairs)


def _array(content: Any, depth: int) -> Any:
    if not isinstance(content, list) or len(content) != 3:
        raise HostFailure("host.malformed")
    name, shape, text = content
    if not isinstance(name, str) or name not in _DTYPES:
        return Opaque(f"array of {str(name)[:40]}")
    if not isinstance(shape, list) or any(type(d) is not int or d < 0 for d in shape):
        raise HostFailure("host.malformed")
    try:
        data = base64.b64decode(text, validate=True)
    except (TypeError, ValueError, binascii.Error):
        raise HostFailure("host.malformed") from None
    if len(data) != math.prod(shape) * _DTYPES[name].itemsize:
        raise HostFailure("host.malformed")
    return np.frombuffer(data, _DTYPES[name]).reshape(shape)


_DECODERS: Mapping[str, Callable[[Any, int], Any]] = {
    "v": _scalar,
    "list": _list,
    "tuple": lambda content, depth: tuple(_list(content, depth)),
    "dict": _dict,
    "array": _array,
    "opaque": lambda content, depth: Opaque(str(content)[:60]),
}
