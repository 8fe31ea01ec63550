"""Calls of helper kernels: inlined, tensors and queues by reference, scalars by value.

Every `return` jumps to the end of the inlined body; values of several returns meet
there as variables do where paths meet.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable
from typing import Any

from npusim.lang.calls import evaluate_arguments
from npusim.lang.context import Context, Frame
from npusim.lang.emitter import Label
from npusim.lang.operands import Argument
from npusim.lang.program import Reg
from npusim.lang.unit import Unit
from npusim.lang.values import Partial
from npusim.lang.variables import SCALAR_TYPES, assign, declared

MAX_DEPTH = 16


def call_helper(ctx: Context, unit: Unit, node: ast.Call) -> Any:
    """Inline the helper; its value, or None."""
    if any(f.unit.function is unit.function for f in ctx.frames):
        ctx.refuse("ASC-JIT-46", node, name=unit.name)
    if len(ctx.frames) > MAX_DEPTH:
        ctx.refuse("ASC-JIT-47", node, limit=MAX_DEPTH)
    values = _bind(ctx, unit, node)
    where = ctx.frame.unit.source.location(node)
    call = (where.label, where.line, where.column, unit.name)
    path = ctx.budget.path(ctx.frame.path, call)
    frame = Frame(unit.called(where), path, Label())
    ctx.frames.append(frame)
    try:
        for parameter in parameters_of(unit.function):
            name = parameter.arg
            _enter(ctx, (path, name), values[name], parameter)
        return run_body(ctx, frame)
    finally:
        ctx.frames.pop()


def _enter(ctx: Context, key: Hashable, value: Any, node: ast.arg) -> None:
    """Bind a parameter; registers of the caller cannot change meanwhile."""
    assert ctx.store is not None
    if isinstance(value, Reg) and key not in ctx.runtime | ctx.pending:
        ctx.store[key] = value
    else:
        assign(ctx, key, value, node, node.arg)


def parameters_of(function: ast.FunctionDef) -> list[ast.arg]:
    """The parameters in order (`*args` and `**kwargs` are refused by the check)."""
    a = function.args
    return [*a.posonlyargs, *a.args, *a.kwonlyargs]


def run_body(ctx: Context, frame: Frame) -> Any:
    """Compile the body of the innermost frame; the value that it returns."""
    body = frame.unit.function.body
    ctx.execute(body)
    if ctx.store is not None:
        leave(ctx, None, body[-1])
    ctx.emitter.place(frame.end)
    stores: list[Any] = [_without_locals(s, frame) for s in frame.returned]
    ctx.store = ctx.merge(stores, body[-1])
    if ctx.store is None:  # an endless loop: nothing comes after it
        return None
    value = ctx.store.pop(frame.result)
    if isinstance(value, Partial):
        ctx.refuse(value.code, body[-1], name="return", line=value.line)
    return value


def leave(ctx: Context, value: Any, node: ast.AST) -> None:
    """`return value` from the innermost frame."""
    frame = ctx.frame
    key = frame.result
    if key in ctx.runtime:
        assign(ctx, key, value, node, "return")
    else:
        ctx.store[key] = value  # type: ignore[index]
    frame.returned.append(ctx.fork())
    ctx.emitter.jump(frame.end, ctx.where(node))
    ctx.store = None


def _without_locals(store: dict, frame: Frame) -> dict:
    path, result = frame.path, frame.result
    return {
        key: value
        for key, value in store.items()
        if key == result or not (len(key) == 2 and key[0] == path)
    }


def _bind(ctx: Context, unit: Unit, node: ast.Call) -> dict[str, Any]:
    """Values by parameter name; defaults are evaluated in the helper's text."""
    parameters = parameters_of(unit.function)
    names = [p.arg for p in parameters]
    positional, keywords = evaluate_arguments(ctx, node)
    usage = f"{unit.name}({', '.join(names)})"
    bound = dict(zip(names, positional, strict=False))
    for keyword, argument in keywords.items():
        if keyword not in names or keyword in bound:
            ctx.refuse("ASC-JIT-11", argument.node, keyword=keyword, usage=usage)
    bound |= keywords
    defaults = default_nodes(unit.function)
    missing = [n for n in names if n not in bound and n not in defaults]
    if len(positional) > len(names) or missing:
        given = len(positional) + len(keywords)
        ctx.refuse("ASC-JIT-10", node, name=unit.name, given=given, usage=usage)
    values = {n: _declared(ctx, parameters, n, a) for n, a in bound.items()}
    return values | {
        n: _default(ctx, unit, d) for n, d in defaults.items() if n not in bound
    }


def default_nodes(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """The defaults of a function by parameter name."""
    a = function.args
    positional = [*a.posonlyargs, *a.args]
    tail = positional[len(positional) - len(a.defaults) :]
    found = {p.arg: d for p, d in zip(tail, a.defaults, strict=True)}
    pairs = zip(a.kwonlyargs, a.kw_defaults, strict=True)
    return found | {p.arg: d for p, d in pairs if d is not None}


def _default(ctx: Context, unit: Unit, node: ast.expr) -> Any:
    ctx.frames.append(Frame(unit, -1, Label()))
    try:
        return ctx.evaluate(node)
    finally:
        ctx.frames.pop()


def _declared(
    ctx: Context, parameters: list[ast.arg], name: str, argument: Argument
) -> Any:
    """The argument; brought to int, float or bool where the helper declares that."""
    annotation = next(p.annotation for p in parameters if p.arg == name)
    if not isinstance(annotation, ast.Name) or annotation.id not in SCALAR_TYPES:
        return argument.value
    return declared(ctx, argument.value, annotation.id, name, argument.node)
