"""Times: events against closed forms, published points, the tool's table, claims."""

from __future__ import annotations

import re

import pytest

from npusim.hccl.algorithms import COLLECTIVES
from npusim.hccl.claims import (
    largest_nbytes,
    manual_ratio,
    network_use,
    sizes_where,
    with_latencies,
)
from npusim.hccl.environment import Environment
from npusim.hccl.faults import HcclError
from npusim.hccl.hccl_test import TITLES, hccl_test, nbytes_of
from npusim.hccl.links import NUMBERS, link_tables, load_link
from npusim.hccl.measure import measure
from npusim.hccl.topology import Topology, load_topology
from npusim.hccl.topology_file import TopologyFileError

MIB = 1 << 20


@pytest.mark.parametrize("name", ["a2", "a2-100g", "910a", "a3"])
@pytest.mark.parametrize("collective", COLLECTIVES)
def test_both_ways_of_timing_agree(name, collective):
    for ranks in (2, 4, 8, 16, 32, 48):
        try:
            topology = load_topology(name, ranks)
        except ValueError:
            continue
        for nbytes in (ranks * 64, ranks * MIB):
            by_events = measure(collective, nbytes, topology)
            by_formula = measure(collective, nbytes, topology, closed=True)
            if collective == "broadcast" and not topology.inside.is_pair:
                assert by_events.time_us >= by_formula.time_us
            else:
                assert by_events.time_us == pytest.approx(by_formula.time_us, rel=1e-9)


def test_ten_thousand_ranks_by_formula():
    one = measure("all_reduce", MIB, load_topology("a2", 10_000), closed=True)
    small = measure("all_reduce", MIB, load_topology("a2", 80), closed=True)
    assert small.time_us < one.time_us < 10 * small.time_us


@pytest.mark.parametrize(
    ("ranks", "gather", "reduce"), [(2, 38, 18), (4, 64, 30), (8, 149, 72)]
)
def test_large_messages_in_a_server_are_as_published(ranks, gather, reduce):
    """gameofdimension/limulidae, one A2 server, GB/s; 4 ranks are a known miss."""
    topology = load_topology("a2", ranks)
    bound = 0.25 if ranks == 4 else 0.05
    for collective, published in (("all_gather", gather), ("all_reduce", reduce)):
        rate = measure(collective, 8 << 30, topology).alg_gb_s
        assert abs(rate / published - 1) < bound


@pytest.mark.parametrize(
    ("link", "block", "read", "published_us"),
    [
        ("hccs-a2", 1, False, 6558.925),
        ("hccs-a2", 4, False, 6481.049),
        ("hccs-a2", 1, True, 4951.476),
        ("hccs-a2", 4, True, 4876.907),
        ("roce-200", 1, False, 5538.08),
        ("roce-200", 4, False, 5529.016),
        ("hccs-a3", 1, False, 1175.995),
        ("hccs-a3", 4, False, 1040.003),
        ("hccs-a3", 1, True, 1007.001),
        ("hccs-a3", 4, True, 865.999),
        ("hccs-a3-far", 1, False, 1361.997),
        ("hccs-a3-far", 4, True, 924.003),
    ],
)
def test_copies_are_as_published(link, block, read, published_us):
    """HIXL benchmark, 128 MiB in blocks of `block` MiB."""
    predicted = load_link(link).copy_us(128 * MIB, block * MIB, read)
    assert predicted == pytest.approx(published_us, rel=0.02)


def test_every_number_of_a_link_names_its_source():
    for name, table in link_tables().items():
        for number in NUMBERS:
            assert len(table[number]["source"]) > 8, (name, number)
            assert table[number]["confidence"] in ("high", "medium", "low", "none")


def test_bus_bandwidth_is_what_a_link_carries():
    one = measure("all_reduce", 1 << 30, load_topology("a2", 8))
    assert one.bus_gb_s == pytest.approx(one.alg_gb_s * 14 / 8)


# -------------------------------------------------------------------------------- table
def test_the_table_is_the_tools():
    lines = hccl_test(ranks=8, end="1M").splitlines()
    assert tuple(c.strip() for c in lines[0].split("|")) == TITLES
    assert len(lines) == 1 + 8
    for line in lines[1:]:
        size, time_us, rate, result = (c.strip() for c in line.split("|"))
        assert float(rate) == pytest.approx(int(size) / float(time_us) / 1e3, rel=1e-3)
        assert result == "success"


def test_sizes_are_those_of_the_tool():
    assert [nbytes_of(s) for s in ("8K", "64M", "1G", 12)] == [
        8192,
        64 << 20,
        1 << 30,
        12,
    ]
    for bad in ("8KB", "-1", "0", ""):
        with pytest.raises(HcclError):
            nbytes_of(bad)


# ------------------------------------------------------------------------------- claims
def test_a_millisecond_on_32_cards_is_a_question_of_size():
    for name in ("a2", "a2-100g"):
        topology = load_topology(name, 32)
        most = largest_nbytes(1000.0, "all_reduce", topology)
        assert measure("all_reduce", most, topology, closed=True).time_us <= 1000.0
        assert measure("all_reduce", most + 9, topology, closed=True).time_us > 1000.0
        quick = with_latencies(topology, 3.0, 8.0)
        assert largest_nbytes(1000.0, "all_reduce", quick) > most
    assert largest_nbytes(1.0, "all_reduce", topology) == 0


def test_a_copy_uses_the_network_better_than_a_collective():
    for nbytes in (MIB, 1 << 30):
        use = network_use("all_reduce", nbytes, load_topology("a2", 32))
        assert use.copy > 0.85 > use.busy > use.carried > 0


def test_by_hand_is_slower_and_more_so_for_large_messages():
    topology = load_topology("a2", 8)
    sizes = [64 << 10, MIB, 16 * MIB]
    ratios = [manual_ratio(n, topology, serial=False) for n in sizes]
    assert ratios == sorted(ratios) and ratios[0] > 1.0 and ratios[-1] < 8
    assert all(
        manual_ratio(n, topology, True) > r for n, r in zip(sizes, ratios, strict=True)
    )
    assert sizes_where(1.3, topology, True, sizes) == sizes


# ------------------------------------------------------------------ own clusters
GOOD = """\
name = "lab"
servers = 4
devices = 2
inside = "hccs-a2"
[between]
base = "roce-200"
collective_gb_s = 22.0
"""


def test_a_cluster_of_ones_own(tmp_path):
    path = tmp_path / "lab.toml"
    path.write_text(GOOD)
    topology = Topology.from_file(path)
    assert (topology.ranks, topology.between.collective_gb_s) == (8, 22.0)
    assert topology.between.latency_us == load_link("roce-200").latency_us
    assert measure("all_reduce", MIB, topology).time_us > 0


@pytest.mark.parametrize(
    ("old", "new", "line", "key"),
    [
        ("servers = 4", "servers = 0", 2, "servers"),
        ("servers = 4", "servers = true", 2, "servers"),
        ("devices = 2", "device = 2", 3, "device"),
        ('"hccs-a2"', '"hcss-a2"', 4, "inside"),
        ("22.0", "-1", 7, "between.collective_gb_s"),
        ("22.0", '"fast"', 7, "between.collective_gb_s"),
        ('base = "roce-200"', "", 5, "between.base"),
        ("collective_gb_s", "colective_gb_s", 7, "between.colective_gb_s"),
        ("servers = 4", "servers = 4000000", 2, "servers"),
        ("devices = 2", "devices = ", 3, ""),
    ],
)
def test_a_bad_file_is_located(tmp_path, old, new, line, key):
    path = tmp_path / "lab.toml"
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(TopologyFileError) as caught:
        Topology.from_file(path)
    assert (caught.value.line, caught.value.key) == (line, key)
    assert re.search(r"lab\.toml:\d", str(caught.value))
    assert re.search(r"[\u4e00-\u9fff]", caught.value.text["zh"])


def test_pipelining_is_off_where_results_must_be_the_same_every_time():
    topology = load_topology("a2", 32)
    strict = Environment.read({"HCCL_DETERMINISTIC": "true"})
    assert measure("all_reduce", 64 * MIB, topology).choice.between == "pipeline"
    assert (
        measure("all_reduce", 64 * MIB, topology, strict).choice.between != "pipeline"
    )


@pytest.mark.parametrize(
    ("ranks", "name"), [(8, "H-D_R"), (12, "ring"), (16, "H-D_R"), (24, "ring")]
)
def test_on_910a_the_number_of_servers_decides(ranks, name):
    """HCCL user guide: H-D_R for 2^k servers, ring for others, no pipeline."""
    topology = load_topology("910a", ranks)
    for nbytes in (1024, MIB, 256 * MIB):
        one = measure("all_reduce", nbytes, topology)
        assert (one.choice.between, one.choice.reason) == (name, "choice-power")
    demanded = Environment.read({"HCCL_ALGO": "level0:NA;level1:NHR"})
    assert measure("all_reduce", MIB, topology, demanded).choice.between == "NHR"


@pytest.mark.parametrize("closed", [False, True])
def test_a_buffer_too_large_for_hccl_goes_in_passes(closed):
    topology = load_topology("a2", 32)
    small = Environment.read({"HCCL_BUFFSIZE": 2, "HCCL_ALGO": "level1:ring"})
    usual = Environment.read({"HCCL_ALGO": "level1:ring"})

    def time_us(nbytes, environment):
        return measure(
            "all_reduce", nbytes, topology, environment, closed=closed
        ).time_us

    whole = time_us(2 * MIB, small)
    assert whole == pytest.approx(time_us(2 * MIB, usual))
    assert time_us(6 * MIB, small) == pytest.approx(3 * whole)
    assert time_us(5 * MIB, small) == pytest.approx(2 * whole + time_us(MIB, usual))
    assert time_us(5 * MIB, small) > time_us(5 * MIB, usual)
