"""Objects of the language: constructors, methods, attributes and slices.

Objects are compile-time things whose methods issue queue calls, scalar accesses or
nothing at all (`set_global_buffer`, `get_size`, slices only compute addresses).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from npusim.lang.calls import bind, evaluate_arguments
from npusim.lang.context import Context
from npusim.lang.operands import element, tensor_of
from npusim.lang.program import Const, Expr, Issue, Record, Reg, Resource, Tensor
from npusim.lang.scalars import arithmetic, convert, extreme
from npusim.lang.signatures import CONSTRUCTORS, METHODS
from npusim.lang.spelling import unknown_member
from npusim.lang.types import DType, TPosition
from npusim.lang.values import (
    UNBOUNDED,
    Allocator,
    GlobalObject,
    Method,
    Pointer,
    is_expression,
    is_number,
    kind_of,
)
from npusim.lang.variables import assign

Operands = dict[str, Any]


def offset(ctx: Context, base: Expr, count: Any, dtype: DType, node: ast.AST) -> Any:
    """`base` plus `count` elements, in bytes."""
    count = convert(ctx, count, "int", node)
    nbytes = arithmetic(ctx, "*", count, Const(dtype.itemsize, "int"), node)
    return arithmetic(ctx, "+", base, nbytes, node)


# ------------------------------------------------------------------- constructors
def construct(ctx: Context, name: str, node: ast.Call) -> Any:
    """`asc.TQue(…)` and the like."""
    hint, ctx.hint = ctx.hint or name, ""
    arguments = evaluate_arguments(ctx, node)
    _, operands = bind(ctx, CONSTRUCTORS[name], arguments, node)
    return _CONSTRUCT[name](ctx, hint, operands, node)


def _global_tensor(ctx: Context, name: str, operands: Operands, node: ast.Call) -> Any:
    return GlobalObject(ctx.serial(node), name)


def _local_tensor(ctx: Context, name: str, operands: Operands, node: ast.Call) -> Any:
    position = _in_ub(ctx, "LocalTensor", operands["position"], node)
    address, size = operands["addr"], operands["size"]
    made = Tensor(operands["dtype"], position, address, size, name)
    tensor = ctx.stable(made, node)
    ctx.emitter.emit(Issue("local_tensor", "", {"tensor": tensor}, ctx.where(node)))
    return tensor


def _resource(ctx: Context, name: str, operands: Operands, node: ast.Call) -> Any:
    kind = _called_name(node)
    if ctx.regions:
        ctx.refuse("ASC-JIT-52", node, name=kind)
    position = operands.get("position")
    if position is not None:
        _in_ub(ctx, kind, position, node)
    made = Resource(
        index=len(ctx.emitter.resources),
        kind=kind,
        name=name,
        where=ctx.where(node),
        position=position,
        depth=operands.get("depth", 0),
    )
    ctx.emitter.resources.append(made)
    return made


def _in_ub(ctx: Context, kind: str, position: TPosition, node: ast.AST) -> TPosition:
    """The position, if it lies in UB: GM is none of a core's, L1 and L0 come later."""
    if position is TPosition.GM:
        expected = "VECIN / VECOUT / VECCALC"
        ctx.refuse("ASC-JIT-12", node, expected=expected, found=position.name)
    if position.memory != "UB":
        ctx.refuse("ASC-JIT-07", node, name=f"{kind} {position.name}")
    return position


def _called_name(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id  # type: ignore[attr-defined]


def _allocator(ctx: Context, name: str, operands: Operands, node: ast.Call) -> Any:
    if ctx.regions:
        ctx.refuse("ASC-JIT-52", node, name="LocalMemAllocator")
    made = Allocator(ctx.serial(node), name)
    ctx.store[made.key] = Const(0, "int")  # type: ignore[index]
    return made


_CONSTRUCT: dict[str, Callable[[Context, str, Operands, ast.Call], Any]] = {
    "GlobalTensor": _global_tensor,
    "LocalTensor": _local_tensor,
    "TPipe": _resource,
    "TQue": _resource,
    "TBuf": _resource,
    "LocalMemAllocator": _allocator,
}


# ------------------------------------------------------------------------ methods
def call_method(ctx: Context, method: Method, node: ast.Call) -> Any:
    """`owner.name(…)`."""
    hint, ctx.hint = ctx.hint, ""
    key = f"{_family(method)}.{method.name}"
    arguments = evaluate_arguments(ctx, node)
    form, operands = bind(ctx, METHODS[key], arguments, node)
    if key in _NAMED:
        return _NAMED[key](ctx, method, hint, operands, node)
    return _METHODS[key](ctx, method.owner, operands, node)


def _family(method: Method) -> str:
    kind = kind_of(method.owner)
    if kind in ("GlobalTensor", "LocalTensor"):
        return kind if f"{kind}.{method.name}" in METHODS else "tensor"
    return kind


def _set_global_buffer(
    ctx: Context, owner: GlobalObject, operands: Operands, node: ast.Call
) -> None:
    pointer: Pointer = operands["buffer"]
    dtype = operands.get("dtype", pointer.dtype)
    length = operands.get("length", Const(UNBOUNDED // dtype.itemsize, "int"))
    view = Tensor(dtype, TPosition.GM, pointer.address, length, owner.name)
    assign(ctx, owner.key, view, node, owner.name)


def _receiver(node: ast.Call) -> ast.AST:
    """The node of `t` in `t.method(…)`."""
    return node.func.value if isinstance(node.func, ast.Attribute) else node


def _get_value(ctx: Context, owner: Any, operands: Operands, node: ast.Call) -> Reg:
    tensor = tensor_of(ctx, owner, _receiver(node))
    register = ctx.emitter.register()
    used = {"tensor": tensor, "index": operands["index"]}
    where = ctx.where(node)
    ctx.emitter.emit(Issue("get_value", "", used, where, (register,)))
    if tensor.dtype.kind == "u":
        ctx.emitter.unsigned[register] = tensor.dtype.name
    return Reg(register, "float" if tensor.dtype.is_float else "int")


def _set_value(ctx: Context, owner: Any, operands: Operands, node: ast.Call) -> None:
    tensor = tensor_of(ctx, owner, _receiver(node))
    value = operands["value"]
    if is_expression(value) and value.type == "stamp":
        if tensor.position is not TPosition.GM or tensor.dtype.is_float:
            ctx.refuse("ASC-JIT-71", node, reason="store")
    else:
        value = element(ctx, value, tensor.dtype, node)
    used = {"tensor": tensor, "index": operands["index"], "value": value}
    ctx.emitter.emit(Issue("set_value", "", used, ctx.where(node)))


def _get_size(ctx: Context, owner: Any, operands: Operands, node: ast.Call) -> Any:
    tensor = tensor_of(ctx, owner, _receiver(node))
    size = tensor.size
    if isinstance(size, Const) and size.value == UNBOUNDED // tensor.dtype.itemsize:
        ctx.refuse("ASC-JIT-64", node, name=tensor.name)
    return size.value if isinstance(size, Const) else size


def _init_buffer(ctx: Context, owner: Any, operands: Operands, node: ast.Call) -> None:
    used = {"pipe": owner, **operands}
    ctx.emitter.emit(Issue("init_buffer", "", used, ctx.where(node)))


def _give(name: str) -> Callable[[Context, Any, Operands, ast.Call], None]:
    def call(ctx: Context, owner: Any, operands: Operands, node: ast.Call) -> None:
        used = {"queue": owner, "tensor": operands["tensor"]}
        ctx.emitter.emit(Issue(name, "", used, ctx.where(node)))

    return call


def _reinterpret_cast(
    ctx: Context, owner: Tensor, operands: Operands, node: ast.Call
) -> Tensor:
    """The same bytes as elements of another dtype."""
    dtype: DType = operands["dtype"]
    itemsize = Const(owner.dtype.itemsize, "int")
    nbytes = arithmetic(ctx, "*", owner.size, itemsize, node)
    size = arithmetic(ctx, "//", nbytes, Const(dtype.itemsize, "int"), node)
    return Tensor(dtype, owner.position, owner.address, size, owner.name)


def _set_hint(ctx: Context, owner: Any, operands: Operands, node: ast.Call) -> None:
    tensor = tensor_of(ctx, owner, _receiver(node))
    used = {"tensor": tensor, "mode": operands["mode"]}
    ctx.emitter.emit(Issue("set_l2_cache_hint", "", used, ctx.where(node)))


def _current_address(
    ctx: Context, owner: Allocator, operands: Operands, node: ast.Call
) -> Any:
    assert ctx.store is not None
    address = ctx.store[owner.key]
    return address.value if isinstance(address, Const) else address


def _sizeof(ctx: Context, owner: DType, operands: Operands, node: ast.Call) -> int:
    return owner.itemsize


_METHODS: dict[str, Callable[[Context, Any, Operands, ast.Call], Any]] = {
    "GlobalTensor.set_global_buffer": _set_global_buffer,
    "tensor.get_value": _get_value,
    "tensor.set_value": _set_value,
    "tensor.get_size": _get_size,
    "GlobalTensor.set_l2_cache_hint": _set_hint,
    "LocalMemAllocator.get_cur_addr": _current_address,
    "TPipe.init_buffer": _init_buffer,
    "TQue.enque": _give("enque"),
    "TQue.free_tensor": _give("free_tensor"),
    "LocalTensor.reinterpret_cast": _reinterpret_cast,
    "dtype.sizeof": _sizeof,
}


def _take(
    ctx: Context, method: Method, hint: str, operands: Operands, node: ast.Call
) -> Tensor:
    """alloc_tensor, deque and get: a tensor whose address the machine knows."""
    owner: Resource = method.owner
    role = "buffer" if owner.kind == "TBuf" else "queue"
    results = (ctx.emitter.register(), ctx.emitter.register())
    used = {role: owner, **operands}
    ctx.emitter.emit(Issue(method.name, "", used, ctx.where(node), results))
    address, size = (Reg(r, "int") for r in results)
    position = owner.position or TPosition.VECCALC
    return Tensor(operands["dtype"], position, address, size, hint or owner.name)


def _alloc(
    ctx: Context, method: Method, hint: str, operands: Operands, node: ast.Call
) -> Tensor:
    """The next free data blocks of an allocator."""
    owner: Allocator = method.owner
    if ctx.regions:
        ctx.refuse("ASC-JIT-52", node, name=f"{owner.name}.alloc")
    assert ctx.store is not None
    position = _in_ub(ctx, "LocalTensor", operands["position"], node)
    dtype, size, start = operands["dtype"], operands["size"], ctx.store[owner.key]
    made = Tensor(dtype, position, start, size, hint or owner.name)
    tensor = ctx.stable(made, node)
    ctx.emitter.emit(Issue("local_tensor", "", {"tensor": tensor}, ctx.where(node)))
    end = offset(ctx, tensor.address, tensor.size, dtype, node)
    ctx.store[owner.key] = ctx.stable(_rounded_up(ctx, end, node), node)
    return tensor


def _rounded_up(ctx: Context, address: Expr, node: ast.AST) -> Expr:
    """The next data block: 32 B."""
    if isinstance(address, Const):
        return Const((address.value + 31) & -32, "int")  # type: ignore[operator]
    last = arithmetic(ctx, "+", address, Const(31, "int"), node)
    return arithmetic(ctx, "&", last, Const(-32, "int"), node)


_NAMED: dict[str, Callable[[Context, Method, str, Operands, ast.Call], Tensor]] = {
    "TQue.alloc_tensor": _take,
    "TQue.deque": _take,
    "TBuf.get": _take,
    "LocalMemAllocator.alloc": _alloc,
}


# ----------------------------------------------------------- attributes and slices
LATER_METHODS = frozenset({"reset"})


def attribute(ctx: Context, owner: Any, name: str, node: ast.Attribute) -> Any:
    """`owner.name` of an object of the language."""
    kind = kind_of(owner)
    if name == "dtype" and isinstance(owner, (Tensor, GlobalObject, Pointer)):
        typed = owner if isinstance(owner, Pointer) else tensor_of(ctx, owner, node)
        return typed.dtype
    if isinstance(owner, Record) and name in owner.fields:
        return owner.fields[name]
    method = Method(owner, name)
    is_view = isinstance(owner, Tensor) and name == "set_global_buffer"
    if f"{_family(method)}.{name}" in METHODS and not is_view:
        return method
    if name in LATER_METHODS:
        ctx.refuse("ASC-JIT-07", node, name=name)
    ctx.refuse("ASC-JIT-06", node, **unknown_member(name, kind, _members(owner)))


def _members(owner: Any) -> list[str]:
    """What `owner.` may be followed by."""
    kind = kind_of(owner)
    families = {kind, "tensor"} if isinstance(owner, (Tensor, GlobalObject)) else {kind}
    pairs = (key.split(".") for key in METHODS)
    fields = list(owner.fields) if isinstance(owner, Record) else []
    return fields + [name for family, name in pairs if family in families]


def sub_tensor(ctx: Context, owner: Any, node: ast.Subscript) -> Tensor:
    """`t[i]`, `t[i:]` and `t[i:j]`: the same elements, from further on."""
    tensor = tensor_of(ctx, owner, node.value)
    index = node.slice
    if not isinstance(index, ast.Slice):
        return _from(ctx, tensor, _index(ctx, index), node)
    if index.step is not None:
        ctx.refuse("ASC-JIT-44", index.step)
    start = Const(0, "int") if index.lower is None else _index(ctx, index.lower)
    if index.upper is not None:
        pair: list[Any] = [tensor.size, _index(ctx, index.upper)]
        pair = [p.value if isinstance(p, Const) else p for p in pair]
        size = convert(ctx, extreme(ctx, "min", pair, node), "int", node)
        tensor = Tensor(
            tensor.dtype, tensor.position, tensor.address, size, tensor.name
        )
    return _from(ctx, tensor, start, node)


def _index(ctx: Context, node: ast.expr) -> Expr:
    value = ctx.evaluate(node)
    if isinstance(value, (Tensor, GlobalObject)):
        ctx.refuse("ASC-JIT-40", node, name=value.name)
    if is_number(value) and value < 0:
        ctx.refuse("ASC-JIT-41", node, value=value)
    return convert(ctx, value, "int", node)


def _from(ctx: Context, tensor: Tensor, start: Expr, node: ast.AST) -> Tensor:
    dtype = tensor.dtype
    address = offset(ctx, tensor.address, start, dtype, node)
    size = arithmetic(ctx, "-", tensor.size, start, node)
    return Tensor(dtype, tensor.position, address, size, tensor.name)
