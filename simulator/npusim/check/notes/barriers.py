"""ASC-BAR-20 (note): time lost because PIPE_ALL barriers stand where flags would do.

Only lines that a block passes several times are looked at: a single barrier between two
steps that need each other anyway costs nothing. What the barriers cost is found by
timing the run once more without them (`unbarred`).
"""

from __future__ import annotations

from collections import Counter

from npusim.check.notes.unbarred import barrier_share
from npusim.check.notes.work import ClassWork, Work, percent, threshold

_PIPES = ("V", "MTE2", "MTE3")


def check(work: Work) -> None:
    """One note for the run, at the barrier where S waits longest."""
    lost: Counter[int] = Counter()
    for part in work.classes:
        lost.update(_waited(part))
    if not lost or work.share(lost.total()) < threshold("gain"):
        return
    gain = barrier_share(work.execution) * work.longest / work.timing.cycles
    busiest = max(_PIPES, key=work.ratio)
    if gain >= threshold("gain"):
        work.add(
            "ASC-BAR-20", gain, lost.most_common(1)[0][0],
            reason="lost", share=percent(gain),
            pipe=busiest, busy=percent(work.ratio(busiest)),
        )  # fmt: skip


def passes(part: ClassWork) -> Counter[int]:
    """How often a block passes each PIPE_ALL barrier, by place."""
    return Counter(
        step.where for step in part.steps
        if step.cost.kind == "barrier" and step.sync and step.sync.source == "ALL"
    )  # fmt: skip


def _waited(part: ClassWork) -> Counter[int]:
    """Cycles that S waits at each repeated barrier, all blocks together."""
    repeated = {w for w, n in passes(part).items() if n >= threshold("tiles")}
    waited: Counter[int] = Counter()
    for i, step in enumerate(part.steps):
        if step.where in repeated and step.cost.kind == "barrier":
            waited[step.where] += round(part.ends[i] - part.starts[i]) * part.blocks
    return waited
