"""Recursive halving and doubling (H-D_R): partners at distance 1, 2, 4, …

With p = 2^k ranks reduce-scatter halves what is exchanged with each step, and
all-gather doubles it: 2·log2(p)·α + 2(p-1)/p·n·β for an all-reduce. With any other p
the ranks beyond the power of two hand their buffer to a partner first and get the
result back last: two more steps with the whole buffer each.
"""

from __future__ import annotations

from collections.abc import Iterator

from npusim.hccl.algorithms import tree
from npusim.hccl.schedule import Schedule, Transfer, from_rounds

broadcast = tree.broadcast


def is_power_of_two(p: int) -> bool:
    """Whether p is 1, 2, 4, …"""
    return p > 0 and p & (p - 1) == 0


def all_gather(p: int) -> Schedule:
    """ValueError unless p is a power of two."""
    if not is_power_of_two(p):
        raise ValueError(f"halving and doubling gathers among 2^k ranks, not {p}")
    doubling = (1 << k for k in range(p.bit_length() - 1))
    return from_rounds(p, p, (_exchange(p, d) for d in doubling))


def reduce_scatter(p: int) -> Schedule:
    """ValueError unless p is a power of two."""
    return all_gather(p).reversed(reduce=True)


def all_reduce(p: int) -> Schedule:
    """Any p; the ranks beyond the power of two stand aside."""
    core = 1 << (p.bit_length() - 1)
    inner = reduce_scatter(core).then(all_gather(core))
    steps = inner.placed(range(core), lambda s: (s,), p, core)
    everything = tuple(range(core))
    fold = tuple(Transfer(r, r - core, everything, True) for r in range(core, p))
    back = tuple(Transfer(r - core, r, everything) for r in range(core, p))
    if not fold:
        return steps
    return Schedule(p, core, (fold, *steps.steps, back))


def _exchange(p: int, distance: int) -> Iterator[Transfer]:
    for r in range(p):
        first = r // distance * distance
        yield Transfer(r, r ^ distance, tuple(range(first, first + distance)))
