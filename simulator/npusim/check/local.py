"""Walk a stream in program order: hazards and undefined reads in local memory.

A group of blocks shares its local addresses, so one walk answers for all of them; the
parts of a group that splits go on from a copy of the walk's state. Accesses to global
memory are noted with the clock they had, for `npusim.check.shared`.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import NamedTuple

import numpy as np

from npusim.check.barriers import check_barrier
from npusim.check.cells import Cells, Clash, Reused, Touch, Undefined, runs
from npusim.check.clocks import CROSS_FLAGS, PIPE_INDEX, Clock, Clocks, Published
from npusim.check.findings import Findings, itemsize_of
from npusim.check.hazards import report_clash
from npusim.check.reuse import Reuse
from npusim.core.stream import Access, Segment, Step, Stream
from npusim.lang.program import ADDRESS_BITS

STEPS_AFTER_FAULT = 20_000
"""Steps of a segment looked at where execution stopped at a fault: a kernel that used
up its budget leaves a million alike, and its message is the fault's."""


class GlobalTouch(NamedTuple):
    """One access to a buffer, with what its pipe knew at that moment.

    All blocks of a group mean the same buffer (execution parts those that do not).
    """

    touch: Touch
    clock: Clock
    buffer_id: int
    epoch: int = 0


class Walk:
    """The state of a walk between two steps. `order` counts steps from the launch."""

    def __init__(self, flags: int = 0) -> None:
        self.clocks = Clocks(flags)
        self.memories: defaultdict[str, Cells] = defaultdict(Cells)
        self.order = 0
        self.segment: Segment | None = None  # the one that is walked now
        self.last_queue = -1  # order of the last queue call
        self.global_touches: list[GlobalTouch] = []
        self.last: Step | None = None  # the last step that touched memory
        self.barrier: Step | None = None  # a barrier of one pipe since then

    def copy(self) -> Walk:
        """An independent copy without the accesses noted so far."""
        other = Walk()
        other.clocks, other.order = self.clocks.copy(), self.order
        other.last_queue = self.last_queue
        other.last, other.barrier = self.last, self.barrier
        for space, cells in self.memories.items():
            other.memories[space] = cells.copy()
        return other


class LocalCheck:
    """Walks every segment of the streams once."""

    def __init__(self, findings: Findings):
        self.findings = findings
        self.reuse = Reuse(findings)
        self._walks: dict[int, Walk] = {}
        faulty = bool(findings.execution.faults)
        self._limit = STEPS_AFTER_FAULT if faulty else None
        code = findings.execution.program.code
        crossing = any(getattr(op, "name", "") == "cross_core_wait_flag" for op in code)
        self.flags = CROSS_FLAGS if crossing else 0
        self.published: dict[int, dict[tuple[int, int], Published]] = {}  # by block

    def walk(self, stream: Stream) -> list[tuple[Segment, list[GlobalTouch]]]:
        """The accesses to global memory of each segment, first segment first."""
        walk = Walk(self.flags)
        touches = []
        for segment in stream.segments():
            known = self._walks.get(id(segment))
            if known is None:
                known = self._walk_segment(walk.copy(), segment)
                self._walks[id(segment)] = known
            walk = known
            touches.append((segment, walk.global_touches))
        if self.flags:
            self.published |= dict.fromkeys(
                stream.blocks.tolist(), walk.clocks.published
            )
        return touches

    def _walk_segment(self, walk: Walk, segment: Segment) -> Walk:
        core, walk.segment = int(segment.blocks[0]), segment
        for step in islice(segment.steps, self._limit):
            if step.sync is not None:
                walk.clocks.apply(step.sync)
                if step.cost.kind == "barrier" and step.sync.source != "ALL":
                    walk.barrier = step
            if step.cost.kind == "queue":
                walk.last_queue = walk.order
            if step.reads or step.writes:
                if walk.barrier is not None:
                    self._check_barrier(walk, step, core)
                walk.last = step
                self._touch(walk, step, core)
            walk.order += 1
        return walk

    def _check_barrier(self, walk: Walk, step: Step, core: int) -> None:
        barrier, walk.barrier = walk.barrier, None
        if walk.last is not None and barrier is not None:
            check_barrier(self.findings, walk.last, barrier, step, core, walk.order)

    def _touch(self, walk: Walk, step: Step, core: int) -> None:
        pipe = PIPE_INDEX[step.pipe]
        position = walk.clocks.advance(pipe)
        clock = walk.clocks.known[pipe]
        for access in step.reads:
            touch = Touch(pipe, position, step, access, "read", walk.order)
            self._access(walk, touch, clock, core)
        for access in step.writes:
            touch = Touch(pipe, position, step, access, "write", walk.order)
            self._access(walk, touch, clock, core)

    def _access(self, walk: Walk, touch: Touch, clock: Clock, core: int) -> None:
        access = touch.access
        if access.total_nbytes == 0:
            return
        if access.space == "GM":
            base = access.base
            first = int(base[0]) if isinstance(base, np.ndarray) else base
            found = GlobalTouch(touch, clock, first >> ADDRESS_BITS, walk.clocks.epoch)
            walk.global_touches.append(found)
            return
        cells = walk.memories[access.space]
        look = cells.read if touch.kind == "read" else cells.write
        troubles = [
            trouble
            for begin, end in runs(access, access.base)  # type: ignore[arg-type]
            for trouble in look(begin, end, touch, clock)
        ]
        if troubles:
            self._report(walk, troubles, core)

    def _report(
        self, walk: Walk, troubles: list[Clash | Undefined | Reused], core: int
    ) -> None:
        clashes = [t for t in troubles if isinstance(t, Clash)]
        for clash in clashes:
            first = clash.first
            walk.clocks.assume(clash.second.pipe, first.pipe, first.position)
        report_clash(self.findings, clashes, core)
        undefined = [t for t in troubles if isinstance(t, Undefined)]
        if undefined:
            assert walk.segment is not None
            report_undefined(self.findings, undefined, core, walk.segment)
        reused = [t for t in troubles if isinstance(t, Reused)]
        self.reuse.report(reused, core, walk.last_queue)


def report_undefined(
    findings: Findings, found: list[Undefined], core: int, segment: Segment
) -> None:
    """ASC-INIT-11 for bytes never written, ASC-PAD-04 for padding, once an access."""
    for contents, code in (("fresh", "ASC-INIT-11"), ("padding", "ASC-PAD-04")):
        parts = [part for part in found if part.contents == contents]
        if parts:
            _report_contents(findings, code, parts, core, segment)


def _report_contents(
    findings: Findings,
    code: str,
    parts: list[Undefined],
    core: int,
    segment: Segment,
) -> None:
    touch, write = parts[0].touch, parts[0].write
    step, access = touch.step, touch.access
    if findings.knows(code, step, write.step if write else None):
        return
    start = segment.origin(_start(access))
    facts = undefined_facts(findings, parts, touch.step, access, start)
    facts["writer"] = write.step.name if write else None
    other = write.step if write else None
    findings.add(code, step, facts, core=core, order=touch.order, other=other)


def _start(access: Access) -> int:
    return int(access.base)  # type: ignore[arg-type]


def undefined_facts(
    findings: Findings, parts: list[Undefined], step: Step, access: Access, start: int
) -> dict[str, object]:
    """Facts of a read of undefined bytes; offsets count from byte `start`."""
    itemsize = itemsize_of(findings.execution.program, step, access.name)
    nbytes = sum(part.end - part.begin for part in parts)
    byte = min(part.begin for part in parts) - start
    return {
        "operation": step.name,
        "buffer": access.name,
        "nbytes": nbytes,
        "count": -(-nbytes // itemsize),
        "byte": byte,
        "element": byte // itemsize,
        "required": "defined bytes",
    }
