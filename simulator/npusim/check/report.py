"""All checks of one execution, in one call."""

from __future__ import annotations

from npusim.check.across import CrossOrder
from npusim.check.cores import check_cores
from npusim.check.findings import LIMIT, Findings
from npusim.check.known import walk_streams
from npusim.check.lines import check_lines
from npusim.check.local import LocalCheck
from npusim.check.outputs import check_outputs
from npusim.check.shared import GlobalMemory, check_blocks
from npusim.core import Execution
from npusim.diagnostic import Diagnostic


def check_execution(execution: Execution) -> tuple[Diagnostic, ...]:
    """Hazards, undefined reads, clashes between cores and outputs left out.

    By block and program order, outputs last; one for each code and pair of lines, at
    most 20. Outputs are judged only where execution ran to its end. Nothing in
    `execution` is changed.
    """
    findings = Findings(execution)
    local = LocalCheck(findings)
    walked = walk_streams(local, execution)
    memory = GlobalMemory(execution, walked)
    check_blocks(findings, memory)
    check_cores(findings, memory, CrossOrder(local.published))
    check_lines(findings, memory)
    outputs = () if execution.faults else check_outputs(execution)
    return (findings.sorted() + outputs)[:LIMIT]
