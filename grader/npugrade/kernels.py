"""A submission's kernels, compiled by the judge from text, and values from its host.

Values arrive as tagged JSON (`{"v": 3}`, `{"dtype": "half"}`, `{"tensor": 1}`, …);
`decode` turns them into what a launch takes. Nothing of the learner's Python runs here.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import npusim.asc
from npugrade.extract import Extraction
from npugrade.host import HostFailure, limits
from npugrade.messages import say
from npusim.lang.names import EXPORTS
from npusim.lang.tiling import FIELD_TYPES, HostRecord, TilingType
from npusim.lang.types import DTYPES
from npusim.launch import Kernel

_SCALARS = (bool, int, float, str)


class Opaque:
    """A captured value that no kernel can use; the compiler refuses it by its type."""

    def __init__(self, kind: str):
        self.kind = kind

    def __repr__(self) -> str:
        return f"<{self.kind}>"


class Kernels:
    """The kernels of one submission; compiled programs are kept between cases."""

    def __init__(self, extraction: Extraction):
        self.texts = extraction.kernels
        self._built: dict[tuple[str, str], Kernel] = {}
        self._made = 0  # kernels and helpers of the launch that is being built

    def free_names(self) -> dict[str, tuple[str, ...]]:
        """What each kernel reads from its surroundings: asked of the host process."""
        return {name: text.free_names for name, text in self.texts.items()}

    def build(self, name: str, captured: Mapping[str, Any]) -> Kernel:
        """The kernel `name` with its captured values (per kernel, tagged JSON)."""
        if name not in self.texts:
            raise HostFailure("host.not-a-kernel", name=name[:60])
        key = (name, json.dumps(captured, sort_keys=True))
        if key not in self._built:
            self._made = 0
            self._built[key] = self._make(name, captured, ())
        return self._built[key]

    def _make(
        self, name: str, captured: Mapping[str, Any], outer: tuple[str, ...]
    ) -> Kernel:
        self._count_helper()
        text, inside = self.texts[name], (*outer, name)

        def helper(other: str) -> Any:
            known = isinstance(other, str) and other in self.texts
            known = known and other not in inside
            return self._make(other, captured, inside) if known else Opaque("kernel")

        values = {
            free: decode(value, {"kernel": helper})
            for free, value in _mapping(captured.get(name, {})).items()
            if free in text.free_names and value != {"kernel": name}
        }
        return Kernel.from_text(text.text, text.label, name, values)

    def _count_helper(self) -> None:
        """A helper is made once a path to it, and paths can double and double."""
        self._made += 1
        limit = limits()["host"]["helper_kernels"]
        if self._made > limit:
            reason = say("reason.helpers", limit=limit)
            raise HostFailure("host.bad-request", reason=reason)


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise HostFailure("host.malformed")
    return value


def check_captured(captured: Any) -> Mapping[str, Any]:
    """`captured` of a launch request, if it has the right form and a small size."""
    count = sum(_leaves(v) for per in _mapping(captured).values() for v in _values(per))
    limit = limits()["host"]["captured_values"]
    if count > limit:
        reason = say("reason.captured", limit=limit)
        raise HostFailure("host.bad-request", reason=reason)
    return captured


def _values(per_kernel: Any) -> list[Any]:
    return list(_mapping(per_kernel).values())


def _leaves(value: Any, depth: int = 0) -> int:
    if depth > limits()["host"]["depth"]:
        raise HostFailure("host.malformed")
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return sum(_leaves(v, depth + 1) for v in value)
    return 1


def decode(
    value: Any, extra: Mapping[str, Callable[[Any], Any]] | None = None, depth: int = 0
) -> Any:
    """A tagged value; HostFailure for anything that is not one.

    `extra` adds decoders for the tags `tensor` and `kernel`, where they may occur.
    """
    if depth > limits()["host"]["depth"] or not isinstance(value, dict):
        raise HostFailure("host.malformed")
    if len(value) != 1:
        raise HostFailure("host.malformed")
    ((tag, content),) = value.items()
    if tag in ("list", "tuple") and isinstance(content, list):
        items = [decode(v, extra, depth + 1) for v in content]
        return items if tag == "list" else tuple(items)
    decoder = (extra or {}).get(tag) or _DECODERS.get(tag)
    if decoder is None:
        raise HostFailure("host.malformed")
    return decoder(content)


def _scalar(content: Any) -> Any:
    if type(content) not in _SCALARS:
        raise HostFailure("host.malformed")
    return content


def _dtype(content: Any) -> Any:
    if not isinstance(content, str) or content not in DTYPES:
        raise HostFailure("host.malformed")
    return DTYPES[content]


def _name(content: Any) -> Any:
    """A name of the language, or a member of one of its enums."""
    first, _, member = str(content).partition(".")
    found = EXPORTS.get(first)
    if member and isinstance(found, type) and issubclass(found, enum.Enum):
        found = found.__members__.get(member)
    elif member:
        found = None
    return Opaque(str(content)[:60]) if found is None else found


def _fields(content: Any) -> tuple[tuple[str, str], ...]:
    """Checked pairs (name, int | float | bool) of a tiling class; HostFailure."""
    rows = content if isinstance(content, list) else []
    pairs = [
        (row[0], row[1])
        for row in rows
        if isinstance(row, list) and len(row) == 2 and all(map(_is_word, row))
    ]
    known = all(kind in FIELD_TYPES for _, kind in pairs)
    distinct = len({name for name, _ in pairs}) == len(rows)
    if not rows or not distinct or not known:
        raise HostFailure("host.malformed")
    return tuple(pairs)


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and value.isidentifier() and value[:2] != "__"


def _tiling(content: Any) -> type[HostRecord]:
    """A tiling class from [name, fields]."""
    if not isinstance(content, list) or len(content) != 2 or not _is_word(content[0]):
        raise HostFailure("host.malformed")
    described = TilingType(content[0], _fields(content[1]))
    body = {"__asc_tiling__": described, "_defaults": {}}
    return type(content[0], (HostRecord,), body)


def _record(content: Any) -> HostRecord:
    """A tiling record from [name, fields, values]; KernelError for a wrong value."""
    if not isinstance(content, list) or len(content) != 3:
        raise HostFailure("host.malformed")
    *described, values = content
    if not isinstance(values, list):
        raise HostFailure("host.malformed")
    try:
        return _tiling(described)(*map(_scalar, values))
    except (ValueError, TypeError, OverflowError):
        raise HostFailure("host.malformed") from None


def _facade(content: Any) -> ModuleType:
    return npusim.asc


_DECODERS: Mapping[str, Callable[[Any], Any]] = {
    "v": _scalar,
    "dtype": _dtype,
    "name": _name,
    "asc": _facade,
    "tiling": _tiling,
    "record": _record,
    "kernel": lambda content: Opaque("kernel"),
    "opaque": lambda content: Opaque(str(content)[:60]),
}
