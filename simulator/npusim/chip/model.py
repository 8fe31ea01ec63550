"""What a chip is: named constants with unit and source, and the vector cost table.

The numbers live in three kinds of TOML file beside this module: one file per chip
(`910b1.toml`: cores, clock, memories, bandwidths), `common.toml` (constants shared by
the family) and `vector.toml` (cycles per 256-byte repeat). Each states where it comes
from and how sure we are of it. This module only reads and checks them; it holds no
number. Left out so far: cube cores' costs, instruction cache, channel conflicts.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

CONFIDENCES = ("high", "medium", "low", "none")
_SHARED = ("common", "vector")
_FIELDS = {"value", "unit", "source", "confidence"}
_ROW_FIELDS = {"free", "source", "confidence"}  # and perhaps "conflict"


@dataclass(frozen=True)
class Constant:
    """One number: `value` in `unit`, its public `source` and our `confidence` in it."""

    name: str
    value: float
    unit: str
    source: str
    confidence: str


@dataclass(frozen=True)
class VectorCost:
    """Cycles per repeat of 256 bytes.

    `free`: the two sources lie in disjoint bank groups (or there is one source);
    `conflict`: they share a bank group.
    """

    key: str
    free: float
    conflict: float
    source: str
    confidence: str


@dataclass(frozen=True, eq=False)
class Chip:
    """A chip: sizes as attributes, every other number through `constant(name)`."""

    name: str
    constants: Mapping[str, Constant]
    vector: Mapping[str, VectorCost]

    def constant(self, name: str) -> float:
        """The value of a constant in its own unit; KeyError for an unknown name."""
        return self.constants[name].value

    def vector_cost(self, key: str, dtype: str = "") -> VectorCost:
        """The row for instruction `key` on `dtype` (a row `key:dtype` goes first).

        KeyError where the table has no such instruction.
        """
        row = self.vector.get(f"{key}:{dtype}") or self.vector.get(key)
        if row is None:
            raise KeyError(f"no vector cost for {key!r} ({dtype}) on {self.name}")
        return row

    @property
    def vector_cores(self) -> int:
        return int(self.constant("vector_cores"))

    @property
    def cube_cores(self) -> int:
        return int(self.constant("cube_cores"))

    @property
    def clock_ghz(self) -> float:
        return self.constant("clock")

    @property
    def ub_nbytes(self) -> int:
        """Unified Buffer of one vector core, bytes."""
        return int(self.constant("ub"))

    @property
    def l2_nbytes(self) -> int:
        """L2 cache shared by all cores, bytes."""
        return int(self.constant("l2_capacity"))

    def cycles_of_ns(self, time_ns: float) -> float:
        """Cycles of the core clock in `time_ns` nanoseconds."""
        return time_ns * self.clock_ghz


def _read(stem: str) -> dict[str, Any]:
    text = (resources.files(__package__) / f"{stem}.toml").read_text("utf-8")
    return tomllib.loads(text)


def _constant(name: str, entry: Mapping[str, Any]) -> Constant:
    if set(entry) != _FIELDS or entry["confidence"] not in CONFIDENCES:
        raise ValueError(f"constant {name!r} needs exactly {sorted(_FIELDS)}")
    return Constant(name=name, **{**entry, "value": float(entry["value"])})


def _vector_row(key: str, entry: Mapping[str, Any]) -> VectorCost:
    known = entry.get("confidence") in CONFIDENCES
    if set(entry) - {"conflict"} != _ROW_FIELDS or not known:
        raise ValueError(f"vector row {key!r} needs {sorted(_ROW_FIELDS)}")
    conflict = entry.get("conflict", entry["free"])
    return VectorCost(
        key, entry["free"], conflict, entry["source"], entry["confidence"]
    )


@cache
def chip_names() -> tuple[str, ...]:
    """The names that `load_chip` knows, sorted."""
    files = resources.files(__package__).iterdir()
    stems = (f.name[:-5] for f in files if f.name.endswith(".toml"))
    return tuple(sorted(s.upper() for s in stems if s not in _SHARED))


@cache
def load_chip(name: str) -> Chip:
    """The chip called `name`, for example "910B1".

    ValueError lists the known names where there is no such chip.
    """
    if name not in chip_names():
        raise ValueError(f"unknown chip {name!r}; known: {', '.join(chip_names())}")
    entries = {**_read("common"), **_read(name.lower())}
    constants = {key: _constant(key, entry) for key, entry in entries.items()}
    rows = {key: _vector_row(key, entry) for key, entry in _read("vector").items()}
    return Chip(name, constants, rows)
