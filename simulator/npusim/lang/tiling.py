"""`@asc.tiling`: a frozen record that the host fills and a kernel receives.

    @asc.tiling
    class Tiling:
        tile: int
        scale: float = 1.0

    kernel[48](x, z, Tiling(tile=4096))      # in the kernel: `t: Tiling`, read `t.tile`

This is the tiling structure of Ascend C. Fields are int, float or bool, with defaults
as in a dataclass; a value of another type, a missing or an unknown field is refused on
the host, where it is made.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from npusim.diagnostic import Diagnostic, KernelError

FIELD_TYPES = ("int", "float", "bool")
_LOWEST, _HIGHEST = -(1 << 63), (1 << 63) - 1


@dataclass(frozen=True)
class TilingType:
    """What a kernel knows of a tiling class: its name, and `(name, type)` of fields."""

    name: str
    fields: tuple[tuple[str, str], ...]


class HostRecord:
    """Base of tiling classes. Equal records of equal classes are equal."""

    __asc_tiling__: TilingType
    _defaults: Mapping[str, Any]

    def __init__(self, *values: Any, **named: Any):
        for name, value in _bound(type(self), values, named).items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        _refuse("frozen", record=type(self).__name__, field=name)

    def __delattr__(self, name: str) -> NoReturn:
        _refuse("frozen", record=type(self).__name__, field=name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HostRecord) or type_of(other) != type_of(self):
            return False
        return fields_of(other) == fields_of(self)

    def __hash__(self) -> int:
        return hash((self.__asc_tiling__, tuple(fields_of(self).values())))

    def __repr__(self) -> str:
        values = ", ".join(f"{n}={v!r}" for n, v in fields_of(self).items())
        return f"{type(self).__name__}({values})"


def fields_of(record: HostRecord) -> dict[str, Any]:
    """Values by name, in the order of the class."""
    return {name: getattr(record, name) for name, _ in record.__asc_tiling__.fields}


def tiling(cls: type) -> type[HostRecord]:
    """Make a class with annotated int, float and bool fields a tiling record."""
    found = inspect.get_annotations(cls) if isinstance(cls, type) else {}
    words = {n: getattr(a, "__name__", a) for n, a in found.items()}
    fields = tuple((n, str(w)) for n, w in words.items())
    name = getattr(cls, "__name__", str(cls))
    for field, word in fields:
        if word not in FIELD_TYPES:
            _refuse("annotation", record=name, field=field, found=word)
    if not fields:
        _refuse("empty", record=name)
    described = TilingType(name, fields)
    defaults = {f: getattr(cls, f) for f, _ in fields if hasattr(cls, f)}
    body = {"__asc_tiling__": described, "_defaults": defaults}
    body |= {"__doc__": cls.__doc__, "__module__": cls.__module__}
    return type(name, (HostRecord, cls), body)


def type_of(value: Any) -> TilingType | None:
    """The tiling type of a tiling class or record; None for anything else."""
    found = getattr(value, "__asc_tiling__", None)
    return found if isinstance(found, TilingType) else None


def type_in_text(node: ast.ClassDef) -> TilingType | None:
    """The tiling type that a class of a kernel's text defines, if it is one."""
    marks = (d.func if isinstance(d, ast.Call) else d for d in node.decorator_list)
    words = (getattr(d, "attr", getattr(d, "id", "")) for d in marks)
    if "tiling" not in words:
        return None
    pairs = (
        (n.target.id, _word(n.annotation))
        for n in node.body
        if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
    )
    fields = tuple(pairs)
    known = all(word in FIELD_TYPES for _, word in fields)
    return TilingType(node.name, fields) if known and fields else None


def _word(annotation: ast.expr) -> str:
    if isinstance(annotation, ast.Constant):
        return str(annotation.value)
    return annotation.id if isinstance(annotation, ast.Name) else ""


# ------------------------------------------------------------------- values of fields
def _bound(cls: type[HostRecord], values: tuple, named: Mapping) -> dict[str, Any]:
    fields = cls.__asc_tiling__.fields
    names = [name for name, _ in fields]
    given = dict(zip(names, values, strict=False))
    missing = [n for n in names if n not in {*given, *named, *cls._defaults}]
    unknown = [n for n in named if n not in names or n in given]
    if len(values) > len(names) or missing or unknown:
        facts = {"record": cls.__name__, "declared": len(names)}
        wrong = ", ".join(missing or unknown) or "…"
        _refuse("fields", **facts, passed=len(values) + len(named), names=wrong)
    given = {**cls._defaults, **given, **named}
    return {n: _field(cls.__name__, n, kind, given[n]) for n, kind in fields}


def _field(record: str, name: str, kind: str, value: Any) -> Any:
    converted = _CONVERT[kind](value)
    if converted is None:
        found = f"{type(value).__name__} {value!r:.40}"
        _refuse("type", record=record, field=name, declared=kind, found=found)
    return converted


def _as_int(value: Any) -> int | None:
    is_int = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return int(value) if is_int and _LOWEST <= value <= _HIGHEST else None


def _as_float(value: Any) -> float | None:
    kinds = (int, float, np.integer, np.floating)
    if not isinstance(value, kinds) or isinstance(value, bool):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _as_bool(value: Any) -> bool | None:
    return bool(value) if isinstance(value, (bool, np.bool_)) else None


_CONVERT = {"int": _as_int, "float": _as_float, "bool": _as_bool}


def _refuse(reason: str, **facts: Any) -> NoReturn:
    facts = {"reason": reason, **facts}
    raise KernelError((Diagnostic("ASC-TILING-28", "E", None, facts),))
