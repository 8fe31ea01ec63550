"""How long the communication floor takes to simulate; printed by `make bench`."""

from __future__ import annotations

import time

import numpy as np

from npusim import hccl

RANKS = 256
BUDGET_S = 1.0


async def _all_reduce(comm: hccl.Communicator) -> np.ndarray:
    return await comm.all_reduce(np.ones(1 << 18, np.float32))


def collectives() -> None:
    """A 256-rank all-reduce of 1 MiB with data, by events, with three algorithms."""
    print(
        f"\nAll-reduce of 1 MiB among {RANKS} ranks, with data   budget {BUDGET_S:g} s"
    )
    hccl.run(_all_reduce, 8)
    for algorithm in ("", "level0:NA;level1:NB", "level0:NA;level1:ring"):
        start = time.process_time()
        outcome = hccl.run(_all_reduce, RANKS, environment={"HCCL_ALGO": algorithm})
        seconds = time.process_time() - start
        name = str(outcome.choices[0])
        took = f"{outcome.time_us:.0f} us simulated"
        count = len(outcome.messages)
        print(f"{name:>14} {seconds:6.2f} s, {count:6,} messages, {took}")
