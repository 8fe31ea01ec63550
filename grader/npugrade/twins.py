"""Twins: hidden cases one or a few elements apart may not differ much in cycles.

A submission could look up the exact shapes that it was told of and leave the rest to a
slow path. Two cases of which one is `twin_of` the other do the same work, so the slower
may take at most `[rules] twin_factor` times the cycles of the faster. Left out: cases
without a twin in the task file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from npugrade.caserun import CaseResult
from npugrade.host import limits
from npugrade.messages import say


def checked(results: Sequence[CaseResult]) -> tuple[CaseResult, ...]:
    """`results`, where a twin that differs too much has failed the stage `guard`."""
    cycles = {r.data.case.name: r.cycles for r in results if r.passed}
    return tuple(_checked(result, cycles) for result in results)


def _checked(result: CaseResult, cycles: dict[str, int]) -> CaseResult:
    length = result.data.case.length
    other = cycles.get(length.twin_of, 0) if length else 0
    if not result.passed or not other:
        return result
    factor = limits()["rules"]["twin_factor"]
    least, most = sorted((result.cycles, other))
    if most <= factor * least:
        return result
    text = say("guard.twin", factor=factor)
    return replace(
        result, stage="guard", code="guard.twin", messages=(text,), kind=text
    )
