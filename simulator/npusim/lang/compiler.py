"""`compile_source`: text, names and argument types in, a typed Program out.

Passes are repeated until every variable that needs registers is known (context.py).
All failures are KernelError with one located diagnostic; no Python error leaves here.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Mapping
from typing import Any

from npusim.diagnostic import Diagnostic, Fault, KernelError, Location
from npusim.lang.collector import collector_paused
from npusim.lang.context import Budget, Context, Frame, Restart, Tables
from npusim.lang.emitter import Label
from npusim.lang.expressions import EXPRESSIONS
from npusim.lang.free import is_kernel
from npusim.lang.inline import parameters_of, run_body
from npusim.lang.names import AnnotationName, BufferArgument, Constexpr
from npusim.lang.program import End, Param, Program, Record, Reg
from npusim.lang.refusals import check_unit
from npusim.lang.source import MAX_DEPTH, parse
from npusim.lang.statements import STATEMENTS
from npusim.lang.tiling import TilingType
from npusim.lang.unit import NotAllowed, Unit, admit
from npusim.lang.values import Pointer
from npusim.lang.variables import SCALAR_TYPES, assign

ArgumentType = BufferArgument | Constexpr | TilingType | str
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
        with collector_paused():
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
        parameter
        for node in parameters_of(unit.function)
        for parameter in _parameter(ctx, node, arguments)
    )
    ctx.inputs = {p.register: p.name for p in parameters}
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
) -> tuple[Param, ...]:
    """Bind one parameter of the kernel; its run-time values: one, or one a field."""
    name, kind = node.arg, _annotation(ctx, node)
    given = arguments.get(name)
    if isinstance(kind, TilingType) and isinstance(given, TilingType):
        _check_tiling(ctx, node, kind, given)
    elif _kind_of_argument(given) != (_kind_of_argument(kind) or kind):
        found = _kind_of_argument(given) or "None"
        declared = getattr(kind, "name", kind)
        ctx.refuse("ASC-JIT-09", node, name=name, declared=declared, found=found)
    value, params = _value(ctx, node, given)
    assign(ctx, (ctx.frame.path, name), value, node, name)
    return params


def _check_tiling(
    ctx: Context, node: ast.arg, declared: TilingType, given: TilingType
) -> None:
    if declared != given:
        names = ", ".join(name for name, _ in given.fields)
        facts = {"declared": len(declared.fields), "passed": len(given.fields)}
        facts |= {"record": declared.name, "found": given.name, "names": names}  # type: ignore[dict-item]
        ctx.refuse("ASC-TILING-28", node, **facts, reason="class", field=node.arg)


def _value(ctx: Context, node: ast.arg, given: Any) -> tuple[Any, tuple[Param, ...]]:
    name = node.arg
    if isinstance(given, TilingType):
        return _record(ctx, name, given)
    if isinstance(given, Constexpr):
        try:
            return admit(given.value), ()
        except NotAllowed:
            found = type(given.value).__name__
            ctx.refuse("ASC-JIT-09", node, name=name, declared="constexpr", found=found)
    register = ctx.emitter.register()
    if isinstance(given, BufferArgument):
        pointer = Pointer(given.dtype, Reg(register, "int"), name)
        return pointer, (Param(name, "buffer", register, given.dtype),)
    return Reg(register, given), (Param(name, given, register),)


def _record(
    ctx: Context, name: str, given: TilingType
) -> tuple[Record, tuple[Param, ...]]:
    """A tiling record: one parameter `name.field` for each field."""
    params = tuple(
        Param(f"{name}.{field}", kind, ctx.emitter.register())
        for field, kind in given.fields
    )
    pairs = zip(given.fields, params, strict=True)
    fields = {field: Reg(p.register, p.type) for (field, _), p in pairs}
    return Record(given.name, fields), params


def _kind_of_argument(given: Any) -> str:
    if isinstance(given, BufferArgument):
        return "GlobalAddress"
    if isinstance(given, Constexpr):
        return "constexpr"
    if isinstance(given, TilingType):
        return given.name
    return str(given) if given in SCALAR_TYPES else ""


def _annotation(ctx: Context, node: ast.arg) -> str | TilingType:
    """What the parameter is declared as: a scalar type or a name of the language."""
    annotation = node.annotation
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = _from_text(annotation.value)  # a quoted annotation
    if isinstance(annotation, ast.Name) and annotation.id in SCALAR_TYPES:
        return annotation.id
    declared = _annotated(ctx.frame.unit, annotation)
    if isinstance(declared, AnnotationName):
        return declared.name
    if isinstance(declared, TilingType):
        return declared
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
