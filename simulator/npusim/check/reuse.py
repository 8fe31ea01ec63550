"""Live buffers used as scratch: bytes that are read after something else took them.

Two patterns, both warnings. ASC-REDUCE-13: a reduction's work area, or its result in
its own source, lies on bytes that are read later. ASC-ALIAS-12: an instruction writes
through one tensor, and a later one reads the same bytes through another that had been
written before. The second is reported only where it cannot be meant: both names stand
for one fixed place in the whole kernel, and no queue has handed buffers on meanwhile.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from typing import Any

from npusim.check.cells import Reused
from npusim.check.findings import Findings
from npusim.lang.program import Binary, Const, Issue, Program, Reg, Tensor


class Reuse:
    """Judges and reports what the cells noticed."""

    def __init__(self, findings: Findings):
        self.findings = findings
        self.steady = steady_names(findings.execution.program)

    def report(self, found: list[Reused], core: int, last_queue: int) -> None:
        """Report reads of reused bytes; `last_queue`: order of the last queue call."""
        for reused in found:
            code = "ASC-REDUCE-13" if reused.by_reduction else "ASC-ALIAS-12"
            if reused.by_reduction or self._is_mistake(reused, last_queue):
                self._add(code, reused, core)

    def _is_mistake(self, reused: Reused, last_queue: int) -> bool:
        names = {touch.access.name for touch in (reused.write, reused.read)}
        return names <= self.steady and reused.earlier.order > last_queue

    def _add(self, code: str, reused: Reused, core: int) -> None:
        write, read, earlier = reused.write, reused.read, reused.earlier
        if self.findings.knows(code, write.step, read.step):
            return
        locations = self.findings.execution.program.locations
        facts: dict[str, Any] = {
            "operation": write.step.name,
            "buffer": write.access.name,
            "other": earlier.access.name,
            "reader": read.step.name,
            "line": locations[read.step.where].line,
            "first_byte": reused.begin,
            "last_byte": reused.end - 1,
            "nbytes": reused.end - reused.begin,
        }
        if code == "ASC-ALIAS-12":
            facts["reason"] = "reused"
        self.findings.add(
            code, write.step, facts, core=core, order=write.order, other=read.step,
            severity="W",
        )  # fmt: skip


def steady_names(program: Program) -> frozenset[str]:
    """Names of local tensors that mean one place from start to end of the kernel."""
    issues = [op for op in program.code if isinstance(op, Issue)]
    taken = {op.results[0] for op in issues if op.name == "get" and op.results}
    roots: defaultdict[str, set[Hashable]] = defaultdict(set)
    for op in issues:
        for operand in op.operands.values():
            if isinstance(operand, Tensor):
                roots[operand.name].add(_root(operand.address, taken, op.name))
    for places in roots.values():
        places.discard(_PART)
    return frozenset(n for n, r in roots.items() if len(r) == 1 and None not in r)


_PART = "part"  # a constant address: of a tensor placed by hand, or a part of one


def _root(address: Any, taken: set[int], operation: str) -> Hashable:
    """The fixed start that an address counts from; None where it has none."""
    while isinstance(address, Binary) and address.op == "+":
        address = address.left
    if isinstance(address, Const):
        return address.value if operation == "local_tensor" else _PART
    is_taken = isinstance(address, Reg) and address.index in taken
    return address if is_taken else None
