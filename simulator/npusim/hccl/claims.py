"""Three sentences about communication, and where they hold.

* `largest_nbytes`: up to which size a collective stays below a time ("all-reduce on 32
  cards: < 1 ms").
* `network_use`: how much of its peak a network port carries ("> 85 % of 100 Gb/s"), for
  a bare copy and over a whole collective; the two differ by a factor.
* `manual_ratio`: gather to rank 0 and broadcast, by hand, against the collective
  ("≥ 30 % slower on 8 cards").

Left out: congestion of other jobs, which would make each worse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from npusim.hccl.algorithms import star
from npusim.hccl.links import Link
from npusim.hccl.measure import measure, replay, replay_schedule
from npusim.hccl.selector import choose
from npusim.hccl.topology import Topology

MAX_NBYTES = 1 << 40


def largest_nbytes(limit_us: float, collective: str, topology: Topology) -> int:
    """The most bytes a rank that take at most `limit_us`; 0 if even one byte takes
    longer. By closed forms; found by halving, to the byte."""

    def fits(nbytes: int) -> bool:
        return measure(collective, nbytes, topology, closed=True).time_us <= limit_us

    low, high = 0, MAX_NBYTES
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def with_latencies(topology: Topology, inside_us: float, between_us: float) -> Topology:
    """The same machines with other latencies, which no one has published."""
    return replace(
        topology,
        inside=replace(topology.inside, latency_us=inside_us),
        between=replace(topology.between, latency_us=between_us),
    )


@dataclass(frozen=True)
class NetworkUse:
    """Shares of the peak of one network port: `copy` of a bare copy, `busy` the time in
    which the port is held during a collective, `carried` its bytes by peak and time."""

    copy: float
    busy: float
    carried: float


def network_use(collective: str, nbytes: int, topology: Topology) -> NetworkUse:
    """How well the port of the busiest rank is used; ValueError for one server."""
    if topology.servers == 1:
        raise ValueError("one server uses no network")
    link: Link = topology.between
    choice = choose(collective, topology, nbytes)
    time_us, messages = replay(choice, topology, nbytes)
    sent = [0] * topology.ranks
    for one in messages:
        if one.link == link.name:
            sent[one.source] += one.nbytes
    most = max(sent)
    return NetworkUse(
        link.write_gb_s / link.peak_gb_s,
        link.occupied_us(most) / time_us,
        most / (link.peak_gb_s * 1e3) / time_us,
    )


def manual_ratio(nbytes: int, topology: Topology, serial: bool) -> float:
    """Time of gather-to-rank-0 and broadcast by time of HCCL's all-reduce. `serial`:
    rank 0 serves one partner after the other, as a loop of send and recv does."""
    by_hand = star.all_reduce(topology.ranks, serial=serial)
    time_us, _ = replay_schedule(by_hand, "all_reduce", topology, nbytes)
    return time_us / measure("all_reduce", nbytes, topology).time_us


def sizes_where(
    least_ratio: float, topology: Topology, serial: bool, sizes: Sequence[int]
) -> list[int]:
    """The sizes at which it takes at least `least_ratio` times as long by hand."""
    return [n for n in sizes if manual_ratio(n, topology, serial) >= least_ratio]
