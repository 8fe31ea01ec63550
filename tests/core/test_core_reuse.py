"""What a launch leaves for the next: never seen in bits, only in time."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from core_builder import BLOCK, Builder, buffers, gm, op, run
from core_kernels import flag, static_add

from npusim.core import reuse
from npusim.core.memory import POISON
from npusim.core.reuse import PROGRAMS, SPARE_NBYTES, forget, kept_for
from npusim.lang.types import HardEvent, float32

TILE = 64


def values(blocks=4, seed=0):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, blocks * 2 * TILE)).astype(np.float32)
    return buffers(x=x, y=y, z=np.zeros_like(x))


def local_steps(done):
    return [s for stream in done.streams for s in stream.steps() if s.pipe == "V"]


def test_the_second_launch_finds_the_steps_of_the_first():
    forget()
    program = static_add(float32, 2 * TILE, TILE)
    first, second = (run(program, values(seed=seed), 4) for seed in (1, 2))
    pairs = list(zip(local_steps(first), local_steps(second), strict=True))
    assert pairs and all(a is b for a, b in pairs)
    for done in (first, second):
        x, y, z = (done.buffers[i].data for i in (1, 2, 3))
        assert (z == x + y).all()
    forget()
    third = run(program, values(seed=1), 4)
    pairs = zip(local_steps(first), local_steps(third), strict=True)
    assert all(a == b and a is not b for a, b in pairs)


def test_launches_of_other_widths_have_memory_of_their_own():
    program = static_add(float32, 2 * TILE, TILE)
    for blocks in (4, 2, 4, 1, 2):
        done = run(program, values(blocks, blocks), blocks)
        x, y, z = (done.buffers[i].data for i in (1, 2, 3))
        assert (z == x + y).all()


def stale_reader():
    """Block 0 fills UB only where `fill`; all blocks write out what they find."""
    b = Builder()
    x, z = (b.param(n, "buffer", float32) for n in "xz")
    fill = b.param("fill", "int")
    local = b.tensor(float32, 0, TILE, "a")
    b.issue("local_tensor", tensor=local)
    at = b.assign(op("*", BLOCK, TILE))
    count = b.assign(op("*", fill, TILE))
    source = gm(float32, x, at, TILE, "x")
    b.issue("data_copy", dst=local, src=source, count=count)
    flag(b, HardEvent.MTE2_MTE3)
    b.issue("data_copy", dst=gm(float32, z, at, TILE, "z"), src=local, count=TILE)
    return b.program()


def test_nothing_of_an_earlier_launch_is_left_in_local_memory():
    program = stale_reader()
    for fill in (1, 0, 1, 0):
        given = buffers(x=np.ones(4 * TILE, np.float32), z=np.zeros(4 * TILE, "f4"))
        done = run(program, {**given, "fill": fill}, 4)
        found = done.buffers[2].data.view(np.uint8)
        assert fill or (found == POISON).all()
        assert not fill or (done.buffers[2].data == 1).all()


def test_what_is_kept_is_bounded():
    forget()
    programs = [static_add(float32, 2 * TILE, TILE) for _ in range(PROGRAMS + 2)]
    for program in programs:
        for blocks in (64, 63, 62, 300):
            run(program, values(blocks), blocks)
    kept = [kept_for(program) for program in programs[-PROGRAMS:]]
    assert all(k.spares for k in kept)
    for k in kept:
        assert sum(spare.memory.nbytes for spare in k.spares) <= SPARE_NBYTES
    assert not kept_for(programs[0]).spares  # pushed out, begun anew


def parting(by):
    """Blocks part by `by`; one kind copies in before all write out what they have."""
    b = Builder()
    x, z, fill = (*(b.param(n, "buffer", float32) for n in "xz"), b.param("fill"))
    at = b.assign(op("*", BLOCK, TILE))
    other = b.branch(op("==", by, 0, "bool"))
    local = b.tensor(float32, 1024, TILE, "a")
    b.issue("local_tensor", tensor=local)
    source = gm(float32, x, at, TILE, "x")
    b.issue("data_copy", dst=local, src=source, count=op("*", fill, TILE))
    flag(b, HardEvent.MTE2_MTE3)
    b.land(other)
    b.issue("local_tensor", tensor=local)
    b.issue("data_copy", dst=gm(float32, z, at, TILE, "z"), src=local, count=TILE)
    return b.program()


def test_blocks_that_part_leave_nothing_behind_and_share_no_byte():
    neighbours, apart = op("//", BLOCK, 2), op("%", BLOCK, 2)
    for by, first in ((neighbours, [0, 1]), (apart, [0, 2])):
        program = parting(by)
        for fill in (1, 0, 1, 0):
            x = np.arange(4 * TILE, dtype=np.float32)
            given = buffers(x=x, z=np.zeros_like(x))
            done = run(program, {**given, "fill": fill}, 4)
            found = done.buffers[2].data.reshape(4, TILE)
            rest = [row for row in range(4) if row not in first or not fill]
            assert (found[rest].view(np.uint8) == POISON).all()
            assert not fill or (found[first] == x.reshape(4, TILE)[first]).all()


def test_neighbours_that_part_keep_their_place_and_their_plans():
    forget()
    program = parting(op("//", BLOCK, 2))
    for _ in "ab":
        x = np.ones(4 * TILE, np.float32)
        run(program, {**buffers(x=x, z=x), "fill": 1}, 4)
    (whole,) = kept_for(program).spares
    first, second = whole.parts[0, 1], whole.parts[2, 3]
    assert all(np.shares_memory(part.memory, whole.memory) for part in (first, second))
    assert not np.shares_memory(first.memory, second.memory)
    assert first.plans and second.plans and whole.filled >= 1024 + 4 * TILE


class Yielding(list):
    """Whoever uses the list lets another thread go first."""

    def __getattribute__(self, name):
        time.sleep(1e-5)
        return super().__getattribute__(name)

    def __delitem__(self, key):
        super().__delitem__(key)
        time.sleep(1e-5)

    def __iter__(self):
        for one in list(super().__iter__()):
            time.sleep(1e-5)
            yield one


def test_launches_in_several_threads_recall_their_own_plans(monkeypatch):
    """More programs than are kept, so that threads push out what others use."""
    monkeypatch.setattr(reuse, "_kept", Yielding())
    programs = [static_add(float32, 2 * TILE, TILE) for _ in range(PROGRAMS + 1)]

    def launch(number):
        program, blocks = programs[number % len(programs)], 4 + number % 3
        done = run(program, values(blocks, number), blocks)
        x, y, z = (done.buffers[i].data for i in (1, 2, 3))
        assert not done.faults and (z == x + y).all()
        return kept_for(program).program is program

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(launch, range(200)))
