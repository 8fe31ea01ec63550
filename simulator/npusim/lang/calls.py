"""Calls of instructions: choose the form, bind and convert arguments, check dtypes.

The result is one `Issue` whose operands carry the documented parameter names.
"""

from __future__ import annotations

import ast
from typing import Any

from npusim.lang.context import Context
from npusim.lang.operands import KINDS, Argument, element, wrong
from npusim.lang.program import Const, Expr, Issue, Record, Reg, System, Tensor
from npusim.lang.signatures import ATOMIC, SIGNATURES, Form, Signature
from npusim.lang.spelling import SCALAR_CALLS
from npusim.lang.types import TPosition
from npusim.lang.values import is_scalar, kind_of
from npusim.lang.vector_checks import CHECKS

Arguments = tuple[list[Argument], dict[str, Argument]]


def evaluate_arguments(ctx: Context, node: ast.Call) -> Arguments:
    """Positional and keyword arguments, evaluated from left to right."""
    positional = [Argument(ctx.evaluate(a), a) for a in node.args]
    keywords: dict[str, Argument] = {}
    for keyword in node.keywords:
        assert keyword.arg is not None  # **kwargs is refused by the check
        keywords[keyword.arg] = Argument(ctx.evaluate(keyword.value), keyword.value)
    return positional, keywords


def bind(
    ctx: Context, signature: Signature, arguments: Arguments, node: ast.Call
) -> tuple[Form, dict[str, Any]]:
    """The form that the call means, and its converted operands by name."""
    form, bound = _select(ctx, signature, arguments, node)
    if form.later:
        ctx.refuse("ASC-JIT-07", node, name=f"{signature.name}({form.name})")
    kinds = form.kinds
    _refuse_numbers(ctx, signature, bound)
    return form, {n: KINDS[kinds[n]](ctx, a) for n, a in bound.items()}


def _refuse_numbers(
    ctx: Context, signature: Signature, bound: dict[str, Argument]
) -> None:
    """A number in the place of a tensor: name the instruction that takes one."""
    for name, argument in bound.items():
        instead = SCALAR_CALLS.get((signature.name, name))
        if instead and is_scalar(argument.value):
            facts = {"reason": "scalar", "instead": f"asc.{instead}"}
            wrong(ctx, argument, "tensor", **facts)


def _select(
    ctx: Context, signature: Signature, arguments: Arguments, node: ast.Call
) -> tuple[Form, dict[str, Argument]]:
    matches = []
    for form in signature.forms:
        bound = _match(form, arguments)
        if bound is not None:
            matches.append((form, bound))
    is_only = len(signature.forms) == 1
    if not matches or not is_only and _misses(signature, arguments, matches):
        _explain(ctx, signature, arguments, node)
    if len(matches) == 1:
        return matches[0]
    return next((m for m in matches if _suits(*m)), matches[0])


def _misses(
    signature: Signature,
    arguments: Arguments,
    matches: list[tuple[Form, dict[str, Argument]]],
) -> bool:
    """Whether the first argument means a form that the others do not fit."""
    positional, keywords = arguments
    first = positional[0] if positional else next(iter(keywords.values()), None)
    word = None if first is None else kind_of(first.value)
    forms = [form for form in signature.forms if form.parameters]
    meant = [form for form in forms if form.parameters[0].kind == word != "int"]
    return bool(meant) and not any(form in meant for form, _ in matches)


def _match(form: Form, arguments: Arguments) -> dict[str, Argument] | None:
    """Arguments by parameter name, or None where names or numbers do not fit."""
    positional, keywords = arguments
    names = form.names
    if len(positional) > len(names):
        return None
    bound = dict(zip(names, positional, strict=False))
    if keywords:
        if any(k not in names or k in bound for k in keywords):
            return None
        bound |= keywords
        bound = {n: bound[n] for n in names if n in bound}
    return bound if form.required <= bound.keys() else None


def _suits(form: Form, bound: dict[str, Argument]) -> bool:
    """Whether the records and resources are where this form has them."""
    for parameter in form.parameters:
        argument = bound.get(parameter.name)
        wanted = parameter.kind[:1].isupper()
        if argument is not None and wanted != _is_object(argument.value):
            return False
        if argument is not None and wanted and parameter.kind in ("TQue", "TBuf"):
            return kind_of(argument.value) == parameter.kind
    return True


def _is_object(value: Any) -> bool:
    word = kind_of(value)
    return isinstance(value, Record) or word in KINDS and word[:1].isupper()


def _explain(
    ctx: Context, signature: Signature, arguments: Arguments, node: ast.Call
) -> None:
    positional, keywords = arguments
    names = {p.name for f in signature.forms for p in f.parameters}
    usage = " / ".join(f.usage(signature.name) for f in signature.forms if not f.later)
    for name, argument in keywords.items():
        if name not in names:
            ctx.refuse("ASC-JIT-11", argument.node, keyword=name, usage=usage)
    given = len(positional) + len(keywords)
    facts = {"name": signature.name, "given": given, "usage": usage}
    ctx.refuse("ASC-JIT-10", node, **facts)


def call_instruction(ctx: Context, name: str, node: ast.Call) -> Any:
    """A free function of the language: an Issue, or a system value."""
    signature = SIGNATURES[name]
    arguments = evaluate_arguments(ctx, node)
    form, operands = bind(ctx, signature, arguments, node)
    if name in SYSTEM_VALUES:
        return SYSTEM_VALUES[name]
    if name == "get_system_cycle":
        register = ctx.emitter.register()
        ctx.emitter.emit(Issue(name, "", {}, ctx.where(node), (register,)))
        return Reg(register, "stamp")
    if name in _ATOMIC and operands["dtype"].name not in ATOMIC:
        facts = {"name": name, "dtype": operands["dtype"].name}
        ctx.refuse("ASC-JIT-13", node, **facts, dtypes=", ".join(ATOMIC))
    _check_tensors(ctx, signature, operands, node)
    if isinstance(operands.get("dst"), Tensor):
        _convert_elements(ctx, signature, form, operands, node)
    results = (ctx.emitter.register(),) if name in COUNTING else ()
    ctx.emitter.emit(Issue(name, form.name, operands, ctx.where(node), results))
    return Reg(results[0], "int") if results else None


COUNTING = frozenset({"gather_mask"})  # instructions whose value is a number


SYSTEM_VALUES: dict[str, Expr] = {
    "get_block_idx": System("block_idx"),
    "get_block_num": System("block_num"),
    "get_sub_block_idx": Const(0, "int"),  # kernels for vector cores only
    "get_task_ratio": Const(1, "int"),
}
_ATOMIC = ("set_atomic_add", "set_atomic_max", "set_atomic_min")


def _check_tensors(
    ctx: Context, signature: Signature, operands: dict[str, Any], node: ast.AST
) -> None:
    tensors = {n: v for n, v in operands.items() if isinstance(v, Tensor)}
    if signature.name in CHECKS:
        CHECKS[signature.name](ctx, operands, node)
    for name, tensor in tensors.items():
        allowed = signature.roles.get(name, signature.dtypes)
        if allowed and tensor.dtype.name not in allowed:
            facts = {"name": signature.name, "dtype": tensor.dtype.name}
            dtypes = ", ".join(allowed)
            ctx.refuse("ASC-JIT-13", node, **facts, dtypes=dtypes)
    _check_equal(ctx, signature, tensors, node)
    if signature.vector:
        _check_vector(ctx, signature, tensors, node)
    elif "src" in tensors:
        _check_path(ctx, signature, tensors["dst"], tensors["src"], node)


def _check_equal(
    ctx: Context, signature: Signature, tensors: dict[str, Tensor], node: ast.AST
) -> None:
    shared = {n: t.dtype.name for n, t in tensors.items() if n not in signature.roles}
    sources = {dtype for name, dtype in shared.items() if name != "dst"}
    dst = shared.get("dst")
    is_pair = len(sources) == 1 and (dst, *sources) in signature.pairs
    if len(set(shared.values())) > 1 and not is_pair:
        listed = [f"{n} {dtype}" for n, dtype in shared.items()]
        ctx.refuse("ASC-JIT-14", node, name=signature.name, operands=listed)


def _check_vector(
    ctx: Context, signature: Signature, tensors: dict[str, Tensor], node: ast.AST
) -> None:
    for tensor in tensors.values():
        if tensor.position is TPosition.GM:
            facts = {"operation": signature.name, "buffer": tensor.name}
            ctx.refuse("ASC-PATH-07", node, **facts, source="GM", target="V")


_PATHS = {
    "data_copy": {("GM", "UB"), ("UB", "GM"), ("UB", "UB")},
    "data_copy_pad": {("GM", "UB"), ("UB", "GM")},
}


def _check_path(
    ctx: Context, signature: Signature, dst: Tensor, src: Tensor, node: ast.AST
) -> None:
    path = (src.position.memory, dst.position.memory)
    if path in _PATHS[signature.name]:
        return
    if set(path) <= {"GM", "UB"}:
        facts = {"operation": signature.name, "buffer": src.name}
        ctx.refuse("ASC-PATH-07", node, **facts, source=path[0], target=path[1])
    ctx.refuse("ASC-JIT-07", node, name=f"{signature.name} {path[0]}→{path[1]}")


def _convert_elements(
    ctx: Context,
    signature: Signature,
    form: Form,
    operands: dict[str, Any],
    node: ast.Call,
) -> None:
    dtype = operands[signature.scalar_of].dtype
    for parameter in form.parameters:
        value = operands.get(parameter.name)
        is_value = parameter.kind in ("value", "tensor_or_value")
        if is_value and not isinstance(value, Tensor):
            operands[parameter.name] = element(ctx, value, dtype, node)
    padding = operands.get("pad_params")
    if padding is not None:
        value = element(ctx, padding.fields["padding_value"], dtype, node)
        fields = {**padding.fields, "padding_value": value}
        operands["pad_params"] = Record(padding.type, fields)


def make_record(ctx: Context, signature: Signature, node: ast.Call) -> Record:
    """A parameter object; missing fields have their defaults (0 if none is named)."""
    arguments = evaluate_arguments(ctx, node)
    form, given = bind(ctx, signature, arguments, node)
    named = zip(form.parameters, signature.forms[0].parameters, strict=True)
    filled = {
        field.name: given.get(parameter.name, Const(field.default or 0, "int"))  # type: ignore[arg-type]
        for parameter, field in named
    }
    return Record(signature.name, filled)
