"""Collective communication on simulated NPUs: real data, time, and honest hangs.

    from npusim import hccl

    async def rank(comm):
        return await comm.all_reduce(np.full(4, comm.rank, np.float32))

    outcome = hccl.run(rank, ranks=8)

Names follow HCCL's. This is a model of it, written from public documentation.
"""

from __future__ import annotations

from npusim.hccl.communicator import Communicator
from npusim.hccl.environment import Environment
from npusim.hccl.faults import HcclError
from npusim.hccl.links import Link, load_link
from npusim.hccl.selector import Choice, choose, plan
from npusim.hccl.simulation import Outcome, run
from npusim.hccl.topology import Topology, load_topology

__all__ = [
    "Choice",
    "Communicator",
    "Environment",
    "HcclError",
    "Link",
    "Outcome",
    "Topology",
    "choose",
    "load_link",
    "load_topology",
    "plan",
    "run",
]
