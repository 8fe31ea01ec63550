"""Free names of kernels: what a kernel reads from its surroundings.

Works on plain text, transitively over the helper kernels that the text defines. The
judge uses it to see which constants must travel with a launch.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from npusim.diagnostic import Fault, KernelError
from npusim.lang.source import parse

BUILTINS = frozenset({"range", "min", "max", "abs", "int", "float", "len"})
ANNOTATIONS = frozenset({"int", "float", "bool"})


def free_names(text: str, entry: str) -> tuple[str, ...]:
    """Names that the kernel `entry` of `text` and its helpers read, sorted.

    Builtins of the language are not counted, nor helpers and tiling classes that `text`
    defines. Raises
    KernelError for text that does not parse.
    """
    try:
        return _free_names(text, entry)
    except Fault as fault:
        raise KernelError((fault.diagnostic,)) from None


@lru_cache(maxsize=256)
def _free_names(text: str, entry: str) -> tuple[str, ...]:
    source = parse(text, "<text>")
    seen: set[str] = set()
    free: set[str] = set()
    todo = [entry]
    while todo:
        name = todo.pop()
        function = source.functions.get(name)
        if function is None or name in seen:
            continue
        seen.add(name)
        for found in function_free_names(function):
            helper = source.functions.get(found)
            if found in source.tilings:
                continue
            inner = helper is not None and is_kernel(helper)
            (todo.append if inner else free.add)(found)
    return tuple(sorted(free - BUILTINS - ANNOTATIONS))


def is_kernel(function: ast.FunctionDef) -> bool:
    """Whether the function carries `@…jit`."""
    return any(_last_name(d) == "jit" for d in function.decorator_list)


def _last_name(node: ast.AST) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def function_free_names(function: ast.FunctionDef) -> set[str]:
    """Names that the body and the annotations load and the body never binds."""
    bound = parameter_names(function) | assigned_names(function.body)
    return {n.id for n in loads(function) if n.id not in bound}


def parameter_names(function: ast.FunctionDef) -> set[str]:
    a = function.args
    extra = [x for x in (a.vararg, a.kwarg) if x is not None]
    return {p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs, *extra)}


def assigned_names(body: list[ast.stmt]) -> frozenset[str]:
    """Names that the statements bind anywhere in them."""
    return _assigned(tuple(body))


@lru_cache(maxsize=1024)
def _assigned(body: tuple[ast.stmt, ...]) -> frozenset[str]:
    """Kept by the statements themselves: a loop's body is asked for at each pass."""
    nodes = (n for statement in body for n in ast.walk(statement))
    return frozenset(
        n.id
        for n in nodes
        if isinstance(n, ast.Name) and isinstance(n.ctx, (ast.Store, ast.Del))
    )


def loads(function: ast.FunctionDef) -> Iterator[ast.Name]:
    """Every name the function reads: body, defaults and annotations."""
    annotations = [a.annotation for a in function.args.args if a.annotation]
    defaults = [d for d in function.args.defaults if d is not None]
    for part in (*function.body, *annotations, *defaults):
        for node in ast.walk(part):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                yield node
