"""How much of the copying and of the vector work of a run happens at the same time.

Models busy intervals only (`spans`): a pipe is busy where one of its instructions is
open. Blocks of one timing class share their intervals. Left out: why they do not
overlap, which the notes tell (`ASC-PERF-40`, `ASC-BAR-20`).
"""

from __future__ import annotations

import numpy as np

from npusim.launch import Run
from npusim.profile.spans import Spans, class_spans, merged


def not_overlapped_percent(run: Run, pipes: tuple[str, str] = ("MTE2", "V")) -> float:
    """Of the busy time of the less busy of two pipes, summed over all blocks: the per
    cent in which the other one rests. 0 where one of them did nothing."""
    busy, both = np.zeros(2, np.int64), 0
    for part in run.timing.classes:
        spans = class_spans(part)
        sides = [_intervals(spans.get(pipe)) for pipe in pipes]
        busy += len(part.blocks) * np.array([_length(*side) for side in sides])
        both += len(part.blocks) * _common(*sides)
    less = int(busy.min())
    return 100.0 * (less - both) / less if less else 0.0


Intervals = tuple[np.ndarray, np.ndarray]


def _intervals(spans: Spans | None) -> Intervals:
    if spans is None:
        empty = np.zeros(0, np.int64)
        return empty, empty
    return merged(spans.starts, spans.ends)


def _length(starts: np.ndarray, ends: np.ndarray) -> int:
    return int((ends - starts).sum())


def _common(one: Intervals, other: Intervals) -> int:
    """Ticks that lie in an interval of both: each side's own intervals are disjoint, so
    the common part is both lengths less the length of their union."""
    starts = np.concatenate((one[0], other[0]))
    ends = np.concatenate((one[1], other[1]))
    union = _length(*merged(starts, ends)) if len(starts) else 0
    return _length(*one) + _length(*other) - union
