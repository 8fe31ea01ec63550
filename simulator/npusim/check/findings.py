"""Findings of one execution: one for each code and pair of places, in stable order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from npusim.core import Execution
from npusim.core.stream import Step
from npusim.diagnostic import Diagnostic
from npusim.lang.program import Issue, Program, Tensor

LIMIT = 20  # messages a run (interfaces of the product: Run.diagnostics)


class Findings:
    """Collects diagnostics; the first of each (code, place, related place) stays."""

    def __init__(self, execution: Execution):
        self.execution = execution
        self._found: dict[tuple, tuple[tuple, Diagnostic]] = {}

    def knows(self, code: str, step: Step, other: Step | None = None) -> bool:
        """Whether this code has been reported for these places."""
        return _key(code, step, other) in self._found

    def add(
        self,
        code: str,
        step: Step,
        facts: Mapping[str, Any],
        *,
        core: int,
        order: int,
        other: Step | None = None,
        severity: str = "E",
        more: tuple[Step, ...] = (),
    ) -> None:
        """Report `code` at `step`, number `order` in the stream of block `core`."""
        key = _key(code, step, other)
        rank = (core, order, code)
        known = self._found.get(key)
        if known is not None and known[0] <= rank:
            return
        program = self.execution.program
        places = (*(() if other is None else (other,)), *more)
        related = tuple(program.location(place.where) for place in places)
        where = program.location(step.where)
        found = Diagnostic(code, severity, where, dict(facts), core, related)
        self._found[key] = (rank, found)

    def sorted(self) -> tuple[Diagnostic, ...]:
        """At most `LIMIT`, by block and program order."""
        ranked = sorted(self._found.values(), key=lambda pair: pair[0])
        return tuple(found for _, found in ranked[:LIMIT])


def _key(code: str, step: Step, other: Step | None) -> tuple:
    return (code, step.where, -1 if other is None else other.where)


def itemsize_of(program: Program, step: Step, name: str) -> int:
    """Bytes of an element of the tensor that `step` calls `name` (1 if unknown)."""
    op = program.code[step.pc]
    operands = op.operands.values() if isinstance(op, Issue) else ()
    tensors = [operand for operand in operands if isinstance(operand, Tensor)]
    chosen = [tensor for tensor in tensors if tensor.name == name] or tensors
    return chosen[0].dtype.itemsize if chosen else 1
