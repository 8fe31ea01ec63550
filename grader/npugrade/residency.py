"""What a launch left in L2, as far as the judge believes it.

The simulator's `cache="keep"` counts the bytes that a launch moved, not which they
are. A graded answer could so warm a tensor by reading one tile over and over. The judge
grants "keep" only after a launch that moved each byte of each of its tensors, and so
paid for it. Left out: tensors moved in part, which on a chip would be resident in part.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from npusim.core.stream import Access, Stream
from npusim.lang.program import ADDRESS_BITS
from npusim.launch import Run

_OFFSET = (1 << ADDRESS_BITS) - 1


def moved_all(run: Run) -> bool:
    """Whether `run` read or wrote every byte of every buffer that it was given."""
    sizes = {b: int(buf.data.nbytes) for b, buf in run.execution.buffers.items()}
    edges = {b: np.zeros(nbytes + 1, np.int32) for b, nbytes in sizes.items()}
    for stream in run.execution.streams:
        for access in _accesses(stream):
            _mark(edges, access)
    return all(bool((np.cumsum(e[:-1]) > 0).all()) for e in edges.values())


def _accesses(stream: Stream) -> Iterator[Access]:
    for step in stream.steps():
        for access in (*step.reads, *step.writes):
            if access.space == "GM" and access.total_nbytes:
                yield access


def _mark(edges: dict[int, np.ndarray], access: Access) -> None:
    """Count up where a run of bytes starts and down where it ends."""
    joined = access.pitch == access.nbytes
    count, nbytes = (1, access.total_nbytes) if joined else access[3:1:-1]
    bases = np.unique(np.atleast_1d(access.base))
    starts = (bases[:, None] + access.pitch * np.arange(count)).reshape(-1)
    for buffer in np.unique(starts >> ADDRESS_BITS).tolist():
        first = starts[starts >> ADDRESS_BITS == buffer] & _OFFSET
        np.add.at(edges[buffer], first, 1)
        np.add.at(edges[buffer], first + nbytes, -1)
