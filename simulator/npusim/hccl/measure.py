"""How long a collective takes on a cluster: by events, or by closed forms.

`nbytes` is the buffer of one rank: the input of all-reduce, reduce, broadcast,
reduce-scatter, scatter and all-to-all, the output of all-gather and gather (hccl_test's
data size). Both ways give the same time, but for a broadcast over ports that all
partners share, where messages wait for each other and the closed form is the least
time. The closed forms serve 10,000 ranks. A buffer above `HCCL_BUFFSIZE` takes several
passes of that size, one after the other (user guide). Left out: what the host and the
framework add before a call; the passes in `replay` and in rank programs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import simpy

from npusim.hccl.algorithms import COLLECTIVES
from npusim.hccl.buffers import LAYOUTS, Place
from npusim.hccl.closed_forms import Cost, cost, pipeline_us
from npusim.hccl.environment import Environment
from npusim.hccl.events import Collective, Links, Message
from npusim.hccl.links import Link
from npusim.hccl.schedule import Schedule
from npusim.hccl.selector import ONE_SHOT, Choice, choose, plan
from npusim.hccl.topology import Topology

BUS_FACTORS: Mapping[str, Callable[[int], float]] = {
    "all_reduce": lambda p: 2 * (p - 1) / p,
    "all_gather": lambda p: (p - 1) / p,
    "reduce_scatter": lambda p: (p - 1) / p,
    "all_to_all": lambda p: (p - 1) / p,
}


@dataclass(frozen=True)
class Measurement:
    """One collective; rates in GB/s (1e9 bytes a second)."""

    collective: str
    ranks: int
    nbytes: int
    time_us: float
    choice: Choice

    @property
    def alg_gb_s(self) -> float:
        """Algorithm bandwidth: data size by time."""
        return self.nbytes / (self.time_us * 1e3) if self.time_us else 0.0

    @property
    def bus_gb_s(self) -> float:
        """Bus bandwidth: algorithm bandwidth by the share that each link carries."""
        factor = BUS_FACTORS.get(self.collective, lambda p: 1.0)
        return self.alg_gb_s * factor(self.ranks)


def measure(
    collective: str,
    nbytes: int,
    topology: Topology,
    environment: Environment | None = None,
    *,
    closed: bool = False,
) -> Measurement:
    """The time of one call with HCCL's choice of algorithm; `closed`: by formula.

    ValueError for a collective that has no schedule."""
    if collective not in COLLECTIVES:
        raise ValueError(f"unknown collective {collective!r}: {', '.join(COLLECTIVES)}")
    choice = choose(collective, topology, nbytes, environment)
    timed = closed_form_us if closed else events_us
    buffer_nbytes = (environment or Environment()).buffer_nbytes
    passes, rest = divmod(nbytes, buffer_nbytes)
    time_us = passes * timed(choice, topology, buffer_nbytes) if passes else 0.0
    if rest or not passes:
        time_us += timed(choice, topology, rest)
    return Measurement(collective, topology.ranks, nbytes, time_us, choice)


# ------------------------------------------------------------------------------- events
def events_us(choice: Choice, topology: Topology, nbytes: int) -> float:
    """The time by events. The data are as large as stated and take no memory."""
    return replay(choice, topology, nbytes)[0]


def replay(
    choice: Choice, topology: Topology, nbytes: int
) -> tuple[float, list[Message]]:
    """(time in µs, every message) of one call in which all ranks begin at 0."""
    return replay_schedule(plan(choice, topology), choice.collective, topology, nbytes)


def replay_schedule(
    schedule: Schedule, collective: str, topology: Topology, nbytes: int
) -> tuple[float, list[Message]]:
    """The same for any schedule of a collective, for example one written by hand."""
    ranks, messages = topology.ranks, list[Message]()
    each = nbytes // ranks if collective in ("all_gather", "gather") else nbytes
    if collective in ("reduce_scatter", "scatter", "all_to_all"):
        each = each // ranks * ranks
    x = np.broadcast_to(np.int8(0), each)
    places = [Place(r, ranks, schedule.slices, 0) for r in range(ranks)]
    held = [LAYOUTS[collective].before(x, place) for place in places]
    env = simpy.Environment()
    links, members = Links(topology), range(ranks)
    one = Collective(env, links, schedule, members, held, _first, messages)
    for rank in members:
        one.arrive(rank)
    env.run()
    return float(env.now), messages


def _first(mine: np.ndarray, _theirs: np.ndarray) -> np.ndarray:
    return mine


# ------------------------------------------------------------------------- closed forms
def closed_form_us(choice: Choice, topology: Topology, nbytes: float) -> float:
    """The time by formula: the sum of the levels; any number of ranks."""
    m, d = topology.servers, topology.devices
    inside, between = topology.inside, topology.between
    if choice.inside == ONE_SHOT:
        return _spread(Cost(1, nbytes), d, inside).time_us(inside)
    if choice.between == "pipeline":
        phases = 2 if choice.collective == "all_reduce" else 1
        return phases * pipeline_us(between, inside, m, d, nbytes)
    if choice.between is None:
        algorithm = choice.inside or "mesh"
        return _level(algorithm, choice.collective, d, nbytes, inside)
    if choice.inside is None:
        return _level(choice.between, choice.collective, m, nbytes, between)
    parts = _TWO_LEVELS[choice.collective](m, d, nbytes)
    within, among = choice.inside, choice.between
    return sum(
        _level(within, name, d, n, inside)
        if here
        else _level(among, name, m, n, between)
        for here, name, n in parts
    )


def _level(algorithm: str, name: str, p: int, nbytes: float, link: Link) -> float:
    if p == 1:
        return 0.0
    if algorithm == "mesh" and name == "all_to_all":
        one = Cost(1, nbytes / p)
    else:
        one = cost(algorithm, name, p, nbytes)
    return (_spread(one, p, link) if algorithm == "mesh" else one).time_us(link)


def _spread(one: Cost, p: int, link: Link) -> Cost:
    """On a port the p - 1 messages of a mesh step follow each other."""
    return one if link.is_pair else Cost(one.steps, one.volume_nbytes * (p - 1))


_Parts = list[tuple[bool, str, float]]  # (inside a server?, collective, bytes)


def _around(first: str, name: str, last: str) -> Callable[[int, int, float], _Parts]:
    return lambda m, d, n: [(True, first, n), (False, name, n / d), (True, last, n)]


_TWO_LEVELS: Mapping[str, Callable[[int, int, float], _Parts]] = {
    "all_reduce": _around("reduce_scatter", "all_reduce", "all_gather"),
    "broadcast": _around("scatter", "broadcast", "all_gather"),
    "reduce": _around("reduce_scatter", "reduce", "gather"),
    "all_gather": lambda m, d, n: [
        (True, "all_gather", n / m),
        (False, "all_gather", n),
    ],
    "reduce_scatter": lambda m, d, n: [
        (False, "reduce_scatter", n),
        (True, "reduce_scatter", n / m),
    ],
    "scatter": lambda m, d, n: [(False, "scatter", n), (True, "scatter", n / m)],
    "gather": lambda m, d, n: [(True, "gather", n / m), (False, "gather", n)],
    "all_to_all": lambda m, d, n: [(True, "all_to_all", n), (False, "all_to_all", n)],
}
