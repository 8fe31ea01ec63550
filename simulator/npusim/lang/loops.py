"""Loops: `for … in range` and `while` run, `asc.static_range` is unrolled."""

from __future__ import annotations

import ast
from typing import Any

from npusim.lang.context import Context, Loop, Store
from npusim.lang.emitter import Label
from npusim.lang.names import FormName
from npusim.lang.operands import Argument, wrong
from npusim.lang.program import (
    Assign,
    Binary,
    Check,
    Const,
    Expr,
    Reg,
    System,
)
from npusim.lang.scalars import convert, truth
from npusim.lang.unit import Unit
from npusim.lang.values import is_expression, is_scalar, type_of
from npusim.lang.variables import assign, promote

MAX_UNROLL = 100_000
BLOCKS = System("block_num")  # never below 1


def compile_for(ctx: Context, node: ast.For) -> None:
    """A loop over `range(…)` or `asc.static_range(…)`."""
    call = node.iter
    if not isinstance(call, ast.Call) or call.keywords:
        ctx.refuse("ASC-JIT-39", node.iter)
    if isinstance(call.func, ast.Name) and call.func.id == "range":
        _run_time(ctx, node, _bounds(ctx, call))
        return
    callee = ctx.evaluate(call.func)
    if not isinstance(callee, FormName) or callee.name != "static_range":
        ctx.refuse("ASC-JIT-39", node.iter)
    _unrolled(ctx, node, _bounds(ctx, call))


def _bounds(ctx: Context, call: ast.Call) -> list[Any]:
    """start, stop and step: ints or int expressions."""
    if not 1 <= len(call.args) <= 3:
        name, given = ast.unparse(call.func), len(call.args)
        usage = f"{name}(start, stop, step)"
        ctx.refuse("ASC-JIT-10", call, name=name, given=given, usage=usage)
    values = [ctx.evaluate(a) for a in call.args]
    for value, argument in zip(values, call.args, strict=True):
        if not is_scalar(value) or type_of(value) == "float":
            wrong(ctx, Argument(value, argument), "int")
    if len(values) == 1:
        values.insert(0, 0)
    if len(values) == 2:
        values.append(1)
    if values[2] == 0 and not is_expression(values[2]):
        ctx.refuse("ASC-JIT-50", call, reason="step", error="0")
    return values


def _is_constant(bounds: list[Any]) -> bool:
    return not any(map(is_expression, bounds))


# ------------------------------------------------------------------------ unrolled
def _unrolled(ctx: Context, node: ast.For, bounds: list[Any]) -> None:
    if not _is_constant(bounds):
        ctx.refuse("ASC-JIT-19", node.iter, name="static_range")
    steps = range(*bounds)
    if max(abs(b) for b in bounds) > MAX_UNROLL or len(steps) > MAX_UNROLL:
        ctx.refuse("ASC-JIT-48", node.iter, limit=f"{MAX_UNROLL:,}")
    leave = Label()
    left: list[Store] = []
    for number in steps:
        if ctx.store is None:
            break
        loop = Loop(leave, Label(), left)
        _iterate(ctx, node, number, loop)
    ctx.emitter.place(leave)
    ctx.store = ctx.merge([*left, ctx.store], node)


def _iterate(ctx: Context, node: ast.For, number: int, loop: Loop) -> None:
    ctx.spend(node)
    assert ctx.store is not None and isinstance(node.target, ast.Name)
    ctx.store[(ctx.frame.path, node.target.id)] = number
    _body(ctx, node.body, loop)
    ctx.emitter.place(loop.again)
    ctx.store = ctx.merge([*loop.continued, ctx.store], node)


def _body(ctx: Context, body: list[ast.stmt], loop: Loop) -> None:
    ctx.frame.loops.append(loop)
    try:
        ctx.execute(body)
    finally:
        ctx.frame.loops.pop()


# ------------------------------------------------------------------------ run time
def _run_time(ctx: Context, node: ast.For, bounds: list[Any]) -> None:
    assert isinstance(node.target, ast.Name)
    known = _is_constant(bounds)
    if known and not len(_clipped(bounds)):
        return
    start, stop, step = (convert(ctx, b, "int", node.iter) for b in bounds)
    stop, step = ctx.stable(stop, node), ctx.stable(step, node)
    _check_step(ctx, step, node)
    key = (ctx.frame.path, node.target.id)
    _promote_assigned(ctx, node.body, node, [key])
    counter = _counter(ctx, node, key, start)
    with ctx.region():
        _for_loop(ctx, node, key, counter, stop, step, known)


def _clipped(bounds: list[Any]) -> range:
    limit = 1 << 62
    return range(*(max(-limit, min(limit, b)) for b in bounds))


def _check_step(ctx: Context, step: Expr, node: ast.For) -> None:
    if not (isinstance(step, Const) or step == BLOCKS):
        where = ctx.where(node.iter)
        nonzero = Binary("!=", step, Const(0, "int"), "bool", where)
        ctx.emitter.emit(Check(nonzero, (), where, rule="range-step"))


def _promote_assigned(
    ctx: Context, body: list[ast.stmt], node: ast.AST, more: list[Any]
) -> None:
    path, tree = ctx.frame.path, ctx.frame.unit.source.tree
    promote(ctx, [*((path, n) for n in sorted(tree.bound_in(body))), *more], node)


def _counter(ctx: Context, node: ast.For, key: Any, start: Expr) -> Reg:
    """The register that counts: the variable itself where nobody can tell."""
    assert isinstance(node.target, ast.Name)
    name = node.target.id
    if _only_read_inside(ctx.frame.unit, node, name):
        if key not in ctx.runtime:
            ctx.pending.add(key)
        assign(ctx, key, start, node.target, name)
        assert ctx.store is not None
        return ctx.store[key]
    counter = ctx.emitter.materialise(start, ctx.where(node.target))
    ctx.mutable.add(counter.index)
    return counter


def _only_read_inside(unit: Unit, node: ast.For, name: str) -> bool:
    """Whether the loop's variable is only read in bodies that set it themselves."""
    tree = unit.source.tree
    if name in tree.bound_in(node.body):
        return False
    return tree.is_read_in_its_loops_only(unit.function, name)


def _for_loop(
    ctx: Context,
    node: ast.For,
    key: Any,
    counter: Reg,
    stop: Expr,
    step: Expr,
    known: bool,
) -> None:
    assert isinstance(node.target, ast.Name)
    head, loop = Label(), Loop(Label(), Label())
    exit_label = Label()
    where = ctx.where(node.iter)
    ctx.emitter.place(head)
    ctx.emitter.branch(_goes_on(counter, stop, step, where), exit_label, where)
    entry = ctx.fork()
    if (ctx.store or {}).get(key) != counter:
        assign(ctx, key, counter, node.target, node.target.id)
    _body(ctx, node.body, loop)
    ctx.emitter.place(loop.again)
    ctx.store = ctx.merge([*loop.continued, ctx.store], node)
    ctx.check_back_edge(entry, node)
    after = ctx.store if known else entry
    if ctx.store is not None:
        following = Binary("+", counter, step, "int", where)
        ctx.emitter.emit(Assign(counter.index, following, where))
        ctx.emitter.jump(head, where)
    ctx.emitter.place(exit_label)
    ctx.emitter.place(loop.leave)
    ctx.store = ctx.merge([after, *loop.left], node)


def _goes_on(counter: Reg, stop: Expr, step: Expr, where: int) -> Expr:
    below = Binary("<", counter, stop, "bool", where)
    above = Binary(">", counter, stop, "bool", where)
    if step == BLOCKS:
        return below
    if isinstance(step, Const):
        return below if step.value > 0 else above
    zero = Const(0, "int")
    up = Binary("and", Binary(">", step, zero, "bool", where), below, "bool", where)
    down = Binary("and", Binary("<", step, zero, "bool", where), above, "bool", where)
    return Binary("or", up, down, "bool", where)


def compile_while(ctx: Context, node: ast.While) -> None:
    """A loop that runs as long as its condition holds."""
    _promote_assigned(ctx, node.body, node, [])
    head, exit_label = Label(), Label()
    loop = Loop(exit_label, head)
    with ctx.region():
        ctx.emitter.place(head)
        entry = ctx.fork()
        after = _test(ctx, node, exit_label)
        if ctx.store is not None:
            _body(ctx, node.body, loop)
            ctx.store = ctx.merge([*loop.continued, ctx.store], node)
            ctx.check_back_edge(entry, node)
            if ctx.store is not None:
                ctx.emitter.jump(head, ctx.where(node.test))
    ctx.emitter.place(exit_label)
    ctx.store = ctx.merge([after, *loop.left], node)


def _test(ctx: Context, node: ast.While, exit_label: Label) -> Store | None:
    """Evaluate the condition; the store of the path that leaves here."""
    condition = truth(ctx, ctx.evaluate(node.test), node.test)
    if isinstance(condition, bool):
        after = None if condition else ctx.fork()
        ctx.store = ctx.store if condition else None
        return after
    ctx.emitter.branch(condition, exit_label, ctx.where(node.test))
    return ctx.fork()
