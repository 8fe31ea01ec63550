"""Two paths that meet again: run-time conditions of statements and expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from npusim.lang.context import Context
from npusim.lang.emitter import Label
from npusim.lang.program import Expr, Reg, Select
from npusim.lang.scalars import common_type, convert, is_risky
from npusim.lang.values import is_scalar, kind_of, parts, rebuild, same, shape, type_of

Side = Callable[[], Any]


def branch(
    ctx: Context, condition: Expr, then: Side, otherwise: Side, node: ast.AST
) -> None:
    """Run `then` where the run-time condition holds, else `otherwise`; merge."""
    other, end = Label(), Label()
    ctx.emitter.branch(condition, other, ctx.where(node))
    before = ctx.fork()
    with ctx.region():
        then()
        after_then = ctx.store
        if after_then is not None:
            ctx.emitter.jump(end, ctx.where(node))
        ctx.emitter.place(other)
        ctx.store = before
        otherwise()
    ctx.emitter.place(end)
    ctx.store = ctx.merge([after_then, ctx.store], node)


def either(
    ctx: Context, condition: Expr, then: Side, otherwise: Side, node: ast.AST
) -> Any:
    """The value of one of two sides.

    Both are evaluated at once where that shows nothing; otherwise only the one that
    Python would evaluate is.
    """

    def sides() -> tuple[Any, Any]:
        return then(), otherwise()

    (a, b), is_pure = ctx.attempt(sides)
    if same(a, b) and is_pure:
        return a
    types = _common(ctx, a, b, node)
    if is_pure and not any(map(is_risky, (*parts(a), *parts(b)))):
        pairs = zip(
            _typed(ctx, a, types, node), _typed(ctx, b, types, node), strict=True
        )
        chosen = (Select(condition, x, y, x.type) for x, y in pairs)
        return rebuild(a, tuple(chosen))
    return _branched(ctx, condition, then, otherwise, types, node)


def _common(ctx: Context, a: Any, b: Any, node: ast.AST) -> str:
    if shape(a) is None or shape(a) != shape(b):
        ctx.refuse("ASC-JIT-67", node, left=kind_of(a), right=kind_of(b))
    if not is_scalar(a):
        return ""
    both_bool = type_of(a) == type_of(b) == "bool"
    return "bool" if both_bool else common_type(a, b)


def _typed(ctx: Context, value: Any, type_: str, node: ast.AST) -> tuple[Expr, ...]:
    return (convert(ctx, value, type_, node),) if type_ else parts(value)


def _branched(
    ctx: Context,
    condition: Expr,
    then: Side,
    otherwise: Side,
    type_: str,
    node: ast.AST,
) -> Any:
    key = ("value", ctx.serial(node))

    def assign(side: Side) -> Callable[[], None]:
        def run() -> None:
            value = side()
            typed = rebuild(value, _typed(ctx, value, type_, node))
            cell = ctx.cell(key, typed)
            ctx.write(cell, typed, node)

        return run

    branch(ctx, condition, assign(then), assign(otherwise), node)
    cell = ctx.cells[key]  # nothing writes it again before it is read
    ctx.mutable -= {p.index for p in parts(cell) if isinstance(p, Reg)}
    return cell
