"""Which algorithm a collective runs with, and why: HCCL's choice as rules.

Source: HCCL's user guide, and the cost race of its published selector: 60 µs a step,
20 GB/s between servers; ties go to ring, then NHR, then H-D_R. The sizes of the rules
stand in `selector.toml`. These are the rules of A2, taken for every cluster but 910A:
there ring, or H-D_R where the number of servers is a power of two (user guide).
`HCCL_ALGO` overrides the level among servers. Left out: AIV and graph mode, and what A3
does within a super-node, which is not published.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from npusim.hccl.algorithms import NoSuchAlgorithm, mesh, schedule
from npusim.hccl.closed_forms import FORMS, cost
from npusim.hccl.environment import Environment
from npusim.hccl.faults import HcclError
from npusim.hccl.hierarchy import Levels, pipeline, two_level
from npusim.hccl.schedule import Schedule
from npusim.hccl.topology import Topology

RACE = ("ring", "NHR", "H-D_R")
PIPELINED = ("all_reduce", "all_gather", "reduce_scatter")
ONE_SHOT = "mesh, one shot"
BY_POWER_OF_TWO = ("910a",)  # clusters by name


@cache
def _sizes() -> Mapping[str, float]:
    text = (resources.files(__package__) / "selector.toml").read_text("utf-8")
    return {name: row["value"] for name, row in tomllib.loads(text).items()}


@dataclass(frozen=True)
class Choice:
    """`inside` and `between`: the algorithm of each level (None: no such level);
    `reason`: a key of words.toml."""

    collective: str
    inside: str | None
    between: str | None
    reason: str

    def __str__(self) -> str:
        return " + ".join(one for one in (self.inside, self.between) if one)


def choose(
    collective: str,
    topology: Topology,
    nbytes: int,
    environment: Environment | None = None,
) -> Choice:
    """The algorithm for a buffer of `nbytes` bytes a rank.

    HcclError EI0001 if `HCCL_ALGO` demands what the collective does not have."""
    environment = environment or Environment()
    inside = None if topology.devices == 1 else "mesh"
    if topology.servers == 1:
        small = collective == "all_reduce" and nbytes <= _sizes()["one_shot_nbytes"]
        if small and inside and topology.name not in BY_POWER_OF_TWO:
            return Choice(collective, ONE_SHOT, None, "choice-one-shot")
        return Choice(collective, inside, None, "choice-one-server")
    demanded = environment.algorithm(collective)
    if demanded:
        _must_have(demanded, collective, topology)
        return Choice(collective, inside, demanded, "choice-demanded")
    if _pipelines(collective, topology, nbytes, environment):
        return Choice(collective, inside, "pipeline", "choice-pipeline")
    if collective == "all_to_all":
        return Choice(collective, inside, "pairwise", "choice-pairwise")
    if topology.name in BY_POWER_OF_TWO:
        name = _by_power_of_two(collective, topology.servers)
        return Choice(collective, inside, name, "choice-power")
    return Choice(
        collective, inside, _winner(collective, topology, nbytes), "choice-race"
    )


def plan(choice: Choice, topology: Topology, root: int = 0) -> Schedule:
    """The schedule of a choice over all ranks of the topology."""
    m, d = topology.servers, topology.devices
    if choice.inside == ONE_SHOT:
        return mesh.all_reduce_one_shot(d)
    if choice.between == "pipeline":
        return pipeline(choice.collective, Levels(m, d))
    if choice.between and choice.inside:
        levels = Levels(m, d, choice.inside, choice.between)
        return two_level(choice.collective, levels, root)
    algorithm = choice.inside or choice.between or "mesh"
    return schedule(algorithm, choice.collective, topology.ranks, root)


def _pipelines(
    collective: str, topology: Topology, nbytes: int, environment: Environment
) -> bool:
    if collective not in PIPELINED or topology.devices == 1:
        return False
    if topology.name in BY_POWER_OF_TWO:
        return False
    if not topology.inside.is_pair:
        return False  # both levels would share a port
    if environment["HCCL_DETERMINISTIC"] != "false":
        return False
    if collective == "all_reduce":
        return nbytes / topology.ranks >= _sizes()["pipeline_all_reduce_nbytes"]
    return nbytes >= _sizes()["pipeline_phase_nbytes"]


def _by_power_of_two(collective: str, servers: int) -> str:
    """H-D_R if it can do the collective and the servers are 2^k, else ring."""
    power = servers & (servers - 1) == 0
    return "H-D_R" if power and _able("H-D_R", collective, servers) else "ring"


def _winner(collective: str, topology: Topology, nbytes: int) -> str:
    """The cheapest of the race; the first of those that cost the same."""
    servers, share = topology.servers, nbytes / topology.devices
    runners = [name for name in RACE if _able(name, collective, servers)]
    return min(runners, key=lambda name: race_us(name, collective, servers, share))


def race_us(algorithm: str, collective: str, servers: int, nbytes: float) -> float:
    """What the selector expects of an algorithm among the servers, in µs."""
    one = cost(algorithm, collective, servers, nbytes)
    rate = _sizes()["rate_gb_s"] * 1e3
    return one.steps * _sizes()["latency_us"] + one.volume_nbytes / rate


def _able(algorithm: str, collective: str, servers: int) -> bool:
    if collective not in FORMS[algorithm]:
        return False
    try:
        schedule(algorithm, collective, servers)
    except NoSuchAlgorithm:
        return False
    return True


def _must_have(algorithm: str, collective: str, topology: Topology) -> None:
    if algorithm == "pipeline":
        able = collective in PIPELINED and topology.devices > 1
        why = f"pipeline: {', '.join(PIPELINED)}"
    else:
        try:
            schedule(algorithm, collective, topology.servers)
            able, why = True, ""
        except NoSuchAlgorithm as error:
            able, why = False, str(error)
    if not able:
        raise HcclError("EI0001", "algo-unable", name=algorithm, why=why)
