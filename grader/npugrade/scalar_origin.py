"""Which bytes of the results did the scalar unit make?

A result that the scalar unit computes in UB and a copy then carries out is as much its
work as one that it stores in global memory itself. So the bytes are followed: a store
of the scalar unit marks what it writes, a copy carries the marks along, and a vector
or cube instruction leaves a mark only where all that it read was marked (adding 0 to a
scalar result does not make it a vector result). Runs of one case are taken in order.

Left out: a number that a vector instruction takes from a scalar register (`duplicate`,
`adds`), which the stream does not tell. The blocks of a group share their marks of
local memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from npusim.core.stream import Access, Step, Stream
from npusim.lang.program import ADDRESS_BITS
from npusim.launch import Run

_OFFSET = (1 << ADDRESS_BITS) - 1
_LOCAL_NBYTES = 1 << 20  # more than any local memory of a core has
_PASSES = 2  # the second one knows what other blocks left in global memory


class Marks:
    """Marked bytes of the tensors of one case, by the tensors' numbers."""

    def __init__(self) -> None:
        self._tensors: dict[int, np.ndarray] = {}

    def follow(self, run: Run, tensors: Mapping[int, int]) -> None:
        """Take a run into account; `tensors`: number by buffer id of the run."""
        for buffer_id, number in tensors.items():
            nbytes = run.execution.buffers[buffer_id].nbytes
            self._tensors.setdefault(number, np.zeros(nbytes, bool))
        global_marks = {b: self._tensors[n] for b, n in tensors.items()}
        for _ in range(_PASSES):
            for stream in run.execution.streams:
                _Follower(global_marks).follow(stream)

    def count(self, numbers: Sequence[int]) -> int:
        """How many bytes of these tensors are marked."""
        found = (self._tensors.get(number) for number in numbers)
        return sum(int(np.count_nonzero(m)) for m in found if m is not None)


def stored_nbytes(run: Run) -> int:
    """Bytes that the scalar unit stores anywhere: no fewer than the marked ones, where
    nothing is spread."""
    return sum(
        access.total_nbytes * len(stream.blocks)
        for stream in run.execution.streams
        for step in stream.steps()
        if step.pipe == "S"
        for access in step.writes
    )


class _Follower:
    """The marks of one stream's local memory, and those of global memory."""

    def __init__(self, global_marks: Mapping[int, np.ndarray]):
        self._global = global_marks
        self._local: dict[str, np.ndarray] = {}

    def follow(self, stream: Stream) -> None:
        for step in stream.localized():
            if step.writes:
                self._step(step)

    def _step(self, step: Step) -> None:
        copies = step.pipe.startswith("MTE")
        read = [self._read(access) for access in step.reads]
        for access in step.writes:
            if step.pipe == "S":
                marks = np.ones(access.total_nbytes, bool)
            elif copies:
                marks = _carried(read, access.total_nbytes)
                read = []  # a second write of a copy is padding
            else:
                marks = _computed(read, access.total_nbytes)
            self._write(access, marks)

    def _read(self, access: Access) -> np.ndarray:
        found = [part[where] for part, where in self._places(access)]
        return np.any(found, axis=0) if found else np.zeros(access.total_nbytes, bool)

    def _write(self, access: Access, marks: np.ndarray) -> None:
        for part, where in self._places(access):
            part[where] = part[where] | marks if access.atomic else marks

    def _places(self, access: Access) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Mark arrays and the indices of the access's bytes in them, in order."""
        runs = access.pitch * np.arange(access.count)[:, None]
        offsets = (runs + np.arange(access.nbytes)).reshape(-1)
        if access.space != "GM":
            local = self._local.setdefault(access.space, np.zeros(_LOCAL_NBYTES, bool))
            yield local, int(access.base) + offsets  # type: ignore[arg-type]
            return
        for base in np.unique(np.atleast_1d(access.base)).tolist():
            yield self._global[base >> ADDRESS_BITS], (base & _OFFSET) + offsets


def _carried(read: Sequence[np.ndarray], nbytes: int) -> np.ndarray:
    """The marks of what was read, byte by byte; of padding none."""
    marks = np.zeros(nbytes, bool)
    source = np.concatenate(read)[:nbytes] if read else marks[:0]
    marks[: len(source)] = source
    return marks


def _computed(read: Sequence[np.ndarray], nbytes: int) -> np.ndarray:
    """Marked where all operands are; an operand of another length counts whole."""
    marks = np.full(nbytes, bool(read))
    for source in read:
        marks &= source if len(source) == nbytes else bool(source.all())
    return marks
