"""A clean walk is used again for the same steps, and only for these."""

from __future__ import annotations

import numpy as np
import pytest

from npusim import asc
from npusim.check.local import LocalCheck
from npusim.core.reuse import forget

TILE = 64


@asc.jit
def double(x: asc.GlobalAddress, z: asc.GlobalAddress, tiles: int, waits: int):
    """z = 2 x; without a wait for the copy-in where `waits` is 0."""
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, TILE)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 4 * TILE, TILE)
    gx, gz = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x)
    gz.set_global_buffer(z)
    for i in range(tiles):
        at = (asc.get_block_idx() * tiles + i) * TILE
        asc.data_copy(a, gx[at:], TILE)
        if waits:
            asc.set_flag(asc.HardEvent.MTE2_V, 0)
            asc.wait_flag(asc.HardEvent.MTE2_V, 0)
        asc.add(b, a, a, TILE)
        asc.set_flag(asc.HardEvent.V_MTE3, 0)
        asc.wait_flag(asc.HardEvent.V_MTE3, 0)
        asc.data_copy(gz[at:], b, TILE)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


def launch(blocks=3, tiles=2, waits=1, apart=0):
    count = blocks * tiles * TILE
    x = np.arange(count + apart, dtype=np.float32)[apart:]
    z = np.zeros(count, np.float32)
    run = double[blocks](x, z, tiles, waits)
    assert (z == 2 * x).all()
    return run


@pytest.fixture
def walks(monkeypatch):
    forget()
    seen, walk = [], LocalCheck.walk
    monkeypatch.setattr(LocalCheck, "walk", lambda *a: seen.append(1) or walk(*a))
    return seen


def test_a_second_launch_is_not_walked(walks):
    first = launch()
    count = len(walks)
    second = launch(apart=5)
    assert count and len(walks) == count
    assert first.diagnostics == second.diagnostics == ()
    assert first.cycles == second.cycles


def test_other_steps_are_walked(walks):
    launch(tiles=2)
    count = len(walks)
    launch(tiles=3)
    assert len(walks) > count


def test_a_hazard_after_clean_launches_is_found_every_time(walks):
    launch()
    for _ in range(3):
        with pytest.raises(asc.KernelError) as caught:
            launch(waits=0)
        assert {d.code for d in caught.value.diagnostics} == {"ASC-RACE-15"}
    launch()


@asc.jit
def share(x: asc.GlobalAddress, z: asc.GlobalAddress, pitch: int):
    """Each block copies a tile to `pitch` elements behind the previous block's."""
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, TILE)
    gx, gz = asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x)
    gz.set_global_buffer(z)
    asc.data_copy(a, gx, TILE)
    asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.data_copy(gz[asc.get_block_idx() * pitch :], a, TILE)


def test_clashes_between_cores_are_looked_for_in_each_launch(walks):
    x, z = np.ones(TILE, np.float32), np.zeros(4 * TILE, np.float32)
    share[4](x, z, TILE)
    count = len(walks)
    with pytest.raises(asc.KernelError) as caught:
        share[4](x, z, TILE // 2)
    assert len(walks) == count  # the same steps at other places
    assert "ASC-GM-06" in {d.code for d in caught.value.diagnostics}
