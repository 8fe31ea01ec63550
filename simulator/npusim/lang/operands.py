"""What each kind of parameter accepts, and what it becomes in an `Issue`.

`KINDS` maps the kinds of `signatures.py` to a conversion; a value that does not fit is
refused at its own place in the source.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from npusim.lang.context import Context
from npusim.lang.program import Const, Expr, Record, Resource, Tensor
from npusim.lang.scalars import convert, lift
from npusim.lang.spelling import meant_by
from npusim.lang.types import ENUMS, DType
from npusim.lang.values import (
    GlobalObject,
    Partial,
    Pointer,
    is_expression,
    is_scalar,
    kind_of,
    type_of,
)

SCALAR_WORDS = ("int", "float", "bool")


@dataclass(frozen=True)
class Argument:
    """An evaluated argument with the node it stands at."""

    value: Any
    node: ast.AST


def wrong(ctx: Context, argument: Argument, expected: str, **more: Any) -> Any:
    """Refuse an argument: `expected` is a word of the language, `more` are facts."""
    facts = {"expected": expected, "found": kind_of(argument.value), **more}
    if expected.split()[0] in SCALAR_WORDS and is_scalar(argument.value):
        facts["reason"] = "number"
    if isinstance(argument.value, str) and meant_by(argument.value):
        facts |= {"reason": "text", "instead": meant_by(argument.value)}
    if isinstance(argument.value, Pointer) and expected == "tensor":
        facts |= {"reason": "address", "name": argument.value.name}
    ctx.refuse("ASC-JIT-12", argument.node, **facts)


def tensor_of(ctx: Context, value: Any, node: ast.AST) -> Tensor:
    """The tensor a value stands for. Refuses a global tensor without a buffer."""
    if isinstance(value, GlobalObject):
        bound = (ctx.store or {}).get(value.key)
        if isinstance(bound, Tensor):
            return bound
        if isinstance(bound, Partial):
            ctx.refuse(bound.code, node, name=value.name, line=bound.line)
        ctx.refuse("ASC-JIT-57", node, name=value.name)
    if isinstance(value, Tensor):
        return value
    return wrong(ctx, Argument(value, node), "tensor")


def _tensor(ctx: Context, a: Argument) -> Tensor:
    return tensor_of(ctx, a.value, a.node)


def _int(ctx: Context, a: Argument) -> Expr:
    if isinstance(a.value, Tensor):
        ctx.refuse("ASC-JIT-40", a.node, name=a.value.name)
    if not is_scalar(a.value) or type_of(a.value) == "float":
        wrong(ctx, a, "int")
    return convert(ctx, a.value, "int", a.node)


def _number(ctx: Context, a: Argument) -> Any:
    if isinstance(a.value, Tensor):
        ctx.refuse("ASC-JIT-40", a.node, name=a.value.name)
    return a.value if is_scalar(a.value) else wrong(ctx, a, "float")


def _bool(ctx: Context, a: Argument) -> Expr:
    if not is_scalar(a.value) or type_of(a.value) != "bool":
        wrong(ctx, a, "bool")
    return lift(ctx, a.value, a.node)


def _constant(kind: type, word: str) -> Callable[[Context, Argument], Any]:
    def accept(ctx: Context, a: Argument) -> Any:
        return a.value if isinstance(a.value, kind) else wrong(ctx, a, word)

    return accept


def _resource(kind: str) -> Callable[[Context, Argument], Any]:
    def accept(ctx: Context, a: Argument) -> Any:
        is_it = isinstance(a.value, Resource) and a.value.kind == kind
        return a.value if is_it else wrong(ctx, a, kind)

    return accept


def _record(kind: str) -> Callable[[Context, Argument], Any]:
    def accept(ctx: Context, a: Argument) -> Any:
        is_it = isinstance(a.value, Record) and a.value.type == kind
        return a.value if is_it else wrong(ctx, a, f"asc.{kind}")

    return accept


def _either(first: str, second: str) -> Callable[[Context, Argument], Any]:
    """A tensor, or else what the kind `second` takes."""

    def accept(ctx: Context, a: Argument) -> Any:
        is_tensor = isinstance(a.value, (Tensor, GlobalObject))
        return KINDS[first if is_tensor else second](ctx, a)

    return accept


WORD = 1 << 64


def _word(ctx: Context, a: Argument) -> Expr:
    """64 bits: a constant may be given unsigned."""
    value = a.value
    if isinstance(value, int) and WORD // 2 <= value < WORD:
        return Const(value - WORD, "int")
    return _int(ctx, a)


def _mask(ctx: Context, a: Argument) -> Any:
    """A number of elements, or a list of two words: elements 0..63, then 64..127."""
    if not isinstance(a.value, (tuple, list)):
        return _int(ctx, a)
    if len(a.value) != 2:
        wrong(ctx, a, "int / [int, int]")
    low, high = (_word(ctx, Argument(word, a.node)) for word in a.value)
    return Record("mask", {"low": low, "high": high})


def _flag(ctx: Context, a: Argument) -> bool:
    """True or False, known at compile time."""
    is_it = isinstance(a.value, (bool, int)) and a.value in (0, 1)
    return bool(a.value) if is_it else wrong(ctx, a, "True / False")


def _depth(ctx: Context, a: Argument) -> int:
    if is_expression(a.value):
        ctx.refuse("ASC-JIT-19", a.node, name="depth")
    if not isinstance(a.value, int) or isinstance(a.value, bool):
        wrong(ctx, a, "int ≥ 1")
    if a.value < 1:
        ctx.refuse("ASC-JIT-12", a.node, expected="int ≥ 1", found=a.value)
    return a.value


def _pointer(ctx: Context, a: Argument) -> Pointer:
    is_it = isinstance(a.value, Pointer)
    return a.value if is_it else wrong(ctx, a, "asc.GlobalAddress")


def _mode(ctx: Context, a: Argument) -> int:
    """Mode 0 of a cross-core flag; 1 and 2 need cube cores and come later."""
    if is_expression(a.value):
        ctx.refuse("ASC-JIT-19", a.node, name="mode")
    if a.value in (1, 2) and not isinstance(a.value, (bool, float)):
        ctx.refuse("ASC-JIT-07", a.node, name=f"mode {a.value}")
    if a.value != 0 or isinstance(a.value, (bool, float)):
        wrong(ctx, a, "0 / 1 / 2")
    return 0


def _tag(ctx: Context, a: Argument) -> Any:
    """The tag of a dump: a text, or a number that may be known at run time only."""
    return a.value if isinstance(a.value, str) else _int(ctx, a)


RECORD_KINDS = (
    "DataCopyParams", "DataCopyExtParams", "DataCopyPadExtParams",
    "BinaryRepeatParams", "UnaryRepeatParams", "CopyRepeatParams", "BrcbRepeatParams",
    "GatherMaskParams",
)  # fmt: skip

KINDS: dict[str, Callable[[Context, Argument], Any]] = {
    "tensor": _tensor,
    "int": _int,
    "number": _number,
    "value": _number,  # takes the tensor's dtype: see `element`
    "bool": _bool,
    "mode": _mode,
    "tag": _tag,
    "depth": _depth,
    "pointer": _pointer,
    "dtype": _constant(DType, "dtype"),
    "mask": _mask,
    "word": _word,
    "flag": _flag,
    "tensor_or_value": _either("tensor", "value"),
    "tensor_or_int": _either("tensor", "int"),
    "TQue": _resource("TQue"),
    "TBuf": _resource("TBuf"),
    **{kind.__name__: _constant(kind, f"asc.{kind.__name__}") for kind in ENUMS},
    **{kind: _record(kind) for kind in RECORD_KINDS},
}


def element(ctx: Context, value: Any, dtype: DType, node: ast.AST) -> Expr:
    """A scalar as an element of `dtype`: a constant is rounded or checked here."""
    if is_expression(value):
        if not dtype.is_float and value.type == "float":
            ctx.refuse("ASC-JIT-16", node, value="float", dtype=dtype.name)
        return convert(ctx, value, "float" if dtype.is_float else "int", node)
    if dtype.is_float:
        with np.errstate(over="ignore"):
            return Const(float(dtype.numpy.type(value)), "float")
    limits = np.iinfo(dtype.numpy)
    is_whole = not isinstance(value, float) or value.is_integer()
    if not is_whole or not limits.min <= value <= limits.max:
        ctx.refuse("ASC-JIT-16", node, value=value, dtype=dtype.name)
    return Const(int(value), "int")
