"""Expressions: one function per kind of ast node, found through a table."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from npusim.lang.builtin import BUILTIN_CALLS, call_form
from npusim.lang.calls import call_instruction, make_record
from npusim.lang.context import Context
from npusim.lang.inline import call_helper
from npusim.lang.names import (
    InstructionName,
    LaterName,
    Marker,
    RecordName,
    ResourceName,
)
from npusim.lang.objects import attribute, call_method, construct, offset, sub_tensor
from npusim.lang.paths import either
from npusim.lang.program import Binary, Const, Tensor, Unary
from npusim.lang.scalars import (
    ARITHMETIC,
    COMPARISONS,
    arithmetic,
    checked_constant,
    compare,
    is_risky,
    lift,
    truth,
)
from npusim.lang.signatures import RECORDS
from npusim.lang.spelling import unknown_member, unknown_name
from npusim.lang.unit import ENUMS, NotAllowed, Unit
from npusim.lang.values import (
    GlobalObject,
    Method,
    Partial,
    Pointer,
    is_expression,
    is_scalar,
    kind_of,
)


def _constant(ctx: Context, node: ast.Constant) -> Any:
    return checked_constant(ctx, node.value, node)


def _name(ctx: Context, node: ast.Name) -> Any:
    key = (ctx.frame.path, node.id)
    value = (ctx.store or {}).get(key, _UNBOUND)
    if isinstance(value, Partial):
        ctx.refuse(value.code, node, name=node.id, line=value.line)
    if value is not _UNBOUND:
        return value
    if node.id in ctx.frame.unit.local_names:
        ctx.refuse("ASC-JIT-18", node, name=node.id, line=node.lineno)
    return surrounding(ctx, node)


_UNBOUND = object()


def surrounding(ctx: Context, node: ast.Name) -> Any:
    """The value of a free name; refused (located) where it has none."""
    try:
        return ctx.frame.unit.resolve(node.id)
    except KeyError:
        ctx.refuse("ASC-JIT-05", node, **unknown_name(node.id))
    except NotAllowed as error:
        ctx.refuse(str(error), node, name=node.id)


def _tuple(ctx: Context, node: ast.Tuple | ast.List) -> Any:
    values = [ctx.stable(ctx.evaluate(e), e) for e in node.elts]
    made = tuple(values) if isinstance(node, ast.Tuple) else values
    return checked_constant(ctx, made, node)


def _binary(ctx: Context, node: ast.BinOp) -> Any:
    left, right = ctx.evaluate(node.left), ctx.evaluate(node.right)
    return binary(ctx, ARITHMETIC[type(node.op)], left, right, node)


def binary(ctx: Context, op: str, left: Any, right: Any, node: ast.AST) -> Any:
    """`left op right` for scalars, constants and pointers (`x + n`)."""
    if isinstance(right, Pointer) and op == "+":
        left, right = right, left
    if isinstance(left, Pointer) and op in "+-" and is_scalar(right):
        count = arithmetic(ctx, op, 0, right, node) if op == "-" else right
        address = offset(ctx, left.address, count, left.dtype, node)
        return Pointer(left.dtype, address, left.name)
    for value, side in ((left, "left"), (right, "right")):
        _refuse_tensor(ctx, value, getattr(node, side, node))
    return arithmetic(ctx, op, left, right, node)


def _refuse_tensor(ctx: Context, value: Any, node: ast.AST) -> None:
    if isinstance(value, (Tensor, GlobalObject)):
        code = "ASC-JIT-40" if isinstance(node, ast.Subscript) else "ASC-JIT-45"
        ctx.refuse(code, node, name=value.name, found=kind_of(value))


def _unary(ctx: Context, node: ast.UnaryOp) -> Any:
    value = ctx.evaluate(node.operand)
    if isinstance(node.op, ast.Not):
        condition = truth(ctx, value, node.operand)
        if isinstance(condition, bool):
            return not condition
        return Unary("not", condition, "bool", ctx.where(node))
    _refuse_tensor(ctx, value, node.operand)
    if isinstance(node.op, ast.Invert):
        return arithmetic(ctx, "^", value, -1, node)
    if is_expression(value):
        return _negated(ctx, value, node)
    if not is_scalar(value):
        ctx.refuse("ASC-JIT-45", node, found=kind_of(value))
    return -value if isinstance(node.op, ast.USub) else +value


def _negated(ctx: Context, value: Any, node: ast.UnaryOp) -> Any:
    if isinstance(node.op, ast.UAdd) and value.type != "stamp":
        return value
    if value.type in ("bool", "stamp"):
        return arithmetic(ctx, "-", 0, value, node)
    return Unary("-", value, value.type, ctx.where(node))


def _compare(ctx: Context, node: ast.Compare) -> Any:
    left = ctx.evaluate(node.left)
    _refuse_tensor(ctx, left, node.left)
    result: Any = True
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = ctx.evaluate(right_node)
        _refuse_tensor(ctx, right, right_node)
        if len(node.ops) > 1:
            right = ctx.stable(right, right_node)
        step = compare(ctx, COMPARISONS[type(op)], left, right, node)
        result = both(ctx, "and", result, step, node)
        left = right
    return result


def both(ctx: Context, op: str, left: Any, right: Any, node: ast.AST) -> Any:
    """`and` / `or` of two conditions, both already evaluated."""
    neutral = op == "and"
    for value, other in ((left, right), (right, left)):
        if isinstance(value, bool):
            return other if value is neutral else value
    return Binary(op, left, right, "bool", ctx.where(node))


def _bool_op(ctx: Context, node: ast.BoolOp) -> Any:
    op = "and" if isinstance(node.op, ast.And) else "or"
    return _chain(ctx, op, node.values, node)


def _chain(ctx: Context, op: str, values: list[ast.expr], node: ast.AST) -> Any:
    first = ctx.evaluate(values[0])
    _refuse_tensor(ctx, first, values[0])
    left = truth(ctx, first, values[0])
    if len(values) == 1:
        return left
    if isinstance(left, bool):
        decided = left is (op == "or")
        return left if decided else _chain(ctx, op, values[1:], node)
    left = ctx.stable(left, node)

    def rest() -> Any:
        value = _chain(ctx, op, values[1:], node)
        return lift(ctx, value, node)

    right, is_pure = ctx.attempt(rest)
    if is_pure and not is_risky(right):
        return both(ctx, op, left, right, node)
    known = Const(op == "or", "bool")
    if op == "and":
        return either(ctx, left, rest, lambda: known, node)
    return either(ctx, left, lambda: known, rest, node)


def _conditional(ctx: Context, node: ast.IfExp) -> Any:
    condition = truth(ctx, ctx.evaluate(node.test), node.test)
    if isinstance(condition, bool):
        return ctx.evaluate(node.body if condition else node.orelse)
    condition = ctx.stable(condition, node)
    return either(
        ctx,
        condition,
        lambda: ctx.evaluate(node.body),
        lambda: ctx.evaluate(node.orelse),
        node,
    )


def _attribute(ctx: Context, node: ast.Attribute) -> Any:
    members = ctx.frame.unit.members
    if node in members:
        ctx.spend(node.value)
        return members[node]
    owner = ctx.evaluate(node.value)
    value = member(ctx, owner, node)
    if _is_fixed(ctx, owner, node.value):
        members[node] = value
    return value


def _is_fixed(ctx: Context, owner: Any, node: ast.expr) -> bool:
    """Whether `owner`, at `node`, is a part of the façade and no variable."""
    unit = ctx.frame.unit
    is_free = isinstance(node, ast.Name) and node.id not in unit.local_names
    return (is_free or node in unit.members) and (_is_facade(owner) or owner in ENUMS)


def _is_facade(owner: Any) -> bool:
    return getattr(owner, "__asc_facade__", False) is True


def member(ctx: Context, owner: Any, node: ast.Attribute) -> Any:
    """`owner.name` of the façade, an enum or an object."""
    name = node.attr
    if _is_facade(owner):
        return _of_facade(ctx, owner, node)
    if any(owner is e for e in ENUMS):
        if name in owner.__members__:
            return owner[name]
        facts = unknown_member(name, f"asc.{owner.__name__}", owner.__members__)
        ctx.refuse("ASC-JIT-06", node, **facts)
    return attribute(ctx, owner, name, node)


def _of_facade(ctx: Context, owner: Any, node: ast.Attribute) -> Any:
    value = getattr(owner, node.attr, None)
    known = isinstance(value, Marker) or type(value).__name__ == "DType"
    if not known and not any(value is e for e in ENUMS):
        if value is None:
            ctx.refuse("ASC-JIT-06", node, **unknown_member(node.attr, "asc"))
        ctx.refuse("ASC-JIT-65", node, name=node.attr)
    return value


def _subscript(ctx: Context, node: ast.Subscript) -> Any:
    owner = ctx.evaluate(node.value)
    if isinstance(owner, (Tensor, GlobalObject)):
        return sub_tensor(ctx, owner, node)
    if not isinstance(owner, (tuple, list)):
        ctx.refuse("ASC-JIT-66", node, found=kind_of(owner))
    if isinstance(node.slice, ast.Slice):
        ctx.refuse("ASC-JIT-66", node, found=kind_of(owner))
    index = ctx.evaluate(node.slice)
    if is_expression(index):
        ctx.refuse("ASC-JIT-19", node.slice, name="index")
    if not isinstance(index, int) or not -len(owner) <= index < len(owner):
        ctx.refuse("ASC-JIT-50", node, **_outside(index, owner))
    return owner[index]


def _outside(index: Any, owner: Any) -> dict[str, Any]:
    facts = {"index": index, "size": len(owner)}
    return {"reason": "index", "error": kind_of(index), **facts}


def _call(ctx: Context, node: ast.Call) -> Any:
    if isinstance(node.func, ast.Name) and _is_builtin(ctx, node.func.id):
        return BUILTIN_CALLS[node.func.id](ctx, node)
    hint, ctx.hint = ctx.hint, ""
    callee = ctx.evaluate(node.func)
    ctx.hint = hint if isinstance(callee, (ResourceName, Method)) else ""
    try:
        return _dispatch(ctx, callee, node)
    finally:
        ctx.hint = ""


def _is_builtin(ctx: Context, name: str) -> bool:
    unit = ctx.frame.unit
    return (
        name in BUILTIN_CALLS
        and name not in unit.local_names
        and name not in unit.captured
    )


def _dispatch(ctx: Context, callee: Any, node: ast.Call) -> Any:
    if isinstance(callee, InstructionName):
        return call_instruction(ctx, callee.name, node)
    if isinstance(callee, ResourceName):
        return construct(ctx, callee.name, node)
    if isinstance(callee, RecordName):
        return make_record(ctx, RECORDS[callee.name], node)
    if isinstance(callee, Method):
        return call_method(ctx, callee, node)
    if isinstance(callee, Unit):
        return call_helper(ctx, callee, node)
    if isinstance(callee, LaterName):
        ctx.refuse("ASC-JIT-07", node.func, name=f"asc.{callee.name}")
    if isinstance(callee, Marker):
        return call_form(ctx, callee.name, node)
    ctx.refuse("ASC-JIT-51", node.func, name=ast.unparse(node.func)[:60])


def _joined(ctx: Context, node: ast.JoinedStr) -> Any:
    ctx.refuse("ASC-JIT-55", node)


EXPRESSIONS: dict[type, Callable[[Context, Any], Any]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Tuple: _tuple,
    ast.List: _tuple,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _bool_op,
    ast.IfExp: _conditional,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Call: _call,
    ast.JoinedStr: _joined,
}
