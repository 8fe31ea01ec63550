"""What an expression of a kernel can be while it is compiled.

Compile-time values are plain Python objects (int, float, bool, str, None, DType, enum
members, tuples, lists, markers). Run-time values are built from scalar expressions:
scalars, tensors and pointers can differ from path to path, so a variable that holds
one can live in registers (`parts`, `rebuild`). Everything else is fixed.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any

from npusim.lang.names import Marker
from npusim.lang.program import (
    Binary,
    Const,
    Expr,
    Record,
    Reg,
    Resource,
    Select,
    System,
    Tensor,
    Unary,
)
from npusim.lang.types import DType, TPosition

_EXPRESSIONS = frozenset({Const, Reg, Unary, Binary, Select, System})
_NUMBERS = frozenset({int, float, bool})
UNBOUNDED = 1 << 39  # bytes: a global tensor whose length was not given


@dataclass(frozen=True)
class Pointer:
    """A GlobalAddress: a device address and the dtype that it counts in."""

    dtype: DType
    address: Expr
    name: str


@dataclass(frozen=True)
class GlobalObject:
    """An `asc.GlobalTensor()`; what it views is the variable `key` of the store."""

    key: Hashable
    name: str


@dataclass(frozen=True)
class Allocator:
    """A LocalMemAllocator; its next free address is the variable `key`."""

    key: Hashable
    name: str


@dataclass(frozen=True)
class Method:
    """`owner.name`, not called yet."""

    owner: Any
    name: str


@dataclass(frozen=True)
class Partial:
    """A variable without one value here: reading it is refused with `code`.

    It is unbound on some path, or bound to objects that cannot share registers; `line`
    is the condition or loop where the paths meet.
    """

    line: int
    code: str = "ASC-JIT-18"


def is_expression(value: object) -> bool:
    return type(value) in _EXPRESSIONS


def is_number(value: object) -> bool:
    """A compile-time int, float or bool."""
    if type(value) in _NUMBERS:
        return True
    return isinstance(value, (int, float)) and not isinstance(value, enum.Enum)


def is_scalar(value: object) -> bool:
    return type(value) in _EXPRESSIONS or is_number(value)


def type_of(value: Any) -> str:
    """`int`, `float` or `bool` of a scalar."""
    if is_expression(value):
        return value.type
    return "bool" if isinstance(value, bool) else type(value).__name__


def shape(value: Any) -> Hashable:
    """What must be equal for two values to share registers; None: never."""
    if is_scalar(value):
        return ("scalar",)
    if isinstance(value, Tensor):
        return ("tensor", value.dtype, value.position)
    if isinstance(value, Pointer):
        return ("pointer", value.dtype)
    return None


def parts(value: Any) -> tuple[Expr, ...]:
    """The scalar expressions that a shaped value consists of."""
    if isinstance(value, Tensor):
        return value.address, value.size
    if isinstance(value, Pointer):
        return (value.address,)
    return (value if is_expression(value) else Const(value, type_of(value)),)


def rebuild(value: Any, new: tuple[Expr, ...]) -> Any:
    """`value` with other expressions."""
    if isinstance(value, Tensor):
        return replace(value, address=new[0], size=new[1])
    if isinstance(value, Pointer):
        return replace(value, address=new[0])
    return new[0]


def same(a: Any, b: Any) -> bool:
    """Whether two compiled values are the same, so that no register is needed."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float):
        return repr(a) == repr(b)
    return bool(a == b)


def _tensor_word(tensor: Tensor) -> str:
    return "GlobalTensor" if tensor.position is TPosition.GM else "LocalTensor"


_KINDS: dict[type, Callable[[Any], str]] = {
    **{kind: (lambda value: value.type) for kind in _EXPRESSIONS},
    Tensor: _tensor_word,
    Resource: lambda value: value.kind,
    Record: lambda value: value.type,
    DType: lambda value: "dtype",
    Pointer: lambda value: "GlobalAddress",
    GlobalObject: lambda value: "GlobalTensor",
    Method: lambda value: "method",
    Allocator: lambda value: "LocalMemAllocator",
    type(None): lambda value: "None",
}


def kind_of(value: Any) -> str:
    """What a message calls the value: a word of the language, the same in all."""
    word = _KINDS.get(type(value))
    if word is not None:
        return word(value)
    if isinstance(value, Marker):
        return f"asc.{value.name}"
    return type(value).__name__
