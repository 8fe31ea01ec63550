"""Hand-made instruction streams: what the timing tests feed to `time_execution`."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np

from npusim.chip import Chip, load_chip
from npusim.core.stream import Access, Cost, Segment, Step, Stream, Sync

ADDRESS_BITS = 40


def gm(buffer: int, offset: int | np.ndarray) -> int | np.ndarray:
    """A device address."""
    return (buffer << ADDRESS_BITS) + offset


@dataclass
class StreamBuilder:
    """Appends steps to one segment; addresses in bytes."""

    blocks: int = 1
    first: int = 0
    steps: list[Step] = field(default_factory=list)
    scalar_steps: int = 0

    def add(self, name, pipe, cost, reads=(), writes=(), sync=None) -> None:
        steps, self.scalar_steps = self.scalar_steps, 0
        self.steps.append(
            Step(0, 0, name, pipe, tuple(reads), tuple(writes), cost, sync, steps)
        )

    def load(self, ub, address, nbytes, count=1, pitch=0) -> None:
        cost = Cost("copy", "read", count)
        read = Access("GM", address, nbytes, count, pitch, "x")
        write = Access("UB", ub, nbytes, count, nbytes, "x")
        self.add("data_copy", "MTE2", cost, [read], [write])

    def store(self, address, ub, nbytes, count=1, pitch=0) -> None:
        cost = Cost("copy", "write", count)
        read = Access("UB", ub, nbytes, count, nbytes, "z")
        write = Access("GM", address, nbytes, count, pitch, "z")
        self.add("data_copy", "MTE3", cost, [read], [write])

    def vector(self, key, dst, sources, nbytes, dtype="half") -> None:
        reads = [Access("UB", s, nbytes, 1, nbytes, "s") for s in sources]
        write = Access("UB", dst, nbytes, 1, nbytes, "d")
        cost = Cost("vector", key, -(-nbytes // 256), dtype)
        self.add(key, "V", cost, reads, [write])

    def set(self, event, number=0) -> None:
        self.sync("set", event, number)

    def wait(self, event, number=0) -> None:
        self.sync("wait", event, number)

    def sync(self, kind, event, number) -> None:
        source, target = event.split("_")
        key = ("flag", event, number)
        sync = Sync(kind, source, target, key)
        self.add(f"{kind}_flag", "S", Cost("flag", kind), sync=sync)

    def queue(self, name, kind=None, source="", target="", key=()) -> None:
        sync = Sync(kind, source, target, ("queue", *key)) if kind else None
        self.add(name, "S", Cost("queue", name), sync=sync)

    def barrier(self, pipe) -> None:
        sync = Sync("barrier", pipe, pipe, ("barrier",))
        self.add("pipe_barrier", "S", Cost("barrier", pipe), sync=sync)

    def scalar(self, kind="get_value", address=0, space="UB", nbytes=4) -> None:
        access = Access(space, address, nbytes, 1, nbytes, "s")
        reads, writes = ([access], []) if kind == "get_value" else ([], [access])
        self.add(kind, "S", Cost("scalar", kind), reads, writes)

    def setup(self) -> None:
        self.add("init_buffer", "S", Cost("setup", "init_buffer"))

    def stream(self) -> Stream:
        blocks = np.arange(self.first, self.first + self.blocks)
        return Stream(Segment(blocks, None, self.steps))


def execution(*streams: Stream, chip: Chip | None = None, sizes=None):
    """What `time_execution` reads of an execution; `sizes`: bytes by buffer id."""
    sizes = sizes or {1: 1 << 30, 2: 1 << 30, 3: 1 << 30}
    buffers = {
        b: SimpleNamespace(data=SimpleNamespace(nbytes=n)) for b, n in sizes.items()
    }
    return SimpleNamespace(
        streams=streams, chip=chip or load_chip("910B1"), buffers=buffers
    )


def add_ladder(cores: int, tile: int, slots: int, size: int = 1 << 26):
    """The add of the published ladder: fp16, flags, `slots` buffers, tile elements.

    Whole tiles are dealt to cores in runs; the first cores take one more.
    """
    nbytes = 2 * tile
    least, more = divmod(2 * size // nbytes, cores)
    parts = [(0, more, least + 1, 0), (more, cores - more, least, more)]
    streams = [_add_cores(nbytes, slots, least, *p) for p in parts if p[1] and p[2]]
    return execution(*streams, sizes=dict.fromkeys((1, 2, 3), 2 * size))


def _add_cores(nbytes, slots, least, first, blocks, tiles, ahead) -> Stream:
    build = StreamBuilder(blocks, first)
    index = np.arange(first, first + blocks)
    base = (index * least + (ahead or index)) * nbytes
    for tile in range(tiles):
        _add_tile(build, base + tile * nbytes, nbytes, tile, slots, tiles)
    return build.stream()


def _add_tile(build, offset, nbytes, index, slots, tiles) -> None:
    slot, again = index % slots, index >= slots
    x, y, z = (k * slots * nbytes + slot * nbytes for k in range(3))
    if again:
        build.wait("V_MTE2", slot)
    build.load(x, gm(1, offset), nbytes)
    build.load(y, gm(2, offset), nbytes)
    build.set("MTE2_V", slot)
    build.wait("MTE2_V", slot)
    if again:
        build.wait("MTE3_V", slot)
    build.vector("add", z, [x, y], nbytes)
    if index + slots < tiles:
        build.set("V_MTE2", slot)
    build.set("V_MTE3", slot)
    build.wait("V_MTE3", slot)
    build.store(gm(3, offset), z, nbytes)
    if index + slots < tiles:
        build.set("MTE3_V", slot)
