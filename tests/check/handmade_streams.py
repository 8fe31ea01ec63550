"""Instruction streams built by hand, for tests of the checks that need no executor.

    s = Streams({"x": 4096, "z": 4096})
    s.step("MTE2", reads=[s.gm("x", 0, 256)], writes=[ub(0, 256)])
    s.set("MTE2_V"); s.wait("MTE2_V")
    codes(s)

Every step stands on its own line, so a pair of lines names a pair of steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npusim.check import check_execution
from npusim.core import Access, Buffer, Cost, Execution, Segment, Step, Stream, Sync
from npusim.diagnostic import Diagnostic, Location
from npusim.lang.program import End, Program
from npusim.lang.types import float32

FAULT = Diagnostic("ASC-RUN-02", "E", None)


def ub(
    base: int, nbytes: int, count: int = 1, pitch: int = 0, undefined: bool = False
) -> Access:
    return Access("UB", base, nbytes, count, pitch or nbytes, "t", undefined)


class Streams:
    """One group of blocks after another; `group` starts the next."""

    def __init__(self, buffers: dict[str, int] | None = None, blocks: int = 1):
        self.buffers = {
            i: Buffer(i, name, float32, np.zeros(nbytes // 4, np.float32))
            for i, (name, nbytes) in enumerate((buffers or {}).items(), 1)
        }
        self.segments = [Segment(np.arange(blocks))]
        self.lines = 0

    def buffer(self, name: str) -> Buffer:
        return next(b for b in self.buffers.values() if b.name == name)

    def gm(self, name: str, offset: Any, nbytes: int, count: int = 1, pitch: int = 0):
        """Bytes of a buffer; `offset` may be an array, one a block."""
        base = offset + (self.buffer(name).buffer_id << 40)
        return Access("GM", base, nbytes, count, pitch or nbytes, name)

    def group(self, blocks: list[int], parent: Segment | None = None) -> Segment:
        self.segments.append(Segment(np.array(blocks), parent))
        return self.segments[-1]

    def step(
        self,
        pipe: str,
        reads: list[Access] = (),
        writes: list[Access] = (),
        sync: Sync | None = None,
        name: str = "op",
        line: int | None = None,
    ) -> Step:
        where = self.lines if line is None else line - 1
        self.lines += line is None
        step = Step(
            0, where, name, pipe, tuple(reads), tuple(writes), Cost("", ""), sync, 0
        )
        self.segments[-1].steps.append(step)
        return step

    def set(self, event: str, number: int = 0) -> Step:
        source, target = event.split("_")
        sync = Sync("set", source, target, ("flag", event, number))
        return self.step(source, sync=sync)

    def wait(self, event: str, number: int = 0) -> Step:
        source, target = event.split("_")
        sync = Sync("wait", source, target, ("flag", event, number))
        return self.step(target, sync=sync)

    def order(self, event: str) -> None:
        self.set(event)
        self.wait(event)

    def barrier(self, pipe: str) -> Step:
        sync = Sync("barrier", pipe, pipe, ("barrier", pipe))
        return self.step("S" if pipe == "ALL" else pipe, sync=sync)

    def execution(self, faults: tuple[Diagnostic, ...] = ()) -> Execution:
        places = tuple(
            Location("test", i + 1, 0, 1, "x") for i in range(max(1, self.lines))
        )
        program = Program("k", (), (End(0),), 0, (), places)
        parents = {id(s.parent) for s in self.segments if s.parent}
        leaves = [s for s in self.segments if id(s) not in parents and len(s.blocks)]
        blocks = sum(len(s.blocks) for s in leaves)
        streams = tuple(map(Stream, sorted(leaves, key=lambda s: s.blocks[0])))
        return Execution(
            program, blocks, None, self.buffers, streams, faults, (), (), 0
        )

    def check(self, faults: tuple[Diagnostic, ...] = ()) -> tuple[Diagnostic, ...]:
        return check_execution(self.execution(faults))


def codes(streams: Streams) -> list[str]:
    return [d.code for d in streams.check()]
