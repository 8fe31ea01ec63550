"""The check before compiling: Python that is refused, and names that mean nothing.

It looks at every node of a kernel and of its helpers, also in branches that are not
taken, and reports the first finding in the order of the source.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from typing import Any

from npusim.diagnostic import Diagnostic, Fault, Location
from npusim.lang.free import ANNOTATIONS, BUILTINS
from npusim.lang.spelling import unknown_member, unknown_name
from npusim.lang.unit import NotAllowed, Unit

REFUSED: dict[type, tuple[str, str]] = {
    ast.ClassDef: ("ASC-JIT-20", "class"),
    ast.FunctionDef: ("ASC-JIT-21", "def"),
    ast.AsyncFunctionDef: ("ASC-JIT-30", "async def"),
    ast.Lambda: ("ASC-JIT-22", "lambda"),
    ast.ListComp: ("ASC-JIT-23", "… for … in …"),
    ast.SetComp: ("ASC-JIT-23", "… for … in …"),
    ast.DictComp: ("ASC-JIT-23", "… for … in …"),
    ast.GeneratorExp: ("ASC-JIT-23", "… for … in …"),
    ast.Try: ("ASC-JIT-24", "try"),
    ast.TryStar: ("ASC-JIT-24", "try"),
    ast.Raise: ("ASC-JIT-25", "raise"),
    ast.With: ("ASC-JIT-26", "with"),
    ast.Import: ("ASC-JIT-27", "import"),
    ast.ImportFrom: ("ASC-JIT-27", "import"),
    ast.Global: ("ASC-JIT-28", "global"),
    ast.Nonlocal: ("ASC-JIT-28", "nonlocal"),
    ast.Delete: ("ASC-JIT-29", "del"),
    ast.AsyncFor: ("ASC-JIT-30", "async for"),
    ast.AsyncWith: ("ASC-JIT-30", "async with"),
    ast.Await: ("ASC-JIT-30", "await"),
    ast.Yield: ("ASC-JIT-31", "yield"),
    ast.YieldFrom: ("ASC-JIT-31", "yield from"),
    ast.NamedExpr: ("ASC-JIT-32", ":="),
    ast.Match: ("ASC-JIT-33", "match"),
    ast.Starred: ("ASC-JIT-34", "*"),
    ast.Dict: ("ASC-JIT-35", "dict"),
    ast.Set: ("ASC-JIT-35", "set"),
}
OPERATORS: dict[type, str] = {
    ast.MatMult: "@",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_OTHER_OPERATORS = {
    "is": "a == b", "is not": "a != b",
    "in": "a == b or a == c", "not in": "a != b and a != c",
}  # fmt: skip
_LATE_NODES = {"TypeAlias": "type", "TemplateStr": 't"…"', "Interpolation": 't"…"'}
REFUSED |= {
    getattr(ast, name): ("ASC-JIT-37", word)
    for name, word in _LATE_NODES.items()
    if hasattr(ast, name)
}
INSTEAD = {
    "print": "asc.printf",
    "sum": "for",
    "bool": "x != 0",
    "round": "int(x + 0.5)",
    "pow": "x * x",
    "enumerate": "range",
    "zip": "range",
    "divmod": "// %",
}
LIBC = {
    "exp": "asc.exp", "expm1": "asc.exp, asc.adds", "pow": "asc.ln, asc.muls, asc.exp",
    "log": "asc.ln", "log2": "asc.ln, asc.muls", "log10": "asc.ln, asc.muls",
    "sqrt": "asc.sqrt", "rsqrt": "asc.rsqrt", "fabs": "asc.abs",
    "tanh": "asc.exp, asc.adds, asc.div", "sinh": "asc.exp, asc.sub, asc.muls",
    "cosh": "asc.exp, asc.add, asc.muls", "erf": "asc.mul, asc.exp, asc.div",
    "fmax": "asc.max", "fmin": "asc.min", "floor": "asc.cast", "ceil": "asc.cast",
    "round": "asc.cast", "trunc": "asc.cast", "sin": "asc.mul, asc.add",
    "cos": "asc.mul, asc.add", "atan": "asc.mul, asc.add", "isnan": "asc.compare",
    "tan": "asc.mul, asc.add, asc.div", "exp2": "asc.muls, asc.exp",
    "log1p": "asc.adds, asc.ln", "erfc": "asc.mul, asc.exp, asc.div",
    "fma": "asc.mul_add_dst", "hypot": "asc.mul, asc.add, asc.sqrt",
    "fmod": "asc.div, asc.cast, asc.mul, asc.sub", "rint": "asc.cast",
    "isinf": "asc.compare", "maximum": "asc.max", "minimum": "asc.min",
}  # fmt: skip
_MATHS_MODULES = ("math", "cmath", "np", "numpy", "torch")
Found = tuple[int, int, str, ast.AST, dict[str, Any]]


def check_unit(unit: Unit, seen: set[int] | None = None) -> None:
    """Raise Fault for the first thing that is refused in the unit or its helpers."""
    seen = set() if seen is None else seen
    if id(unit.function) in seen:
        return
    seen.add(id(unit.function))
    helpers: list[Unit] = []
    found = sorted(_findings(unit, helpers), key=lambda f: f[:2])
    if found:
        _, _, code, node, facts = found[0]
        raise Fault(Diagnostic(code, "E", unit.source.location(node), facts))
    for helper in helpers:
        check_unit(helper, seen)


def _findings(unit: Unit, helpers: list[Unit]) -> Iterator[Found]:
    pairs = list(unit.source.tree.inside(unit.function))
    for code, node, facts in (*_constructs(unit, pairs), *_names(unit, helpers, pairs)):
        line = getattr(node, "lineno", 0)
        yield line, getattr(node, "col_offset", 0), code, node, facts


Finding = tuple[str, ast.AST, dict[str, Any]]


Pairs = list[tuple[ast.AST, ast.AST]]  # parent and node


def _constructs(unit: Unit, pairs: Pairs) -> Iterator[Finding]:
    yield from _parameters(unit.function.args)
    for _, node in pairs:
        kind = type(node)
        if kind in REFUSED:
            code, word = REFUSED[kind]
            yield code, node, {"construct": word, "name": getattr(node, "name", "")}
        elif kind in _INSPECT:
            yield from _INSPECT[kind](node)
    yield from _strays(unit.function.body)


def _call(node: ast.Call) -> Iterator[Finding]:
    for keyword in node.keywords:
        if keyword.arg is None:
            yield "ASC-JIT-34", keyword.value, {"construct": "**"}


def _operator(node: ast.BinOp | ast.Compare) -> Iterator[Finding]:
    """Operators stand nowhere: a refused one is reported at its expression."""
    operators = node.ops[::-1] if isinstance(node, ast.Compare) else [node.op]
    for operator in operators:
        if type(operator) in OPERATORS:
            word = OPERATORS[type(operator)]
            other = _OTHER_OPERATORS.get(word)
            reason = {"reason": "operator", "instead": other} if other else {}
            yield "ASC-JIT-37", node, {"construct": word, "name": "", **reason}


def _parameters(arguments: ast.arguments) -> Iterator[Finding]:
    for star, word in ((arguments.vararg, "*"), (arguments.kwarg, "**")):
        if star is not None:
            yield "ASC-JIT-34", star, {"construct": word}


def _loop(node: ast.For | ast.While) -> Iterator[Finding]:
    if node.orelse:
        yield "ASC-JIT-38", node.orelse[0], {"construct": "else"}
    if isinstance(node, ast.For) and not isinstance(node.target, ast.Name):
        facts = {"target": ast.unparse(node.target)[:60], "reason": "loop"}
        yield "ASC-JIT-54", node.target, facts


def _target(node: ast.Attribute | ast.Subscript) -> Iterator[Finding]:
    if isinstance(node.ctx, ast.Store):
        yield "ASC-JIT-54", node, {"target": ast.unparse(node)[:60]}


def _constant(node: ast.Constant) -> Iterator[Finding]:
    if not isinstance(node.value, (bool, int, float, str, type(None))):
        word = "…" if node.value is Ellipsis else type(node.value).__name__
        yield "ASC-JIT-37", node, {"construct": word}


_INSPECT: dict[type, Callable[[Any], Iterator[Finding]]] = {
    ast.For: _loop,
    ast.While: _loop,
    ast.Call: _call,
    ast.BinOp: _operator,
    ast.AugAssign: _operator,
    ast.Compare: _operator,
    ast.Attribute: _target,
    ast.Subscript: _target,
    ast.Constant: _constant,
}


def _strays(body: list[ast.stmt]) -> Iterator[Finding]:
    """`break` and `continue` outside of loops."""
    for statement in body:
        if isinstance(statement, (ast.Break, ast.Continue)):
            word = type(statement).__name__.lower()
            yield "ASC-JIT-59", statement, {"construct": word}
        elif isinstance(statement, ast.If):
            yield from _strays(statement.body)
            yield from _strays(statement.orelse)


def _names(unit: Unit, helpers: list[Unit], pairs: Pairs) -> Iterator[Finding]:
    skipped = {
        id(n)
        for _, node in pairs
        if isinstance(node, ast.AnnAssign)
        for n in ast.walk(node.annotation)
    }
    for parent, node in pairs:
        finding = None
        if isinstance(node, ast.Call):
            finding = _libc(unit, node)
        elif isinstance(node, ast.Name) and id(node) not in skipped:
            is_local = node.id in unit.local_names
            finding = None if is_local else _name(unit, helpers, parent, node)
        if finding is not None:
            yield finding


def _name(
    unit: Unit, helpers: list[Unit], parent: ast.AST, node: ast.Name
) -> Finding | None:
    name = node.id
    try:
        value = unit.resolve(name)
    except KeyError:
        return _unknown(name, node)
    except NotAllowed as error:
        return str(error), node, {"name": name}
    if isinstance(value, Unit):
        helpers.append(value)
    is_facade = getattr(value, "__asc_facade__", False) is True
    if not (is_facade and isinstance(parent, ast.Attribute)):
        return None
    known = getattr(value, parent.attr, None) is not None
    return None if known else _no_member(parent, name)


def _no_member(node: ast.Attribute, owner: str) -> Finding:
    """`asc.name` that does not exist; `asc.expf` gets the cure of `expf`."""
    bare = _bare(node.attr)
    if bare is None:
        return "ASC-JIT-06", node, unknown_member(node.attr, owner)
    facts = {"name": f"{owner}.{node.attr}", "instead": LIBC[bare]}
    return "ASC-JIT-70", node, facts


def _bare(name: str) -> str | None:
    """The C function that a name means, without its suffix for float or long double."""
    if name in LIBC:
        return name
    return name[:-1] if name[-1:] in ("f", "l") and name[:-1] in LIBC else None


def _libc(unit: Unit, call: ast.Call) -> Finding | None:
    """The lint for maths of a C or Python library: `expf(x)`, `math.exp(x)`."""
    callee = call.func
    name, owner = getattr(callee, "id", ""), ""
    if isinstance(callee, ast.Attribute) and isinstance(callee.value, ast.Name):
        name, owner = callee.attr, callee.value.id
        if owner not in _MATHS_MODULES or owner in unit.local_names:
            return None
    elif not name or _is_known(unit, name):
        return None
    bare = _bare(name)
    if bare is None:
        return None
    shown = f"{owner}.{name}" if owner else name
    return "ASC-JIT-70", callee, {"name": shown, "instead": LIBC[bare]}


def _is_known(unit: Unit, name: str) -> bool:
    """Whether the name means something of the language or of Python itself."""
    if name in unit.local_names or hasattr(builtins, name):
        return True
    try:
        unit.resolve(name)
    except (KeyError, NotAllowed):
        return False
    return True


def _unknown(name: str, node: ast.Name) -> Finding | None:
    if name in BUILTINS:
        return None
    if name in ANNOTATIONS or hasattr(builtins, name):
        return "ASC-JIT-36", node, {"name": name, "instead": INSTEAD.get(name)}
    return "ASC-JIT-05", node, unknown_name(name)


__all__ = ["INSTEAD", "REFUSED", "Location", "check_unit"]
