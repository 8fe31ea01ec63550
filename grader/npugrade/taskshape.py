"""Expressions over the named dimensions of a task: shapes, limits, bytes.

`"rows"`, `"2 * cols"`, `"ceil(cols, 32) * rows"`: names, whole numbers, `+ - * //`,
`min`, `max` and `ceil(a, b)` (a divided by b, rounded up). Parsed with Python's own
grammar and evaluated over integers; nothing is run as code.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator

from npugrade.taskwords import fault

_OPERATORS: Mapping[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}
FUNCTIONS: Mapping[str, Callable[..., int]] = {
    "min": min,
    "max": max,
    "ceil": lambda a, b: -(-a // b),
}
_ALLOWED = "rows, 32, + - * //, min(a, b), max(a, b), ceil(a, b)"


def evaluate(text: str, names: Mapping[str, int]) -> int:
    """The value of an expression; KeyError for a name that `names` has not."""
    return _value(ast.parse(text, mode="eval").body, names)


def names_of(text: str) -> set[str]:
    """The dimensions that an expression reads."""
    tree = ast.parse(text, mode="eval")
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} - set(FUNCTIONS)


def _value(node: ast.expr, names: Mapping[str, int]) -> int:
    return _NODES[type(node)](node, names)


def _name(node: ast.expr, names: Mapping[str, int]) -> int:
    assert isinstance(node, ast.Name)
    return names[node.id]


def _number(node: ast.expr, names: Mapping[str, int]) -> int:
    assert isinstance(node, ast.Constant)
    return int(node.value)  # type: ignore[arg-type]


def _binary(node: ast.expr, names: Mapping[str, int]) -> int:
    assert isinstance(node, ast.BinOp)
    apply = _OPERATORS[type(node.op)]
    return apply(_value(node.left, names), _value(node.right, names))


def _call(node: ast.expr, names: Mapping[str, int]) -> int:
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return FUNCTIONS[node.func.id](*(_value(a, names) for a in node.args))


_NODES: Mapping[type, Callable[[Any, Mapping[str, int]], int]] = {
    ast.Name: _name,
    ast.Constant: _number,
    ast.BinOp: _binary,
    ast.Call: _call,
}


# -------------------------------------------------------------------------- checking
def _is_allowed(node: ast.AST) -> bool:
    if isinstance(node, ast.Name):
        return True
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    if isinstance(node, ast.BinOp):
        return type(node.op) in _OPERATORS and _all((node.left, node.right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        counted = len(node.args) == 2 or (node.func.id != "ceil" and node.args)
        known = node.func.id in FUNCTIONS and not node.keywords
        return bool(known and counted and _all(node.args))
    return False


def _all(nodes: Any) -> bool:
    return all(_is_allowed(node) for node in nodes)


def _checked(text: str) -> str:
    try:
        good = _is_allowed(ast.parse(text, mode="eval").body)
    except SyntaxError:
        good = False
    if not good:
        raise fault("expression", text=text, allowed=_ALLOWED)
    return text


def _as_text(value: Any) -> Any:
    return str(value) if type(value) is int else value


Expression = Annotated[str, BeforeValidator(_as_text), AfterValidator(_checked)]
