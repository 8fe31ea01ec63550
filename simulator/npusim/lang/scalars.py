"""Arithmetic of scalars: Python's at compile time, typed trees at run time.

Run-time types are int (64 bits), float (fp32) and bool. A compile-time value is
rounded once when it meets a run-time one. `is_risky` tells whether evaluating a tree
may fault, so that it must not be evaluated on a path where Python would not.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from npusim.lang.context import Context
from npusim.lang.program import Binary, Const, Expr, Reg, Select, Unary
from npusim.lang.values import is_expression, is_number, is_scalar, kind_of, type_of

MAX_BITS = 128
MAX_ELEMENTS = 10_000
INT_LIMIT = 1 << 63

ARITHMETIC: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}
COMPARISONS: dict[type, str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "min": min,
    "max": max,
}
_BITWISE = frozenset({"<<", ">>", "&", "|", "^"})
_RISKY = frozenset({"/", "//", "%", "<<", ">>"})


# ------------------------------------------------------------------- compile time
def fold(ctx: Context, op: str, left: Any, right: Any, node: ast.AST) -> Any:
    """Python's `left op right` on compile-time values, within limits."""
    if _grows_too_large(op, left, right):
        ctx.refuse("ASC-JIT-49", node, bits=MAX_BITS, elements=MAX_ELEMENTS)
    ctx.budget.left -= (elements(left) + elements(right)) // 8
    try:
        result = PYTHON[op](left, right)
    except ZeroDivisionError:
        ctx.refuse("ASC-JIT-50", node, reason="zero", error="0")
    except OverflowError:
        ctx.refuse("ASC-JIT-50", node, reason="overflow", error=op)
    except (TypeError, ValueError):
        words = f"{kind_of(left)} {op} {kind_of(right)}"
        ctx.refuse("ASC-JIT-50", node, error=words)
    return checked_constant(ctx, result, node)


def _grows_too_large(op: str, left: Any, right: Any) -> bool:
    if op == "**" and isinstance(left, int) and isinstance(right, int):
        return left.bit_length() * max(right, 0) > 4 * MAX_BITS
    if op == "<<" and isinstance(right, int):
        return right > MAX_BITS
    if op == "*":
        objects = (v for v in (left, right) if isinstance(v, (str, tuple, list)))
        sizes = [elements(v) for v in objects]
        counts = [abs(v) for v in (left, right) if isinstance(v, int)]
        return bool(sizes and counts) and sizes[0] * counts[0] > MAX_ELEMENTS
    return False


def checked_constant(ctx: Context, value: Any, node: ast.AST) -> Any:
    """`value` if it is a constant of the language and not too large."""
    if type(value) is int and -INT_LIMIT < value < INT_LIMIT:
        return value  # most are
    if isinstance(value, complex):
        ctx.refuse("ASC-JIT-50", node, error="complex")
    is_large = isinstance(value, int) and value.bit_length() > MAX_BITS
    if is_large or elements(value) > MAX_ELEMENTS:
        ctx.refuse("ASC-JIT-49", node, bits=MAX_BITS, elements=MAX_ELEMENTS)
    return value


def elements(value: Any) -> int:
    """How many numbers or characters a constant holds, in all levels."""
    if isinstance(value, (tuple, list)):
        return max(1, sum(map(elements, value)))
    return len(value) if isinstance(value, str) else 1


# ----------------------------------------------------------------------- run time
def lift(ctx: Context, value: Any, node: ast.AST) -> Expr:
    """A scalar as an expression; a constant is rounded to its run-time type."""
    if is_expression(value):
        return value
    if not is_number(value):
        ctx.refuse("ASC-JIT-45", node, found=kind_of(value))
    if isinstance(value, bool):
        return Const(value, "bool")
    if isinstance(value, int):
        if not -INT_LIMIT <= value < INT_LIMIT:
            ctx.refuse("ASC-JIT-49", node, bits=64, elements=MAX_ELEMENTS)
        return Const(value, "int")
    return Const(rounded(value), "float")


def rounded(value: float | int) -> float:
    """The nearest fp32 number."""
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def convert(ctx: Context, value: Any, type_: str, node: ast.AST) -> Expr:
    """A scalar as `type_`; never loses a fraction silently (int ← float refused)."""
    found = type_of(value)
    if found == type_ and is_expression(value):
        return value
    if found == "stamp" != type_:
        ctx.refuse("ASC-JIT-71", node)
    if found == "float" and type_ != "float" or type_ == "bool" != found:
        ctx.refuse("ASC-JIT-12", node, expected=type_, found=found)
    if is_number(value) and type_ == "float":
        return Const(rounded(value), "float")
    if isinstance(value, Reg) and type_ == "float":
        _check_signed(ctx, value, node)
    return _cast(ctx, lift(ctx, value, node), type_, node)


def _check_signed(ctx: Context, value: Reg, node: ast.AST) -> None:
    """ASC-CAST-35: the scalar unit has no conversion from unsigned to float."""
    source = ctx.emitter.unsigned.get(value.index)
    if source is not None:
        facts = {"source": source, "target": "float", "reason": "scalar"}
        ctx.refuse("ASC-CAST-35", node, **facts)


def _cast(ctx: Context, value: Expr, type_: str, node: ast.AST) -> Expr:
    if value.type == type_:
        return value
    if isinstance(value, Const):
        number = rounded(value.value) if type_ == "float" else int(value.value)
        return Const(number, type_)
    return Unary(type_, value, type_, ctx.where(node))


def truth(ctx: Context, value: Any, node: ast.AST) -> Any:
    """The value as a condition: a Python bool or a bool expression."""
    if is_number(value) or isinstance(value, (str, tuple, list, type(None))):
        return bool(value)
    if not is_expression(value):
        ctx.refuse("ASC-JIT-45", node, found=kind_of(value))
    if value.type == "bool":
        return value
    if value.type == "stamp":
        ctx.refuse("ASC-JIT-71", node)
    zero = Const(0, "int") if value.type == "int" else Const(0.0, "float")
    return Binary("!=", value, zero, "bool", ctx.where(node))


def arithmetic(ctx: Context, op: str, left: Any, right: Any, node: ast.AST) -> Any:
    """`left op right`, folded where both are known."""
    if not (is_expression(left) or is_expression(right)):
        return fold(ctx, op, left, right, node)
    if op == "**":
        facts = {"reason": "operator", "instead": "x * x, 1 << n"}
        ctx.refuse("ASC-JIT-37", node, construct="**", **facts)
    _require_scalars(ctx, (left, right), node)
    if type_of(left) == type_of(right) == "stamp" and op == "-":
        return Binary(op, left, right, "stamp", ctx.where(node))
    type_ = common_type(left, right)
    if op in _BITWISE:
        both_bool = type_of(left) == type_of(right) == "bool" and op in "&|^"
        type_ = "bool" if both_bool else type_
        if type_ == "float":
            ctx.refuse("ASC-JIT-12", node, expected="int", found="float")
    if op == "/":
        type_ = "float"
    pair = _sides(ctx, left, right, type_, node)
    simple = _simplified(op, *pair) if type_ == "int" else None
    return simple or Binary(op, *pair, type_, ctx.where(node))


def _sides(
    ctx: Context, left: Any, right: Any, type_: str, node: ast.AST
) -> tuple[Expr, Expr]:
    """Both operands as `type_`; a message points at the operand itself."""
    left_node = getattr(node, "left", node)
    right_node = getattr(node, "right", node)
    return convert(ctx, left, type_, left_node), convert(ctx, right, type_, right_node)


def _require_scalars(ctx: Context, values: tuple[Any, ...], node: ast.AST) -> None:
    for value in values:
        if not is_scalar(value):
            ctx.refuse("ASC-JIT-45", node, found=kind_of(value))


def common_type(left: Any, right: Any) -> str:
    """int op float → float; bool counts as int."""
    return "float" if "float" in (type_of(left), type_of(right)) else "int"


def _simplified(op: str, left: Expr, right: Expr) -> Expr | None:
    """int arithmetic with a neutral constant, or of two constants, costs nothing."""
    if isinstance(right, Const):
        if isinstance(left, Const) and op in "+-*":
            value = PYTHON[op](left.value, right.value)
            return Const(value, "int") if -INT_LIMIT <= value < INT_LIMIT else None
        neutral = 1 if op == "*" else 0
        return left if op in "+-*" and right.value == neutral else None
    if isinstance(left, Const) and op in "+*":
        return right if left.value == (op == "*") else None
    return None


def compare(ctx: Context, op: str, left: Any, right: Any, node: ast.AST) -> Any:
    """A comparison: bool."""
    if not (is_expression(left) or is_expression(right)):
        return fold(ctx, op, left, right, node)
    _require_scalars(ctx, (left, right), node)
    type_ = common_type(left, right)
    pair = (convert(ctx, left, type_, node), convert(ctx, right, type_, node))
    return Binary(op, *pair, "bool", ctx.where(node))


def extreme(ctx: Context, op: str, values: list[Any], node: ast.AST) -> Any:
    """`min` or `max` of scalars, brought to one type."""
    result = values[0]
    for value in values[1:]:
        if not (is_expression(result) or is_expression(value)):
            result = fold(ctx, op, result, value, node)
            continue
        type_ = common_type(result, value)
        pair = (convert(ctx, result, type_, node), convert(ctx, value, type_, node))
        result = Binary(op, *pair, type_, ctx.where(node))
    return result


def is_risky(value: Any) -> bool:
    """Whether evaluating the expression can fault where Python would skip it."""
    if isinstance(value, Binary):
        known = isinstance(value.right, Const) and value.right.value not in (0, -1)
        mine = value.op in _RISKY and not known
        return mine or is_risky(value.left) or is_risky(value.right)
    if isinstance(value, Unary):
        to_int = value.op == "int" and value.operand.type == "float"
        return to_int or is_risky(value.operand)
    if isinstance(value, Select):
        inner = (value.condition, value.then, value.otherwise)
        return any(map(is_risky, inner))
    return False
