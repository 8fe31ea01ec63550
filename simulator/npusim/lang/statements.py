"""Statements: one function per kind of ast node, found through a table."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from npusim.lang.builtin import text_parts
from npusim.lang.context import Context
from npusim.lang.expressions import binary
from npusim.lang.inline import leave
from npusim.lang.loops import compile_for, compile_while
from npusim.lang.operands import tensor_of
from npusim.lang.paths import branch
from npusim.lang.program import Check
from npusim.lang.scalars import ARITHMETIC, lift, truth
from npusim.lang.values import GlobalObject, kind_of
from npusim.lang.variables import SCALAR_TYPES, assign, declared


def _assign(ctx: Context, node: ast.Assign) -> None:
    value = _named(ctx, node.targets[0], node.value)
    if isinstance(value, GlobalObject) and isinstance(node.value, ast.Name):
        value = tensor_of(ctx, value, node.value)  # tensors are values
    if len(node.targets) > 1:
        value = ctx.stable(value, node)
    for target in node.targets:
        _bind(ctx, target, value, node)


def _named(ctx: Context, target: ast.expr, value: ast.expr) -> Any:
    """Evaluate; objects that the call makes are called like the variable."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = list(zip(target.elts, value.elts, strict=False))
        named = [ctx.stable(_named(ctx, t, v), v) for t, v in pairs]
        return (*named, *map(ctx.evaluate, value.elts[len(pairs) :]))
    is_call = isinstance(target, ast.Name) and isinstance(value, ast.Call)
    ctx.hint = target.id if is_call else ""  # type: ignore[attr-defined]
    try:
        return ctx.evaluate(value)
    finally:
        ctx.hint = ""


def _bind(ctx: Context, target: ast.expr, value: Any, node: ast.stmt) -> None:
    if isinstance(target, ast.Name):
        assign(ctx, (ctx.frame.path, target.id), value, node, target.id)
        return
    assert isinstance(target, (ast.Tuple, ast.List))  # the check refuses the others
    wanted = len(target.elts)
    if not isinstance(value, (tuple, list)) or len(value) != wanted:
        found = len(value) if isinstance(value, (tuple, list)) else kind_of(value)
        ctx.refuse("ASC-JIT-61", target, expected=wanted, found=found)
    for inner, item in zip(target.elts, ctx.stable(value, node), strict=True):
        _bind(ctx, inner, item, node)


def _augmented(ctx: Context, node: ast.AugAssign) -> None:
    assert isinstance(node.target, ast.Name)
    left, right = ctx.evaluate(node.target), ctx.evaluate(node.value)
    value = binary(ctx, ARITHMETIC[type(node.op)], left, right, node)
    assign(ctx, (ctx.frame.path, node.target.id), value, node, node.target.id)


def _annotated(ctx: Context, node: ast.AnnAssign) -> None:
    if node.value is None:
        return
    assert isinstance(node.target, ast.Name)
    name = node.target.id
    value = _named(ctx, node.target, node.value)
    type_ = node.annotation.id if isinstance(node.annotation, ast.Name) else ""
    if type_ in SCALAR_TYPES:
        value = declared(ctx, value, type_, name, node)
    assign(ctx, (ctx.frame.path, name), value, node, name)


def _if(ctx: Context, node: ast.If) -> None:
    condition = truth(ctx, ctx.evaluate(node.test), node.test)
    if isinstance(condition, bool):
        ctx.execute(node.body if condition else node.orelse)
        return
    branch(
        ctx,
        condition,
        lambda: ctx.execute(node.body),
        lambda: ctx.execute(node.orelse),
        node,
    )


def _break(ctx: Context, node: ast.Break) -> None:
    loop = ctx.frame.loops[-1]
    loop.left.append(ctx.fork())
    ctx.emitter.jump(loop.leave, ctx.where(node))
    ctx.store = None


def _continue(ctx: Context, node: ast.Continue) -> None:
    loop = ctx.frame.loops[-1]
    loop.continued.append(ctx.fork())
    ctx.emitter.jump(loop.again, ctx.where(node))
    ctx.store = None


def _return(ctx: Context, node: ast.Return) -> None:
    value = None if node.value is None else ctx.evaluate(node.value)
    if len(ctx.frames) == 1 and value is not None:
        ctx.refuse("ASC-JIT-69", node, name=ctx.frame.unit.name)
    leave(ctx, ctx.stable(value, node), node)


def _pass(ctx: Context, node: ast.Pass) -> None:
    """Nothing."""


def _assert(ctx: Context, node: ast.Assert) -> None:
    condition = lift(ctx, truth(ctx, ctx.evaluate(node.test), node.test), node.test)
    parts = text_parts(ctx, node.msg) if node.msg is not None else ()
    ctx.emitter.emit(Check(condition, parts, ctx.where(node.test)))


def _expression(ctx: Context, node: ast.Expr) -> None:
    value = node.value
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return  # a docstring
    if not isinstance(value, ast.Call):
        ctx.refuse("ASC-JIT-63", node)
    ctx.evaluate(value)


STATEMENTS: dict[type, Callable[[Context, Any], None]] = {
    ast.Assign: _assign,
    ast.AugAssign: _augmented,
    ast.AnnAssign: _annotated,
    ast.If: _if,
    ast.For: compile_for,
    ast.While: compile_while,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Return: _return,
    ast.Pass: _pass,
    ast.Assert: _assert,
    ast.Expr: _expression,
}
