"""ASC-PERF-37: a loop of get_value and set_value where vector instructions belong."""

from __future__ import annotations

from collections import Counter

from npusim.check.notes.work import Work, percent, threshold
from npusim.lang.types import DTYPES

_REPEAT_NBYTES = 256


def check(work: Work) -> None:
    """One note, at the line with the most accesses, where S is what takes the time."""
    lines: Counter[int] = Counter()
    cycles, accesses, hot, dtype = 0.0, 0, 0, "float32"
    for part in work.classes:
        own: Counter[int] = Counter()
        for i, step in enumerate(part.steps):
            if step.cost.kind == "scalar":
                own[step.where] += 1
                cycles += (part.ends[i] - part.starts[i]) * part.blocks
                dtype = step.cost.dtype or dtype
        hot = max(hot, max(own.values(), default=0))
        accesses += own.total() * part.blocks
        for where, count in own.items():
            lines[where] += count * part.blocks
    gain = work.share(cycles)
    if hot < threshold("scalar_accesses") or gain < threshold("gain"):
        return
    if work.ratio("S") < threshold("busy"):
        return
    where, _ = lines.most_common(1)[0]
    work.add(
        "ASC-PERF-37", gain, where,
        share=percent(work.ratio("S")), count=accesses, dtype=dtype,
        elements=_REPEAT_NBYTES // DTYPES[dtype].itemsize,
    )  # fmt: skip
