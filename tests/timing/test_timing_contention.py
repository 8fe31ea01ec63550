"""Many cores: bandwidth is shared, never exceeded, and the solution is stable."""

import math

import numpy as np
import pytest
from timing_streams import StreamBuilder, add_ladder, execution, gm

from npusim.chip import load_chip
from npusim.timing import time_execution
from npusim.timing.classes import group_blocks, total_bytes
from npusim.timing.contention import Launch, solve
from npusim.timing.lower import lower
from npusim.timing.rates import CopyModel
from npusim.timing.share import soft_maximum
from npusim.timing.traffic import CacheState, cache_shares

CHIP = load_chip("910B1")
MIB = 1 << 20


def readers(cores: int, tiles: int = 16, nbytes: int = 32768) -> StreamBuilder:
    """Every core reads `tiles` tiles of its own, one after another."""
    build = StreamBuilder(cores)
    base = np.arange(cores) * tiles * nbytes
    for tile in range(tiles):
        build.load(0, gm(1, base + tile * nbytes), nbytes)
    return build


def core_time_ns(cores: int, **states) -> float:
    timing = time_execution(execution(readers(cores).stream()), **states)
    return max(timing.core_cycles) / CHIP.clock_ghz


@pytest.mark.parametrize("power", [1.0, 1.5, 1.75, 2.0, 1.6875])
def test_soft_maximum_is_the_power_mean(power):
    combine = soft_maximum(power)
    for a in (0.0, 1e-3, 0.5, 1.0, 7.0, 1e6):
        for b in (0.0, 0.2, 1.0, 3.0, 12345.0):
            expected = (a**power + b**power) ** (1 / power)
            assert combine(a, b) == pytest.approx(expected, rel=1e-12)
            assert combine(a, b) == combine(b, a) >= max(a, b)


@pytest.mark.parametrize("power", [0.5, 1.7, 1 + 1 / 32])
def test_soft_maximum_refuses_other_powers(power):
    with pytest.raises(ValueError, match="multiple of 1/16"):
        soft_maximum(power)


def test_one_core_reaches_its_own_rate():
    nbytes = 16 * 32768
    rate = nbytes / core_time_ns(1)  # bytes/ns, latency and issue included
    assert 0.9 * 60 * 1.85 < rate <= 60 * 1.85


@pytest.mark.parametrize("cores", [2, 8, 16, 24, 32, 48])
def test_bandwidth_is_never_exceeded(cores):
    rate = cores * 16 * 32768 / core_time_ns(cores)
    assert rate <= CHIP.constant("hbm_read")
    assert rate <= cores * 60 * 1.85


def test_many_cores_come_close_to_the_chip():
    assert 48 * 16 * 32768 / core_time_ns(48) > 0.85 * CHIP.constant("hbm_read")


def test_time_grows_with_cores_and_total_time_falls():
    times = [core_time_ns(n) for n in (1, 4, 16, 48)]
    assert times == sorted(times)
    assert all(t / n < times[0] for t, n in zip(times[1:], (4, 16, 48), strict=True))


def solved(run):
    streams = lower(run.streams, CHIP)
    sizes = {b: buffer.data.nbytes for b, buffer in run.buffers.items()}
    shares = cache_shares(CHIP, total_bytes(streams), sizes, CacheState("cold"))
    launch = Launch(CHIP, group_blocks(streams), CopyModel(CHIP, shares), 0)
    return launch, solve(launch)


@pytest.mark.parametrize(
    "run",
    [
        execution(readers(48).stream()),
        execution(readers(12, 3, 512).stream()),
        add_ladder(48, 16384, 2, 1 << 24),
        add_ladder(30, 4096, 1, 1 << 22),
    ],
    ids=["readers", "few", "double", "single"],
)
def test_the_fixed_point_holds_from_above(run):
    launch, found = solved(run)
    assert found.last >= launch.machine * 256
    if launch.unloaded(found.implied):
        assert found.active == 0.0
    else:
        assert found.implied <= found.active <= found.implied * 1.0011


def test_the_solver_needs_few_evaluations(monkeypatch):
    calls = []
    evaluate = Launch.evaluate
    monkeypatch.setattr(
        Launch,
        "evaluate",
        lambda self, *x: calls.append(x) or evaluate(self, *x),
    )
    time_execution(add_ladder(48, 16384, 2))
    assert 2 <= len([x for x in calls if len(x) == 1]) <= 6  # in brief
    assert calls[-1][1] is False and len([x for x in calls if len(x) == 2]) == 1
    calls.clear()
    time_execution(execution(readers(1).stream()))
    assert calls == [(0.0,), (0.0, False)]


def test_the_same_launch_takes_the_same_cycles():
    results = {time_execution(add_ladder(48, 4096, 2, 1 << 22)).cycles for _ in "ab"}
    assert len(results) == 1


def test_more_bytes_never_take_less_time():
    cycles = [
        time_execution(execution(readers(1, 4, n).stream())).cycles
        for n in range(512, 40000, 3072)
    ]
    assert cycles == sorted(cycles)


def test_copies_behind_a_loaded_chip_wait_for_bandwidth():
    (one,) = time_execution(execution(readers(48).stream())).classes
    assert one.waits == [""] + ["bandwidth"] * 15
    (alone,) = time_execution(execution(readers(1).stream())).classes
    assert alone.waits == [""] + ["pipe"] * 15


def test_latency_grows_with_the_load():
    (one,) = time_execution(execution(readers(48).stream())).classes
    first = (one.end_ticks[0] - one.start_ticks[0]) / 256
    second = (one.end_ticks[1] - one.start_ticks[1]) / 256
    assert 1.5 * 403.3 < first - second <= math.ceil(2.6 * 403.3)


@pytest.mark.parametrize(
    "cores, tile, slots, published_us",
    [(48, 4096, 1, 306.58), (48, 16384, 1, 268.5), (48, 16384, 2, 264.02)],
)
def test_published_add_ladder(cores, tile, slots, published_us):
    """fp16 Add 8192 x 8192 on 910B1, steps 2 to 4 of the Ascend C sample."""
    timing = time_execution(add_ladder(cores, tile, slots))
    assert timing.cycles / 1850 == pytest.approx(published_us, rel=0.05)
    assert timing.bound == "MTE2"
    assert timing.nbytes_read == 2 * timing.nbytes_written == 256 * MIB


def test_first_step_of_the_published_add_ladder():
    """Step 1, one core: an eighth of the tiles takes an eighth of 6909.6 us."""
    timing = time_execution(add_ladder(1, 4096, 1, 1 << 23))
    assert timing.core_cycles[0] / 1850 * 8 == pytest.approx(6909.6, rel=0.05)


def test_vector_time_of_the_published_add_ladder():
    timing = time_execution(add_ladder(48, 16384, 2))
    assert timing.pipe_cycles["V"] / 1850 == pytest.approx(12.846, rel=0.03)
