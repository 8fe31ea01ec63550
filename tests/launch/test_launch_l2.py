"""The L2 of the device between launches: what stays, how much, and what is dirty."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from npusim import asc
from npusim.launch.l2 import L2State, Used
from npusim.timing.traffic import displaced_dirty

BLOCKS, TILE = 48, 8192
COUNT = BLOCKS * TILE
ROOM = 1000


@asc.jit
def move(x: asc.GlobalAddress, z: asc.GlobalAddress, named: asc.GlobalAddress):
    """One tile a block from x to z; `named` is not touched."""
    gx, gz, gn = asc.GlobalTensor(), asc.GlobalTensor(), asc.GlobalTensor()
    gx.set_global_buffer(x)
    gz.set_global_buffer(z)
    gn.set_global_buffer(named)
    tile = asc.LocalTensor(asc.half, asc.TPosition.VECCALC, 0, 8192)
    start = asc.get_block_idx() * 8192
    asc.data_copy(tile, gx[start:], 8192)
    asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.data_copy(gz[start:], tile, 8192)


def halves(count=COUNT):
    return np.zeros(count, np.float16)


def launch(x, z, named, cache="keep"):
    return move.launch(x, z, named, blocks=BLOCKS, cache=cache)


def hits(run):
    return run.timing.l2.read_hit


def test_a_tensor_that_was_only_named_is_not_warm():
    x, z, named = halves(), halves(), halves()
    launch(x, z, named, "cold")
    assert hits(launch(named, z, x)) == 0
    assert hits(launch(x, z, named)) == x.nbytes


def test_what_the_launch_before_wrote_is_read_from_l2():
    x, z, other = halves(), halves(), halves()
    cold = launch(z, x, other, "cold")
    launch(x, z, other, "cold")
    kept = launch(z, x, other)
    assert hits(kept) == z.nbytes
    assert kept.cycles < cold.cycles


def test_a_tensor_moved_in_part_is_warm_in_part():
    x, z, other = halves(2 * COUNT), halves(), halves()
    launch(x, z, other, "cold")
    assert hits(launch(x, z, other)) == x.nbytes / 4  # half of the half that is read


def test_arguments_in_l2_stay_there():
    x, z, named = halves(), halves(), halves()
    launch(x, z, named, "l2")
    assert hits(launch(named, z, x)) == named.nbytes


def test_lines_of_a_running_network_are_written_back_by_the_next_launch_too():
    x, z, other, fresh = halves(), halves(), halves(), halves()
    after = {}
    for cache in ("cold", "dirty"):
        launch(x, z, other, cache)
        after[cache] = launch(x, fresh, other)
    assert after["cold"].timing.l2.write_miss == 0
    assert after["dirty"].timing.l2.write_miss == fresh.nbytes
    assert after["cold"].cycles < after["dirty"].cycles


class Host:
    """Something that can be referred to weakly."""


def used(host, nbytes, written=False):
    return Used(host, id(host), nbytes, 1.0, written)


@given(
    launches=st.lists(
        st.tuples(st.integers(0, 5), st.integers(1, 1200), st.booleans()), max_size=12
    ),
    first=st.sampled_from(["cold", "dirty", "l2"]),
)
def test_no_more_is_resident_than_l2_holds(launches, first):
    hosts, state = [Host() for _ in range(6)], L2State()
    state.after(first, [], ROOM)
    for which, nbytes, written in launches:
        state.after("keep", [used(hosts[which], nbytes, written)], ROOM)
        held = sum(line.nbytes for line in state.lines)
        assert held + state.foreign_dirty <= ROOM
        assert nbytes > ROOM or id(hosts[which]) in state.resident(id)
        older = state.older([], ROOM)
        assert sum(n for n, _ in older) == ROOM
        assert displaced_dirty(older, ROOM) <= ROOM


def test_the_oldest_goes_first_and_dead_memory_is_forgotten():
    first, second, third = Host(), Host(), Host()
    state = L2State()
    for host in (first, second, third):
        state.after("keep", [used(host, 400)], ROOM)
    assert set(state.resident(id)) == {id(second), id(third)}
    del second
    assert set(state.resident(id)) == {id(third)}


@pytest.mark.parametrize(
    "nbytes, dirty", [(0, 0), (100, 50), (200, 100), (250, 150), (900, 150)]
)
def test_dirty_lines_leave_oldest_first(nbytes, dirty):
    assert displaced_dirty([(200, 0.5), (50, 1.0), (300, 0.0)], nbytes) == dirty
