"""`compile_source`: text, names and argument types in, a typed Program out.

Passes are repeated until every variable that needs registers is known (context.py).
All failures are KernelError with one located diagnostic; no Python error leaves here.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Mapping
from typing import Any

from npusim.diagnostic import Diagnostic, Fault, KernelError, Location
from npusim.lang.context import Budget, Context, Frame, Restart, Tables
from npusim.lang.emitter import Label
from npusim.lang.expressions import EXPRESSIONS
from npusim.lang.free import is_kernel
from npusim.lang.inline import parameters_of, run_body
from npusim.lang.names import AnnotationName, BufferArgument, Constexpr
from npusim.lang.program import End, Param, Program, Reg
from npusim.lang.refusals import check_unit
from npusim.lang.source import MAX_DEPTH, parse
from npusim.lang.statements import STATEMENTS
from npusim.lang.unit import NotAllowed, Unit, admit
from npusim.lang.values import Pointer
from npusim.lang.variables import SCALAR_TYPES, assign

ArgumentType = BufferArgument | Constexpr | str
MAX_PASSES = 200
TABLES = Tables(EXPRESSIONS, STATEMENTS)


def compile_source(
    text: str,
    filename: str,
    entry: str,
    captured: Mapping[str, object],
    arguments: Mapping[str, ArgumentType],
) -> Program:
    """Compile the kernel `entry` of `text`.

    `captured`: values of names around it. `arguments`: type of each parameter.
    Raises KernelError with an ASC-JIT or ASC-PATH diagnostic.
    """
    try:
        return _compile(text, filename, entry, captured, arguments)
    except Fault as fault:
        raise KernelError((fault.diagnostic,)) from None
    except RecursionError:
        where = Location(filename, 1, 0, 1, "")
        facts = {"limit": MAX_DEPTH, "reason": "depth"}
        raise KernelError((Diagnostic("ASC-JIT-58", "E", where, facts),)) from None


def _compile(
    text: str,
    filename: str,
    entry: str,
    captured: Mapping[str, object],
    arguments: Mapping[str, ArgumentType],
) -> Program:
    source = parse(text, filename)
    function = source.functions.get(entry)
    if function is None or not is_kernel(function):
        where = Location(filename, 1, 0, 1, source.lines[0] if source.lines else "")
        if function is not None:
            where = source.location(function)
        raise Fault(Diagnostic("ASC-JIT-04", "E", where, {"name": entry}))
    unit = Unit(source, function, captured)
    check_unit(unit)
    runtime: set[Hashable] = set()
    budget = Budget()
    for _ in range(MAX_PASSES):
        ctx = Context(TABLES, runtime, budget)
        ctx.frames.append(Frame(unit, 0, Label()))
        try:
            return _pass(ctx, unit, arguments)
        except Restart:
            continue
        except Fault:
            if not ctx.pending or budget.left < 0:
                raise
            runtime |= ctx.pending
    ctx.refuse("ASC-JIT-48", function, limit=f"{MAX_PASSES}")


def _pass(ctx: Context, unit: Unit, arguments: Mapping[str, ArgumentType]) -> Program:
    parameters = tuple(
        p
        for node in parameters_of(unit.function)
        if (p := _parameter(ctx, node, arguments)) is not None
    )
    run_body(ctx, ctx.frame)
    ctx.emitter.emit(End(ctx.where(unit.function.body[-1])))
    ctx.settle()
    constants = {n: a.value for n, a in arguments.items() if isinstance(a, Constexpr)}
    return Program(
        name=unit.name,
        params=parameters,
        code=ctx.emitter.finish(),
        registers=ctx.emitter.registers,
        resources=tuple(ctx.emitter.resources),
        locations=tuple(ctx.emitter.locations),
        constants=constants,
    )


def _parameter(
    ctx: Context, node: ast.arg, arguments: Mapping[str, ArgumentType]
) -> Param | None:
    """Bind one parameter of the kernel; a Param where it has a run-time value."""
    name, kind = node.arg, _annotation(ctx, node)
    given = arguments.get(name)
    if _kind_of_argument(given) != kind:
        found = _kind_of_argument(given) or "None"
        ctx.refuse("ASC-JIT-09", node, name=name, declared=kind, found=found)
    value, param = _value(ctx, node, given)
    assign(ctx, (ctx.frame.path, name), value, node, name)
    return param


def _value(ctx: Context, node: ast.arg, given: Any) -> tuple[Any, Param | None]:
    name = node.arg
    if isinstance(given, Constexpr):
        try:
            return admit(given.value), None
        except NotAllowed:
            found = type(given.value).__name__
            ctx.refuse("ASC-JIT-09", node, name=name, declared="constexpr", found=found)
    register = ctx.emitter.register()
    if isinstance(given, BufferArgument):
        pointer = Pointer(given.dtype, Reg(register, "int"), name)
        return pointer, Param(name, "buffer", register, given.dtype)
    return Reg(register, given), Param(name, given, register)


def _kind_of_argument(given: Any) -> str:
    if isinstance(given, BufferArgument):
        return "GlobalAddress"
    if isinstance(given, Constexpr):
        return "constexpr"
    return str(given) if given in SCALAR_TYPES else ""


def _annotation(ctx: Context, node: ast.arg) -> str:
    """What the parameter is declared as: a scalar type or a name of the language."""
    annotation = node.annotation
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = _from_text(annotation.value)  # a quoted annotation
    if isinstance(annotation, ast.Name) and annotation.id in SCALAR_TYPES:
        return annotation.id
    declared = _annotated(ctx.frame.unit, annotation)
    if isinstance(declared, AnnotationName):
        return declared.name
    ctx.refuse("ASC-JIT-56", node, name=node.arg)


def _annotated(unit: Unit, annotation: ast.expr | None) -> Any:
    """The value of `asc.GlobalAddress` or a name; None for anything else."""
    try:
        if isinstance(annotation, ast.Attribute):
            owner = _annotated(unit, annotation.value)
            is_facade = getattr(owner, "__asc_facade__", False) is True
            return getattr(owner, annotation.attr, None) if is_facade else None
        is_name = isinstance(annotation, ast.Name)
        return unit.resolve(annotation.id) if is_name else None  # type: ignore[union-attr]
    except (KeyError, NotAllowed):
        return None


def _from_text(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return ast.Constant(None)
