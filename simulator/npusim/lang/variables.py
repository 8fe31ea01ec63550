"""Assignment: a variable is rebound, or written where it owns registers.

A run-time variable keeps its type; an int fits a float variable and a bool an int one.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable
from typing import Any

from npusim.lang.context import Context
from npusim.lang.scalars import convert, lift
from npusim.lang.values import (
    is_expression,
    is_number,
    is_scalar,
    kind_of,
    parts,
    rebuild,
    shape,
    type_of,
)

SCALAR_TYPES = ("int", "float", "bool")
_WIDENS = {("int", "float"), ("bool", "int")}


def assign(ctx: Context, key: Hashable, value: Any, node: ast.AST, name: str) -> None:
    """Bind the variable `key`, called `name`, to `value`."""
    assert ctx.store is not None
    owns = key in ctx.runtime or key in ctx.pending
    if owns and shape(value) is not None:
        ctx.store[key] = _write(ctx, key, value, node, name)
        return
    old = ctx.store.get(key)
    if is_expression(old) and is_scalar(value):
        value = keep_type(ctx, value, type_of(old), name, node)
    ctx.store[key] = ctx.stable(value, node)


def _write(ctx: Context, key: Hashable, value: Any, node: ast.AST, name: str) -> Any:
    if is_scalar(value):
        value = lift(ctx, value, node) if key not in ctx.cells else value
        cell = ctx.cell(key, value)
        if not is_scalar(cell):
            _refuse(ctx, kind_of(cell), kind_of(value), name, node)
        ctx.write(
            cell, lift(ctx, keep_type(ctx, value, cell.type, name, node), node), node
        )
        return cell
    cell = ctx.cell(key, value)
    if shape(cell) != shape(value):
        _refuse(ctx, _words(cell), _words(value), name, node)
    ctx.write(cell, rebuild(value, parts(value)), node)
    return cell


def _words(value: Any) -> str:
    dtype = getattr(value, "dtype", None)
    return kind_of(value) + (f" {dtype.name}" if dtype is not None else "")


def _refuse(ctx: Context, type_: str, found: str, name: str, node: ast.AST) -> None:
    ctx.refuse("ASC-JIT-17", node, name=name, type=type_, found=found)


def keep_type(ctx: Context, value: Any, type_: str, name: str, node: ast.AST) -> Any:
    """The scalar as the type that its variable has."""
    found = type_of(value)
    if found == type_:
        return value
    if (found, type_) not in _WIDENS:
        _refuse(ctx, type_, found, name, node)
    return convert(ctx, value, type_, node)


def declared(ctx: Context, value: Any, type_: str, name: str, node: ast.AST) -> Any:
    """A scalar for a parameter or variable that is declared int, float or bool."""
    if not is_scalar(value):
        _refuse(ctx, type_, kind_of(value), name, node)
    if is_number(value) and (type_of(value), type_) in _WIDENS:
        return float(value) if type_ == "float" else int(value)
    return keep_type(ctx, value, type_, name, node)


def promote(ctx: Context, keys: list[Hashable], node: ast.AST) -> None:
    """Variables that a loop assigns and that are bound before it own registers."""
    assert ctx.store is not None
    ctx.forget_mixed(node)
    for key in keys:
        bound = ctx.store.get(key)
        if shape(bound) is None or key in ctx.runtime:
            continue
        ctx.pending.add(key)
        assign(ctx, key, bound, node, key[-1])  # type: ignore[index]
