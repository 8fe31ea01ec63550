"""How much of the processor has a process had, and does it want more?

Read from /proc. A deadline in seconds of the clock would fail an honest answer on a
busy machine; so the judge asks here before it gives up. Left out: systems without
/proc, where the clock alone counts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_RUNNABLE = "R"


def waiting_process_seconds(number: int) -> float | None:
    """Processor seconds of a process and those that it started, if one of them wants to
    run; None if none does, or nobody knows."""
    rows = list(_family(number))
    if not any(state == _RUNNABLE for state, _ in rows):
        return None
    return sum(seconds for _, seconds in rows)


def _family(number: int) -> Iterator[tuple[str, float]]:
    """(state, processor seconds) of a process and its descendants."""
    try:
        text = Path(f"/proc/{number}/stat").read_text("utf-8", "replace")
        below = Path(f"/proc/{number}/task/{number}/children").read_text().split()
    except OSError:  # ended meanwhile, or no such system
        return
    fields = text.rpartition(")")[2].split()  # a name may hold anything
    yield fields[0], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    for child in below:
        yield from _family(int(child))
