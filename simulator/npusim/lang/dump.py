"""A readable listing of a program, for tests and for finding faults."""

from __future__ import annotations

import enum
from typing import Any

from npusim.lang.program import (
    Assign,
    Binary,
    Branch,
    Check,
    Const,
    Issue,
    Jump,
    Op,
    Print,
    Program,
    Record,
    Reg,
    Resource,
    Select,
    System,
    Tensor,
    Unary,
)


def dump(program: Program) -> str:
    """One line an operation: `pc  line  text`."""
    head = ", ".join(f"{p.name}: {p.type} = r{p.register}" for p in program.params)
    lines = [f"{program.name}({head})"]
    for pc, op in enumerate(program.code):
        line = program.location(op.where).line
        lines.append(f"{pc:4} L{line:<4} {_op(op)}")
    return "\n".join(lines)


def _op(op: Op) -> str:
    if isinstance(op, Assign):
        return f"r{op.target} = {show(op.value)}"
    if isinstance(op, Jump):
        return f"jump {op.to}"
    if isinstance(op, Branch):
        return f"unless {show(op.condition)} jump {op.otherwise}"
    if isinstance(op, Issue):
        return _issue(op)
    if isinstance(op, (Print, Check)):
        parts = "".join(
            p if isinstance(p, str) else f"{{{show(p[0])}}}" for p in op.parts
        )
        condition = f"{show(op.condition)}, " if isinstance(op, Check) else ""
        return f"{type(op).__name__.lower()} {condition}{parts!r}"
    return "end"


def _issue(op: Issue) -> str:
    operands = ", ".join(f"{n}={show(v)}" for n, v in op.operands.items())
    results = ", ".join(f"r{r}" for r in op.results)
    name = f"{op.name}.{op.form}" if op.form else op.name
    return (f"{results} = " if results else "") + f"{name}({operands})"


def show(value: Any) -> str:
    """An operand or expression as text."""
    shown = _SHOW.get(type(value))
    if shown is not None:
        return shown(value)
    return value.name if isinstance(value, enum.Enum) else repr(value)


_SHOW: dict[type, Any] = {
    Const: lambda v: repr(v.value),
    Reg: lambda v: f"r{v.index}",
    Unary: lambda v: f"{v.op}({show(v.operand)})",
    Binary: lambda v: f"({show(v.left)} {v.op} {show(v.right)})",
    Select: lambda v: (
        f"({show(v.then)} if {show(v.condition)} else {show(v.otherwise)})"
    ),
    System: lambda v: v.name,
    Tensor: lambda v: (
        f"{v.name}:{v.dtype.name}@{v.position.name}[{show(v.address)}; {show(v.size)}]"
    ),
    Resource: lambda v: f"{v.kind} {v.name}",
    Record: lambda v: (
        f"{v.type}({', '.join(f'{n}={show(e)}' for n, e in v.fields.items())})"
    ),
}
