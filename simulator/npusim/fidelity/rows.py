"""The calibration set: published measurements, one row each, and their groups.

`kernels.csv` holds times of whole launches in microseconds, `instructions.csv` cycles
of single instructions, `groups.toml` what belongs together and what is asked of it.
Rows of the group "unmodelled" (cube kernels, tile macros without a stated sequence) are
listed, not predicted. Each row names its source.
"""

from __future__ import annotations

import csv
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

Shape = tuple[int, ...]
SPELLINGS = {
    "fp16": "float16",
    "fp32": "float32",
    "bf16": "bfloat16",
    "bool": "bool",
}
"""dtype words of the sources that numpy (with ml_dtypes) spells otherwise."""


@dataclass(frozen=True)
class KernelRow:
    """A measured launch: `measured_us` is the Task Duration, `vector_us` the time the
    vector pipe was active (mean over the cores), None where it was not published."""

    id: str
    group: str
    chip: str
    operator: str
    shapes: tuple[Shape, ...]
    dtypes: tuple[str, ...]
    result_dtype: str
    attributes: Mapping[str, Any]
    case: str
    blocks: str
    measured_us: float
    vector_us: float | None
    launches: tuple[str, ...]
    source: str

    @property
    def condition(self) -> str:
        """Shapes, dtypes and what else was stated, for a table."""
        shapes = ["x".join(map(str, shape)) for shape in self.shapes]
        values = [f"{k} {v:g}" for k, v in self.attributes.items() if _number(v)]
        words = [str(v) for v in self.attributes.values() if not _number(v)]
        stated = [", ".join(shapes), self.dtypes[0], self.case, *words, *values]
        return "; ".join(part for part in stated if part)


@dataclass(frozen=True)
class InstructionRow:
    """Measured cycles of one instruction on one core; `shape`: rows x columns."""

    id: str
    group: str
    operation: str
    dtype: str
    shape: str
    condition: str
    cycles: float
    source: str


@dataclass(frozen=True)
class Group:
    """What is asked of the rows of a group, as shares of the measured value.

    `median`, `p90`, `each`: largest error allowed, None where nothing is asked.
    `noise`: how far repeated measurements spread; `best_fit`: best published model.
    """

    name: str
    title: str
    median: float | None = None
    p90: float | None = None
    each: float | None = None
    noise: str = "not published"
    best_fit: str = "none published"
    note: str = ""


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _text(name: str) -> str:
    return (resources.files(__package__) / name).read_text("utf-8")


def _shapes(text: str) -> tuple[Shape, ...]:
    """`8x64;64` as ((8, 64), (64,))."""
    return tuple(tuple(map(int, part.split("x"))) for part in text.split(";"))


def _kernel_row(entry: dict[str, str]) -> KernelRow:
    said = entry["attributes"]
    attributes = json.loads(said) if said.startswith("{") else {}
    vector = entry["vector_us"]
    return KernelRow(
        id=entry["id"],
        group=entry["group"],
        chip=entry["chip"],
        operator=entry["operator"],
        shapes=_shapes(entry["shapes"]),
        dtypes=tuple(entry["dtypes"].split(";")),
        result_dtype=entry["result_dtype"],
        attributes=attributes,
        case="" if said.startswith("{") else said,
        blocks=entry["blocks"],
        measured_us=float(entry["measured_us"]),
        vector_us=float(vector) if vector else None,
        launches=tuple(filter(None, entry["launches"].split("+"))),
        source=entry["source"],
    )


@cache
def kernel_rows() -> tuple[KernelRow, ...]:
    """All measured launches, in the order of the file."""
    return tuple(map(_kernel_row, csv.DictReader(_text("kernels.csv").splitlines())))


@cache
def instruction_rows() -> tuple[InstructionRow, ...]:
    """All measured instructions, in the order of the file."""
    entries = csv.DictReader(_text("instructions.csv").splitlines())
    return tuple(
        InstructionRow(
            entry["id"],
            entry["group"],
            entry["operation"],
            entry["dtype"],
            entry["shape"],
            entry["condition"],
            float(entry["cycles"]),
            entry["source"],
        )
        for entry in entries
    )


@cache
def groups() -> dict[str, Group]:
    """Groups by name, in the order of the report."""
    entries = tomllib.loads(_text("groups.toml"))
    return {name: Group(name, **entry) for name, entry in entries.items()}


@cache
def rules() -> dict[str, float]:
    """Numbers of the measuring methods, by name (`rules.toml` has units, sources)."""
    entries = tomllib.loads(_text("rules.toml"))
    return {name: entry["value"] for name, entry in entries.items()}


def kernels_of(group: str) -> tuple[KernelRow, ...]:
    """The measured launches of one group."""
    return tuple(row for row in kernel_rows() if row.group == group)


def instructions_of(group: str) -> tuple[InstructionRow, ...]:
    """The measured instructions of one group."""
    return tuple(row for row in instruction_rows() if row.group == group)
