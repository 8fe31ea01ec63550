"""Every algorithm moves the right data, for any number of ranks; numpy the oracle."""

from __future__ import annotations

import numpy as np
import pytest
import simpy
from hypothesis import given, settings
from hypothesis import strategies as st

from npusim.hccl.algorithms import ALGORITHMS, NoSuchAlgorithm, schedule
from npusim.hccl.buffers import LAYOUTS, OPERATIONS, Place
from npusim.hccl.closed_forms import FORMS, cost, pipeline_us
from npusim.hccl.events import Collective, Links
from npusim.hccl.hierarchy import Levels, pipeline, two_level
from npusim.hccl.links import load_link
from npusim.hccl.topology import Topology

PAIRS = [(a, c) for a, table in ALGORITHMS.items() for c in table]
LINK = load_link("hccs-a2")


def apart(ranks: int) -> Topology:
    """One server of `ranks` NPUs, each pair with its own link."""
    return Topology("test", 1, ranks, LINK, LINK)


def perform(plan, topology, collective, inputs, root=0, operation="sum"):
    """(results, time in µs) of a schedule on real arrays."""
    env = simpy.Environment()
    ranks, layout = topology.ranks, LAYOUTS[collective]
    places = [Place(r, ranks, plan.slices, root) for r in range(ranks)]
    held = [layout.before(x, place) for x, place in zip(inputs, places, strict=True)]
    combine = OPERATIONS[operation]
    one = Collective(
        env, Links(topology), plan, range(ranks), held, combine, messages := []
    )
    done = [one.arrive(rank) for rank in range(ranks)]
    env.run()
    assert all(event.processed for event in done)
    assert len(messages) == plan.messages
    results = [
        layout.after(h, x, place)
        for h, x, place in zip(held, inputs, places, strict=True)
    ]
    return results, float(env.now)


def expected(collective, inputs, root):
    """What numpy says each rank must get."""
    ranks = len(inputs)
    total, joined = sum(inputs), np.concatenate(inputs)
    parts = np.split(inputs[root], ranks)
    return {
        "all_reduce": [total] * ranks,
        "reduce": [total if r == root else None for r in range(ranks)],
        "broadcast": [inputs[root]] * ranks,
        "all_gather": [joined] * ranks,
        "gather": [joined if r == root else None for r in range(ranks)],
        "reduce_scatter": np.split(total, ranks),
        "scatter": parts,
        "all_to_all": [
            np.concatenate([np.split(x, ranks)[r] for x in inputs])
            for r in range(ranks)
        ],
    }[collective]


def arrays(ranks: int, each: int = 3):
    generator = np.random.default_rng(ranks)
    return [generator.integers(-99, 99, ranks * each) for _ in range(ranks)]


def assert_same(results, wanted):
    for got, want in zip(results, wanted, strict=True):
        assert (got is None) == (want is None)
        if want is not None:
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(("algorithm", "collective"), PAIRS)
@settings(max_examples=12)
@given(ranks=st.integers(2, 17), data=st.data())
def test_the_data_are_right(algorithm, collective, ranks, data):
    root = data.draw(st.integers(0, ranks - 1))
    try:
        plan = schedule(algorithm, collective, ranks, root)
    except NoSuchAlgorithm:
        assert algorithm == "H-D_R" and ranks & (ranks - 1)
        return
    inputs = arrays(ranks)
    fixed = algorithm == "star" and collective == "all_reduce"
    results, _ = perform(plan, apart(ranks), collective, inputs, root * (not fixed))
    assert_same(results, expected(collective, inputs, root))


SHAPES = [(2, 2), (2, 8), (3, 4), (4, 8), (5, 3)]


@pytest.mark.parametrize("outer", ["ring", "NHR", "NB", "H-D_R", "pairwise"])
@pytest.mark.parametrize("collective", LAYOUTS)
@pytest.mark.parametrize(("servers", "devices"), SHAPES)
def test_two_levels_move_the_right_data(outer, collective, servers, devices):
    levels = Levels(servers, devices, "mesh", outer)
    topology = Topology("test", servers, devices, LINK, load_link("roce-200"))
    inputs = arrays(levels.ranks)
    for root in {0, levels.ranks - 1, devices}:
        try:
            plan = two_level(collective, levels, root)
        except NoSuchAlgorithm:
            continue
        results, _ = perform(plan, topology, collective, inputs, root)
        assert_same(results, expected(collective, inputs, root))


@pytest.mark.parametrize("collective", ["all_reduce", "all_gather", "reduce_scatter"])
@pytest.mark.parametrize(("servers", "devices"), SHAPES)
def test_the_pipeline_moves_the_right_data_in_the_stated_time(
    collective, servers, devices
):
    roce = load_link("roce-200")
    topology = Topology("test", servers, devices, LINK, roce)
    inputs = [np.arange(topology.ranks * 512) for _ in range(topology.ranks)]
    plan = pipeline(collective, Levels(servers, devices))
    results, time_us = perform(plan, topology, collective, inputs)
    assert_same(results, expected(collective, inputs, 0))
    nbytes = inputs[0].nbytes * (topology.ranks if collective == "all_gather" else 1)
    phases = 2 if collective == "all_reduce" else 1
    one = pipeline_us(roce, LINK, servers, devices, nbytes)
    assert time_us == pytest.approx(phases * one, rel=1e-9)


@pytest.mark.parametrize(
    ("algorithm", "collective"), [(a, c) for a, table in FORMS.items() for c in table]
)
@pytest.mark.parametrize("ranks", [2, 3, 4, 7, 8, 12, 16])
def test_events_agree_with_the_closed_form(algorithm, collective, ranks):
    try:
        plan = schedule(algorithm, collective, ranks)
    except NoSuchAlgorithm:
        assert algorithm == "H-D_R" and ranks & (ranks - 1)
        return
    inputs = [np.zeros(ranks * 5040, np.float32)] * ranks
    _, time_us = perform(plan, apart(ranks), collective, inputs)
    whole = inputs[0].nbytes
    if collective in ("all_gather", "gather"):
        whole *= ranks
    form = cost(algorithm, collective, ranks, whole).time_us(LINK)
    assert time_us == pytest.approx(form, rel=1e-9)


@given(ranks=st.integers(2, 40))
def test_nb_sends_what_the_guide_states(ranks):
    """Step k: ⌊(p - 1 + 2^k) / 2^(k+1)⌋ slices to the rank at distance 2^k."""
    steps = schedule("NB", "all_gather", ranks).steps
    for k, step in enumerate(reversed(steps)):
        for one in step:
            assert (one.target - one.source) % ranks == 1 << k
            assert len(one.slices) == (ranks - 1 + (1 << k)) // (1 << (k + 1))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_reductions_are_those_of_numpy(operation):
    inputs = [np.arange(1, 9, dtype=np.int64) * (r - 3) for r in range(4)]
    plan = schedule("ring", "all_reduce", 4)
    results, _ = perform(plan, apart(4), "all_reduce", inputs, operation=operation)
    wanted = OPERATIONS[operation].reduce(np.stack(inputs))
    for result in results:
        np.testing.assert_array_equal(result, wanted)


def test_a_mesh_adds_in_the_order_of_ranks():
    """The order in which messages come in must not change the sum."""
    inputs = [np.full(4, v, np.float32) for v in (1e8, 1.0, -1e8, 1.0)]
    plan = schedule("mesh", "all_reduce", 4)
    results, _ = perform(plan, apart(4), "all_reduce", inputs)
    assert all(np.array_equal(r, results[0]) for r in results)
