"""Laws that every launch obeys, on every chip: more work never takes less time."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from timing_streams import StreamBuilder, execution, gm

from npusim.chip import chip_names, load_chip
from npusim.fidelity.micro import kernels
from npusim.timing import time_execution

ROOM = 1 << 34
APART = 1 << 22  # bytes between the data of two blocks
# A longer kernel loads the chip less: its other copies may gain what sharing cost them.
TOLERANCE = 0.006
COSTS = [
    name
    for name in load_chip("910B1").mechanisms
    if name not in ("l2_residency", "l2_write_absorption", "l2_bypass", "waves")
]


@dataclass(frozen=True)
class Piece:
    """A step of a random kernel: bytes, bursts, a stride or not, and a number."""

    kind: str
    nbytes: int
    count: int
    strided: bool
    number: int

    @property
    def pitch(self) -> int:
        return 2 * self.nbytes + 32 * self.number if self.strided else self.nbytes


def load(build: StreamBuilder, piece: Piece, base: np.ndarray) -> None:
    build.load(0, gm(1, base), piece.nbytes, piece.count, piece.pitch)


def store(build: StreamBuilder, piece: Piece, base: np.ndarray) -> None:
    build.store(gm(2, base), 0, piece.nbytes, piece.count, piece.pitch)


def vector(build: StreamBuilder, piece: Piece, base: np.ndarray) -> None:
    key = ("add", "exp", "adds")[piece.number]
    target = 0 if piece.strided else 131072
    build.vector(key, target, [65536, 65792], piece.nbytes)


def scalar(build: StreamBuilder, piece: Piece, base: np.ndarray) -> None:
    kind = ("get_value", "set_value", "get_value")[piece.number]
    space = "UB" if piece.number == 2 else "GM"
    build.scalar(kind, gm(1 + piece.number, base), space)


def order(build: StreamBuilder, piece: Piece, base: np.ndarray) -> None:
    if piece.strided:
        build.barrier(("ALL", "V", "MTE2")[piece.number])
        return
    event = ("MTE2_V", "V_MTE3", "V_S")[piece.number]
    build.set(event)
    build.wait(event)


def queue(build: StreamBuilder, piece: Piece, base: np.ndarray) -> None:
    build.queue("alloc")


APPEND: dict[str, Callable[[StreamBuilder, Piece, np.ndarray], None]] = {
    "load": load,
    "store": store,
    "vector": vector,
    "scalar": scalar,
    "order": order,
    "queue": queue,
}
pieces = st.builds(
    Piece,
    kind=st.sampled_from([*APPEND, "load", "store"]),
    nbytes=st.sampled_from([32, 96, 512, 2048, 4096, 16384, 65536]),
    count=st.integers(1, 6),
    strided=st.booleans(),
    number=st.integers(0, 2),
)


@dataclass(frozen=True)
class Case:
    """A random kernel on some blocks of a chip."""

    pieces: tuple[Piece, ...]
    blocks: int
    chip: str

    def timed(self, shift: int = 0, off: tuple[str, ...] = (), **states):
        build = StreamBuilder(self.blocks)
        base = np.arange(self.blocks) * APART + shift
        for piece in self.pieces:
            APPEND[piece.kind](build, piece, base)
            base = base + -(-piece.pitch * piece.count // 512) * 512
        chip = load_chip(self.chip).without(*off)
        run = execution(build.stream(), chip=chip, sizes={1: ROOM, 2: ROOM, 3: ROOM})
        return time_execution(run, **states)


cases = st.builds(
    Case,
    pieces=st.lists(pieces, min_size=1, max_size=25).map(tuple),
    blocks=st.sampled_from([1, 2, 7, 20, 39, 40, 47, 48, 49, 60, 96, 200]),
    chip=st.sampled_from(chip_names()),
)
FEW = settings(max_examples=60)


def no_faster(more, less) -> bool:
    """Whether `more` takes as long as `less`, up to the tolerance and a cycle."""
    return more.cycles * (1 + TOLERANCE) + 1 >= less.cycles


@FEW
@given(case=cases)
def test_times_are_finite_and_in_order(case):
    timing = case.timed()
    assert 0 < timing.floor_cycles <= timing.cycles < math.inf
    assert all(end >= 0 for end in timing.core_cycles)
    for part in timing.classes:
        pairs = zip(part.start_ticks, part.end_ticks, strict=True)
        assert all(0 <= start <= end for start, end in pairs)


@FEW
@given(case=cases)
def test_states_are_ranked(case):
    """Warm code before cold; inputs in L2 before HBM, clean L2 before dirty."""
    cold = case.timed()
    assert case.timed(code="cold").cycles >= cold.cycles
    assert no_faster(cold, case.timed(cache="l2"))
    assert no_faster(case.timed(cache="dirty"), cold)


@FEW
@given(case=cases, added=pieces)
def test_more_work_takes_no_less_time(case, added):
    """One block more, one step more, twice the bytes, one burst more."""
    base = case.timed()
    assert no_faster(replace(case, blocks=case.blocks + 1).timed(), base)
    longer = replace(case, pieces=(*case.pieces, added))
    assert no_faster(longer.timed(), base)
    last = case.pieces[-1]
    for grown in (
        replace(last, nbytes=2 * last.nbytes),
        replace(last, count=last.count + 1),
    ):
        changed = replace(case, pieces=(*case.pieces[:-1], grown))
        assert no_faster(changed.timed(), base)


@FEW
@given(case=cases, off=st.sampled_from(COSTS))
def test_a_cost_less_takes_no_more_time(case, off):
    assert no_faster(case.timed(), case.timed(off=(off,)))


@FEW
@given(case=cases, shift=st.sampled_from([32, 64, 256]))
def test_misaligned_copies_are_no_faster(case, shift):
    assert no_faster(case.timed(shift), case.timed())


# ------------------------------------------------------------------- equal work, shared
TOTAL = 96 * 32768  # half elements: 6 MiB


def shared_out(chip, blocks, slots, cache, **form):
    x = np.zeros(TOTAL, np.float16)
    form = {"read": 1, "write": 1, "bypass": 0, **form}
    return kernels.stream.launch(
        x, np.zeros_like(x), TOTAL // blocks, 4096, slots, form["read"],
        form["write"], form["bypass"], blocks=blocks, chip=chip, cache=cache,
    )  # fmt: skip


@pytest.mark.parametrize("chip", chip_names())
@pytest.mark.parametrize("slots, cache", [(1, "cold"), (2, "dirty"), (2, "l2")])
def test_equal_work_on_more_cores_costs_no_more_than_their_start(chip, slots, cache):
    model = load_chip(chip)
    head = model.cycles_of_ns(model.constant("warm_core"))
    counts = [n for n in (1, 2, 4, 6, 8, 12, 24, 48) if n <= model.vector_cores]
    runs = [shared_out(model, n, slots, cache) for n in counts]
    for fewer, more in zip(runs, runs[1:], strict=False):
        assert max(more.core_cycles) <= max(fewer.core_cycles)
        started = head * (len(more.core_cycles) - len(fewer.core_cycles))
        assert more.cycles <= fewer.cycles + started + 1
        assert more.time_us >= more.floor_us


def test_sharing_sets_in_without_a_jump():
    """One core more, each with its own work: a few per cent, at any load."""

    def core(blocks):
        share = 16 * 8192
        x = np.zeros(blocks * share, np.float16)
        run = kernels.stream.launch(
            x, np.zeros_like(x), share, 4096, 1, 1, 1, 0, blocks=blocks
        )
        return max(run.core_cycles)

    times = [core(blocks) for blocks in range(1, 17)]
    steps = [b / a for a, b in zip(times, times[1:], strict=False)]
    assert all(1.0 <= step < 1.03 for step in steps)


def test_few_readers_of_one_address_take_few_turns():
    """The published factor is that of 48 cores; it grows with the other cores."""
    chip = load_chip("910B1")
    x = np.zeros(16 * 8192, np.float16)
    lost = {}
    for cores in (1, 2, 24, 48):
        same, staggered = (
            kernels.one_array.launch(x, 16, 8192, own, blocks=cores, chip=chip)
            for own in (0, 1)
        )
        lost[cores] = same.timing.cycles / staggered.timing.cycles - 1
    assert lost[1] == 0 and lost[2] < 0.002
    assert 0.02 < lost[24] < lost[48]
