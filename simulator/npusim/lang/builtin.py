"""Builtins of Python that the language has, and its own special forms."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

from npusim.lang.context import Context
from npusim.lang.operands import Argument, wrong
from npusim.lang.program import Expr, Print, Tensor, Unary
from npusim.lang.scalars import convert, elements, extreme, lift
from npusim.lang.values import GlobalObject, is_expression, is_scalar, kind_of

Part = str | tuple[Expr, str]


def _scalars(ctx: Context, node: ast.Call, least: int, most: int) -> list[Any]:
    """Evaluated positional arguments; refused where they are not that many numbers."""
    name = ast.unparse(node.func)
    if node.keywords or not least <= len(node.args) <= most:
        usage = f"{name}({'a, b' if least > 1 else 'a'})"
        given = len(node.args) + len(node.keywords)
        ctx.refuse("ASC-JIT-10", node, name=name, given=given, usage=usage)
    values = [ctx.evaluate(a) for a in node.args]
    for value, argument in zip(values, node.args, strict=True):
        if isinstance(value, (Tensor, GlobalObject)):
            ctx.refuse("ASC-JIT-40", argument, name=value.name)
    return values


def _extreme(op: str) -> Callable[[Context, ast.Call], Any]:
    def call(ctx: Context, node: ast.Call) -> Any:
        values = _scalars(ctx, node, 1, 64)
        if len(values) == 1 and isinstance(values[0], (tuple, list)) and values[0]:
            values = list(values[0])
        for value in values:
            if not is_scalar(value):
                wrong(ctx, Argument(value, node), "int / float")
        return extreme(ctx, op, values, node)

    return call


def _abs(ctx: Context, node: ast.Call) -> Any:
    (value,) = _scalars(ctx, node, 1, 1)
    if not is_scalar(value):
        wrong(ctx, Argument(value, node), "int / float")
    if not is_expression(value):
        return abs(value)
    if value.type in ("bool", "stamp"):
        value = convert(ctx, value, "int", node)
    return Unary("abs", value, value.type, ctx.where(node))


def _int(ctx: Context, node: ast.Call) -> Any:
    (value,) = _scalars(ctx, node, 1, 1)
    if not is_scalar(value):
        wrong(ctx, Argument(value, node), "int / float")
    if is_expression(value):
        if value.type == "stamp":
            ctx.refuse("ASC-JIT-71", node)
        is_int = value.type == "int"
        return value if is_int else Unary("int", value, "int", ctx.where(node))
    if not math.isfinite(value):
        ctx.refuse("ASC-JIT-50", node, error=f"int({value})")
    return int(value)


def _float(ctx: Context, node: ast.Call) -> Any:
    (value,) = _scalars(ctx, node, 1, 1)
    if value in ("inf", "-inf", "nan") if isinstance(value, str) else False:
        return float(value)
    if not is_scalar(value):
        wrong(ctx, Argument(value, node), "int / float")
    if is_expression(value):
        return convert(ctx, value, "float", node)
    try:
        return float(value)
    except OverflowError:
        ctx.refuse("ASC-JIT-50", node, reason="overflow", error="float")


def _len(ctx: Context, node: ast.Call) -> int:
    if len(node.args) == 1 and not node.keywords:
        value = ctx.evaluate(node.args[0])
        if isinstance(value, (Tensor, GlobalObject)):
            ctx.refuse("ASC-JIT-42", node, name=value.name)
        if isinstance(value, (tuple, list, str)):
            return len(value)
        wrong(ctx, Argument(value, node.args[0]), "tuple / list")
    _scalars(ctx, node, 1, 1)
    raise AssertionError("unreachable")


def _range(ctx: Context, node: ast.Call) -> Any:
    ctx.refuse("ASC-JIT-39", node)


BUILTIN_CALLS: dict[str, Callable[[Context, ast.Call], Any]] = {
    "min": _extreme("min"),
    "max": _extreme("max"),
    "abs": _abs,
    "int": _int,
    "float": _float,
    "len": _len,
    "range": _range,
}


# ------------------------------------------------------------------ special forms
def call_form(ctx: Context, name: str, node: ast.Call) -> Any:
    """`asc.printf`; other names cannot be called here."""
    if name != "printf":
        code = "ASC-JIT-39" if name == "static_range" else "ASC-JIT-51"
        ctx.refuse(code, node, name=f"asc.{name}")
    if len(node.args) != 1 or node.keywords:
        ctx.refuse("ASC-JIT-55", node)
    ctx.emitter.emit(Print(text_parts(ctx, node.args[0]), ctx.where(node)))


def text_parts(ctx: Context, node: ast.expr) -> tuple[Part, ...]:
    """An f-string (or a constant) as text and `(expression, spec)` parts."""
    if not isinstance(node, ast.JoinedStr):
        value = ctx.evaluate(node)
        return (value,) if isinstance(value, str) else (_shown(ctx, value, "", node),)
    return tuple(_part(ctx, piece) for piece in node.values)


def _part(ctx: Context, piece: ast.expr) -> Part:
    if isinstance(piece, ast.Constant):
        return str(piece.value)
    assert isinstance(piece, ast.FormattedValue)
    spec = _spec(ctx, piece)
    return _shown(ctx, ctx.evaluate(piece.value), spec, piece.value)


def _spec(ctx: Context, piece: ast.FormattedValue) -> str:
    if piece.conversion != -1:
        ctx.refuse("ASC-JIT-55", piece.value)
    if piece.format_spec is None:
        return ""
    pieces = getattr(piece.format_spec, "values", [])
    if not all(isinstance(p, ast.Constant) for p in pieces):
        ctx.refuse("ASC-JIT-55", piece.value)
    return "".join(str(p.value) for p in pieces)


def _shown(ctx: Context, value: Any, spec: str, node: ast.expr) -> Part:
    if isinstance(value, (Tensor, GlobalObject)):
        ctx.refuse("ASC-JIT-40", node, name=value.name)
    _check_spec(ctx, value, spec, node)
    if is_expression(value):
        return lift(ctx, value, node), spec
    if not is_scalar(value) and not isinstance(value, str):
        ctx.budget.left -= elements(value)
        return kind_of(value) if value is None else str(value)
    return format(value, spec)


_SAMPLES = {"int": 1, "stamp": 1, "float": 1.0, "bool": True}
MAX_WIDTH = 200


def _check_spec(ctx: Context, value: Any, spec: str, node: ast.expr) -> None:
    numbers = "".join(c if c.isdigit() else " " for c in spec).split()
    if any(len(n) > 4 or int(n) > MAX_WIDTH for n in numbers):
        ctx.refuse("ASC-JIT-68", node, spec=spec)
    sample = _SAMPLES[value.type] if is_expression(value) else value
    try:
        format(sample, spec)
    except (ValueError, TypeError, OverflowError):
        ctx.refuse("ASC-JIT-68", node, spec=spec)
