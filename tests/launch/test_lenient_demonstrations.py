"""Three damages that a lesson can show, each as a closed form predicts it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from npusim import asc
from npusim.diagnostic import KernelError
from npusim.launch.kernel import Kernel
from npusim.launch.replay.order import PIECES
from npusim.launch.replay.pattern import pattern
from npusim.timing import TICKS_PER_CYCLE

FOLDER = Path(__file__).parents[1] / "kernels" / "demonstrations"
TILE, TILES = 256, 9
X = np.arange(TILE * TILES, dtype=np.float32) + 1000.0


def demonstration(name: str, kernel: str) -> Kernel:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, kernel)


def codes(run) -> set[str]:
    return {d.code for d in run.found}


def undefined(start: int, count: int, dtype) -> np.ndarray:
    return pattern(start, count * np.dtype(dtype).itemsize).view(dtype)


# ------------------------------------------------------------------------------ race
def race(buffers: int, before: bool, after: bool):
    """(run, z as tiles)."""
    z = np.zeros_like(X)
    kernel = demonstration("race", "double")
    run = kernel.launch(
        X, z, X.size, TILE, buffers, before, after, blocks=1, mode="lenient"
    )
    return run, z.reshape(TILES, TILE)


def tile_in(buffers: int, tile: int, seen: int) -> np.ndarray:
    """What the buffer of `tile` holds when copy `seen` (< 0: none) was its last."""
    if seen < 0:
        return undefined(tile % buffers * TILE * 4, TILE, np.float32)
    return X.reshape(TILES, TILE)[seen]


@pytest.mark.parametrize("buffers", [1, 2])
def test_a_flag_set_too_early_gives_each_tile_the_data_of_its_buffers_last_tile(
    buffers,
):
    run, z = race(buffers, True, False)
    assert codes(run) == {"ASC-RACE-15"} and run.mode == "lenient"
    for tile in range(TILES):
        wanted = 2 * tile_in(buffers, tile, tile - buffers)
        np.testing.assert_array_equal(z[tile], wanted, err_msg=f"tile {tile}")


@pytest.mark.parametrize("buffers", [1, 2])
def test_a_missing_flag_gives_what_had_landed_when_v_began(buffers):
    run, z = race(buffers, False, False)
    copies = [e for e in run.events() if e.pipe == "MTE2" and e.name == "data_copy"]
    vectors = [e for e in run.events() if e.name == "muls"]
    stale = 0
    for tile, vector in enumerate(vectors):
        seen = tile_in(buffers, tile, -1).copy()
        for i in range(tile % buffers, TILES, buffers):
            share = landed_parts(copies[i], vector.start_cycle) * TILE // PIECES
            seen[:share] = X.reshape(TILES, TILE)[i, :share]
        stale += not (seen == X.reshape(TILES, TILE)[tile]).all()
        np.testing.assert_array_equal(z[tile], 2 * seen, err_msg=f"tile {tile}")
    assert codes(run) == {"ASC-RACE-15"} and stale == TILES


def landed_parts(copy, at: float) -> int:
    """Eighths of a copy's time that are over at cycle `at` (whole ticks)."""
    begin, end, now = (
        round(c * TICKS_PER_CYCLE) for c in (copy.start_cycle, copy.end_cycle, at)
    )
    ends = [begin + (end - begin) * k // PIECES for k in range(1, PIECES + 1)]
    return sum(tick <= now for tick in ends)


@pytest.mark.parametrize("buffers", [1, 2])
def test_the_flag_in_its_place_mends_the_race(buffers):
    run, z = race(buffers, False, True)
    assert run.found == () and (z.ravel() == 2 * X).all()


def test_strict_mode_refuses_the_same_launch():
    kernel, z = demonstration("race", "double"), np.zeros_like(X)
    with pytest.raises(KernelError) as caught:
        kernel[1](X, z, X.size, TILE, 1, True, False)
    assert {d.code for d in caught.value.diagnostics} == {"ASC-RACE-15"}
    assert (z == 0).all()


# ------------------------------------------------------------------------------ tail
@pytest.mark.parametrize("n", [5, 16, 17, 31, 1003])
def test_a_copy_rounded_down_leaves_the_tail(n):
    x = np.arange(n, dtype=np.float16)
    z = np.full(n, -1, np.float16)
    room = -(-n // 16) * 16
    run = demonstration("tail", "rounded").launch(
        x, z, n, room, blocks=1, mode="lenient"
    )
    moved = n // 16 * 16
    assert (z[:moved] == x[:moved] + 1).all() and (z[moved:] == -1).all()
    assert ("ASC-MTE-01" in codes(run)) == (n % 16 != 0)
    demonstration("tail", "exact").launch(x, z, n, room, blocks=1, mode="lenient")
    assert (z == x + 1).all()


def test_both_rounded_copies_are_reported_once_with_their_lines():
    x, z = np.zeros(5, np.float16), np.zeros(5, np.float16)
    run = demonstration("tail", "rounded").launch(x, z, 5, 16, blocks=1, mode="lenient")
    found = [d for d in run.found if d.code == "ASC-MTE-01"]
    assert len({d.where.line for d in found}) == len(found) == 2
    assert all(d.severity == "E" and d.facts["nbytes"] == 10 for d in found)


# --------------------------------------------------------------------------- padding
@pytest.mark.parametrize("n", [1, 7, 11, 61])
def test_a_maximum_over_padding_is_that_of_the_padding(n):
    x, z = np.linspace(-3, 3, n, dtype=np.float32), np.zeros(1, np.float32)
    whole, room = -(-n // 8) * 8, 64
    kernel = demonstration("padding", "largest")
    run = kernel.launch(x, z, n, whole, room, blocks=1, mode="lenient")
    filler = undefined(n * 4, whole - n, np.float32)
    assert z[0] == max(x.max(), filler.max()) == filler.max() > x.max()
    assert codes(run) & {"ASC-INIT-11", "ASC-PAD-04"}
    run = kernel.launch(x, z, n, n, room, blocks=1, mode="lenient")
    assert z[0] == x.max() and run.found == ()


def test_settings_choose_the_mode_for_a_whole_cell():
    x, z = np.ones(5, np.float16), np.zeros(5, np.float16)
    with asc.settings(mode="lenient"):
        run = demonstration("tail", "rounded")[1](x, z, 5, 16)
    assert run.mode == "lenient" and (z == 0).all()
