"""Binding of host arguments to kernel parameters.

The annotation decides what a parameter is: `asc.GlobalAddress` takes a numpy array or a
device tensor, `int`, `float`, `bool` a number, `asc.constexpr` a compile-time constant.
Everything that does not fit is refused before anything runs, with the cure.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from npusim.diagnostic import Diagnostic, Fault, KernelError
from npusim.lang import KernelSource
from npusim.lang.source import parse
from npusim.lang.tiling import HostRecord, TilingType, type_of
from npusim.lang.types import dtype_of
from npusim.launch.device import DeviceTensor, argument_error

REQUIRED = object()
INT_MIN, INT_MAX = -(1 << 63), (1 << 63) - 1


@dataclass(frozen=True)
class Parameter:
    """`kind`: GlobalAddress, int, float, bool, constexpr, tiling, or ""."""

    name: str
    kind: str
    default: Any = REQUIRED


def parameters_of(source: KernelSource) -> tuple[Parameter, ...]:
    """The parameters of a kernel in order, read from its text."""
    try:
        function = parse(source.text, source.filename).functions[source.name]
    except Fault as fault:
        raise KernelError((fault.diagnostic,)) from None
    except KeyError:
        return ()
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    gap = len(positional) - len(arguments.defaults)
    defaults = [*[None] * gap, *arguments.defaults, *arguments.kw_defaults]
    return tuple(
        Parameter(a.arg, _kind(a.annotation, source), _default(d, source))
        for a, d in zip([*positional, *arguments.kwonlyargs], defaults, strict=True)
    )


def _kind(annotation: ast.expr | None, source: KernelSource) -> str:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = _quoted(annotation.value)
    if isinstance(annotation, ast.Attribute):
        return annotation.attr
    if not isinstance(annotation, ast.Name):
        return ""
    if annotation.id in ("int", "float", "bool"):
        return annotation.id
    if _tiling_named(annotation.id, source) is not None:
        return "tiling"
    try:
        return getattr(source.lookup(annotation.id), "name", annotation.id)
    except KeyError:
        return annotation.id


def _quoted(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None


def _tiling_named(name: str, source: KernelSource) -> TilingType | None:
    """The tiling class of that name: around the kernel, or in its text."""
    try:
        return type_of(source.lookup(name))
    except KeyError:
        return parse(source.text, source.filename).tilings.get(name)


def record_type(parameter: str, source: KernelSource) -> TilingType | None:
    """The tiling class that the kernel declares for a parameter."""
    arguments = parse(source.text, source.filename).functions[source.name].args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    annotation = next(a.annotation for a in every if a.arg == parameter)
    name = getattr(annotation, "id", getattr(annotation, "value", ""))
    return _tiling_named(str(name), source)


def _default(node: ast.expr | None, source: KernelSource) -> Any:
    if node is None:
        return REQUIRED
    try:
        return ast.literal_eval(node)
    except ValueError:
        pass
    try:
        if isinstance(node, ast.Name):
            return source.lookup(node.id)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return getattr(source.lookup(node.value.id), node.attr)
    except (KeyError, AttributeError):
        pass
    return REQUIRED


def bind(
    kernel: str,
    parameters: Sequence[Parameter],
    arguments: Sequence[Any],
    keywords: Mapping[str, Any],
) -> dict[str, Any]:
    """Values by parameter name, checked and in the types that a program takes."""
    names = [p.name for p in parameters]
    facts = {"kernel": kernel, "signature": ", ".join(names)}
    unknown = sorted(set(keywords) - set(names))
    if unknown:
        raise _error("ASC-ARG-03b", **facts, extra=", ".join(unknown))
    given = dict(zip(names, arguments, strict=False))
    if len(arguments) > len(names) or set(given) & set(keywords):
        raise _error(
            "ASC-ARG-03c", **facts, expected=len(names),
            given=len(arguments), keywords=len(keywords),
        )  # fmt: skip
    given |= keywords
    values = {p.name: given.get(p.name, p.default) for p in parameters}
    missing = [name for name, value in values.items() if value is REQUIRED]
    if missing:
        raise _error("ASC-ARG-03", **facts, missing=", ".join(missing))
    return {p.name: _converted(p, values[p.name]) for p in parameters}


def _converted(parameter: Parameter, value: Any) -> Any:
    converter = _CONVERTERS.get(parameter.kind)
    if converter is None:  # the compiler explains an unknown annotation
        return value
    converted = converter(value)
    if converted is None:
        raise _error(
            "ASC-ARG-04", name=parameter.name,
            declared=parameter.kind or "?", got=_describe(value),
        )  # fmt: skip
    return converted


def _as_buffer(value: Any) -> Any:
    return value if isinstance(value, (np.ndarray, DeviceTensor)) else None


def _as_int(value: Any) -> int | None:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        return None
    return int(value) if INT_MIN <= int(value) <= INT_MAX else None


def _as_float(value: Any) -> float | None:
    if isinstance(value, (bool, np.bool_)):
        return None
    if not isinstance(value, (int, float, np.integer, np.floating)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    with np.errstate(over="ignore"):
        return float(np.float32(number)) if math.isfinite(number) else number


def _as_bool(value: Any) -> bool | None:
    return bool(value) if isinstance(value, (bool, np.bool_)) else None


def _as_constant(value: Any) -> Any:
    if isinstance(value, type) and issubclass(value, np.generic):
        value = np.dtype(value)
    if isinstance(value, np.dtype):
        return dtype_of(value) or value
    return value.item() if isinstance(value, np.generic) else value


def _as_record(value: Any) -> HostRecord | None:
    return value if isinstance(value, HostRecord) else None


_CONVERTERS = {
    "tiling": _as_record,
    "GlobalAddress": _as_buffer,
    "int": _as_int,
    "float": _as_float,
    "bool": _as_bool,
    "constexpr": _as_constant,
}


def _describe(value: Any) -> str:
    text = repr(value)
    short = text if len(text) <= 40 else text[:37] + "…"
    return f"{type(value).__name__} {short}"


def _error(code: str, **facts: Any) -> KernelError:
    if code == "ASC-ARG-04":
        return argument_error(code, **facts)
    return KernelError((Diagnostic(code, "E", None, facts),))
