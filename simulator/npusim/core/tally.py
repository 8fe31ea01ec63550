"""Findings that are counts: overflows and low-precision results of a launch.

Every group adds what its instructions saw; one message an instruction tells the sum
over all blocks, so that it does not depend on how blocks were grouped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from npusim.core.group import Group
from npusim.lang.types import DType

COUNTED = frozenset({"half", "bfloat16"})  # dtypes whose overflow is counted


@dataclass
class Tally:
    """One instruction's count; `core` is the first block that added to it."""

    severity: str
    core: int
    count: int = 0
    worst: float = 0.0  # largest relative error seen, and what was possible
    best: float = 0.0
    facts: dict[str, Any] = field(default_factory=dict)


def add(
    group: Group, code: str, severity: str, where: int, each: np.ndarray, **facts: Any
) -> Tally:
    """Add `each`, one count a block, to the launch's tally of `code` at `where`."""
    first = int(group.blocks[np.flatnonzero(each)[0]])
    known = group.machine.tallies.setdefault((code, where), Tally(severity, first))
    known.core = min(known.core, first)
    known.count += int(each.sum())
    known.facts.update(facts)
    return known


def count_overflow(
    group: Group, operation: str, where: int, dtype: DType, lost: np.ndarray
) -> None:
    """ASC-NUM-33 for the results `lost` (bool, one row a block) of type `dtype`."""
    each = lost.reshape(len(lost), -1).sum(1)
    if not each.any():
        return
    facts = {"operation": operation, "dtype": dtype.name}
    if not dtype.is_float:
        facts["reason"] = "cast"
    elif group.machine.overflow == "saturate":
        facts["reason"] = "saturate"
    add(group, "ASC-NUM-33", "W", where, each, **facts)


def report_tallies(machine: Any) -> None:
    """Turn what was counted into findings."""
    for (code, where), tally in machine.tallies.items():
        line = machine.program.location(where).line
        facts = {**tally.facts, "count": tally.count, "line": line}
        if tally.worst:
            facts |= {"error": f"{tally.worst:.1e}", "possible": f"{tally.best:.1e}"}
        machine.report(code, tally.severity, where, tally.core, **facts)
