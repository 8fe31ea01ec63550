"""Free names of kernels: what a kernel reads from its surroundings.

Works on plain text, transitively over the helper kernels that the text defines. The
judge uses it to see which constants must travel with a launch.
"""

from __future__ import annotations

import ast
from functools import lru_cache

from npusim.diagnostic import Fault, KernelError
from npusim.lang.source import SourceText, parse

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
        for found in function_free_names(source, function):
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


def function_free_names(source: SourceText, function: ast.FunctionDef) -> set[str]:
    """Names that the body and the annotations load and the body never binds."""
    annotations = [a.annotation for a in function.args.args if a.annotation]
    parts = (*function.body, *annotations, *function.args.defaults)
    read = {name for part in parts for name in source.tree.read_in(part)}
    return read - local_names(source, function)


def local_names(source: SourceText, function: ast.FunctionDef) -> frozenset[str]:
    """Parameters and names that the body binds."""
    a = function.args
    extra = [x for x in (a.vararg, a.kwarg) if x is not None]
    parameters = {p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs, *extra)}
    return source.tree.bound_in(function.body) | parameters
