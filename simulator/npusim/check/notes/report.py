"""All performance notes of one run, the most costly first."""

from __future__ import annotations

from collections.abc import Callable

from npusim.check.notes import banks, barriers, copies, cores, overlap, scalars
from npusim.check.notes.work import Work, threshold
from npusim.core import Execution
from npusim.diagnostic import Diagnostic
from npusim.timing import Timing

_RULES: tuple[Callable[[Work], None], ...] = (
    scalars.check, barriers.check, copies.check, banks.check, overlap.check,
    cores.check,
)  # fmt: skip


def performance_notes(execution: Execution, timing: Timing) -> tuple[Diagnostic, ...]:
    """Notes of severity P; none for a run that stopped or is near its floor."""
    work = Work(execution, timing)
    if execution.faults or not work.core or work.near_floor:
        return ()
    for rule in _RULES:
        rule(work)
    codes = {note.code for _, note in work.notes}
    said = {"ASC-BAR-20"} if "ASC-PERF-40" in codes else set()  # it names the barrier
    ranked = sorted(work.notes, key=lambda note: (-note[0], note[1].code))
    notes = [note for _, note in ranked if note.code not in said]
    return tuple(notes[: int(threshold("limit"))])
