"""A function to compile with the names around it, and what those names may be.

Names of the surroundings resolve to numbers, strings, dtypes, names of the language or
other `@asc.jit` functions; all else is refused. They come from `captured` (or the
helper's own lookup), then from the functions and npusim imports of the same text.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from npusim.diagnostic import Location
from npusim.lang.free import is_kernel, local_names
from npusim.lang.names import EXPORTS, Marker
from npusim.lang.program import Record
from npusim.lang.source import KernelSource, SourceText, parse
from npusim.lang.tiling import HostRecord, TilingType, fields_of, type_of
from npusim.lang.types import ENUMS, DType


class Facade:
    """Stands for the module `asc` where a text imports it by itself."""

    __asc_facade__ = True

    def __getattr__(self, name: str) -> object:
        try:
            return EXPORTS[name]
        except KeyError:
            raise AttributeError(name) from None


class NotAllowed(Exception):
    """A captured value that a kernel cannot use; the argument is a code."""


@dataclass(frozen=True)
class Unit:
    """One function, its text, and the values of its free names.

    `known`: those that were asked for, and `members`: what nodes such as `asc.add`
    stand for; both stay as they are while a kernel compiles.
    """

    source: SourceText
    function: ast.FunctionDef
    captured: Mapping[str, object] = field(repr=False)
    called_from: Location | None = None
    known: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    members: dict[ast.AST, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        return self.function.name

    @cached_property
    def local_names(self) -> frozenset[str]:
        """Parameters and names that the body binds."""
        return local_names(self.source, self.function)

    def called(self, where: Location) -> Unit:
        return replace(self, called_from=where)

    def resolve(self, name: str) -> Any:
        """The compile-time value of a free name.

        Raises KeyError where there is none, NotAllowed for a value that is not of the
        language.
        """
        if name not in self.known:
            self.known[name] = self._value(name)
        return self.known[name]

    def _value(self, name: str) -> Any:
        if name in self.captured:
            return admit(self.captured[name])
        function = self.source.functions.get(name)
        if function is not None:
            if not is_kernel(function):
                raise NotAllowed("ASC-JIT-51")
            return Unit(self.source, function, self.captured)
        if name in self.source.tilings:
            return self.source.tilings[name]
        return imports_of(self.source.module)[name]


def unit_of(kernel: KernelSource) -> Unit:
    """The helper kernel as a unit, with its own surroundings as they are now."""
    source = parse(kernel.text, kernel.filename)
    return Unit(source, source.functions[kernel.name], kernel.captured())


def admit(value: Any) -> Any:
    """`value` as a compile-time value. NotAllowed where it is none."""
    if isinstance(value, (*ENUMS, Unit, Marker, DType, TilingType)) or value is None:
        return value
    tiling = type_of(value)
    if tiling is not None:
        is_record = isinstance(value, HostRecord)
        return Record(tiling.name, fields_of(value)) if is_record else tiling
    if isinstance(value, (bool, int, float, str)) and not isinstance(value, enum.Enum):
        return value
    is_enum = any(value is e for e in ENUMS)
    if is_enum or getattr(value, "__asc_facade__", False) is True:
        return value
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        return value.item()
    if isinstance(value, (tuple, list)):
        return type(value)(admit(v) for v in value)
    kernel = value if isinstance(value, KernelSource) else _source_of(value)
    if kernel is not None:
        return unit_of(kernel)
    raise NotAllowed("ASC-JIT-43" if isinstance(value, ModuleType) else "ASC-JIT-08")


def _source_of(value: Any) -> KernelSource | None:
    if isinstance(value, (type, ModuleType, np.ndarray)):
        return None
    source = getattr(value, "source", None)
    return source if isinstance(source, KernelSource) else None


def imports_of(module: ast.Module) -> dict[str, Any]:
    """Names that top-level imports of npusim bind in the text."""
    found: dict[str, Any] = {}
    for node in module.body:
        if isinstance(node, ast.ImportFrom) and node.module == "npusim":
            names = [a for a in node.names if a.name == "asc"]
            found |= {a.asname or a.name: Facade() for a in names}
        elif isinstance(node, ast.ImportFrom) and node.module == "npusim.asc":
            names = [a for a in node.names if a.name in EXPORTS]
            found |= {a.asname or a.name: EXPORTS[a.name] for a in names}
        elif isinstance(node, ast.Import):
            names = [a for a in node.names if a.name == "npusim.asc" and a.asname]
            found |= {str(a.asname): Facade() for a in names}
    return found
