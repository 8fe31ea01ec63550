"""From two unordered accesses to a message: which hazard, which code, which event."""

from __future__ import annotations

from typing import Any

from npusim.check.cells import Clash
from npusim.check.clocks import PIPES
from npusim.check.findings import Findings

_HAZARDS = {("write", "read"): "RAW", ("read", "write"): "WAR"}


def code_of(hazard: str, first_pipe: str, second_pipe: str) -> str:
    """The code of a hazard between two pipes of one core."""
    if "S" in (first_pipe, second_pipe):
        return "ASC-RACE-18"
    if hazard == "RAW" and first_pipe == "MTE2":
        return "ASC-RACE-15"
    if hazard == "RAW" and second_pipe == "MTE3" and first_pipe != "MTE3":
        return "ASC-RACE-16"
    return "ASC-RACE-17"


def report_clash(
    findings: Findings,
    clashes: list[Clash],
    core: int,
    *,
    memory: str = "UB",
    buffer: str | None = None,
) -> None:
    """Report clashes of one access; those with the same earlier step are one."""
    by_first: dict[int, list[Clash]] = {}
    for clash in clashes:
        by_first.setdefault(clash.first.order, []).append(clash)
    for group in by_first.values():
        _report_group(findings, group, core, memory, buffer)


def _report_group(
    findings: Findings, group: list[Clash], core: int, memory: str, buffer: str | None
) -> None:
    first, second = group[0].first, group[0].second
    pipes = PIPES[first.pipe], PIPES[second.pipe]
    hazard = _HAZARDS.get((first.kind, second.kind), "WAW")
    code = code_of(hazard, *pipes)
    if findings.knows(code, second.step, first.step):
        return
    facts = _facts(findings, group, hazard, pipes)
    facts["memory"] = memory if memory != "UB" else second.access.space
    facts["buffer"] = buffer or second.access.name
    reason = _reason(hazard, pipes, memory)
    if reason:
        facts["reason"] = reason
    findings.add(
        code, second.step, facts, core=core, order=second.order, other=first.step
    )


def _reason(hazard: str, pipes: tuple[str, str], memory: str) -> str | None:
    if pipes[0] == pipes[1]:
        return "barrier"
    return "stale" if memory == "GM" and hazard == "RAW" else None


def _facts(
    findings: Findings, group: list[Clash], hazard: str, pipes: tuple[str, str]
) -> dict[str, Any]:
    first, second = group[0].first, group[0].second
    locations = findings.execution.program.locations
    same = pipes[0] == pipes[1]
    return {
        "hazard": hazard,
        "first_byte": min(clash.begin for clash in group),
        "last_byte": max(clash.end for clash in group) - 1,
        "first_pipe": pipes[0],
        "first_kind": first.kind,
        "first_operation": first.step.name,
        "first_line": locations[first.step.where].line,
        "second_pipe": pipes[1],
        "second_kind": second.kind,
        "second_operation": second.step.name,
        "second_line": locations[second.step.where].line,
        "event": f"pipe_barrier(PIPE_{pipes[0]})" if same else "_".join(pipes),
    }
